r"""Exact leave-one-out residuals of ridge regression over a whole grid of strengths, from one decomposition.

Solves   for every lam: the residual of each row under the model fitted without it.
Given    a design, a target with k outputs, the strengths.
Returns  leave-one-out residuals, or only their weighted mean squares, and the way to the solution.
From     r_i / (1 - h_i), with the hat matrix in the eigenbasis of X_c'S X_c (tall) or of X_c X_c' (wide):
         h_i = 1/Σs + Σ_j z_ij² / (d_j + lam),  z = X_c V.     Golub, Heath and Wahba (1979), Technometrics 21(2).
Cost     n p² once, then 2 n p for each strength (tall); n² p once, then 2 n² for each strength (wide).

A row of weight s counts as s rows. One copy of it is left out, or all of it if it counts for less than one.
"""

import numpy as np

from separatrix.designs import as_dense, moments
from separatrix.solvers.choose import solve_least_squares
from separatrix.solvers.compiled.leave_one_out import left_out_errors
from separatrix.solvers.direct import least_squares
from separatrix.solvers.dual import centred_gram, dual_ridge

# Rows are worked on in pieces whose scores and fits, this many numbers, stay in cache.
IN_CACHE = 1 << 17


def leave_one_out(design, target, strengths, *, intercept=True, keep=False):
    """Mean squared leave-one-out errors (L, k), with `keep` all residuals (n, k, L), and a solver for any strength.

    The solver returns the ridge solution from the decomposition that is there already.
    """
    strengths = np.asarray(strengths, dtype=np.float64)
    solve = _tall if design.p <= design.n else _wide
    return solve(design, target, strengths, intercept, keep)


def generalised_cross_validation(design, target, strengths, *, intercept=True):
    """GCV scores (L, k), ``n Σ s r² / (n - edf)²``, from moments alone, and a solver for any strength."""
    strengths = np.asarray(strengths, dtype=np.float64)
    found = moments(design, target, about_mean=intercept)
    values, V = np.linalg.eigh(found.xx)
    values = values.clip(min=0.0)
    c = V.T @ found.xy
    scores = np.empty((len(strengths), c.shape[1]))
    for row, lam in enumerate(strengths):
        w = 1.0 / (values + lam)
        edf = (1.0 if intercept else 0.0) + (values * w).sum()
        rss = found.yy - ((w * (2.0 - values * w))[:, None] * c * c).sum(axis=0)
        scores[row] = found.total * rss.clip(min=0.0) / (found.total - edf) ** 2

    def solve(lam):
        return solve_least_squares(design, target, lam, intercept=intercept, found=found)

    return scores, solve


def _copies(s):
    """How much of a row is left out."""
    return 1.0 if s is None else np.minimum(s, 1.0)


def _tall(design, target, strengths, intercept, keep):
    found = moments(design, target, about_mean=intercept)
    values, V = np.linalg.eigh(found.xx)
    values = values.clip(min=0.0)
    W = 1.0 / (values[:, None] + strengths)  # (p, L)
    c = V.T @ found.xy  # (p, k)
    k = c.shape[1]
    base = 1.0 / found.total if intercept else 0.0
    Y = target.y.reshape(design.n, -1)
    centre = found.x_mean @ V if intercept else np.zeros(len(values))

    def task(B, Y_block, s):
        squares, kept = np.zeros((k, len(strengths))), []
        height = max(16, IN_CACHE // (len(values) + len(strengths)))
        for start in range(0, B.shape[0], height):
            rows = slice(start, start + height)
            Z = as_dense(B[rows]) @ V
            Z -= centre
            leverage = (Z * Z) @ W
            weights = np.ones(Z.shape[0]) if s is None else s[rows]
            errors = [Z @ (W * c[:, output, None]) for output in range(k)]
            for output in range(k):
                y = Y_block[rows, output] - found.y_mean[output]
                left_out_errors(y, weights, base, leverage, errors[output], squares[output])
            if keep:
                kept.append(np.stack(errors, axis=1))
        return squares, kept

    squares, kept = design.reduce(task, lambda a, b: (a[0] + b[0], a[1] + b[1]), Y, target.s)

    def solve(lam):
        return least_squares(design, target, lam, intercept=intercept, found=found)

    return squares.T / found.total, (np.concatenate(kept) if keep else None), solve


def _wide(design, target, strengths, intercept, keep):
    s, total = target.s, target.total
    Y = target.y.reshape(design.n, -1)
    root = np.ones(design.n) if s is None else np.sqrt(s)
    share = target.weights / total if intercept else np.zeros(design.n)
    K = centred_gram(design, share)
    Y = Y - share @ Y
    K *= np.multiply.outer(root, root)
    if intercept:  # the constant is fitted freely: give its direction an eigenvalue nothing else comes near
        constant = root / np.linalg.norm(root)
        K += np.multiply.outer((np.trace(K) + 1.0) * constant, constant)
    values, Q = np.linalg.eigh(K)
    values = values.clip(min=0.0)
    c = Q.T @ (root[:, None] * Y)
    shrink = strengths / (values[:, None] + strengths)  # 1 - h and the residuals, without cancellation
    if intercept:
        shrink[-1] = 0.0
    # a row's weight is inside K, so 1 - h comes out for the whole row; of its s copies one is left out
    share = np.divide(_copies(s) * np.ones(design.n), root**2, out=np.zeros(design.n), where=root > 0.0)[:, None]
    stay = 1.0 - share + share * ((Q * Q) @ shrink)
    errors = np.empty((design.n, Y.shape[1], len(strengths)))
    inverse_root = np.divide(1.0, root, out=np.zeros(design.n), where=root > 0.0)
    for output in range(Y.shape[1]):
        errors[:, output] = inverse_root[:, None] * (Q @ (shrink * c[:, output, None])) / stay
    squares = np.tensordot(target.weights, errors**2, axes=1) / total

    def solve(lam):
        inverse = np.divide(1.0, values + lam, out=np.zeros_like(values), where=values + lam > 0.0)

        def apply(rest):
            return root[:, None] * (Q @ (inverse[:, None] * (Q.T @ (root[:, None] * rest))))

        return dual_ridge(design, target, lam, intercept=intercept, solve=apply)

    return squares.T, (errors if keep else None), solve
