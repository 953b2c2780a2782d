r"""Half the deviance of a number whose variance is a power of its mean, the exponential of the raw score."""

from math import inf, log
from typing import NamedTuple

from separatrix.core.dispatch import atom, implements
from separatrix.core.registry import register
from separatrix.core.verbs import (
    conjugate,
    curvature,
    curvature_rate,
    information,
    is_convex,
    is_deviance,
    is_smooth,
    link,
    slope,
    target_size,
    value,
)
from separatrix.losses.exponential import SMALLEST_LOG, beyond_tangent, conjugate_by_search, exponential


@register("loss", (1.5,), (1.9,))
@atom
class Tweedie(NamedTuple):
    r"""Variance proportional to :math:`\mu^p`, with the log link.

    .. math:: \ell = \frac{\mu^{2-p}}{2-p} - \frac{y\,\mu^{1-p}}{1-p} + \frac{y^{2-p}}{(1-p)(2-p)}, \quad
              \mu = e^{\eta}, \qquad \ell' = \mu^{2-p} - y\,\mu^{1-p}

    For 1 < p < 2 (a sum of a random number of positive numbers: zeros are allowed) it is convex. For p > 2 it is not
    where :math:`\mu > y (p-1)/(p-2)`; p = 3 is the inverse Gaussian distribution. :class:`Poisson` is p = 1,
    :class:`Gamma` p = 2.

    Parameters
    ----------
    power : float, (1, 2) or (2, inf), default 1.5.  p. y >= 0 below 2, y > 0 above.

    References: Jørgensen (1987), J. R. Statist. Soc. B 49(2).

    >>> value(Tweedie(1.5), 0.0, 0.0), slope(Tweedie(1.5), 3.0, 0.0)
    (2.0, -2.0)
    """

    power: float = 1.5


@implements(value, Tweedie)
def _(loss: Tweedie, y: float, eta: float) -> float:
    a, b = 2.0 - loss.power, 1.0 - loss.power
    if y <= 0.0:
        return exponential(a * eta) / a
    d = eta - log(y)
    return exponential(a * log(y)) * (beyond_tangent(a * d) / a - beyond_tangent(b * d) / b)


@implements(slope, Tweedie)
def _(loss: Tweedie, y: float, eta: float) -> float:
    a, b = 2.0 - loss.power, 1.0 - loss.power
    low = y * exponential(b * eta) if y > 0.0 else 0.0
    return exponential(a * eta) - low if low < inf else -inf


@implements(curvature, Tweedie)
def _(loss: Tweedie, y: float, eta: float) -> float:
    a, b = 2.0 - loss.power, 1.0 - loss.power
    low = y * exponential(b * eta) if y > 0.0 else 0.0
    return a * exponential(a * eta) - b * low if low < inf else inf


@implements(conjugate, Tweedie)
def _(loss: Tweedie, y: float, u: float) -> float:
    if y > 0.0:
        if u > 0.0 and loss.power > 2.0:  # the loss is bounded as eta grows
            return inf
        return conjugate_by_search(loss, y, u, log(y)) if u != 0.0 else 0.0
    if u <= 0.0:
        return inf if u < 0.0 else 0.0
    return u * (log(u) - 1.0) / (2.0 - loss.power)


@implements(is_smooth, Tweedie)
def _(loss: Tweedie) -> bool:
    return True


@implements(is_convex, Tweedie)
def _(loss: Tweedie) -> bool:
    return loss.power < 2.0


@implements(target_size, Tweedie)
def _(loss: Tweedie, y: float) -> float:
    return abs(log(y)) if y > 0.0 else 0.0


@implements(is_deviance, Tweedie)
def _(loss: Tweedie) -> bool:
    return True


@implements(information, Tweedie)
def _(loss: Tweedie, y: float, eta: float) -> float:
    return exponential((2.0 - loss.power) * eta)


@implements(link, Tweedie)
def _(loss: Tweedie, mean: float) -> float:
    return log(mean) if mean > 0.0 else SMALLEST_LOG


@implements(curvature_rate, Tweedie)
def _(loss: Tweedie, y: float, eta: float, reach: float) -> float:
    return max(2.0 - loss.power, loss.power - 1.0) if loss.power < 2.0 else inf  # a sum of two exponentials
