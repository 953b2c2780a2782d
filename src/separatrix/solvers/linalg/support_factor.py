"""The Cholesky factor of a Gram matrix on a changing support.

Keeps    L with ``L L' = G[order, order] + diag(ridge[order])``.
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

    def __init__(self) -> None:
        self.order = np.empty(0, dtype=np.intp)
        self.dependent = np.empty(0, dtype=np.intp)
        self._ridge = np.empty(0)  # of the columns in `order`
        self._L = np.empty((0, 0))
        self._work = np.empty((2, 0))

    def holds(self, support: np.ndarray, ridge: np.ndarray) -> bool:
        """Whether the factor is that of this support (sorted) already."""
        kept = np.concatenate([self.order, self.dependent])
        same = len(support) == len(kept) > 0 and np.array_equal(np.sort(kept), support)
        return same and np.array_equal(ridge[self.order], self._ridge)

    def update(self, G: np.ndarray, support: np.ndarray, ridge: np.ndarray) -> None:
        """Become the factor of `support`; `ridge` has an entry for each column of G."""
        if not np.array_equal(ridge[self.order], self._ridge):
            self.order = support[:0]
        wanted, held = np.zeros((2, len(G)), dtype=np.bool_)
        wanted[support] = held[self.order] = True
        left, came = np.flatnonzero(~wanted[self.order]), support[~held[support]]
        self._reserve(len(self.order) + len(came))
        self.dependent = came[:0]
        if 8 * (len(left) + len(came)) <= len(support) or not self._afresh(G, support, ridge):
            self._exchange(G, left, came, ridge)
        self._ridge = ridge[self.order]

    def _exchange(self, G: np.ndarray, left: np.ndarray, came: np.ndarray, ridge: np.ndarray) -> None:
        """Columns at the places `left` go, one by one, and those that `came` are taken in."""
        for k in left[::-1]:
            remove(self._L, len(self.order), k, *self._work)
            self.order = np.delete(self.order, k)
        for j in came:
            if append(self._L, len(self.order), self.order, G, j, ridge[j]) <= SMALLEST_PIVOT * (G[j, j] + ridge[j]):
                self.dependent = np.append(self.dependent, j)
            else:
                self.order = np.append(self.order, j)

    def solve(self, g: np.ndarray) -> np.ndarray:
        """``(G + diag(ridge))^-1 g`` on the support, in the order of ``order``."""
        x = np.array(g)
        solve(self._L, len(self.order), x)
        return x

    def _afresh(self, G: np.ndarray, support: np.ndarray, ridge: np.ndarray) -> bool:
        """Factorise the whole support at once; False where its columns are dependent, and the factor stays."""
        block = G[np.ix_(support, support)]
        block[np.diag_indices(len(support))] += ridge[support]
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

    def _reserve(self, size: int) -> None:
        old = len(self._L)
        if size <= old:
            return
        room = max(64, 2 * size)
        L = np.empty((room, room))
        m = len(self.order)
        L[:m, :m] = self._L[:m, :m]
        self._L, self._work = L, np.empty((2, room))
