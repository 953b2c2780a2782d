r"""Squared error: :math:`(\eta - y)^2 / 2`."""

from typing import NamedTuple

from separatrix.core.dispatch import atom, implements
from separatrix.core.registry import register
from separatrix.core.verbs import (
    conjugate,
    curvature,
    curvature_rate,
    is_deviance,
    is_of_residual,
    is_squared_error,
    largest_curvature,
    slope,
    value,
)


@register("loss", ())
@atom
class Squared(NamedTuple):
    r"""Half the squared residual; its minimiser is the conditional mean.

    .. math:: \ell = \tfrac12 (\eta - y)^2, \qquad \ell^*(u) = \tfrac12 u^2 + u y

    >>> value(Squared(), 1.0, 3.0), slope(Squared(), 1.0, 3.0)
    (2.0, 2.0)
    """

    scale: float = 1.0  # numba cannot type an empty tuple; always 1


@implements(value, Squared)
def _(loss: Squared, y: float, eta: float) -> float:
    return 0.5 * (eta - y) * (eta - y)


@implements(slope, Squared)
def _(loss: Squared, y: float, eta: float) -> float:
    return eta - y


@implements(curvature, Squared)
def _(loss: Squared, y: float, eta: float) -> float:
    return 1.0


@implements(conjugate, Squared)
def _(loss: Squared, y: float, u: float) -> float:
    return 0.5 * u * u + u * y


@implements(is_of_residual, Squared)
def _(loss: Squared) -> bool:
    return True


@implements(is_squared_error, Squared)
def _(loss: Squared) -> bool:
    return True


@implements(is_deviance, Squared)
def _(loss: Squared) -> bool:
    return True


@implements(largest_curvature, Squared)
def _(loss: Squared) -> float:
    return 1.0


@implements(curvature_rate, Squared)
def _(loss: Squared, y: float, eta: float, reach: float) -> float:
    return 0.0
