r"""Quantile regression as a linear program, solved through its dual.

Solves   min over beta, b of  (1/Σs) Σ s_i pinball(y_i - x_i'beta - b) + Σ_j kink_j |beta_j|
by       max over t of  Σ s_i y_i t_i  with low <= t_i <= high, |Σ s_i x_ij t_i| <= kink_j Σs, (intercept) Σ s_i t_i = 0
Given    a design that offers rows and columns, a pinball loss (its slopes are low < 0 < high on the sides of 0: for a
         quantile q, q - 1 and q), a penalty without ridge and bounds, or none.
Returns  beta and b, the multipliers of the constraints, and the dual point theta = -t.
From     Koenker and Bassett (1978), Econometrica 46(1); the solver is HiGHS, by ``scipy.optimize.linprog``.

The dual has p rows and n bounded columns, the primal n rows and 2(n + p) columns: measured on 5000 x 20 the dual is
13 times faster, on 200 x 300 twice.
"""

from math import inf
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.optimize import linprog

from separatrix.core.errors import cannot
from separatrix.core.problem import Problem
from separatrix.core.solution import Solution, Trace
from separatrix.core.types import Loss
from separatrix.core.verbs import conjugate, is_of_residual, slope, value
from separatrix.designs.base import Design


def solve(
    problem: Problem,
    *,
    tol: float = 1e-8,
    max_iter: int | None = None,
    start: None = None,
    trace: Trace | None = None,
    method: str = "highs",
    options: dict[str, Any] | None = None,
) -> Solution:
    """Minimise a quantile problem; `method`, `options` and `max_iter` go to ``linprog``.

    `tol`, `start` and `trace` have no effect: a vertex is found, to HiGHS's tolerances. ``details`` holds
    status and message.
    """
    options = {**({} if max_iter is None else {"maxiter": max_iter}), **(options or {})}
    kink, (low, high) = _kinks(problem), _pinball(problem.loss)
    target = problem.target
    rows = np.flatnonzero(target.weights > 0.0)  # a row of no weight has no part in the program
    design, y, s = problem.design.take(rows), target.y[rows], target.weights[rows]
    matrix, order, scale = _standardised(design, problem.intercept)
    y_centre = float(np.median(y)) if problem.intercept else 0.0
    y_scale = float(np.abs(y - y_centre).mean()) or 1.0
    weights = s / s.mean()

    result = _dual_program(
        matrix,
        (y - y_centre) / y_scale,
        weights,
        (low, high),
        kink[order] * rows.size / scale,
        problem.intercept,
        method,
        options,
    )
    beta, theta = np.zeros(design.p), np.zeros(target.n)
    if result.x is not None and result.eqlin is not None and len(result.eqlin.marginals):
        multipliers = -np.asarray(result.eqlin.marginals)[int(problem.intercept) :]
        beta[order] = multipliers * y_scale / scale + 0.0  # no negative zeros
        t = np.clip(result.x[: rows.size], low, high)
        if not kink.any():
            t = _exactly_orthogonal(design, s, t, (low, high), problem.intercept)
        theta[rows] = -t
    q = high / (high - low)
    intercept = weighted_quantile(y - design.matvec(beta), s, q) if problem.intercept else 0.0
    details = {"status": int(result.status), "message": str(result.message)}
    return Solution(beta, intercept, theta=theta, details=details, iterations=int(result.nit))


def _kinks(problem: Problem) -> np.ndarray:
    """The strength of the absolute value of each coefficient; a penalty that is more than that is refused."""
    parts = problem.parts
    bounded = np.isfinite(parts.low).any() or np.isfinite(parts.high).any()
    if bounded or parts.ridge.any():
        raise cannot(
            f"solve a linear program with the penalty {problem.penalty}",
            because="it has bounds that the program does not know" if bounded else "its squares are not linear",
            instead="L1 or no penalty",
        )
    return parts.kink


def is_pinball(loss: Loss) -> bool:
    """Whether a loss is linear on either side of a residual of 0, so that this program is its problem.

    A convex function of the residual that is 0 at 0 has a conjugate >= 0. If that is 0 at both ends of its domain, it
    is 0 on all of it, and the function is linear on either side of 0.
    """
    if not is_of_residual(loss) or value(loss, 0.0, 0.0) != 0.0:
        return False
    low, high = _slopes(loss)
    return -inf < low < 0.0 < high < inf and not any(conjugate(loss, 0.0, -u) for u in (low, high))


