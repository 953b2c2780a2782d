r"""The negative log-likelihood of a coin whose probability is the Cauchy distribution function of the raw score."""

from math import atan2, copysign, inf, log, pi, tan
from typing import NamedTuple

from separatrix.core.dispatch import atom, implements
from separatrix.core.jit import part
from separatrix.core.verbs import (
    conjugate,
    curvature,
    information,
    is_convex,
    is_deviance,
    largest_curvature,
    link,
    side,
    slope,
    value,
)

FARTHEST = 1e15  # the probability of a larger score is 1 to the last digit


@atom
class Cauchit(NamedTuple):
    r"""Bernoulli variable with :math:`P(1) = F(\eta) = \tfrac12 + \arctan(\eta) / \pi`; y in [0, 1].

    .. math:: \ell = -y \log F(\eta) - (1 - y) \log F(-\eta), \qquad
              \ell' = -y\,m(\eta) + (1 - y)\,m(-\eta), \quad m = \frac{f}{F}, \ f = \frac{1}{\pi (1 + \eta^2)}

    It is not convex: the tails are heavy. The expected curvature is :math:`m(\eta)\,m(-\eta)`.

    References: Koenker and Yoon (2009), J. Econometrics 152(2).

    >>> round(value(Cauchit(), 1.0, 0.0), 12), round(slope(Cauchit(), 1.0, 0.0), 12)
    (0.69314718056, -0.636619772368)
    """

    scale: float = 1.0  # numba cannot type an empty tuple; always 1


@part
def _chance(eta: float) -> float:
    """``F(eta)``, to full relative precision however small it is."""
    return atan2(1.0, -eta) / pi


@part
def _ratio(eta: float) -> float:
    """``m(eta) = f(eta) / F(eta)``."""
    if abs(eta) > 1e150:
        return -1.0 / eta if eta < 0.0 else 0.0  # f is about 1 / (pi eta²), F about -1 / (pi eta) in the lower tail
    return 1.0 / (pi * (1.0 + eta * eta)) / _chance(eta)


@part
def _bend(eta: float) -> float:
    """The second derivative of ``-log F``: ``m (m - f' / f)``, f' / f being ``-2 eta / (1 + eta²)``."""
    if abs(eta) > 1e150:
        return 0.0
    m = _ratio(eta)
    return m * (m + 2.0 * eta / (1.0 + eta * eta))


@implements(value, Cauchit)
def _(loss: Cauchit, y: float, eta: float) -> float:
    up = -y * log(_chance(eta)) if y > 0.0 else 0.0
    return up - (1.0 - y) * log(_chance(-eta)) if y < 1.0 else up


@implements(slope, Cauchit)
def _(loss: Cauchit, y: float, eta: float) -> float:
    return (1.0 - y) * _ratio(-eta) - y * _ratio(eta)


@implements(curvature, Cauchit)
def _(loss: Cauchit, y: float, eta: float) -> float:
    return y * _bend(eta) + (1.0 - y) * _bend(-eta)


@implements(information, Cauchit)
def _(loss: Cauchit, y: float, eta: float) -> float:
    return _ratio(eta) * _ratio(-eta)


@implements(conjugate, Cauchit)
def _(loss: Cauchit, y: float, u: float) -> float:
    if u != 0.0:
        return inf  # a bound from above that certifies nothing
    up = y * log(y) if y > 0.0 else 0.0
    return up + (1.0 - y) * log(1.0 - y) if y < 1.0 else up


@implements(largest_curvature, Cauchit)
def _(loss: Cauchit) -> float:
    return 1.0


@implements(is_convex, Cauchit)
def _(loss: Cauchit) -> bool:
    return False


@implements(is_deviance, Cauchit)
def _(loss: Cauchit) -> bool:
    return True


@implements(link, Cauchit)
def _(loss: Cauchit, mean: float) -> float:
    return tan(pi * (mean - 0.5)) if 0.0 < mean < 1.0 else copysign(FARTHEST, mean - 0.5)


@implements(side, Cauchit)
def _(loss: Cauchit, y: float) -> float:
    return 1.0 if y >= 1.0 else 0.0 if y <= 0.0 else 0.5
