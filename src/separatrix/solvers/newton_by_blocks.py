r"""Newton's method by sums over blocks of rows, for data that are read as a stream.

Solves   min  (1/Σs) Σ s_i loss(y_i, x_i'beta + intercept) + Σ_j penalty_j(beta_j)
Given    a Problem, a smooth loss of one score, or a joint loss of k; a penalty that can be split; perhaps a start.
Returns  beta, intercept.
From     Lee, Sun and Saunders (2014), SIAM J. Optim. 24(3), proximal Newton. Each quadratic model is solved on its
         Hessian by coordinate descent and Newton's finish (gram_coordinate.py); without kinks and bounds that is
         Newton-Raphson.
Cost     a read of X and n p² (k = 1) or n p² k² / 2 operations for each iteration; (k p)² numbers in memory.

Columns are shifted by means of the first rows, so that far means cost no digits.
"""

from collections.abc import Iterator
from functools import reduce as fold
from typing import Any, NamedTuple

import numpy as np

from separatrix.core.certificate import certify, record
from separatrix.core.errors import cannot
from separatrix.core.objective import (
    curvatures_at,
    gap_unit,
    null_objective,
    null_score,
    slopes_at,
    sum_of_costs,
    total_value,
)
from separatrix.core.problem import Problem
from separatrix.core.separable import Separable
from separatrix.core.solution import Solution, Trace
from separatrix.core.verbs import ignores_shifts
from separatrix.designs import as_dense
from separatrix.designs.base import Block
from separatrix.solvers.curvature import hold_sums, pseudo_inverse
from separatrix.solvers.gram_coordinate import GramProblem
from separatrix.solvers.preconditioner import joint_hessian
from separatrix.solvers.smooth import refuse_misfits

# A Hessian of more coefficients than these would take more than 200 MB, and most of the time.
MOST_COEFFICIENTS = 5000
# Step lengths tried, in one pass, where a whole step does not lower the objective.
SHORTER = 0.5 ** np.arange(1, 31)
IN_CACHE = 1 << 16  # numbers
EPS = float(np.finfo(np.float64).eps)


def newton_by_blocks(
    problem: Problem,
    *,
    tol: float = 1e-8,
    max_iter: int = 100,
    start: tuple[Any, Any] | None = None,
    trace: Trace | None = None,
) -> Solution:
    """Solve one problem; see the head of this file.

    Parameters
    ----------
    problem : Problem.  A smooth loss and y of shape (n,), or a joint loss and (n, k).
    tol : float, [0, inf).  Relative gap (or gradient) to be reached. A step of at most ``tol^0.625 / 100`` in the norm
        of the Hessian, relative to the root of P of the null model, is taken unseen, and the certificate is asked.
        Iterations end where it holds, where it is not half of what it was after the last such step (the rest is
        rounding), or where no step lowers the objective.
    max_iter : int, [0, inf).  Iterations at the most.
    start : (beta, intercept) or None.  Where to begin; None is the model without columns.
    trace : Trace or None.  Filled with objective, certificate and coefficients at each iteration.

    >>> from separatrix.core.target import Target
    >>> from separatrix.designs import as_design
    >>> from separatrix.losses import Logistic
    >>> from separatrix.penalties import L1
    >>> X, y = np.array([[1.0], [1.0], [-1.0], [-1.0]]), np.array([0.75, 0.75, 0.25, 0.25])
    >>> newton_by_blocks(Problem(as_design(X), Target(y), Logistic(), L1(0.15))).beta.round(4)  # the logit of 0.6
    array([0.4055])
    """
    walk = _Walk(problem, start)
    nearly = max(0.01 * tol**0.625, 1e-10) * np.sqrt(gap_unit(problem))
    best, iteration = np.inf, 0
    while True:
        step = walk.step()
        record(trace, problem, walk.value, walk.solution(), tol)
        if iteration == max_iter:
            break
        iteration += 1
        if not step.length <= nearly:
            if walk.go(step):
                continue
            break
        walk.beta, walk.offset = step.goal, walk.offset + step.offset
        gap = certify(problem, walk.solution(), tol)
        if gap.converged or iteration == max_iter or gap.value > 0.5 * best:
            break
        best = gap.value
        walk.look()
    return walk.solution(trace=trace, iterations=iteration, passes=walk.passes)


class _Step(NamedTuple):
    """Coefficients (p, k) to go to, the step of the offsets (k,), length in the norm of the Hessian, promised fall."""

    goal: np.ndarray
    offset: np.ndarray
    length: float
    promised: float


