r"""Smooth problems with many rows: full gradients, a preconditioner from a sample, and the memory of L-BFGS.

Solves   min  (1/Σs) Σ s_i loss(y_i, eta_i) + ½ Σ_j ridge_j beta_j²       for smooth losses of one score or of k
Given    a Problem, tol, perhaps a start.                                Returns a Solution.
From     Liu and Nocedal (1989), L-BFGS; Byrd, Chin, Neveitt and Nocedal (2011), SIAM J. Optim. 21(3), sampled Hessians.
         We differ: the sample is solved first, by the same method, so that the full data start within its statistical
         error; the inverse Hessian of the sample is the first guess of L-BFGS; lines are searched by slopes alone (the
         problem is convex), so that no pass evaluates the loss; and each step is corrected to the minimum of its line
         by the slopes at its two ends, which needs no pass either and makes the method one of conjugate gradients.
Cost     one read of X per iteration, each worth one to two digits.
"""

from collections import deque
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from separatrix.core.certificate import record
from separatrix.core.objective import gap_unit, null_score, objective
from separatrix.core.problem import Problem
from separatrix.core.solution import Solution, Trace
from separatrix.core.target import Target
from separatrix.core.threads import one_blas_thread
from separatrix.core.time_limit import should_end
from separatrix.core.verbs import is_joint, largest_curvature
from separatrix.solvers.gradient_pass import GradientPass, score_curvatures
from separatrix.solvers.preconditioner import ALL, FEW, JointHessian, Preconditioner, taken_together

Memory = deque[tuple[np.ndarray, np.ndarray]]  # the last moves, and the changes of the gradient that they made

MEMORY = 10
# Rows of a sample for each column of its factor: for the whole problem, and for the sample of a sample, which only has
# to bring the start near.
ROWS_PER_COLUMN, ROWS_PER_COLUMN_BELOW = 30, 10
# Where there are few columns a sample may be larger, until its Hessian costs half a read of X: two operations take
# about as long as a byte, so m p² = 4 n p.
ROWS_TIMES_COLUMNS = 4.0
# Data of fewer numbers than this are their own sample.
SMALL = 1 << 17
# Where the sample is everything, an iteration that leaves more than this share of the decrement calls for a new
# Hessian: at the start of Newton's method the curvature changes with each step.
SLOW = 0.3
# Below this decrement, in units of the root of the null objective, the problem is so nearly a parabola that slopes at
# two points give the minimum between them, and the gradient there.
NEARLY_QUADRATIC = 0.03
# Below this tolerance iterations go on until the coefficients hardly depend on row order or start.
TIGHT = 1e-7


def quasi_newton(
    problem: Problem, *, tol: float = 1e-8, max_iter: int = 100, start: Any = None, trace: Trace | None = None
) -> Solution:
    """Solve a smooth problem.

    Parameters
    ----------
    problem : Problem.  Any smooth loss, y of shape (n,), or a joint one, y (n, k); no penalty or a ridge, which may
        differ by coefficient.
    tol : float, [0, inf).  The certificate to reach: the relative duality gap with L2, the relative gradient without.
        Iterations end when ``sqrt(g'H^-1 g)``, the distance of the coefficients from the optimum in units of the loss,
        is ``tol^1.25``: then the default leaves ten digits of the coefficients, whatever the order of the rows. With L2
        and a tolerance above 1e-7 they end at a distance of ``tol^0.5``, whose square is the gap.
    max_iter : int, [0, inf).  Iterations on the whole data at the most.
    start : (beta, intercept) or None.  None starts from the optimum of a sample, or from zero; from the null model
        where the curvature of the loss has no bound.
    trace : Trace or None.  Filled with objective and certificate of each iteration, and with the coefficients
        where ``trace.coefficients`` is a list. Costs passes more for each.
    """
    gradient = GradientPass(problem)
    W = np.zeros(gradient.shape)
    if start is not None:
        W[1:], W[0] = np.reshape(start[0], (-1, gradient.k)), start[1]
    elif largest_curvature(problem.loss) == np.inf:  # Newton's step from far below an exponential overflows
        W[0] = null_score(problem)
    scale = gap_unit(problem)
    # a gap is certified where every coefficient is penalised, else a gradient, in proportion to the distance
    loose = tol > TIGHT and bool(gradient.ridge.all())
    settled = tol ** (0.5 if loose else 1.25) * np.sqrt(scale)
    with one_blas_thread():
        W, iterations = _Walk(problem, gradient, trace, tol)(W, settled, tol * scale, max_iter, warm=start is not None)
    return Solution.of(
        W[1:].copy(), W[0].copy(), problem.target, trace=trace, iterations=iterations, passes=gradient.count
    )


