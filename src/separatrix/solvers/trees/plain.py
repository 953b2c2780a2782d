"""Grow a tree on plain columns: most single trees, and the trees of forests.

Computes  the tree of :func:`separatrix.solvers.trees.growing.grow_depth_first`, from the same random numbers, where
          every column holds numbers, none is missing, none is monotone, there is one output, and the criterion is
          Gini's index or the squared error.
Given     rows, rules and work arrays; ``keys`` holds the rows of the open nodes.
Returns   how far it came, as the general growers do.
Cost      a level visits each row once to open its node, once for each column drawn, and once to divide it.

The general growers pass tuples of arrays from function to function, and counting their references takes microseconds a
node. A forest has millions of nodes, most of them small: here functions take arrays and numbers only.
"""

from typing import NamedTuple

import numpy as np

from separatrix.core.jit import compiled, part
from separatrix.core.types import Array
from separatrix.designs.ranked import RankedDesign
from separatrix.solvers.trees.coarse import N_BINS
from separatrix.solvers.trees.criterion import EQUAL, Limits
from separatrix.solvers.trees.nodes import NodeTable
from separatrix.solvers.trees.plain_search import search_plain
from separatrix.solvers.trees.state import (
    BLOCK,
    CLASS_SQUARES,
    DEPTH,
    END,
    N_NODES,
    N_OPEN,
    ORDINAL,
    PARENT,
    START,
    Data,
    Rule,
)

# Numbers of a block: its columns stay in the second cache (256 kB of float64) while all nodes below are grown.
BLOCK_SIZE = 1 << 15
# Columns drawn in a block for each that is copied, on about ten levels: fewer, and copying costs more than it saves.
PAYS = 10
TO_LEFT, TO_RIGHT = -2, -3


class PlainWork(NamedTuple):
    """Arrays that are written over.

    table (p, n): codes of X by columns, or where cuts are drawn the numbers themselves · by_row (n, p): the same by
    rows, where blocks are copied from · keys (m,): rows of the open nodes · sorted, spare, digits (m,) · node_y,
    node_s, node_x (m,), node_class (m, 1): the rows of one node side by side · histogram (N_BINS, 4), alive
    (N_BINS,) · order (p,): columns in the order of drawing · generator (1,) · total, left, right (k,) ·
    block_table, block_y, block_s, block_class: the rows of one block side by side
    """

    table: Array
    by_row: Array
    keys: Array
    sorted: Array
    spare: Array
    digits: Array
    node_y: Array
    node_s: Array
    node_x: Array
    node_class: Array
    histogram: Array
    alive: Array
    order: Array
    generator: Array
    total: Array
    left: Array
    right: Array
    block_table: Array
    block_y: Array
    block_s: Array
    block_class: Array


def plain_work(ranked: RankedDesign, rule: Rule, rows: Array, generator: Array) -> PlainWork:
    """Arrays for one tree on some rows."""
    m, k = rows.size, max(rule.n_classes, 1)
    table = ranked.values if rule.random_cuts else ranked.codes
    block = BLOCK_SIZE // ranked.p if ranked.p <= PAYS * rule.max_features else 0
    by_row = np.empty((0, ranked.p), table.dtype)
    if block:
        by_row = ranked.values_by_row if rule.random_cuts else ranked.codes_by_row
    return PlainWork(
        table=table,
        by_row=by_row,
        keys=rows.astype(np.int64),
        sorted=np.empty(m, np.int64),
        spare=np.empty(m, np.int64),
        digits=np.empty(max(m, 256), np.int32),
        node_y=np.empty(m),
        node_s=np.empty(m),
        node_x=np.empty(m, table.dtype),
        node_class=np.empty((m, 1), np.int32),
        histogram=np.zeros((N_BINS, 4)),
        alive=np.zeros(N_BINS, np.bool_),
        order=np.arange(ranked.p),
        generator=generator,
        total=np.zeros(k),
        left=np.zeros(k),
        right=np.zeros(k),
        block_table=np.empty((ranked.p, block), table.dtype),
        block_y=np.empty(block),
        block_s=np.empty(block),
        block_class=np.empty((block, 1), np.int32),
    )


