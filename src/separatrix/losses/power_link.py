r"""Half deviances of means that are a power of the raw score: the links identity, sqrt, inverse and 1/mu^2.

A loss with the log link is a function of :math:`\log\mu`. With :math:`\eta = \mu^q` that is :math:`\log(\eta) / q`.
"""

from math import inf, log
from typing import Any, NamedTuple

from separatrix.core.dispatch import atom, implements
from separatrix.core.types import Loss
from separatrix.core.verbs import (
    conjugate,
    curvature,
    information,
    is_convex,
    is_deviance,
    is_smooth,
    link,
    neutral_score,
    slope,
    target_size,
    value,
)
from separatrix.losses.exponential import exponential


@atom
class PowerLink(NamedTuple):
    r"""A mean with :math:`\eta = \mu^q`, for scores :math:`\eta > 0`; infinite for others.

    .. math:: \ell(y, \eta) = \ell_{\log}(y, \theta), \quad \theta = \frac{\log \eta}{q}, \qquad
              \ell' = \frac{\ell_{\log}'}{q\,\eta}, \qquad
              \ell'' = \frac{\ell_{\log}'' - q\,\ell_{\log}'}{(q\,\eta)^2}

    Some of these are convex where they are finite (Poisson with q = 1 or 1/2, gamma with q = -1, inverse Gaussian with
    q = -2). Solvers that need a loss that is finite everywhere cannot take them: ``is_convex`` is False.

    Parameters
    ----------
    of_log : Loss.  The loss of the same family with the log link.
    exponent : float, not 0.  q: 1 is the identity link, 1/2 sqrt, -1 inverse, -2 1/mu^2.

    References: McCullagh and Nelder (1989), Generalized Linear Models, section 2.2.

    >>> from separatrix.losses.poisson import Poisson
    >>> value(PowerLink(Poisson(), 1.0), 2.0, 2.0), slope(PowerLink(Poisson(), 1.0), 3.0, 1.0)
    (0.0, -2.0)
    """

    of_log: Loss
    exponent: float = 1.0


@implements(value, PowerLink)
def _(loss: PowerLink, y: float, eta: float) -> float:
    return value(loss.of_log, y, log(eta) / loss.exponent) if 0.0 < eta < inf else inf


@implements(slope, PowerLink)
def _(loss: PowerLink, y: float, eta: float) -> float:
    if not 0.0 < eta < inf:
        return -inf if eta <= 0.0 else inf
    return slope(loss.of_log, y, log(eta) / loss.exponent) / (loss.exponent * eta)


@implements(curvature, PowerLink)
def _(loss: PowerLink, y: float, eta: float) -> float:
    if not 0.0 < eta < inf:
        return inf
    theta, q = log(eta) / loss.exponent, loss.exponent
    return (curvature(loss.of_log, y, theta) - q * slope(loss.of_log, y, theta)) / (q * eta) / (q * eta)


@implements(information, PowerLink)
def _(loss: PowerLink, y: float, eta: float) -> float:
    if not 0.0 < eta < inf:
        return inf
    return information(loss.of_log, y, log(eta) / loss.exponent) / (loss.exponent * eta) / (loss.exponent * eta)


@implements(conjugate, PowerLink)
def _(loss: PowerLink, y: float, u: float) -> float:
    # the least deviance is 0; elsewhere a bound from above that certifies nothing
    return 0.0 if u == 0.0 else inf


@implements(is_smooth, PowerLink)
def _(loss: PowerLink) -> bool:
    return True


@implements(is_convex, PowerLink)
def _(loss: PowerLink) -> bool:
    return False


@implements(is_deviance, PowerLink)
def _(loss: PowerLink) -> bool:
    return True


@implements(target_size, PowerLink)
def _(loss: PowerLink, y: float) -> float:
    return target_size(loss.of_log, y)


@implements(link, PowerLink)
def _(loss: PowerLink, mean: Any) -> Any:
    return exponential(loss.exponent * link(loss.of_log, mean))


@implements(neutral_score, PowerLink)
def _(loss: PowerLink, mean: Any) -> Any:
    return link(loss, mean)  # a score of 0 is no mean
