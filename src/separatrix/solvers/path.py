"""One problem along a path of strengths of its penalty, from strong to weak.

Solves   the problem for each of several strengths, each started from the last solution.
Given    a Problem (its penalty aside), strengths in any order and the penalty at a strength.
Returns  coefficients (L, p) or (L, p, k), intercepts (L,) or (L, k), relative gaps (L,) and iterations (L,), in the
         order of the strengths given.
From     Friedman, Hastie and Tibshirani (2010), J. Statist. Software 33(1); Tibshirani et al. (2012), J. R. Statist.
         Soc. B 74(2), strong rules.
Cost     squared error on tall designs: one Gram matrix, n p², then nothing of size n; else about a read of X for each
         strength that makes zeros, and one set of columns in play for the whole path.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from separatrix.core.certificate import certify
from separatrix.core.problem import Problem
from separatrix.core.separable import as_separable
from separatrix.core.verbs import is_squared_error
from separatrix.solvers.choose import solve_likelihood
from separatrix.solvers.gram_coordinate import GramProblem
from separatrix.solvers.proximal_newton import solve_at
from separatrix.solvers.working_set import WorkingSet

# A Gram matrix of all columns takes n p² operations, a read of X for each of L strengths 8 n p L bytes; on the machines
# we know a byte takes as long as two operations, so that the matrix is cheaper up to p = 16 L.
COLUMNS_PER_STRENGTH = 16
HUGE = 1e300  # a strength that leaves only zeros

Point = tuple[np.ndarray, Any, float, int]  # coefficients, intercept, relative gap, iterations
Path = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]


def strength_grid(problem: Problem, *, eps: float = 1e-3, count: int = 100) -> np.ndarray:
    """Factors of the penalty of squared error, evenly in logarithm, from the smallest that leaves nothing but zeros.

    Coefficients that nothing keeps at 0 are fitted first, as the intercept is. The last factor is `eps` times the
    first.
    """
    penalty = problem.parts
    sparse = penalty.kink > 0.0
    if penalty.dense.any():
        state = WorkingSet(replace(problem, penalty=penalty._replace(kink=np.where(sparse, HUGE, 0.0))))
        solve_at(state, 1e-10)
        v = state.v
    else:
        target = problem.target
        y = target.y - target.mean() if problem.intercept else target.y
        v = problem.design.rmatvec(y if target.s is None else target.s * y) / target.total
    problem.design.refuse_if_not_finite(v)  # rows of a fold may hide what would make every strength NaN
    reach = np.maximum(np.where(penalty.high > 0.0, v, 0.0), np.where(penalty.low < 0.0, -v, 0.0))
    largest = float((reach[sparse] / penalty.kink[sparse]).max(initial=0.0))
    if largest <= np.finfo(np.float64).resolution:
        return np.full(count, np.finfo(np.float64).resolution)
    return np.geomspace(largest, eps * largest, count)


def path(
    problem: Problem,
    strengths: Sequence[float],
    penalty_at: Callable[[float], Any],
    *,
    tol: float = 1e-8,
    max_iter: int = 100,
) -> Path:
    """Solve for each strength; see the head of this file. A penalty holds p numbers: there is one at a time."""
    order = np.argsort(-np.asarray(strengths, dtype=np.float64), kind="stable")
    solve = _way(problem, penalty_at(float(np.min(strengths))), len(strengths))
    penalties = (penalty_at(float(strengths[place])) for place in order)
    outputs = problem.target.outputs
    coefficients, intercepts = np.zeros((len(order), problem.design.p, *outputs)), np.zeros((len(order), *outputs))
    gaps, iterations = np.zeros(len(order)), np.zeros(len(order), dtype=int)
    for place, point in zip(order, solve(problem, penalties, tol, max_iter)):
        coefficients[place], intercepts[place], gaps[place], iterations[place] = point
    return coefficients, intercepts, gaps, iterations


def _way(problem: Problem, weakest: Any, count: int) -> Any:
    design = problem.design
    if is_squared_error(problem.loss):
        tall = design.p <= min(design.n, COLUMNS_PER_STRENGTH * count) and design.gram_is_cheap
        return _on_gram_matrix if tall else _on_working_sets
    return _on_working_sets if as_separable(weakest, design.p).kink.any() else _one_by_one


def _on_gram_matrix(problem: Problem, penalties: Iterator[Any], tol: float, max_iter: int) -> Iterator[Point]:
    m = problem.design.moments(problem.target, about_mean=problem.intercept)
    gram = GramProblem.whole(m.xx / m.total, m.xy[:, 0] / m.total)
    null = 0.5 * float(m.yy[0]) / m.total
    for penalty in (as_separable(each, problem.design.p) for each in penalties):
        sweeps, gap = gram.solve(penalty, null, tol, max_iter * 100)
        beta = gram.beta.copy()
        yield beta, float(m.y_mean[0] - m.x_mean @ beta), gap, sweeps


def _on_working_sets(problem: Problem, penalties: Iterator[Any], tol: float, max_iter: int) -> Iterator[Point]:
    state, before = None, None
    for penalty in penalties:
        if state is None:
            state = WorkingSet(replace(problem, penalty=penalty))
        else:
            state.penalise(penalty)
        gap, used = solve_at(state, tol, max_iter, before)
        solution = state.solution()
        yield solution.beta, solution.intercept, gap, max(used, 1)
        before = state.penalty.kink


def _one_by_one(problem: Problem, penalties: Iterator[Any], tol: float, max_iter: int) -> Iterator[Point]:
    start = None
    for penalty in penalties:
        here = replace(problem, penalty=penalty)
        solution = solve_likelihood(here, tol=tol, max_iter=max_iter, start=start)
        start = solution.beta, solution.intercept
        yield *start, certify(here, solution, tol).value, max(solution.iterations, 1)
