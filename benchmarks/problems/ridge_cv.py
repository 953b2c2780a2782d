"""Ridge with its λ chosen from 50 by leave-one-out error, dense, with intercept.

Two things are measured: the leave-one-out error at the chosen λ, ``mean ((y_i - ŷ_i) / (1 - h_i))²``, against the
least on the grid, and the ridge objective of the returned coefficients at that λ against the exact one.
"""

import numpy as np

from benchmarks.contestant import Answer
from benchmarks.problems import ridge
from benchmarks.problems.base import Judge, Problem

BLOCK = 20_000  # rows at a time: the scores of a tall design need not exist all at once


class RidgeCVJudge(Judge):
    """One eigendecomposition of the smaller Gram matrix gives every λ: scores T with T'T = diag(d)."""

    def __init__(self, data):
        self.X, self.y, self.alphas = data.X, data.y, np.asarray(data.settings["alphas"])
        n, p = self.X.shape
        self.means, self.centre = self.X.mean(axis=0), self.y.mean()
        if p <= n:
            gram = self.X.T @ self.X - n * np.outer(self.means, self.means)
            self.d, self.vectors = np.linalg.eigh(gram)
        else:
            Xc = self.X - self.means
            self.d, self.vectors = np.linalg.eigh(Xc @ Xc.T)
        self.d = np.maximum(self.d, 0.0)
        self.errors = leave_one_out_errors(self._scores, self.d, self.y - self.centre, self.alphas)
        yc = self.y - self.centre
        self.null = np.array([np.mean((yc / (1.0 - 1.0 / n)) ** 2), yc @ yc])

    def _scores(self, rows):
        if self.X.shape[1] <= self.X.shape[0]:
            return (self.X[rows] - self.means) @ self.vectors
        return self.vectors[rows] * np.sqrt(self.d)

    def values(self, answer):
        chosen = int(np.argmin(np.abs(np.log(self.alphas / answer.alpha))))
        if not np.isclose(self.alphas[chosen], answer.alpha, rtol=1e-9):
            return np.array([np.inf, np.inf])
        alpha, beta = self.alphas[chosen], answer.coef.toarray()[:, 0]
        best = ridge.objective(self.X, self.y, alpha, *ridge.exact(self.X, self.y, alpha))
        excess = ridge.objective(self.X, self.y, alpha, beta, answer.intercept[0]) - best
        return np.array([self.errors[chosen], excess])

    def reference(self):
        alpha = float(self.alphas[np.argmin(self.errors)])
        return Answer(*ridge.exact(self.X, self.y, alpha), alpha=alpha)


def leave_one_out_errors(scores, d, yc, alphas):
    """Mean squared leave-one-out error at every λ, from `scores(rows)`, their squared lengths and centred y."""
    n = len(yc)
    blocks = [slice(start, min(start + BLOCK, n)) for start in range(0, n, BLOCK)]
    projected = sum(scores(rows).T @ yc[rows] for rows in blocks)
    shrink = 1.0 / (d[:, None] + alphas)
    total = np.zeros(len(alphas))
    for rows in blocks:
        T = scores(rows)
        r = yc[rows, None] - T @ (projected[:, None] * shrink)
        leverage = 1.0 / n + (T * T) @ shrink
        total += np.sum((r / (1.0 - leverage)) ** 2, axis=0)
    return total / n


def generate(rows, columns, rng):
    data = ridge.generate(rows, columns, rng)
    data.settings = {"alphas": np.logspace(-3, 3, 50).tolist(), "fit_intercept": True}
    return data


PROBLEMS = [
    Problem("ridgecv", "long", 1_000_000, 50, 1e-10, generate, RidgeCVJudge),
    Problem("ridgecv", "tall", 100_000, 500, 1e-10, generate, RidgeCVJudge),
    Problem("ridgecv", "wide", 1_000, 20_000, 1e-10, generate, RidgeCVJudge),
]
