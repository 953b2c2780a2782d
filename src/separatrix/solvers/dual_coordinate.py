r"""Losses with kinks under a ridge, many rows and columns: dual coordinate ascent, one hinge at a time.

Solves   max over z of  -½ |c + X'z|² / lam - place'z,   0 <= z_k <= d_k,   and Σ_k z_k = -c_0 if there is an intercept,
         for the hinges of :class:`~separatrix.solvers.hinges.Pieces`;   beta = -(c + X'z) / lam
Given    a Problem whose loss implements the verb ``kinks``, one ridge for all coefficients.
Returns  beta, intercept, and a dual point.
From     Hsieh et al. (ICML 2008), algorithm 3. We differ in the intercept, which is not penalised: the equation is that
         of an augmented Lagrangian (Hestenes 1969), whose multiplier, the intercept, moves with every pull and is
         corrected after every pass.
Cost     one pass = O(stored numbers of the rows still in play); some dozens of them.
"""

from typing import Any

import numpy as np

from separatrix.core.objective import gap_unit
from separatrix.core.problem import Problem
from separatrix.core.solution import Solution, Trace
from separatrix.core.time_limit import should_end, stop_if_over
from separatrix.core.types import Array
from separatrix.solvers.compiled.dual_coordinate import (
    GAP,
    HIGHEST,
    INTERCEPT,
    LOWEST,
    PULL,
    STATE,
    TOO_HIGH,
    TOO_LOW,
    ascend,
)
from separatrix.solvers.dual_ascent import DualAscent, refuse_several_ridges
from separatrix.solvers.hinges import Pieces, refuse_others


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
    refuse_several_ridges(problem, "solve with dual_coordinate", "near_kinks")
    return _Ascent(problem, trace, tol)(max_iter)


class _Ascent(DualAscent):
    def __init__(self, problem: Problem, trace: Trace | None, tol: float) -> None:
        self.pieces, self.gap = Pieces.of(problem), tol * gap_unit(problem)
        super().__init__(problem, trace, tol, self.pieces.row)
        self.z, self.state = self.pieces.rest.copy(), np.zeros(STATE)
        pull = self.pieces.slopes(self.z)
        self.beta, self.state[PULL] = self.start(pull), pull.sum()
        # how far scores are from their kinks at the most, when last all rows were looked at
        self.farthest = float(np.abs(self.pieces.place).max(initial=0.0))

    def __call__(self, max_iter: int) -> Solution:
        everyone = np.arange(len(self.z))
        variables, passes = self._all(everyone), 0
        while passes < max_iter and not should_end():
            stop_if_over()
            variables = self._pass(self.shuffled(variables))
            passes += 1
            if len(variables) and self.state[GAP] + self._unbalanced() > self.gap:
                continue
            self.record(self._solution(passes))
            if self._gap() <= self.gap:
                break
            variables = self._all(everyone)
        return self._solution(passes)

    def _all(self, everyone: Array) -> Array:
        """All hinges come into play, and none is left out in the next pass."""
        self.state[TOO_HIGH], self.state[TOO_LOW] = np.inf, -np.inf
        return everyone

    def _pass(self, order: Array) -> Array:
        """One pass over the hinges in play, and the correction of the intercept; returns those that stay in play."""
        pieces, state = self.pieces, self.state
        left = ascend(
            self.rows, pieces.row, pieces.place, pieces.weight, self.squares, order,
            self.lam, self.stiffness, self.beta, self.z, state,
        )  # fmt: skip
        state[INTERCEPT] -= self.stiffness * state[PULL]
        state[TOO_HIGH] = state[HIGHEST] if state[HIGHEST] > 0.0 else np.inf
        state[TOO_LOW] = state[LOWEST] if state[LOWEST] < 0.0 else -np.inf
        return order[:left]

    def _gap(self) -> float:
        """What is left between the two problems: of each hinge, and of the equation of the intercept."""
        beta, intercept = self._coefficients()
        excess = (self.problem.design.matvec(beta) + intercept)[self.pieces.row] - self.pieces.place
        pieces, z = self.pieces, self.z
        left = z @ np.maximum(-excess, 0.0) + (pieces.weight - z) @ np.maximum(excess, 0.0)
        self.farthest = float(np.abs(excess).max(initial=0.0))
        return float(left + self._unbalanced())

    def _unbalanced(self) -> float:
        """The price of what the pulls sum to, which should be 0 where there is an intercept."""
        return float(abs(self.state[PULL]) * self.farthest) if self.problem.intercept else 0.0

    def _coefficients(self) -> tuple[Array, float]:
        return self.in_columns(self.beta), float(self.state[INTERCEPT])

    def _solution(self, passes: int) -> Solution:
        beta, intercept = self._coefficients()
        theta = self.pieces.dual_point(self.problem, self.z)
        return Solution(beta, intercept, theta, trace=self.trace, iterations=passes, passes=passes)