class _Walk:
    """Where the iterations stand: coefficients (p, k) of the shifted columns, offsets (k,), and the sums there."""

    def __init__(self, problem: Problem, start: tuple[Any, Any] | None) -> None:
        _check(problem)
        self.problem, self.p = problem, problem.design.p
        self.k = int(np.prod(problem.target.outputs))
        self.penalty = problem.parts
        shift = problem.design.provisional_means if problem.intercept else None
        self.shift = np.zeros(self.p) if shift is None else shift
        null = np.zeros((self.p, self.k)), np.reshape(null_score(problem), self.k).astype(np.float64)
        self.beta, self.offset = null
        if start is not None:
            beta = np.reshape(np.asarray(start[0], dtype=np.float64), (self.p, self.k)).T
            self.beta = np.ascontiguousarray(np.clip(beta, self.penalty.low, self.penalty.high).T)
            self.offset = np.reshape(np.asarray(start[1], dtype=np.float64), -1) + self.shift @ self.beta
        self.passes = 0
        self.look()
        if start is not None and not self.value <= null_objective(problem):
            self.beta, self.offset = null  # where far starts saturate losses, their Hessian vanishes
            self.look()
        problem.design.refuse_if_not_finite(self.H)

    def _sums(self, beta: np.ndarray, offset: np.ndarray) -> tuple[float, np.ndarray, np.ndarray]:
        """Mean loss, its gradient (1 + p, k) and its Hessian (k, 1 + p, k, 1 + p), the intercept first: one pass."""
        loss, outputs, k, q = self.problem.loss, self.problem.target.outputs, self.k, 1 + self.p

        def task(block: Block) -> tuple[float, np.ndarray, np.ndarray]:
            return fold(merge, map(piece, _pieces(block, q)))

        def piece(rows: Block) -> tuple[float, np.ndarray, np.ndarray]:
            Z, s = self._with_constant(rows), rows.weights
            eta = (Z[:, 1:] @ beta + offset).reshape(len(Z), *outputs)
            slopes = slopes_at(loss, rows.y, eta).reshape(len(Z), k) * s[:, None]
            fit, g = total_value(loss, rows.y, eta, s), Z.T @ slopes
            if outputs:
                return fit, g, joint_hessian(loss, rows.y, eta, s, Z)
            Z *= np.sqrt(s * curvatures_at(loss, rows.y, eta))[:, None]
            return fit, g, (Z.T @ Z).reshape(1, q, 1, q)

        def merge(a: Any, b: Any) -> tuple[float, np.ndarray, np.ndarray]:
            H = a[2]
            H += b[2]  # in place: it is the largest thing in memory
            return a[0] + b[0], a[1] + b[1], H

        self.passes += 1
        value, g, H = self.problem.design.reduce(task, merge, self.problem.target, gram=k * k)
        total = self.problem.target.total
        H /= total
        return value / total, g / total, H

    def _with_constant(self, block: Block) -> np.ndarray:
        """A column of ones (zeros without an intercept) and the shifted columns of a block."""
        Z = np.empty((block.X.shape[0], 1 + self.p))
        Z[:, 0] = float(self.problem.intercept)
        np.subtract(as_dense(block.X), self.shift, out=Z[:, 1:])
        return Z

    def look(self, sums: tuple[float, np.ndarray, np.ndarray] | None = None) -> None:
        """Keep the sums here, which takes a pass unless they are known."""
        fit, self.g, self.H = self._sums(self.beta, self.offset) if sums is None else sums
        self.value = fit + sum_of_costs(self.penalty, self.beta)

    def step(self) -> _Step:
        """The minimum of the quadratic model with the penalty, less where we stand."""
        p, k, penalty = self.p, self.k, self.penalty.repeat(self.k)
        G = np.ascontiguousarray(self.H[:, 1:, :, 1:]).reshape(k * p, k * p)
        cross = self.H[:, 1:, :, 0].reshape(k * p, k)
        inverse = pseudo_inverse(self.H[:, 0, :, 0]) if self.problem.intercept else np.zeros((k, k))
        G -= cross @ inverse @ cross.T
        if ignores_shifts(self.problem.loss):
            hold_sums(G, k, self.penalty.free)
        q = -self.g[1:].T.ravel() + cross @ (inverse @ self.g[0])
        goal = _minimum(G, q, self.beta.T.ravel(), penalty).reshape(k, p).T
        d = (goal - self.beta).T.ravel()
        square = float(d @ (G @ d) + penalty.ridge @ (d * d) + self.g[0] @ inverse @ self.g[0])
        offset = -inverse @ (self.g[0] + cross.T @ d)
        rise = sum_of_costs(self.penalty, goal) - sum_of_costs(self.penalty, self.beta)
        promised = rise + float((self.g[1:] * (goal - self.beta)).sum() + self.g[0] @ offset)
        return _Step(goal, offset, np.sqrt(max(square, 0.0)), promised)

    def go(self, step: _Step) -> bool:
        """Take a step, or a part of it that lowers the objective enough; False where none does."""
        beta, offset = step.goal, self.offset + step.offset
        sums = self._sums(beta, offset)
        if not self._enough(sums[0] + sum_of_costs(self.penalty, beta), 1.0, step.promised):
            t = self._shorter(step)
            if t == 0.0:
                return False
            beta, offset = self.beta + t * (step.goal - self.beta), self.offset + t * step.offset
            sums = self._sums(beta, offset)
        self.beta, self.offset = beta, offset
        self.look(sums)
        return True

    def _enough(self, value: float, t: float, promised: float) -> bool:
        return bool(value <= self.value + 1e-4 * t * min(promised, 0.0) + 4.0 * EPS * abs(self.value))

    def _shorter(self, step: _Step) -> float:
        """The longest of the shorter steps that lowers the objective enough, or 0: one pass."""
        problem, target, d = self.problem, self.problem.target, step.goal - self.beta

        def task(block: Block) -> np.ndarray:
            Z, s = self._with_constant(block)[:, 1:], block.weights
            lines = (self.beta, self.offset), (d, step.offset)
            eta, move = ((Z @ b + c).reshape(len(Z), *target.outputs) for b, c in lines)
            return np.array([total_value(problem.loss, block.y, eta + t * move, s) for t in SHORTER])

        self.passes += 1
        fits = problem.design.reduce(task, np.add, target) / target.total
        for t, fit in zip(SHORTER, fits):
            value = fit + sum_of_costs(self.penalty, self.beta + t * d)
            if self._enough(value, t, step.promised):
                return float(t)
        return 0.0

    def solution(self, **rest: Any) -> Solution:
        """Coefficients and intercepts of the columns as given; what only differences fix sums to zero over classes."""
        beta, intercept = self.beta.copy(), self.offset - self.shift @ self.beta
        if ignores_shifts(self.problem.loss):
            beta[self.penalty.free] -= beta[self.penalty.free].mean(axis=1, keepdims=True)
            intercept = intercept - intercept.mean()
        return Solution.of(beta, intercept, self.problem.target, **rest)


