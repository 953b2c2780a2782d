"""The nearest rows of a training set, exactly, and all rows within a radius.

Given    training rows X (n, p), dense or sparse; queries Q (m, p); a metric; k or a radius.
Returns  distances and positions, nearest first; of rows at equal distance the one that comes first in X.
From     three ways to the same answer: a k-d tree (Bentley 1975, CACM 18(9)) where the dimension is low, a float32
         screen (screen.py) for large dense Euclidean searches, all distances by blocks else.
Cost     tree: about 3^p log n for each query; the others m n p. Memory: a tile of distances a thread, never m n.

Each way only has to find candidates that contain the answer. Their distances are then computed by one function, in
float64 and from differences, and ranked: which way was taken does not show in any digit.
"""

from functools import partial
from typing import Any

import numpy as np
from scipy.spatial import cKDTree

from separatrix.core.cached import cached_property
from separatrix.core.errors import cannot
from separatrix.core.registry import register
from separatrix.core.threads import n_threads, parallel_map
from separatrix.core.types import Array, Matrix
from separatrix.designs.pairs import by_rows, stored_like, stores_zeros
from separatrix.solvers.neighbours.metrics import Metric
from separatrix.solvers.neighbours.screen import Screen

EPS = np.finfo(np.float64).eps
QUERIES = 512  # of a task; with the rows of a tile they fill the second-level cache
TILE = 1 << 18  # distances of a block
# Multiplications below which float64 is done before a compiler is loaded.
SCREEN_FROM = 1 << 28
FEW = 32  # queries


def tree_pays(n: int, p: int, screened: bool) -> bool:
    """Whether a k-d tree answers faster than looking at every row.

    A query visits about as many leaves as a cube has neighbours, 3^p. The screen handles a row in a fraction of the
    time that a tree needs for one, so that a tree has to leave out more of them.
    """
    return n > 3.0 ** min(p, 60) * (256.0 if screened else 32.0)


