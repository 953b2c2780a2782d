"""A design in a numpy array, float32 or float64, C or Fortran order; never copied as a whole."""

import operator
from collections.abc import Callable
from functools import reduce as fold
from typing import Any

import numpy as np
from sklearn.utils import assert_all_finite

from separatrix.core.jit import loops_pay, read_only
from separatrix.core.registry import register
from separatrix.core.threads import parallel_map
from separatrix.core.types import Array
from separatrix.designs.base import BLOCK_NUMBERS
from separatrix.designs.compiled.products import dense_products_and_squares, dense_there_and_back
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

    def _column_squares(self, s: Array | None) -> Array:
        if not self.X.flags.f_contiguous:
            return super()._column_squares(s)
        return np.concatenate(self._over_columns(lambda Z: _row_squares(Z, s)))

    def _products_and_squares(self, r: Array, s: Array | None) -> tuple[Array, Array]:
        if not self.X.flags.f_contiguous:
            return super()._products_and_squares(r, s)
        weights = np.empty(0) if s is None else s

        def of_tile(Z: Array) -> tuple[Array, Array]:
            if r.ndim > 1 or not loops_pay(self.X.size):
                return Z @ r, _row_squares(Z, s)
            products, squares = np.empty(len(Z)), np.empty(len(Z))
            dense_products_and_squares(Z, r, weights, products, squares)
            return products, squares

        products, squares = zip(*self._over_columns(of_tile))
        return np.concatenate(products), np.concatenate(squares)

    def there_and_back(self, v: Array, shift: float, s: Array, r: Array | None = None) -> tuple[Array, Array]:
        if not (self.X.flags.c_contiguous and self.X.dtype == np.float64 and loops_pay(self.X.size)):
            return super().there_and_back(v, shift, s, r)
        z, given = np.empty(self.n), np.empty(0) if r is None else r

        def of_part(part: tuple[int, int]) -> Array:
            products = np.zeros(self.p)
            dense_there_and_back(self.X, v, shift, s, given, *part, z, products)
            return products

        return z, fold(operator.iadd, parallel_map(of_part, self.parts()))

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
        return DenseRows(read_only(np.ascontiguousarray(self.X)))


def _row_squares(Z: Array, s: Array | None) -> Array:
    if s is None and Z.shape[1] >= LONG:
        return np.array([z @ z for z in Z])
    return np.einsum("ji,ji->j", Z, Z if s is None else Z * s)
