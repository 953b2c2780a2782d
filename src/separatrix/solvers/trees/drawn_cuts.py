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
from separatrix.solvers.trees.criterion import EQUAL, Limits
from separatrix.solvers.trees.nodes import NodeTable
from separatrix.solvers.trees.plain_nodes import (
    TO_LEFT,
    TO_RIGHT,
    divide,
    link_missing,
    open_children,
    open_classes,
    open_numbers,
    take_node,
)
from separatrix.solvers.trees.plain_search import is_small, most_gain
from separatrix.solvers.trees.sorting import draw_below, draw_uniform
from separatrix.solvers.trees.state import BLOCK, CLASS_SQUARES, N_NODES, N_OPEN, Data, Rule

# Numbers of a block: its rows stay in the second cache (256 kB) while all nodes below are grown.
BLOCK_SIZE = 1 << 15


class DrawnWork(NamedTuple):
    """Arrays that are written over.

    by_row (n, p): the numbers of X by rows · keys (m,): rows of the open nodes · spare (m,) · node_y, node_s, node_x,
    node_code (m,), node_class (m, 1): the rows of one node side by side · order (p,): columns in the order of drawing · low,
    high, cut, weight_left, sum_left, count_left (p,): of each column drawn · generator (1,) · total, left (k,) ·
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
    of_classes = rule.walk == CLASS_SQUARES
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
        if pure or depth >= rule.max_depth or n < max(rule.min_split, 2 * rule.min_leaf):
            continue
        if weight < 2.0 * rule.min_weight:
            continue
        tried, last, by_columns = 0, np.int64(0), False
        if not (of_classes or is_small(n, weight)):
            by_columns = counters[BLOCK] < 0 and rule.max_features < by_row.shape[1]
            tried = min(rule.max_features, by_row.shape[1])
            if by_columns:
                column, score, cut, last = _search_columns(
                    data.codes, data.levels, data.level_start, keys, start, n, node_y, node_s, work.node_code,
                    work.order, work.cut, tried, work.generator, weight, EQUAL * scale, limits,
                )  # fmt: skip
            else:
                column, score, cut = _search_together(
                    by_row, keys, start, n, node_y, node_s, work.order, tried, work.generator, work.low, work.high,
                    work.cut, work.weight_left, work.sum_left, work.count_left, weight, EQUAL * scale, limits,
                )  # fmt: skip
        if tried == 0 or column == ALL_CONSTANT:
            by_columns = False
            most = cost if of_classes else most_gain(node_y, node_s, n, weight, scale)
            column, score, cut = _search_in_turn(
                by_row, keys, start, n, node_y, node_s, node_class, work.node_x, work.order, tried, rule.max_features,
                work.generator, work.total, work.left, weight, cost, most, EQUAL * scale, limits, of_classes,
            )  # fmt: skip
        if column < 0 or rule.factor * score / rule.total_weight + np.finfo(np.float64).eps < rule.min_decrease:
            continue
        if by_columns:
            middle, weight_left = divide(data.codes, column, last, keys, start, end, node_s, work.spare)
        else:
            middle, weight_left = _divide(by_row, column, cut, keys, start, end, node_s, work.spare)
        nodes.column[number], nodes.threshold[number] = column, cut
        # the children have no numbers yet: which of them missing values go to, the heavier one
        nodes.missing[number] = TO_LEFT if weight_left > weight - weight_left else TO_RIGHT
        open_children(open_int, at, start, middle, end, depth, number)
        counters[N_OPEN] = at + 2
    link_missing(nodes.missing, nodes.left, nodes.right, counters[N_NODES])
    return True


NO_SPLIT, ALL_CONSTANT = -1, -2


@part
def _draw(order: Array, m: int, generator: Array, shares: Array) -> None:
    """Draw m columns without replacement, all of them in their order, and for each where its threshold lies."""
    p = order.shape[0]
    for t in range(m):
        if m == p:
            order[t] = t
        else:
            pick = t + draw_below(generator, p - t)
            order[t], order[pick] = order[pick], order[t]
    for t in range(m):
        shares[t] = draw_uniform(generator)


@part
def _search_columns(
    codes: Array,
    levels: Array,
    level_start: Array,
    keys: Array,
    start: int,
    n: int,
    node_y: Array,
    node_s: Array,
    node_code: Array,
    order: Array,
    shares: Array,
    m: int,
    generator: Array,
    weight: float,
    equal: float,
    limits: Limits,
) -> tuple[int, float, float, int]:
    """The best of one threshold for each of a few columns of a large node: column, score, threshold, last code left.

    Ranks of one column fit into the second cache, where rows with all their columns do not.
    """
    best, n_best, column, cut, last = -np.inf, 0, ALL_CONSTANT, 0.0, np.int64(0)
    _draw(order, m, generator, shares)
    for t in range(m):
        j = order[t]
        for i in range(n):
            node_code[i] = codes[j, keys[start + i]]
        low, high = node_code[0], node_code[0]
        for i in range(n):
            low, high = min(low, node_code[i]), max(high, node_code[i])
        if low == high:
            continue
        first = level_start[j]
        smallest, largest = levels[first + low], levels[first + high]
        drawn = smallest + shares[t] * (largest - smallest)
        if not smallest <= drawn < largest:
            drawn = smallest
        left, right = np.int64(low), np.int64(high)  # the last code up to the threshold is from left to right - 1
        while right - left > 1:
            middle = (left + right) >> 1
            if levels[first + middle] <= drawn:
                left = middle
            else:
                right = middle
        gain = _gain_of_numbers(node_code, n, left, node_s, node_y, weight, limits)
        column = NO_SPLIT if column == ALL_CONSTANT else column
        if gain > best + equal:
            best, n_best, column, cut, last = gain, 1, j, drawn, left
        elif gain >= best - equal and gain > -np.inf:
            n_best += 1
            if draw_below(generator, n_best) == 0:
                column, cut, last = j, drawn, left
    return column, best, cut, last


@part
def _search_together(
    by_row: Array,
    keys: Array,
    start: int,
    n: int,
    node_y: Array,
    node_s: Array,
    order: Array,
    m: int,
    generator: Array,
    low: Array,
    high: Array,
    cut: Array,
    weight_left: Array,
    sum_left: Array,
    count_left: Array,
    weight: float,
    equal: float,
    limits: Limits,
) -> tuple[int, float, float]:
    """The best of one threshold for each of m columns, drawn without replacement: column, score, threshold."""
    p = by_row.shape[1]
    _draw(order, m, generator, cut)
    if m < p:
        _find_ends_of(by_row, keys, start, n, order, m, low, high)
    else:
        _find_ends(by_row, keys, start, n, low, high)
    differ = False
    for t in range(m):
        cut[t] = low[t] + cut[t] * (high[t] - low[t])
        if not low[t] <= cut[t] < high[t]:
            cut[t] = low[t]
        differ = differ or low[t] < high[t]
        weight_left[t], sum_left[t], count_left[t] = 0.0, 0.0, 0.0
    if not differ:
        return ALL_CONSTANT, 0.0, 0.0
    if m < p:
        _sum_left_of(by_row, keys, start, n, node_y, node_s, order, m, cut, weight_left, sum_left, count_left)
    else:
        _sum_left(by_row, keys, start, n, node_y, node_s, cut, weight_left, sum_left)
        if limits.min_leaf > 1:
            _count_left(by_row, keys, start, n, cut, count_left)
    best, n_best, chosen = -np.inf, 0, NO_SPLIT
    for t in range(m):
        right = weight - weight_left[t]
        if low[t] == high[t] or right <= 0.0 or weight_left[t] < limits.min_weight or right < limits.min_weight:
            continue
        if limits.min_leaf > 1 and (count_left[t] < limits.min_leaf or n - count_left[t] < limits.min_leaf):
            continue
        gain = sum_left[t] * sum_left[t] * weight / (weight_left[t] * right)
        if gain > best + equal:
            best, n_best, chosen = gain, 1, t
        elif gain >= best - equal:
            n_best += 1
            if draw_below(generator, n_best) == 0:
                chosen = t
    if chosen < 0:
        return NO_SPLIT, 0.0, 0.0
    return order[chosen], best, cut[chosen]


@part
def _find_ends(by_row: Array, keys: Array, start: int, n: int, low: Array, high: Array) -> None:
    """The least and the largest value of every column."""
    p = by_row.shape[1]
    first = keys[start]
    for j in range(p):
        low[j] = high[j] = by_row[first, j]
    for i in range(1, n):
        row = keys[start + i]
        for j in range(p):
            x = by_row[row, j]
            low[j] = x if x < low[j] else low[j]
            high[j] = x if x > high[j] else high[j]


@part
def _find_ends_of(
    by_row: Array, keys: Array, start: int, n: int, order: Array, m: int, low: Array, high: Array
) -> None:
    """The least and the largest value of the first m columns in `order`."""
    first = keys[start]
    for t in range(m):
        low[t] = high[t] = by_row[first, order[t]]
    for i in range(1, n):
        row = keys[start + i]
        for t in range(m):
            x = by_row[row, order[t]]
            low[t] = x if x < low[t] else low[t]
            high[t] = x if x > high[t] else high[t]


@part
def _sum_left(
    by_row: Array,
    keys: Array,
    start: int,
    n: int,
    node_y: Array,
    node_s: Array,
    cut: Array,
    weight: Array,
    total: Array,
) -> None:
    """Weights and sums of s y of the rows to the left of the threshold of every column."""
    p = by_row.shape[1]
    for i in range(n):
        row, s = keys[start + i], node_s[i]
        moment = s * node_y[i]
        for j in range(p):
            goes_left = by_row[row, j] <= cut[j]
            weight[j] += s if goes_left else 0.0
            total[j] += moment if goes_left else 0.0


@part
def _count_left(by_row: Array, keys: Array, start: int, n: int, cut: Array, count: Array) -> None:
    """The numbers of these rows."""
    p = by_row.shape[1]
    for i in range(n):
        row = keys[start + i]
        for j in range(p):
            count[j] += 1.0 if by_row[row, j] <= cut[j] else 0.0


@part
def _sum_left_of(
    by_row: Array,
    keys: Array,
    start: int,
    n: int,
    node_y: Array,
    node_s: Array,
    order: Array,
    m: int,
    cut: Array,
    weight: Array,
    total: Array,
    count: Array,
) -> None:
    """Weights, sums and numbers of the rows to the left of the thresholds of the first m columns in `order`."""
    for i in range(n):
        row, s = keys[start + i], node_s[i]
        moment = s * node_y[i]
        for t in range(m):
            goes_left = by_row[row, order[t]] <= cut[t]
            weight[t] += s if goes_left else 0.0
            total[t] += moment if goes_left else 0.0
            count[t] += 1.0 if goes_left else 0.0


@part
def _search_in_turn(
    by_row: Array,
    keys: Array,
    start: int,
    n: int,
    node_y: Array,
    node_s: Array,
    node_class: Array,
    node_x: Array,
    order: Array,
    tried: int,
    max_features: int,
    generator: Array,
    total: Array,
    left: Array,
    weight: float,
    cost: float,
    most: float,
    equal: float,
    limits: Limits,
    of_classes: bool,
) -> tuple[int, float, float]:
    """The same column by column, up to a split that cannot be beaten; the first `tried` columns are constant."""
    column, score, cut = NO_SPLIT, -np.inf, 0.0
    p = by_row.shape[1]
    differ = False
    for t in range(tried, p):
        if t >= max_features and differ:
            break
        pick = t + draw_below(generator, p - t)
        order[t], order[pick] = order[pick], order[t]
        j = order[t]
        low = high = by_row[keys[start], j]
        for i in range(n):
            node_x[i] = by_row[keys[start + i], j]
            low, high = min(low, node_x[i]), max(high, node_x[i])
        if low == high:
            continue
        differ = True
        drawn = low + draw_uniform(generator) * (high - low)
        if not low <= drawn < high:
            drawn = low
        if of_classes:
            gain = _gain_of_classes(node_x, n, drawn, node_s, node_class, total, left, weight, cost, limits)
        else:
            gain = _gain_of_numbers(node_x, n, drawn, node_s, node_y, weight, limits)
        if gain > (score + equal if column >= 0 else -np.inf):
            column, score, cut = j, gain, drawn
            if score + equal >= most:
                break
    return column, score, cut


@part
def _gain_of_numbers(
    node_x: Array, n: int, cut: float, node_s: Array, node_y: Array, weight: float, limits: Limits
) -> float:
    """The gain of one cut of numbers about their mean; minus infinity where a child would be too small."""
    n_left, weight_left, sum_left = 0, 0.0, 0.0
    for i in range(n):
        goes_left = node_x[i] <= cut
        n_left += goes_left
        weight_left += node_s[i] if goes_left else 0.0
        sum_left += node_s[i] * node_y[i] if goes_left else 0.0
    weight_right = weight - weight_left
    if n_left < limits.min_leaf or n - n_left < limits.min_leaf or weight_right <= 0.0:
        return -np.inf
    if weight_left < limits.min_weight or weight_right < limits.min_weight:
        return -np.inf
    return sum_left * sum_left * weight / (weight_left * weight_right)


@part
def _gain_of_classes(
    node_x: Array,
    n: int,
    cut: float,
    node_s: Array,
    node_class: Array,
    total: Array,
    left: Array,
    weight: float,
    cost: float,
    limits: Limits,
) -> float:
    """The same for classes by Gini's index."""
    for c in range(left.shape[0]):
        left[c] = 0.0
    n_left, weight_left = 0, 0.0
    for i in range(n):
        goes_left = node_x[i] <= cut
        n_left += goes_left
        left[node_class[i, 0]] += node_s[i] if goes_left else 0.0
    squares_left, squares_right = 0.0, 0.0
    for c in range(left.shape[0]):
        weight_left += left[c]
        squares_left += left[c] * left[c]
        squares_right += (total[c] - left[c]) * (total[c] - left[c])
    weight_right = weight - weight_left
    if n_left < limits.min_leaf or n - n_left < limits.min_leaf or weight_right <= 0.0:
        return -np.inf
    if weight_left < limits.min_weight or weight_right < limits.min_weight:
        return -np.inf
    return cost - weight + squares_left / weight_left + squares_right / weight_right


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
