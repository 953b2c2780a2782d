"""Triangular factors of scatters within classes, ``R'R = D S D``: from moments where that is safe, else from rows."""

from dataclasses import replace

import numpy as np

from separatrix.core.errors import cannot
from separatrix.core.target import AnyTarget, Target
from separatrix.core.types import Array
from separatrix.designs import DenseDesign
from separatrix.designs.base import Block, Design
from separatrix.designs.class_moments import ClassMoments
from separatrix.designs.factor import EPS, Factor, deviations_factor, gram_factor, live_columns
from separatrix.designs.moments import Moments


def within_factor(moments: ClassMoments, design: Design, target: AnyTarget, lam: float = 0.0) -> Factor:
    """Factor of the pooled scatter of :class:`~separatrix.designs.ClassMoments` that were taken of these rows.

    `lam` is added to its diagonal. Of moments whose kind is "diagonal" no p-by-p matrix is made: that is for p > n.

    >>> import numpy as np
    >>> from separatrix.designs import DenseDesign, class_moments
    >>> design, target = DenseDesign(np.array([[1.0], [3.0], [8.0], [8.0]])), Target(np.array([0, 0, 1, 1]))
    >>> float(np.exp(within_factor(class_moments(design, target, 2), design, target).log_determinant).round(12))
    2.0
    """
    size_of_means = np.abs(moments.means).max(axis=0)
    scatter = moments.pooled.scatter
    total = _as_moments(scatter[0] if moments.kind == "diagonal" else scatter, size_of_means, moments.total)

    def deviations(block: Block) -> Array:
        Z = block.X - moments.means[block.y]
        return Z if block.s is None else Z * np.sqrt(block.s)[:, None]

    factor = None if moments.kind == "diagonal" else _from_moments(total, design.n, lam)
    return factor or deviations_factor(design, target, deviations, total, size_of_means, lam)


def matrix_factor(S: Array) -> Factor:
    """Factor of a positive semi-definite matrix that does not come from rows.

    >>> import numpy as np
    >>> float(np.exp(matrix_factor(np.array([[2.0, 1.0], [1.0, 2.0]])).log_determinant).round(12))
    3.0
    """
    factor = safe_factor(S)
    if factor is not None:
        return factor
    p = len(S)
    one = _as_moments(S, np.zeros(p), 1.0)
    size = np.sqrt(one.squares)
    unit = np.divide(1.0, size, out=np.zeros(p), where=size > 0.0)
    values, V = np.linalg.eigh(S * unit[:, None] * unit)
    if not values[0] >= -1e-8 * max(values[-1], 0.0):
        raise cannot(
            "factor a covariance matrix",
            because=f"it has the negative eigenvalue {values[0]:.1e} (of the correlations)",
            instead="an estimator whose covariance_ is positive semi-definite",
        )
    root = np.sqrt(np.where(values > 4.0 * EPS * p * values[-1], values, 0.0))[:, None] * V.T * size
    return deviations_factor(DenseDesign(root), Target(np.zeros(p)), lambda block: block.X, one, np.zeros(p))


def safe_factor(S: Array) -> Factor | None:
    """Cholesky factor of such a matrix, or None where rounding could spoil its digits."""
    return _from_moments(_as_moments(S, np.zeros(len(S)), 1.0), 1)


def class_factor(moments: ClassMoments, c: int, design: Design, target: AnyTarget, n: int) -> Factor:
    """Factor of the scatter of class c, of n rows, where `moments` holds that of each class."""
    one = _as_moments(moments.scatter[c], moments.means[c], moments.totals[c])

    def deviations(block: Block) -> Array:
        mine = block.y == c
        Z = block.X[mine] - moments.means[c]
        return Z if block.s is None else Z * np.sqrt(block.s[mine])[:, None]

    return _from_moments(one, n) or deviations_factor(design, target, deviations, one, np.abs(moments.means[c]), n=n)


def settled(moments: ClassMoments, n: int) -> ClassMoments:
    """Moments of classes whose scatters are exactly 0 where a column is constant in a class, up to rounding."""
    for c, (scatter, mean, total) in enumerate(zip(moments.scatter, moments.means, moments.totals, strict=True)):
        varies = np.zeros(len(mean), dtype=bool)
        varies[live_columns(np.sqrt(np.diag(scatter).clip(min=0.0)), mean, total, n)] = True
        if not varies.all():
            moments.scatter[c] *= varies[:, None] & varies
    return moments


def _as_moments(scatter: Array, mean: Array, total: float) -> Moments:
    p = len(mean)
    return Moments(float(total), mean, np.zeros(0), scatter, np.zeros((p, 0)), np.zeros(0))


def _from_moments(one: Moments, n: int, lam: float = 0.0) -> Factor | None:
    """Cholesky factor of the columns that vary, or None where it would not be safe."""
    live = live_columns(np.sqrt(one.squares + lam), one.x_mean, one.total, n)
    p = len(one.x_mean)
    if len(live) == p:
        return gram_factor(one, lam, False)
    factor = gram_factor(_as_moments(one.xx[np.ix_(live, live)], one.x_mean[live], one.total), lam, False)
    if factor is None:
        return None
    scale = np.zeros(p)
    scale[live] = factor.scale
    constant = np.setdiff1d(np.arange(p), live)
    return replace(factor, scale=scale, kept=live, mean=np.zeros(p), constant=constant)
