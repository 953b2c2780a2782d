"""Rules made of class means: two projections, diagonal discriminants, the basic linear classifier."""

import numpy as np

from separatrix.estimators.generative.within import RESIDUAL, divisor
from separatrix.estimators.recompute.class_sums import ClassSums
from separatrix.estimators.recompute.comparison import BESIDE, EPS, Comparison, half_unit
from separatrix.estimators.recompute.discriminants import Equations, class_means, hold_intercepts


def fisher(model, X, y, sample_weight=None):
    """Fisher's discriminant: ``S_W w ∝ m_2 - m_1``, the length of w, J(w), and the threshold on the training rows."""
    sums = ClassSums(model, X, y, sample_weight)
    comparison = Comparison(model, sums.n)
    comparison.number("means_", sums.means, sums.sizes)
    difference = (sums.means[1] - sums.means[0]).astype(np.float64)
    singular = model.rank_ < np.count_nonzero(sums.scale)
    w = model.coef_[0].astype(np.float64)
    width, along = w @ sums.scatter_times(w[:, None])[:, 0], w @ difference
    equations = Equations(sums, sums.scatter_times, sums.scale, singular)
    right = difference[:, None] * (width / along if along else 1.0)  # w is a multiple of the solution,
    equations.hold(comparison, model.coef_.T, right, "coef_")
    rounding = half_unit(model.coef_) * float(np.abs(w) @ np.abs(difference)) + _along_rounding(sums, w)
    # a positive one, from the first class to the second, where the rounding of the means lets it be told
    comparison.residual(np.inf if along <= -rounding else 0.0, 0.0, "coef_")
    _hold_projection(model, comparison, sums, w, along, width)
    d, codes, s = sums.design.matvec(model.coef_[0]), sums.target.y, sums.target.s
    reach = (sums.p + 2.0) * (half_unit(model.coef_) + EPS) * float((sums.sizes @ np.abs(w)).max())
    comparison.number("threshold_", model._place(d, codes, s), np.abs(d).max(), tolerance=reach / np.abs(d).max())
    comparison.number("intercept_", [-model.threshold_])
    wrong = ((d + model.intercept_[0] >= 0.0) != (codes == 1)).astype(float)
    comparison.number("training_error_", np.average(wrong, weights=s), 1.0)
    return comparison.certificate()


def mean_difference(model, X, y, sample_weight=None):
    """The direction from one class mean to the other, of length one, and J(w)."""
    sums = ClassSums(model, X, y, sample_weight)
    comparison = Comparison(model, sums.n)
    comparison.number("means_", sums.means, sums.sizes)
    difference = sums.means[1] - sums.means[0]
    length = np.sqrt((difference * difference).sum())
    comparison.number("coef_", [difference / length], sums.sizes.max(axis=0)[None] / length, means=2)
    w = model.coef_[0].astype(np.float64)
    width = w @ sums.scatter_times(w[:, None])[:, 0]
    _hold_projection(model, comparison, sums, w, w @ difference.astype(np.float64), width)
    return comparison.certificate()


def _hold_projection(model, comparison, sums, w, along, width):
    """The length of w and ``J(w) = (w · (m_2 - m_1))² / w' S_W w``, the means right to ``(n + 8) eps``."""
    tolerance = RESIDUAL + 4.0 * len(w) * half_unit(model.coef_)
    comparison.residual(abs(w @ w - 1.0), tolerance, "coef_")
    tolerance += 2.0 * _along_rounding(sums, w) / max(abs(along), np.finfo(float).tiny)
    comparison.number("J_", along**2 / width if width > 0.0 else np.inf, tolerance=tolerance)


def _along_rounding(sums, w):
    """What the rounding of two class means may move their difference along w."""
    return (sums.n + BESIDE) * EPS * float((sums.sizes @ np.abs(w)).sum())


def diagonal(model, X, y, sample_weight=None):
    """Diagonal discriminants: means, shares, variances within classes, ``σ² w = μ`` and the intercepts."""
    sums = ClassSums(model, X, y, sample_weight)
    comparison = Comparison(model, sums.n)
    means, pi = class_means(model, sums, comparison)
    live = sums.scale > 0.0
    variances = np.where(live, sums.squares.sum(axis=0) / divisor(sums, model.denominator), 0.0)
    comparison.number("variances_", variances, means=2)
    center = means.mean(axis=0)
    B = means[1:] - means[:1] if len(pi) == 2 else means - center
    A = np.divide(B, variances.astype(np.float64), out=np.zeros_like(B), where=live)
    size = np.divide(sums.sizes.max(axis=0), variances, out=np.zeros_like(variances), where=live)
    comparison.number("coef_", A, np.broadcast_to(size, A.shape), means=4)
    hold_intercepts(model, comparison, means, pi, center)
    return comparison.certificate()


def basic(model, X, y, sample_weight=None):
    """The basic linear classifier: counts, means, ``M w = n μ`` with M as the parameters say, and the threshold."""
    sums = ClassSums(model, X, y, sample_weight)
    comparison = Comparison(model, sums.n)
    comparison.number("class_count_", sums.totals)
    comparison.number("means_", sums.means, sums.sizes)
    total = float(sums.total)
    center = (sums.mean if model.centred else np.zeros(sums.p)).astype(np.float64)
    means = (sums.means - center).astype(np.float64)
    n = (sums.totals / sums.total).astype(np.float64) if model.prevalence == "observed" else np.ones(sums.k)
    right = (n[:, None] * means).T
    right = right[:, 1:] - right[:, :1] if sums.k == 2 else right
    squares = sums.squares.sum(axis=0) + sums.totals @ (sums.means - center) ** 2
    M = np.ones(sums.p) if model.metric == "identity" else squares.astype(np.float64) / total

    def apply(A):
        return sums.second_moments_times(A, center) / total if model.metric == "full" else M[:, None] * A

    live = (4.0 * EPS * center) ** 2 * sums.n < M  # as in the fit: the other columns are constant
    scale = np.divide(1.0, np.sqrt(M), out=np.zeros(sums.p), where=live)
    Equations(sums, apply, scale, model.metric == "full").hold(comparison, model.coef_.T, right, "coef_")
    A = model.coef_.astype(np.float64)
    _, about = model._scores(A.T, means.T, n) if sums.k > 2 else (A, _of_two(model, A[0], means, n))
    size = np.abs(about) + np.abs(A) @ (np.abs(center) + np.abs(means).max(axis=0))
    tolerance = RESIDUAL + (sums.p + 2.0) * half_unit(model.coef_)
    comparison.number("intercept_", np.atleast_1d(about) - A @ center, size, tolerance=tolerance)
    return comparison.certificate()


def _of_two(model, w, means, n):
    if model.threshold == "halfway":
        return -w @ means.mean(axis=0)
    return n[1] - n[0] if model.centred else 0.0
