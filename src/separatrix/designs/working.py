"""The columns a solver works on, kept together for products with weights that may change from step to step."""

from typing import Any

import numpy as np
import scipy.sparse as sp

from separatrix.core.jit import read_only
from separatrix.core.threads import parallel_map
from separatrix.core.types import RowsAtom
from separatrix.designs.base import BLOCK_NUMBERS
from separatrix.designs.compiled.working import mirror, row_products
from separatrix.designs.in_memory import InMemoryDesign
from separatrix.designs.rows import DenseRows, SparseRows

# Writing a number of a sparse column into a dense one takes this many ns, sorting it into its row about as many.
MOVED = 3.0
# Sparse sums are made in this many pieces, whatever the number of threads, so that it does not show in them.
PIECES = 2


def working_columns(design: InMemoryDesign, share: np.ndarray, *, centre: bool) -> "WorkingColumns":
    """No columns of a design yet, in its own storage; rows weigh `share`, and dense columns may be centred under it."""
    empty = design.gather(np.empty(0, dtype=np.intp))
    return SparseColumns(design, share) if sp.issparse(empty) else DenseColumns(design, share, centre=centre)


class WorkingColumns:
    """Some columns Z of a design, growing; ``means`` were subtracted from them."""

    PAIR: float  # ns for a product in a Gram matrix, symmetry counted
    NUMBER: float  # ns for a stored number in a product with a vector
    SWEPT: float  # ns for a stored number, in a product with a vector or a sum of vectors, in coordinate descent
    # A read of X buys as much work on new columns: stored numbers of theirs, times those of a row, for each one of X.
    PRICE: float
    PRICE_ONCE: float  # the same where the Gram matrix of columns is made once and for all

    def __init__(self, design: InMemoryDesign, share: np.ndarray) -> None:
        self.design, self._counts = design, share > 0.0
        self.size = 0
        self.means = np.empty(0)
        self._largest = np.empty(0)
        self._stored = design.stored_by_column()

    @property
    def largest(self) -> np.ndarray:
        """Of each column, the size of its largest number in rows that count."""
        if len(self._largest) < self.size:
            self._largest = np.append(self._largest, self._largest_from(len(self._largest)))
        return self._largest

    def _largest_from(self, first: int) -> np.ndarray:
        """The same of the columns from `first` on."""
        raise NotImplementedError

    @property
    def numbers(self) -> int:
        """How many numbers the columns store."""
        raise NotImplementedError

    @property
    def Z(self) -> Any:
        raise NotImplementedError

    def add(self, J: np.ndarray) -> None:
        """Take in the columns J."""
        raise NotImplementedError

    def products(self, w: np.ndarray | float, first: int = 0) -> np.ndarray:
        """``Z' diag(w) Z_new``, where Z_new are the columns from `first` on; w is not negative."""
        raise NotImplementedError

    def keep(self, places: np.ndarray) -> None:
        """Leave out all columns but those at these places."""
        self.size, self.means, self._largest = len(places), self.means[places], self.largest[places]

    def one_by_one(self) -> RowsAtom:
        """The columns for compiled loops: rows of an atom."""
        raise NotImplementedError

    def affordable(self, J: np.ndarray, least: int, once: bool) -> int:
        """How many of the columns J, best first, are worth taking in between two reads of X; `least` at least.

        New columns that store N numbers cost N (N + old) / n in a Gram matrix, made `once` or again at each step.
        """
        old, n = self.numbers, self.design.n
        price = self.PRICE_ONCE if once else self.PRICE
        limit = 0.5 * (np.sqrt(old * old + 4.0 * price * n * float(self.design.stored)) - old)
        return max(least, int(np.searchsorted(np.cumsum(self._stored[J]), limit)))

    def matrices_per_step(self) -> float:
        """What a Gram matrix costs, in steps that make do without a new one: 80 ns a row are for the loss."""
        return self._matrix_time(self.numbers, 0) / (2.0 * self.NUMBER * self.numbers + 80.0 * self.design.n)

    def sweeps_per_matrix(self, places: np.ndarray, k: int) -> float:
        """What a Gram matrix of the columns at these places for k scores costs, in sweeps over their stored numbers.

        Its numbers are written, read and less the intercepts' part.
        """
        numbers = self._numbers_at(places)
        matrix = self._matrix_time(numbers, 0) * k * (k + 1) / 2 + 12.0 * (k * len(places)) ** 2
        return matrix / max(self.SWEPT * numbers * k * (k + 1), 1.0)

    def sweeps_to_complete(self, first: int) -> float:
        """What it costs to complete a Gram matrix that lacks the columns from `first` on, in the same unit."""
        new = self._numbers_at(slice(first, None))
        return self._matrix_time(new, self.numbers - new) / max(2.0 * self.SWEPT * self.numbers, 1.0)

    def _matrix_time(self, new: int, old: int) -> float:
        """How long the products of columns that store `new` numbers take, with each other and `old` ones, in ns."""
        return self.PAIR * new * (new + 2.0 * old) / self.design.n

    def _numbers_at(self, places: Any) -> int:
        """How many numbers the columns at these places store."""
        raise NotImplementedError

    def fitted(self, beta: np.ndarray) -> np.ndarray:
        """``Z beta``, of the columns that count."""
        live = np.flatnonzero(beta if beta.ndim == 1 else beta.any(axis=1))
        if 2 * len(live) > self.size:
            return self.Z @ beta
        return self.Z[:, live] @ beta[live]

    def correlate(self, r: np.ndarray, first: int = 0) -> np.ndarray:
        """``Z' r`` of the columns from `first` on."""
        return self.Z[:, first:].T @ r


