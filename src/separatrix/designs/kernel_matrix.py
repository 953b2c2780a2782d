r"""The matrix of a kernel on n rows: held whole, in one square array that its factor shares, or made anew by tiles.

Both have the verbs ``matvec`` (K A) and ``diagonal``. Of the array that is held, the half below the diagonal keeps K;
the half above is taken by the triangular factor of K + D, as LAPACK leaves the other half alone.
"""

from typing import Any

import numpy as np
from scipy.linalg.blas import dsymm
from scipy.linalg.lapack import dpotrf, dpotrs

from separatrix.core.memory import refuse_kernel_matrix
from separatrix.core.refusal import cannot
from separatrix.core.threads import parallel_map
from separatrix.core.types import Array
from separatrix.designs.gram import checked_gram
from separatrix.designs.kernels import Kernel
from separatrix.designs.sparse import as_dense

TILE = 256  # rows and columns of a tile: its numbers stay in cache
NUMBERS = 1 << 20  # of a block of kernel rows that is not kept


def refuse_if_not_finite(K: Array) -> None:
    """Refuse kernel values that overflow, or are no numbers."""
    if not np.isfinite(K.sum()):
        raise cannot(
            "use the kernel on these rows",
            because="it gives NaN or infinity",
            instead="columns of moderate size (StandardScaler), or a whole degree",
        )


def kernel_rows(X: Any) -> Any:
    """Rows as kernels take them: float64, dense in the order of C, or sparse by rows."""
    if isinstance(X, np.ndarray):
        return np.ascontiguousarray(X, dtype=np.float64)
    return X.tocsr().astype(np.float64)


def kernel_product(kernel: Kernel, Q: Any, Z: Any, A: Array) -> Array:
    """``Σ_j k(q_i, z_j) A_j`` for every row of Q, by blocks of rows on threads: no kernel value is kept."""
    if not Q.shape[0]:
        return np.zeros((0, *A.shape[1:]))
    height = max(1, NUMBERS // max(Z.shape[0], 1))
    starts = range(0, Q.shape[0], height)
    return np.concatenate(parallel_map(lambda i: kernel.block(Q[i : i + height], Z) @ A, starts))


def kernel_sum(kernel: Kernel, Q: Any, X: Any, A: Array) -> Array:
    """``Σ_i A_i k(x_i, q)`` for every row q of Q, over the rows of X whose A_i is not 0; rows in any storage."""
    live = np.flatnonzero(A.reshape(X.shape[0], -1).any(axis=1))
    return kernel_product(kernel, kernel_rows(Q), kernel_rows(X)[live], A[live])


class KernelTiles:
    """K of n rows, made anew by blocks of rows whenever it is multiplied by."""

    def __init__(self, kernel: Kernel, rows: Any) -> None:
        self.kernel, self.rows = kernel, kernel_rows(rows)
        self.n, self.is_mercer = int(self.rows.shape[0]), kernel.is_mercer
        self.diagonal = np.asarray(kernel.diagonal(self.rows), dtype=np.float64)

    def matvec(self, A: Array) -> Array:
        """``K A`` for A (n,) or (n, k)."""
        return kernel_product(self.kernel, self.rows, self.rows, A)


class KernelMatrix:
    """K of n rows, held whole.

    Parameters
    ----------
    square : (n, n) array, C order.  K, which this object takes over and overwrites above the diagonal.
    is_mercer : bool.  Whether K is known to be positive semidefinite, rounding aside.
    """

    def __init__(self, square: Array, is_mercer: bool = False) -> None:
        self._square, self.n, self.is_mercer = square, len(square), is_mercer
        self.diagonal = square.diagonal().copy()
        self._above = True  # whether K still stands above the diagonal, too
        refuse_if_not_finite(square)

    @classmethod
    def of(cls, kernel: Kernel, X: Any, to: str = "hold the kernel") -> "KernelMatrix":
        """K of all rows of X; refused, before anything is allocated, where it does not fit into memory."""
        rows = kernel_rows(X)
        n = int(rows.shape[0])
        refuse_kernel_matrix(n, to)
        square = np.empty((n, n))

        def fill(start: int) -> None:
            below = slice(start, start + TILE)
            for left in range(0, start + 1, TILE):
                across = slice(left, left + TILE)
                tile = kernel.block(rows[below], rows[across])
                square[below, across] = tile
                square[across, below] = tile.T

        with np.errstate(over="ignore", invalid="ignore"):  # looked at when the matrix is whole
            parallel_map(fill, range(0, n, TILE))
        return cls(square, kernel.is_mercer)

    @classmethod
    def given(cls, K: Any, to: str = "hold the kernel") -> "KernelMatrix":
        """K that was handed in (``kernel="precomputed"``), copied; square and symmetric, or refused."""
        refuse_kernel_matrix(int(K.shape[0]), to)
        return cls(np.array(checked_gram(as_dense(K)), order="C"))

    def matvec(self, A: Array) -> Array:
        """``K A`` for A (n,) or (n, k), from the half below the diagonal."""
        B = np.asfortranarray(A.reshape(self.n, -1), dtype=np.float64)
        product = np.asarray(dsymm(1.0, self._square.T, B, lower=0))
        product += (self.diagonal - self._square.diagonal())[:, None] * B  # a factor stands on the diagonal
        return product.reshape(A.shape)

    def cholesky(self, shift: Array) -> bool:
        """Factor ``K + diag(shift)`` in place; False where it is not positive definite."""
        if not self.n:
            return True
        if not self._above:
            self._mirror()
        self._above = False
        self._square.flat[:: self.n + 1] = self.diagonal + shift
        _, info = dpotrf(self._square.T, lower=1, clean=0, overwrite_a=1)
        return info == 0

    def solve(self, B: Array) -> Array:
        """``(K + diag(shift))^{-1} B`` for B (n, k), by the last factor."""
        return np.asarray(dpotrs(self._square.T, np.asfortranarray(B), lower=1)[0])

    def dense(self) -> Array:
        """K, whole; what was factored is lost."""
        self._mirror()
        self._square.flat[:: self.n + 1] = self.diagonal
        return self._square

    def _mirror(self) -> None:
        """Write K above the diagonal again."""
        for start in range(0, self.n, TILE):
            below = slice(start, start + TILE)
            corner = self._square[below, below]
            rows, columns = np.triu_indices(len(corner), 1)
            corner[rows, columns] = corner[columns, rows]
            self._square[below, start + TILE :] = self._square[start + TILE :, below].T
        self._above = True


class KernelColumns:
    """Columns of K of n rows, made when they are asked for and kept while there is room."""

    def __init__(self, kernel: Kernel, X: Any, numbers: int = 1 << 26) -> None:
        self._kernel, self._rows, self._kept = kernel, kernel_rows(X), dict[int, Array]()
        self._most = numbers // max(int(self._rows.shape[0]), 1)

    def column(self, i: int) -> Array:
        """``k(x_j, x_i)`` for every row j: (n,)."""
        if i not in self._kept:
            if len(self._kept) > self._most:
                self._kept.clear()
            with np.errstate(over="ignore", invalid="ignore"):  # looked at below
                values = self._kernel.block(self._rows, self._rows[[i]])[:, 0]
            refuse_if_not_finite(values)
            self._kept[i] = values
        return self._kept[i]


class GivenColumns:
    """Columns of a kernel matrix that was handed in."""

    def __init__(self, K: Any) -> None:
        self._K = checked_gram(as_dense(K))

    def column(self, i: int) -> Array:
        """``k(x_j, x_i)`` for every row j: (n,)."""
        return np.asarray(self._K[:, i])