def _slopes(loss: Loss) -> tuple[float, float]:
    """The slopes of a loss far below and far above 0, as a function of the residual y - eta."""
    return -slope(loss, 0.0, inf), -slope(loss, 0.0, -inf)


def _pinball(loss: Loss) -> tuple[float, float]:
    """The slopes of a pinball loss below and above 0."""
    if not is_pinball(loss):
        raise cannot(
            f"solve a linear program with the loss {type(loss).__name__}",
            because="it is not linear on either side of a residual of 0",
            instead="Quantile",
        )
    return _slopes(loss)


def weighted_quantile(r: np.ndarray, s: np.ndarray, q: float) -> float:
    """The smallest r_i below or at which lies a share q of the weights: of all optimal intercepts the lowest.

    >>> weighted_quantile(np.array([1.0, 2.0, 3.0, 4.0]), np.ones(4), 0.5)
    2.0
    """
    order = np.argsort(r, kind="stable")
    below = np.cumsum(s[order])
    # the share is met up to the rounding of the sum, so that weights and repetitions meet it at the same row
    first = np.searchsorted(below, q * below[-1] * (1.0 - 1e-13))
    return float(r[order[min(first, r.size - 1)]])


def _standardised(design: Design, intercept: bool) -> tuple[Any, np.ndarray, np.ndarray]:
    """Columns about their means, in units of their spread, as (sparse matrix, order of columns, spreads).

    Only columns without a zero are centred: a sparse design stays sparse, and no other column is far from zero.
    """
    block = design.block(slice(0, design.n))
    filled = np.asarray((block != 0.0).sum(axis=0)) == design.n
    full, rest = np.flatnonzero(filled & intercept), np.flatnonzero(~(filled & intercept))
    dense = design.columns(full)
    matrix = sp.hstack([sp.csc_array(dense - dense.mean(axis=0)), sp.csc_array(block[:, rest])], format="csc")
    scale = np.sqrt(np.asarray((matrix * matrix).sum(axis=0)) / design.n)
    scale[scale == 0.0] = 1.0
    return sp.csc_array(matrix * (1.0 / scale)), np.concatenate([full, rest]), scale


def _dual_program(
    matrix: Any,
    y: np.ndarray,
    weights: np.ndarray,
    slopes: tuple[float, float],
    bound: np.ndarray,
    intercept: bool,
    method: str,
    options: dict[str, Any],
) -> Any:
    """Run the dual; the penalty's interval becomes p bounded slacks: ``Σ s x_j t - z_j = 0``, ``|z_j| <= bound_j``."""
    n, p = matrix.shape
    blocks = [sp.csr_array(matrix.T * weights)]
    if intercept:
        blocks.insert(0, sp.csr_array(weights[None, :]))
    A = sp.vstack(blocks, format="csc")
    low, high, cost = np.full(n, slopes[0]), np.full(n, slopes[1]), -weights * y
    if np.any(bound > 0.0):
        slack = sp.vstack([sp.csr_array((int(intercept), p)), -sp.eye_array(p)]) if intercept else -sp.eye_array(p)
        A = sp.hstack([A, slack], format="csc")
        low, high, cost = np.append(low, -bound), np.append(high, bound), np.append(cost, np.zeros(p))
    return linprog(
        cost, A_eq=A, b_eq=np.zeros(A.shape[0]), bounds=np.column_stack([low, high]), method=method, options=options
    )


def _exactly_orthogonal(
    design: Design, s: np.ndarray, t: np.ndarray, slopes: tuple[float, float], intercept: bool
) -> np.ndarray:
    """t corrected on the rows that are free to move, until ``Σ s_i x_i t_i = 0`` up to rounding.

    Without a penalty the bound on the gap holds only there; the program's own vertex misses it where columns are nearly
    dependent (powers of one variable up to the eighth: relative gap 0.12 before, 5e-14 after).
    """
    free = np.flatnonzero((t > slopes[0]) & (t < slopes[1]))
    if not free.size:
        return t
    left = s[free, None] * design.take(free).columns(np.arange(design.p))
    if intercept:
        left = np.column_stack([s[free], left])
    size = np.sqrt((left * left).sum(axis=0))
    size[size == 0.0] = 1.0
    for _ in range(2):
        missing = design.rmatvec(s * t)
        if intercept:
            missing = np.append(s @ t, missing)
        move = np.linalg.lstsq((left / size).T, missing / size, rcond=None)[0]
        t = t.copy()
        t[free] = np.clip(t[free] - move, *slopes)
    return t
