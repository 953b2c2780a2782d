r"""The exponential loss of a class: what AdaBoost lowers."""

from math import inf, log, sqrt
from typing import NamedTuple

from separatrix.core.dispatch import atom, implements
from separatrix.core.registry import register
from separatrix.core.verbs import conjugate, curvature, is_smooth, link, slope, value
from separatrix.losses.exponential import exponential
from separatrix.losses.logistic import Logistic


@register("loss", ())
@atom
class Exponential(NamedTuple):
    r"""Grows without end with the margin by which a row is on the wrong side; y in [0, 1], so that shares are allowed.

    .. math:: \ell = y\,e^{-\eta} + (1 - y)\,e^{\eta}, \qquad
              \eta = \tfrac12 \log \frac{P(1)}{P(0)} \text{ at its least}

    References: Friedman, Hastie and Tibshirani (2000), Ann. Statist. 28(2), section 4.1.

    >>> value(Exponential(), 1.0, 0.0), slope(Exponential(), 0.0, 0.0)
    (1.0, 1.0)
    """

    scale: float = 1.0  # numba cannot type an empty tuple; always 1


@implements(value, Exponential)
def _(loss: Exponential, y: float, eta: float) -> float:
    up = y * exponential(-eta) if y > 0.0 else 0.0
    return up + (1.0 - y) * exponential(eta) if y < 1.0 else up


@implements(slope, Exponential)
def _(loss: Exponential, y: float, eta: float) -> float:
    up = y * exponential(-eta) if y > 0.0 else 0.0
    return (1.0 - y) * exponential(eta) - up if y < 1.0 else -up


@implements(curvature, Exponential)
def _(loss: Exponential, y: float, eta: float) -> float:
    return value(loss, y, eta)


@implements(conjugate, Exponential)
def _(loss: Exponential, y: float, u: float) -> float:
    if y <= 0.0 or y >= 1.0:
        size = u if y <= 0.0 else -u
        if size < 0.0:
            return inf
        return size * log(size) - size if size > 0.0 else 0.0
    root = sqrt(u * u + 4.0 * y * (1.0 - y))
    z = 0.5 * (u + root) / (1.0 - y) if u >= 0.0 else 2.0 * y / (root - u)  # e^eta where the slope is u
    return u * log(z) - y / z - (1.0 - y) * z


@implements(is_smooth, Exponential)
def _(loss: Exponential) -> bool:
    return True


@implements(link, Exponential)
def _(loss: Exponential, mean: float) -> float:
    return 0.5 * link(Logistic(), mean)
