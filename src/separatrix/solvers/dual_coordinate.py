r"""Losses with kinks under a ridge, many rows and columns: dual coordinate ascent, one hinge at a time.

Solves   max over z of  -½ |c + X'z|² / lam - place'z,   0 <= z_k <= d_k,   and Σ_k z_k = -c_0 if there is an intercept,
         for the hinges of :class:`~separatrix.solvers.near_kinks.Pieces`;   beta = -(c + X'z) / lam
Given    a Problem whose loss implements the verb ``kinks``, one ridge for all coefficients.
Returns  beta, intercept, and a dual point.
From     Hsieh et al. (ICML 2008), algorithm 3. We differ in the intercept, which is not penalised: the equation is that
         of an augmented Lagrangian (Hestenes 1969), whose multiplier, the intercept, moves with every pull and is
         corrected after every pass.
Cost     one pass = O(stored numbers of the rows still in play); some dozens of them.
"""

from typing import Any

import numpy as np

from separatrix.core.certificate import record
from separatrix.core.errors import cannot
from separatrix.core.objective import gap_unit, objective
from separatrix.core.problem import Problem
from separatrix.core.solution import Solution, Trace
from separatrix.core.time_limit import should_end, stop_if_over
from separatrix.core.types import Array
from separatrix.solvers.compiled.dual_coordinate import (
    HIGHEST,
    INTERCEPT,
    LOWEST,
    PULL,
    TOO_HIGH,
    TOO_LOW,
    ascend,
    squares_of_rows,
)
from separatrix.solvers.near_kinks import Pieces, refuse_others

SEED = 0
# All rows are looked at when no excess of the rows in play is larger; then it is divided by ten.
FIRST_EXCESS = 0.1
# The square of the constant column of an intercept, in units of the mean square of a row: on text, with 1 there
# are twice as many passes.
CONSTANT = 0.1


def dual_coordinate(
    problem: Problem,
    *,
    tol: float = 1e-8,
    max_iter: int = 1000,
    start: tuple[Any, Any] | None = None,
    trace: Trace | None = None,
) -> Solution:
    """Solve one problem; see the head of this file.

    Parameters
    ----------
    problem : Problem.  A loss with kinks, y (n,), the same ridge on every coefficient.
    tol : float, [0, inf).  Relative duality gap to be reached.
    max_iter : int, [0, inf).  Passes at the most.
    start : None.  Without effect: the dual variables of coefficients are not known.
    trace : Trace or None.  Filled with objective and certificate whenever all rows were looked at.

    >>> from separatrix.core.target import Target
    >>> from separatrix.designs import as_design
    >>> from separatrix.losses import Hinge
    >>> from separatrix.penalties import L2
    >>> X, y = np.array([[1.0, 2.0], [-1.0, 2.0], [-1.0, -2.0]]), np.array([-1.0, -1.0, 1.0])
    >>> dual_coordinate(Problem(as_design(X), Target(y), Hinge(), L2(0.01))).beta.round(4) + 0.0
    array([ 0. , -0.5])
    """
    refuse_others(problem, "solve with dual_coordinate")
    if np.ptp(problem.parts.ridge) > 0.0:
        raise cannot(
            "solve with dual_coordinate", because="coefficients have ridges of their own", instead="near_kinks"
        )
    return _Ascent(problem, trace, tol)(max_iter)


class _Ascent:
    def __init__(self, problem: Problem, trace: Trace | None, tol: float) -> None:
        self.problem, self.trace, self.tol = problem, trace, tol
        design = problem.design
        self.pieces, self.lam, self.gap = Pieces.of(problem), float(problem.parts.ridge[0]), tol * gap_unit(problem)
        self.columns, self.rows = design.walking_rows
        squares = np.empty(design.n)
        squares_of_rows(self.rows, np.zeros(design.p), squares)
        self.squares = squares[self.pieces.row]
        self.stiffness = CONSTANT * float(self.squares.mean()) / self.lam if problem.intercept else 0.0
        c = design.rmatvec(self.pieces.base)
        design.refuse_if_not_finite(c)
        self.beta = np.ascontiguousarray((-c / self.lam)[self.columns])
        self.z = np.zeros(len(self.pieces.row))
        self.state = np.zeros(6)
        self.state[PULL] = self.pieces.base.sum()
        self.state[TOO_HIGH], self.state[TOO_LOW] = np.inf, -np.inf

    def __call__(self, max_iter: int) -> Solution:
        order, generator = np.arange(len(self.z)), np.random.default_rng(SEED)
        count, least, passes = len(order), FIRST_EXCESS, 0
        while passes < max_iter and not should_end():
            stop_if_over()
            order[:count] = generator.permutation(order[:count])
            count = self._pass(order, count)
            passes += 1
            if max(self.state[HIGHEST], -self.state[LOWEST]) > least and count > 0:
                continue
            whole = count == len(order)
            self._record(passes)
            if whole and self._gap() <= self.gap:
                break
            least, count = 0.1 * least if whole else least, len(order)
            self.state[TOO_HIGH], self.state[TOO_LOW] = np.inf, -np.inf
        return self._solution(passes)

    def _pass(self, order: Array, count: int) -> int:
        """One pass over the rows in play, and the correction of the intercept."""
        pieces, state = self.pieces, self.state
        left = ascend(
            self.rows, pieces.row, pieces.place, pieces.weight, self.squares, order, count,
            self.lam, self.stiffness, self.beta, self.z, state,
        )  # fmt: skip
        state[INTERCEPT] -= self.stiffness * state[PULL]
        state[TOO_HIGH] = state[HIGHEST] if state[HIGHEST] > 0.0 else np.inf
        state[TOO_LOW] = state[LOWEST] if state[LOWEST] < 0.0 else -np.inf
        return left

    def _gap(self) -> float:
        """What is left between the two problems: of each hinge, and of the equation of the intercept."""
        beta, intercept = self._coefficients()
        excess = (self.problem.design.matvec(beta) + intercept)[self.pieces.row] - self.pieces.place
        pieces, z = self.pieces, self.z
        left = z @ np.maximum(-excess, 0.0) + (pieces.weight - z) @ np.maximum(excess, 0.0)
        return float(left + abs(self.state[PULL]) * np.abs(excess).max(initial=0.0) * bool(self.problem.intercept))

    def _coefficients(self) -> tuple[Array, float]:
        beta = np.empty_like(self.beta)
        beta[self.columns] = self.beta
        return beta, float(self.state[INTERCEPT])

    def _solution(self, passes: int) -> Solution:
        beta, intercept = self._coefficients()
        theta = self.pieces.dual_point(self.problem, self.z)
        return Solution(beta, intercept, theta, trace=self.trace, iterations=passes, passes=passes)

    def _record(self, passes: int) -> None:
        if self.trace is not None:
            solution = self._solution(passes)
            value = objective(self.problem, solution.beta, solution.intercept)
            record(self.trace, self.problem, value, solution, self.tol)
