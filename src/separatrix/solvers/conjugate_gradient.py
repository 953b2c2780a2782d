"""Ridge and minimum-norm least squares by conjugate gradients, for designs too wide or too sparse to factorise.

Solves   (X_c'S X_c + diag(lam)) beta = X_c'S y,  X_c being X less its means if there is an intercept, lam = Σs ridge.
Given    a problem of squared error with one or k outputs, whose penalty has neither kinks nor bounds.
Returns  beta, intercept and, under one ridge, a dual point. From zero the iterates stay in the row space of X, so that
         with lam = 0 the limit is the solution of minimum norm.
From     Hestenes and Stiefel (1952), J. Res. Nat. Bur. Standards 49(6). We carry alpha with beta = X_c' alpha along:
         the duality gap is then the length of ``S r - lam alpha``, which falls as fast as the error itself.
Cost     one read of X for each iteration: some rows serve X v and X'(X v) while they are in cache.
"""

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from separatrix.core.certificate import record
from separatrix.core.problem import Problem
from separatrix.core.solution import Solution, Trace
from separatrix.core.threads import on_one_blas_thread
from separatrix.designs.centred import Centred
from separatrix.solvers.dual import centred, dual_point
from separatrix.solvers.linalg.refine import fitted_intercept


@on_one_blas_thread
def conjugate_gradient(
    problem: Problem, *, tol: float = 1e-14, max_iter: int = 1000, start: None = None, trace: Trace | None = None
) -> Solution:
    """Solve each output in turn; see the head of this file. ``details["reached"]``: whether `tol` was met, it seems."""
    design, target = problem.design, problem.target
    s, lam = target.weights, problem.parts.ridge * target.total
    Y = target.y.reshape(design.n, -1)
    y_mean = s @ Y / target.total if problem.intercept else np.zeros(Y.shape[1])
    Y = Y - y_mean
    X_c = centred(problem)
    # in units in which y and the columns are about 1, nothing overflows on the way
    sums = design.moments(target, about_mean=problem.intercept, gram=design.forms_gram)
    y_unit, x_unit = (float(np.exp2(np.round(np.log2(size or 1.0)))) for size in (np.abs(Y).max(), sums.largest_spread))
    Y, lam = Y / y_unit, lam / x_unit**2
    xy = sums.xy / y_unit / x_unit
    beta, alpha, passes, reached = np.zeros((design.p, Y.shape[1])), np.zeros(Y.shape), 1, True
    one_ridge = bool(lam.all() and not np.ptp(lam))

    def solution(part: Problem, beta: np.ndarray, alpha: np.ndarray, mean: np.ndarray, dual: bool) -> Solution:
        """Of one output or all: beta (p, k) and alpha (n, k) in units of ours, means (k,) of y."""
        beta = beta * (y_unit / x_unit)
        theta = dual_point(alpha, float(lam[0]) * y_unit, s, part.target.outputs == ()) if dual else None
        return Solution.of(beta, fitted_intercept(part, beta, X_c.mean, mean), part.target, theta=theta)

    for c in range(Y.shape[1]):
        output = replace(problem, target=target.output(c)) if target.outputs else problem

        def keep(value: float, b: np.ndarray, a: np.ndarray, output: Problem = output, c: int = c) -> None:
            iterate = solution(output, b[:, None], a[:, None], y_mean[c : c + 1], one_ridge)
            record(trace, output, y_unit**2 * value, iterate, tol)

        each = None if trace is None else keep
        beta[:, c], alpha[:, c], used, gap = _solve(X_c, x_unit, Y[:, c], s, xy[:, c], lam, tol, max_iter, each)
        passes, reached = passes + used, reached and gap <= tol
    fit = solution(problem, beta, alpha, y_mean, reached and one_ridge)
    return replace(
        fit,
        trace=trace,
        details={"reached": reached},
        iterations=passes - 1,
        passes=passes,
    )


def _solve(
    X_c: Centred,
    x_unit: float,
    y: np.ndarray,
    s: np.ndarray,
    g: np.ndarray,
    lam: np.ndarray,
    tol: float,
    max_iter: int,
    keep: Callable[[float, np.ndarray, np.ndarray], None] | None,
) -> tuple[np.ndarray, np.ndarray, int, float]:
    """One output: beta, alpha, iterations, and an estimate of the gap relative to the null model.

    `keep` is called with objective, beta and alpha of each iterate.
    """
    beta, alpha, r, g = np.zeros(X_c.p), np.zeros(X_c.n), y.copy(), g.copy()
    same = float(lam[0]) if np.all(lam == lam[0]) else None
    null = float((s * y) @ y)
    if null == 0.0:
        return beta, alpha, 0, 0.0
    rho = s * r  # S r - lam alpha; g = X_c' rho
    direction, dual_direction, square = g.copy(), rho.copy(), float(g @ g)
    for iteration in range(max_iter):
        gap = _gap(rho, r, s, g, lam, same) / null
        if keep is not None:
            keep(0.5 * float((s * r) @ r + lam @ (beta * beta)) / float(s.sum()), beta, alpha)
        if gap <= tol or square == 0.0:
            return beta, alpha, iteration, gap
        image, normal = _images(X_c, x_unit, s, direction)
        curvature = float(direction @ normal) + float(lam @ (direction * direction))
        if not curvature > 0.0:
            break
        step = square / curvature
        beta += step * direction
        alpha += step * dual_direction
        r -= step * image
        rho = s * r - (same or 0.0) * alpha
        g -= step * (normal + lam * direction)
        square, before = float(g @ g), square
        direction = g + (square / before) * direction
        dual_direction = rho + (square / before) * dual_direction
    return beta, alpha, max_iter, _gap(rho, r, s, g, lam, same) / null


def _gap(rho: np.ndarray, r: np.ndarray, s: np.ndarray, g: np.ndarray, lam: np.ndarray, same: float | None) -> float:
    """Twice ``P(beta) - D(lam alpha)``: Fenchel's gap is ``½ rho'S^-1 rho``; without a penalty, P itself bounds it.

    Where lam differs between coefficients, ``g'diag(lam)^-1 g``.
    """
    if not lam.all():
        return float((s * r) @ r)
    if same is None:
        return float((g * g / lam).sum())
    return float(np.divide(rho * rho, s, out=np.zeros_like(rho), where=s > 0.0).sum())


def _images(X_c: Centred, x_unit: float, s: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """``X_c v`` and ``X_c'S X_c v``, X_c in its unit: in one read of X, or in two of tiles that are centred first."""
    v = v / x_unit
    if X_c.dense:
        image = X_c.times(v[:, None])[:, 0]
        return image, X_c.transposed_times((s * image)[:, None])[:, 0] / x_unit
    image, normal = X_c.design.there_and_back(v, float(X_c.mean @ v), s)
    return image, (normal - X_c.mean * float(s @ image)) / x_unit
