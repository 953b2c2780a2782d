"""The ten nearest of 100,000 rows for each of 10,000 queries, by Euclidean distance: fit and search.

Answers are indices. The judge computes the distances to those rows itself, for the first 200 queries, and measures by
how much any of them exceeds the exact one of the same rank. So ties may fall either way, and a search in single
precision counts as long as what it takes for nearer is not farther by a millionth.
"""

import numpy as np

from benchmarks.contestant import Answer
from benchmarks.problems.base import Data, Judge, Problem
from benchmarks.problems.designs import autoregressive

NEIGHBOURS = 10
SAMPLE = 200  # queries, the first ones
RHO = 0.3
CLUSTERS = 50
SPREAD = 3.0  # of the centres, in standard deviations of a cluster
TARGET = 1e-6
TINY = 1e-300  # in place of the distance 0 of a query that is a row: no excess is none, and any other is infinite


def distances(X, query):
    """From one query to rows, by differences: nothing cancels."""
    return np.sqrt(np.sum((X - query) ** 2, axis=1))


class NeighboursJudge(Judge):
    null = np.ones(1)

    def __init__(self, data):
        self.X, self.k = data.X, data.settings["neighbours"]
        self.queries = data.queries[: data.settings["sample"]]
        self.nearest, self.exact = [], []
        for query in self.queries:
            found = distances(self.X, query)
            nearest = np.argsort(found, kind="stable")[: self.k]
            self.nearest.append(nearest)
            self.exact.append(found[nearest])

    def values(self, answer):
        indices = answer.coef.toarray()
        if indices.shape != (len(self.queries), self.k) or not np.isin(indices, np.arange(len(self.X))).all():
            return np.array([np.inf])
        worst = 0.0
        for query, exact, chosen in zip(self.queries, self.exact, indices.astype(np.int64)):
            if len(set(chosen)) < self.k:
                return np.array([np.inf])
            excess = np.sort(distances(self.X[chosen], query)) - exact
            worst = max(worst, np.max(excess / np.maximum(exact, TINY)))
        return np.array([worst])

    def reference(self):
        return Answer(np.array(self.nearest))


def generate_iid(rows, columns, rng):
    X = autoregressive(rows + rows // 10, columns, rng, order="C", rho=RHO)
    return _split(X, rows)


def generate_clustered(rows, columns, rng):
    X = autoregressive(rows + rows // 10, columns, rng, order="C", rho=RHO)
    X += SPREAD * rng.standard_normal((CLUSTERS, columns))[rng.integers(CLUSTERS, size=len(X))]
    return _split(X, rows)


def _split(X, rows):
    """Queries from the same distribution, a tenth as many; a label for classifiers, which need one to be fitted."""
    settings = {"neighbours": NEIGHBOURS, "sample": SAMPLE}
    return Data(X[:rows].copy(), (X[:rows, 0] > 0.0).astype(np.int64), settings, queries=X[rows:].copy())


PROBLEMS = [
    Problem("knn", "iid20", 100_000, 20, TARGET, generate_iid, NeighboursJudge),
    Problem("knn", "clustered", 100_000, 20, TARGET, generate_clustered, NeighboursJudge),
]
