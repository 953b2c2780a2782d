"""A design in compressed sparse rows or columns; never made dense as a whole."""

from functools import cached_property

import numpy as np
import scipy.sparse as sp

from separatrix.core.registry import register
from separatrix.designs import base
from separatrix.designs.rows import SparseRows


def as_dense(B):
    """A block of rows as a numpy array."""
    return B.toarray() if sp.issparse(B) else B


def compressed(X):
    """The three arrays of a sparse array that is stored by rows or by columns: values, positions, where each begins."""
    return X.data, X.indices, X.indptr


@register("design")
class SparseDesign(base.Design):
    """X as a scipy sparse array; the other orientation is made when a solver first walks that way.

    >>> import scipy.sparse as sp
    >>> SparseDesign(sp.csr_array([[1.0, 0.0], [0.0, 2.0]])).matvec([1.0, 1.0])
    array([1., 2.])
    """

    offers = frozenset({"rows", "columns"})

    def __init__(self, X):
        self.X = X
        self.n, self.p = X.shape

    stored_by_rows = True  # or made so once

    @property
    def stored(self):
        return self.X.nnz

    @cached_property
    def by_rows(self):
        return sp.csr_array(self.X)

    @cached_property
    def by_columns(self):
        return sp.csc_array(self.X)

    def block(self, rows):
        return self.by_rows[rows].astype(np.float64, copy=False)

    def matvec(self, beta):
        return self.X @ np.asarray(beta, dtype=np.float64)

    def rmatvec(self, r):
        return self.X.T @ np.asarray(r, dtype=np.float64)

    def gather(self, J):
        return self.by_columns[:, J].astype(np.float64, copy=False)

    def corner(self, rows, J):
        return self.gather(J)[rows] if self.X.format == "csc" else self.block(rows)[:, J]

    def columns(self, J):
        return np.asfortranarray(self.by_columns[:, J].toarray(), dtype=np.float64)

    def stored_by_column(self):
        if self.X.format == "csc":
            return np.diff(self.X.indptr)
        return np.bincount(self.X.indices, minlength=self.p)

    def outer_gram(self):
        return (self.by_rows.astype(np.float64, copy=False) @ self.by_rows.T).toarray()

    def take(self, rows):
        return SparseDesign(self.by_rows[rows])

    def scaled(self, factors):
        return SparseDesign(self.by_rows.multiply(factors).tocsr())

    def blocks(self, gram=False):
        """Slices that hold about as many stored numbers as a dense block does."""
        height = max(1, int(self.n * base.BLOCK_NUMBERS / max(self.X.nnz, 1)))
        return [slice(i, min(i + height, self.n)) for i in range(0, self.n, height)]

    @cached_property
    def frequent_first(self):
        """The columns in the order of how often they occur, about, and rows for compiled loops, columns so numbered.

        Loops that gather and scatter over many columns then find the frequent ones side by side in cache: a third
        faster, measured on text with 100,000 columns.
        """
        X = self.by_rows
        order = np.argsort(-np.bincount(X.indices[::16], minlength=self.p), kind="stable")
        rank = np.empty(self.p, dtype=X.indices.dtype)
        rank[order] = np.arange(self.p)
        return order, SparseRows(X.data, rank[X.indices], X.indptr)

    def rows_atom(self):
        """Rows for compiled loops."""
        X = self.by_rows
        return SparseRows(X.data, X.indices, X.indptr)
