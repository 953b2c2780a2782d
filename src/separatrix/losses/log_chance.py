r"""The negative log-likelihood of a coin whose probability is the exponential of the raw score: relative risks."""

from math import exp, expm1, inf, log
from typing import Any, NamedTuple

from separatrix.core.dispatch import atom, implements
from separatrix.core.verbs import (
    conjugate,
    curvature,
    information,
    is_convex,
    is_deviance,
    is_smooth,
    link,
    neutral_score,
    side,
    slope,
    value,
)
from separatrix.losses.exponential import SMALLEST_LOG


@atom
class LogChance(NamedTuple):
    r"""Bernoulli variable with :math:`P(1) = e^{\eta}`, for scores :math:`\eta < 0`; infinite for others; y in [0, 1].

    .. math:: \ell = -y\,\eta - (1 - y) \log(1 - e^{\eta}), \qquad \ell' = -y + (1 - y)\,\frac{e^\eta}{1 - e^\eta}

    It is convex where it is finite. Solvers that need a loss that is finite everywhere cannot take it: ``is_convex`` is
    False. The expected curvature is :math:`e^\eta / (1 - e^\eta)`.

    References: Wacholder (1986), Am. J. Epidemiology 123(1).

    >>> round(value(LogChance(), 1.0, -0.5), 12), round(slope(LogChance(), 0.0, -0.6931471805599453), 12)
    (0.5, 1.0)
    """

    scale: float = 1.0  # numba cannot type an empty tuple; always 1


@implements(value, LogChance)
def _(loss: LogChance, y: float, eta: float) -> float:
    if not eta < 0.0:
        return inf
    up = -y * eta if y > 0.0 else 0.0
    return up - (1.0 - y) * log(-expm1(eta)) if y < 1.0 else up


@implements(slope, LogChance)
def _(loss: LogChance, y: float, eta: float) -> float:
    if not eta < 0.0:
        return inf
    return -(1.0 - y) * exp(eta) / expm1(eta) - y


@implements(curvature, LogChance)
def _(loss: LogChance, y: float, eta: float) -> float:
    return (1.0 - y) * exp(eta) / expm1(eta) / expm1(eta) if eta < 0.0 else inf


@implements(information, LogChance)
def _(loss: LogChance, y: float, eta: float) -> float:
    return -exp(eta) / expm1(eta) if eta < 0.0 else inf


@implements(conjugate, LogChance)
def _(loss: LogChance, y: float, u: float) -> float:
    if u != 0.0:
        return inf  # a bound from above that certifies nothing
    up = y * log(y) if y > 0.0 else 0.0
    return up + (1.0 - y) * log(1.0 - y) if y < 1.0 else up


@implements(is_smooth, LogChance)
def _(loss: LogChance) -> bool:
    return True


@implements(is_convex, LogChance)
def _(loss: LogChance) -> bool:
    return False


@implements(is_deviance, LogChance)
def _(loss: LogChance) -> bool:
    return True


@implements(link, LogChance)
def _(loss: LogChance, mean: float) -> float:
    return log(mean) if mean > 0.0 else SMALLEST_LOG


@implements(neutral_score, LogChance)
def _(loss: LogChance, mean: Any) -> Any:
    return link(loss, mean)  # a score of 0 is the probability 1, at the end of the range


@implements(side, LogChance)
def _(loss: LogChance, y: float) -> float:
    return 0.0 if y <= 0.0 else 0.5  # that of y = 1 falls to 0 at the end of the range, not beyond
