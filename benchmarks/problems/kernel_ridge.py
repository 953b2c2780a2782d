"""Kernel ridge regression:  P(a) = ||y - K a||² + alpha a'K a, Gaussian kernel; answers are dual coefficients."""

import numpy as np
from scipy.linalg import cho_factor, cho_solve
from scipy.spatial.distance import cdist

from benchmarks.contestant import Answer
from benchmarks.problems.base import Data, Judge, Problem

ALPHA = 0.1
REFINEMENTS = 2


def gaussian(X, gamma):
    return np.exp(-gamma * cdist(X, X, "sqeuclidean"))


def objective(K, y, alpha, a):
    """P(a); sums in extended precision, as ten digits of a difference must be true."""
    fitted = K @ a
    r = y - fitted
    return float(np.sum(r * r, dtype=np.longdouble) + alpha * np.sum(a * fitted, dtype=np.longdouble))


def exact(K, y, alpha):
    """The solution by Cholesky, refined."""
    factor = cho_factor(K + alpha * np.eye(len(y)), overwrite_a=True)
    a = np.zeros(len(y))
    for _ in range(1 + REFINEMENTS):
        a = a + cho_solve(factor, y - K @ a - alpha * a)
    return a


class KernelRidgeJudge(Judge):
    def __init__(self, data):
        self.K, self.y = gaussian(data.X, data.settings["gamma"]), data.y
        self.alpha = data.settings["alpha"]
        self.null = np.array([float(data.y @ data.y)])

    def values(self, answer):
        return np.array([objective(self.K, self.y, self.alpha, answer.coef.toarray()[:, 0])])

    def reference(self):
        return Answer(exact(self.K, self.y, self.alpha))


def generate(rows, columns, rng):
    X = rng.standard_normal((rows, columns))
    y = np.sin(2.0 * X[:, 0]) + X[:, 1] ** 2 + 0.3 * rng.standard_normal(rows)
    return Data(X, y - y.mean(), {"alpha": ALPHA, "gamma": 1.0 / columns})


PROBLEMS = [
    Problem("kernel_ridge", "5k", 5_000, 20, 1e-10, generate, KernelRidgeJudge),
    Problem("kernel_ridge", "10k", 10_000, 20, 1e-10, generate, KernelRidgeJudge),
]
