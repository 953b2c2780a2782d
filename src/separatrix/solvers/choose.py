"""Which solver for which problem: the one place that decides by shape and storage."""

from typing import Any

import numpy as np

from separatrix.core.certificate import certify
from separatrix.core.objective import null_score
from separatrix.core.problem import Problem
from separatrix.core.solution import Solution, Trace
from separatrix.core.time_limit import should_end
from separatrix.core.verbs import is_convex, is_joint, largest_curvature
from separatrix.solvers.conjugate_gradient import conjugate_gradient
from separatrix.solvers.descent import descend
from separatrix.solvers.direct import least_squares
from separatrix.solvers.dual import dual_ridge
from separatrix.solvers.dual_coordinate import dual_coordinate
from separatrix.solvers.dual_coordinate_smooth import dual_coordinate_smooth
from separatrix.solvers.near_kinks import near_kinks
from separatrix.solvers.newton_by_blocks import newton_by_blocks
from separatrix.solvers.newton_raphson import newton
from separatrix.solvers.nonnegative import nonnegative_least_squares
from separatrix.solvers.preconditioner import ALL
from separatrix.solvers.proximal_newton import proximal_newton
from separatrix.solvers.quasi_newton import quasi_newton
from separatrix.solvers.row_space import in_row_space

# What may be called below, for declarations: for squared error without a penalty, and with a ridge (where coefficients
# can be bounded by 0 "solvers.nonnegative", too); for any separable penalty; for a likelihood under a ridge in memory,
# of any curvature or of a bounded one; and for any of the latter.
LEAST_SQUARES = ("solvers.direct", "solvers.linalg.refine", "solvers.conjugate_gradient")
RIDGE = (*LEAST_SQUARES, "solvers.dual")
SEPARABLE = ("solvers.proximal_newton", "solvers.newton_by_blocks")
SMOOTH = ("solvers.quasi_newton", "solvers.row_space")
BOUNDED = (*SMOOTH, "solvers.dual_coordinate_smooth")
LIKELIHOOD = (*BOUNDED, *SEPARABLE)
# For losses of a margin, squared or with kinks, under a ridge.
SQUARED_MARGIN = (*BOUNDED, "solvers.newton_raphson")
KINKED = ("solvers.near_kinks", "solvers.row_space", "solvers.dual_coordinate")
# Methods of a smooth loss of one score that can be asked for by name, to be watched.
BY_NAME = {"newton": newton, "gradient": descend}
WATCHED = ("solvers.newton_raphson", "solvers.descent")

# With fewer rows than columns and a penalty, the triangle of the columns is formed up to this many of them.
WIDE_TRIANGLE = 200
# Fewer operations than these for the inner products of the rows, n² p, are over before iterations would be.
QUICK = 1 << 31
# The n-by-n matrix of inner products is formed for at most this many rows (800 MB).
MOST_ROWS = 10_000
# Newton's steps cost n p² each; of so many columns they are taken where gradients do not get there.
NEWTON_COLUMNS = 1000
FEW_GRADIENTS = 100
# Where a pass of dual coordinate ascent divides the gap by less than this, gradients are faster, measured on text.
SLOWEST = 1.1
# Likelihoods of so many columns are solved with them as they are, even where there are fewer rows.
FEW_COLUMNS = 200


def solve_least_squares(
    problem: Problem,
    *,
    tol: float = 1e-14,
    max_iter: int | None = None,
    start: tuple[Any, Any] | None = None,
    trace: Trace | None = None,
) -> Solution:
    """Squared error. Least squares or ridge: by a factorisation where one is affordable, else by conjugate gradients.

    Large wide designs go to conjugate gradients first: with many columns the inner products of the rows are usually
    well conditioned, and a dozen reads of X are cheaper than n² p operations. Where that does not converge, a
    factorisation takes over. Coefficients that must only not be negative go to the active-set method; kinks and
    other bounds are those of a separable penalty.
    """
    design = problem.design
    penalty = problem.parts
    if penalty.kink.any() or not penalty.unbounded.all():
        if penalty.is_nonnegative and not penalty.kink.any():
            return nonnegative_least_squares(problem, tol=tol)
        return solve_separable(problem, tol=tol, max_iter=max_iter or 100, start=start, trace=trace)
    ridge = penalty.ridge
    quick = design.n**2 * design.p <= QUICK
    penalised, one_ridge = bool(ridge.all()), bool((ridge == ridge[0]).all())
    dual = penalised and one_ridge
    if design.is_streamed or design.forms_gram or (quick and (not dual or design.p <= WIDE_TRIANGLE)):
        return least_squares(problem, trace=trace)
    if quick:
        return dual_ridge(problem)
    affordable = (dual or (not penalised and design.gram_is_cheap)) and design.n <= MOST_ROWS
    limit = min(max_iter or 60, 60) if affordable else max_iter or 10 * min(design.n, design.p)
    solution = conjugate_gradient(problem, tol=tol, max_iter=limit, trace=trace)
    if not solution.details["reached"] and affordable:
        return dual_ridge(problem) if dual else least_squares(problem)
    return solution


