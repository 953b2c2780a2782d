"""Gradient descent: downhill by a fixed multiple of the gradient.

Solves   min L(w)                                        by   w <- w - learning_rate * grad L(w)
Given    a gradient (any callable), or a Problem.        Returns a Solution.
Cost     one pass over the data per iteration; with mini-batches one pass is n / batch_size updates.
From     Cauchy (1847); the limit 2 / (largest curvature): Polyak (1963); by examples: Robbins and Monro (1951).
"""

import warnings
from collections.abc import Callable
from functools import partial
from math import inf
from typing import Any

import numpy as np

from separatrix.core.errors import Diverged, cannot
from separatrix.core.objective import null_objective, slopes_at, sum_of_costs, total_value
from separatrix.core.problem import Problem
from separatrix.core.solution import Solution, Trace
from separatrix.core.stationarity import GradientScale
from separatrix.core.target import Target
from separatrix.core.verbs import is_joint, largest_curvature
from separatrix.solvers.compiled.stochastic import pass_of_batches
from separatrix.solvers.smooth import ridge_of
from separatrix.solvers.stochastic import generator

# An objective this many times its scale is on its way to infinity.
BEYOND_ALL_BOUNDS = 1e12


def gradient_descent(
    gradient: Callable[..., Any],
    start: Any,
    *,
    learning_rate: float,
    max_iter: int = 1000,
    tol: float = 1e-8,
    objective: Callable[..., Any] | None = None,
    noise: float = 0.0,
    random_state: Any = None,
    trace: Trace | None = None,
) -> Solution:
    r"""Minimise any differentiable function by fixed steps against its gradient.

    .. math:: w \leftarrow w - \alpha \nabla L(w)

    Parameters
    ----------
    gradient : callable.  ``gradient(w)``, an array of the shape of w.
    start : array or float.  Where to begin.
    learning_rate : float, (0, inf).  Alpha. Above 2 / (largest curvature) the steps grow instead of shrinking.
    max_iter : int, [0, inf).  Steps at the most.
    tol : float, [0, inf).  Stop when the norm of the gradient is this fraction of what it was at the start.
    objective : callable or None.  ``objective(w)``, a number: recorded in the trace, used to tell which iterate is best
        and whether they diverge. Without it the norm of the gradient serves.
    noise : float, [0, inf).  Standard deviation of Gaussian noise on each entry of the gradient, as a sampled gradient
        has it; noisy steps can leave a shallow basin that exact ones cannot. With noise all `max_iter` steps are taken
        unless the exact gradient meets `tol`.
    random_state : int, RandomState or None.  Seed of the noise.
    trace : Trace or None.  Filled with the objective at the start and after every step, and with w where
        ``trace.coefficients`` is a list.

    Returns
    -------
    Solution with w as ``beta``. ``details`` holds "gradient", its norm relative to that at the start, and "diverged".
    Warns Diverged, where the best iterate is returned.

    >>> round(float(gradient_descent(lambda w: 2.0 * (w - 3.0), 0.0, learning_rate=0.1).beta), 6)
    3.0
    """
    rng = generator(random_state)
    w = np.array(start, dtype=np.float64)
    first = float(np.linalg.norm(gradient(w)))

    def look(w: np.ndarray) -> tuple[float, np.ndarray, float]:
        g = np.asarray(gradient(w), dtype=np.float64)
        norm = float(np.linalg.norm(g))
        return norm if objective is None else float(objective(w)), g, norm / first if first > 0.0 else norm

    def move(w: np.ndarray, g: np.ndarray) -> np.ndarray:
        return w - learning_rate * (g + noise * rng.standard_normal(w.shape) if noise else g)

    record = None if trace is None else lambda value, w: trace.append(value, None, w)
    w, iterations, size, diverged = _walk(w, look, move, max_iter, tol, record, judged=not noise)
    if diverged:
        warnings.warn(Diverged(learning_rate, iterations), stacklevel=2)
    details = {"gradient": size, "diverged": diverged}
    return Solution(w, 0.0, trace=trace, details=details, iterations=iterations, passes=iterations)


