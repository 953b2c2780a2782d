"""The Chow-Liu tree:  max Σ_(j,l) in E I(X_j; X_l) over trees E, informations of the counts.

An answer is the list of its edges. The reference counts every pair by itself, and takes the tree of scipy. Rows come
from a random tree: a column is that of another before it in half of the cases, and else drawn anew.
"""

import numpy as np
from scipy.sparse.csgraph import minimum_spanning_tree
from scipy.special import entr

from benchmarks.contestant import Answer
from benchmarks.problems.base import Data, Judge, Problem

TARGET = 1e-9


def entropy_of(codes, size):
    return float(entr(np.bincount(codes, minlength=size) / len(codes)).sum())


class TreeJudge(Judge):
    """The information that a tree misses, in units of the entropies of the columns."""

    def __init__(self, data):
        X, V = data.X.astype(np.int64), data.settings["levels"]
        p = X.shape[1]
        H = np.array([entropy_of(X[:, j], V) for j in range(p)])
        self.information = np.zeros((p, p))
        for j in range(p):
            for l in range(j):
                joint = entropy_of(X[:, j] * V + X[:, l], V * V)
                self.information[j, l] = self.information[l, j] = H[j] + H[l] - joint
        self.null = np.array([H.sum()])

    def values(self, answer):
        edges = answer.coef.toarray().astype(int)
        p = len(self.information)
        joined = np.arange(p)
        for j, l in edges:
            joined[joined == joined[j]] = joined[l]
        if edges.shape != (p - 1, 2) or (joined != joined[0]).any():
            return np.array([np.inf])
        return np.array([self.null[0] - self.information[edges[:, 0], edges[:, 1]].sum()])

    def reference(self):
        # shifted, because scipy takes a weight of 0 for no edge
        tree = minimum_spanning_tree(-(self.information + 1.0)).tocoo()
        return Answer(np.column_stack(tree.coords))


def _of(levels):
    def generate(rows, columns, rng):
        X = rng.integers(0, levels, (rows, columns))
        for j in range(1, columns):
            same = rng.random(rows) < 0.5
            X[same, j] = X[same, rng.integers(0, j)]
        return Data(X.astype(np.float64), np.zeros(rows), {"levels": levels})

    return generate


PROBLEMS = [
    Problem("chow_liu", "switches", 100_000, 100, TARGET, _of(2), TreeJudge),
    Problem("chow_liu", "five_levels", 100_000, 100, TARGET, _of(5), TreeJudge),
    Problem("chow_liu", "many_levels", 100_000, 100, TARGET, _of(20), TreeJudge),
]
