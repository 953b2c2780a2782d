r"""The lasso penalty: :math:`\lambda |\beta|`."""

from math import inf
from typing import NamedTuple

from separatrix.core.dispatch import atom, implements
from separatrix.core.registry import register
from separatrix.core.types import Parts
from separatrix.core.verbs import split


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

    >>> from separatrix.core.verbs import prox
    >>> prox(L1(1.0), 3.0, 0.5), prox(L1(1.0), -0.2, 0.5)
    (2.5, 0.0)
    """

    lam: float


@implements(split, L1)
def _(penalty: L1) -> Parts:
    return penalty.lam, 0.0, -inf, inf
