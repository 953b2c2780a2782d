r"""A strength and bounds for each coefficient: :math:`\sum_j k_j |\beta_j| + \tfrac12 r_j \beta_j^2` on a box."""

from math import inf
from typing import NamedTuple

import numpy as np

from separatrix.core.dispatch import atom, implemented, implements, with_default
from separatrix.core.jit import compiled
from separatrix.core.registry import register
from separatrix.core.types import Array, Parts, Penalty
from separatrix.core.verbs import of_coefficient, split


@register("penalty", (0.7, 0.0, -2.0, 0.5), (0.5, 0.2, -1.0, 4.0), (0.0, 0.3, 0.0, 1.5), (0.0, 0.0, -inf, 1.0), (0.2,))
@atom
class Bounded(NamedTuple):
    r"""The elastic net of one coefficient that must stay within bounds.

    .. math:: \Omega(\beta) = k |\beta| + \tfrac{r}{2} \beta^2 \quad (l \le \beta \le h), \qquad
              +\infty \text{ otherwise}

    Parameters
    ----------
    kink : float, [0, inf).  Strength of the absolute value.
    ridge : float, [0, inf), default 0.  Strength of the half square.
    low : float, [-inf, 0], default -inf.  The lower bound.
    high : float, [0, inf], default inf.  The upper bound.

    References: Friedman, Hastie and Tibshirani (2010), J. Statist. Software 33(1), section 2.6; glmnet's limits.

    >>> from separatrix.core.verbs import prox
    >>> prox(Bounded(1.0, 0.0, -0.5, 0.5), 3.0, 1.0), prox(Bounded(1.0, 0.0, -0.5, 0.5), -1.2, 1.0)
    (0.5, -0.19999999999999996)
    """

    kink: float
    ridge: float = 0.0
    low: float = -inf
    high: float = inf


@implements(split, Bounded)
def _(penalty: Bounded) -> Parts:
    return penalty.kink, penalty.ridge, penalty.low, penalty.high


@register("penalty", (np.array([0.0, 0.6]), np.array([0.0, 0.4]), np.array([-inf, 0.0]), np.array([inf, 3.0])))
@atom
class Separable(NamedTuple):
    r"""A :class:`Bounded` penalty for each coefficient: the adaptive lasso, unpenalised columns, box constraints.

    .. math:: \Omega(\beta) = \sum_j k_j |\beta_j| + \tfrac{r_j}{2} \beta_j^2 \quad (l_j \le \beta_j \le h_j)

    Every penalty that can be split is of this form; solvers work on it (:func:`as_separable`).

    Parameters
    ----------
    kink, ridge : (p,) arrays of [0, inf).  Strengths of the absolute values and of the half squares.
    low, high : (p,) arrays of [-inf, 0] and of [0, inf].  Bounds.

    References: Zou (2006), J. Am. Statist. Assoc. 101(476), the adaptive lasso.

    >>> penalty = Separable(np.array([0.0, 1.0]), np.zeros(2), np.full(2, -np.inf), np.full(2, 3.0))
    >>> of_coefficient(penalty, 1) == Bounded(1.0, 0.0, -np.inf, 3.0)
    True
    """

    kink: Array
    ridge: Array
    low: Array
    high: Array

    @property
    def dual_domain(self) -> tuple[Array, Array]:
        """``(low, high)``, (p,) each: between them the conjugates of the penalties are finite. 0 is.

        >>> Separable(*np.array([[0.5], [0.0], [0.0], [np.inf]])).dual_domain
        (array([-inf]), array([0.5]))
        """
        ridge = self.ridge > 0.0
        low = np.where(ridge | (self.low > -inf), -inf, -self.kink)
        return low, np.where(ridge | (self.high < inf), inf, self.kink)

    @property
    def held(self) -> Array:
        """Which coefficients are not penalised, on one side at least: 0 is an end of the domain of their conjugate."""
        low, high = self.dual_domain
        return ~((low < 0.0) & (high > 0.0))

    @property
    def penalises_all(self) -> bool:
        """Whether none are :attr:`held`."""
        return bool(self.kink.min(initial=inf) > 0.0 or not self.held.any())

    def take(self, J: Array) -> "Separable":
        """The penalties of the coefficients J, in that order."""
        return Separable(*(np.ascontiguousarray(part[J]) for part in self))

    def scaled(self, strength: float) -> "Separable":
        """The same penalties, stronger by a factor, within the same bounds."""
        return self._replace(kink=strength * self.kink, ridge=strength * self.ridge)

    def repeat(self, times: int) -> "Separable":
        """The same penalties again, for coefficients that are stacked class by class."""
        return self if times == 1 else Separable(*(np.tile(part, times) for part in self))

    def bounded_where_free(self, beta: Array) -> "Separable":
        """The same, with bounds of twice their size for coefficients that nothing penalises, on sides without bounds.

        The conjugate of no penalty is infinite for every v that points to such a side, as rounding makes it do. With
        these bounds it is finite: a gap made of them stops a solver and is not published.
        """
        held = (self.kink == 0.0) & (self.ridge == 0.0)
        if not held.any():
            return self
        size = np.abs(beta) if beta.ndim == 1 else np.abs(beta).max(axis=1)
        held &= size > 0.0
        low, high = held & (self.low == -inf), held & (self.high == inf)
        return self._replace(low=np.where(low, -2.0 * size, self.low), high=np.where(high, 2.0 * size, self.high))

    @property
    def unbounded(self) -> Array:
        """Which coefficients have no bounds."""
        return (self.low == -inf) & (self.high == inf)

    @property
    def is_nonnegative(self) -> bool:
        """Whether the bounds are 0 and infinity for all coefficients."""
        return bool((self.low == 0.0).all() and (self.high == inf).all())

    @property
    def free(self) -> Array:
        """Which coefficients are neither penalised nor bounded."""
        return (self.kink == 0.0) & (self.ridge == 0.0) & self.unbounded

    @property
    def dense(self) -> Array:
        """Which coefficients nothing keeps at 0: they have no kink there, and may move."""
        return (self.kink == 0.0) & (self.low < self.high)


@implements(of_coefficient, Separable)
def _(penalty: Separable, j: int) -> Bounded:
    return Bounded(penalty.kink[j], penalty.ridge[j], penalty.low[j], penalty.high[j])


@with_default
def as_separable(penalty: Penalty, p: int) -> Separable:
    """Any penalty on p coefficients as a :class:`Separable` one: the split of each coefficient's.

    >>> from separatrix.penalties import ElasticNet
    >>> as_separable(ElasticNet(0.5, 2.0, True), 1)
    Separable(kink=array([0.5]), ridge=array([2.]), low=array([0.]), high=array([inf]))
    """
    if not implemented(of_coefficient, penalty):
        return Separable(*(np.full(p, float(part)) for part in split(penalty)))
    parts = np.empty((4, p))
    _fill_parts(penalty, parts)
    return Separable(*parts)


@implements(as_separable, Separable)
def _(penalty: Separable, p: int) -> Separable:
    return penalty


@compiled
def _fill_parts(penalty: Penalty, out: Array) -> None:
    """Column j of out (4, p) = split(penalty_j)."""
    for j in range(out.shape[1]):
        out[0, j], out[1, j], out[2, j], out[3, j] = split(of_coefficient(penalty, j))
