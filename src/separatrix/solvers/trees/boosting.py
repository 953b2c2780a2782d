r"""Gradient boosting: trees added one after another, each a step down the slope of the loss.

Lowers   :math:`\frac{1}{\sum s} \sum_i s_i\, \ell(y_i, F(x_i))` over sums of trees, ``F = F_0 + f_1 + f_2 + ...``.
Given    a loss by its verbs, binned columns, y, s and the limits of a tree.
Returns  tables of nodes, one an iteration, or one a class of a joint loss.
From     Friedman (Ann. Statist. 2001); second-order steps by Friedman, Hastie and Tibshirani (Ann. Statist. 2000).

The step of a loss is stated by its verbs: where it is a deviance its curvature (expected, where the loss is not
convex); else the largest curvature it can have, a bound; else, where it has kinks, 1, and each leaf is then moved to
where the loss of its rows is least. With a bound or a constant curvature, no l2 and a learning rate of at most 1, no
step raises the training loss. A full Newton step may.
"""

from math import isfinite
from typing import Any

import numpy as np

from separatrix.core.blocks import row_blocks
from separatrix.core.errors import cannot
from separatrix.core.threads import on_one_blas_thread, parallel_map
from separatrix.core.types import Array, Loss
from separatrix.core.verbs import (
    ignores_shifts,
    is_convex,
    is_deviance,
    is_joint,
    largest_curvature,
    link,
)
from separatrix.designs.binned import BinnedDesign
from separatrix.solvers.trees.compiled.histogram import add_values
from separatrix.solvers.trees.compiled.slopes import (
    ALIKE,
    BY_INFORMATION,
    BY_LOSS,
    fill_joint_slopes,
    fill_slopes,
    sum_joint_values,
    sum_values,
)
from separatrix.solvers.trees.gradients import Layout, fill_words, layout_for
from separatrix.solvers.trees.histogram import Grower, Grown, TreeLimits
from separatrix.solvers.trees.line_search import best_step
from separatrix.solvers.trees.nodes import NodeTable

BLOCK = 1 << 16  # rows
ALL_ONE = np.empty(0)


def baseline(loss: Loss, y: Array, s: Array | None, n_outputs: int) -> Array:
    """The best constant scores, (1,) or of a joint loss (k,): what boosting starts from.

    Of a joint loss y holds labels, and the scores of one that ignores shifts sum to 0.
    """
    weights = np.ones(len(y)) if s is None else s
    if is_joint(loss):
        shares = np.bincount(y, weights=weights, minlength=n_outputs) / weights.sum()
        scores = np.asarray(link(loss, np.maximum(shares, np.finfo(np.float64).eps)))
        return scores - scores.mean() if ignores_shifts(loss) else scores
    if is_deviance(loss):
        return score_of_mean(loss, y, s)
    rows = np.arange(len(y), dtype=np.uint32)
    return np.array([best_step(loss, y, ALL_ONE if s is None else s, np.zeros(len(y)), rows, 0, len(y))])


def score_of_mean(loss: Loss, y: Array, s: Array | None) -> Array:
    """The constant score that fits the mean of y, (1,). Summed by NumPy: a product by BLAS depends on its threads."""
    return np.array([link(loss, float(y.mean() if s is None else (s * y).sum() / s.sum()))])


def mean_loss(loss: Loss, y: Array, s: Array | None, eta: Array) -> float:
    """The weighted mean of the losses of rows, summed by blocks; eta is (n, k), y labels where the loss is joint."""
    weights = ALL_ONE if s is None else s

    def of_block(block: slice) -> float:
        if is_joint(loss):
            return sum_joint_values(loss, y, weights, eta, block.start, block.stop)
        return sum_values(loss, y, weights, eta[:, 0], block.start, block.stop)

    total = sum(parallel_map(of_block, row_blocks(len(y), 1, BLOCK), numbers=len(y)))
    return float(total / (len(y) if s is None else s.sum()))


def fill_all_slopes(
    loss: Loss, how: int, same: float, y: Array, s: Array, eta: Array, out_g: Array, out_h: Array
) -> Array:
    """Fill slopes and curvatures (k, n); return the largest slope and both ends of the curvatures, (k, 3)."""
    n, k = eta.shape

    def of_block(block: slice) -> Array:
        ends = np.tile([0.0, np.inf, 0.0], (k, 1))
        if is_joint(loss):
            fill_joint_slopes(loss, y, s, eta, block.start, block.stop, out_g, out_h, ends)
        else:
            scores, g, h = eta[:, 0], out_g[0], out_h[0]
            fill_slopes(loss, how, same, y, s, scores, block.start, block.stop, g, h, ends[0])
        return ends

    ends = np.stack(parallel_map(of_block, row_blocks(n, 1, BLOCK), numbers=n * 8))
    merged = np.stack([ends[:, :, 0].max(axis=0), ends[:, :, 1].min(axis=0), ends[:, :, 2].max(axis=0)], axis=1)
    if not np.isfinite(merged).all():
        raise cannot(
            "add another tree",
            because="the slope of the loss is not finite: raw scores have grown beyond all bounds",
            instead="a smaller learning_rate, or y in other units",
        )
    return merged


