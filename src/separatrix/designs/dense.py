"""A design in a numpy array, float32 or float64, C or Fortran order; never copied as a whole."""

import operator
from collections.abc import Callable
from functools import reduce as fold
from typing import Any

import numpy as np
from sklearn.utils import assert_all_finite

from separatrix.core.registry import register
from separatrix.core.target import AnyTarget
from separatrix.core.threads import parallel_map
from separatrix.core.types import Array
from separatrix.designs.base import BLOCK_NUMBERS
from separatrix.designs.in_memory import InMemoryDesign
from separatrix.designs.rows import DenseRows

LONG = 4096  # numbers in a column, of which BLAS takes the square twice as fast as einsum does


@register("design")
class DenseDesign(InMemoryDesign):
    """X as a numpy array.

    >>> import numpy as np
    >>> DenseDesign(np.eye(3)).matvec(np.array([1.0, 2.0, 3.0]))
    array([1., 2., 3.])
    """

    def __init__(self, X: Array) -> None:
        self.X = X
        self.n, self.p = X.shape

    @property
    def dtype(self) -> np.dtype[Any]:
        return self.X.dtype

    @property
    def whole_is_faster(self) -> bool:  # type: ignore[override]
        """Long columns side by side: blocks of rows would cut each of them into pieces."""
        return self.X.flags.f_contiguous and self.X.dtype == np.float64 and self.p >= 128

    @property
    def stored_by_rows(self) -> bool:  # type: ignore[override]
        return self.X.flags.c_contiguous

    def block(self, rows: Any) -> Array:
        return np.asarray(self.X[rows], dtype=np.float64)  # a view for float64, a small copy for float32

    def rows_into(self, rows: Array, out: Array) -> Array:
        if self.X.dtype == np.float64:
            return np.take(self.X, rows, axis=0, out=out, mode="clip")  # "raise" would go by way of a copy
        return super().rows_into(rows, out)

    def matvec(self, beta: Array) -> Array:
        if self.X.flags.f_contiguous and np.ndim(beta) == 1 and 4 * np.count_nonzero(beta) < self.p:
            support = np.flatnonzero(beta)
            return self.columns(support) @ beta[support]  # the other columns need not be read
        if self.X.dtype == np.float64:
            return self.X @ beta
        return np.concatenate([self.block(rows) @ beta for rows in self.blocks()])

    def rmatvec(self, r: Array) -> Array:
        if self.X.dtype == np.float64:
            with np.errstate(over="ignore", invalid="ignore"):
                return self.X.T @ r
        return self.reduce(lambda block, piece: block.X.T @ piece, operator.add, None, r)

    def column_squares(self, target: AnyTarget | None = None) -> Array:
        if not self.X.flags.f_contiguous:
            return super().column_squares(target)
        s = None if target is None else target.s
        return np.concatenate(self._over_columns(lambda Z: _row_squares(Z, s)))

    def products_and_squares(self, r: Array, target: AnyTarget) -> tuple[Array, Array]:
        if not self.X.flags.f_contiguous:
            return super().products_and_squares(r, target)
        products, squares = zip(*self._over_columns(lambda Z: (Z @ r, _row_squares(Z, target.s))))
        return np.concatenate(products), np.concatenate(squares)

    def _over_columns(self, task: Callable[[Array], Any]) -> list[Any]:
        """``task(columns, one in each row)`` for tiles of whole columns that stay in cache; X is in Fortran order."""
        width = max(1, BLOCK_NUMBERS // max(self.n, 1))

        def of_tile(first: int) -> Any:
            with np.errstate(over="ignore", invalid="ignore"):
                return task(np.asarray(self.X.T[first : first + width], dtype=np.float64))

        return parallel_map(of_tile, range(0, self.p, width))

    def columns(self, J: Any) -> Array:
        if self.X.flags.f_contiguous:  # whole columns at a time
            return np.asarray(self.X.T[J], dtype=np.float64).T
        return np.array(self.X[:, J], dtype=np.float64, order="F")

    def outer_gram(self) -> Array:
        if self.X.dtype == np.float64:
            with np.errstate(over="ignore", invalid="ignore"):
                return self.X @ self.X.T
        width = max(1, BLOCK_NUMBERS // self.n)
        pieces = (np.asarray(self.X[:, j : j + width], dtype=np.float64) for j in range(0, self.p, width))
        return fold(operator.add, (piece @ piece.T for piece in pieces))

    def take(self, rows: Any) -> "DenseDesign":
        return DenseDesign(self.X[rows])

    def scaled(self, factors: Array) -> "DenseDesign":
        return DenseDesign(self.X * factors)

    def refuse_nan(self) -> None:
        assert_all_finite(self.X, input_name="X")

    def rows_atom(self) -> DenseRows:
        """Rows for compiled loops; a matrix in Fortran order is copied, for walking its rows would miss every cache."""
        return DenseRows(np.ascontiguousarray(self.X))


def _row_squares(Z: Array, s: Array | None) -> Array:
    if s is None and Z.shape[1] >= LONG:
        return np.array([z @ z for z in Z])
    return np.einsum("ji,ji->j", Z, Z if s is None else Z * s)