def _minimum(G: np.ndarray, q: np.ndarray, beta: np.ndarray, penalty: Separable) -> np.ndarray:
    """The b that minimises ``½ (b - beta)'G (b - beta) - q'(b - beta) + penalty(b)``, nearly.

    In columns of unit curvature, nearly, in which one limit on violations of the optimality conditions suits all. They
    are scaled by powers of two, which keep bounds as they are.
    """
    curvature = np.diag(G) + penalty.ridge
    D = np.exp2(-np.round(0.5 * np.log2(np.where(curvature > 0.0, curvature, 1.0))))
    scaled = Separable(penalty.kink * D, penalty.ridge * D * D, penalty.low / D, penalty.high / D)
    model = GramProblem.whole(G * np.multiply.outer(D, D), np.zeros(len(q)))
    model.beta, model.q = beta / D, q * D
    model.c = model.q + model.G @ model.beta
    before = model.violation(scaled)
    unit = float(scaled.kink.max(initial=0.0)) or float(np.abs(model.q).max(initial=0.0)) or 1.0
    model.solve_within(scaled, min(1e-4, before / unit) * before)
    return D * model.beta


def _pieces(block: Block, q: int) -> Iterator[Block]:
    """Parts of a block that stay in cache while sums are taken over them, and are tall enough for a q-by-q product."""
    height = max(4 * q, IN_CACHE // q)
    for rows in (slice(i, i + height) for i in range(0, block.X.shape[0], height)):
        yield Block(block.X[rows], block.y[rows], None if block.s is None else block.s[rows])


def _check(problem: Problem) -> None:
    refuse_misfits(problem, "solve by Newton's method on blocks")
    size = problem.design.p * int(np.prod(problem.target.outputs))
    if size > MOST_COEFFICIENTS:
        raise cannot(
            "solve by Newton's method on blocks",
            because=f"the Hessian of {size} coefficients does not fit: at most {MOST_COEFFICIENTS}",
            instead="fewer columns, SGDClassifier or SGDRegressor (partial_fit on blocks), or data in memory",
        )
