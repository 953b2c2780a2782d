r"""The ridge penalty :math:`\lambda \beta^2 / 2`, and no penalty at all."""

from math import inf
from typing import NamedTuple

from separatrix.core.dispatch import atom, implements
from separatrix.core.registry import register
from separatrix.core.types import Parts
from separatrix.core.verbs import split


@register("penalty", (0.3,), (5.0,))
@atom
class L2(NamedTuple):
    r"""Half the square; shrinks every coefficient, sets none to zero.

    .. math:: \Omega(\beta) = \tfrac{\lambda}{2} \beta^2, \qquad \mathrm{prox}(v) = v / (1 + t\lambda)

    Parameters
    ----------
    lam : float, [0, inf).  Strength.

    References: Hoerl and Kennard (1970), Technometrics 12(1).

    >>> from separatrix.core.verbs import prox
    >>> prox(L2(1.0), 3.0, 0.5)
    2.0
    """

    lam: float


@implements(split, L2)
def _(penalty: L2) -> Parts:
    return 0.0, penalty.lam, -inf, inf


@register("penalty", ())
@atom
class NoPenalty(NamedTuple):
    r"""Nothing is penalised: :math:`\Omega = 0`. The conjugate is finite at 0 only.

    >>> from separatrix.core.verbs import prox
    >>> prox(NoPenalty(), 3.0, 0.5)
    3.0
    """

    lam: float = 0.0  # numba cannot type an empty tuple; always 0


@implements(split, NoPenalty)
def _(penalty: NoPenalty) -> Parts:
    return 0.0, 0.0, -inf, inf
