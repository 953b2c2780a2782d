"""Grow a tree on plain columns: most single trees, and the trees of forests.

Computes  the tree of :func:`separatrix.solvers.trees.growing.grow_depth_first`, from the same random numbers, where
          every column holds numbers, none is missing, none is monotone, there is one output, the criterion is Gini's
          index or the squared error, and all thresholds are searched (:mod:`separatrix.solvers.trees.drawn_cuts`
          draws them).
Given     rows, rules and work arrays; ``keys`` holds the rows of the open nodes.
Returns   how far it came, as the general growers do.
Cost      a level visits each row once to open its node, once for each column drawn, and once to divide it.

The general growers pass tuples of arrays from function to function, and counting their references takes microseconds a
node. A forest has millions of nodes, most of them small: here functions take arrays and numbers only.
"""

from typing import NamedTuple

import numpy as np

from separatrix.core.borrowed import borrowed
from separatrix.core.jit import compiled, part
from separatrix.core.types import Array
from separatrix.designs.ranked import RankedDesign
from separatrix.solvers.trees.coarse import N_BINS
from separatrix.solvers.trees.criterion import EQUAL, Limits, is_enough
from separatrix.solvers.trees.nodes import NodeTable
from separatrix.solvers.trees.plain_nodes import (
    TO_LEFT,
    TO_RIGHT,
    divide,
    is_leaf,
    link_missing,
    open_children,
    open_classes,
    open_numbers,
    take_node,
)
from separatrix.solvers.trees.plain_search import most_gain, search_plain
from separatrix.solvers.trees.state import BLOCK, CLASS_SQUARES, N_NODES, N_OPEN, Data, Rule

# Numbers of a block: its columns stay in the second cache (256 kB of float64) while all nodes below are grown.
BLOCK_SIZE = 1 << 15
# Columns drawn in a block for each that is copied, on about ten levels: fewer, and copying costs more than it saves.
PAYS = 10


class PlainWork(NamedTuple):
    """Arrays that are written over.

    table (p, n): codes of X by columns · by_row (n, p): the same by rows, where blocks are copied from · keys (m,):
    rows of the open nodes · sorted, spare, digits (m,) · node_y, node_s, node_x (m,), node_class (m, 1): the rows of
    one node side by side · histogram (N_BINS, 4), alive (N_BINS,) · order (p,): columns in the order of drawing ·
    generator (1,) · total, left, right (k,) · block_table, block_y, block_s, block_class: the rows of one block side by
    side
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
    table = ranked.codes
    block = BLOCK_SIZE // ranked.p if ranked.p <= PAYS * rule.max_features else 0
    by_row = ranked.codes_by_row if block else np.empty((0, ranked.p), table.dtype)
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
    data, work, nodes = borrowed(data), borrowed(work), borrowed(nodes)
    open_int, counters = borrowed(open_int), borrowed(counters)
    keys, node_y, node_s, node_x, node_class = work.keys, work.node_y, work.node_s, work.node_x, work.node_class
    of_classes = rule.walk == CLASS_SQUARES
    least = rule.min_decrease * rule.total_weight
    limits = Limits(rule.min_leaf, rule.min_weight, 0, False, -np.inf, np.inf)
    table, y1, s, classes = work.table, data.y1, data.s, data.classes
    if counters[BLOCK] >= 0:
        table, y1, s, classes = work.block_table, work.block_y, work.block_s, work.block_class
    while counters[N_OPEN] > 0:
        if counters[N_NODES] + room > nodes.column.shape[0] or counters[N_OPEN] + 2 * room > open_int.shape[0]:
            return False
        number, start, end, depth, at = take_node(open_int, counters, nodes.parent, nodes.left, nodes.right)
        n = end - start
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
            weight, cost, scale, pure = open_classes(
                keys, start, end, s, classes, node_s, node_class, work.total, nodes.value, nodes.impurity, number
            )
        else:
            weight, scale, pure = open_numbers(
                keys, start, end, s, y1, node_s, node_y, rule.n_shares > 0, nodes.value, nodes.impurity, number
            )
            cost = 0.0
        nodes.weight[number], nodes.n_samples[number] = weight, n
        if pure or is_leaf(rule, depth, n, weight):
            continue
        most = cost if of_classes else most_gain(node_y, node_s, n, weight, scale)
        column, score, last, cut = search_plain(
            table, data.levels, data.level_start, keys, start, n, node_y, node_s, node_class, node_x, work.sorted,
            work.spare, work.digits, work.histogram, work.alive, work.order, work.generator, work.total, work.left,
            work.right, weight, cost, EQUAL * scale, limits, most, of_classes, rule.drawn, rule.max_features,
        )  # fmt: skip
        if column < 0 or not is_enough(rule.factor * score, rule.factor * EQUAL * scale, least):
            continue
        middle, weight_left = divide(table, column, last, keys, start, end, node_s, work.spare)
        nodes.column[number], nodes.threshold[number] = column, cut
        # the children have no numbers yet: which of them missing values go to, the heavier one
        nodes.missing[number] = TO_LEFT if weight_left > weight - weight_left else TO_RIGHT
        open_children(open_int, counters, at, start, middle, end, depth, number)
    link_missing(nodes.missing, nodes.left, nodes.right, counters[N_NODES])
    return True


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
