r"""The elastic net: :math:`\lambda_1 |\beta| + \lambda_2 \beta^2 / 2`, free or non-negative."""

from math import inf
from typing import NamedTuple

from separatrix.core.dispatch import atom, implements
from separatrix.core.registry import register
from separatrix.core.types import Parts
from separatrix.core.verbs import split


@register("penalty", (0.7, 0.0), (0.5, 0.2), (0.5, 0.2, True), (0.7, 0.0, True), (0.0, 0.0, True))
@atom
class ElasticNet(NamedTuple):
    r"""Lasso and ridge together; with ``positive`` the coefficient must not be negative.

    .. math:: \Omega(\beta) = \lambda_1 |\beta| + \tfrac{\lambda_2}{2} \beta^2 \quad (+\infty \text{ for } \beta < 0
              \text{ if positive})

    Parameters
    ----------
    l1 : float, [0, inf).  Strength of the absolute value.
    l2 : float, [0, inf).  Strength of the half square.
    positive : bool, default False.  Whether negative coefficients are forbidden.

    References: Zou and Hastie (2005), J. R. Statist. Soc. B 67(2).

    >>> from separatrix.core.verbs import prox
    >>> prox(ElasticNet(1.0, 1.0), 3.0, 0.5)
    1.6666666666666667
    """

    l1: float
    l2: float
    positive: bool = False


@implements(split, ElasticNet)
def _(penalty: ElasticNet) -> Parts:
    return penalty.l1, penalty.l2, 0.0 if penalty.positive else -inf, inf
