r"""A regression tree on gradients, grown best-first from histograms.

Solves   greedily, split by split, min over trees of :math:`\sum_i g_i f(x_i) + \tfrac12 h_i f(x_i)^2 + \tfrac12 l_2
         \sum_{leaves} v^2`: of all leaves the one with the largest gain is split next.
Given    binned columns, whole-numbered slopes and curvatures (:mod:`separatrix.solvers.trees.gradients`), and limits.
Returns  a table of nodes, and the rows of each leaf, which lie side by side in one list of rows.
From     Chen and Guestrin (KDD 2016), equations 5 to 7; Ke et al. (NIPS 2017); categories by Fisher (JASA 1958).
Cost     a histogram reads the bins of the smaller child only, p bytes a row; that of its sibling is a difference, exact
         because the sums are whole numbers. They are the same for any number of threads.
"""

from dataclasses import dataclass, field
from heapq import heappop, heappush
from itertools import pairwise
from math import ceil
from typing import Any, NamedTuple

import numpy as np

from separatrix.core.threads import n_threads, parallel_map
from separatrix.core.types import Array
from separatrix.designs.binned import PLACES, BinnedDesign
from separatrix.solvers.trees.compiled.histogram import send_rows, sum_rows
from separatrix.solvers.trees.compiled.histogram_split import Limits, Sums, best_split, leaf_value
from separatrix.solvers.trees.gradients import Layout
from separatrix.solvers.trees.nodes import NodeTable, empty_nodes

MIN_CURVATURE = 1e-3  # of each child
# Rows that are worth a thread: they take about 0.2 ms, and to hand them over takes 0.05 ms.
WORTH_SUMMING = 1 << 12
WORTH_SENDING = 1 << 15


@dataclass(frozen=True)
class TreeLimits:
    """What the trees of a model are held to.

    Parameters
    ----------
    learning_rate : float.  By which the values of leaves are multiplied.
    max_leaf_nodes, max_depth : int or None.
    min_samples_leaf : int.
    regularization : float.  l2_regularization.
    max_features : float.  The share of columns that a split may choose from, drawn anew for each.
    monotone : (p,) int8.  1 where the prediction may not fall with a column, -1 where it may not rise.
    groups : list of sets or None.  Columns that may meet on a path.
    """

    learning_rate: float
    max_leaf_nodes: int | None
    max_depth: int | None
    min_samples_leaf: int
    regularization: float
    max_features: float
    monotone: Array
    groups: list[set[int]] | None


@dataclass
class _Node:
    """A node while the tree is grown; `start` to `stop` are its rows in the list of rows."""

    start: int
    stop: int
    parent: int
    depth: int
    sums: Sums
    groups: tuple[int, ...] | None
    histogram: Any = None  # an array while it is needed
    gain: float = 0.0
    column: int = -1
    bin: int = -1
    missing_left: bool = False
    goes_left: Any = None  # (256,) array of a node that may be split
    left_sums: tuple[int, int, int] = (0, 0, 0)
    children: tuple[int, int] | None = None


class Grown(NamedTuple):
    """A tree, and where the rows of each of its nodes are in the list of rows."""

    nodes: NodeTable
    starts: Array
    stops: Array
    leaves: Array


