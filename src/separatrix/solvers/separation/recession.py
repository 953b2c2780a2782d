r"""The cone of directions along which no row loses: ``{w : A w >= 0}``, with proof.

Given    rows A (m, q), each signed so that a score ``a_i w > 0`` is right.
Returns  the rows that some direction of the cone lifts off zero (``above``), a direction that lifts all of them at
         once, and multipliers a >= 0 with ``A'a = 0`` that hold the others down.

Stiemke's lemma (1915): either some w has ``A w >= 0`` and ``A w != 0``, or some a > 0 has ``A'a = 0``. Gordan's (1873):
either some w has ``A w > 0``, or some a >= 0, not all zero, has ``A'a = 0``. If a >= 0 and ``A'a = 0``, every w with
``A w >= 0`` is zero on the rows with a_i > 0 (``Σ a_i (A w)_i = 0``), hence on all rows that these span: that is the
form in which multipliers are used, on the rows that are not above.

Methods, each tried where the one before proves nothing: Newton's method for the logistic likelihood (its residuals at a
maximum are such multipliers); non-negative least squares, ``min |A'(1 + l)|, l >= 0``, whose residual is 0 or, by its
optimality conditions, a direction of the cone (Lawson and Hanson 1974, chapter 23); a linear program by HiGHS.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.optimize import linprog, nnls
from scipy.special import expit

from separatrix.core.extended import Pair, pair_matvec, pair_rmatvec
from separatrix.core.time_limit import stop_if_over
from separatrix.core.types import Array, Matrix
from separatrix.designs.factor import triangle_of
from separatrix.solvers.separation.exact_signs import EPS, Direction, null_vector, signs

NEWTON_STEPS = 8
# In coordinates where the columns are orthonormal and the rows have length one, a smaller score counts as zero until
# exact arithmetic has looked at it.
NEGLIGIBLE = 1e-9
PROGRAM_SECONDS = 60.0
WELL_CONDITIONED = 1e6


@dataclass
class Face:
    """What is known of the cone; all of it checked where `proven`, evidence only where not.

    Attributes
    ----------
    w : (q,) array of float, or list of int.  A direction with ``A w > 0`` on the rows `above` and 0 elsewhere.
    a : (m,) array.  Multipliers, >= 0, zero above.
    above : (m,) array of bool.
    kept : (r,) array of int.  Columns that are no linear combination of those before them; w is zero in the others.
    """

    w: Direction
    a: np.ndarray
    above: np.ndarray
    proven: bool
    kept: np.ndarray | None = None


def recession(A: Array) -> Face:
    """The Face of the dense rows A; directions in the null space of A are left out.

    >>> recession(np.array([[1.0, 2.0], [-1.0, 1.0]])).above, recession(np.array([[1.0], [-2.0]])).above
    (array([ True,  True]), array([False, False]))
    """
    scale = powers_of_two(np.abs(A).max(axis=0, initial=0.0))
    scaled = A * scale
    kept = independent(scaled)
    C = scaled[:, kept]
    face = _resolve(C) if len(kept) else Face(np.zeros(0), np.ones(len(A)), np.zeros(len(A), dtype=bool), True)
    return Face(_unscaled(face.w, kept, scale), face.a, face.above, face.proven, kept)


def powers_of_two(size: Array | float) -> Any:
    """One over each size, rounded to a power of two: scaling by it is exact."""
    exponent = -np.frexp(np.where(size > 0.0, size, 1.0))[1]
    return np.ldexp(1.0, np.minimum(exponent, 1023))  # of subnormal numbers the largest power that there is


def _unscaled(w: Direction, kept: Array, scale: Array) -> Direction:
    if isinstance(w, list):  # integers: the powers of two become integers over a common denominator
        lowest = int(np.frexp(scale[kept])[1].min())
        whole = [0] * len(scale)
        for j, v in zip(kept, w):
            whole[j] = v << (int(np.frexp(scale[j])[1]) - lowest)
        return whole
    whole = np.zeros(len(scale))
    whole[kept] = np.asarray(w) * scale[kept]
    return whole


def independent(A: Array) -> Array:
    """Columns that are no linear combination of those before them, to working precision.

    A column that is nearly a combination leaves a remainder whose direction is known to few digits; what of a later
    column lies along it is known to no more.
    """
    R = triangle_of(A)
    limit = 64.0 * EPS * np.sqrt(max(A.shape))
    basis, doubt = np.zeros((R.shape[0], 0)), np.zeros(0)
    kept: list[int] = []
    for j, column in enumerate(R.T):
        if len(kept) == R.shape[0]:
            break
        along = basis.T @ column
        rest = column - basis @ along
        rest -= basis @ (basis.T @ rest)
        length, error = np.linalg.norm(rest), limit * np.linalg.norm(column) + np.abs(along) @ doubt
        if length > error:
            kept.append(j)
            basis = np.column_stack([basis, rest / length])
            doubt = np.append(doubt, error / length)
    return np.array(kept, dtype=int)


def _resolve(C: Array) -> Face:
    rows = Orthonormal(C)
    face = _by_newton(rows) or _by_least_squares(rows)
    if face is not None and face.proven:
        return face
    return _by_program(rows) or face or Face(np.zeros(C.shape[1]), np.zeros(len(C)), np.zeros(len(C), bool), False)


class Orthonormal:
    """Rows C of full column rank, in coordinates ``w = T u`` in which ``M = C T`` has nearly orthonormal columns."""

    def __init__(self, C: Array) -> None:
        self.C = C
        R = np.linalg.qr(C, mode="r")
        # what is proved below holds for any T; orthonormal columns only make it easy
        self.T = np.linalg.inv(R)
        values = np.linalg.svd(R, compute_uv=False)
        self.condition = values[0] / values[-1]
        if self.condition < WELL_CONDITIONED:
            self.M = C @ self.T
        else:  # the product cancels: doubled precision leaves M right to the last digits
            self.M = np.column_stack([pair_matvec(C, Pair(t, np.zeros_like(t))).high for t in self.T.T])
            self.condition = 1.0 + self.condition * self.condition * EPS

    def direction(self, u: Array) -> Array:
        """w with ``C w = M u``."""
        return self.T @ u

    def balance(self, a: Array) -> Array:
        """``M'a = T'(C'a)``, with C'a summed in doubled precision."""
        return self.T.T @ pair_rmatvec(self.C, Pair(a, np.zeros_like(a))).high

    def polished(self, a: Array) -> Array | None:
        """Multipliers near a with ``C'a = 0`` to rounding, or None where some would be negative.

        The change is least relative to a: ``a - a² M g`` with ``M'diag(a²)M g = M'a``.
        """
        for _ in range(3):
            stop_if_over()
            weighted = a[:, None] * self.M
            try:
                g = np.linalg.solve(weighted.T @ weighted, self.balance(a))
            except np.linalg.LinAlgError:
                return None
            a = a - a * (weighted @ g)
            if not (a >= 0.0).all():  # NaN included
                return None
        return a

    def holds(self, a: Array) -> bool:
        """Whether a >= 0 proves that no direction of the cone lifts any row.

        If ``A w >= 0`` then ``|r| |u| >= r'u = Σ a_i (M u)_i >= |diag(a) M u| >= sigma |u|`` for ``w = T u`` and
        ``r = M'a``. So ``|r| < sigma``, the smallest singular value of diag(a) M, leaves only w = 0; r need not vanish
        exactly, and rounding is allowed for.
        """
        if a is None or not (a >= 0.0).all() or not np.isfinite(a).all() or len(a) < self.M.shape[1]:
            return False
        sigma = np.linalg.svd(a[:, None] * self.M, compute_uv=False)
        rounding = 64.0 * EPS * self.condition * np.sqrt(len(sigma)) * sigma[0]
        return bool(2.0 * np.linalg.norm(self.balance(a)) + rounding < sigma[-1])


def _by_newton(rows: Orthonormal) -> Face | None:
    """A few steps up the likelihood: soon a separating direction or multipliers, if the case is a clear one."""
    M, u = rows.M, np.zeros(rows.M.shape[1])
    for _ in range(NEWTON_STEPS):
        scores = M @ u
        if scores.min() > 0.0:
            w = rows.direction(u)
            if (signs(rows.C, w) > 0).all():
                return Face(w, np.zeros(len(M)), np.ones(len(M), dtype=bool), True)
        a = expit(-scores)
        polished = rows.polished(a)
        if polished is not None and rows.holds(polished):
            return Face(np.zeros_like(u), polished, np.zeros(len(M), dtype=bool), True)
        try:
            u = u + np.linalg.solve((M * (a * (1.0 - a))[:, None]).T @ M, M.T @ a)
        except np.linalg.LinAlgError:
            return None
        if not np.isfinite(u).all() or np.abs(M @ u).max() > 500.0:
            return None
    return None


def _by_least_squares(rows: Orthonormal) -> Face | None:
    """Lift what can be lifted, row set by row set, until the rest is held by multipliers."""
    m, q = rows.M.shape
    length = np.linalg.norm(rows.M, axis=1)
    M = rows.M / np.where(length > 0.0, length, 1.0)[:, None]
    held, lifts, a = np.arange(m), [], np.zeros(m)
    while len(held):
        part = M[held]
        try:
            extra, _ = nnls(part.T, -part.sum(axis=0), maxiter=10 * (m + q))
        except RuntimeError:
            return None
        u = part.T @ (1.0 + extra)
        size = np.linalg.norm(u)
        if size <= 64.0 * EPS * q * (1.0 + extra).sum():
            a[held] = (1.0 + extra) / np.where(length[held] > 0.0, length[held], 1.0)
            break
        scores = part @ (u / size)
        up = scores > NEGLIGIBLE
        if not up.any() or scores.min() < -NEGLIGIBLE:
            return None
        lifts.append((u / size, held[up]))
        held = held[~up]
    above = np.ones(m, dtype=bool)
    above[held] = False
    u = (_widest(M) if above.all() else None) if len(lifts) else np.zeros(q)
    return finish(rows, rows.direction(_combined(M, lifts) if u is None else u), above, a)


def _combined(M: Array, lifts: list[tuple[Array, Array]]) -> Array:
    """One direction of several, each of which lifts rows that those before it leave at zero."""
    u = lifts[-1][0]
    for earlier, raised in reversed(lifts[:-1]):
        room = (M[raised] @ earlier).min()
        u = earlier + 0.5 * room / max(np.abs(M @ u).max(), EPS) * u
    return u


def _widest(M: Array) -> Array | None:
    """The direction of largest margin, ``min |u|`` with ``M u >= 1``, or None where rounding hides it.

    Lawson and Hanson (1974), chapter 23, algorithm LDP.
    """
    E = np.vstack([M.T, np.ones(len(M))])
    target = np.zeros(len(E))
    target[-1] = 1.0
    try:
        weights, _ = nnls(E, target, maxiter=10 * len(M))
    except RuntimeError:
        return None
    rest = E @ weights - target
    if rest[-1] == 0.0:
        return None
    u = -rest[:-1] / rest[-1]
    return u if (M @ u).min() > 0.5 else None


def _by_program(rows: Orthonormal) -> Face | None:
    """``max Σ p_i`` with ``C'(p + e) = 0``, ``0 <= p <= 1``, ``e >= 0``: p is then 1 on held rows, 0 above."""
    solved = program(rows.C)
    if solved is None:
        return None
    w, a, above = solved
    return finish(rows, w, above, a)


def program(C: Matrix) -> tuple[Array, Array, Array] | None:
    """Direction, multipliers and rows above by HiGHS, or None; for dense or sparse C.

    The multipliers of the q constraints are a direction that lifts every row above by at least 1.
    """
    m, q = C.shape
    both = sp.hstack([sp.csc_array(C.T), sp.csc_array(C.T)], format="csc")
    result = linprog(
        np.concatenate([-np.ones(m), np.zeros(m)]),
        A_eq=both,
        b_eq=np.zeros(q),
        bounds=np.column_stack([np.zeros(2 * m), np.concatenate([np.ones(m), np.full(m, np.inf)])]),
        method="highs",
        options={"time_limit": PROGRAM_SECONDS, "primal_feasibility_tolerance": 1e-9},
    )
    if result.status != 0:
        return None
    above = result.x[:m] < 0.5
    return -np.asarray(result.eqlin.marginals), np.where(above, 0.0, result.x[:m] + result.x[m:]), above


def finish(rows: Orthonormal, w: Array, above: Array, a: Array) -> Face:
    """The Face of a finding, checked: signs of ``C w`` exactly, multipliers on the rows that are not above."""
    C = rows.C
    if above.all():
        return Face(w, np.zeros(len(C)), above, bool((signs(C, w) > 0).all()))
    if not above.any():
        polished = rows.polished(a)
        if polished is not None and rows.holds(polished):
            return Face(np.zeros(C.shape[1]), polished, above, True)
        return Face(np.zeros(C.shape[1]), a, above, False)
    whole, down = np.zeros(len(C)), ~above
    kept = independent(C[down])
    if len(kept):
        below = Orthonormal(C[down][:, kept])
        polished = below.polished(a[down])
        held = polished is not None and below.holds(polished)
        whole[down] = polished if held else a[down]
    else:  # the rows that are left are zero: nothing can lift them
        held, whole[down] = True, 1.0
    for integers in null_vector(C[down], w):
        row_signs = signs(C, integers)
        if (row_signs[above] > 0).all() and (row_signs[down] == 0).all():
            return Face(integers, whole, above, held)
    return Face(w, whole, above, False)
