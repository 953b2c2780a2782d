"""Data of normal classes for the tests of this folder, and the vowels where they are at hand."""

from pathlib import Path

import numpy as np
import pytest

VOWELS = Path(__file__).resolve().parents[4] / "shared" / "data" / "esl"
with_vowels = pytest.mark.skipif(not VOWELS.is_dir(), reason="the vowel data are not in the repository")


def normal_classes(k=3, p=4, n=200, seed=0, spread=1.0):
    """Rows of k normal classes with unequal means, covariances and sizes, and their labels."""
    rng = np.random.default_rng(seed)
    y = rng.choice(k, n, p=np.arange(2, k + 2) / np.arange(2, k + 2).sum())
    roots = rng.standard_normal((k, p, p)) + 1.5 * np.eye(p)
    X = np.einsum("ij,ijl->il", rng.standard_normal((n, p)), roots[y]) + spread * rng.standard_normal((k, p))[y]
    return X, np.array(["ant", "bee", "cat", "dog", "elk", "fox"])[y]


def vowels():
    """Rows and labels of the training and of the test set."""
    train, test = (np.loadtxt(VOWELS / f"vowel.{part}.csv", delimiter=",", skiprows=1) for part in ("train", "test"))
    return train[:, 1:], train[:, 0], test[:, 1:], test[:, 0]


def with_moments(n, mean, covariance, seed=0):
    """Rows whose mean and maximum-likelihood covariance are those given, to rounding."""
    rng = np.random.default_rng(seed)
    Z = rng.standard_normal((n, len(mean)))
    Z -= Z.mean(axis=0)
    Z = np.linalg.solve(np.linalg.cholesky(Z.T @ Z / n), Z.T).T
    return np.asarray(mean) + Z @ np.linalg.cholesky(covariance).T


def bends(model, X, steps=9, seed=3):
    """How far scores along segments between rows are from linear, relative to their size."""
    rng = np.random.default_rng(seed)
    t = np.linspace(0.0, 1.0, steps)[:, None]
    worst = 0.0
    for a, b in rng.choice(len(X), (20, 2)):
        scores = model.decision_function(X[a] + t * (X[b] - X[a]))
        scores = scores.reshape(steps, -1)
        gaps = scores - scores[:, -1:] if scores.shape[1] > 1 else scores
        worst = max(worst, np.abs(np.diff(gaps, 2, axis=0)).max() / max(1.0, np.abs(gaps).max()))
    return worst
