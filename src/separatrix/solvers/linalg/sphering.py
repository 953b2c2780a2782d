r"""Sphering: coordinates in which the covariance within classes is the identity, :math:`W^\top \Sigma W = I`."""

from dataclasses import dataclass
from typing import cast

import numpy as np
from scipy.linalg import qr, solve_triangular

from separatrix.core.registry import register
from separatrix.core.types import Array, Matrix
from separatrix.designs.factor import EPS, Factor


@register("record")
@dataclass
class Sphere:
    r"""The map :math:`z = W^\top x` for a covariance :math:`\Sigma`, a scatter over its denominator.

    In units of the standard deviations within classes, ``D = diag(scale)``, the scatter is :math:`DSD = Q T T^\top
    Q^\top` with T triangular and orthonormal columns Q (left out where they are those of the identity), and
    :math:`W = \sqrt{N} D Q T^{-\top}` for the denominator N. Directions in which no class varies are left out:
    :math:`W W^\top` is then the pseudo-inverse of :math:`\Sigma`, taken in those units, so that it depends neither on
    the units nor on the order of columns.
    """

    factor: Factor
    denominator: float
    live: np.ndarray
    T: np.ndarray
    Q: np.ndarray | None

    @property
    def rank(self) -> int:
        return len(self.factor.kept)

    @property
    def log_determinant(self) -> float:
        """Logarithm of the determinant of the covariance of the columns kept."""
        return self.factor.log_determinant - self.rank * float(np.log(self.denominator))

    def rows(self, X: Matrix) -> Array:
        """``Z = X W`` (n, rank): rows whose covariance within classes is the identity."""
        U = X[:, self.live] * self.factor.scale[self.live]
        if self.Q is not None:
            U = U @ self.Q
        return np.sqrt(self.denominator) * solve_triangular(self.T, U.T, lower=self.Q is None, check_finite=False).T

    def loadings(self, V: Array) -> Array:
        """``W V`` (p, m), for V (rank, m): a row times it is its sphered row times V."""
        U = solve_triangular(self.T, V, lower=self.Q is None, trans="T", check_finite=False)
        if self.Q is not None:
            U = self.Q @ U
        out = np.zeros((len(self.factor.scale), V.shape[1]))
        out[self.live] = np.sqrt(self.denominator) * self.factor.scale[self.live, None] * U
        return out

    def deviations(self, Z: Array) -> Array:
        """Rows (n, p) of covariance Σ from rows Z (n, rank) whose covariance is the identity."""
        U = Z @ self.T.T
        if self.Q is not None:
            U = U @ self.Q.T
        out = np.zeros((len(Z), len(self.factor.scale)))
        out[:, self.live] = U / (np.sqrt(self.denominator) * self.factor.scale[self.live])
        return out

    def covariance(self) -> Array:
        """Σ (p, p), zero where no class varies."""
        root = self.deviations(np.eye(self.rank))
        return root.T @ root

    def telling(self, means: Array, n: int) -> Array:
        """Columns left out whose class means (k, p) are not what the columns kept make of them."""
        factor, centred = self.factor, means - means.mean(axis=0)
        size = np.abs(means).max(axis=0)
        constant, aliased = factor.constant, factor.aliased
        columns = list(constant[np.abs(centred[:, constant]).max(axis=0) > 8.0 * EPS * np.sqrt(n) * size[constant]])
        if len(aliased):
            kept, left = (centred[:, J] * factor.scale[J] for J in (factor.kept, aliased))
            combination = cast(Array, factor.combination)  # a factor has it wherever columns are aliased
            reach = np.abs(left) + np.abs(kept) @ np.abs(combination)
            rounding = 1e-8 * reach + 16.0 * EPS * np.sqrt(n) * size[aliased] * factor.scale[aliased]
            columns += list(aliased[(np.abs(left - kept @ combination) > rounding).any(axis=0)])
        return np.sort(np.array(columns, dtype=int))


def sphere(factor: Factor, denominator: float) -> Sphere:
    """The sphering that belongs to the factor of a scatter.

    >>> import numpy as np
    >>> from separatrix.solvers.linalg.scatter import matrix_factor
    >>> S = np.array([[4.0, 2.0], [2.0, 3.0]])
    >>> W = sphere(matrix_factor(S), 2.0).loadings(np.eye(2))
    >>> bool(np.allclose(W.T @ (S / 2.0) @ W, np.eye(2)))
    True
    """
    if not len(factor.aliased):
        return Sphere(factor, denominator, factor.kept, factor.R.T, None)
    live = np.concatenate([factor.kept, factor.aliased])
    Q, T = qr(np.hstack([factor.R, factor.R @ factor.combination]).T, mode="economic", check_finite=False)
    return Sphere(factor, denominator, live, T, Q)