@register("record")
class Index:
    """Training rows that are searched by a metric.

    Parameters
    ----------
    X : (n, p) array or sparse array, finite.
    metric : Metric.
    algorithm : {"auto", "brute", "kd_tree"}.  How to search; the answers are the same.
    leaf_size : int.  Rows of a leaf of the tree.

    >>> from separatrix.solvers.neighbours.metrics import metric_of
    >>> index = Index(np.array([[0.0], [1.0], [-1.0], [5.0]]), metric_of())
    >>> index.nearest(np.array([[0.0]]), 3)
    (array([[0., 1., 1.]]), array([[0, 1, 2]]))
    """

    def __init__(self, X: Matrix, metric: Metric, algorithm: str = "auto", leaf_size: int = 30) -> None:
        self.metric, self.asked = metric, (X, algorithm, leaf_size)
        self.X = by_rows(metric.enter(X, 0))
        self.n, self.p = self.X.shape
        self.sparse = not stores_zeros(self.X)
        self.euclidean = metric.power == 2.0
        self.rounding = (4.0 * self.p + 64.0) * EPS  # of a distance that someone else computes
        can = metric.power is not None and metric.power >= 1.0
        if algorithm == "kd_tree" and not can:
            raise cannot(
                f"search by metric={metric.name!r} in a k-d tree",
                because="it is no norm of a difference",
                instead="algorithm='brute' or 'auto'",
            )
        asked = algorithm == "kd_tree" or (algorithm == "auto" and tree_pays(self.n, self.p, self.euclidean))
        self.tree: Any = cKDTree(self.X, leafsize=leaf_size) if can and asked and not self.sparse else None

    def recipe(self) -> dict[str, Any]:
        """What an equal index is made of: arguments of the constructor."""
        X, algorithm, leaf_size = self.asked
        return {"X": X, "metric": self.metric, "algorithm": algorithm, "leaf_size": leaf_size}

    @cached_property
    def screenable(self) -> bool:
        """Whether a float32 screen could serve this metric and these rows."""
        return self.euclidean and not self.sparse and Screen.fits(self.X)

    @cached_property
    def screen(self) -> Screen:
        """Made by the first search that is large enough."""
        return Screen(self.X)

    def nearest(self, Q: Matrix, k: int) -> tuple[Array, Array]:
        """Distances (m, k) and positions (m, k) of the k nearest rows of each query."""
        Q = self._enter(Q)
        m = Q.shape[0]
        way = self._tree if self.tree else self._blocks
        # a screen is made of all rows, which some queries must pay for, and keeps k in a heap; short rows cost a little
        large = m >= FEW and m * self.n * (self.p + 8) >= SCREEN_FROM and 8 * k <= self.n
        if not self.tree and large and self.screenable:
            way = partial(self._screened, self.screen)  # made here, before threads share it
        parts_of_queries = parallel_map(lambda rows: way(Q[rows], k), _tasks(m))
        reduced, index = (np.concatenate(parts) for parts in zip(*parts_of_queries))
        return self.metric.published(reduced), index

    def within(self, Q: Matrix, radius: float) -> tuple[Array, Array, Array]:
        """All rows within a radius of each query: how many (m,), and distances and positions of all, flat.

        The rows of a query come in the order of X. A row at exactly the radius is within.
        """
        Q = self._enter(Q)
        way = self._ball if self.tree else self._ball_blocks

        def task(rows: slice) -> tuple[Array, Array, Array]:
            i, j, reduced = way(Q[rows], radius)
            distance = self.metric.published(reduced)
            inside = distance <= radius
            return np.bincount(i[inside], minlength=Q[rows].shape[0]), distance[inside], j[inside]

        counts, distances, index = zip(*parallel_map(task, _tasks(Q.shape[0])))
        return np.concatenate(counts), np.concatenate(distances), np.concatenate(index)

    def _enter(self, Q: Matrix) -> Matrix:
        return stored_like(self.metric.enter(Q, 1), self.X)

    def _screened(self, screen: Screen, Q: Matrix, k: int) -> tuple[Array, Array]:
        i, j, lost = screen.candidates(Q, k)
        reduced, index = np.empty((len(Q), k)), np.empty((len(Q), k), dtype=np.intp)
        kept = np.setdiff1d(np.arange(len(Q)), lost)
        reduced[kept], index[kept] = self._ranked(Q, i, j, kept, k)
        if len(lost):
            reduced[lost], index[lost] = self._blocks(Q[lost], k)
        return reduced, index

    def _tree(self, Q: Matrix, k: int) -> tuple[Array, Array]:
        """The tree's nearest; where the next one is as near up to rounding, more of them are looked at."""
        reduced, index = np.empty((len(Q), k)), np.empty((len(Q), k), dtype=np.intp)
        left = np.arange(len(Q))
        for wanted in sorted({min(self.n, often * (k + 1)) for often in (1, 2, 4, 8)}):
            distance, near = self.tree.query(Q[left], np.arange(1, wanted + 1), p=self.metric.power)
            edge = distance[:, k - 1] * (1.0 + self.rounding) + 1e-150
            # a distance that overflows is none to the tree
            settled = np.isfinite(distance[:, -1]) & ((distance[:, -1] > edge) | (wanted == self.n))
            i, c = np.nonzero((distance <= edge[:, None]) & settled[:, None])
            done = left[settled]
            reduced[done], index[done] = self._ranked(Q, left[i], near[i, c], done, k)
            left = left[~settled]
            if not len(left):
                return reduced, index
        reduced[left], index[left] = self._blocks(Q[left], k)  # very many rows at one distance
        return reduced, index

    def _ranked(self, Q: Matrix, i: Array, j: Array, queries: Array, k: int) -> tuple[Array, Array]:
        """The k nearest of some queries, sorted, among the pairs (i, j)."""
        return ranked(np.searchsorted(queries, i), self.metric.exact(Q, self.X, i, j), j, len(queries), k)

    def _blocks(self, Q: Matrix, k: int) -> tuple[Array, Array]:
        """All distances, a block of training rows at a time; the k nearest so far are kept."""
        m = Q.shape[0]
        best, index = np.full((m, k), np.inf), np.full((m, k), self.n)
        for block in _slices(self.n, max(1, TILE // m)):
            X = self.X[block]
            low, high = self.metric.bounds(Q, X, self.sparse)
            bound = best[:, -1]
            if k <= X.shape[0] and not np.isfinite(bound).all():
                bound = np.minimum(bound, np.partition(high, k - 1, axis=1)[:, k - 1])
            i, j = np.nonzero(low <= bound[:, None])
            reduced = low[i, j] if self.metric.power is None else self.metric.exact(Q, X, i, j)
            i = np.concatenate([np.repeat(np.arange(m), k), i])
            reduced = np.concatenate([best.ravel(), reduced])
            best, index = ranked(i, reduced, np.concatenate([index.ravel(), j + block.start]), m, k)
        return best, index

    def _ball(self, Q: Matrix, radius: float) -> tuple[Array, Array, Array]:
        edge = self._edge(radius)
        edge = np.sqrt(edge) if self.euclidean else edge
        neighbours = self.tree.query_ball_point(Q, edge * (1.0 + self.rounding), p=self.metric.power)
        j = np.concatenate([np.sort(np.asarray(one, dtype=np.intp)) for one in neighbours])
        i = np.repeat(np.arange(len(Q)), [len(one) for one in neighbours])
        return i, j, self.metric.exact(Q, self.X, i, j)

    def _ball_blocks(self, Q: Matrix, radius: float) -> tuple[Array, Array, Array]:
        edge, pairs = self._edge(radius), []
        for block in _slices(self.n, max(1, TILE // Q.shape[0])):
            X = self.X[block]
            low, _ = self.metric.bounds(Q, X, self.sparse)
            i, j = np.nonzero(low <= edge)
            reduced = low[i, j] if self.metric.power is None else self.metric.exact(Q, X, i, j)
            pairs.append((i, j + block.start, reduced))
        i, j, reduced = (np.concatenate(parts) for parts in zip(*pairs))
        order = np.argsort(i, kind="stable")  # blocks came one after the other
        return i[order], j[order], reduced[order]

    def _edge(self, radius: float) -> float:
        return min(self.metric.reduced(radius), np.finfo(np.float64).max)


def ranked(i: Array, reduced: Array, j: Array, m: int, k: int) -> tuple[Array, Array]:
    """The k nearest of each of m queries, from pairs (i, j) in any order, at least k for each: (m, k) twice."""
    order = np.lexsort((j, reduced, i))
    starts = np.searchsorted(i[order], np.arange(m))
    first = order[starts[:, None] + np.arange(k)]
    return reduced[first], j[first]


def _tasks(m: int) -> list[slice]:
    """Slices of the queries: as many as there are threads at least, and short enough for the cache."""
    return _slices(m, min(QUERIES, max(16, -(-m // n_threads()))))


def _slices(n: int, height: int) -> list[slice]:
    return [slice(start, min(start + height, n)) for start in range(0, n, height)]
