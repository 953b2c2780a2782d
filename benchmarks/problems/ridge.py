"""Ridge regression:  P(beta, b) = ||y - X beta - b||² + alpha ||beta||², dense, with intercept."""

import numpy as np
from scipy.linalg import cho_factor, cho_solve

from benchmarks.contestant import Answer
from benchmarks.problems.base import Data, Judge, Problem
from benchmarks.problems.designs import autoregressive, sparse_target

ALPHA = 1.0
REFINEMENTS = 2


def objective(X, y, alpha, beta, intercept):
    """P(beta, b), summed in extended precision: ten digits of a difference of such sums must be true."""
    r = y - X @ beta - intercept
    return float(np.sum(r * r, dtype=np.longdouble) + alpha * np.sum(beta * beta, dtype=np.longdouble))


def exact(X, y, alpha):
    """The solution by Cholesky on the smaller side, with the rounding of the Gram matrix refined away."""
    means, centre = X.mean(axis=0), y.mean()
    solve = _exact_tall if X.shape[1] <= X.shape[0] else _exact_wide
    beta = solve(X, y - centre, means, alpha)
    return beta, centre - means @ beta


def _exact_tall(X, yc, means, alpha):
    """(Xc'Xc + alpha I) beta = Xc'yc"""
    factor = cho_factor(X.T @ X - X.shape[0] * np.outer(means, means) + alpha * np.eye(X.shape[1]), overwrite_a=True)
    beta = np.zeros(X.shape[1])
    for _ in range(1 + REFINEMENTS):
        r = yc - X @ beta
        beta = beta + cho_solve(factor, X.T @ (r - r.mean()) - alpha * beta)
    return beta


def _exact_wide(X, yc, means, alpha):
    """(Xc Xc' + alpha I) a = yc and beta = Xc'a = X'a, for a sums to zero"""
    product = X @ means
    kernel = X @ X.T - product[:, None] - product + means @ means + alpha * np.eye(X.shape[0])
    factor = cho_factor(kernel, overwrite_a=True)
    a = np.zeros(X.shape[0])
    for _ in range(1 + REFINEMENTS):
        r = yc - X @ (X.T @ a)
        a = a + cho_solve(factor, r - r.mean() - alpha * a)
        a -= a.mean()
    return X.T @ a


class RidgeJudge(Judge):
    def __init__(self, data):
        self.X, self.y, self.alpha = data.X, data.y, data.settings["alpha"]
        self.null = np.array([objective(self.X, self.y, 0.0, np.zeros(self.X.shape[1]), self.y.mean())])

    def values(self, answer):
        beta = answer.coef.toarray()[:, 0]
        return np.array([objective(self.X, self.y, self.alpha, beta, answer.intercept[0])])

    def reference(self):
        return Answer(*exact(self.X, self.y, self.alpha))


def generate(rows, columns, rng, alpha=ALPHA):
    X = autoregressive(rows, columns, rng, order="C")
    return Data(X, sparse_target(X, rng, centre=2.0), {"alpha": alpha, "fit_intercept": True})


PROBLEMS = [
    Problem("ridge", "long", 1_000_000, 50, 1e-10, generate, RidgeJudge),
    Problem("ridge", "tall", 100_000, 500, 1e-10, generate, RidgeJudge),
    Problem("ridge", "wide", 1_000, 20_000, 1e-10, generate, RidgeJudge),
]
