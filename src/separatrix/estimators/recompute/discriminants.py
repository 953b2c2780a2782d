"""Equations of the published coefficients and maps of discriminants, on moments that are summed anew."""

from functools import partial
from typing import Any, NamedTuple

import numpy as np
from scipy.linalg import solve_triangular

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
        self.far = mean_rounding(sums, scale)

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
    r"""Linear discriminants: the map W that spheres the classes, and all that is made of it.

    ``W'ΣW = I`` determines ``Σ⁺ = W W'``, whatever the condition of Σ. Coefficients A are held to ``W'ΣA = W'(means -
    xbar)``: the difference is that of scores, in standard deviations, relative to the distance of a class mean.
    """
    sums = ClassSums(model, X, y, sample_weight)
    comparison = Comparison(model, sums.n)
    means, pi = class_means(model, sums, comparison)
    center = pi @ means
    for name in ("xbar_", "_center"):
        comparison.number(name, pi @ sums.means, pi @ sums.sizes, means=2)
    comparison.number("_means", sums.means, sums.sizes)
    within, sphere = _stated_within(model, sums), model._sphere
    rows, W, span = sphere.rows, sphere.loadings(np.eye(sphere.rank)), Span(sphere.live, sphere.Q)
    # what the rounding of class means may move sphered ones
    shift = within.far * np.linalg.norm(within.lengths(W), axis=0).max(initial=0.0)
    rounding = within.rounding(W, W) + 2.0 * shift
    comparison.residual(
        np.abs(within.inner(rows, rows) - np.eye(sphere.rank)).max(initial=0.0), RESIDUAL + rounding, "_sphere"
    )
    within.hold_span(comparison, span, "_sphere")
    units = (sphere.factor.scale * np.sqrt(sphere.denominator))[span.live]
    off = np.abs(units / within.scale[span.live] - 1.0).max(initial=0.0)
    comparison.residual(off, RESIDUAL + 2.0 * within.far, "_sphere")

    def coordinates(name, A):
        """``W'ΣA`` of published coefficients (p, m), and what the rounding of these makes of it."""
        within.hold_inside(comparison, span, name, A)
        wide = A.astype(np.float64)
        blur = half_unit(A) * np.abs(within.lengths(wide)).sum(axis=0).max(initial=0.0)
        return within.inner(rows, lambda Z: Z @ wide), within.rounding(W, wide) + blur

    a = rows(means - center).T  # (rank, k)
    V, blur = coordinates("scalings_", model.scalings_)
    noise = RESIDUAL + rounding + 2.0 * blur
    if V.shape[1]:
        comparison.residual(np.abs(V.T @ V - np.eye(V.shape[1])).max(), noise, "scalings_")
        largest = np.abs(model.scalings_).max(axis=0)
        positive = np.all(model.scalings_.max(axis=0) >= (1.0 - 1e-9 - 2.0 * half_unit(model.scalings_)) * largest)
        comparison.residual(0.0 if positive else np.inf, 0.0, "scalings_")
    _hold_eigenvalues(model, comparison, V.T @ a, a, pi, noise, shift)
    far = max(float(np.linalg.norm(a, axis=0).max(initial=0.0)), np.finfo(float).tiny)  # the farthest class mean
    if model.reduced_rank:
        a = V[:, : model._n_features_out] @ (V[:, : model._n_features_out].T @ a)
    two = len(pi) == 2
    right = a[:, 1:] - a[:, :1] if two else a
    C, blur = coordinates("coef_", model.coef_.T)
    comparison.residual(np.abs(C - right).max(initial=0.0) / far, noise + (blur + 2.0 * shift) / far, "coef_")
    same = model._sphered.shape == a.T.shape
    off = np.abs(model._sphered.T - a).max(initial=0.0) / far if same else np.inf
    comparison.residual(off, noise + 2.0 * shift / far, "_sphered")
    _hold_about_center(model, comparison, sums, center, a, pi, noise + 4.0 * shift, far)
    whole = np.linalg.slogdet(sphere.deviations(np.eye(sphere.rank))[:, sphere.factor.kept])[1]
    comparison.number("log_determinant_", 2.0 * whole, max(1.0, abs(whole)), tolerance=RESIDUAL + rounding)
    if "covariance_" in vars(model):
        matrix = within.inner(lambda Z: Z, lambda Z: Z)
        roots = np.sqrt(np.diagonal(matrix))
        comparison.number("covariance_", matrix, np.multiply.outer(roots, roots) + np.abs(matrix), tolerance=RESIDUAL)
    return comparison.certificate()