class Boosting:
    """A model while it is boosted.

    Parameters
    ----------
    loss : Loss.
    design : BinnedDesign.
    y : (n,) array.  Numbers; labels 0 to k - 1 of a joint loss.
    s : (n,) array or None.  Weights, all positive.
    eta : (n, k) array, in Fortran order unless the loss is joint.  Raw scores; changed by every step.
    limits : TreeLimits.
    rng : numpy Generator.  Draws columns where `max_features` is below 1.
    """

    def __init__(
        self, loss: Loss, design: BinnedDesign, y: Array, s: Array | None, eta: Array, limits: TreeLimits, rng: Any
    ) -> None:
        self.loss, self.design, self.y, self.eta, self.limits = loss, design, y, eta, limits
        self.s = ALL_ONE if s is None else s
        self.grower = Grower(design, limits, rng, s)
        self.how, self.same, self.searches = _steps_of(loss)
        self._g, self._h = np.empty((eta.shape[1], design.n)), np.empty((eta.shape[1], design.n))

    @on_one_blas_thread  # once a step, not once a node
    def step(self) -> list[NodeTable]:
        """Add a tree, or one for each class, and move the raw scores; all are fitted to the same slopes."""
        ends = self._slopes()
        return [self._grow(c, *ends[c]) for c in range(self.eta.shape[1])]

    def _slopes(self) -> Array:
        return fill_all_slopes(self.loss, self.how, self.same, self.y, self.s, self.eta, self._g, self._h)

    def _grow(self, c: int, largest_g: float, smallest_h: float, largest_h: float) -> NodeTable:
        """One tree, added to the raw scores of output c."""
        layout = layout_for(self.design.n, largest_g, smallest_h, largest_h if largest_h > 0.0 else 1.0)
        self._fill(layout, c)
        grown = self.grower.grow(layout)
        if self.searches:
            self._search_leaves(grown)
        starts, stops = grown.starts[grown.leaves], grown.stops[grown.leaves]
        values = grown.nodes.value[grown.leaves, 0]
        eta = self.eta[:, c]
        halves = row_blocks(len(values), 1, max(1, len(values) // 8))
        parallel_map(
            lambda part: add_values(self.grower.order, starts, stops, values, part.start, part.stop, eta),
            halves,
            numbers=self.design.n,
        )
        return grown.nodes

    def _fill(self, layout: Layout, c: int) -> None:
        g, h = self._g[c], self._h[c]

        def of_block(block: slice) -> None:
            fill_words(layout.gradients, g, h, layout.g_scale, layout.h_scale, block.start, block.stop)

        parallel_map(of_block, row_blocks(self.design.n, 1, BLOCK), numbers=self.design.n)

    def _search_leaves(self, grown: Grown) -> None:
        """Set the values of nodes to the best constants for their rows, then hold them to monotonic constraints."""
        nodes, eta, rate = grown.nodes, self.eta[:, 0], self.limits.learning_rate
        constrained = bool(self.limits.monotone.any())
        wanted = np.arange(len(nodes.column)) if constrained else grown.leaves

        def of_node(number: int) -> float:
            a, b = int(grown.starts[number]), int(grown.stops[number])
            return best_step(self.loss, self.y, self.s, eta, self.grower.order, a, b)

        steps = parallel_map(of_node, wanted.tolist(), numbers=self.design.n)
        nodes.value[wanted, 0] = rate * np.array(steps)
        if constrained:
            hold_monotone(nodes, self.limits.monotone)


def hold_monotone(nodes: NodeTable, monotone: Array) -> None:
    """Clip the values of nodes, from the root down, so that children of a constrained split stay in order."""
    low, high = np.full(len(nodes.column), -np.inf), np.full(len(nodes.column), np.inf)
    for number in range(len(nodes.column)):
        nodes.value[number, 0] = min(max(nodes.value[number, 0], low[number]), high[number])
        if nodes.column[number] < 0:
            continue
        left, right = nodes.left[number], nodes.right[number]
        for child in (left, right):
            low[child], high[child] = low[number], high[number]
        direction = monotone[nodes.column[number]]
        if direction:
            middle = (nodes.value[left, 0] + nodes.value[right, 0]) / 2.0
            middle = min(max(middle, low[number]), high[number])
            lower, upper = (left, right) if direction > 0 else (right, left)
            high[lower], low[upper] = middle, middle


def _steps_of(loss: Loss) -> tuple[int, float, bool]:
    """How the curvature of a step is found, the curvature that is the same for all rows, and whether leaves search."""
    if is_joint(loss) or (is_deviance(loss) and is_convex(loss)):
        return BY_LOSS, 1.0, False
    if is_deviance(loss):
        return BY_INFORMATION, 1.0, False
    most = largest_curvature(loss)
    return (ALIKE, float(most), False) if isfinite(most) else (ALIKE, 1.0, True)
