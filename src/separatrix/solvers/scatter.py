"""Triangular factors of scatters within classes, ``R'R = D S D``: from moments where that is safe, else from rows."""

from dataclasses import replace

import numpy as np

from separatrix.core.target import Target
from separatrix.designs import DenseDesign
from separatrix.designs.moments import Moments
from separatrix.solvers.factor import EPS, deviations_factor, gram_factor, live_columns, triangle_factor


def within_factor(found, design, codes, s=None):
    """Factor of the pooled scatter of :class:`~separatrix.designs.ClassMoments` that were taken of these rows.

    >>> import numpy as np
    >>> from separatrix.designs import DenseDesign, class_moments
    >>> design, codes = DenseDesign(np.array([[1.0], [3.0], [8.0], [8.0]])), np.array([0, 0, 1, 1])
    >>> float(np.exp(within_factor(class_moments(design, codes, 2), design, codes).log_determinant).round(12))
    2.0
    """
    size_of_means = np.abs(found.means).max(axis=0)
    total = _as_moments(found.pooled.scatter, size_of_means, found.total)

    def deviations(B, c, weights):
        Z = B - found.means[c]
        return Z if weights is None else Z * np.sqrt(weights)[:, None]

    return _from_moments(total, design.n) or deviations_factor(design, deviations, (codes, s), total, size_of_means)


def class_factor(found, c, design, codes, s=None):
    """Factor of the scatter of class c, where `found` holds that of each class."""
    rows = np.flatnonzero(codes == c)
    one = _as_moments(found.scatter[c], found.means[c], found.totals[c])
    factor = _from_moments(one, len(rows))
    if factor is None:
        factor = triangle_factor(
            design.take(rows), Target(np.zeros(len(rows)), None if s is None else s[rows]), one, 0.0, True
        )
    return factor


def settled(found, n):
    """Moments of classes whose scatters are exactly 0 where a column is constant in a class, up to rounding."""
    for c, (scatter, mean, total) in enumerate(zip(found.scatter, found.means, found.totals, strict=True)):
        varies = np.zeros(len(mean), dtype=bool)
        varies[live_columns(np.sqrt(np.diag(scatter).clip(min=0.0)), mean, total, n)] = True
        if not varies.all():
            found.scatter[c] *= varies[:, None] & varies
    return found


def matrix_factor(C):
    """Factor of a covariance matrix (p, p) that is known as such, with its dependent columns apart."""
    one = _as_moments(C, np.zeros(len(C)), 1.0)
    factor = _from_moments(one, len(C))
    if factor is not None:
        return factor
    size = np.sqrt(one.squares)
    unit = np.where(size > 0.0, size, 1.0)
    values, vectors = np.linalg.eigh(C / unit[:, None] / unit)
    values[values < len(C) * EPS * values[-1]] = 0.0  # rounding of the largest: no direction of its own
    root = np.sqrt(values)[:, None] * vectors.T * unit
    return deviations_factor(DenseDesign(root), lambda B: B, (), one, np.zeros(len(C)))


def _as_moments(scatter, mean, total):
    p = len(mean)
    return Moments(float(total), mean, np.zeros(0), scatter, np.zeros((p, 0)), np.zeros(0))


def _from_moments(one, n):
    """Cholesky factor of the columns that vary, or None where it would not be safe."""
    live = live_columns(np.sqrt(one.squares), one.x_mean, one.total, n)
    p = len(one.x_mean)
    if len(live) == p:
        return gram_factor(one, 0.0, False)
    factor = gram_factor(_as_moments(one.xx[np.ix_(live, live)], one.x_mean[live], one.total), 0.0, False)
    if factor is None:
        return None
    scale = np.zeros(p)
    scale[live] = factor.scale
    constant = np.setdiff1d(np.arange(p), live)
    return replace(factor, scale=scale, kept=live, mean=np.zeros(p), constant=constant)
