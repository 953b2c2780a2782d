r"""Exact leave-one-out residuals of ridge regression over a whole grid of strengths, from one decomposition.

Solves   for every lam: the residual of each row under the model fitted without it.
Given    a design, a target with k outputs, the strengths.
Returns  leave-one-out residuals, or only their weighted mean squares.
From     r_i / (1 - h_i), with the hat matrix in the eigenbasis of X_c'S X_c (tall) or of X_c X_c' (wide):
         h_i = 1/Σs + Σ_j z_ij² / (d_j + lam),  z = X_c V.     Golub, Heath and Wahba (1979), Technometrics 21(2).
Cost     n p² once, then 2 n p for each strength (tall); n² p once, then 2 n² for each strength (wide).

A row of weight s counts as s rows. One copy of it is left out, or all of it if it counts for less than one.
"""

import numpy as np

from separatrix.core.refusal import cannot
from separatrix.core.target import AnyTarget
from separatrix.core.types import Array
from separatrix.designs import as_dense
from separatrix.designs.base import Block, Design
from separatrix.designs.centred import Centred
from separatrix.solvers.compiled.leave_one_out import left_out_errors

# Rows are worked on in pieces whose scores and fits, this many numbers, stay in cache.
IN_CACHE = 1 << 17
# The n-by-n matrix of products of rows is formed in place of X'X for at most this many.
MOST_ROWS = 4000


def leave_one_out(
    design: Design, target: AnyTarget, strengths: Array, *, intercept: bool = True, keep: bool = False
) -> tuple[Array, Array | None]:
    """Mean squared leave-one-out errors (L, k) and, with `keep`, all residuals (n, k, L).

    Strengths are those of ``½ Σ s r² + ½ lam |beta|²``.
    """
    strengths = np.asarray(strengths, dtype=np.float64)
    refuse_one_row(target, intercept)
    if design.p <= design.n:
        errors, residuals = _tall(design, target, strengths, intercept, keep)
        # where a row determines its own fit to within rounding, 1 - h cancels; of the rows' products it does not
        if np.isfinite(errors).all() or design.n > MOST_ROWS:
            return errors, residuals
    return _wide(design, target, strengths, intercept, keep)


def generalised_cross_validation(
    design: Design, target: AnyTarget, strengths: Array, *, intercept: bool = True
) -> Array:
    """GCV scores (L, k), ``n Σ s r² / (n - edf)²``, from moments alone."""
    strengths = np.asarray(strengths, dtype=np.float64)
    refuse_one_row(target, intercept)
    sums = design.moments(target, about_mean=intercept)
    values, V = np.linalg.eigh(sums.xx)
    values = values.clip(min=0.0)
    c = V.T @ sums.xy
    scores = np.empty((len(strengths), c.shape[1]))
    for row, lam in enumerate(strengths):
        w = 1.0 / (values + lam)
        edf = (1.0 if intercept else 0.0) + (values * w).sum()
        rss = sums.yy - ((w * (2.0 - values * w))[:, None] * c * c).sum(axis=0)
        scores[row] = sums.total * rss.clip(min=0.0) / (sums.total - edf) ** 2

    return scores


def refuse_one_row(target: AnyTarget, intercept: bool) -> None:
    """Without one row of so few nothing is left that an intercept could be fitted to."""
    if intercept and target.rows_of_positive_weight < 2 and target.total <= 1.0:
        raise cannot(
            "leave out each row in turn",
            because="there is 1 sample of positive weight, and without it none",
            instead="two rows at least, or Ridge with a strength of your own",
        )


def _copies(s: Array | None) -> Array | float:
    """How much of a row is left out."""
    return 1.0 if s is None else np.minimum(s, 1.0)


def _tall(
    design: Design, target: AnyTarget, strengths: Array, intercept: bool, keep: bool
) -> tuple[Array, Array | None]:
    sums = design.moments(target, about_mean=intercept)
    values, V = np.linalg.eigh(sums.xx)
    values = values.clip(min=0.0)
    W = 1.0 / (values[:, None] + strengths)  # (p, L)
    c = V.T @ sums.xy  # (p, k)
    k = c.shape[1]
    base = 1.0 / sums.total if intercept else 0.0
    centre = sums.x_mean @ V if intercept else np.zeros(len(values))

    def task(block: Block) -> tuple[Array, list[Array]]:
        Y, squares = block.y.reshape(-1, k), np.zeros((k, len(strengths)))
        kept: list[Array] = []
        height = max(16, IN_CACHE // (len(values) + len(strengths)))
        for start in range(0, block.X.shape[0], height):
            rows = slice(start, start + height)
            Z = as_dense(block.X[rows]) @ V
            Z -= centre
            leverage = (Z * Z) @ W
            weights = np.ones(Z.shape[0]) if block.s is None else block.s[rows]
            errors = [Z @ (W * c[:, output, None]) for output in range(k)]
            for output in range(k):
                y = Y[rows, output] - sums.y_mean[output]
                left_out_errors(y, weights, base, leverage, errors[output], squares[output])
            if keep:
                kept.append(np.stack(errors, axis=1))
        return squares, kept

    squares, kept = design.reduce(task, lambda a, b: (a[0] + b[0], a[1] + b[1]), target)
    return squares.T / sums.total, (np.concatenate(kept) if keep else None)


def _wide(
    design: Design, target: AnyTarget, strengths: Array, intercept: bool, keep: bool
) -> tuple[Array, Array | None]:
    share = target.weights / target.total if intercept else np.zeros(design.n)
    errors = leave_one_out_by_products(_centred_gram(design, share), target, strengths, intercept=intercept)
    squares = np.tensordot(target.weights, errors**2, axes=1) / target.total
    return squares.T, (errors if keep else None)


def leave_one_out_by_products(K: Array, target: AnyTarget, strengths: Array, *, intercept: bool) -> Array:
    """Leave-one-out residuals (n, k, L) from the products of the rows, or the values of a kernel; K is overwritten.

    With an intercept K is centred (:func:`centred_products`). Rows of weight 0 have residuals of 0.
    """
    n, s, total = target.n, target.s, target.total
    Y = target.y.reshape(n, -1)
    root = np.ones(n) if s is None else np.sqrt(s)
    share = target.weights / total if intercept else np.zeros(n)
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
    share = np.divide(_copies(s) * np.ones(n), root**2, out=np.zeros(n), where=root > 0.0)[:, None]
    stay = 1.0 - share + share * ((Q * Q) @ shrink)
    errors = np.empty((n, Y.shape[1], len(strengths)))
    inverse_root = np.divide(1.0, root, out=np.zeros(n), where=root > 0.0)
    for output in range(Y.shape[1]):
        errors[:, output] = inverse_root[:, None] * (Q @ (shrink * c[:, output, None])) / stay
    return errors


def _centred_gram(design: Design, share: Array) -> Array:
    """``X_c X_c'``, where `share` are the weights of the mean that is taken off (zeros: none)."""
    K = Centred(design, design.rmatvec(share)).outer_gram()
    design.refuse_if_not_finite(K)
    return centred_products(K, share)


def centred_products(K: Array, share: Array) -> Array:
    """Products of rows from which their mean is taken off, with `share` as its weights; in place."""
    row = K @ share
    K -= row[:, None]
    K -= row
    K += share @ row
    return K
