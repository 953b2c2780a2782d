"""Grow a tree of extra trees on plain columns: one threshold drawn for each column that is drawn.

Computes  a tree whose every split is the best of one random threshold for each of `max_features` random columns. A
          threshold is uniform between the least and the largest value of the node's rows; constant columns count as
          drawn, but another is drawn where all were constant.
Given     rows, rules and work arrays; ``keys`` holds the rows of the open nodes.
Returns   how far it came, as the other growers do.
From      Geurts, Ernst and Wehenkel (2006), Mach. Learn. 63(1).
Cost      a level reads each row three times: to open its node, for the ends of all columns, and for the sums of all
          thresholds. X lies by rows, so that all columns of a row come in one piece and are worked on side by side.

Columns, weights and targets are plain where :mod:`separatrix.solvers.trees.plain` says so. Of equally good splits one
is chosen at random. Nodes of few rows end their search as soon as a split cannot be beaten.
"""

from typing import NamedTuple

import numpy as np

from separatrix.core.jit import compiled, part
from separatrix.core.types import Array
from separatrix.designs.ranked import RankedDesign
from separatrix.solvers.trees.criterion import EQUAL, Limits, is_enough
from separatrix.solvers.trees.drawn_search import ALL_CONSTANT, search_columns, search_in_turn, search_together
from separatrix.solvers.trees.nodes import NodeTable
from separatrix.solvers.trees.plain_nodes import (
    TO_LEFT,
    TO_RIGHT,
    is_leaf,
    link_missing,
    open_children,
    open_classes,
    open_numbers,
    take_node,
)
from separatrix.solvers.trees.plain_search import is_small, most_gain
from separatrix.solvers.trees.state import BLOCK, CLASS_SQUARES, N_NODES, N_OPEN, Data, Rule

# Numbers of a block: its rows stay in the second cache (256 kB) while all nodes below are grown.
BLOCK_SIZE = 1 << 15


class DrawnWork(NamedTuple):
    """Arrays that are written over.

    by_row (n, p): the numbers of X by rows · keys (m,): rows of the open nodes · spare (m,) · node_y, node_s, node_x,
    node_code (m,), node_class (m, 1): the rows of one node side by side · order (p,): columns in the order of drawing ·
    low, high, cut, weight_left, sum_left, count_left (p,): of each column drawn · generator (1,) · total, left (k,) ·
    block, block_y, block_s, block_class: the rows of one block side by side
    """

    by_row: Array
    keys: Array
    spare: Array
    node_y: Array
    node_s: Array
    node_x: Array
    node_code: Array
    node_class: Array
    order: Array
    low: Array
    high: Array
    cut: Array
    weight_left: Array
    sum_left: Array
    count_left: Array
    generator: Array
    total: Array
    left: Array
    block: Array
    block_y: Array
    block_s: Array
    block_class: Array