@compiled
def grow_plain(
    data: Data,
    rule: Rule,
    work: PlainWork,
    nodes: NodeTable,
    open_int: Array,
    open_float: Array,
    counters: Array,
    room: int,
) -> bool:
    """Split the open nodes, children before siblings, left ones first; whether all are done."""
    keys, node_y, node_s, node_x, node_class = work.keys, work.node_y, work.node_s, work.node_x, work.node_class
    of_classes = rule.walk == CLASS_SQUARES
    limits = Limits(rule.min_leaf, rule.min_weight, 0, False, -np.inf, np.inf)
    table, y1, s, classes = work.table, data.y1, data.s, data.classes
    if counters[BLOCK] >= 0:
        table, y1, s, classes = work.block_table, work.block_y, work.block_s, work.block_class
    while counters[N_OPEN] > 0:
        number = counters[N_NODES]
        if number + room > nodes.column.shape[0] or counters[N_OPEN] + 2 * room > open_int.shape[0]:
            return False
        at = counters[N_OPEN] - 1
        start, end, depth, parent = open_int[at, START], open_int[at, END], open_int[at, DEPTH], open_int[at, PARENT]
        n = end - start
        counters[N_OPEN], counters[N_NODES] = at, number + 1
        nodes.parent[number] = parent
        if parent >= 0 and open_int[at, ORDINAL] == 0:
            nodes.left[parent] = number
        elif parent >= 0:
            nodes.right[parent] = number
        if at < counters[BLOCK]:  # all nodes of the block are done
            counters[BLOCK] = -1
            table, y1, s, classes = work.table, data.y1, data.s, data.classes
        if counters[BLOCK] < 0 and n <= work.block_y.shape[0] and n >= rule.min_split:
            counters[BLOCK] = at
            _enter_block(
                keys, start, end, work.by_row, y1, s, classes, of_classes,
                work.block_table, work.block_y, work.block_s, work.block_class,
            )  # fmt: skip
            table, y1, s, classes = work.block_table, work.block_y, work.block_s, work.block_class
        if of_classes:
            weight, cost, scale, pure = _open_classes(
                keys, start, end, s, classes, node_s, node_class, work.total, nodes.value, nodes.impurity, number
            )
        else:
            weight, scale, pure = _open_numbers(
                keys, start, end, s, y1, node_s, node_y, rule.n_shares > 0, nodes.value, nodes.impurity, number
            )
            cost = 0.0
        nodes.weight[number], nodes.n_samples[number] = weight, n
        if pure or depth >= rule.max_depth or n < max(rule.min_split, 2 * rule.min_leaf):
            continue
        if weight < 2.0 * rule.min_weight:
            continue
        column, score, last, cut = search_plain(
            table, data.levels, data.level_start, keys, start, n, node_y, node_s, node_class, node_x, work.sorted,
            work.spare, work.digits, work.histogram, work.alive, work.order, work.generator, work.total, work.left,
            work.right, weight, cost, EQUAL * scale, limits, of_classes, rule.drawn, rule.max_features,
            rule.random_cuts,
        )  # fmt: skip
        if column < 0 or rule.factor * score / rule.total_weight + np.finfo(np.float64).eps < rule.min_decrease:
            continue
        middle, weight_left = _divide(table, column, last, keys, start, end, node_s, work.spare)
        nodes.column[number], nodes.threshold[number] = column, cut
        # the children have no numbers yet: which of them missing values go to, the heavier one
        nodes.missing[number] = TO_LEFT if weight_left > weight - weight_left else TO_RIGHT
        _open_children(open_int, at, start, middle, end, depth, number)
        counters[N_OPEN] = at + 2
    _link_missing(nodes.missing, nodes.left, nodes.right, counters[N_NODES])
    return True


@part
def _open_children(open_int: Array, at: int, start: int, middle: int, end: int, depth: int, number: int) -> None:
    """Put the children of a node on the stack, the left one on top."""
    for side in range(2):
        record = at + 1 - side
        open_int[record, START] = middle if side else start
        open_int[record, END] = end if side else middle
        open_int[record, DEPTH], open_int[record, PARENT], open_int[record, ORDINAL] = depth + 1, number, side


