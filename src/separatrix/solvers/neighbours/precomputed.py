"""Nearest rows by distances that are given: queries are rows of distances to the training rows.

Given    distances Q (m, n), dense, or sparse where only those of the nearest are kept (a graph of neighbours); k or a
         radius.
Returns  distances and positions, as :class:`~separatrix.solvers.neighbours.nearest.Index` does.
Cost     a sort of each row.
"""

from typing import Any

import numpy as np

from separatrix.core.errors import cannot
from separatrix.core.registry import register
from separatrix.core.types import Array, Matrix
from separatrix.designs import compressed
from separatrix.designs.pairs import by_rows, stores_zeros
from separatrix.solvers.neighbours.nearest import ranked


@register("record")
class Precomputed:
    """Training rows that are known by their distances.

    >>> index = Precomputed(np.array([[0.0, 2.0], [2.0, 0.0]]))
    >>> index.nearest(np.array([[3.0, 1.0]]), 1)
    (array([[1.]]), array([[1]]))
    """

    def __init__(self, X: Matrix) -> None:
        self.X = X
        self.n = X.shape[1]
        if X.shape[0] != self.n:
            raise cannot(
                f"fit to distances of shape {X.shape}",
                because="metric='precomputed' takes the distances of every training row to every other",
                instead="a square X",
            )
        self._pairs(X)

    def recipe(self) -> dict[str, Any]:
        """What an equal index is made of: arguments of the constructor."""
        return {"X": self.X}

    def nearest(self, Q: Matrix, k: int) -> tuple[Array, Array]:
        """Distances (m, k) and positions (m, k) of the k nearest rows of each query."""
        i, j, distance = self._pairs(Q)
        counts = np.bincount(i, minlength=Q.shape[0])
        if counts.min(initial=k) < k:
            raise cannot(
                f"find n_neighbors={k} neighbours",
                because=f"row {int(counts.argmin())} of the sparse distances has {int(counts.min())} neighbors",
                instead="a graph with more neighbours in each row",
            )
        return ranked(i, distance, j, Q.shape[0], k)

    def within(self, Q: Matrix, radius: float) -> tuple[Array, Array, Array]:
        """All rows within a radius of each query: how many (m,), and distances and positions of all, flat."""
        i, j, distance = self._pairs(Q)
        inside = distance <= radius
        return np.bincount(i[inside], minlength=Q.shape[0]), distance[inside], j[inside]

    def _pairs(self, Q: Matrix) -> tuple[Array, Array, Array]:
        """Query, training row and distance of each distance that is stored."""
        if stores_zeros(Q):
            distance = np.asarray(Q, dtype=np.float64).ravel()
            i, j = np.repeat(np.arange(len(Q)), Q.shape[1]), np.tile(np.arange(Q.shape[1]), len(Q))
        else:
            data, j, begins = compressed(by_rows(Q))
            i, distance = np.repeat(np.arange(Q.shape[0]), np.diff(begins)), np.asarray(data, dtype=np.float64)
        if distance.min(initial=0.0) < 0.0:
            raise cannot(
                f"use the distance {distance.min():g}",
                because="Negative values in data passed as precomputed distances are none",
                instead="distances >= 0",
            )
        return i, np.asarray(j, dtype=np.intp), distance
