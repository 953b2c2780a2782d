r"""Feature maps of polynomial kernels: rows whose products are kernel values, :math:`\phi(x)'\phi(z) = k(x, z)`."""

from itertools import combinations
from math import comb

import numpy as np
from numpy.typing import ArrayLike

from separatrix.core.refusal import cannot
from separatrix.core.types import Array


def quadratic_features(X: ArrayLike, coef0: float = 0.0) -> Array:
    r"""The feature map of :math:`(x'z + c)^2`.

    .. math:: \phi(x) = (c, \sqrt{2c}\,x_1, \ldots, x_1^2, x_2^2, \ldots, \sqrt2\,x_1 x_2, \ldots)

    With c = 0, the homogeneous kernel, only the squares and the products are left. Without the products the features
    would be those of :math:`\sum_j x_j^2 z_j^2`, which is :math:`(x'z)^2` less :math:`\sum_{j<l} 2 x_j x_l z_j z_l`.

    Parameters
    ----------
    X : (n, p) array.
    coef0 : float, [0, inf), default 0.0.  c.

    >>> quadratic_features([[1.0, 2.0]]).round(3)
    array([[1.   , 4.   , 2.828]])
    >>> quadratic_features([[1.0, 2.0]], coef0=1.0).round(3)
    array([[1.   , 1.414, 2.828, 1.   , 4.   , 2.828]])
    """
    X = np.asarray(X, dtype=np.float64)
    if X.ndim != 2:
        raise cannot(f"map X of shape {X.shape}", because="rows are mapped", instead="shape (n, p)")
    if not 0.0 <= coef0 < np.inf:
        raise cannot(
            f"map rows with coef0={coef0!r}",
            because="(x'z + c)^2 is a product of features only for c >= 0",
            instead="coef0 in [0, inf)",
        )
    pairs = [X[:, i] * X[:, j] for i, j in combinations(range(X.shape[1]), 2)]
    crossed = np.sqrt(2.0) * np.column_stack(pairs) if pairs else np.empty((len(X), 0))
    if coef0 == 0.0:
        return np.hstack([X**2, crossed])
    return np.hstack([np.full((len(X), 1), float(coef0)), np.sqrt(2.0 * coef0) * X, X**2, crossed])


def feature_dimension(p: int, degree: int, *, homogeneous: bool = False) -> int:
    r"""How many features a polynomial kernel has: :math:`\binom{p+d}{d}`, or :math:`\binom{p+d-1}{d}` if homogeneous.

    >>> feature_dimension(2, 2), feature_dimension(2, 2, homogeneous=True), feature_dimension(10, 5)
    (6, 3, 3003)
    """
    if p < 1 or degree < 1:
        raise cannot(
            f"count the features of degree {degree} in {p} columns",
            because="both must be positive",
            instead="whole numbers >= 1",
        )
    return comb(p + degree - homogeneous, degree)
