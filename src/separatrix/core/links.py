r"""From a score to a probability and back: the logistic curve, the logit and the softmax, for scores of any size."""

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from separatrix.core.errors import cannot


def logistic(x: ArrayLike, height: float = 1.0, steepness: float = 1.0, midpoint: float = 0.0) -> np.ndarray:
    r"""The logistic curve.

    .. math:: f(x) = \frac{L}{1 + e^{-k (x - x_0)}}, \qquad \sigma(-a) = 1 - \sigma(a)

    Parameters
    ----------
    x : float or array.
    height : float, default 1.0.  The limit L for large x.
    steepness : float, default 1.0.  The rate k.
    midpoint : float, default 0.0.  Where the curve reaches half its height, x0.

    References: Verhulst (1838), Correspondance mathématique et physique 10.

    >>> logistic([-1000.0, 0.0, 1000.0])
    array([0. , 0.5, 1. ])
    >>> float(logistic(2.0, height=2.0, steepness=1.5, midpoint=2.0))
    1.0
    """
    return height * special.expit(_scaled(x, steepness, midpoint))


def logistic_slope(x: ArrayLike, height: float = 1.0, steepness: float = 1.0, midpoint: float = 0.0) -> np.ndarray:
    r"""The derivative of :func:`logistic`, to full relative precision in both tails.

    .. math:: f'(x) = k L\, \sigma(a)\, \sigma(-a), \qquad a = k (x - x_0)

    >>> float(logistic_slope(0.0))
    0.25
    """
    a = _scaled(x, steepness, midpoint)
    return steepness * height * special.expit(a) * special.expit(-a)  # 1 - expit(a) would lose the upper tail


def logit(p: ArrayLike) -> np.ndarray:
    r"""The log-odds of a probability, inverse of :func:`logistic`: infinite at 0 and 1.

    .. math:: \operatorname{logit} p = \log \frac{p}{1 - p}

    >>> logit([0.0, 0.5, 1.0])
    array([-inf,   0.,  inf])
    """
    p = np.asarray(p, dtype=np.float64)
    if not ((p >= 0.0) & (p <= 1.0)).all():
        raise cannot(
            f"take the logit of {p[~((p >= 0.0) & (p <= 1.0))].flat[0]:g}",
            because="only a probability has log-odds",
            instead="numbers in [0, 1]",
        )
    return special.logit(p)


def softmax(scores: ArrayLike) -> np.ndarray:
    r"""Probabilities of k classes from their scores, along the last axis.

    .. math:: p_c = \frac{e^{a_c}}{\sum_d e^{a_d}}

    A score far above the others takes all of the probability, which an infinite one does exactly; several infinite
    ones share it.

    >>> softmax([[1000.0, 0.0], [0.0, 0.0], [0.0, float("inf")]])
    array([[1. , 0. ], [0.5, 0.5], [0. , 1. ]])
    """
    a = np.asarray(scores, dtype=np.float64)
    endless = np.isposinf(a)
    if endless.any():
        a = np.where(endless.any(axis=-1, keepdims=True), np.where(endless, 0.0, -np.inf), a)
    with np.errstate(over="ignore"):  # the difference of two huge scores is as good as infinite
        return special.softmax(a, axis=-1)


def _scaled(x: ArrayLike, steepness: float, midpoint: float) -> np.ndarray:
    return steepness * (np.asarray(x, dtype=np.float64) - midpoint)
