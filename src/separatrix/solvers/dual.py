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


def dual_ridge(design, target, lam, *, intercept=True, tol=1e-14, solve=None, max_steps=10):
    """Solve and refine; see the head of this file. `solve` applies the inverse, if a decomposition is known already."""
    started = time.perf_counter()
    weights, total = target.weights, target.total
    share = weights / total if intercept else np.zeros(design.n)
    Y = target.y.reshape(design.n, -1)
    y_mean = share @ Y
    solve = solve or _inverse(design, weights, share, lam)
    mean = design.rmatvec(share)
    null = (weights[:, None] * (Y - y_mean) ** 2).sum(axis=0)
    null = np.where(null > 0.0, null, 1.0)
    inverse_weights = np.divide(1.0, weights, out=np.zeros(design.n), where=weights > 0.0)[:, None]

    alpha, best, step = np.zeros_like(Y), np.inf, 0
    while step < max_steps:
        step += 1
        beta = design.rmatvec(alpha) - np.multiply.outer(mean, alpha.sum(axis=0))
        r = Y - y_mean - (design.matvec(beta) - mean @ beta)
        rest = np.where(weights[:, None] > 0.0, r - lam * inverse_weights * alpha, 0.0)
        # Fenchel's gap of beta = X_c' alpha and theta = lam alpha is ½ Σ s rest²
        gap = float(((weights[:, None] * rest**2).sum(axis=0) / null).max())
        if gap >= 0.25 * best:
            break
        best, kept = gap, beta
        alpha = alpha + solve(rest)
    offset = y_mean - mean @ kept
    certificate = Certificate("gap", best, tol, step, 2 * step + 2, time.perf_counter() - started)
    one = target.y.ndim == 1
    return Solution(
        kept[:, 0] if one else kept, float(offset[0]) if one else offset, certificate, details={"dual": alpha}
    )


def _inverse(design, weights, share, lam):
    """The map ``rest -> (X_c X_c' + lam S^-1)^-1 rest``, by a Cholesky factor; rows of weight zero stay zero."""
    live = np.flatnonzero(weights > 0.0)
    K = centred_gram(design, share)[np.ix_(live, live)]
    K[np.diag_indices(len(live))] += lam / weights[live]
    factor = cho_factor(K, overwrite_a=True, check_finite=False)

    def solve(rest):
        found = np.zeros_like(rest)
        found[live] = cho_solve(factor, rest[live], check_finite=False)
        return found

    return solve


def centred_gram(design, share):
    """``X_c X_c'``, where `share` are the weights of the mean that is taken off (zeros: none)."""
    K = design.outer_gram()
    design.refuse_if_not_finite(K)
    row = K @ share
    return K - row[:, None] - row + share @ row