class DenseColumns(WorkingColumns):
    """A copy, less the means under the weights `share` if to `centre`."""

    PAIR, NUMBER, SWEPT, PRICE, PRICE_ONCE = 0.02, 0.5, 0.13, 8.0, 8.0

    def __init__(self, design: InMemoryDesign, share: np.ndarray, *, centre: bool) -> None:
        super().__init__(design, share)
        self._share = share if centre else None
        self._held = np.empty((design.n, 0), order="F")

    @property
    def Z(self) -> np.ndarray:
        return self._held[:, : self.size]

    @property
    def numbers(self) -> int:
        return self.design.n * self.size

    def add(self, J: np.ndarray) -> None:
        size, width = self.size + len(J), max(1, BLOCK_NUMBERS // max(self.design.n, 1))
        if size > self._held.shape[1]:
            # room that is not used takes no memory; the old columns are seldom copied
            larger = np.empty((self.design.n, 4 * size), order="F")
            larger[:, : self.size] = self.Z
            self._held = larger
        for first in range(0, len(J), width):
            Z = self.design.gather(J[first : first + width])
            means = np.zeros(Z.shape[1]) if self._share is None else self._share @ Z
            self.means = np.concatenate([self.means, means])
            np.subtract(Z, means, out=self._held[:, len(self.means) - len(means) : len(self.means)])
        self.size = size

    def keep(self, places: np.ndarray) -> None:
        super().keep(places)
        self._held[:, : self.size] = self._held[:, places]

    def one_by_one(self) -> DenseRows:
        return DenseRows(read_only(self.Z.T))

    def _numbers_at(self, places: Any) -> int:
        return self.design.n * len(self.means[places])

    def _largest_from(self, first: int) -> np.ndarray:
        Z = self.Z[:, first:] if self._counts.all() else self.Z[self._counts, first:]
        return np.maximum(Z.max(axis=0, initial=0.0), -Z.min(axis=0, initial=0.0))

    def products(self, w: np.ndarray | float, first: int = 0) -> np.ndarray:
        return _dense_products(self.Z, w, first)


class SparseColumns(WorkingColumns):
    """The columns as they are; their means count as 0. They have to be sorted into place, hence the lower price."""

    PAIR, NUMBER, SWEPT, PRICE, PRICE_ONCE = 0.5, 1.0, 0.45, 0.25, 2.0

    def __init__(self, design: InMemoryDesign, share: np.ndarray) -> None:
        super().__init__(design, share)
        self._held = sp.csc_array((design.n, 0))
        self._by_rows: Any = None

    @property
    def Z(self) -> Any:
        return self._held

    @property
    def numbers(self) -> int:
        return self._held.nnz

    def add(self, J: np.ndarray) -> None:
        self._held = sp.hstack([self._held, self.design.gather(J)], format="csc")
        self._by_rows = None
        self.means, self.size = np.zeros(self.size + len(J)), self.size + len(J)

    def _largest_from(self, first: int) -> np.ndarray:
        new = self._held[:, first:]
        sizes = sp.csc_array((np.abs(new.data) * self._counts[new.indices], new.indices, new.indptr), shape=new.shape)
        return np.ravel(sizes.max(axis=0).toarray())

    def keep(self, places: np.ndarray) -> None:
        super().keep(places)
        self._held = self._held[:, places]
        self._by_rows = None

    def one_by_one(self) -> SparseRows:
        return SparseRows(self._held.data, self._held.indices, self._held.indptr)

    def _numbers_at(self, places: Any) -> int:
        return int(np.diff(self._held.indptr)[places].sum())

    def products(self, w: np.ndarray | float, first: int = 0) -> np.ndarray:
        n = self.design.n
        dense = n * self.size
        if self._matrix_time(self.numbers, 0) + MOVED * self.numbers > (DenseColumns.PAIR * self.size + MOVED) * dense:
            return _dense_products(self._held.toarray(order="F"), w, first)
        if self._by_rows is None:
            self._by_rows = self._held.tocsr()
            self._by_rows.sort_indices()
        Z, bounds = self._by_rows, [n * piece // PIECES for piece in range(PIECES + 1)]
        weights: Any = np.full(n, w) if np.ndim(w) == 0 else w

        def task(piece: int) -> np.ndarray:
            out = np.zeros((self.size - first, self.size))
            row_products(Z.data, Z.indices, Z.indptr, weights, bounds[piece], bounds[piece + 1], first, out)
            return out

        total, *others = parallel_map(task, range(PIECES))
        for other in others:
            total += other
        mirror(first, total)
        return total.T


def _dense_products(Z: np.ndarray, w: np.ndarray | float, first: int) -> np.ndarray:
    """``Z' diag(w) Z_new``. BLAS sees where a matrix is multiplied by its own transpose, and makes one half only."""
    new = Z[:, first:]
    if np.ndim(w) > 0 and first:
        return Z.T @ (np.asarray(w)[:, None] * new)
    if np.ndim(w) > 0:
        new, w = Z * np.sqrt(w)[:, None], 1.0
    among_new = new.T @ new
    return w * (np.concatenate([Z[:, :first].T @ new, among_new]) if first else among_new)
