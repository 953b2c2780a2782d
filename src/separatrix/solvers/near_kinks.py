r"""Losses that are linear but for kinks, under a ridge: only rows near a kink need a solver, the others a sum.

Solves   min  (1/Σs) Σ s_i loss(y_i, x_i'beta + intercept) + ½ Σ_j ridge_j beta_j²
Given    a Problem whose loss implements the verb ``kinks`` (hinge, epsilon-insensitive, quantile), perhaps a start.
Returns  beta, intercept, and a dual point.
From     Joachims (1999) for leaving settled rows out, which we do in the primal: a row far from a kink is a linear
         function there. The start is the optimum of the loss with its kinks rounded off.
Cost     a few reads of X for the start, m p² for each of some 15 iterations on m rows near a kink, two reads of X to
         see that no other row has crossed one: if some have, they come into play. As the linear functions are nowhere
         above the loss, an optimum that crosses none is one of the whole.
"""

from dataclasses import replace
from typing import Any

import numpy as np

from separatrix.core.certificate import record
from separatrix.core.objective import gap_unit, null_score, objective
from separatrix.core.problem import Problem
from separatrix.core.solution import Solution, Trace
from separatrix.core.threads import one_blas_thread
from separatrix.core.time_limit import should_end
from separatrix.core.types import Array
from separatrix.designs.sparse import as_dense
from separatrix.losses.rounded import Rounded
from separatrix.solvers.hinges import Pieces, refuse_others
from separatrix.solvers.interior_point import interior_point
from separatrix.solvers.on_kinks import on_kinks
from separatrix.solvers.quasi_newton import quasi_newton

# Iterations on all rows that take fewer operations than this, n p², are over before a start would be found.
SMALL = 1 << 27
# Widths over which kinks are rounded off for the start, in units of the distance of rows from them at the beginning:
# every row bends at first.
WIDTHS = (1.5, 0.25)
# Rows nearer to a kink than this share of the last width are in play.
NEAR = 0.3
ROWS_PER_COLUMN = 3  # in play at the least
ROUGH = 1e-3  # the gap to which rounded problems are solved
# Below this tolerance the equations of the rows on kinks are solved, so that neither row order nor start shows.
TIGHT = 1e-7


