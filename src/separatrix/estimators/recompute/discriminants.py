"""Equations of the published coefficients and maps of discriminants, on moments that are summed anew."""

import numpy as np

from separatrix.core.certificate import relative_residual
from separatrix.estimators.generative.gaussian_classes import TOLERANCE, covariances, divisors
from separatrix.estimators.generative.within import RESIDUAL, divisor
from separatrix.estimators.recompute.class_sums import ClassSums
from separatrix.estimators.recompute.comparison import BESIDE, EPS, Comparison, half_unit


def class_means(model, sums, comparison):
    """Hold ``means_`` and ``priors_`` to the sums; return the means and shares in double precision."""
    comparison.number("means_", sums.means, sums.sizes)
    shares = np.asarray(model._shares(sums.totals), dtype=np.longdouble)
    comparison.number("priors_", shares)
    return sums.means.astype(np.float64), shares.astype(np.float64)


class Equations:
    r"""Solutions of ``Σ A = B`` in units of the standard deviations, with what rounding explains of their residual.

    Published numbers are right to half a unit u, so that a residual in these units may be ``p u``, once more p where
    Σ is singular and is multiplied twice; class means that enter B are right to ``(n + 8) eps`` of their size.
    """

    def __init__(self, sums, apply, scale, singular):
        self.apply, self.scale, self.singular = apply, scale, singular
        self.far = (sums.n + BESIDE) * EPS * np.linalg.norm(scale * sums.sizes.max(axis=0).astype(np.float64))

    def hold(self, comparison, A, B, *names):
        """Hold A (p, k), published under one of `names`, to the right-hand sides B."""
        wide = A.astype(np.float64)
        value = relative_residual(self.apply, wide, B, self.scale, singular=self.singular)
        live, D = self.scale > 0.0, self.scale[:, None]
        value = np.inf if wide[~live].any() else value  # a column that is constant within classes takes no part
        sizes = np.linalg.norm(wide[live] / D[live], axis=0) + np.linalg.norm(D * B, axis=0)
        rounding = half_unit(A) * len(A) ** (2 if self.singular else 1)
        comparison.residual(value, RESIDUAL + rounding + self.far / max(sizes.min(), np.finfo(float).tiny), *names)


def linear(model, X, y, sample_weight=None):
    """Linear discriminants: means, shares, ``Σ A = means - xbar``, intercepts, and the canonical variates."""
    sums = ClassSums(model, X, y, sample_weight)
    comparison = Comparison(model, sums.n)
    means, pi = class_means(model, sums, comparison)
    center = pi @ means
    comparison.number("xbar_", pi @ sums.means, pi @ sums.sizes, means=2)
    apply, variances = _stated_within(model, sums)
    scale = np.divide(1.0, np.sqrt(variances), out=np.zeros(sums.p), where=variances > 0.0)
    singular = model.rank_ < np.count_nonzero(scale)
    equations = Equations(sums, apply, scale, singular)
    B = (means - center).T
    two = len(pi) == 2
    right = (means[1] - means[0])[:, None] if two else B
    W = model.scalings_.astype(np.float64)
    kept = W[:, : model._n_features_out]
    if model.reduced_rank and kept.shape[1] < len(pi) - 1:
        A, size = kept @ (kept.T @ right), np.abs(kept) @ (np.abs(kept).T @ np.abs(means).max(axis=0))
        comparison.number("coef_", A.T, np.broadcast_to(size, A.T.shape), tolerance=RESIDUAL)
    else:
        equations.hold(comparison, model.coef_.T, right, "coef_")
    hold_intercepts(model, comparison, means, pi, center)
    noise = _variates(model, comparison, equations, means, pi, B)
    if not model.reduced_rank:
        # the trace of Σ⁺ times the scatter of the means: that no variate is left out
        along = pi[0] * pi[1] * right[:, 0] @ model.coef_[0] if two else pi @ np.einsum("jk,kj->k", B, model.coef_)
        total = model.eigenvalues_.sum()
        comparison.residual(abs(along - total) / max(total, np.finfo(float).tiny), noise, "eigenvalues_")
    ratios = model.eigenvalues_ / model.eigenvalues_.sum() if len(model.eigenvalues_) else model.eigenvalues_
    comparison.number("explained_variance_ratio_", ratios[: model._n_features_out])
    if "covariance_" in vars(model) or model.rank_ == sums.p:
        _whole_covariance(model, comparison, apply(np.eye(sums.p)), scale)
    return comparison.certificate()


def _stated_within(model, sums):
    """Multiplication by the covariance that the parameters of the model state, and its diagonal."""
    if model.shrinkage == "auto" or model.covariance_estimator is not None:
        stated = model._stated_covariance(sums.moments, sums.design, sums.target)
        return stated.__matmul__, np.diagonal(stated)
    N, a = float(divisor(sums, model.denominator)), float(model.shrinkage or 0.0)
    squares = sums.squares.sum(axis=0).astype(np.float64)
    ridge = a * squares.mean() / N

    def apply(A):
        return (1.0 - a) * sums.scatter_times(A) / N + ridge * A

    return apply, np.where(sums.scale > 0.0, (1.0 - a) * squares / N, 0.0) + ridge