def drawn_work(ranked: RankedDesign, rule: Rule, rows: Array, generator: Array) -> DrawnWork:
    """Arrays for one tree on some rows."""
    m, p, k = rows.size, ranked.p, max(rule.n_classes, 1)
    block = max(1, BLOCK_SIZE // p)
    return DrawnWork(
        by_row=ranked.values_by_row,
        keys=rows.astype(np.int64),
        spare=np.empty(m, np.int64),
        node_y=np.empty(m),
        node_s=np.empty(m),
        node_x=np.empty(m),
        node_code=np.empty(m, np.uint32),
        node_class=np.empty((m, 1), np.int32),
        order=np.arange(p),
        low=np.empty(p),
        high=np.empty(p),
        cut=np.empty(p),
        weight_left=np.empty(p),
        sum_left=np.empty(p),
        count_left=np.empty(p),
        generator=generator,
        total=np.zeros(k),
        left=np.zeros(k),
        block=np.empty((block, p)),
        block_y=np.empty(block),
        block_s=np.empty(block),
        block_class=np.empty((block, 1), np.int32),
    )


@compiled
def grow_drawn(
    data: Data,
    rule: Rule,
    work: DrawnWork,
    nodes: NodeTable,
    open_int: Array,
    open_float: Array,
    counters: Array,
    room: int,
) -> bool:
    """Split the open nodes, children before siblings, left ones first; whether all are done."""
    keys, node_y, node_s, node_class = work.keys, work.node_y, work.node_s, work.node_class
    of_classes, least = rule.walk == CLASS_SQUARES, rule.min_decrease * rule.total_weight
    limits = Limits(rule.min_leaf, rule.min_weight, 0, False, -np.inf, np.inf)
    by_row, y1, s, classes = work.by_row, data.y1, data.s, data.classes
    if counters[BLOCK] >= 0:
        by_row, y1, s, classes = work.block, work.block_y, work.block_s, work.block_class
    while counters[N_OPEN] > 0:
        if counters[N_NODES] + room > nodes.column.shape[0] or counters[N_OPEN] + 2 * room > open_int.shape[0]:
            return False
        number, start, end, depth, at = take_node(open_int, counters, nodes.parent, nodes.left, nodes.right)
        n = end - start
        if at < counters[BLOCK]:  # all nodes of the block are done
            counters[BLOCK] = -1
            by_row, y1, s, classes = work.by_row, data.y1, data.s, data.classes
        if counters[BLOCK] < 0 and n <= work.block_y.shape[0] and n >= rule.min_split:
            counters[BLOCK] = at
            _enter_block(
                keys, start, end, by_row, y1, s, classes, of_classes, work.block, work.block_y, work.block_s,
                work.block_class,
            )  # fmt: skip
            by_row, y1, s, classes = work.block, work.block_y, work.block_s, work.block_class
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
        tried, column, score, cut = 0, ALL_CONSTANT, 0.0, 0.0
        if not (of_classes or is_small(n, weight)):
            tried = min(rule.max_features, by_row.shape[1])
            if counters[BLOCK] < 0 and tried < by_row.shape[1]:
                column, score, cut = search_columns(
                    data.codes, data.levels, data.level_start, keys, start, n, node_y, node_s, work.node_code,
                    work.order, work.cut, tried, work.generator, weight, EQUAL * scale, limits,
                )  # fmt: skip
            else:
                column, score, cut = search_together(
                    by_row, keys, start, n, node_y, node_s, work.order, tried, work.generator, work.low, work.high,
                    work.cut, work.weight_left, work.sum_left, work.count_left, weight, EQUAL * scale, limits,
                )  # fmt: skip
        if column == ALL_CONSTANT:
            most = cost if of_classes else most_gain(node_y, node_s, n, weight, scale)
            column, score, cut = search_in_turn(
                by_row, keys, start, n, node_y, node_s, node_class, work.node_x, work.order, tried, rule.max_features,
                work.generator, work.total, work.left, weight, cost, most, EQUAL * scale, limits, of_classes,
            )  # fmt: skip
        if column < 0 or not is_enough(rule.factor * score, rule.factor * EQUAL * scale, least):
            continue
        middle, weight_left = _divide(by_row, column, cut, keys, start, end, node_s, work.spare)
        nodes.column[number], nodes.threshold[number] = column, cut
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
    block: Array,
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
            block[i, j] = by_row[row, j]
        keys[start + i] = i


@part
def _divide(
    by_row: Array, j: int, cut: float, keys: Array, start: int, end: int, node_s: Array, spare: Array
) -> tuple[int, float]:
    """Bring the rows up to `cut` in column j to the front, in the order they have; where the others begin, weight."""
    at, others, weight_left = start, 0, 0.0
    for i in range(start, end):
        row = keys[i]
        goes_right = int(by_row[row, j] > cut)
        weight_left += node_s[i - start] * (1 - goes_right)  # without a branch, which nobody could predict
        keys[at] = row
        spare[others] = row
        at += 1 - goes_right
        others += goes_right
    for i in range(others):
        keys[at + i] = spare[i]
    return at, weight_left
