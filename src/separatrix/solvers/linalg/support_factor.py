"""The Cholesky factor of a Gram matrix on a changing support.

Keeps    L with ``L L' = G[order, order] + l2 I``.
Given    G and the support wanted; columns that left are rotated out, columns that came are bordered on. Those that
         depend on columns before them are set apart in ``dependent``.
From     Golub and Van Loan (2013), Matrix Computations, section 6.5.
Cost     m²/2 for a column that comes, 3 (m - k)² for one that leaves place k, m³/3 for a fresh start.
"""

import numpy as np

from separatrix.solvers.compiled.support_factor import append, remove, solve

# Pivots are squares of distances between columns: below this part of the largest they are mostly rounding.
SMALLEST_PIVOT = 1e-14


class SupportFactor:
    """See the head of this file. ``order`` is the support, less the dependent, in the order of the factor's rows."""

    def __init__(self):
        self.order = np.empty(0, dtype=np.intp)
        self.dependent = np.empty(0, dtype=np.intp)
        self.l2 = 0.0
        self._L = np.empty((0, 0))
        self._work = np.empty((2, 0))

    def holds(self, support, l2):
        """Whether the factor is that of this support (sorted) already."""
        kept = np.concatenate([self.order, self.dependent])
        return len(support) == len(kept) > 0 and l2 == self.l2 and np.array_equal(np.sort(kept), support)

    def update(self, G, support, l2):
        """Become the factor of `support`."""
        left = np.flatnonzero(~np.isin(self.order, support))
        came = support[~np.isin(support, self.order)]
        self._reserve(len(self.order) + len(came))
        self.dependent = came[:0]
        if (l2 != self.l2 or 8 * (len(left) + len(came)) > len(support)) and self._afresh(G, support, l2):
            return
        for k in left[::-1]:
            remove(self._L, len(self.order), k, *self._work)
            self.order = np.delete(self.order, k)
        for j in support[~np.isin(support, self.order)]:
            if append(self._L, len(self.order), self.order, G, j, l2) <= SMALLEST_PIVOT * (G[j, j] + l2):
                self.dependent = np.append(self.dependent, j)
            else:
                self.order = np.append(self.order, j)

    def solve(self, g):
        """``(G + l2 I)^-1 g`` on the support, in the order of ``order``."""
        x = np.array(g)
        solve(self._L, len(self.order), x)
        return x

    def _afresh(self, G, support, l2):
        """Factorise the whole support at once; False where its columns are dependent, and an old factor is kept."""
        block = G[np.ix_(support, support)]
        block[np.diag_indices(len(support))] += l2
        if l2 != self.l2:
            self.order, self.l2 = support[:0], l2
        scale = np.diag(block).max()
        try:
            # numpy's LAPACK, not scipy's: two BLAS libraries at once, each with threads, wait for each other
            L = np.linalg.cholesky(block)
        except np.linalg.LinAlgError:
            return False
        if np.diag(L).min() ** 2 <= SMALLEST_PIVOT * scale:
            return False
        self._L[: len(support), : len(support)] = L
        self.order = support.copy()
        return True

    def _reserve(self, size):
        old = len(self._L)
        if size <= old:
            return
        room = max(64, 2 * size)
        L = np.empty((room, room))
        m = len(self.order)
        L[:m, :m] = self._L[:m, :m]
        self._L, self._work = L, np.empty((2, room))
