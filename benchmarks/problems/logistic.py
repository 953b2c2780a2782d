"""L2 logistic regression:  P(w) = Σ log(1 + exp(-t_i x_i'w)) + |w|²/(2C),  t = ±1, C = 1.

Without intercept: LIBLINEAR and Snap ML penalise theirs, and only so does everyone solve the same problem.
"""

import numpy as np
from scipy.special import entr, expit

from benchmarks.contestant import Answer
from benchmarks.problems import exact_logistic
from benchmarks.problems.base import Data, Judge, Problem
from benchmarks.problems.designs import autoregressive, equicorrelated, labels, text_like

C = 1.0


def objective(X, y, C, w):
    return float(np.sum(exact_logistic.losses(X, y, w), dtype=np.longdouble) + w @ w / (2 * C))


def dual(X, y, C, alpha):
    """Below every P: the entropies of `alpha`, (0, 1) per row, less what the penalty makes of X'(y - alpha)."""
    c = X.T @ (y - alpha)
    return float(np.sum(entr(alpha) + entr(1.0 - alpha), dtype=np.longdouble) - 0.5 * C * (c @ c))


class LogisticJudge(Judge):
    def __init__(self, data):
        self.X, self.y, self.C = data.X, data.y, data.settings["C"]
        self.null = np.array([len(self.y) * np.log(2.0)])

    def values(self, answer):
        if np.any(answer.intercept):  # another problem than the one that was set
            return np.array([np.inf])
        return np.array([objective(self.X, self.y, self.C, answer.coef.toarray()[:, 0])])

    def reference(self):
        return Answer(exact_logistic.binary(self.X, self.y, np.full(self.X.shape[1], 1.0 / self.C)))

    def gap(self, answer):
        """Relative duality gap, with the fitted probabilities as the dual point."""
        alpha = expit(self.X @ answer.coef.toarray()[:, 0])
        return float((self.values(answer)[0] - dual(self.X, self.y, self.C, alpha)) / self.null[0])


def settings(rows):
    """C of the sum and alpha of the mean are the same strength."""
    return {"C": C, "alpha": 1.0 / (C * rows), "fit_intercept": False}


def dense(rows, columns, rng):
    X = autoregressive(rows, columns, rng, order="C")
    return Data(X, labels(X, rng), settings(rows))


def ill(rows, columns, rng):
    """Every two columns correlated by 0.99, then scaled by powers of ten from -3 to 3 in random order."""
    X = equicorrelated(rows, columns, rng)
    y = labels(X, rng)
    X *= 10.0 ** rng.permutation(np.linspace(-3.0, 3.0, columns))
    return Data(X, y, settings(rows))


def text(rows, columns, rng):
    X = text_like(rows, columns, rng).tocsr()
    return Data(X, labels(X, rng), settings(rows))


PROBLEMS = [
    Problem("logistic", "long", 1_000_000, 50, 1e-6, dense, LogisticJudge),
    Problem("logistic", "tall", 100_000, 300, 1e-6, dense, LogisticJudge),
    Problem("logistic", "ill", 200_000, 60, 1e-6, ill, LogisticJudge),
    Problem("logistic", "sparse", 100_000, 100_000, 1e-6, text, LogisticJudge),
]
