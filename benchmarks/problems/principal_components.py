"""Ten principal components:  max tr(V'SV) over orthonormal V (p, 10), S the covariance matrix.

Only the leading subspace attains the maximum, so the share of it that an answer misses measures the subspace, and does
so where two neighbouring components are nearly tied and each alone would be ill determined. An answer whose columns are
not orthonormal does not count.
"""

import numpy as np
from scipy.linalg import eigh

from benchmarks.contestant import Answer
from benchmarks.problems.base import Data, Judge, Problem
from benchmarks.problems.designs import class_codes, gaussian_classes
from benchmarks.problems.discriminants import RHO

COMPONENTS = 10
TARGET = 1e-8
ORTHONORMAL = 1e-8
BLOCK = 20_000  # rows at a time


def covariance(X):
    """About the mean, in two passes."""
    mean, total = X.mean(axis=0), np.zeros((X.shape[1], X.shape[1]))
    for start in range(0, len(X), BLOCK):
        rows = X[start : start + BLOCK] - mean
        total += rows.T @ rows
    return total / len(X)


class ComponentsJudge(Judge):
    """The missing share of the variance that the best components capture."""

    null = np.ones(1)

    def __init__(self, data):
        self.S = covariance(data.X)
        p, self.k = len(self.S), data.settings["components"]
        variances, self.V = eigh(self.S, subset_by_index=(p - self.k, p - 1))
        self.most = variances.sum()

    def values(self, answer):
        V = answer.coef.toarray()
        if V.shape != self.V.shape or not np.max(np.abs(V.T @ V - np.eye(self.k))) <= ORTHONORMAL:
            return np.array([np.inf])
        return np.array([1.0 - np.sum(V * (self.S @ V)) / self.most])

    def reference(self):
        return Answer(self.V)


def _of(classes):
    def generate(rows, columns, rng):
        codes = class_codes(rows, classes, rng)
        X = gaussian_classes(codes, columns, rng, np.full(classes, RHO))
        return Data(X, codes, {"components": min(COMPONENTS, columns - 1)})

    return generate


PROBLEMS = [
    Problem("pca", "long", 1_000_000, 50, TARGET, _of(5), ComponentsJudge),
    Problem("pca", "tall", 20_000, 784, TARGET, _of(10), ComponentsJudge),
]
