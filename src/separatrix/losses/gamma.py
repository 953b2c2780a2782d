r"""Half the deviance of a positive number of constant relative spread; its mean is the exponential of the raw score."""

from math import expm1, inf, log
from typing import NamedTuple

from separatrix.core.dispatch import atom, implements
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
    target_size,
    value,
)
from separatrix.losses.exponential import LARGEST, beyond_tangent, exponential, relative_entropy


@register("loss", ())
@atom
class Gamma(NamedTuple):
    r"""Positive numbers with the log link: y > 0; only y / mu counts.

    .. math:: \ell = \frac{y}{\mu} - 1 - \log\frac{y}{\mu}, \quad \mu = e^{\eta}, \qquad \ell' = 1 - \frac{y}{\mu},
              \qquad \ell^*(u) = u \log y + u + (1 - u) \log(1 - u)

    The expected curvature is 1, whatever mu is.

    References: Nelder and Wedderburn (1972), J. R. Statist. Soc. A 135(3).

    >>> value(Gamma(), 1.0, 0.0), slope(Gamma(), 3.0, 0.0)
    (0.0, -2.0)
    """

    scale: float = 1.0  # numba cannot type an empty tuple; always 1


@implements(value, Gamma)
def _(loss: Gamma, y: float, eta: float) -> float:
    return beyond_tangent(log(y) - eta)


@implements(slope, Gamma)
def _(loss: Gamma, y: float, eta: float) -> float:
    d = log(y) - eta
    return -expm1(d) if d < LARGEST else -inf


@implements(curvature, Gamma)
def _(loss: Gamma, y: float, eta: float) -> float:
    return exponential(log(y) - eta)


@implements(conjugate, Gamma)
def _(loss: Gamma, y: float, u: float) -> float:
    return u * log(y) + relative_entropy(-u)


@implements(is_smooth, Gamma)
def _(loss: Gamma) -> bool:
    return True


@implements(target_size, Gamma)
def _(loss: Gamma, y: float) -> float:
    return abs(log(y))


@implements(is_deviance, Gamma)
def _(loss: Gamma) -> bool:
    return True


@implements(information, Gamma)
def _(loss: Gamma, y: float, eta: float) -> float:
    return 1.0


@implements(link, Gamma)
def _(loss: Gamma, mean: float) -> float:
    return log(mean)


@implements(curvature_rate, Gamma)
def _(loss: Gamma, y: float, eta: float, reach: float) -> float:
    return 1.0
