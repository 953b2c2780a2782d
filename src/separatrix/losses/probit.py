r"""The negative log-likelihood of a coin whose probability is the normal distribution function of the raw score."""

from math import copysign, erfc, exp, inf, log, log1p, pi, sqrt
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
    largest_curvature,
    link,
    slope,
    value,
)
from separatrix.losses.exponential import conjugate_by_search

TAIL = 5.0  # beyond it a continued fraction of 60 terms is right to the last digit
FARTHEST = 38.0  # the probability of a larger score is 1 to the last digit, of its negative 1e-315


@register("loss", ())
@atom
class Probit(NamedTuple):
    r"""Bernoulli variable with the probit link; y in [0, 1], so that proportions are allowed.

    .. math:: \ell = -y \log \Phi(\eta) - (1 - y) \log \Phi(-\eta), \qquad
              \ell' = -y\,m(\eta) + (1 - y)\,m(-\eta), \quad m = \varphi / \Phi

    The expected curvature is :math:`m(\eta)\,m(-\eta)`.

    References: Bliss (1934), Science 79(2037).

    >>> round(value(Probit(), 1.0, 0.0), 12), round(slope(Probit(), 1.0, 0.0), 12)
    (0.69314718056, -0.797884560803)
    """

    scale: float = 1.0  # numba cannot type an empty tuple; always 1


@part
def _excess(x: float) -> float:
    """``m(-x) - x`` for x > 0, which tends to 1 / x: a continued fraction where the difference would lose digits."""
    if x < TAIL:
        return exp(-0.5 * x * x) * sqrt(2.0 / pi) / erfc(x / sqrt(2.0)) - x
    fraction = x
    for k in range(60, 1, -1):
        fraction = x + k / fraction
    return 1.0 / fraction


@part
def _ratio(eta: float) -> float:
    """``m(eta) = phi(eta) / Phi(eta)``."""
    if eta < 0.0:
        return _excess(-eta) - eta
    return exp(-0.5 * eta * eta) * sqrt(2.0 / pi) / (2.0 - erfc(eta / sqrt(2.0)))


@part
def _cost(eta: float) -> float:
    """``-log Phi(eta)``."""
    if eta > -TAIL:
        q = 0.5 * erfc(eta / sqrt(2.0))
        return -log1p(-q) if eta > 0.0 else -log(0.5 * erfc(-eta / sqrt(2.0)))
    return 0.5 * eta * eta + 0.5 * log(2.0 * pi) + log(_excess(-eta) - eta)


@part
def _bend(eta: float) -> float:
    """The second derivative of :func:`_cost`, ``m (m + eta)``."""
    if eta < 0.0:
        c = _excess(-eta)
        return (c - eta) * c
    m = _ratio(eta)
    return m * (m + eta) if m > 0.0 else 0.0


@implements(value, Probit)
def _(loss: Probit, y: float, eta: float) -> float:
    up = y * _cost(eta) if y > 0.0 else 0.0
    return up + ((1.0 - y) * _cost(-eta) if y < 1.0 else 0.0)


@implements(slope, Probit)
def _(loss: Probit, y: float, eta: float) -> float:
    up = y * _ratio(eta) if y > 0.0 else 0.0
    return ((1.0 - y) * _ratio(-eta) if y < 1.0 else 0.0) - up


@implements(curvature, Probit)
def _(loss: Probit, y: float, eta: float) -> float:
    return y * _bend(eta) + (1.0 - y) * _bend(-eta)


@implements(conjugate, Probit)
def _(loss: Probit, y: float, u: float) -> float:
    if (y >= 1.0 and u >= 0.0) or (y <= 0.0 and u <= 0.0):
        return inf if u != 0.0 else 0.0
    return conjugate_by_search(loss, y, u, 0.0)


@implements(largest_curvature, Probit)
def _(loss: Probit) -> float:
    return 1.0


@implements(is_deviance, Probit)
def _(loss: Probit) -> bool:
    return True


@implements(information, Probit)
def _(loss: Probit, y: float, eta: float) -> float:
    return _ratio(eta) * _ratio(-eta)


@implements(link, Probit)
def _(loss: Probit, mean: float) -> float:
    from statistics import NormalDist  # one number per fit: not worth an import at the start

    return NormalDist().inv_cdf(mean) if 0.0 < mean < 1.0 else copysign(FARTHEST, mean - 0.5)


@implements(curvature_rate, Probit)
def _(loss: Probit, y: float, eta: float, reach: float) -> float:
    # of -log Phi the rate is 1/(m + eta) - 2 m - eta: between -0.8 and 0 for eta < 0, where 1 > m (m + eta) (Sampford
    # 1953); for eta >= 0 between -(eta + 1.6) and 1.26, as 2 m <= 1.6 and m + eta >= 0.797
    up = max(eta + reach, 0.0) if y > 0.0 else 0.0
    return max(up, max(reach - eta, 0.0) if y < 1.0 else 0.0) + 1.6