@part
def _link_missing(missing: Array, left: Array, right: Array, n: int) -> None:
    """Enter the children that missing values go to, now that they have numbers."""
    for number in range(n):
        if missing[number] == TO_LEFT:
            missing[number] = left[number]
        elif missing[number] == TO_RIGHT:
            missing[number] = right[number]


@part
def _enter_block(
    keys: Array,
    start: int,
    end: int,
    by_row: Array,
    y: Array,
    s: Array,
    classes: Array,
    of_classes: bool,
    block_table: Array,
    block_y: Array,
    block_s: Array,
    block_class: Array,
) -> None:
    """Copy a node's rows side by side, and number them anew: no node above needs them again."""
    for i in range(end - start):
        row = keys[start + i]
        block_y[i], block_s[i] = y[row], s[row]
        if of_classes:
            block_class[i, 0] = classes[row, 0]
        for j in range(by_row.shape[1]):
            block_table[j, i] = by_row[row, j]
        keys[start + i] = i


@part
def _open_numbers(
    keys: Array,
    start: int,
    end: int,
    s: Array,
    y: Array,
    node_s: Array,
    node_y: Array,
    of_shares: bool,
    value: Array,
    impurity: Array,
    number: int,
) -> tuple[float, float, bool]:
    """Copy weights and y of a node's rows side by side, y about its mean; weight, squares, whether all are equal."""
    shift = y[keys[start]]
    weight, total = 0.0, 0.0
    for i in range(end - start):
        row = keys[start + i]
        node_s[i], node_y[i] = s[row], y[row]
        weight += s[row]
        total += s[row] * (y[row] - shift)
    low, high, ones = shift, shift, 0.0
    for i in range(end - start):
        low, high = min(low, node_y[i]), max(high, node_y[i])
    mean = min(max(shift + total / weight, low), high)
    squares = 0.0
    for i in range(end - start):
        ones += node_s[i] * node_y[i]
        node_y[i] -= mean
        squares += node_s[i] * node_y[i] * node_y[i]
    if of_shares:
        value[number, 0], value[number, 1] = (weight - ones) / weight, ones / weight
        impurity[number] = 2.0 * value[number, 0] * value[number, 1]
    else:
        value[number, 0], impurity[number] = mean, squares / weight
    return weight, squares, high == low


@part
def _open_classes(
    keys: Array,
    start: int,
    end: int,
    s: Array,
    classes: Array,
    node_s: Array,
    node_class: Array,
    total: Array,
    value: Array,
    impurity: Array,
    number: int,
) -> tuple[float, float, float, bool]:
    """Copy weights and classes of a node's rows side by side; weight, cost, scale of gains, whether it is pure."""
    weight = 0.0
    for c in range(total.shape[0]):
        total[c] = 0.0
    for i in range(end - start):
        row = keys[start + i]
        c = classes[row, 0]
        node_s[i], node_class[i, 0] = s[row], c
        weight += s[row]
        total[c] += s[row]
    present, squares = 0, 0.0
    for c in range(total.shape[0]):
        present += total[c] > 0.0
        squares += total[c] * total[c]
        value[number, c] = total[c] / weight
    cost = weight - squares / weight
    impurity[number] = 0.0 if present == 1 else max(cost, 0.0) / weight
    return weight, cost, weight, present == 1


@part
def _divide(
    table: Array, j: int, last: float, keys: Array, start: int, end: int, node_s: Array, spare: Array
) -> tuple[int, float]:
    """Bring the rows up to `last` in column j to the front, in the order they have; where the others begin, weight."""
    column = table[j]
    at, others, weight_left = start, 0, 0.0
    for i in range(start, end):
        row = keys[i]
        goes_right = int(column[row] > last)
        weight_left += node_s[i - start] * (1 - goes_right)  # without a branch, which nobody could predict
        keys[at] = row
        spare[others] = row
        at += 1 - goes_right
        others += goes_right
    for i in range(others):
        keys[at + i] = spare[i]
    return at, weight_left
