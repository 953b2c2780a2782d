r"""The modified Huber loss: a squared hinge that turns linear, with a probability behind it."""

from math import inf
from typing import NamedTuple

from separatrix.core.dispatch import atom, implements
from separatrix.core.registry import register
from separatrix.core.verbs import conjugate, curvature, largest_curvature, slope, value


@register("loss", ())
@atom
class ModifiedHuber(NamedTuple):
    r"""Quadratic between the margins -1 and 1, linear below, nothing above; y in {-1, +1}.

    .. math:: \ell = (1 - z)_+^2 \ (z \ge -1), \quad -4z\ \text{otherwise}, \qquad z = y\,\eta

    An outlier pulls with a bounded force, and the minimiser of the expected loss is :math:`2 P(y = 1) - 1`.

    References: Zhang (2004), ICML; Zhang (2004), Ann. Statist. 32(1).

    >>> value(ModifiedHuber(), 1.0, 0.0), value(ModifiedHuber(), 1.0, -2.0), slope(ModifiedHuber(), -1.0, 5.0)
    (1.0, 8.0, 4.0)
    """

    scale: float = 1.0  # numba cannot type an empty tuple; always 1


@implements(value, ModifiedHuber)
def _(loss: ModifiedHuber, y: float, eta: float) -> float:
    z = y * eta
    return 0.0 if z >= 1.0 else (1.0 - z) * (1.0 - z) if z >= -1.0 else -4.0 * z


@implements(slope, ModifiedHuber)
def _(loss: ModifiedHuber, y: float, eta: float) -> float:
    z = y * eta
    return 0.0 if z >= 1.0 else -2.0 * y * (1.0 - z) if z >= -1.0 else -4.0 * y


@implements(curvature, ModifiedHuber)
def _(loss: ModifiedHuber, y: float, eta: float) -> float:
    return 2.0 if -1.0 <= y * eta < 1.0 else 0.0


@implements(conjugate, ModifiedHuber)
def _(loss: ModifiedHuber, y: float, u: float) -> float:
    return y * u + 0.25 * u * u if -4.0 <= y * u <= 0.0 else inf


@implements(largest_curvature, ModifiedHuber)
def _(loss: ModifiedHuber) -> float:
    return 2.0
