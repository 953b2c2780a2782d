r"""Gradient boosting by exact splits: a round fits trees to the negative slopes of the loss, then moves their leaves.

Lowers   :math:`\frac{1}{\sum s} \sum_i s_i\, \ell(y_i, F(x_i))` over sums of trees, as
         :mod:`separatrix.solvers.trees.boosting` does on bins.
Given    a loss by its verbs, columns coded by rank, which all rounds share, y, s, and how far a leaf moves.
Returns  tables of nodes, one a round, or one a class of a joint loss.
From     Friedman (Ann. Statist. 2001), algorithms 1 to 6; drawn rows by Friedman (Comput. Stat. Data Anal. 2002).
Cost     of a round: a tree, about ``n p`` times its depth, and one walk of all rows through it.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from separatrix.core.threads import parallel_map
from separatrix.core.types import Array, Loss
from separatrix.designs.ranked import RankedDesign
from separatrix.solvers.linear_program import weighted_quantile
from separatrix.solvers.trees.boosting import ALL_ONE, fill_all_slopes
from separatrix.solvers.trees.compiled.slopes import BY_LOSS
from separatrix.solvers.trees.grow import GrowOptions, TreeTarget, grow, prepare
from separatrix.solvers.trees.nodes import NodeTable, apply
from separatrix.solvers.trees.pruning import prune_by_cost

SMALLEST = 1e-150  # a mean curvature below it says that no step lowers the loss


class LeafRows(NamedTuple):
    """The rows that a tree was grown on: the number of their leaf, their weights, slopes, curvatures and residuals."""

    leaf: Array
    n_leaves: int
    s: Array
    g: Array
    h: Array
    r: Array


Steps = Callable[[LeafRows], Array]


def newton_steps(rows: LeafRows, factor: float = 1.0) -> Array:
    """One step of Newton's method in each leaf, ``-factor Σ s g / Σ s h``; 0 where there is no curvature."""
    weight, g, h = (np.bincount(rows.leaf, rows.s * v, rows.n_leaves) for v in (np.ones(len(rows.s)), rows.g, rows.h))
    return np.divide(-factor * g, h, out=np.zeros_like(g), where=h >= SMALLEST * weight)


def quantile_steps(rows: LeafRows, q: float) -> Array:
    """The quantile of the residuals of each leaf."""
    return _by_leaf(rows, lambda r, s: weighted_quantile(r, s, q))


def huber_steps(rows: LeafRows, delta: float) -> Array:
    """The median of the residuals of each leaf, and the mean of what they differ from it by, at most `delta`."""

    def step(r: Array, s: Array) -> float:
        middle = weighted_quantile(r, s, 0.5)
        return middle + float((s * np.clip(r - middle, -delta, delta)).sum() / s.sum())

    return _by_leaf(rows, step)


def _by_leaf(rows: LeafRows, step: Callable[[Array, Array], float]) -> Array:
    order = np.argsort(rows.leaf, kind="stable")
    ends = np.cumsum(np.bincount(rows.leaf, minlength=rows.n_leaves))[:-1]
    return np.array([step(rows.r[part], rows.s[part]) for part in np.split(order, ends)])


class ExactBoosting:
    """A model while it is boosted.

    Parameters
    ----------
    ranked : RankedDesign.  X : the same rows, as they are walked through the trees.
    y : (n,) array.  Numbers; labels 0 to k - 1 of a joint loss.
    s : (n,) array or None.  Weights, all positive.
    eta : (n, k) array.  Raw scores; changed by every round.
    options : GrowOptions.  Of all rows: of drawn ones `min_weight_leaf` is the same share of their weight.
    learning_rate : float.
    ccp_alpha : float.  The price of a leaf in pruning, 0 for none.
    """

    def __init__(
        self,
        ranked: RankedDesign,
        X: Array,
        y: Array,
        s: Array | None,
        eta: Array,
        options: GrowOptions,
        learning_rate: float,
        ccp_alpha: float = 0.0,
    ) -> None:
        self.ranked, self.X, self.y, self.s, self.eta, self.options = ranked, X, y, s, eta, options
        self.learning_rate, self.ccp_alpha = learning_rate, ccp_alpha
        self._g, self._h = np.empty((eta.shape[1], ranked.n)), np.empty((eta.shape[1], ranked.n))
        prepare(ranked, TreeTarget(self._g[:1].T), options)

    def round(
        self, loss: Loss, steps: Steps, drawn: Array | None, seeds: list[Any], *, below: bool, factor: float
    ) -> list[NodeTable]:
        """Grow a tree, or one for each class, all fitted to the same slopes, and move the raw scores.

        Parameters
        ----------
        loss : Loss.
        steps : function of LeafRows.  How far the scores of each leaf move, before the learning rate.
        drawn : bool (n,) or None.  The rows that the trees are grown on; None for all.
        seeds : generators, one a tree.
        below : bool.  At a kink take the slope on its lower side.
        factor : float.  What slopes are multiplied by.
        """
        at = np.nextafter(self.eta, -np.inf) if below else self.eta
        fill_all_slopes(loss, BY_LOSS, 1.0, self.y, ALL_ONE, at, self._g, self._h)
        weights, options = self.s, self.options
        if drawn is not None:
            weights = drawn * (1.0 if self.s is None else self.s)
            share = float(weights.sum() / (self.ranked.n if self.s is None else self.s.sum()))
            options = replace(options, min_weight_leaf=share * options.min_weight_leaf)
        tables = parallel_map(
            lambda c: grow(self.ranked, TreeTarget(-factor * self._g[c][:, None]), weights, options, seeds[c]),
            range(len(seeds)),
            numbers=self.ranked.n * self.ranked.p,
        )
        return [self._move(c, table, steps, drawn) for c, table in enumerate(tables)]

    def _move(self, c: int, table: NodeTable, steps: Steps, drawn: Array | None) -> NodeTable:
        """Set the values of the leaves, and add them to the raw scores of output c, of all rows, drawn or not."""
        if self.ccp_alpha > 0.0:
            table = prune_by_cost(table, self.ccp_alpha)
        ends = apply(table, self.X)
        leaves = np.flatnonzero(table.column < 0)
        number = np.zeros(len(table.column), np.int64)
        number[leaves] = np.arange(len(leaves))
        kept = slice(None) if drawn is None else drawn
        place = number[ends[kept]]
        s = np.ones(len(place)) if self.s is None else self.s[kept]
        r = np.empty(0) if is_joint_target(self.y) else self.y[kept] - self.eta[kept, c]
        rows = LeafRows(place, len(leaves), s, self._g[c][kept], self._h[c][kept], r)
        table.value[leaves, 0] = steps(rows)
        self.eta[:, c] += self.learning_rate * table.value[ends, 0]
        return table


def is_joint_target(y: Array) -> bool:
    """Whether y holds labels, of which there are no residuals."""
    return bool(y.dtype.kind == "i")


def gains_of(table: NodeTable) -> Array:
    """What each split takes away of the impurity, as a share of all weight; 0 in leaves."""
    cost = table.weight * table.impurity / table.weight[0]
    gains = np.where(table.column >= 0, cost, 0.0)
    np.subtract.at(gains, table.parent[1:], cost[1:])
    return gains