def _walk(
    w: np.ndarray,
    look: Callable[[np.ndarray], tuple[float, np.ndarray, float]],
    move: Callable[[np.ndarray, np.ndarray], np.ndarray],
    max_iter: int,
    tol: float,
    record: Callable[[float, np.ndarray], None] | None,
    scale: float | None = None,
    judged: bool = True,
) -> tuple[np.ndarray, int, float, bool]:
    """Alternate looking and moving until the relative gradient meets tol.

    ``look(w)`` gives the objective, the gradient and its relative size; ``move(w, g)`` the next w. Returns w, the
    number of moves, the relative gradient at w and whether the walk diverged; then w is the best that was seen.
    `scale` is a size of the objective that is harmless; `judged` says whether ending above the start is a failure too.
    """
    best: tuple[float, np.ndarray, float] | None = None
    diverged = False
    with np.errstate(over="ignore", invalid="ignore"):
        for iteration in range(max_iter + 1):
            value, g, size = look(w)
            if record is not None:
                record(value, w)
            if best is None:
                ceiling = max(value, value if scale is None else scale)
                bound = ceiling + BEYOND_ALL_BOUNDS * max(abs(ceiling), 1.0 if scale is None else 0.0)
                best = (value, w, size)
            if not (np.isfinite(value) and value <= bound):
                diverged = True
                break
            if value < best[0]:
                best = (value, w, size)
            if size <= tol or iteration == max_iter:
                break
            w = move(w, g)
        # with a step below the limit no step goes uphill; the allowance is for rounding
        diverged = diverged or (judged and value > ceiling + 1e-6 * abs(ceiling))
    if diverged and best is not None:
        _, w, size = best
    return w, iteration, size, diverged


