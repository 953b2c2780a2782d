"""Refinement of a least-squares solution: residuals of the data as given, corrections from a triangular factor.

One step:  r = y - X beta,  (beta, intercept) += factor.solve(X'S r - lam beta).
With `extended`, beta is a pair high + low and r and X'S r are accumulated in doubled precision; the limit of the
iteration is then the solution of the stored data to the last digit, for any condition number up to about 1e12.
"""

from dataclasses import dataclass

import numpy as np

from separatrix.core.certificate import record
from separatrix.core.extended import Pair
from separatrix.core.problem import Problem
from separatrix.core.registry import register
from separatrix.core.solution import Solution, Trace
from separatrix.core.types import Array
from separatrix.designs.factor import Factor

EPS = np.finfo(np.float64).eps
TRACED = 1e-14  # the tolerance of a least-squares solution, for its trace
VISIBLE = 1e-9  # the root of a relative gap well below the tightest tolerance


@register("record")
@dataclass
class Refined:
    """Coefficients (p, k) and intercept (k,), with residual sums of squares and gradients at the last pass."""

    beta: np.ndarray
    intercept: np.ndarray
    rss: np.ndarray
    g: np.ndarray
    g0: np.ndarray
    passes: int


def refine(
    problem: Problem,
    factor: Factor,
    lam: Array,
    beta: Array,
    intercept: Array,
    *,
    extended: bool,
    max_steps: int = 30,
    trace: Trace | None = None,
) -> Refined:
    """Refine from a start until the correction is below rounding or stops shrinking.

    A `trace` gets objective and certificate before each correction.
    """
    target = problem.target
    beta = Pair(beta, np.zeros_like(beta))
    intercept = Pair(intercept, np.zeros_like(intercept))
    smallest = np.inf
    passes = 0
    while passes < max_steps:
        passes += 1
        g, g0, rss = problem.design.residual_sums(target, beta, intercept, doubled=extended)
        g = g - (lam * beta.high.T).T
        step, step0 = factor.solve(g, g0)
        size = _relative(step, beta.high, factor)
        if trace is not None:
            value = 0.5 * float(rss.sum() + (lam @ beta.high**2).sum()) / factor.total
            record(trace, problem, value, Solution.of(beta.high, intercept.high, target), TRACED)
        if size <= (EPS * EPS if extended else EPS) or size > 0.5 * smallest:
            break
        smallest = size
        beta = beta.plus(Pair(step, np.zeros_like(step)))
        if factor.intercept:
            intercept = intercept.plus(Pair(step0, np.zeros_like(step0)))
        if not extended and size < 1e-9:
            break  # a correction this small is itself right to seven digits: the next one would be rounding
    return Refined(beta.high, intercept.high, rss, g, g0, passes)


def fitted_intercept(problem: Problem, beta: np.ndarray, x_mean: np.ndarray, y_mean: np.ndarray) -> np.ndarray:
    """The intercept (k,) for coefficients (p, k): ``y_mean - x_mean'beta``.

    Where rounding of that sum shows beside the spread of y, residuals are made to sum to 0 in doubled precision.
    """
    if not problem.intercept:
        return np.zeros_like(y_mean)
    intercept = y_mean - x_mean @ beta
    sums = problem.design.moments(problem.target, gram=problem.design.forms_gram)
    spread = np.sqrt(sums.yy.clip(min=0.0) / sums.total)
    rounding = EPS * np.sqrt(len(beta)) * (np.abs(x_mean) @ np.abs(beta) + np.abs(y_mean))
    if (rounding <= VISIBLE * spread).all():
        return intercept
    pairs = (Pair(part, np.zeros_like(part)) for part in (beta, intercept))
    return intercept + problem.design.residual_sums(problem.target, *pairs, doubled=True).g0 / problem.target.total


def _relative(step: Array, beta: Array, factor: Factor) -> float:
    """Size of a step against the coefficients, in units where all columns have length one."""
    with np.errstate(divide="ignore", invalid="ignore"):
        unit = np.where(factor.scale > 0.0, 1.0 / factor.scale, 0.0)[:, None]
    largest = np.abs(beta * unit).max(initial=0.0)
    moved = np.abs(step * unit).max(initial=0.0)
    return moved / largest if largest > 0.0 else (np.inf if moved > 0.0 else 0.0)
