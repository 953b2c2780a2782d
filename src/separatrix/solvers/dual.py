"""Ridge regression with more columns than rows, through the n-by-n matrix of inner products.

Solves   (X_c X_c' + lam S^-1) alpha = y,   beta = X_c' alpha,     X_c being X less its means if there is an intercept.
Given    a problem of squared error with one or k outputs, under one ridge for all coefficients, lam / Σs.
Returns  beta, intercept and a dual point.
From     Saunders, Gammerman and Vovk (1998), Ridge regression learning algorithm in dual variables.
Cost     n² p for the matrix, n³/3 for its factor, 4 n p for each refinement.
"""

from collections.abc import Callable

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from separatrix.core.problem import Problem
from separatrix.core.solution import Solution, Trace
from separatrix.designs.centred import Centred
from separatrix.solvers.linalg.refine import fitted_intercept

Solve = Callable[[np.ndarray], np.ndarray]


def dual_ridge(
    problem: Problem, *, tol: float = 1e-14, max_iter: int = 10, start: None = None, trace: Trace | None = None
) -> Solution:
    """Solve and refine; see the head of this file. `tol`, `start` and `trace` have no effect."""
    design, target = problem.design, problem.target
    weights, total = target.weights, target.total
    lam = float(problem.parts.ridge[0]) * total
    share = weights / total if problem.intercept else np.zeros(design.n)
    Y = target.y.reshape(design.n, -1)
    y_mean = share @ Y
    X_c = centred(problem)
    live = counting_rows(weights, lam)
    solve = _inverse(X_c, weights, share, lam, live)
    ridges = np.divide(lam, weights, out=np.zeros(design.n), where=live)[:, None]

    alpha, best, step = np.zeros_like(Y), np.inf, 0
    while step < max_iter:
        step += 1
        beta = X_c.transposed_times(alpha)
        r = Y - y_mean - X_c.times(beta)
        rest = np.where(live[:, None], r - ridges * alpha, 0.0)
        rest -= share @ rest  # the intercept takes what is common to all rows
        excess = float((weights[:, None] * rest**2).sum())
        if not excess < 0.25 * best:
            break
        best, kept, theta = excess, beta, dual_point(alpha, lam, weights, target.outputs == ())
        alpha = alpha + solve(rest)
    offset = fitted_intercept(problem, kept, X_c.mean, y_mean)
    return Solution.of(kept, offset, target, theta=theta, iterations=step, passes=2 * step + 2)


def counting_rows(weights: np.ndarray, lam: float) -> np.ndarray:
    """The rows whose dual variable is not 0: those of positive weight for which ``lam / s_i`` does not overflow."""
    return (weights > 0.0) & (weights * 1e290 >= lam)


def dual_point(alpha: np.ndarray, lam: float, weights: np.ndarray, one: bool) -> np.ndarray:
    """``-lam S^-1 alpha``, the slopes of the rows that belong to ``beta = X_c' alpha``; 0 for rows of weight zero."""
    inverse = np.divide(-lam, weights, out=np.zeros(len(weights)), where=counting_rows(weights, lam))
    theta = inverse[:, None] * alpha
    return theta[:, 0] if one else theta


def centred(problem: Problem) -> Centred:
    """X less its means (less nothing, without an intercept); tile by tile where the means are far from zero."""
    design, target = problem.design, problem.target
    if not problem.intercept:
        return Centred(design, np.zeros(design.p), tiled=False)
    mean = design.moments(target, gram=design.forms_gram).x_mean
    return Centred(design, mean, tiled=design.gram_is_cheap and design.provisional_means is not None)


def _inverse(X_c: Centred, weights: np.ndarray, share: np.ndarray, lam: float, counts: np.ndarray) -> Solve:
    """The map ``rest -> (X_c X_c' + lam S^-1)^-1 rest``, by a Cholesky factor; rows that do not count stay zero."""
    live = np.flatnonzero(counts)
    K = centred_gram(X_c, share)[np.ix_(live, live)]
    K[np.diag_indices(len(live))] += lam / weights[live]
    factor = _cholesky(K)

    def solve(rest: np.ndarray) -> np.ndarray:
        solved = np.zeros_like(rest)
        solved[live] = cho_solve(factor, rest[live], check_finite=False)
        return solved

    return solve


def _cholesky(K: np.ndarray) -> tuple[np.ndarray, bool]:
    """A Cholesky factor; of K + jitter I where rounding made K indefinite: refinement takes the jitter back."""
    jitter = 0.0
    for _ in range(8):
        try:
            moved = K.copy()
            moved[np.diag_indices(len(K))] += jitter
            return cho_factor(moved, overwrite_a=True, check_finite=False)
        except LinAlgError:
            jitter = max(100.0 * jitter, 1e-15 * float(np.trace(K)))
    raise LinAlgError("the inner products of the rows have no Cholesky factor")


def centred_gram(X_c: Centred, share: np.ndarray) -> np.ndarray:
    """``X_c X_c'``, where `share` are the weights of the mean that was taken off (zeros: none)."""
    K = X_c.outer_gram() if X_c.dense else X_c.design.outer_gram()
    X_c.design.refuse_if_not_finite(K)
    row = K @ share
    return K - row[:, None] - row + share @ row