def descend(
    problem: Problem,
    *,
    tol: float = 1e-8,
    max_iter: int = 1000,
    start: Any = None,
    trace: Trace | None = None,
    learning_rate: float | None = None,
    batch_size: int | None = None,
    shuffle: bool = True,
    random_state: Any = None,
) -> Solution:
    r"""Gradient descent on a problem: the whole batch, mini-batches, or one example at a time.

    Full batch, with all coefficients and the intercept moved at once:

    .. math:: w \leftarrow w - \alpha \frac{1}{\sum s} \sum_i s_i\,\ell'(y_i, \eta_i)\,(1, x_i), \qquad
              L = \frac{1}{2N} \sum_i (\hat y_i - y_i)^2 \text{ for the squared loss}

    One example at a time (``batch_size=1``) each example moves w by :math:`-\alpha\,(\hat y_i - y_i)(1, x_i)`; in
    between, a mini-batch moves it by the mean over the batch. Weights are scaled to mean 1, so that all three agree in
    expectation.

    Parameters
    ----------
    problem : Problem.  Any loss of one score whose curvature is bounded (with a given `learning_rate` any loss of one
        score), no penalty or a ridge, which may differ by coefficient; y of shape (n,) or (n, k).
    learning_rate : float, (0, inf), or None.  Alpha. None takes one over the largest curvature: of the whole problem
        for full batches (found by power iteration), of the steepest single example otherwise.
    max_iter : int, [0, inf).  Passes over the data at the most.
    tol : float, [0, inf).  Stop when the relative gradient (:mod:`separatrix.core.stationarity`) is no larger.
    batch_size : int, [1, inf), or None.  Examples per update; None or n is the full batch. The last batch of a pass may
        be smaller.
    shuffle : bool.  Whether each pass takes the examples in a new random order; no effect on full batches.
    random_state : int, RandomState or None.  Seed of the orders.
    start : (beta, intercept) or None.  Where to begin; None is zero.
    trace : Trace or None.  Filled with the objective (summed over outputs) at the start and after every pass, and with
        the coefficients where ``trace.coefficients`` is a list.

    Returns
    -------
    Solution: beta (p,) or (p, k), intercept a float or (k,). ``details`` holds "learning_rate" (as used) and
    "diverged". Warns Diverged, where the best iterate is returned.

    >>> from separatrix.designs import as_design
    >>> X, y = np.array([[0.0], [1.0], [2.0], [3.0]]), np.array([1.0, 3.0, 5.0, 7.0])
    >>> from separatrix.losses import Squared
    >>> from separatrix.penalties import NoPenalty
    >>> problem = Problem(as_design(X), Target(y), Squared(), NoPenalty())
    >>> solution = descend(problem, learning_rate=0.1, max_iter=5000)
    >>> solution.beta.round(6), round(solution.intercept, 6)
    (array([2.]), 1.0)
    """
    ridge = ridge_of(problem, "descend")
    if is_joint(problem.loss):
        raise cannot(
            f"descend with the loss {type(problem.loss).__name__}",
            because="it is a function of all scores of a row",
            instead="a loss of one score for each output, or quasi_newton",
        )
    n, rng = problem.target.n, generator(random_state)
    size = n if batch_size is None else min(batch_size, n)
    if learning_rate is None:
        steepest = steepest_curvature(problem, size)
        learning_rate = 1.0 / steepest if steepest > 0.0 else 1.0  # without curvature any rate will do
    look = _Look(problem, ridge)
    if size == n:

        def move(W: np.ndarray, G: np.ndarray) -> np.ndarray:
            return W - learning_rate * G

    else:
        move = partial(_move_in_batches, problem, ridge, size, learning_rate, rng if shuffle else None)

    record = None if trace is None else lambda value, W: trace.append(value, None, *look.unpack(W))
    W, iterations, _, diverged = _walk(look.pack(start), look, move, max_iter, tol, record, look.null())
    if diverged:
        bounded = largest_curvature(problem.loss) < inf
        limit = 2.0 / steepest_curvature(problem, size) if bounded else None
        warnings.warn(Diverged(learning_rate, iterations, limit), stacklevel=2)
    details = {"learning_rate": learning_rate, "diverged": diverged}
    passes = iterations * (1 if size == n else 2)
    return Solution(*look.unpack(W), trace=trace, details=details, iterations=iterations, passes=passes)


class _Look:
    """Objective, gradient and relative gradient of a problem at W of shape (1 + p, k), the intercept in row 0."""

    def __init__(self, problem: Problem, ridge: np.ndarray) -> None:
        self.problem, self.ridge = problem, ridge[:, None]
        self.Y = problem.target.y.reshape(problem.target.n, -1)
        self.k = self.Y.shape[1]
        self.s = problem.target.weights / problem.target.total
        self.s_each = np.repeat(self.s, self.k)
        self.scale = GradientScale.of(problem)

    def __call__(self, W: np.ndarray) -> tuple[float, np.ndarray, float]:
        problem, beta = self.problem, W[1:]
        eta = np.ascontiguousarray(problem.design.matvec(beta)) + W[0]
        slopes = slopes_at(problem.loss, self.Y.ravel(), eta.ravel()).reshape(eta.shape)
        value = total_value(problem.loss, self.Y.ravel(), eta.ravel(), self.s_each)
        value += sum_of_costs(problem.penalty, beta)
        slopes *= self.s[:, None]
        G = np.zeros(W.shape)
        if problem.intercept:
            G[0] = slopes.sum(axis=0)
        G[1:] = problem.design.rmatvec(slopes)
        size = self.scale.relative(problem.penalty, beta, G[1:], G[0])
        G[1:] += self.ridge * beta
        return value, G, size

    def null(self) -> float:
        """The objective of the null model, summed over outputs."""
        target = self.problem.target
        parts = [Target(np.ascontiguousarray(self.Y[:, c]), target.s) for c in range(self.k)]
        problem = self.problem
        return sum(
            null_objective(Problem(problem.design, part, problem.loss, problem.penalty, problem.intercept))
            for part in parts
        )

    def pack(self, start: Any) -> np.ndarray:
        W = np.zeros((1 + self.problem.design.p, self.k))
        if start is not None:
            W[1:] = np.reshape(start[0], (-1, self.k))
            W[0] = start[1] if self.problem.intercept else 0.0
        return W

    def unpack(self, W: np.ndarray) -> tuple[np.ndarray, Any]:
        """Coefficients and intercept, in the shape of y."""
        solution = Solution.of(W[1:].copy(), W[0].copy(), self.problem.target)
        return solution.beta, solution.intercept


