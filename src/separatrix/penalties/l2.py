r"""The ridge penalty :math:`\lambda \beta^2 / 2`, and no penalty at all."""

from math import inf
from typing import NamedTuple

from separatrix.core.dispatch import atom, implements
from separatrix.core.registry import register
from separatrix.core.verbs import conjugate_cost, cost, prox


@register("penalty", (0.3,), (5.0,))
@atom
class L2(NamedTuple):
    r"""Half the square; shrinks every coefficient, sets none to zero.

    .. math:: \Omega(\beta) = \tfrac{\lambda}{2} \beta^2, \qquad \mathrm{prox}(v) = v / (1 + t\lambda)

    Parameters
    ----------
    lam : float, [0, inf).  Strength.

    References: Hoerl and Kennard (1970), Technometrics 12(1).

    >>> prox(L2(1.0), 3.0, 0.5)
    2.0
    """

    lam: float


@implements(cost, L2)
def _(penalty, beta):
    return 0.5 * penalty.lam * beta * beta


@implements(prox, L2)
def _(penalty, v, step):
    return v / (1.0 + step * penalty.lam)


@implements(conjugate_cost, L2)
def _(penalty, v):
    if penalty.lam == 0.0:
        return 0.0 if v == 0.0 else inf
    return 0.5 * v * v / penalty.lam


@register("penalty", ())
@atom
class NoPenalty(NamedTuple):
    r"""Nothing is penalised: :math:`\Omega = 0`. The conjugate is finite at 0 only.

    >>> prox(NoPenalty(), 3.0, 0.5)
    3.0
    """

    lam: float = 0.0  # numba cannot type an empty tuple; always 0


@implements(cost, NoPenalty)
def _(penalty, beta):
    return 0.0


@implements(prox, NoPenalty)
def _(penalty, v, step):
    return v


@implements(conjugate_cost, NoPenalty)
def _(penalty, v):
    return 0.0 if v == 0.0 else inf