def _hold_about_center(model, comparison, sums, center, a, pi, noise, far):
    r"""``intercept + xbar · A = log π - |a|²/2`` of sphered means a: a size that does not grow with that of A."""
    A, b = model.coef_.astype(np.float64), model.intercept_.astype(np.float64)
    with np.errstate(divide="ignore"):
        logs, half = np.log(pi), 0.5 * (a * a).sum(axis=0)
    if len(pi) == 2:
        logs, half = logs[1:] - logs[:1], half[1:] - half[:1]
    finite = np.isfinite(logs)
    size = 1.0 + np.abs(logs) + far**2
    rounding = (sums.p + 2.0) * half_unit(model.coef_) + (sums.n + BESIDE) * EPS
    terms = np.abs(b) + np.abs(A) @ sums.sizes.max(axis=0).astype(np.float64)
    off, allowed = np.abs(b + A @ center - (logs - half))[finite], noise + (rounding * terms / size)[finite]
    value = off / size[finite]
    worst = np.argmax(value / allowed) if len(value) else None
    if worst is not None:
        comparison.residual(value[worst], allowed[worst], "intercept_")
    comparison.residual(0.0 if np.array_equal(b[~finite], logs[~finite]) else np.inf, 0.0, "intercept_")


def _hold_eigenvalues(model, comparison, along, a, pi, noise, shift):
    """``W' S_B W = diag(eigenvalues)`` of the variates, falling; their sum, so that no variate is left out; shares."""
    eigenvalues, weights = model.eigenvalues_, np.sqrt(pi)
    total = eigenvalues.sum()
    size = max(eigenvalues.max(initial=0.0), len(pi) * shift**2, np.finfo(float).tiny)
    between = (along * weights) @ (along * weights).T
    if between.shape != (len(eigenvalues), len(eigenvalues)):
        return comparison.residual(np.inf, 0.0, "eigenvalues_")
    off = np.abs(between - np.diag(eigenvalues)).max(initial=0.0)
    missed = abs(((a * weights) ** 2).sum() - total)
    fall = np.diff(eigenvalues).max(initial=0.0)
    tolerance = noise + 2.0 * len(pi) * shift / np.sqrt(size)
    comparison.residual(max(off, missed, fall) / size, tolerance, "scalings_", "eigenvalues_")
    shares = eigenvalues / total if len(eigenvalues) else eigenvalues
    most = min(model.n_components or len(pi) - 1, len(eigenvalues))
    return comparison.number("explained_variance_ratio_", shares[:most])


class Covariance:
    """Products of maps of rows in a covariance, ``L'ΣR``, without forming it where it is a scatter within classes.

    It is `share` times the scatter and `ridge` times the identity, or a `matrix`.
    """

    def __init__(self, sums, share=1.0, ridge=0.0, matrix=None):
        self.sums, self.share, self.ridge, self.matrix = sums, share, ridge, matrix
        if matrix is None:
            variances = np.where(sums.scale > 0.0, share * sums.squares.sum(axis=0).astype(np.float64), 0.0) + ridge
        else:
            variances = np.diagonal(matrix)
        self.scale = np.divide(1.0, np.sqrt(variances), out=np.zeros(sums.p), where=variances > 0.0)
        self.far = mean_rounding(sums, self.scale)

    def inner(self, left, right):
        """``L'ΣR``, where `left` and `right` map rows (m, p)."""
        if self.matrix is not None:
            return left(right(self.matrix).T).T
        product = self.share * self.sums.products(left, right)
        unit = np.eye(self.sums.p) if self.ridge else np.zeros((0, self.sums.p))
        return product + self.ridge * left(unit).T @ right(unit)

    def lengths(self, A):
        """Coefficients (p, m) in units of one over the standard deviations; 0 for columns that do not vary."""
        return np.divide(A, self.scale[:, None], out=np.zeros(A.shape), where=self.scale[:, None] > 0.0)

    def rounding(self, W, A):
        """What rounding may add to an entry of ``W'ΣA`` with ``W'ΣW = I``: of rows, or of the entries of a matrix."""
        if self.matrix is not None:
            return len(W) * EPS * float((np.abs(W).T @ np.abs(self.matrix) @ np.abs(A)).max(initial=0.0))
        return row_rounding(self.sums) * float(np.linalg.norm(self.lengths(A), axis=0).max(initial=0.0))

    def hold_span(self, comparison, span, name):
        """Nothing varies outside a span of directions, in units of the standard deviations."""
        p, rounding = self.sums.p, row_rounding(self.sums)
        if self.matrix is None:
            outside = self.inner(*[lambda Z: np.linalg.norm(span.outside(Z * self.scale), axis=1)[:, None]] * 2)[0, 0]
        else:
            outside = np.trace(span.outside(span.outside(self.matrix * self.scale).T * self.scale))
            rounding = np.sqrt(rounding)  # a root of the rounding of squares
        comparison.residual(np.sqrt(max(outside, 0.0)), np.sqrt(p) * (rounding + self.far), name)

    def hold_inside(self, comparison, span, name, A):
        """Coefficients A (p, m) have no part outside a span, and none on columns that do not vary."""
        units = self.lengths(A)
        off = np.abs(span.outside(units.T)).max(initial=0.0) / max(np.abs(units).max(initial=0.0), np.finfo(float).tiny)
        constant = np.any(A[self.scale == 0.0])
        comparison.residual(np.inf if constant else off, RESIDUAL + len(A) * half_unit(A), name)


