"""The columns a solver works on, kept together for products with weights that change from step to step."""

import numpy as np
import scipy.sparse as sp

from separatrix.core.threads import in_order
from separatrix.designs.compiled.working import row_products

# Row by row, a product of two stored numbers takes about 1 ns; BLAS makes forty dense ones in that time, half of them
# by symmetry. Sparse columns are better made dense where more than this part of their numbers is stored.
DENSE_ENOUGH = 0.2
# Sparse sums are made in this many pieces, whatever the number of threads, so that it does not show in them.
PIECES = 2


class WorkingColumns:
    """Some columns Z of a design, growing.

    Dense columns are copied, less their means under the weights `share` where these are given. Sparse ones stay as they
    are, with means of 0.
    """

    def __init__(self, design, share=None):
        self.design, self.share = design, share
        self.size = 0
        self.means = np.empty(0)
        self._sparse = "gram" not in design.offers
        self._held = sp.csc_array((design.n, 0)) if self._sparse else np.empty((design.n, 0), order="F")
        self._by_rows = None

    def add(self, J):
        """Take in the columns J."""
        Z = self.design.gather(J)
        means = np.zeros(len(J))
        if self._sparse:
            self._held = sp.hstack([self._held, Z], format="csc")
            self._by_rows = None
        else:
            if self.share is not None:
                means = self.share @ Z
                Z -= means
            self._reserve(self.size + len(J))
            self._held[:, self.size : self.size + len(J)] = Z
        self.means = np.concatenate([self.means, means])
        self.size += len(J)

    def _reserve(self, size):
        if size > self._held.shape[1]:
            larger = np.empty((self.design.n, max(size, 2 * self.size)), order="F")
            larger[:, : self.size] = self._held[:, : self.size]
            self._held = larger

    @property
    def Z(self):
        return self._held if self._sparse else self._held[:, : self.size]

    def fitted(self, beta):
        """``Z beta``, of the columns that count."""
        live = np.flatnonzero(beta if beta.ndim == 1 else beta.any(axis=1))
        if 2 * len(live) > self.size:
            return self.Z @ beta
        return self.Z[:, live] @ beta[live]

    def correlate(self, r):
        """``Z' r``."""
        return self.Z.T @ r

    def products(self, w, first=0):
        """``Z' diag(w) Z_new``, where Z_new are the columns from `first` on; w is not negative."""
        if self._sparse:
            if self._held.nnz <= DENSE_ENOUGH * self.design.n * self.size:
                return self._sparse_products(w)[:, first:]
            Z = self._held.toarray(order="F")
        else:
            Z = self.Z
        if first:
            return Z.T @ (w[:, None] * Z[:, first:])
        root = Z * np.sqrt(w)[:, None]
        return root.T @ root  # BLAS sees that both are the same, and makes one half only

    def _sparse_products(self, w):
        if self._by_rows is None:
            self._by_rows = self._held.tocsr()
            self._by_rows.sort_indices()
        Z, n = self._by_rows, self.design.n
        bounds = [n * piece // PIECES for piece in range(PIECES + 1)]

        def task(piece):
            out = np.zeros((self.size, self.size))
            row_products(Z.data, Z.indices, Z.indptr, w, bounds[piece], bounds[piece + 1], out)
            return out

        upper = sum(in_order(task, range(PIECES)))
        return np.triu(upper) + np.triu(upper, 1).T
