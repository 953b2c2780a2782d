r"""The negative log-likelihood of a coin whose log-odds are the raw score."""

from math import copysign, exp, inf, log, log1p
from typing import NamedTuple

from separatrix.core.dispatch import atom, implements
from separatrix.core.registry import register
from separatrix.core.verbs import (
    conjugate,
    curvature,
    curvature_rate,
    is_likelihood,
    largest_curvature,
    link,
    slope,
    value,
)

LARGEST_ODDS = 745.0  # beyond it exp(-|eta|) is 0


@register("loss", ())
@atom
class Logistic(NamedTuple):
    r"""Deviance of a Bernoulli variable; y in [0, 1], so that soft labels are allowed.

    .. math:: \ell = \log(1 + e^{\eta}) - y\,\eta, \qquad \ell' = \sigma(\eta) - y

    References: Cox (1958), J. R. Statist. Soc. B 20(2).

    >>> round(value(Logistic(), 1.0, 0.0), 12), slope(Logistic(), 1.0, 0.0)
    (0.69314718056, -0.5)
    """

    scale: float = 1.0  # numba cannot type an empty tuple; always 1


@implements(value, Logistic)
def _(loss: Logistic, y: float, eta: float) -> float:
    # the linear part is written so that it vanishes exactly for a sure and right score: no digits are lost there
    return (1.0 - y) * max(eta, 0.0) + y * max(-eta, 0.0) + log1p(exp(-abs(eta)))


@implements(slope, Logistic)
def _(loss: Logistic, y: float, eta: float) -> float:
    z = exp(-abs(eta))
    return ((1.0 - y) - y * z if eta >= 0.0 else (1.0 - y) * z - y) / (1.0 + z)


@implements(curvature, Logistic)
def _(loss: Logistic, y: float, eta: float) -> float:
    z = exp(-abs(eta))
    return z / ((1.0 + z) * (1.0 + z))


@implements(conjugate, Logistic)
def _(loss: Logistic, y: float, u: float) -> float:
    mu, rest = y + u, (1.0 - y) - u  # rest = 1 - mu, exact where mu is near 1
    if mu < 0.0 or rest < 0.0:
        return inf
    low = mu * (log(mu) if mu < 0.5 else log1p(-rest)) if mu > 0.0 else 0.0
    high = rest * (log(rest) if rest < 0.5 else log1p(-mu)) if rest > 0.0 else 0.0
    return low + high


@implements(largest_curvature, Logistic)
def _(loss: Logistic) -> float:
    return 0.25


@implements(is_likelihood, Logistic)
def _(loss: Logistic) -> bool:
    return True


@implements(link, Logistic)
def _(loss: Logistic, mean: float) -> float:
    return log(mean / (1.0 - mean)) if 0.0 < mean < 1.0 else copysign(LARGEST_ODDS, mean - 0.5)


@implements(curvature_rate, Logistic)
def _(loss: Logistic, y: float, eta: float, reach: float) -> float:
    return 1.0  # the curvature is mu (1 - mu), its derivative that times 1 - 2 mu
