"""One pass over the rows:  w ← (1 - ηα) w + η t_i x_i g(t_i (x_i'w + b)),  b ← b + η t_i g(·),  t = ±1.

Perceptron: η = 1, α = 0, g(m) = [m ≤ 0]. Logistic: η = 1/(α (t₀ + i)), α = 1e-4, g(m) = 1/(1 + e^m). No optimum is
asked for, so what is measured is the share of errors: at most a hundredth above the least, after exactly one pass. Data
nearly without noise, for else the last step of a perceptron is luck.
"""

from math import exp

import numpy as np

from benchmarks.contestant import Answer
from benchmarks.problems.base import Data, Judge, Problem
from benchmarks.problems.designs import autoregressive, labels

ALPHA = 1e-4
SPREAD = 50.0  # of the log-odds: about one label in a hundred is wrong


def errors(X, y, w, b):
    """Share of rows on the wrong side."""
    return float(np.mean((X @ w + b >= 0.0) != (y == 1)))


def one_pass(X, y, model, order):
    """The formula above, row by row."""
    t = 2.0 * y - 1.0
    w, b = np.zeros(X.shape[1]), 0.0
    typical = 1.0 / np.sqrt(np.sqrt(ALPHA))  # Bottou's t₀: the first step is of the size of a typical weight
    start = 1.0 / (typical * ALPHA) - 1.0
    for count, i in enumerate(order, start=1):
        margin = t[i] * (X[i] @ w + b)
        if model == "perceptron":
            step = float(margin <= 0.0)
        else:
            rate = 1.0 / (ALPHA * (start + count))
            step = rate / (1.0 + exp(min(margin, 700.0)))
            w *= 1.0 - rate * ALPHA
        if step:
            w += step * t[i] * X[i]
            b += step * t[i]
    return w, b


class OnePassJudge(Judge):
    def __init__(self, data):
        self.X, self.y, self.settings = data.X, data.y, data.settings
        self.null = np.array([1.0])

    def values(self, answer):
        if answer.passes != 1:
            return np.array([np.inf])
        return np.array([errors(self.X, self.y, answer.coef.toarray()[:, 0], answer.intercept[0])])

    def reference(self):
        order = np.arange(len(self.y))
        if self.settings["shuffle"]:
            order = np.random.default_rng(1).permutation(order)
        return Answer(*one_pass(self.X, self.y, self.settings["model"], order), passes=1)


def _of(model, shuffle):
    def generate(rows, columns, rng):
        X = autoregressive(rows, columns, rng, order="C")
        return Data(X, labels(X, rng, spread=SPREAD), {"model": model, "shuffle": shuffle, "alpha": ALPHA})

    return generate


PROBLEMS = [
    Problem("one_pass", f"{model}{suffix}", 1_000_000, 50, 1e-2, _of(model, shuffle), OnePassJudge)
    for model in ("perceptron", "logistic")
    for shuffle, suffix in ((True, "_shuffled"), (False, ""))
]
