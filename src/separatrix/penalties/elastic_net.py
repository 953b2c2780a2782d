r"""The elastic net: :math:`\lambda_1 |\beta| + \lambda_2 \beta^2 / 2`, free or non-negative."""

from math import inf
from typing import NamedTuple

from separatrix.core.dispatch import atom, implements
from separatrix.core.registry import register
from separatrix.core.verbs import conjugate_cost, cost, prox


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

    >>> prox(ElasticNet(1.0, 1.0), 3.0, 0.5)
    1.6666666666666667
    """

    l1: float
    l2: float
    positive: bool = False


@implements(cost, ElasticNet)
def _(penalty, beta):
    if penalty.positive and beta < 0.0:
        return inf
    return penalty.l1 * abs(beta) + 0.5 * penalty.l2 * beta * beta


@implements(prox, ElasticNet)
def _(penalty, v, step):
    t = penalty.l1 * step
    if v > t:
        return (v - t) / (1.0 + step * penalty.l2)
    if v < -t and not penalty.positive:
        return (v + t) / (1.0 + step * penalty.l2)
    return 0.0


@implements(conjugate_cost, ElasticNet)
def _(penalty, v):
    excess = (v if penalty.positive else abs(v)) - penalty.l1
    if excess <= 0.0:
        return 0.0
    return 0.5 * excess * excess / penalty.l2 if penalty.l2 > 0.0 else inf
