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

from separatrix.core.objective import (
    PIECE,
    PenaltyParts,
    curvatures_at,
    dual_domains,
    slopes_at,
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
    """The error of a sum over rows that is taken in pieces, relative to the sum of sizes."""
    return unit(min(n, PIECE) + n / PIECE)


def value_error(loss: Any, sizes: Array, beta: Array, intercept: Any, slopes: Array, rows: Any) -> float:
    """How far errors of the scores may move the mean loss; `slopes` are root mean squares (k,), `rows` y, eta, s."""
    size = np.abs(beta).T @ sizes + np.abs(intercept)
    moved = np.atleast_1d(unit(len(beta)) * size)
    if not is_smooth(loss):
        y, eta, s = rows
        ends = [np.abs(slopes_at(loss, y, np.full_like(eta, end))) for end in (-np.inf, np.inf)]
        steepest = np.maximum(*ends)
        return float(np.sqrt(s @ (steepest * steepest) / s.sum()) * moved[0])
    bend = largest_curvature(loss)
    if not np.isfinite(bend):
        y, eta, _ = rows
        bend = 2.0 * float(curvatures_at(loss, y, eta).max(initial=0.0))
    return float((slopes * moved + 0.5 * bend * moved * moved).sum())


class Products(NamedTuple):
    """``v = -X'(s u) / Σs`` to within `error`, of the same shape."""

    v: Array
    error: Array

    def cost(self, parts: PenaltyParts, scale: float) -> float:
        """The conjugate of the penalty at ``scale v``, at the worst end of each interval."""
        low, high = scale * (self.v - self.error), scale * (self.v + self.error)
        across = (low < 0.0) & (high > 0.0)
        outer = np.where(low >= 0.0, high, low)
        cost = parts.conjugate_cost(outer)
        if across.any():
            cost += parts.conjugate_cost(np.where(across, high, 0.0))
        return cost

    def scales(self, penalty: Any, parts: PenaltyParts, beta: Array) -> list[float]:
        """Factors that bring v into the domain of the penalty's conjugate, best guesses first."""
        low, high = dual_domains(penalty, len(self.v))
        kink, ridge, *_ = parts
        into = self._largest_scale(low, high)
        scales = [into]
        if kink.any() and ridge.any():  # a finite conjugate outside the kink is no tight one
            scales.append(self._largest_scale(np.maximum(low, -kink), np.minimum(high, kink)))
            # the elastic net is a lasso on rows augmented with sqrt(ridge) I
            slack = (ridge * np.abs(beta).T).T
            rest = np.sign(self.v) * np.maximum(np.abs(self.v) - slack, 0.0)
            scales.append(Products(rest, self.error)._largest_scale(-kink, kink))
        if into < 1.0 or not kink.any():
            scales.append(0.0)
        return scales

    def _largest_scale(self, low: Array, high: Array) -> float:
        """The largest a <= 1 with ``low <= a v <= high``, wherever v is."""
        smallest = 1.0
        for end in (self.v - self.error, self.v + self.error):
            room = np.where(end.T > 0.0, high, -low).T
            with np.errstate(divide="ignore", invalid="ignore"):
                share = np.where(np.abs(end) > room, room / np.abs(end), 1.0)
            smallest = min(smallest, float(share.min(initial=1.0)))
        return smallest if smallest == 1.0 else smallest * (1.0 - 2.0 * EPS)


def products(v: Array, sizes: Array, u_square: Any, imbalance: Any, n: int) -> Products:
    """v with its errors; `u_square` is the mean square of u, `imbalance` what is missing from Σ s u = 0, relative.

    A dual point of a problem with an intercept sums to 0; the computed one does after a change of its slopes of one
    sign by the share `imbalance`.
    """
    share = unit(n) + np.asarray(imbalance)
    return Products(v, np.multiply.outer(sizes, share * np.sqrt(u_square)))
