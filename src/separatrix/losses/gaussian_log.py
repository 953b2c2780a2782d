r"""Half the squared error of a mean that is the exponential of the raw score."""

from math import exp, inf, log
from typing import NamedTuple

from separatrix.core.dispatch import atom, implements
from separatrix.core.verbs import (
    conjugate,
    curvature,
    information,
    is_convex,
    is_deviance,
    is_smooth,
    link,
    side,
    slope,
    value,
)
from separatrix.losses.exponential import SMALLEST_LOG

LARGEST = 350.0  # the square of exp of more overflows


@atom
class GaussianLog(NamedTuple):
    r"""Normal errors of equal variance about a mean with the log link; y may be any number.

    .. math:: \ell = \tfrac12 (y - \mu)^2, \quad \mu = e^{\eta}, \qquad \ell' = \mu (\mu - y), \qquad
              \ell'' = \mu (2 \mu - y)

    It is not convex where :math:`\mu < y / 2`. The expected curvature is :math:`\mu^2`.

    References: McCullagh and Nelder (1989), Generalized Linear Models, section 2.2.

    >>> value(GaussianLog(), 3.0, 0.0), slope(GaussianLog(), 3.0, 0.0)
    (2.0, -2.0)
    """

    scale: float = 1.0  # numba cannot type an empty tuple; always 1


@implements(value, GaussianLog)
def _(loss: GaussianLog, y: float, eta: float) -> float:
    return 0.5 * (y - exp(eta)) ** 2 if eta < LARGEST else inf


@implements(slope, GaussianLog)
def _(loss: GaussianLog, y: float, eta: float) -> float:
    return exp(eta) * (exp(eta) - y) if eta < LARGEST else inf


@implements(curvature, GaussianLog)
def _(loss: GaussianLog, y: float, eta: float) -> float:
    return exp(eta) * (2.0 * exp(eta) - y) if eta < LARGEST else inf


@implements(information, GaussianLog)
def _(loss: GaussianLog, y: float, eta: float) -> float:
    return exp(2.0 * eta) if eta < LARGEST else inf


@implements(conjugate, GaussianLog)
def _(loss: GaussianLog, y: float, u: float) -> float:
    if u != 0.0:
        return inf  # a bound from above that certifies nothing
    return -0.5 * y * y if y < 0.0 else 0.0


@implements(is_smooth, GaussianLog)
def _(loss: GaussianLog) -> bool:
    return True


@implements(is_convex, GaussianLog)
def _(loss: GaussianLog) -> bool:
    return False


@implements(is_deviance, GaussianLog)
def _(loss: GaussianLog) -> bool:
    return True


@implements(link, GaussianLog)
def _(loss: GaussianLog, mean: float) -> float:
    return log(mean) if mean > 0.0 else SMALLEST_LOG


@implements(side, GaussianLog)
def _(loss: GaussianLog, y: float) -> float:
    return 0.0 if y <= 0.0 else 0.5