def solve_likelihood(
    problem: Problem,
    *,
    tol: float = 1e-8,
    max_iter: int = 100,
    start: tuple[Any, Any] | None = None,
    trace: Trace | None = None,
    method: str = "",
) -> Solution:
    """A smooth loss: on working sets where the penalty has kinks or bounds, else by full gradients; streams by blocks.

    With few rows, many columns and a ridge on all of them, in the space of the rows; sparse rows, many of them and many
    columns, one row at a time. `method` names one of ``BY_NAME``, which is taken for one score; streams are solved by
    Newton's steps in any case. A loss that is not convex is solved by Fisher's scoring, in memory, from the null model.
    """
    design = problem.design
    penalty = problem.parts
    if not is_convex(problem.loss):
        start = (np.zeros(design.p), float(null_score(problem))) if start is None else start
        return newton(problem, tol=tol, max_iter=max_iter, start=start, trace=trace)
    if method in BY_NAME and not is_joint(problem.loss) and not (design.is_streamed and method == "newton"):
        return BY_NAME[method](problem, tol=tol, max_iter=max_iter, start=start, trace=trace)
    if design.is_streamed or penalty.kink.any() or not penalty.unbounded.all():
        return solve_separable(problem, tol=tol, max_iter=max_iter, start=start, trace=trace)
    few = design.n <= ALL and design.n < design.p and design.p > FEW_COLUMNS
    if few and penalty.ridge.all() and start is None and trace is None:
        return in_row_space(problem, tol=tol, max_iter=max_iter)
    if start is None and _suits_rows_in_turn(problem):
        return _rows_in_turn_first(problem, tol, max_iter, trace)
    return quasi_newton(problem, tol=tol, max_iter=max_iter, start=start, trace=trace)


def _suits_rows_in_turn(problem: Problem) -> bool:
    """Whether X is sparse, of many rows and many columns, under one ridge, and the curvature of the loss is bounded."""
    design, ridge = problem.design, problem.parts.ridge
    return bool(
        not (design.is_streamed or design.gram_is_cheap or is_joint(problem.loss))
        and design.n > ALL
        and design.p > NEWTON_COLUMNS
        and ridge[0] > 0.0
        and np.ptp(ridge) == 0.0
        and largest_curvature(problem.loss) < np.inf
    )


def _rows_in_turn_first(problem: Problem, tol: float, max_iter: int, trace: Trace | None) -> Solution:
    """Dual coordinate ascent; where it is slow, gradients in its place: its coefficients are no better start than 0."""
    ascent = dual_coordinate_smooth(problem, tol=tol, max_iter=max_iter, trace=trace, slowest=SLOWEST)
    if ascent.details["reached"] or ascent.iterations >= max_iter or should_end():
        return ascent
    solution = quasi_newton(problem, tol=tol, max_iter=max_iter - ascent.iterations, trace=trace)
    solution.iterations, solution.passes = solution.iterations + ascent.iterations, solution.passes + ascent.passes
    return solution


def solve_separable(
    problem: Problem,
    *,
    tol: float = 1e-8,
    max_iter: int = 100,
    start: tuple[Any, Any] | None = None,
    trace: Trace | None = None,
) -> Solution:
    """A smooth loss under any separable penalty: on working sets of columns, or by blocks of rows of a stream."""
    solve = newton_by_blocks if problem.design.is_streamed else proximal_newton
    return solve(problem, tol=tol, max_iter=max_iter, start=start, trace=trace)


def solve_squared_margin(
    problem: Problem,
    *,
    tol: float = 1e-8,
    max_iter: int = 1000,
    start: tuple[Any, Any] | None = None,
    trace: Trace | None = None,
) -> Solution:
    """A loss made of pieces of parabolas: by gradients; where these take long, by Newton's steps, which end exactly.

    They do once the rows on each piece are those of the optimum.
    """
    few = problem.design.p <= NEWTON_COLUMNS and not problem.parts.kink.any()
    most = min(max_iter, FEW_GRADIENTS) if few else max_iter
    solution = solve_likelihood(problem, tol=tol, max_iter=most, start=start, trace=trace)
    settled = solution.iterations < most and certify(problem, solution, tol).converged
    if not few or settled or most == max_iter or should_end():
        return solution
    end = solution.beta, solution.intercept
    finer = newton(problem, tol=tol, max_iter=max_iter - most, start=end, trace=trace)
    finer.iterations, finer.passes = finer.iterations + solution.iterations, finer.passes + solution.passes
    return finer


def solve_kinked(
    problem: Problem,
    *,
    tol: float = 1e-8,
    max_iter: int = 1000,
    start: tuple[Any, Any] | None = None,
    trace: Trace | None = None,
) -> Solution:
    """A loss that is linear but for kinks, under a ridge: by an interior point, where few rows are, in their space.

    Of many rows and many columns by one row at a time.
    """
    design = problem.design
    if design.n < design.p and design.n <= ALL and start is None and trace is None:
        return in_row_space(problem, tol=tol, max_iter=max_iter, solve=near_kinks)
    one_ridge = bool(np.ptp(problem.parts.ridge) == 0.0)
    solve = dual_coordinate if design.p > NEWTON_COLUMNS and one_ridge and start is None else near_kinks
    return solve(problem, tol=tol, max_iter=max_iter, start=start, trace=trace)
