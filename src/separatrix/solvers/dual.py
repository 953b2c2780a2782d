"""Ridge regression with more columns than rows, through the n-by-n matrix of inner products.

Solves   (X_c X_c' + lam S^-1) alpha = y,   beta = X_c' alpha,     X_c being X less its means if there is an intercept.
Given    a design, a target with one or k outputs, lam > 0.
Returns  beta, intercept, certificate, and alpha as the dual point: y - X beta = lam S^-1 alpha.
From     Saunders, Gammerman and Vovk (1998), Ridge regression learning algorithm in dual variables.
Cost     n² p for the matrix, n³/3 for its factor, 4 n p for each refinement.
"""

import time

import numpy as np
from scipy.linalg import cho_factor, cho_solve

from separatrix.core.solution import Certificate, Solution


def dual_ridge(design, target, lam, *, intercept=True, tol=1e-16, max_steps=10):
    """Solve and refine; see the head of this file."""
    started = time.perf_counter()
    weights, total = target.weights, target.total
    live = np.flatnonzero(weights > 0.0)
    share = weights / total if intercept else np.zeros(design.n)
    Y = target.y.reshape(design.n, -1)
    y_mean = share @ Y

    K = design.outer_gram()
    design.refuse_if_not_finite(K)
    row = K @ share
    K = K - row[:, None] - row + share @ row
    mean = design.rmatvec(share)
    inverse_weights = np.divide(1.0, weights, out=np.zeros(design.n), where=weights > 0.0)
    M = K[np.ix_(live, live)]
    M[np.diag_indices(len(live))] += lam * inverse_weights[live]
    factor = cho_factor(M, overwrite_a=True, check_finite=False)

    alpha, best, step = np.zeros_like(Y), np.inf, 0
    while step < max_steps:
        step += 1
        beta = design.rmatvec(alpha) - np.multiply.outer(mean, alpha.sum(axis=0))
        rest = Y - y_mean - (design.matvec(beta) - mean @ beta) - lam * inverse_weights[:, None] * alpha
        rest[weights == 0.0] = 0.0
        gap = _relative_gap(design, target, lam, mean, y_mean, beta, Y)
        if gap >= 0.25 * best:
            break
        best, kept = min(gap, best), beta
        alpha[live] += cho_solve(factor, rest[live], check_finite=False)
    offset = y_mean - mean @ kept
    certificate = Certificate("gap", best, tol, step, 4 * step + 2, time.perf_counter() - started)
    one = target.y.ndim == 1
    return Solution(
        kept[:, 0] if one else kept, float(offset[0]) if one else offset, certificate, details={"dual": alpha}
    )


def _relative_gap(design, target, lam, mean, y_mean, beta, Y):
    """Fenchel's gap ``|X_c'S r - lam beta|² / (2 lam)`` against the null model; the largest over outputs."""
    r = Y - y_mean - (design.matvec(beta) - mean @ beta)
    sr = target.weights[:, None] * r
    g = design.rmatvec(sr) - np.multiply.outer(mean, sr.sum(axis=0)) - lam * beta
    null = (target.weights[:, None] * (Y - y_mean) ** 2).sum(axis=0)
    return float(((g * g).sum(axis=0) / lam / np.where(null > 0.0, null, 1.0)).max())
