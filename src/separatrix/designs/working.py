"""The columns a solver works on, kept together for products with weights that change from step to step."""

import numpy as np
import scipy.sparse as sp

from separatrix.core.threads import parallel_map
from separatrix.designs.compiled.working import mirror, row_products

# Row by row, a product of two stored numbers takes about 1 ns; BLAS makes twenty dense ones in that time. Sparse
# columns are better made dense where more than this part of their numbers is stored.
DENSE_ENOUGH = 0.2
PAIR = {"dense": 0.025, "sparse": 0.5}  # ns for a product in a Gram matrix, symmetry counted
NUMBER = {"dense": 0.5, "sparse": 1.0}  # ns for a stored number in a product with a vector
# A read of X buys as much work on new columns: stored numbers of theirs, times those of a row, for each one of X. The
# sparse ones have to be sorted into place, too.
PRICE = {"dense": 8.0, "sparse": 0.25}
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
        self._kind = "sparse" if self._sparse else "dense"
        self._stored = design.stored_by_column()
        self._all = float(design.stored)
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

    def affordable(self, J, least):
        """How many of the columns J, best first, are worth taking in between two reads of X; `least` at least.

        New columns that store N numbers cost N (N + old) / n in a Gram matrix.
        """
        old = self._numbers()
        limit = 0.5 * (np.sqrt(old * old + 4.0 * PRICE[self._kind] * self.design.n * self._all) - old)
        return max(least, int(np.searchsorted(np.cumsum(self._stored[J]), limit)))

    def _numbers(self):
        return self._held.nnz if self._sparse else self.design.n * self.size

    def matrices_per_step(self, each_row=80.0):
        """What a Gram matrix costs, in steps that make do without a new one: `each_row` ns are for its loss."""
        n, numbers = self.design.n, self._numbers()
        return PAIR[self._kind] * numbers * numbers / n / (2.0 * NUMBER[self._kind] * numbers + each_row * n)

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
                return self._sparse_products(w, first)
            Z = self._held.toarray(order="F")
        else:
            Z = self.Z
        if first:
            return Z.T @ (w[:, None] * Z[:, first:])
        root = Z * np.sqrt(w)[:, None]
        return root.T @ root  # BLAS sees that both are the same, and makes one half only

    def _sparse_products(self, w, first):
        if self._by_rows is None:
            self._by_rows = self._held.tocsr()
            self._by_rows.sort_indices()
        Z, n = self._by_rows, self.design.n
        bounds = [n * piece // PIECES for piece in range(PIECES + 1)]

        def task(piece):
            out = np.zeros((self.size - first, self.size))
            row_products(Z.data, Z.indices, Z.indptr, w, bounds[piece], bounds[piece + 1], first, out)
            return out

        total, *others = parallel_map(task, range(PIECES))
        for other in others:
            total += other
        mirror(first, total)
        return total.T
