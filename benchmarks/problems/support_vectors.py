"""Support vector machines with a Gaussian kernel, judged by the dual objective.

An answer is a table of signed coefficients, a row of data by a pair of classes, as sparse as it is. The judge checks
that they are feasible (within their boxes, sums of 0, to a millionth of C) and computes the dual objective in double
precision; a pair counts relative to the primal objective of its best constant, and the worst pair counts.
"""

from itertools import combinations

import numpy as np
import scipy.sparse as sp

from benchmarks.contestant import Answer
from benchmarks.problems.base import Data, Judge, Problem

TARGET = 1e-3
FEASIBLE = 1e-6
BLOCK = 2_000


def gaussian(A, B, gamma):
    """``exp(-gamma |a - b|²)`` for rows of A and B."""
    distances = (A * A).sum(axis=1)[:, None] + (B * B).sum(axis=1) - 2.0 * A @ B.T
    return np.exp(-gamma * np.maximum(distances, 0.0))


def quadratic(X, b, gamma):
    """``b'Kb``, by blocks of rows."""
    rows = np.flatnonzero(b)
    total = 0.0
    for start in range(0, len(rows), BLOCK):
        some = rows[start : start + BLOCK]
        total += float(b[some] @ (gaussian(X[some], X[rows], gamma) @ b[rows]))
    return total


class ClassesJudge(Judge):
    """``½ b'Kb - y'b`` of every pair, in units of its best constant."""

    def __init__(self, data):
        self.data, self.C, self.gamma = data, data.settings["C"], data.settings["gamma"]
        self.pairs = list(combinations(range(data.settings["classes"]), 2))
        counts = np.bincount(data.y)
        self.null = np.array([2.0 * self.C * min(counts[i], counts[j]) for i, j in self.pairs])

    def values(self, answer):
        table = sp.csc_array(answer.coef)
        if table.shape != (len(self.data.y), len(self.pairs)):
            return np.full(len(self.pairs), np.inf)
        return np.array([self._value(table[:, [p]].toarray()[:, 0], *pair) for p, pair in enumerate(self.pairs)])

    def _value(self, b, i, j):
        signs = np.select([self.data.y == i, self.data.y == j], [1.0, -1.0], 0.0)
        alpha, room = signs * b, FEASIBLE * self.C
        legal = np.all(b[signs == 0.0] == 0.0) and alpha.min() >= -room and alpha.max() <= self.C + room
        if not legal or abs(b.sum()) > room * max(1.0, np.count_nonzero(b)):
            return np.inf
        return 0.5 * quadratic(self.data.X, b, self.gamma) - float(alpha.sum())

    def reference(self):
        """The feasible point 0: nothing is exact that no contestant had a hand in."""
        return Answer(sp.csc_array((len(self.data.y), len(self.pairs))))


class NumbersJudge(Judge):
    """``½ b'Kb - y'b + ε |b|``, in units of the objective of the median."""

    def __init__(self, data):
        self.data = data
        self.C, self.gamma, self.epsilon = (data.settings[name] for name in ("C", "gamma", "epsilon"))
        away = np.abs(data.y - np.median(data.y))
        self.null = np.array([self.C * float(np.maximum(away - self.epsilon, 0.0).sum())])

    def values(self, answer):
        b = sp.csc_array(answer.coef).toarray()[:, 0]
        room = FEASIBLE * self.C
        if b.shape != self.data.y.shape or np.abs(b).max() > self.C + room or abs(b.sum()) > room * len(b):
            return np.array([np.inf])
        linear = float(self.data.y @ b) - self.epsilon * float(np.abs(b).sum())
        return np.array([0.5 * quadratic(self.data.X, b, self.gamma) - linear])

    def reference(self):
        return Answer(sp.csc_array((len(self.data.y), 1)))


def generate_classes(classes):
    def generate(rows, columns, rng):
        from sklearn.datasets import make_classification

        X, y = make_classification(
            rows,
            columns,
            n_informative=columns // 2,
            n_redundant=columns // 5,
            n_classes=classes,
            n_clusters_per_class=1 if classes > 2 else 2,
            flip_y=0.02,
            random_state=int(rng.integers(1 << 31)),
        )
        X = (X - X.mean(axis=0)) / X.std(axis=0)
        return Data(X, y, {"C": 1.0, "gamma": 1.0 / columns, "classes": classes})

    return generate


def generate_numbers(rows, columns, rng):
    X = rng.standard_normal((rows, columns))
    y = np.sin(X[:, 0]) + X[:, 1] * X[:, 2] + 0.3 * rng.standard_normal(rows)
    return Data(X, y, {"C": 1.0, "gamma": 1.0 / columns, "epsilon": 0.1, "classes": 0})


def generate_queries(rows, columns, rng):
    """A machine learns from a tenth of the rows, and predicts all of them."""
    data = generate_classes(2)(rows, columns, rng)
    data.queries, data.X, data.y = data.X, data.X[: rows // 10], data.y[: rows // 10]
    return data


class ScoresJudge(Judge):
    """How far scores are from those of scikit-learn's machine, at the first queries, in units of the margin."""

    null = np.ones(1)

    def __init__(self, data):
        from sklearn.svm import SVC

        exact = SVC(C=data.settings["C"], gamma=data.settings["gamma"], tol=1e-6).fit(data.X, data.y)
        self.scores = exact.decision_function(data.queries[:SAMPLE])

    def values(self, answer):
        found = answer.coef.toarray()[:, 0]
        return np.array([np.abs(found - self.scores).max() if found.shape == self.scores.shape else np.inf])

    def reference(self):
        return Answer(self.scores[:, None])


SAMPLE = 1_000
PROBLEMS = [
    Problem("svc", "10000x50", 10_000, 50, TARGET, generate_classes(2), ClassesJudge),
    Problem("svc", "20000x100", 20_000, 100, TARGET, generate_classes(2), ClassesJudge),
    Problem("svc", "ten", 10_000, 64, TARGET, generate_classes(10), ClassesJudge),
    Problem("svr", "10000x20", 10_000, 20, TARGET, generate_numbers, NumbersJudge),
    Problem("svc_predict", "100000x50", 100_000, 50, 2e-2, generate_queries, ScoresJudge),
]
