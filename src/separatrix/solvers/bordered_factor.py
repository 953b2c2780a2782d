r"""Equations with :math:`A_{FF}` for sets F that differ little from one whose Cholesky factor is at hand.

With the factor of :math:`A_{CC}`, an index that F has and C has not is a border, its column of A; an index of C that F
has not is held at 0 by a column of the unit matrix, and has a multiplier for it:

.. math:: \begin{pmatrix} A_{CC} & B \\ B' & D \end{pmatrix} \begin{pmatrix} x \\ y \end{pmatrix} =
          \begin{pmatrix} r \\ d \end{pmatrix}, \qquad S = D - B' A_{CC}^{-1} B.

Cost: a factor is O(c³/3); a border O(2c²) once, and the Schur complement S of k borders O(c k² + k³). Active-set
methods move a few indices at a time, so that one factor serves all their steps (Nocedal and Wright 2006, section 16.5).
"""

from collections.abc import Callable

import numpy as np
from scipy.linalg import cho_solve, cholesky, solve_triangular

from separatrix.core.types import Array

# A factor anew is cheaper than borders of more than this share of its order.
MOST_NEW, MOST_BORDERS = 1 / 12, 1 / 4
ALWAYS = 8  # so few borders are worth it in any case
# Orders that are factored at once, and columns at a time of larger ones: an interrupt waits for that much.
AT_ONCE, STRIP = 2500, 256


class BorderedFactor:
    """``(A + ridge I)_FF^{-1} R`` of a symmetric matrix.

    Parameters
    ----------
    entries : function (rows, columns) -> A[rows][:, columns], a new array.
    order : int.  Rows of A.
    """

    def __init__(self, entries: Callable[[Array, Array], Array], order: int) -> None:
        self.entries, self.ridge = entries, -1.0
        self.core = np.empty(0, dtype=np.int64)
        self.place = np.full(order, -1)  # of each index in the core
        self.border = np.full(order, -1)  # of each index among the columns below
        self.columns = self.solved = np.empty((0, 0))

    def solve(self, F: Array, R: Array, ridge: float) -> Array | None:
        """X (len F, k) with ``(A + ridge I)_FF X = R``; None where A_FF is not positive definite."""
        if (ridge != self.ridge or not self._has_borders(F)) and not self._factor(F, ridge):
            return None
        inside = np.zeros(len(self.place), dtype=bool)
        inside[F] = True
        left_out, added = self.core[~inside[self.core]], F[self.place[F] < 0]
        shared = self.place[F] >= 0
        r = np.zeros((len(self.core), R.shape[1]), dtype=self.columns.dtype)
        r[self.place[F[shared]]] = R[shared]
        X = self._apply(r)
        if not len(left_out) and not len(added):
            return np.asarray(X[self.place[F]], dtype=np.float64)
        mine = self.border[np.concatenate([left_out, added])]
        B, Z, k = self.columns[:, mine], self.solved[:, mine], len(left_out)
        S, d = -(B.T @ Z).astype(np.float64), np.zeros((len(mine), R.shape[1]))
        S[k:, k:] += self.entries(added, added)
        S[range(k, len(mine)), range(k, len(mine))] += ridge
        d[k:] = R[~shared]
        try:
            y = np.linalg.solve(S, d - B.T @ X)
        except np.linalg.LinAlgError:
            return None
        X = X - Z @ y
        of_all = np.empty(R.shape)
        of_all[shared], of_all[~shared] = X[self.place[F[shared]]], y[k:]
        return of_all

    def _apply(self, r: Array) -> Array:
        return np.asarray(cho_solve((self.lower, True), r, check_finite=False))

    def _factor(self, F: Array, ridge: float) -> bool:
        """Whether F is the core now."""
        A = self.entries(F, F)
        A[np.diag_indices(len(F))] += ridge
        self.place[:], self.border[:], self.ridge = -1, -1, -1.0
        try:
            self.lower = _factored(A)
        except np.linalg.LinAlgError:
            return False
        self.core, self.ridge = F, ridge
        self.place[F] = np.arange(len(F))
        self.columns = self.solved = np.empty((len(F), 0), dtype=A.dtype)
        return True

    def _has_borders(self, F: Array) -> bool:
        """Whether F differs from the core in borders that are known, or few enough to be added."""
        inside = np.zeros(len(self.place), dtype=bool)
        inside[F] = True
        wanted = np.concatenate([self.core[~inside[self.core]], F[self.place[F] < 0]])
        new = wanted[self.border[wanted] < 0]
        known, c = self.columns.shape[1], len(self.core)
        if len(new) > max(MOST_NEW * c, ALWAYS) or known + len(new) > max(MOST_BORDERS * c, ALWAYS):
            return False
        if len(new):
            B = np.zeros((c, len(new)), dtype=self.columns.dtype)
            held = self.place[new] >= 0
            B[self.place[new[held]], np.flatnonzero(held)] = 1.0
            B[:, ~held] = self.entries(self.core, new[~held])
            self.columns = np.hstack([self.columns, B])
            self.solved = np.hstack([self.solved, self._apply(B)])
            self.border[new] = known + np.arange(len(new))
        return True


def _factored(A: Array) -> Array:
    """L with ``L L' = A``, in the place of A; what is above its diagonal is of no meaning."""
    L = A.T  # whose columns are together in memory
    height = len(A) if len(A) <= AT_ONCE else STRIP
    for start in range(0, len(A), height):
        here, below = slice(start, min(start + height, len(A))), slice(start + height, None)
        L[start:, here] -= L[start:, :start] @ L[here, :start].T
        L[here, here] = cholesky(L[here, here], lower=True, check_finite=False)
        L[below, here] = solve_triangular(L[here, here], L[below, here].T, lower=True, check_finite=False).T
    return np.asarray(L)