class _Walk:
    """The iterations on one set of rows, begun where those on a sample of them ended."""

    def __init__(
        self,
        problem: Problem,
        gradient: GradientPass,
        trace: Trace | None = None,
        tol: float = 0.0,
        rows_per_column: int = ROWS_PER_COLUMN,
    ) -> None:
        self.problem, self.gradient, self.trace, self.tol = problem, gradient, trace, tol
        self.sample = _sample(problem, rows_per_column)

    def __call__(self, W: np.ndarray, settled: float, gap: float, max_iter: int, warm: bool) -> tuple[np.ndarray, int]:
        """Where the decrement is at most `settled` and Fenchel's gap at most `gap`; and the iterations made."""
        problem, sample, gradient = self.problem, self.sample, self.gradient
        together = problem.design.p <= ALL
        if sample is not problem and together and not warm:
            # the optimum of the sample is about sqrt(p / m) from that of the whole: to go much nearer would be wasted
            rough = 0.1 * np.sqrt(gradient.k * problem.design.p / sample.design.n)
            walk = _Walk(sample, GradientPass(sample), rows_per_column=ROWS_PER_COLUMN_BELOW)
            W, _ = walk(W, rough, np.inf, max_iter, False)
        newton = sample is problem and together
        exact = newton and (gradient.k == 1 or W.size <= FEW)
        precondition = self._precondition(exact)
        preconditioner, age = precondition(W), 0
        nearly = NEARLY_QUADRATIC * np.sqrt(gap_unit(problem))
        memory: Memory = deque(maxlen=MEMORY)
        before = np.inf
        G = gradient(W)
        problem.design.refuse_if_not_finite(G)
        for iteration in range(max_iter + 1):
            decrement = _decrement(preconditioner, G)
            self._record(W)
            if iteration == max_iter or should_end() or (decrement <= settled and _fenchel(gradient.ridge, G) <= gap):
                break
            if newton and decrement > SLOW * before and (exact or age >= MEMORY):
                preconditioner, age = precondition(W), 0
                memory.clear()
            before, age = decrement, age + 1
            direction = -_two_loops(memory, preconditioner, G)
            first = 1.0 if together or memory else self._first_step(W, G, direction)
            moved, G_moved = _along(gradient, W, G, direction, first)
            if moved is None or G_moved is None:  # rounding hides any further progress
                break
            move, change = moved - W, G_moved - G
            bend = float((move * change).sum())
            W, G = moved, G_moved
            if bend > 0.0:
                memory.append((move, change))
                past = -float((move * G).sum()) / bend
                if not exact and decrement < nearly and abs(past) < 0.5:
                    W, G = W + past * move, G + past * change
        return W, iteration

    def _first_step(self, W: np.ndarray, G: np.ndarray, direction: np.ndarray) -> float:
        """How far to go along a direction, by the curvature of the sample: light columns ask for too much."""
        sample = self.sample
        image = sample.design.matvec(direction[1:]) + direction[0]
        weights = (sample.target.weights / sample.target.total)[:, None]
        bend = float((weights * score_curvatures(sample, W) * image**2).sum())
        bend += float((self.gradient.ridge[:, None] * direction[1:] ** 2).sum())
        return min(1.0, -float((G * direction).sum()) / bend) if bend > 0.0 else 1.0

    def _precondition(self, exact: bool) -> Any:
        """How to make a preconditioner of coefficients."""
        if exact and self.gradient.k > 1:
            return partial(JointHessian, self.sample, self.gradient.ridge)
        return partial(Preconditioner, self.gradient, self.sample)

    def _record(self, W: np.ndarray) -> None:
        if self.trace is not None:
            solution = Solution.of(W[1:], W[0], self.problem.target)
            value = objective(self.problem, solution.beta, solution.intercept)
            record(self.trace, self.problem, value, solution, self.tol)