def near_kinks(
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
    problem : Problem.  A loss with kinks, y (n,), a ridge on every coefficient.
    tol : float, [0, inf).  Relative duality gap to be reached.
    max_iter : int, [0, inf).  Iterations of the interior point at the most.
    start : (beta, intercept) or None.  Where to begin; None is the optimum of the loss with its kinks rounded off.
    trace : Trace or None.  Filled with objective and certificate after each round.

    >>> from separatrix.core.target import Target
    >>> from separatrix.designs import as_design
    >>> from separatrix.losses import Hinge
    >>> from separatrix.penalties import L2
    >>> X, y = np.array([[1.0, 2.0], [-1.0, 2.0], [-1.0, -2.0]]), np.array([-1.0, -1.0, 1.0])
    >>> near_kinks(Problem(as_design(X), Target(y), Hinge(), L2(0.01))).beta.round(9) + 0.0
    array([ 0. , -0.5])
    """
    refuse_others(problem, "solve with near_kinks")
    with one_blas_thread():
        return _Rounds(problem, trace, tol)(start, max_iter)


class _Rounds:
    """Rounds of solving what is near a kink and looking at all rows."""

    def __init__(self, problem: Problem, trace: Trace | None, tol: float) -> None:
        self.problem, self.trace, self.tol = problem, trace, tol
        self.pieces, self.unit = Pieces.of(problem), gap_unit(problem)
        self.ridge = np.append(problem.parts.ridge, [0.0] * problem.intercept)
        self.passes, self.iterations = 0, 0

    def __call__(self, start: tuple[Any, Any] | None, max_iter: int) -> Solution:
        x, width = self._first(start)
        excess = self._excess(x)
        inside = self._near(excess, width)
        if start is not None or len(excess) * len(x) ** 2 <= SMALL:
            inside[:], width = True, max(float(np.abs(excess).mean()), np.finfo(np.float64).tiny)
        while True:
            up = ~inside & (excess > 0.0)
            moved, z = self._solve(x, inside, up, NEAR * width, max_iter - self.iterations)
            after = self._excess(moved)
            self._record(moved, z)
            crossed = ~inside & ((after > 0.0) != up)
            if not crossed.any() or self.iterations >= max_iter or should_end():
                break
            width *= 2.0
            inside |= crossed | self._near(excess, width)
            x = x if self._value(moved) > self._value(x) else moved
        if crossed.any() and self._value(x) < self._value(moved):  # iterations ended early
            moved = x
        return self._solution(moved, z)

    def _near(self, excess: Array, width: float) -> Array:
        """The hinges near their kinks, and no fewer than hold all coefficients."""
        distance = np.abs(excess)
        least = min(ROWS_PER_COLUMN * len(self.ridge), len(excess)) - 1
        return np.asarray(distance <= max(NEAR * width, float(np.partition(distance, least)[least])))

    def _first(self, start: tuple[Any, Any] | None) -> tuple[Array, float]:
        """Where to begin, and how far scores may be from right."""
        problem, pieces = self.problem, self.pieces
        x = np.zeros(len(self.ridge))
        if problem.intercept:
            x[-1] = float(null_score(problem))
        if start is not None:
            x[: problem.design.p], x[problem.design.p :] = start[0], start[1]
        distance = np.abs((x[-1] if problem.intercept else 0.0) - pieces.place)
        size = float(pieces.weight @ distance / max(pieces.weight.sum(), np.finfo(np.float64).tiny)) or 1.0
        if start is not None or len(pieces.row) * len(x) ** 2 <= SMALL:
            return x, size
        for share in WIDTHS:
            rounded = replace(problem, loss=Rounded(problem.loss, share * size))
            solution = quasi_newton(rounded, tol=max(ROUGH, self.tol), start=self._parts(x))
            x = np.append(solution.beta, [solution.intercept] * problem.intercept)
            self.passes += solution.passes
        return x, WIDTHS[-1] * size

    def _solve(self, x: Array, inside: Array, up: Array, width: float, max_iter: int) -> tuple[Array, Array]:
        """The optimum of the rows inside and the sum of the others, and what all hinges pull there."""
        design, pieces = self.problem.design, self.pieces
        z = np.where(up, pieces.weight, 0.0)
        settled = pieces.slopes(z)
        c = np.append(design.rmatvec(settled), [settled.sum()] * self.problem.intercept)
        design.refuse_if_not_finite(c)
        self.passes += 1
        rows, again = np.unique(pieces.row[inside], return_inverse=True)
        A = np.ones((len(again), len(x)))
        A[:, : design.p] = as_dense(design.block(rows))[again]
        centre = self._centred(A, c)
        near = A, pieces.place[inside], pieces.weight[inside], c, self.ridge
        x = np.append(x[: design.p], x[design.p :] + x[: design.p] @ centre)
        gap = (1e-3 if self.tol <= TIGHT else 0.1) * self.tol * self.unit
        x, z_near, used = interior_point(*near, x, width=width, gap=gap, max_iter=max_iter)
        self.iterations += used
        if self.tol <= TIGHT:
            x, z_near = on_kinks(*near, x, z_near)
        z[inside] = z_near
        return np.append(x[: design.p], x[design.p :] - x[: design.p] @ centre), z

    def _centred(self, A: Array, c: Array) -> Array:
        """Take the means of the columns off A, in place, where an intercept can make up for them; returns the means."""
        p = self.problem.design.p
        if not self.problem.intercept:
            return np.zeros(p)
        centre = A[:, :p].mean(axis=0)
        A[:, :p] -= centre
        c[:p] -= c[p] * centre
        return np.asarray(centre)

    def _excess(self, x: Array) -> Array:
        """How far the score of each hinge's row is above its place."""
        beta, intercept = self._parts(x)
        self.passes += 1
        return (self.problem.design.matvec(beta) + intercept)[self.pieces.row] - self.pieces.place

    def _value(self, x: Array) -> float:
        return objective(self.problem, *self._parts(x))

    def _parts(self, x: Array) -> tuple[Array, float]:
        p = self.problem.design.p
        return x[:p], float(x[p]) if self.problem.intercept else 0.0

    def _solution(self, x: Array, z: Array) -> Solution:
        theta = self.pieces.dual_point(self.problem, z)
        beta, intercept = self._parts(x)
        return Solution(beta.copy(), intercept, theta, trace=self.trace, iterations=self.iterations, passes=self.passes)

    def _record(self, x: Array, z: Array) -> None:
        if self.trace is not None:
            record(self.trace, self.problem, self._value(x), self._solution(x, z), self.tol)