class Span(NamedTuple):
    """Directions in units of the standard deviations: all of the columns `live`, or those of orthonormal Q in them."""

    live: Any
    Q: Any

    def outside(self, Z):
        """Rows less their part in the span."""
        Z = np.array(Z, dtype=np.float64)
        inside = Z[:, self.live]
        Z[:, self.live] = 0.0 if self.Q is None else inside - (inside @ self.Q) @ self.Q.T
        return Z


def row_rounding(sums):
    """Of sums over rows in units of the standard deviations: as large as directions are taken for dependent below."""
    return 8.0 * EPS * max(sums.n, sums.p) ** 0.5 * sums.p


def mean_rounding(sums, scale):
    """The rounding of class means in units of the standard deviations: ``(n + 8) eps`` of their size."""
    return (sums.n + BESIDE) * EPS * float(np.linalg.norm(scale * sums.sizes.max(axis=0).astype(np.float64)))


def _stated_within(model, sums):
    """The covariance within classes that the parameters of the model state."""
    if model.shrinkage == "auto" or model.covariance_estimator is not None:
        return Covariance(sums, matrix=model._stated_covariance(sums.moments, sums.design, sums.target))
    N, a = float(divisor(sums, model.denominator)), float(model.shrinkage or 0.0)
    return Covariance(sums, (1.0 - a) / N, a * float(sums.squares.sum(axis=0).mean()) / N)


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
    mean = None if blended is None else np.tensordot(moments.totals / moments.total, blended, axes=1)
    common = Covariance(sums, 1.0 / whole, matrix=mean)
    volume, span = _hold_frame(comparison, common, spheres.frame)
    for c, W in enumerate(spheres.maps):
        rank, unit, rows = spheres.ranks[c], np.eye(W.shape[1]), partial(_times, W)
        tolerance = TOLERANCE if blended is None else max(TOLERANCE, spheres.rounding(c, blended[c]))
        if blended is None:
            sphered = own * inverse[c] * sums.products(rows, rows, c)
            sphered = sphered + (pooled * common.inner(rows, rows) if pooled else 0.0)
        else:
            sphered = W.T @ blended[c] @ W
        off = np.abs(sphered - np.where(np.arange(len(unit)) < rank, unit, 0.0)).max()
        if rank < len(unit):  # the other directions take the pooled covariance, uncorrelated with these
            off = max(off, np.abs(common.inner(rows, rows) - unit)[:, rank:].max())
        comparison.residual(off, tolerance, "rotations_", "scalings_")
        if span is not None:
            common.hold_inside(comparison, span, "rotations_", W)
        whole_volume = volume - 2.0 * np.linalg.slogdet(W if spheres.frame is None else spheres.frame @ W)[1]
        off = abs(spheres.log_determinants[c] - whole_volume) / max(1.0, abs(whole_volume))
        comparison.residual(off, TOLERANCE, "rotations_", "scalings_")
    if "covariance_" in vars(model):
        matrices = np.array(stated if blended is None else blended)
        for c in np.flatnonzero(spheres.ranks < sums.p):
            matrices[c] = spheres.root(c).T @ spheres.root(c)  # of the maps that were looked at
        roots = np.sqrt(np.einsum("kjj->kj", matrices))
        size = np.einsum("ki,kj->kij", roots, roots) + np.finfo(float).tiny
        comparison.residual(np.max(np.abs(np.array(model.covariance_) - matrices) / size), TOLERANCE, "covariance_")
    return comparison.certificate()


def _hold_frame(comparison, common, frame):
    """The volume of the root of the pooled covariance of dependent columns, and its span; 0 and None without one."""
    if frame is None:
        return 0.0, None
    Q, R = np.linalg.qr((frame * common.scale).T)
    span, W = Span(np.arange(len(Q)), Q), common.scale[:, None] * solve_triangular(R, Q.T).T
    off = np.abs(common.inner(partial(_times, W), partial(_times, W)) - np.eye(len(frame))).max()
    comparison.residual(off, max(TOLERANCE, common.rounding(W, W)), "rotations_", "scalings_")
    common.hold_span(comparison, span, "rotations_")
    return 2.0 * np.linalg.slogdet(np.linalg.qr(frame.T, mode="r"))[1], span


def _times(W, Z):
    return Z @ W
