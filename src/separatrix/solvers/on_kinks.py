r"""The equations of the rows that lie on their kinks: they end an interior point at the optimum itself.

Solves   ridge x + A_F'z_F = -(c + A_B'z_B),   A_F x = place_F       for the rows F on a kink, B being the others
Given    the problem of :mod:`separatrix.solvers.interior_point`, and a point near its optimum.
Returns  x and z; the point as it was, where no set of rows near it turns out right.
Cost     |F| q², or |F|² q where there are fewer rows F than columns, a few times. Dependent rows have many z, of
         which the nearest to the given one is taken.
"""

import numpy as np

from separatrix.core.types import Array

# The equations of more rows are not solved.
MOST = 4000
# Sets of rows to try: each puts right what was wrong of the one before.
TRIALS = 6
# Singular values below this share of the largest are rounding: rows that are combinations of others.
NEGLIGIBLE = 1e-13
REFINEMENTS = 3
ROUNDING = 1e-10
EPS = float(np.finfo(np.float64).eps)


def on_kinks(A: Array, place: Array, d: Array, c: Array, ridge: Array, x: Array, z: Array) -> tuple[Array, Array]:
    """The optimum near a point, if it is found; see the head of this file."""
    eta, held = A @ x, ridge > 0.0
    excess, size = eta - place, float((np.abs(eta) + np.abs(place)).mean()) or 1.0
    share, spread = z / d, float(np.abs(excess).mean()) or 1.0
    free = (share > np.maximum(-excess, 0.0) / spread) & (1.0 - share > np.maximum(excess, 0.0) / spread)
    # c and the pulls nearly cancel where the ridge is small: what their rounding may do to a score
    rounding = 4.0 * EPS * np.divide(np.abs(c) + d @ np.abs(A), ridge, out=np.zeros_like(c), where=held)
    near = ROUNDING * size + float((np.abs(A) @ rounding).max())
    up = share > 0.5  # of the others: which pull with all their weight
    for _ in range(TRIALS):
        F = np.flatnonzero(free)
        if len(F) > MOST:
            break
        pulls, moved = np.where(free, z, np.where(up, d, 0.0)), x.copy()
        outside = c + pulls[~free] @ A[~free]
        pulls[F], moved[~held] = _solved(A[F], place[F], outside, ridge, held, z[F], x[~held])
        moved[held] = -(c + pulls @ A)[held] / ridge[held]
        if len(F):  # the rows on kinks say where x is where the ridge is too small to
            moved = moved + np.linalg.lstsq(A[F], place[F] - A[F] @ moved, rcond=NEGLIGIBLE)[0]
        after = A @ moved - place
        if not len(F):  # any intercept between the nearest kinks on either side
            moved, after = _halfway(moved, after, up, held)
        low, high = free & (pulls < -ROUNDING * d), free & (pulls > (1.0 + ROUNDING) * d)
        crossed = ~free & np.where(up, after < -near, after > near)
        if not (low | high | crossed).any():
            solved = bool((np.abs(after[F]) <= near).all())
            solved &= bool((np.abs((c + pulls @ A)[~held]) <= ROUNDING * d.max()).all())
            return (moved, np.clip(pulls, 0.0, d)) if solved else (x, z)
        free, up = (free & ~low & ~high) | crossed, (up & ~low) | high
    return x, z


def _halfway(x: Array, excess: Array, up: Array, held: Array) -> tuple[Array, Array]:
    """The intercept halfway between the scores' nearest kinks above and below, and the excess there."""
    down, rise = excess[up].min(initial=np.inf), -excess[~up].max(initial=-np.inf)
    if held.all() or not np.isfinite(down + rise):
        return x, excess
    move = 0.5 * (rise - down)
    return np.where(held, x, x + move), excess + move


def _solved(
    A: Array, place: Array, outside: Array, ridge: Array, held: Array, z: Array, x_free: Array
) -> tuple[Array, Array]:
    """z of the rows on kinks and the coordinates without a ridge; those with one follow from z.

    ``K z - A_0 x_0 = -place - A ridge^-1 outside`` and ``A_0'z = -outside_0``, for ``K = A ridge^-1 A'`` and the
    columns A_0 without a ridge. Of more rows than columns the triangle of a QR factorisation is taken in their place.
    """
    if len(A) > A.shape[1]:
        Q, R = np.linalg.qr(A)
        inner = Q.T @ z
        moved, x_free = _solved(R, Q.T @ place, outside, ridge, held, inner, x_free)
        return z + Q @ (moved - inner), x_free
    Z, loose, m = A[:, held], A[:, ~held], len(A)
    scaled = Z / ridge[held]
    M = np.zeros((m + loose.shape[1],) * 2)
    M[:m, :m], M[:m, m:], M[m:, :m] = scaled @ Z.T, -loose, -loose.T
    right = np.append(-place - scaled @ outside[held], outside[~held])
    # K and the columns beside it have different units
    root = float(np.sqrt(np.diag(M)[:m].max(initial=0.0))) or 1.0
    unit = np.append(np.full(m, 1.0 / root), np.full(loose.shape[1], root))
    inverse = np.linalg.pinv(unit[:, None] * M * unit, rcond=NEGLIGIBLE, hermitian=True)
    solved = np.append(z, x_free)
    for _ in range(REFINEMENTS):
        solved = solved + unit * (inverse @ (unit * (right - M @ solved)))
    return solved[:m], solved[m:]
