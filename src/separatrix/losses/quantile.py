r"""The pinball loss, whose minimiser is a quantile; at one half, the absolute error and the median."""

from math import inf
from typing import NamedTuple

from separatrix.core.dispatch import atom, implements
from separatrix.core.registry import register
from separatrix.core.verbs import conjugate, curvature, is_of_residual, kinks, slope, value


@register("loss", (0.5,), (0.9,))
@atom
class Quantile(NamedTuple):
    r"""Under- and overestimates cost a different price per unit.

    .. math:: \ell = q\,(y-\eta)_+ + (1-q)\,(\eta-y)_+

    Parameters
    ----------
    q : float, (0, 1), default 0.5.  Which quantile; 0.5 is half the absolute error, so the median.

    References: Koenker and Bassett (1978), Econometrica 46(1).

    >>> value(Quantile(0.9), 1.0, 0.0), value(Quantile(0.9), 0.0, 1.0)
    (0.9, 0.09999999999999998)
    """

    q: float = 0.5


@implements(value, Quantile)
def _(loss: Quantile, y: float, eta: float) -> float:
    return loss.q * (y - eta) if y >= eta else (1.0 - loss.q) * (eta - y)


@implements(slope, Quantile)
def _(loss: Quantile, y: float, eta: float) -> float:
    # at the kink any value in [-q, 1 - q] is a subgradient; 0 is always among them
    return -loss.q if y > eta else 1.0 - loss.q if y < eta else 0.0


@implements(curvature, Quantile)
def _(loss: Quantile, y: float, eta: float) -> float:
    return 0.0


@implements(conjugate, Quantile)
def _(loss: Quantile, y: float, u: float) -> float:
    return u * y if -loss.q <= u <= 1.0 - loss.q else inf


@implements(kinks, Quantile)
def _(loss: Quantile, y: float) -> tuple[float, float]:
    return y, y


@implements(is_of_residual, Quantile)
def _(loss: Quantile) -> bool:
    return True