@dataclass
class Grower:
    """Grows trees on one design; buffers are kept from tree to tree."""

    design: BinnedDesign
    limits: TreeLimits
    rng: Any
    s: Array | None = None  # weights of the rows; None where all count once
    order: Array = field(init=False)

    def __post_init__(self) -> None:
        n, p = self.design.n, self.design.p
        self.order = np.arange(n, dtype=np.uint32)
        self._work = np.empty(n, np.uint32)
        self._all = np.arange(p, dtype=np.int64)
        self._codes, self._values = np.empty(PLACES, np.int64), np.empty(PLACES)
        self._words = self.design.words

    def grow(self, layout: Layout) -> Grown:
        """The tree of one set of gradients."""
        self._layout = layout
        limits = self.limits
        self._held = Limits(
            1.0 / layout.g_scale, 1.0 / layout.h_scale, limits.regularization, limits.min_samples_leaf, MIN_CURVATURE
        )
        self.order[:] = np.arange(self.design.n, dtype=np.uint32)
        groups = None if limits.groups is None else tuple(range(len(limits.groups)))
        root = _Node(0, self.design.n, -1, 0, Sums(0, 0, self.design.n, 0.0, -np.inf, np.inf), groups)
        root.histogram = self._summed(0, self.design.n)
        g, h, _ = self._total(root.histogram)
        root.sums = root.sums._replace(g=g, h=h)
        tree, waiting = [root], list[tuple[float, int]]()
        if h * self._held.h_unit >= MIN_CURVATURE:
            self._consider(tree, 0, waiting)
        n_leaves = 1
        while waiting and (limits.max_leaf_nodes is None or n_leaves < limits.max_leaf_nodes):
            _, number = heappop(waiting)
            n_leaves += 1
            last = n_leaves == limits.max_leaf_nodes
            self._split(tree, number, waiting, last)
        return self._table(tree)

    def _total(self, histogram: Array) -> tuple[int, int, int]:
        """Sums over all rows: those over the bins of one column."""
        gradients, size = self._layout.gradients, self._layout.size
        words = histogram[: PLACES * size].reshape(PLACES, size).sum(axis=0)
        if size == 3:
            return int(words[0]), int(words[1]), int(words[2])
        high = int(words[-1]) >> gradients.shift
        count = int(words[-1]) - (high << gradients.shift)
        return (high, count, count) if size == 1 else (int(words[0]), high, count)

    def _summed(self, start: int, stop: int) -> Array:
        """The histogram of the rows at `start` to `stop` of the list."""
        length = self._words.shape[1] * 8 * PLACES * self._layout.size

        def of_part(part: slice) -> Array:
            histogram = np.zeros(length, np.int64)
            sum_rows(self._layout.gradients, self._words, self.order, part.start, part.stop, histogram)
            return histogram

        first, *others = parallel_map(of_part, _parts(start, stop, WORTH_SUMMING))
        for other in others:
            first += other
        return first

    def _sent(self, node: _Node) -> int:
        """Order the rows of a node so that those that go left come first, in the order they had; where they end."""
        column, parts = self.design.columns[node.column], _parts(node.start, node.stop, WORTH_SENDING)

        def of_part(part: slice) -> int:
            work = self._work[part]
            return send_rows(column, node.goes_left, self.order, part.start, part.stop, work)

        middles = parallel_map(of_part, parts)
        if len(parts) > 1:
            left = [self.order[part.start : middle] for part, middle in zip(parts, middles)]
            right = [self.order[middle : part.stop] for part, middle in zip(parts, middles)]
            self.order[node.start : node.stop] = np.concatenate([*left, *right])
        return node.start + sum(middle - part.start for part, middle in zip(parts, middles))

    def _columns(self, groups: tuple[int, ...] | None) -> Array:
        """The columns that a node may be split by."""
        columns = self._all
        if groups is not None and self.limits.groups is not None:
            allowed = set().union(*(self.limits.groups[k] for k in groups))
            columns = np.array(sorted(allowed), dtype=np.int64)
        if self.limits.max_features < 1.0 and len(columns):
            chosen = np.zeros(len(columns), bool)
            chosen[: max(1, ceil(self.limits.max_features * len(columns)))] = True
            self.rng.shuffle(chosen)
            columns = columns[chosen]
        return columns

    def _consider(self, tree: list[_Node], number: int, waiting: list[tuple[float, int]]) -> None:
        """Find the best split of a node, and let it wait for its turn; a node without one forgets its histogram."""
        node, bins = tree[number], self.design.bins
        limits = self.limits
        too_deep = limits.max_depth is not None and node.depth >= limits.max_depth
        if not too_deep and node.sums.rows >= 2 * limits.min_samples_leaf:
            sums, goes_left = np.zeros(3, np.int64), np.zeros(PLACES, np.uint8)
            node.gain, node.column, node.bin, node.missing_left = best_split(
                self._layout.gradients,
                node.histogram,
                self._columns(node.groups),
                bins.n_bins,
                self.design.has_missing,
                bins.is_category,
                limits.monotone,
                node.sums,
                self._held,
                self._codes,
                self._values,
                sums,
                goes_left,
            )
            node.goes_left = goes_left
            node.left_sums = (int(sums[0]), int(sums[1]), int(sums[2]))
        if node.gain > 0.0:
            heappush(waiting, (-node.gain, number))
        else:
            node.column, node.histogram = -1, None

    def _split(self, tree: list[_Node], number: int, waiting: list[tuple[float, int]], last: bool) -> None:
        """Split a node: send its rows, make its children, and find their splits unless they are the last."""
        node, held = tree[number], self._held
        middle = self._sent(node)
        g, h, count = node.left_sums
        sides = ((g, h, count), (node.sums.g - g, node.sums.h - h, node.sums.rows - count))
        values = [
            leaf_value(a * held.g_unit, b * held.h_unit, held.regularization, node.sums.low, node.sums.high)
            for a, b, _ in sides
        ]
        bounds = self._bounds(node, values)
        ends = ((node.start, middle), (middle, node.stop))
        groups = self._later_groups(node)
        node.children = (len(tree), len(tree) + 1)
        for (a, b), sums, value, bound in zip(ends, sides, values, bounds):
            tree.append(_Node(a, b, number, node.depth + 1, Sums(*sums, value, *bound), groups))
        if last:
            return
        left, right = tree[-2:]
        smaller, larger = (left, right) if left.sums.rows < right.sums.rows else (right, left)
        if self._may_split(larger):
            smaller.histogram = self._summed(smaller.start, smaller.stop)
            larger.histogram, node.histogram = node.histogram, None
            larger.histogram -= smaller.histogram
        node.histogram = None
        for child in node.children:
            self._consider(tree, child, waiting)

    def _may_split(self, node: _Node) -> bool:
        deep = self.limits.max_depth is not None and node.depth >= self.limits.max_depth
        return not deep and node.sums.rows >= 2 * self.limits.min_samples_leaf

    def _bounds(self, node: _Node, values: list[float]) -> list[tuple[float, float]]:
        """Bounds of the values below each child: of a constrained column, the middle of its values parts them."""
        low, high = node.sums.low, node.sums.high
        direction = self.limits.monotone[node.column]
        if direction == 0:
            return [(low, high), (low, high)]
        middle = (values[0] + values[1]) / 2.0
        return [(low, middle), (middle, high)] if direction > 0 else [(middle, high), (low, middle)]

    def _later_groups(self, node: _Node) -> tuple[int, ...] | None:
        if node.groups is None or self.limits.groups is None:
            return None
        return tuple(k for k in node.groups if node.column in self.limits.groups[k])

    def _weights(self, tree: list[_Node]) -> Array:
        """The weight of the rows of each node; children stand behind their parents."""
        if self.s is None:
            return np.array([node.sums.rows for node in tree], dtype=np.float64)
        weights = np.zeros(len(tree))
        for number in range(len(tree) - 1, -1, -1):
            node = tree[number]
            rows = self.order[node.start : node.stop]
            weights[number] = self.s[rows].sum() if node.children is None else weights[list(node.children)].sum()
        return weights

    def _table(self, tree: list[_Node]) -> Grown:
        """The nodes as a table; categories are routed by code."""
        bins, rate = self.design.bins, self.limits.learning_rate
        routed = [node for node in tree if node.children and node.bin < 0]
        nodes = empty_nodes(len(tree), 1, sum(int(bins.n_bins[node.column]) for node in routed))
        used, weights = 0, self._weights(tree)
        for number, node in enumerate(tree):
            nodes.parent[number] = node.parent
            nodes.n_samples[number] = node.sums.rows
            nodes.weight[number] = node.sums.h * self._held.h_unit
            nodes.impurity[number] = max(node.gain, 0.0) if node.children else 0.0
            nodes.value[number, 0] = rate * node.sums.value
            if node.children is None:
                continue
            left, right = node.children
            nodes.column[number] = node.column
            nodes.left[number], nodes.right[number] = left, right
            go_left = node.missing_left
            if not self.design.has_missing[node.column]:  # nobody knows: to the heavier child
                go_left = bool(weights[left] > weights[right])
            nodes.missing[number] = left if go_left else right
            if node.bin >= 0:
                nodes.threshold[number] = bins.bound(node.column, node.bin)
                continue
            width = int(bins.n_bins[node.column])
            nodes.routes[used : used + width] = np.where(node.goes_left[:width], left, right)
            nodes.offset[number], nodes.width[number] = used, width
            used += width
        leaves = np.array([k for k, node in enumerate(tree) if node.children is None])
        starts = np.array([node.start for node in tree])
        return Grown(nodes, starts, np.array([node.stop for node in tree]), leaves)


def _parts(start: int, stop: int, worth: int) -> list[slice]:
    """The rows `start` to `stop` in as many parts as there are threads, if each has so many rows."""
    parts = max(1, min(n_threads(), (stop - start) // worth))
    ends = np.linspace(start, stop, parts + 1).astype(np.int64).tolist()
    return [slice(a, b) for a, b in pairwise(ends)]