def _move_in_batches(
    problem: Problem,
    ridge: np.ndarray,
    batch_size: int,
    learning_rate: float,
    rng: np.random.Generator | None,
    W: np.ndarray,
    G: np.ndarray,
) -> np.ndarray:
    """One pass of mini-batches from W, each output by itself but all in the same order."""
    target, n = problem.target, problem.target.n
    problem.design.needs("rows", f"descend with batch_size={batch_size}")
    order = np.arange(n) if rng is None else rng.permutation(n)
    Y, s = target.y.reshape(n, -1), target.weights * (n / target.total)
    moved, work_g = W.copy(), np.empty(problem.design.p)
    for c in range(Y.shape[1]):
        y, beta, intercept = np.ascontiguousarray(Y[:, c]), moved[1:, c].copy(), moved[:1, c].copy()
        pass_of_batches(
            problem.design.rows_atom(),
            problem.loss,
            y,
            s,
            order,
            batch_size,
            learning_rate,
            ridge,
            problem.intercept,
            beta,
            intercept,
            work_g,
        )
        moved[1:, c], moved[:1, c] = beta, intercept
    return moved


def steepest_curvature(problem: Problem, batch_size: int | None = None) -> float:
    r"""The largest eigenvalue of the Hessian of a problem, or a bound on it that holds for every example.

    .. math:: \lambda_{\max}\big(\tfrac{c}{\sum s} Z'SZ + \mathrm{diag}(0, \lambda_1, \dots, \lambda_p)\big),
              \qquad Z = [1, X]

    with c the largest curvature of the loss. Full batches descend for every learning rate below 2 over this number.
    For smaller batches the bound is that of the steepest single example, :math:`c \max_i s_i \|z_i\|^2 + \max_j
    \lambda_j`.
    """
    bend = largest_curvature(problem.loss)
    if bend == inf:
        raise cannot(
            f"choose a learning rate for the loss {type(problem.loss).__name__}",
            because="its curvature has no bound, so that no step is short enough for descent",
            instead="a learning_rate of your own, or another solver",
        )
    design, target, ridge = problem.design, problem.target, ridge_of(problem, "descend")
    if batch_size is not None and batch_size < target.n:
        one = 1.0 if problem.intercept else 0.0
        steepest: float = design.reduce(
            lambda block: float((block.weights * ((block.X * block.X).sum(axis=1) + one)).max()), max, target
        )
        return float(bend * steepest * target.n / target.total + ridge.max(initial=0.0))
    s = bend * target.weights / target.total
    common = ridge.min(initial=inf) if design.p else 0.0  # it only shifts the eigenvalues: not iterated on
    v = np.random.default_rng(0).standard_normal(1 + design.p)  # any start that is not orthogonal to the answer
    v[0] *= problem.intercept
    largest = 0.0
    for _ in range(200):
        v /= np.abs(v).max() or 1.0  # squares of entries beyond 1e154 would overflow in the norm
        v /= np.linalg.norm(v) or 1.0
        eta = s * (design.matvec(v[1:]) + v[0])
        before, u = largest, np.concatenate([[eta.sum() if problem.intercept else 0.0], design.rmatvec(eta)])
        u[1:] += (ridge - common) * v[1:]
        largest, v = float(v @ u), u
        if largest - before <= 1e-12 * largest:
            break
    return largest + float(common)
