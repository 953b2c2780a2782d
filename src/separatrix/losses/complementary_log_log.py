r"""The negative log-likelihood of a coin that falls where a Poisson count of mean :math:`e^{\eta}` is not zero."""

from math import exp, expm1, inf, log, log1p
from typing import NamedTuple

from separatrix.core.dispatch import atom, implements
from separatrix.core.jit import part
from separatrix.core.registry import register
from separatrix.core.verbs import (
    conjugate,
    curvature,
    curvature_rate,
    information,
    is_deviance,
    is_smooth,
    link,
    slope,
    value,
)
from separatrix.losses.exponential import LARGEST, SMALLEST_LOG, conjugate_by_search, exponential

SERIES = 0.1  # below it four Bernoulli numbers give all digits


@register("loss", ())
@atom
class ComplementaryLogLog(NamedTuple):
    r"""Bernoulli variable with :math:`P(1) = 1 - e^{-t}, t = e^{\eta}`; y in [0, 1], so that proportions are allowed.

    .. math:: \ell = -y \log(1 - e^{-t}) + (1 - y)\,t, \qquad \ell' = -y\,\frac{t}{e^t - 1} + (1 - y)\,t

    The expected curvature is :math:`t^2 / (e^t - 1)`.

    References: Fisher (1922), Phil. Trans. R. Soc. A 222, section 12.3; McCullagh and Nelder (1989), section 4.3.

    >>> value(ComplementaryLogLog(), 0.0, 0.0), round(slope(ComplementaryLogLog(), 1.0, 0.0), 12)
    (1.0, -0.581976706869)
    """

    scale: float = 1.0  # numba cannot type an empty tuple; always 1


@part
def _share(t: float) -> float:
    """``t / (exp(t) - 1)``, from 1 at 0 down to 0."""
    if t <= 0.0:
        return 1.0
    return t / expm1(t) if t < LARGEST else 0.0


@part
def _bend(t: float) -> float:
    """The second derivative of ``-log(1 - exp(-t))``, in eta: with q = :func:`_share`, ``q (q + t - 1)``."""
    q = _share(t)
    if q == 0.0:
        return 0.0
    if t < SERIES:
        s = t * t
        return q * t * (0.5 + t * (1.0 / 12.0 - s * (1.0 / 720.0 - s * (1.0 / 30240.0 - s / 1209600.0))))
    return q * (q + t - 1.0)


@part
def _cost(eta: float) -> float:
    """``-log(1 - exp(-t))``."""
    t = exponential(eta)
    if t < 1.0:
        return -eta - (log(-expm1(-t) / t) if t > 0.0 else 0.0)
    return -log1p(-exp(-t))


@implements(value, ComplementaryLogLog)
def _(loss: ComplementaryLogLog, y: float, eta: float) -> float:
    up = y * _cost(eta) if y > 0.0 else 0.0
    return up + ((1.0 - y) * exponential(eta) if y < 1.0 else 0.0)


@implements(slope, ComplementaryLogLog)
def _(loss: ComplementaryLogLog, y: float, eta: float) -> float:
    t = exponential(eta)
    return ((1.0 - y) * t if y < 1.0 else 0.0) - y * _share(t)


@implements(curvature, ComplementaryLogLog)
def _(loss: ComplementaryLogLog, y: float, eta: float) -> float:
    t = exponential(eta)
    return ((1.0 - y) * t if y < 1.0 else 0.0) + y * _bend(t)


@implements(conjugate, ComplementaryLogLog)
def _(loss: ComplementaryLogLog, y: float, u: float) -> float:
    if u <= -y:
        return inf if u < -y else 0.0
    if y >= 1.0 and u >= 0.0:
        return inf if u > 0.0 else 0.0
    if y <= 0.0:
        return u * (log(u) - 1.0)
    return conjugate_by_search(loss, y, u, 0.0)


@implements(is_smooth, ComplementaryLogLog)
def _(loss: ComplementaryLogLog) -> bool:
    return True


@implements(is_deviance, ComplementaryLogLog)
def _(loss: ComplementaryLogLog) -> bool:
    return True


@implements(information, ComplementaryLogLog)
def _(loss: ComplementaryLogLog, y: float, eta: float) -> float:
    t = exponential(eta)
    return t * _share(t) if t < LARGEST else 0.0


@implements(link, ComplementaryLogLog)
def _(loss: ComplementaryLogLog, mean: float) -> float:
    if mean >= 1.0:
        return log(-SMALLEST_LOG)
    return log(-log1p(-mean)) if mean > 0.0 else SMALLEST_LOG


@implements(curvature_rate, ComplementaryLogLog)
def _(loss: ComplementaryLogLog, y: float, eta: float, reach: float) -> float:
    # of -log(1 - exp(-t)) the rate is 1 - 2 q - t + t / (q + t - 1) with q = t / (exp(t) - 1), between -t and 1 + t;
    # of t itself it is 1
    return 1.0 + (exponential(eta + reach) if y > 0.0 else 0.0)
