"""Maximum likelihood with standard errors:  P(w, b) = 2 Σ log(1 + exp(-t_i (x_i'w + b))),  se² = diag (X₁'WX₁)⁻¹.

Two things are measured: the deviance, to 1e-8 of the null deviance, and the standard errors, that of the intercept
first, to 1e-6 of the exact ones. So that one column of the table shows both, the second counts a hundredth.
"""

import numpy as np
from scipy.linalg import cho_factor, cho_solve
from scipy.special import entr, expit

from benchmarks.contestant import Answer
from benchmarks.problems import exact_logistic
from benchmarks.problems.base import Data, Judge, Problem
from benchmarks.problems.designs import autoregressive, labels

TARGET = 1e-8
ERRORS_TARGET = 1e-6


def deviance(X, y, w, b):
    return 2.0 * float(np.sum(exact_logistic.losses(X, y, w, b), dtype=np.longdouble))


def standard_errors(X1, beta):
    """Roots of the diagonal of the inverse information; X1 with its column of ones."""
    mu = expit(X1 @ beta)
    H = exact_logistic.information(X1, mu * (1.0 - mu))
    return np.sqrt(np.diag(cho_solve(cho_factor(H), np.eye(len(H)))))


class LikelihoodJudge(Judge):
    def __init__(self, data):
        self.X, self.y = data.X, data.y
        X1 = np.column_stack([np.ones(len(self.y)), self.X])
        self.beta = exact_logistic.binary(X1, self.y, np.zeros(X1.shape[1]))
        self.errors = standard_errors(X1, self.beta)
        share = self.y.mean()
        null_deviance = 2.0 * len(self.y) * (entr(share) + entr(1.0 - share))
        self.null = np.array([null_deviance, ERRORS_TARGET / TARGET])

    def values(self, answer):
        found = deviance(self.X, self.y, answer.coef.toarray()[:, 0], answer.intercept[0])
        if answer.errors is None or answer.errors.shape != self.errors.shape:
            return np.array([found, np.inf])
        return np.array([found, np.max(np.abs(answer.errors / self.errors - 1.0))])

    def reference(self):
        return Answer(self.beta[1:], self.beta[0], errors=self.errors)


def generate(rows, columns, rng):
    X = autoregressive(rows, columns, rng, order="C")
    return Data(X, labels(X, rng, centre=-1.0), {"fit_intercept": True})


PROBLEMS = [Problem("likelihood", "long", 500_000, 30, TARGET, generate, LikelihoodJudge)]