def hold_intercepts(model, comparison, means, pi, center):
    r"""``log π_c - ½ (μ_c + center) · A_c``; of two classes their difference, in which the center cancels."""
    A = model.coef_.astype(np.float64)
    with np.errstate(divide="ignore"):
        log_shares = np.log(pi)
    if len(pi) == 2:
        log_shares, middle = log_shares[1:] - log_shares[:1], 0.5 * (means[0] + means[1])[None]
    else:
        middle = 0.5 * (means + center)
    size = np.where(np.isfinite(log_shares), np.abs(log_shares), 0.0) + (np.abs(middle) * np.abs(A)).sum(axis=1)
    tolerance = RESIDUAL + (A.shape[1] + 2.0) * half_unit(model.coef_)
    comparison.number("intercept_", log_shares - (middle * A).sum(axis=1), size, tolerance=tolerance)


def _variates(model, comparison, equations, means, pi, B):
    """``W'ΣW = I`` and ``W' S_B W = diag(eigenvalues)``; return what the latter is held to."""
    W, eigenvalues = model.scalings_.astype(np.float64), model.eigenvalues_
    if not len(eigenvalues):
        return RESIDUAL
    live = equations.scale > 0.0
    units = W[live] / equations.scale[live, None]
    u = half_unit(model.scalings_)
    value = np.abs(W.T @ equations.apply(W) - np.eye(W.shape[1])).max()
    comparison.residual(value, RESIDUAL + 2.0 * u * len(W) * (units**2).sum(axis=0).max(), "scalings_")
    largest = eigenvalues.max()
    along = W.T @ B * np.sqrt(pi)
    rounding = (u * np.abs(W).T @ np.abs(B)).max() + equations.far * np.linalg.norm(units, axis=0).max()
    tolerance = RESIDUAL + 2.0 * rounding / np.sqrt(largest)
    value = np.abs(along @ along.T - np.diag(eigenvalues)).max() / largest
    comparison.residual(value, tolerance, "scalings_", "eigenvalues_")
    return tolerance


def _whole_covariance(model, comparison, matrix, scale):
    """``covariance_`` where it is stored, and the logarithm of its determinant where it has one."""
    roots = np.sqrt(np.diagonal(matrix))
    if "covariance_" in vars(model):
        comparison.number("covariance_", matrix, np.multiply.outer(roots, roots) + np.abs(matrix), tolerance=RESIDUAL)
    if model.rank_ == len(matrix):
        values = np.linalg.eigvalsh(scale[:, None] * matrix * scale)
        recomputed = np.log(values).sum() - 2.0 * np.log(scale).sum()
        allowed = RESIDUAL + (comparison.n + BESIDE) * EPS * len(values) / values.min()
        comparison.number("log_determinant_", recomputed, max(1.0, abs(recomputed)), tolerance=allowed)


def quadratic(model, X, y, sample_weight=None):
    """Quadratic and regularised discriminants: means, shares, and ``W'ΣW = I`` of the maps that predictions use."""
    sums = ClassSums(model, X, y, sample_weight)
    comparison = Comparison(model, sums.n)
    class_means(model, sums, comparison)
    spheres, moments = model._spheres, sums.moments
    size = np.maximum(sums.sizes, np.finfo(float).tiny)
    means = np.max(np.abs(spheres.means - sums.means) / size) if spheres.means.shape == size.shape else np.inf
    comparison.residual(means, (sums.n + BESIDE) * EPS, "means_")
    each, whole = divisors(moments, model.denominator)
    inverse = np.divide(1.0, each, out=np.zeros_like(each), where=each > 0.0)
    own, pooled = model._parts_of_covariance()
    stated = own * covariances(moments.scatter, each) + (pooled / whole * moments.pooled.scatter if pooled else 0.0)
    blended = model._blended(stated, moments, sums.design, sums.target)
    for c, W in enumerate(spheres.maps):
        tolerance = TOLERANCE
        if blended is None:
            sphered = own * inverse[c] * sums.sphered_scatter(W, c)
            sphered = sphered + (pooled / whole * sums.sphered_scatter(W) if pooled else 0.0)
        else:
            sphered, tolerance = W.T @ blended[c] @ W, max(TOLERANCE, spheres.rounding(c, blended[c]))
        wanted = np.diag((np.arange(len(sphered)) < spheres.ranks[c]).astype(float))
        comparison.residual(np.abs(sphered - wanted).max(), tolerance, "rotations_", "scalings_")
        if spheres.frame is None:
            volume = -2.0 * np.linalg.slogdet(W)[1]
            off = abs(spheres.log_determinants[c] - volume) / max(1.0, abs(volume))
            comparison.residual(off, TOLERANCE, "rotations_", "scalings_")
    if "covariance_" in vars(model):
        matrices = stated if blended is None else blended
        roots = np.sqrt(np.einsum("kjj->kj", matrices))
        size = np.einsum("ki,kj->kij", roots, roots) + np.finfo(float).tiny
        off = np.abs(np.array(model.covariance_) - matrices)[spheres.ranks == sums.p]
        comparison.residual(np.max(off / size[spheres.ranks == sums.p], initial=0.0), TOLERANCE, "covariance_")
    return comparison.certificate()
