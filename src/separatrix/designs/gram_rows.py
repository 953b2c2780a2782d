r"""Rows of a kernel matrix :math:`K_{ij} = k(x_i, x_j)`, computed when they are asked for.

Values of a kernel of inner products are one matrix product of blocks of rows, in single or in double precision, and a
function of its entries. Products of K with coefficients use its symmetry: of two rows with coefficients one entry
serves both.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from separatrix.core.cached import cached_property
from separatrix.core.errors import cannot
from separatrix.core.memory import memory
from separatrix.core.protocol import row_count
from separatrix.core.types import Array
from separatrix.designs.kernels import Kernel, checked_values
from separatrix.designs.sparse import as_dense

STRIP = 1 << 20  # values of a kernel at a time: a function of whole rows is twice as fast as one of parts of them
TALL, WIDE = 256, 512  # rows and columns of a tile whose products with coefficients are taken while it is in cache
MOST_DENSE = 1 << 23  # numbers of sparse rows that are made dense at a time


class GramRows:
    """The kernel matrix of the rows of X.

    Attributes
    ----------
    n : int.
    kernel : Kernel.
    is_mercer : bool.  Whether the matrix is known to be positive semidefinite, rounding aside.
    """

    def __init__(self, kernel: Kernel, X: Any) -> None:
        self.kernel, self.X, self.n = kernel, X, X.shape[0]

    @property
    def is_mercer(self) -> bool:
        return self.kernel.is_mercer

    @cached_property
    def diagonal(self) -> Array:
        """``k(x_i, x_i)``, (n,)."""
        return np.asarray(self.kernel.diagonal(self.X), dtype=np.float64)

    @cached_property
    def entry_error(self) -> float:
        """What rounding may do to an entry, in units of the precision."""
        return self.kernel.entry_error(self.X)

    @cached_property
    def _points(self) -> Any:
        return self.kernel.points(self.X.astype(np.float64, copy=False))

    @cached_property
    def _single_points(self) -> Any:
        return self._points.astype(np.float32)

    def take(self, rows: Array) -> "GramRows":
        """The kernel matrix of some of the rows."""
        return GramRows(self.kernel, self.X[rows])  # points about the mean of these rows lose fewer digits

    def block(self, rows: Array, columns: Any = None, dtype: Any = np.float64, out: Array | None = None) -> Array:
        """``K[rows][:, columns]``, of all columns if None, in float32 or float64; into `out` where that is given."""
        if self._points is None:
            other = self.X if columns is None else self.X[columns]
            return _into(out, self.kernel.block(self.X[rows].astype(np.float64), other.astype(np.float64)), dtype)
        points = self._points if dtype == np.float64 else self._single_points
        right = points if columns is None else points[columns]
        if out is None:
            out = np.empty((len(rows), right.shape[0]), dtype=dtype)
        if not isinstance(points, np.ndarray):
            height = max(1, MOST_DENSE // points.shape[1])
            for start in range(0, len(rows), height):
                piece = rows[start : start + height]
                out[start : start + height] = (right @ self.kernel.left_factors(points[piece]).toarray().T).T
            self.kernel.curve(out)
            return out
        left = self.kernel.left_factors(points[rows])
        height = max(64, STRIP // max(right.shape[0], 1))
        for start in range(0, len(rows), height):
            strip = out[start : start + height]
            np.matmul(left[start : start + height], right.T, out=strip)
            self.kernel.curve(strip)
        return out

    def times(self, coefficients: Array) -> Array:
        """``K c`` for c (n,), in double precision; the time is that of the rows whose coefficient is not 0."""
        support = np.flatnonzero(coefficients)
        order = np.concatenate([support, np.flatnonzero(coefficients == 0.0)])
        if not isinstance(self._points, np.ndarray):
            return _symmetric_times(lambda rows, others: self.block(order[rows], order[others]), order, coefficients)
        points = self._points[order]
        left, store = self.kernel.left_factors(points[: len(support)]), np.empty(TALL * WIDE)

        def tile(rows: slice, others: slice) -> Array:
            a, b = left[rows], points[others]
            values = np.matmul(a, b.T, out=store[: len(a) * len(b)].reshape(len(a), len(b)))
            self.kernel.curve(values)
            return values

        return _symmetric_times(tile, order, coefficients)


class PrecomputedRows:
    """A kernel matrix that is given; of some of its rows and columns, where `chosen` says which.

    What is solved and certified is its symmetric part, from which an entry is half of `asymmetry` away at the most.
    """

    kernel = None
    is_mercer = False  # known by a factor of the matrix only

    def __init__(self, matrix: Any, chosen: Array | None = None, asymmetry: float = 0.0) -> None:
        self.matrix, self.asymmetry = matrix, asymmetry
        self.chosen = np.arange(matrix.shape[0]) if chosen is None else chosen
        self.n = len(self.chosen)

    @cached_property
    def diagonal(self) -> Array:
        """``K_ii``, (n,)."""
        return np.asarray(self.matrix.diagonal(), dtype=np.float64)[self.chosen]

    @cached_property
    def entry_error(self) -> float:
        """What rounding and asymmetry may do to an entry, in units of the precision."""
        return float(np.abs(self.diagonal).max(initial=0.0)) + 0.5 * self.asymmetry / float(np.finfo(np.float64).eps)

    def take(self, rows: Array) -> "PrecomputedRows":
        """The matrix of some of the rows."""
        return PrecomputedRows(self.matrix, self.chosen[rows], self.asymmetry)

    def block(self, rows: Array, columns: Any = None, dtype: Any = np.float64, out: Array | None = None) -> Array:
        """``K[rows][:, columns]``, of all columns if None, in float32 or float64; into `out` where that is given."""
        some = self.chosen if columns is None else self.chosen[columns]
        return _into(out, self.matrix[np.ix_(self.chosen[rows], some)], dtype)

    def times(self, coefficients: Array) -> Array:
        """``K c`` for c (n,), in double precision."""
        f, support = np.zeros(self.n), np.flatnonzero(coefficients)
        for start in range(0, len(support), TALL):
            rows = support[start : start + TALL]
            f += coefficients[rows] @ self.block(rows)
        return f


def _symmetric_times(tile: Callable[[slice, slice], Array], order: Array, coefficients: Array) -> Array:
    """``K c`` from tiles of the rows in some `order`, those with coefficients first, on and right of the diagonal."""
    c, n, most = coefficients[order], len(order), int(np.count_nonzero(coefficients))
    f = np.zeros(n)
    for start in range(0, most, TALL):
        rows = slice(start, min(start + TALL, most))
        f[rows] += tile(rows, rows) @ c[rows]
        for left in range(rows.stop, n, WIDE):
            others = slice(left, left + WIDE)
            values = tile(rows, others)
            f[others] += c[rows] @ values
            if left < most:
                f[rows] += values @ c[others]
    scores = np.empty(n)
    scores[order] = f
    return scores


def _into(out: Array | None, values: Array, dtype: Any) -> Array:
    if out is None:
        return np.asarray(values, dtype=dtype)
    out[...] = values
    return out


def kernel_matrix(function: Any, X: Any, Z: Any = None) -> Array:
    """All values (len X, len Z) of a function ``(X, Z) -> matrix`` that a user wrote, checked; Z is X where it is None.

    It is called once, as scikit-learn does, so that it may look at all rows.
    """
    Z = X if Z is None else Z
    shape = row_count(X), row_count(Z)
    refuse_too_large(*shape, what=f"use the kernel {function!r} on {shape[0]} and {shape[1]} rows")
    try:
        values = np.asarray(as_dense(function(X, Z)))
    except MemoryError as failure:
        raise _too_large(*shape, f"use the kernel {function!r}") from failure
    return checked_values(function, values, shape)


def refuse_too_large(n: int, m: int, *, what: str) -> None:
    """Refuse a matrix of n times m float64 that this machine has no room for, before it is made."""
    if 8.0 * n * m > memory():
        raise _too_large(n, m, what)


def _too_large(n: int, m: int, what: str) -> Exception:
    return cannot(
        what,
        because=f"their kernel matrix takes {8 * n * m:,} bytes, and this machine has {memory():,.0f}",
        instead="Nystroem (separatrix.kernel_approximation) before a linear machine, or fewer rows",
    )
