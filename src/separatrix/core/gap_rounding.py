"""Bounds on the rounding errors of a duality gap's own computation.

With ``size_j`` the root mean square of column j, and ``unit(m) = SURE sqrt(m) eps / 2`` for sums of m products,

    rms(error of eta)  <=  unit(p) (Σ_j size_j |beta_j| + |intercept|)       (Minkowski)
    |error of v_j|     <=  unit(n) size_j rms(u)                              (Cauchy and Schwarz)

A loss moves by at most the slopes times the error of eta and half the largest curvature times its square. The
products v are only known to lie in intervals: the scale that brings them into the domain of the penalty's conjugate,
and the conjugate itself, are taken at their worse ends.
"""

from typing import Any, NamedTuple

import numpy as np

from separatrix.core.long_sums import PIECE
from separatrix.core.objective import (
    curvatures_at,
    slopes_at,
    target_sizes,
    total_value,
)
from separatrix.core.types import Array
from separatrix.core.verbs import is_smooth, largest_curvature

EPS = float(np.finfo(np.float64).eps)
# A sum of m products of numbers of any signs is wrong by less than this many units times sqrt(m), in practice
# (Higham and Mary 2019, SIAM J. Sci. Comput. 41(5): with probability 1 - 2 exp(-8²/2) under random roundings).
SURE = 8.0


def unit(m: float) -> float:
    """The error of a sum of m products, relative to the sum of their sizes."""
    return SURE * float(np.sqrt(m + 3.0)) * 0.5 * EPS


def sum_error(n: int) -> float:
    """The error of a sum over rows that is taken in pieces, relative to the sum of sizes.

    ``unit(PIECE)`` is what PIECE roundings of one sign may cost, too; sums of blocks of rows are few.
    """
    return unit(min(n, PIECE) + 64.0)


class RowSums(NamedTuple):
    """Means over rows that a gap and its rounding errors are made of, for each output (k,)."""

    fit: Array  # the loss, all in the first
    terms: Array  # |u| (target_size(y) + |eta|)
    sizes: Array  # |u|
    squares: Array  # u²
    balance: Array  # u
    up: Array  # max(u, 0)
    down: Array  # max(-u, 0)
    slopes: Array  # squares of the slopes at eta; of the steepest where slopes jump
    bend: Array  # a bound on the curvature where the loss itself has none

    @classmethod
    def of(cls, loss: Any, y: Array, eta: Array, u: Array, s: Array) -> Array:
        """The sums of some rows as one array (9, k); :meth:`means` names them."""
        shape = (len(s), -1)
        u_, eta_ = u.reshape(shape), eta.reshape(shape)
        su = s[:, None] * u_
        size, k = np.abs(su), u_.shape[1]
        slopes, bend = _steepness(loss, y, eta)
        fit = np.zeros(k)
        fit[0] = total_value(loss, y, eta, s)
        terms = (size * (target_sizes(loss, y).reshape(shape) + np.abs(eta_))).sum(axis=0)
        sides = np.maximum(su, 0.0).sum(axis=0), np.maximum(-su, 0.0).sum(axis=0)
        balance = su.sum(axis=0, dtype=np.longdouble).astype(np.float64)  # what is left is rounding: summed with care
        squares = (su * u_).sum(axis=0), s @ np.square(slopes.reshape(shape))
        return np.array([fit, terms, size.sum(axis=0), squares[0], balance, *sides, squares[1], np.full(k, bend)])

    @classmethod
    def means(cls, sums: Array, total: float) -> "RowSums":
        *means, bend = sums
        return cls._make([*(part / total for part in means), bend])

    def imbalance(self) -> Array:
        """The share by which slopes of one sign have to change so that all sum to 0 exactly, 1 at the most."""
        rest, side = np.abs(self.balance) + 4.0 * EPS * self.sizes, np.minimum(self.up, self.down)
        share = rest / np.maximum(side, np.finfo(np.float64).tiny)
        return np.where(side > rest, share, np.where(rest > 0.0, 1.0, 0.0))


def _steepness(loss: Any, y: Array, eta: Array) -> tuple[Array, float]:
    """Slopes that bound the change of the loss near eta, and its curvature where that has no bound."""
    if not is_smooth(loss):
        ends = [np.abs(slopes_at(loss, y, np.full_like(eta, end))) for end in (-np.inf, np.inf)]
        return np.maximum(*ends), 0.0
    if largest_curvature(loss) < np.inf:
        return slopes_at(loss, y, eta), 0.0
    return slopes_at(loss, y, eta), 2.0 * float(curvatures_at(loss, y, eta).sum())


def value_error(loss: Any, sizes: Array, beta: Array, intercept: Any, squares: Array, bend: float) -> float:
    """How far errors of the scores may move the mean loss; `squares` are means of squares of its slopes (k,)."""
    moved = unit(len(beta)) * np.atleast_1d(np.abs(beta).T @ sizes + np.abs(intercept))
    if is_smooth(loss) and largest_curvature(loss) < np.inf:
        bend = largest_curvature(loss)
    return float((np.sqrt(squares) * moved + 0.5 * bend * moved * moved).sum())


class Products(NamedTuple):
    """``v = -X'(s u) / Σs`` to within `error`, of the same shape."""

    v: Array
    error: Array


def products(v: Array, sizes: Array, squares: Array, imbalance: Array, n: int) -> Products:
    """v with its errors, for columns of these root mean squares and the mean squares of u.

    A dual point of a problem with an intercept sums to 0; the computed one does after a change of its slopes of one
    sign by the share `imbalance`.
    """
    error = np.multiply.outer(sizes, (unit(n) + imbalance) * np.sqrt(squares))
    return Products(v, error.reshape(v.shape))
