r"""Smooth losses under a ridge, many rows and columns: dual coordinate ascent, one row at a time.

Solves   max over u of  -Σ_i share_i conjugate(y_i, u_i) - ½ |Σ_i share_i u_i x_i|² / lam,   share_i = s_i / Σs,
         and Σ_i share_i u_i = 0 if there is an intercept;   beta = -Σ_i share_i u_i x_i / lam
Given    a Problem with a smooth loss of bounded curvature, one ridge for all coefficients.
Returns  beta, intercept, and a dual point; ``details["reached"]``: whether `tol` was met.
From     Yu, Huang and Lin (2011), Machine Learning 85, for the logistic loss. We differ in the unknown of a step: the
         score e at which the slope of the loss is the new u, which solves ``e + step slope(e) = eta + step u``. So any
         smooth loss does, its conjugate is not needed, and u is never outside its domain. The intercept is that of
         :mod:`separatrix.solvers.dual_coordinate`.
Cost     one pass = O(stored numbers). Each divides the gap by the same factor: by 12 on text with C = 1. Where that is
         too little (`slowest`), it ends early: a method that knows the curvature is then faster.
"""

from typing import Any

import numpy as np

from separatrix.core.errors import cannot
from separatrix.core.objective import gap_unit, slopes_at
from separatrix.core.problem import Problem
from separatrix.core.solution import Solution, Trace
from separatrix.core.time_limit import should_end, stop_if_over
from separatrix.core.types import Array
from separatrix.core.verbs import is_joint, largest_curvature
from separatrix.solvers.compiled.dual_coordinate import GAP, INTERCEPT, PULL, REACH, STATE, ascend_smooth
from separatrix.solvers.dual_ascent import DualAscent, refuse_several_ridges
from separatrix.solvers.quasi_newton import TIGHT
from separatrix.solvers.smooth import ridge_of

# The pace is that of the last passes, so many.
PACED = 5
# A gap below this share of the null objective is near: on text with rows of all lengths gradients, from there or from
# anywhere, take longer than any number of slow passes.
NEAR = 1e-3
ROUNDING = 1e-26  # gaps below this share of the null objective


def dual_coordinate_smooth(
    problem: Problem,
    *,
    tol: float = 1e-8,
    max_iter: int = 1000,
    start: tuple[Any, Any] | None = None,
    trace: Trace | None = None,
    slowest: float = 0.0,
) -> Solution:
    """Solve one problem; see the head of this file.

    Parameters
    ----------
    problem : Problem.  A smooth loss of one score whose curvature is bounded, the same ridge on every coefficient.
    tol : float, [0, inf).  Relative duality gap to be reached. Below 1e-7 passes go on until it is ``tol^2.5``: then
        the coefficients hardly depend on the order of the rows.
    max_iter : int, [0, inf).  Passes at the most.
    start : None.  Without effect: the dual variables of coefficients are not known.
    trace : Trace or None.  Filled with objective and certificate after each pass.
    slowest : float, [0, inf).  Passes end where each divides the gap by no more than this, unless it is below 1e-3 of
        the null objective.

    >>> from separatrix.core.target import Target
    >>> from separatrix.designs import as_design
    >>> from separatrix.losses import SquaredHinge
    >>> from separatrix.penalties import L2
    >>> X, y = np.array([[1.0, 2.0], [-1.0, 2.0], [-1.0, -2.0]]), np.array([-1.0, -1.0, 1.0])
    >>> dual_coordinate_smooth(Problem(as_design(X), Target(y), SquaredHinge(), L2(0.01))).beta.round(4) + 0.0
    array([-0.0009, -0.4991])
    """
    doing = "solve with dual_coordinate_smooth"
    _refuse_others(problem, doing)
    return _SmoothAscent(problem, trace, tol)(max_iter, slowest)


