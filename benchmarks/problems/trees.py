"""Trees, forests and boosting, judged by what they predict for rows that they have not seen.

A greedy search has no optimum that a judge could compute. A time counts where the loss on held-out rows (squared error,
or the share of wrong classes) exceeds the least of all contestants by at most two hundredths of the loss of the mean or
of the most frequent class: trees that differ by chance alone differ by less. Contestants hand over predictions; the
targets of the held-out rows stay with the judge.
"""

import numpy as np

from benchmarks.contestant import Answer
from benchmarks.problems.base import Data, Judge, Problem
from benchmarks.problems.designs import autoregressive

TARGET = 0.02
RHO = 0.3
HELD_OUT = 0.2  # rows beyond those to be fitted to, as a part of them
NOISE = 0.5  # standard deviations of the signal


class HeldOutJudge(Judge):
    """The mean loss on the held-out rows; the null model predicts the mean, or the most frequent class."""

    def __init__(self, data):
        self.truth, self.classes = np.asarray(data.unseen), data.settings["classes"]
        always = np.bincount(data.y, minlength=self.classes) if self.classes else np.array([np.mean(data.y)])
        self.constant = np.tile(always / always.sum() if self.classes else always, (len(self.truth), 1))
        self.null = self._loss(self.constant)

    def values(self, answer):
        predicted = answer.coef.toarray()
        return self._loss(predicted) if predicted.shape == self.constant.shape else np.array([np.inf])

    def reference(self):
        return Answer(self.constant)

    def _loss(self, predicted):
        if self.classes:
            return np.array([np.mean(np.argmax(predicted, axis=1) != self.truth)])
        return np.array([np.mean((predicted[:, 0] - self.truth) ** 2)])


def signal(X):
    """Friedman's function of five columns (Ann. Statist. 19, 1991), on normal scores, and a product of signs."""
    u = 0.5 * (1.0 + np.tanh(X[:, :5]))
    smooth = 10.0 * np.sin(np.pi * u[:, 0] * u[:, 1]) + 20.0 * (u[:, 2] - 0.5) ** 2 + 10.0 * u[:, 3] + 5.0 * u[:, 4]
    return smooth + 4.0 * np.sign(X[:, 5] * X[:, 6])


def generate(classes):
    def make(rows, columns, rng):
        held_out = int(rows * HELD_OUT)
        X = autoregressive(rows + held_out, columns, rng, order="C", rho=RHO)
        eta = signal(X)
        y = eta + NOISE * eta.std() * rng.standard_normal(len(eta))
        if classes:
            ends = np.quantile(y, np.arange(1, classes) / classes)
            y = np.searchsorted(ends, y)
        settings = {"classes": classes}
        return Data(X[:rows].copy(), y[:rows].copy(), settings, queries=X[rows:].copy(), unseen=y[rows:])

    return make


SIZES = {"tree": 100_000, "forest": 100_000, "extra_trees": 100_000, "adaboost": 100_000, "hist_boosting": 1_000_000}
VARIANTS = (("two", 2), ("five", 5), ("regression", 0))

PROBLEMS = [
    Problem(group, variant, rows, 30, TARGET, generate(classes), HeldOutJudge)
    for group, rows in (*SIZES.items(), ("forest_predict", 100_000))
    for variant, classes in VARIANTS
    if not (group == "adaboost" and variant != "two")
]
