"""Tables of numbers and of words that rules are tested on."""

import numpy as np


def numbers(seed, n=120, p=4, missing=0.1):
    random = np.random.default_rng(seed)
    X = random.normal(size=(n, p)) * 10.0 ** random.integers(-3, 4, p)
    X[random.random((n, p)) < missing] = np.nan
    y = random.integers(0, 3, n)
    return X, y


def words(seed, n=60, levels=("red", "it's", "blue", "grün\n", "")):
    random = np.random.default_rng(seed)
    X = np.empty((n, 3), dtype=object)
    X[:, 0], X[:, 2] = random.choice(levels, n), random.choice(levels[:3], n)
    X[:, 1] = random.normal(size=n)
    for i, j in zip(random.integers(0, n, 6), random.integers(0, 3, 6), strict=True):
        X[i, j] = None
    y = np.where(X[:, 0] == "red", "ja'", np.where(random.random(n) < 0.5, 'no"', "maybe"))
    return X, y
