"""Iteratively reweighted least squares: Newton's steps by orthogonal factors, for columns that are nearly dependent.

Solves   min P(beta, intercept)      by   w <- argmin Σ s_i h_i (eta_i - u_i / h_i - x_i'w)² / 2 + penalty,   halved
         until P does not rise,      u_i and h_i being slopes and curvatures at the last scores eta_i
Given    a Problem with a convex smooth loss of one score, no penalty or a ridge, in memory, and a start.
Returns  a Solution, at which the certificate has reached `tol` or rounding hides any further progress.
Cost     for each step a least-squares problem, n p², and scores in doubled precision.
From     Green (1984), J. R. Statist. Soc. B 46(2).

A Hessian squares the condition of the columns, and a gradient that is small in their units may leave much to be gained
along them. Least squares by a triangle of the columns themselves, refined in doubled precision, has neither fault.
"""

from dataclasses import replace
from typing import Any

import numpy as np

from separatrix.core.certificate import certify
from separatrix.core.objective import curvatures_at, slopes_at, sum_of_costs, total_value
from separatrix.core.problem import Problem
from separatrix.core.solution import Solution, Trace
from separatrix.core.target import Target
from separatrix.penalties import Separable
from separatrix.solvers.choose import solve_least_squares

HALVINGS = 30
# Numbers of X that are multiplied in doubled precision, for each step.
AFFORDABLE = 1 << 24
LEAST_CURVATURE = 1e-200


def reweighted(
    problem: Problem,
    *,
    tol: float = 1e-8,
    max_iter: int = 100,
    start: tuple[Any, Any] | None = None,
    trace: Trace | None = None,
) -> Solution:
    """Go on from a start until the certificate is within `tol`; see the head of this file.

    >>> from separatrix.designs import as_design
    >>> from separatrix.losses import Logistic
    >>> from separatrix.penalties import NoPenalty
    >>> X, y = np.array([[1.0], [2.0], [3.0], [4.0]]), np.array([0.0, 1.0, 0.0, 1.0])
    >>> reweighted(Problem(as_design(X), Target(y), Logistic(), NoPenalty())).beta.round(6)
    array([0.908184])
    """
    beta, intercept = (np.zeros(problem.design.p), 0.0) if start is None else start
    beta, intercept = np.array(beta, dtype=np.float64), float(intercept)
    eta = _scores(problem, beta, intercept)
    value, was_settled = _objective(problem, beta, eta), False
    for iteration in range(max_iter + 1):
        rule = certify(problem, Solution(beta, intercept), tol)
        if trace is not None:
            trace.append(value, rule.value, beta, intercept)
        # one step more than the tolerance asks for squares what is left, so that the coefficients are right as well
        is_last = (rule.converged and was_settled) or iteration == max_iter
        was_settled = rule.converged
        target = None if is_last else _working_target(problem, eta)
        if target is None:
            break
        kink, ridge, low, high = problem.parts
        share = target.total / problem.target.total
        step = solve_least_squares(replace(problem, target=target, penalty=Separable(kink, ridge / share, low, high)))
        moved = _halve(problem, beta, intercept, value, step)
        if moved is None:
            break
        beta, intercept, eta, value = moved
    return Solution(beta, intercept, trace=trace, iterations=iteration, passes=3 * iteration)


def _scores(problem: Problem, beta: np.ndarray, intercept: float) -> np.ndarray:
    scores: np.ndarray = problem.design.doubled_scores(beta[:, None], intercept)[:, 0]
    return scores


def _objective(problem: Problem, beta: np.ndarray, eta: np.ndarray) -> float:
    target = problem.target
    return total_value(problem.loss, target.y, eta, target.weights) / target.total + sum_of_costs(problem.parts, beta)


def _working_target(problem: Problem, eta: np.ndarray) -> Target | None:
    """``eta - u / h`` with weights ``s h``; None where a curvature has vanished."""
    y, s = problem.target.y, problem.target.weights
    u, h = slopes_at(problem.loss, y, eta), curvatures_at(problem.loss, y, eta)
    counted = s > 0.0
    if not h[counted].min(initial=1.0) > LEAST_CURVATURE or not np.isfinite(u[counted]).all():
        return None
    response = eta - np.divide(u, h, out=np.zeros_like(u), where=counted)
    return Target(np.where(counted, response, 0.0), np.where(counted, s * h, 0.0))


def _halve(
    problem: Problem, beta: np.ndarray, intercept: float, value: float, step: Solution
) -> tuple[np.ndarray, float, np.ndarray, float] | None:
    """The first of the points 1, 1/2, 1/4, ... of the way that does not raise the objective, or None."""
    share, rounding = 1.0, 8.0 * np.finfo(np.float64).eps * abs(value)
    for _ in range(HALVINGS):
        there = beta + share * (step.beta - beta)
        there_intercept = float(intercept + share * (step.intercept - intercept))
        eta = _scores(problem, there, there_intercept)
        value_there = _objective(problem, there, eta)
        if value_there <= value + rounding:
            return there, there_intercept, eta, value_there
        share *= 0.5
    return None
