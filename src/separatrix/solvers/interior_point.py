r"""Hinges under a ridge by an interior point: from the middle of the dual box along the central path to its edge.

Solves   min over x of  ½ Σ_j ridge_j x_j² + c'x + Σ_k d_k (a_k'x - place_k)_+
and      max over z of  -½ Σ_j (c + A'z)_j² / ridge_j - place'z,   0 <= z_k <= d_k,   (c + A'z)_j = 0 where ridge_j = 0
Given    rows a_k of A (m, q), places, weights d > 0, ridges >= 0, a first x.   Returns x, z and the iterations made.
From     Mehrotra (1992), SIAM J. Optim. 2(4), predictor and corrector; Ferris and Munson (2002), SIAM J. Optim. 13(3),
         for support vector machines. We differ in the start: z follows from the scores at the first x.
Cost     m q² for an iteration; some 15 of them from a good start, whatever the numbers.
"""

from typing import NamedTuple

import numpy as np
from scipy.linalg import cho_factor, cho_solve

from separatrix.core.time_limit import should_end, stop_if_over
from separatrix.core.types import Array

# Numbers of a block of rows that stays in the second-level cache while it is weighted and multiplied.
BLOCK = 1 << 16
# How far to go to the nearest edge of the box.
NEARLY = 0.99
# Added to the unit diagonal in turn until a factor exists: rows on the edge leave directions without curvature.
JITTERS = (0.0, 1e-14, 1e-12, 1e-10)


class Point(NamedTuple):
    """A point inside: x, the excess a'x - place above 0 and below it, each raised, and what weighs on each."""

    x: Array
    above: Array  # > 0, times `slack` tends to 0
    below: Array  # > 0, times z tends to 0
    z: Array  # > 0
    slack: Array  # d - z > 0

    @property
    def gap(self) -> float:
        """What is left between the two problems where x and z satisfy their equations."""
        return float(self.z @ self.below + self.slack @ self.above)


def interior_point(
    A: Array, place: Array, d: Array, c: Array, ridge: Array, x: Array, *, width: float, gap: float, max_iter: int = 100
) -> tuple[Array, Array, int]:
    """Solve to a duality gap of at most `gap`; see the head of this file.

    Parameters
    ----------
    A, place, d, c, ridge, x : arrays (m, q), (m,), (m,), (q,), (q,), (q,).  The problem, and the first x.
    width : float, (0, inf).  How far from their right values the scores at the first x may be.
    gap : float, [0, inf).  In units of the objective.
    max_iter : int, [0, inf).
    """
    excess = A @ x - place
    above = np.maximum(excess, 0.0) + width
    below = above - excess
    point = Point(x, above, below, d * above / (above + below), d * below / (above + below))
    best, kept = np.inf, point
    for iteration in range(max_iter + 1):
        rest = ridge * point.x + c + point.z @ A
        left = point.gap + _price(rest, ridge, point)
        if left < best:
            best, kept = left, point
        if left <= gap or left > 1e3 * best or iteration == max_iter:
            break
        stop_if_over()
        if should_end():
            break
        with np.errstate(all="ignore"):  # of what overflows there is no factor
            moved = _step(A, ridge, point, rest)
        if moved is None:  # rounding hides any further progress
            break
        point = moved
    return kept.x, kept.z, iteration


def _price(rest: Array, ridge: Array, point: Point) -> float:
    """What the violation of the dual equations adds to the gap."""
    held = ridge > 0.0
    return float((rest[held] ** 2 / ridge[held]).sum() / 2.0 + np.abs(rest[~held] * point.x[~held]).sum())


def _step(A: Array, ridge: Array, point: Point, rest: Array) -> Point | None:
    """Mehrotra's step: towards the edge first, to see how far that goes, then with what that tells of the path."""
    x, above, below, z, slack = point
    theta = 1.0 / (above / slack + below / z)
    H = weighted_gram(A, theta)
    H[np.diag_indices(len(ridge))] += ridge
    scale = 1.0 / np.sqrt(np.diag(H))
    H *= np.multiply.outer(scale, scale)
    factor = _factor(H) if np.isfinite(H).all() else None
    if factor is None:
        return None

    def direction(low: Array, high: Array) -> tuple[Array, Array, Array, Array]:
        """Of x, above, below and z, for the products z below and slack above to change by `low` and `high`."""
        pull = theta * (low / z - high / slack)
        dx = scale * cho_solve(factor, scale * (-rest - pull @ A), check_finite=False)
        dz = theta * (A @ dx) + pull
        return dx, (high + above * dz) / slack, (low - below * dz) / z, dz

    _, up, down, dz = direction(-z * below, -slack * above)
    primal, dual = _most(above, up, below, down), _most(z, dz, slack, -dz)
    mu = point.gap / (2 * len(z))
    left = (z + dual * dz) @ (below + primal * down) + (slack - dual * dz) @ (above + primal * up)
    target = (left / (2 * len(z)) / mu) ** 3 * mu
    dx, up, down, dz = direction(target - z * below - dz * down, target - slack * above + dz * up)
    primal, dual = NEARLY * _most(above, up, below, down), NEARLY * _most(z, dz, slack, -dz)
    moved = Point(x + primal * dx, above + primal * up, below + primal * down, z + dual * dz, slack - dual * dz)
    return moved if np.isfinite(moved.gap) else None


def weighted_gram(A: Array, theta: Array) -> Array:
    """``A' diag(theta) A``, block by block."""
    H, root = np.zeros((A.shape[1], A.shape[1])), np.sqrt(theta)[:, None]
    height = max(64, BLOCK // A.shape[1])
    for first in range(0, len(A), height):
        block = root[first : first + height] * A[first : first + height]
        H += block.T @ block
    return H


def _factor(H: Array) -> tuple[Array, bool] | None:
    for jitter in JITTERS:
        try:
            return cho_factor(H + jitter * np.eye(len(H)), check_finite=False)
        except np.linalg.LinAlgError:
            pass
    return None


def _most(a: Array, da: Array, b: Array, db: Array) -> float:
    """The largest step, 1 at the most, at which neither a nor b is negative."""
    most = 1.0 / NEARLY
    for v, dv in ((a, da), (b, db)):
        with np.errstate(divide="ignore"):
            most = min(most, float(np.min(-v / dv, initial=np.inf, where=dv < 0.0)))
    return most