def _refuse_others(problem: Problem, doing: str) -> None:
    ridge, loss, because = ridge_of(problem, doing), problem.loss, None
    if is_joint(loss) or problem.target.outputs:
        because = "rows have several scores"
    elif not largest_curvature(loss) < np.inf:
        because = f"the curvature of {type(loss).__name__} has no bound"
    elif not ridge.all():
        because = "a coefficient is not penalised"
    if because:
        raise cannot(doing, because=because, instead="Logistic, SquaredHinge or Huber, y (n,), and L2, or quasi_newton")
    refuse_several_ridges(problem, doing, "quasi_newton")
    problem.design.needs("rows, vectors", doing)


class _SmoothAscent(DualAscent):
    def __init__(self, problem: Problem, trace: Trace | None, tol: float) -> None:
        self.share = problem.target.weights / problem.target.total
        self.everyone = np.arange(problem.design.n)
        super().__init__(problem, trace, tol, self.everyone)
        self.u, self.place, self.state = np.zeros(problem.design.n), np.zeros(problem.design.n), np.zeros(STATE)
        self.beta = np.zeros(problem.design.p)
        self.unit = gap_unit(problem)
        self.gap = max(tol, ROUNDING) * self.unit
        self.distance = max(0.5 * tol**2.5, ROUNDING) * self.unit if tol <= TIGHT else np.inf

    def __call__(self, max_iter: int, slowest: float) -> Solution:
        live, passes, reached = np.flatnonzero(self.share > 0.0), 0, False
        rows, excesses = self._all(live), list[float]()
        while passes < max_iter and not (reached or should_end()):
            stop_if_over()
            whole = len(rows) == len(live)
            rows = self._pass(self.shuffled(rows))
            passes += 1
            self.record(self._solution(passes, reached))
            if passes == 1:  # the u before it were slopes at no score
                continue
            excesses.append(self._excess())
            if excesses[-1] <= 1.0:
                reached = whole if self.tol <= TIGHT else self._gap() <= self.gap
                rows = self._all(live)
            elif self.state[GAP] > NEAR * self.unit and _is_slow(excesses[-PACED:], slowest):
                break
        return self._solution(passes, reached)

    def _all(self, live: Array) -> Array:
        """All rows come into play, and none is left out in the next pass."""
        self.state[REACH] = np.inf
        return live

    def _pass(self, order: Array) -> Array:
        """One pass over the rows in play, and the correction of the intercept; returns those that stay in play."""
        problem, state = self.problem, self.state
        left = ascend_smooth(
            self.rows, problem.loss, problem.target.y, self.share, self.squares, order,
            self.lam, self.stiffness, self.beta, self.u, self.place, state,
        )  # fmt: skip
        state[INTERCEPT] -= self.stiffness * state[PULL]
        return order[:left]

    def _excess(self) -> float:
        """How many times too large the gap is, as the rows were met: as a gap, and as the square of a distance."""
        gap, pull = self.state[GAP], abs(self.state[PULL]) * bool(self.problem.intercept)
        farthest = float(np.abs(self.place).max(initial=0.0))
        return float(max((gap + pull * farthest) / self.gap, (gap + self.stiffness * pull**2) / self.distance))

    def _gap(self) -> float:
        beta, intercept = self.in_columns(self.beta), self.state[INTERCEPT]
        eta = self.problem.design.matvec(beta) + intercept
        moved = slopes_at(self.problem.loss, self.problem.target.y, eta) - self.u
        farthest = float(np.abs(eta).max(initial=0.0)) * bool(self.problem.intercept)
        return float(self.share @ ((eta - self.place) * moved) + abs(self.state[PULL]) * farthest)

    def _solution(self, passes: int, reached: bool) -> Solution:
        beta, intercept = self.in_columns(self.beta), float(self.state[INTERCEPT])
        facts: dict[str, Any] = {"iterations": passes, "passes": passes, "details": {"reached": reached}}
        return Solution(beta, intercept, self.u.copy(), trace=self.trace, **facts)


def _is_slow(excesses: list[float], slowest: float) -> bool:
    return len(excesses) == PACED and excesses[0] < excesses[-1] * slowest ** (PACED - 1)
