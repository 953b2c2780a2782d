"""X less a mean in each column, asked for products: tile by tile where X is dense, by a correction where sparse."""

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from separatrix.core.errors import cannot
from separatrix.core.threads import parallel_map
from separatrix.core.types import Array
from separatrix.designs.base import BLOCK_NUMBERS, Block, Design
from separatrix.designs.factor import merged_triangles, triangle_of
from separatrix.designs.in_memory import merged
from separatrix.designs.moments import FAR_FROM_ZERO
from separatrix.designs.sparse import as_dense


class Centred:
    """``X_c = X - 1 m'``, never made as a whole.

    A dense X is centred in tiles that fit in cache, of rows or of columns, whichever are more; no digit is lost to
    means far from zero. Products of a sparse X, or of one that is not `tiled`, are corrected by those of m.

    >>> import numpy as np
    >>> from separatrix.designs.dense import DenseDesign
    >>> Centred(DenseDesign(np.array([[1.0], [3.0]])), np.array([2.0])).times(np.ones((1, 1))).ravel()
    array([-1.,  1.])
    """

    def __init__(self, design: Design, mean: Array, tiled: bool | None = None) -> None:
        self.design: Any = design  # asked for more than every Design does only where it is in memory
        self.mean = mean
        self.n, self.p = design.n, design.p
        self.dense = design.gram_is_cheap if tiled is None else tiled
        self._tall = self.n >= self.p

    def times(self, W: Array) -> Array:
        """``X_c W`` (n, k)."""
        if not self.dense:
            return self.design.matvec(W) - self.mean @ W
        if self._tall:
            return np.concatenate(parallel_map(lambda rows: self._rows(rows) @ W, _slices(self.n, self.p)))
        return merged(lambda J: self._columns(J) @ W[J], operator.iadd, _slices(self.p, self.n))

    def transposed_times(self, Z: Array) -> Array:
        """``X_c' Z`` (p, k)."""
        if not self.dense:
            return self.design.rmatvec(Z) - np.multiply.outer(self.mean, Z.sum(axis=0))
        if self._tall:
            return merged(lambda rows: self._rows(rows).T @ Z[rows], operator.iadd, _slices(self.n, self.p))
        return np.concatenate(parallel_map(lambda J: self._columns(J).T @ Z, _slices(self.p, self.n)))

    def sums(self) -> Array:
        """Sums of the columns (p,), 0 but for the rounding of the means."""
        if not self.dense:
            return self.transposed_times(np.ones((self.n, 1)))[:, 0]
        return self.design.reduce(lambda block: (block.X - self.mean).sum(axis=0), np.add)

    def scatter_times(self, V: Array) -> Array:
        """``X_c'X_c V`` (p, k): one pass over a stream."""
        if "vectors" in self.design.offers:
            return self.transposed_times(self.times(V))

        def task(block: Block) -> Array:
            Z = block.X - self.mean
            return Z.T @ (Z @ V)

        return self.design.reduce(task, np.add)

    def outer_gram(self) -> Array:
        """``X_c X_c'`` (n, n), for few rows."""
        if not self.dense:
            at_mean, square = self.design.matvec(self.mean), self.mean @ self.mean
            total = self.design.outer_gram() - (at_mean[:, None] + at_mean) + square
            if self.n * square <= FAR_FROM_ZERO**2 * np.trace(total):
                return total  # else the correction takes away most of the digits, and tiles are made dense
        total = np.zeros((self.n, self.n))
        for J in _slices(self.p, self.n, least=self.n):  # BLAS is the parallel layer: one sum is held, not one a thread
            tile = self._columns(J)
            with np.errstate(over="ignore", invalid="ignore"):
                total += tile @ tile.T
        return total

    def squares(self) -> float:
        """``Σ_ij (x_ij - m_j)²``."""
        if not self.dense:
            crossed = self.mean * (self.n * self.mean - 2.0 * self.design.column_sums())
            return max(float((self.design.column_squares() + crossed).sum()), 0.0)
        tiles, tile = (_slices(self.n, self.p), self._rows) if self._tall else (_slices(self.p, self.n), self._columns)
        return float(merged(lambda part: np.square(tile(part)).sum(), operator.add, tiles))

    def triangle(self) -> Array:
        """The triangular factor R of ``X_c = Q R``, by tiles of rows that are made dense one at a time."""
        if "rows" not in self.design.offers:
            return self.design.reduce(lambda block: triangle_of(block.X - self.mean), merged_triangles)
        tiles = _slices(self.n, self.p, least=4 * self.p)
        return merged(lambda rows: triangle_of(self._rows(rows)), merged_triangles, tiles)

    def array(self) -> Array:
        """X_c as a numpy array: the one copy of a dense X, for a factorisation of all its columns at once."""
        if not self.dense:
            raise cannot(
                f"factor a sparse X of shape ({self.n}, {self.p})",
                because="it has fewer rows than columns and would have to be made dense",
                instead="svd_solver='auto', 'arpack' or 'randomized', or a dense X",
                kind=TypeError,
            )
        return self._rows(slice(None))

    def over_rows(self, task: Callable[[Array], Array]) -> Array:
        """``task(X_c[rows])`` for tiles of rows that are made dense one at a time, side by side."""
        return np.concatenate(parallel_map(lambda rows: task(self._rows(rows)), _slices(self.n, self.p)))

    def _rows(self, rows: slice) -> Array:
        return as_dense(self.design.block(rows)) - self.mean

    def _columns(self, J: slice) -> Array:
        return self.design.columns(J) - self.mean[J]  # of a slice the columns may be a view: never in place


def _slices(length: int, across: int, least: int = 1) -> list[slice]:
    """Slices of an axis for tiles of about as many numbers as a block has; `least` long, where there are so many."""
    step = max(least, BLOCK_NUMBERS // max(across, 1), 1)
    return [slice(i, min(i + step, length)) for i in range(0, length, step)]
