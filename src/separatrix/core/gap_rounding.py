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

from separatrix.core.jit import compiled
from separatrix.core.long_sums import PIECE, add_sums
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
        slopes, bend = _steepness(loss, y, eta)
        parts = (target_sizes(loss, y), eta, u, slopes)
        Y, E, U, G = (np.ascontiguousarray(part.reshape(shape), dtype=np.float64) for part in parts)
        sums = np.zeros((9, u.size // max(len(s), 1)))
        add_row_sums(Y, E, U, G, s, sums, np.zeros(sums.shape), np.zeros(sums.shape))
        sums[0, 0], sums[8] = total_value(loss, y, eta, s), bend
        return sums

    @classmethod
    def means(cls, sums: Array, total: float) -> "RowSums":
        *means, bend = sums
        return cls._make([*(part / total for part in means), bend])

    def imbalance(self) -> Array:
        """The share by which slopes of one sign have to change so that all sum to 0 exactly, 1 at the most."""
        rest, side = np.abs(self.balance) + 4.0 * EPS * self.sizes, np.minimum(self.up, self.down)
        share = rest / np.maximum(side, np.finfo(np.float64).tiny)
        return np.where(side > rest, share, np.where(rest > 0.0, 1.0, 0.0))


@compiled
def add_row_sums(
    targets: Array, eta: Array, u: Array, slopes: Array, s: Array, out: Array, work_piece: Array, work_low: Array
) -> None:
    """Rows 1 to 7 of out (9, k): the sums of :class:`RowSums` over rows (n, k), `work` arrays being zeros of its shape.

    `targets` are the sizes of y.

    What is left of the balance is rounding: all sums are taken in pieces, with what each addition of one loses.
    """
    n, k = u.shape
    for first in range(0, n, PIECE):
        for i in range(first, min(first + PIECE, n)):
            for c in range(k):
                su = s[i] * u[i, c]
                size = abs(su)
                work_piece[1, c] += size * (targets[i, c] + abs(eta[i, c]))
                work_piece[2, c] += size
                work_piece[3, c] += su * u[i, c]
                work_piece[4, c] += su
                work_piece[5, c] += max(su, 0.0)
                work_piece[6, c] += max(-su, 0.0)
                work_piece[7, c] += s[i] * slopes[i, c] * slopes[i, c]
        for m in range(1, 8):
            add_sums(out[m], work_low[m], work_piece[m])
    for m in range(1, 8):
        for c in range(k):
            out[m, c] += work_low[m, c]


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


def product_error(squares: Array, imbalance: Array, n: int) -> Array:
    """The errors (k,) of v for a column whose root mean square is 1, from the mean squares of u.

    A dual point of a problem with an intercept sums to 0; the computed one does after a change of its slopes of one
    sign by the share `imbalance`.
    """
    error: Array = (unit(n) + imbalance) * np.sqrt(squares)
    return error


def products(v: Array, sizes: Array, error: Array) -> Products:
    """v with its errors, for columns of these root mean squares."""
    return Products(v, np.multiply.outer(sizes, error).reshape(v.shape))
