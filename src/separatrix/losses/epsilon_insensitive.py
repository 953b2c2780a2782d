r"""Losses that forgive residuals up to :math:`\varepsilon`."""

from math import inf
from typing import NamedTuple

from separatrix.core.dispatch import atom, implements
from separatrix.core.registry import register
from separatrix.core.verbs import conjugate, curvature, is_of_residual, kinks, largest_curvature, slope, value


@register("loss", (0.1,), (0.0,))
@atom
class EpsilonInsensitive(NamedTuple):
    r"""Zero inside a tube of half-width `epsilon`, linear outside.

    .. math:: \ell = (|\eta - y| - \varepsilon)_+

    Parameters
    ----------
    epsilon : float, [0, inf), default 0.1.  Half-width of the tube, in units of y.

    References: Vapnik (1995), The Nature of Statistical Learning Theory, ch. 6.

    >>> value(EpsilonInsensitive(0.5), 0.0, 2.0)
    1.5
    """

    epsilon: float = 0.1


@implements(value, EpsilonInsensitive)
def _(loss: EpsilonInsensitive, y: float, eta: float) -> float:
    return max(abs(eta - y) - loss.epsilon, 0.0)


@implements(slope, EpsilonInsensitive)
def _(loss: EpsilonInsensitive, y: float, eta: float) -> float:
    r = eta - y
    return 1.0 if r > loss.epsilon else -1.0 if r < -loss.epsilon else 0.0


@implements(curvature, EpsilonInsensitive)
def _(loss: EpsilonInsensitive, y: float, eta: float) -> float:
    return 0.0


@implements(conjugate, EpsilonInsensitive)
def _(loss: EpsilonInsensitive, y: float, u: float) -> float:
    return u * y + loss.epsilon * abs(u) if abs(u) <= 1.0 else inf


@implements(kinks, EpsilonInsensitive)
def _(loss: EpsilonInsensitive, y: float) -> tuple[float, float]:
    return y - loss.epsilon, y + loss.epsilon


@register("loss", (0.1,), (0.0,))
@atom
class SquaredEpsilonInsensitive(NamedTuple):
    r"""Zero inside a tube of half-width `epsilon`, quadratic outside.

    .. math:: \ell = (|\eta - y| - \varepsilon)_+^2

    Parameters
    ----------
    epsilon : float, [0, inf), default 0.1.  Half-width of the tube, in units of y.

    >>> value(SquaredEpsilonInsensitive(0.5), 0.0, 2.0)
    2.25
    """

    epsilon: float = 0.1


@implements(value, SquaredEpsilonInsensitive)
def _(loss: SquaredEpsilonInsensitive, y: float, eta: float) -> float:
    excess = max(abs(eta - y) - loss.epsilon, 0.0)
    return excess * excess


@implements(slope, SquaredEpsilonInsensitive)
def _(loss: SquaredEpsilonInsensitive, y: float, eta: float) -> float:
    r = eta - y
    return 2.0 * (r - loss.epsilon) if r > loss.epsilon else 2.0 * (r + loss.epsilon) if r < -loss.epsilon else 0.0


@implements(curvature, SquaredEpsilonInsensitive)
def _(loss: SquaredEpsilonInsensitive, y: float, eta: float) -> float:
    return 2.0 if abs(eta - y) > loss.epsilon else 0.0


@implements(conjugate, SquaredEpsilonInsensitive)
def _(loss: SquaredEpsilonInsensitive, y: float, u: float) -> float:
    return u * y + loss.epsilon * abs(u) + 0.25 * u * u


@implements(is_of_residual, EpsilonInsensitive)
def _(loss: EpsilonInsensitive) -> bool:
    return True


@implements(is_of_residual, SquaredEpsilonInsensitive)
def _(loss: SquaredEpsilonInsensitive) -> bool:
    return True


@implements(largest_curvature, SquaredEpsilonInsensitive)
def _(loss: SquaredEpsilonInsensitive) -> float:
    return 2.0
