r"""Huber's loss: quadratic near zero, linear in the tails."""

from math import inf
from typing import NamedTuple

from separatrix.core.dispatch import atom, implements
from separatrix.core.registry import register
from separatrix.core.verbs import conjugate, curvature, is_of_residual, largest_curvature, slope, value


@register("loss", (1.0,), (0.1,))
@atom
class Huber(NamedTuple):
    r"""Quadratic up to `delta`, linear beyond: an outlier pulls with a bounded force.

    .. math:: \ell = r^2/2 \ (|r|\le\delta), \quad \delta(|r|-\delta/2)\ \text{otherwise}, \qquad r = \eta - y

    Parameters
    ----------
    delta : float, (0, inf), default 1.0.  Where the loss turns linear, in units of y.

    References: Huber (1964), Ann. Math. Statist. 35(1).

    >>> value(Huber(1.0), 0.0, 3.0), slope(Huber(1.0), 0.0, 3.0)
    (2.5, 1.0)
    """

    delta: float = 1.0


@implements(value, Huber)
def _(loss: Huber, y: float, eta: float) -> float:
    r = abs(eta - y)
    return 0.5 * r * r if r <= loss.delta else loss.delta * (r - 0.5 * loss.delta)


@implements(slope, Huber)
def _(loss: Huber, y: float, eta: float) -> float:
    return min(max(eta - y, -loss.delta), loss.delta)


@implements(curvature, Huber)
def _(loss: Huber, y: float, eta: float) -> float:
    return 1.0 if abs(eta - y) <= loss.delta else 0.0


@implements(conjugate, Huber)
def _(loss: Huber, y: float, u: float) -> float:
    return 0.5 * u * u + u * y if abs(u) <= loss.delta else inf


@implements(is_of_residual, Huber)
def _(loss: Huber) -> bool:
    return True


@implements(largest_curvature, Huber)
def _(loss: Huber) -> float:
    return 1.0
