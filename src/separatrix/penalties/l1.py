r"""The lasso penalty: :math:`\lambda |\beta|`."""

from math import inf
from typing import NamedTuple

from separatrix.core.dispatch import atom, implements
from separatrix.core.registry import register
from separatrix.core.verbs import conjugate_cost, cost, prox


@register("penalty", (0.0,), (0.7,))
@atom
class L1(NamedTuple):
    r"""Absolute value; its prox sets small coefficients to exactly zero.

    .. math:: \Omega(\beta) = \lambda |\beta|, \qquad
              \mathrm{prox}(v) = \mathrm{sign}(v) \max(|v| - t\lambda, 0)

    Parameters
    ----------
    lam : float, [0, inf).  Strength.

    References: Tibshirani (1996), J. R. Statist. Soc. B 58(1).

    >>> prox(L1(1.0), 3.0, 0.5), prox(L1(1.0), -0.2, 0.5)
    (2.5, 0.0)
    """

    lam: float


@implements(cost, L1)
def _(penalty, beta):
    return penalty.lam * abs(beta)


@implements(prox, L1)
def _(penalty, v, step):
    t = penalty.lam * step
    return v - t if v > t else v + t if v < -t else 0.0


@implements(conjugate_cost, L1)
def _(penalty, v):
    return 0.0 if abs(v) <= penalty.lam else inf
