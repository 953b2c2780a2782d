r"""Half the deviance of a count whose mean is the exponential of the raw score."""

from math import inf, log
from typing import NamedTuple

from separatrix.core.dispatch import atom, implements
from separatrix.core.registry import register
from separatrix.core.verbs import (
    conjugate,
    curvature,
    curvature_rate,
    is_likelihood,
    is_smooth,
    link,
    slope,
    target_size,
    value,
)
from separatrix.losses.exponential import SMALLEST_LOG, beyond_tangent, exponential, relative_entropy


@register("loss", ())
@atom
class Poisson(NamedTuple):
    r"""Counts with the log link: y >= 0, not necessarily whole, so that rates y / exposure are allowed.

    .. math:: \ell = e^{\eta} - y\,\eta - y + y \log y, \qquad \ell' = e^{\eta} - y, \qquad
              \ell^*(u) = (y + u) \log(y + u) - u - y \log y

    References: Nelder and Wedderburn (1972), J. R. Statist. Soc. A 135(3).

    >>> value(Poisson(), 0.0, 0.0), slope(Poisson(), 3.0, 0.0)
    (1.0, -2.0)
    """

    scale: float = 1.0  # numba cannot type an empty tuple; always 1


@implements(value, Poisson)
def _(loss: Poisson, y: float, eta: float) -> float:
    return y * beyond_tangent(eta - log(y)) if y > 0.0 else exponential(eta)


@implements(slope, Poisson)
def _(loss: Poisson, y: float, eta: float) -> float:
    return exponential(eta) - y


@implements(curvature, Poisson)
def _(loss: Poisson, y: float, eta: float) -> float:
    return exponential(eta)


@implements(conjugate, Poisson)
def _(loss: Poisson, y: float, u: float) -> float:
    if y > 0.0:
        return u * log(y) + y * relative_entropy(u / y)
    if u <= 0.0:
        return inf if u < 0.0 else 0.0
    return u * (log(u) - 1.0)


@implements(target_size, Poisson)
def _(loss: Poisson, y: float) -> float:
    return abs(log(y)) if y > 0.0 else 0.0


@implements(is_smooth, Poisson)
def _(loss: Poisson) -> bool:
    return True


@implements(is_likelihood, Poisson)
def _(loss: Poisson) -> bool:
    return True


@implements(link, Poisson)
def _(loss: Poisson, mean: float) -> float:
    return log(mean) if mean > 0.0 else SMALLEST_LOG


@implements(curvature_rate, Poisson)
def _(loss: Poisson, y: float, eta: float, reach: float) -> float:
    return 1.0