def _sample(problem: Problem, rows_per_column: int) -> Problem:
    """The problem on some of its rows: one of each stretch of rows, drawn at random but always the same."""
    design, target = problem.design, problem.target
    count = taken_together(design)
    size = max(1000, rows_per_column * count * (2 if is_joint(problem.loss) else 1))
    if count == design.p:
        size = max(size, int(ROWS_TIMES_COLUMNS * design.n / count))
    if design.stored <= SMALL or 2 * size > design.n:
        return problem
    step = design.n // size
    rows = np.arange(0, step * size, step) + np.random.default_rng(0).integers(step, size=size)
    s = None if target.s is None else target.s[rows]
    if s is not None and not s.any():
        return problem
    return replace(problem, design=design.take(rows), target=Target(target.y[rows], s))


def _decrement(preconditioner: Any, G: np.ndarray) -> float:
    return float(np.sqrt(max(float((G * preconditioner.solve(G)).sum()), 0.0)))


def _fenchel(ridge: np.ndarray, G: np.ndarray) -> float:
    """About the duality gap at the slopes: ``Σ_j |grad_j|² / (2 ridge_j)``, and what it costs to balance them.

    Coefficients that are not penalised are left to the decrement.
    """
    held = ridge > 0.0
    if not held.any():
        return 0.0
    squares = (G[1:][held] ** 2).sum(axis=1)
    return float((squares / (2.0 * ridge[held])).sum()) + 8.0 * float(np.abs(G[0]).sum())


def _two_loops(memory: Memory, preconditioner: Any, G: np.ndarray) -> np.ndarray:
    """L-BFGS's product of the inverse Hessian with G, the preconditioner as first guess."""
    q, kept = G.copy(), []
    for move, change in reversed(memory):
        rho = 1.0 / float((move * change).sum())
        a = rho * float((move * q).sum())
        q -= a * change
        kept.append((rho, a))
    r: np.ndarray = preconditioner.solve(q)
    for (move, change), (rho, a) in zip(memory, reversed(kept)):
        r += (a - rho * float((change * r).sum())) * move
    return r


def _along(
    gradient: GradientPass, W: np.ndarray, G: np.ndarray, direction: np.ndarray, first: float
) -> tuple[np.ndarray, np.ndarray] | tuple[None, None]:
    """A point along a direction, with its gradient, where the slope is smaller than at the start; by secants of it."""
    slope = float((G * direction).sum())
    if not slope < 0.0:
        return None, None
    low, slope_low, high, t = 0.0, slope, np.inf, first
    for _ in range(30):
        moved = W + t * direction
        G_moved = gradient(moved)
        with np.errstate(over="ignore", invalid="ignore"):
            slope_moved = float((G_moved * direction).sum())
        if abs(slope_moved) <= 0.9 * abs(slope):
            return moved, G_moved
        if slope_moved < 0.0:
            low, slope_low = t, slope_moved
            t = 2.0 * t if high == np.inf else 0.5 * (low + high)
        else:  # too far, or so far that numbers overflow
            high = t
            share = slope_low / (slope_low - slope_moved) if np.isfinite(slope_moved) else 0.1
            t = low + (high - low) * min(max(share, 0.1), 0.9)
    return None, None
