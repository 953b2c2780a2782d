"""Grow a tree of extra trees on plain columns: one threshold drawn for each column that is drawn.

Computes  a tree whose every split is the best of one random threshold for each of `max_features` random columns. A
          threshold is uniform between the least and the largest value of the node's rows; constant columns count as
          drawn, but another is drawn where all were constant.
Given     rows, rules and work arrays; ``keys`` holds the rows of the open nodes, those of each class together.
Returns   how far it came, as the other growers do.
From      Geurts, Ernst and Wehenkel (2006), Mach. Learn. 63(1).
Cost      a level reads each row three times: for the ends of the columns, for the sums of all thresholds, and to divide
          the rows. Numbers are read as places of 31 bits (:attr:`separatrix.designs.ranked.RankedDesign.places`).

Columns, weights and targets are plain where :mod:`separatrix.solvers.trees.plain` says so. Of equally good splits one
is chosen at random. Since partitions keep the order of rows, rows that are sorted by class once stay so in every node:
the classes of a node are found by bisection, and where all weights are 1 no row has to be read for them.
"""

from typing import Any, NamedTuple

import numpy as np

from separatrix.core.borrowed import borrowed
from separatrix.core.jit import compiled, part_in_place
from separatrix.core.prefetch import prefetch
from separatrix.core.types import Array
from separatrix.designs.ranked import MOST_STEPS, RankedDesign
from separatrix.solvers.trees.criterion import EQUAL, Limits, is_enough
from separatrix.solvers.trees.drawn_search import (
    ALL_CONSTANT,
    draw_columns,
    read_column,
    search_in_turn,
    search_together,
)
from separatrix.solvers.trees.nodes import NodeTable
from separatrix.solvers.trees.plain_nodes import (
    TO_LEFT,
    TO_RIGHT,
    is_leaf,
    link_missing,
    open_children,
    open_numbers,
    take_node,
)
from separatrix.solvers.trees.sorting import sort_by_class
from separatrix.solvers.trees.state import BLOCK, N_NODES, N_OPEN, Data, Rule

# Numbers of a block: its rows stay near, in the second and third cache, while all nodes below are grown.
BLOCK_SIZE = 1 << 18
# Rows that are fetched before they are copied.
AHEAD = 8
# Rows up to which columns are read one by one.
FEW_ROWS = 15
# Columns for each one drawn: up to so many, all columns are read side by side, in nodes of any size or of a block.
FEW_OF_ALL, FEW_OF_BLOCK = 3, 8


class DrawnWork(NamedTuple):
    """Arrays that are written over.

    by_column (p, n), by_row (n, p or a few more): places of the numbers of X · slack (p,), ends (p, 3): of their
    steps · keys (m,): rows of the open nodes · spare (m,) · of one node side by side: node_s, node_y (m,), node_x
    (m,): one column, ones (m or 1,) · order (p,): columns in the order of drawing · low, high, cut (p or a few
    more,): of each column, the cut -1 where it is not drawn · left (v, p or a few more): sums of the rows to the left
    of each cut · first, total (k + 1,): of each class in the node, where its rows begin, and their weight · generator
    (1,) · block, block_y, block_s, block_class, block_keys: the rows of one block side by side
    """

    by_column: Array
    by_row: Array
    slack: Array
    ends: Array
    keys: Array
    spare: Array
    node_s: Array
    node_y: Array
    node_x: Array
    ones: Array
    order: Array
    shares: Array
    low: Array
    high: Array
    cut: Array
    left: Array
    first: Array
    total: Array
    generator: Array
    block: Array
    block_y: Array
    block_s: Array
    block_class: Array
    block_keys: Array


def drawn_work(ranked: RankedDesign, rule: Rule, rows: Array, generator: Array) -> DrawnWork:
    """Arrays for one tree on some rows."""
    m, p, k = rows.size, ranked.p, rule.n_shares
    in_blocks = p <= FEW_OF_BLOCK * rule.max_features
    by_row = ranked.places_by_row if in_blocks else np.empty((0, p), np.int32)
    width = by_row.shape[1]
    block = max(1, BLOCK_SIZE // width) if in_blocks else 0
    return DrawnWork(
        by_column=ranked.places,
        by_row=by_row,
        slack=ranked.slack,
        ends=ranked.ends_of_places,
        keys=rows.astype(np.uint32),
        spare=np.empty(m, np.uint32),
        node_s=np.ones(m),
        node_y=np.empty(0 if k else m),
        node_x=np.empty(m, np.int32),
        ones=np.ones(m if rule.min_leaf > 1 else 0),
        order=np.arange(p),
        shares=np.empty(p, np.int64),
        low=np.empty(width, np.int32),
        high=np.empty(width, np.int32),
        cut=np.full(width, -1, np.int32),
        left=np.zeros((max(k, 2) + 1, width)),
        first=np.zeros(k + 2, np.int64),
        total=np.zeros(k + 2),
        generator=generator,
        block=np.empty((block, width), np.int32),
        block_y=np.empty(block),
        block_s=np.empty(block),
        block_class=np.empty((block, 1), np.int32),
        block_keys=np.empty(block, np.uint32),
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
    data, work, nodes = borrowed(data), borrowed(work), borrowed(nodes)
    open_int, counters = borrowed(open_int), borrowed(counters)
    keys = work.keys
    of_classes, least = rule.n_shares > 0, rule.min_decrease * rule.total_weight
    p, tried = work.order.shape[0], min(rule.max_features, work.order.shape[0])
    factor = 1.0 if of_classes else rule.factor
    if of_classes and counters[N_NODES] == 0:
        sort_by_class(keys, data.classes, work.spare, rule.n_shares)
    rows, y1, s, classes = work.by_row, data.y1, data.s, data.classes
    if counters[BLOCK] >= 0:
        rows, y1, s, classes = work.block, work.block_y, work.block_s, work.block_class
    while counters[N_OPEN] > 0:
        if counters[N_NODES] + room > nodes.column.shape[0] or counters[N_OPEN] + 2 * room > open_int.shape[0]:
            return False
        number, start, end, depth, at = take_node(open_int, counters, nodes.parent, nodes.left, nodes.right)
        n = end - start
        if at < counters[BLOCK]:  # all nodes of the block are done
            counters[BLOCK] = -1
            rows, y1, s, classes = work.by_row, data.y1, data.s, data.classes
        if counters[BLOCK] < 0 and n <= work.block_y.shape[0] and n >= rule.min_split:
            counters[BLOCK] = at
            _enter_block(
                keys, start, end, rows, y1, s, classes, of_classes, work.block, work.block_y, work.block_s,
                work.block_class, work.block_keys,
            )  # fmt: skip
            rows, y1, s, classes = work.block, work.block_y, work.block_s, work.block_class
        n_sums, weight, scale, pure = _open(rule, work, nodes, y1, s, classes, start, end, number)
        if pure or is_leaf(rule, depth, n, weight):
            continue
        in_rows = counters[BLOCK] >= 0 or (rows.shape[0] > 0 and p <= FEW_OF_ALL * tried)
        most = weight * nodes.impurity[number] if of_classes else scale
        column, score, weight_left, cut = _search(
            rule, work, rows, in_rows, start, n, tried, n_sums, weight, EQUAL * scale, most
        )
        if column < 0 or not is_enough(factor * score, factor * EQUAL * scale, least):
            continue
        middle, below, above = _divide(
            rows, work.by_column, in_rows, column, cut, keys, start, n, work.node_x, work.spare
        )
        threshold = _middle_of_cell(work.ends, column, cut)
        if below == cut or above - work.slack[column] <= cut + 1:  # a row lies in the cell of the cut, or beside it
            in_block = counters[BLOCK] >= 0
            threshold = _between(data, column, keys, start, middle, end, in_block, work.block_keys, threshold)
        nodes.column[number], nodes.threshold[number] = column, threshold
        nodes.missing[number] = TO_LEFT if weight_left > weight - weight_left else TO_RIGHT
        open_children(open_int, counters, at, start, middle, end, depth, number)
    link_missing(nodes.missing, nodes.left, nodes.right, counters[N_NODES])
    return True


@part_in_place
def _enter_block(
    keys: Array,
    start: int,
    end: int,
    rows: Array,
    y: Array,
    s: Array,
    classes: Array,
    of_classes: bool,
    block: Array,
    block_y: Array,
    block_s: Array,
    block_class: Array,
    block_keys: Array,
) -> None:
    """Copy a node's rows side by side, and number them anew: no node above needs them again."""
    for i in range(end - start):
        row = keys[start + i]
        ahead = keys[min(start + i + AHEAD, end - 1)]  # rows lie far apart: the processor does not see them coming
        for line in range(0, rows.shape[1] * 4, 64):
            prefetch(rows, np.int64(ahead) * rows.shape[1] * 4 + line)
        block_keys[i], block_y[i], block_s[i] = row, y[row], s[row]
        if of_classes:
            block_class[i, 0] = classes[row, 0]
        for j in range(rows.shape[1]):
            block[i, j] = rows[row, j]
        keys[start + i] = i


@part_in_place
def _open(
    rule: Rule, work: DrawnWork, nodes: NodeTable, y: Array, s: Array, classes: Array, start: int, end: int, number: int
) -> tuple[int, float, float, bool]:
    """Enter the numbers of a node; how many sums a cut has, the weight, the scale of gains, whether none can gain."""
    if rule.n_shares > 0:
        n_sums, weight, scale = _open_classes(
            work.keys, start, end - start, s, classes, rule.equal_weights, work.node_s, work.first, work.total,
            nodes.value, nodes.impurity, number,
        )  # fmt: skip
        pure = n_sums == 1
    else:
        n_sums = 2
        weight, scale, pure = open_numbers(
            work.keys, start, end, s, y, work.node_s, work.node_y, False, nodes.value, nodes.impurity, number
        )
        for i in range(end - start):
            work.node_y[i] *= work.node_s[i]
    nodes.weight[number], nodes.n_samples[number] = weight, end - start
    return n_sums, weight, scale, pure


@part_in_place
def _open_classes(
    keys: Array,
    start: int,
    n: int,
    s: Array,
    classes: Array,
    equal_weights: bool,
    node_s: Array,
    first: Array,
    total: Array,
    value: Array,
    impurity: Array,
    number: int,
) -> tuple[int, float, float]:
    """Enter the shares of the classes; the number of classes in the node, its weight, the scale of gains.

    The rows of the v-th of them begin at ``first[v]``; their weight is ``total[v]``.
    """
    at, present, weight = 0, 0, 0.0
    if not equal_weights:
        for i in range(n):
            node_s[i] = s[keys[start + i]]
    last = classes[keys[start + n - 1], 0]
    while at < n:
        c, stop = classes[keys[start + at], 0], n
        if c != last:  # the first row of a later class is from at + 1 to stop
            below = at
            while stop - below > 1:
                middle = (below + stop) >> 1
                if classes[keys[start + middle], 0] == c:
                    below = middle
                else:
                    stop = middle
        inside = float(stop - at)
        if not equal_weights:
            inside = 0.0
            for i in range(at, stop):
                inside += node_s[i]
        first[present], total[present] = at, inside
        value[number, c] = inside
        weight += inside
        present += 1
        at = stop
    first[present] = n
    squares = 0.0
    for v in range(present):
        c = classes[keys[start + first[v]], 0]
        value[number, c] = total[v] / weight
        squares += total[v] * total[v]
    impurity[number] = 0.0 if present == 1 else max(weight - squares / weight, 0.0) / weight
    return present, weight, weight


@part_in_place
def _search(
    rule: Rule,
    work: DrawnWork,
    rows: Array,
    in_rows: bool,
    start: int,
    n: int,
    tried: int,
    n_sums: int,
    weight: float,
    equal: float,
    most: float,
) -> tuple[int, float, float, Any]:
    """Draw columns and search them: the column, below 0 for none, its gain, the weight to the left, the place."""
    limits = Limits(rule.min_leaf, rule.min_weight, 0, False, -np.inf, np.inf)
    of_classes, visited = rule.n_shares > 0, 0
    draw_columns(work.order, tried, work.generator, work.shares)
    column, score, weight_left, cut = ALL_CONSTANT, 0.0, 0.0, np.int32(-1)
    if in_rows and n > FEW_ROWS:
        column, score, weight_left, cut = search_together(
            rows, work.keys, start, n, work.node_s, work.node_y, work.ones, work.first, n_sums, of_classes, work.order,
            tried, work.generator, work.shares, work.low, work.high, work.cut, work.left, work.total, weight, equal,
            most, limits,
        )  # fmt: skip
        visited = tried
    if column == ALL_CONSTANT:
        column, score, weight_left, cut = search_in_turn(
            rows, work.by_column, in_rows, work.keys, start, n, work.node_s, work.node_y, work.node_x, work.first,
            n_sums, of_classes, rule.equal_weights, work.order, visited, tried, work.generator, work.shares, work.left,
            work.total, weight, equal, most, limits,
        )  # fmt: skip
    return column, score, weight_left, cut


@part_in_place
def _middle_of_cell(ends: Array, j: int, place: Any) -> float:
    """The number in the middle of a place of column j."""
    share = (place + 0.5) / ends[j, 2]
    return ends[j, 0] * (1.0 - share) + ends[j, 1] * share


@part_in_place
def _divide(
    rows: Array,
    by_column: Array,
    in_rows: bool,
    j: int,
    cut: Any,
    keys: Array,
    start: int,
    n: int,
    node_x: Array,
    spare: Array,
) -> tuple[Any, Any, Any]:
    """Bring the rows up to a place of column j to the front, in the order they have.

    Returns where the others begin, and the places nearest to the cut on either side. Three loops: the first waits for
    memory, the second takes vector instructions, and the third has no branch, which nobody could predict.
    """
    read_column(rows, by_column, in_rows, j, keys, start, n, node_x)
    below, above = np.int32(-1), np.int32(MOST_STEPS)
    for i in range(n):
        x = node_x[i]
        below = max(below, x if x <= cut else np.int32(-1))
        above = min(above, np.int32(MOST_STEPS) if x <= cut else x)
    at, others = start, 0
    for i in range(n):
        row = keys[start + i]
        goes_right = np.int64(node_x[i] > cut)
        keys[at] = row
        spare[others] = row
        at += 1 - goes_right
        others += goes_right
    for i in range(others):
        keys[at + i] = spare[i]
    return at, below, above


@part_in_place
def _between(
    data: Data, j: int, keys: Array, start: int, middle: int, end: int, in_block: bool, block_keys: Array, cut: Any
) -> Any:
    """The threshold where it parts the rows as their places do, else the largest number on the left."""
    below, above = np.int64(-1), np.int64(data.levels.shape[0])
    for i in range(start, end):
        row = block_keys[keys[i]] if in_block else keys[i]
        code = np.int64(data.codes[j, row])
        if i < middle:
            below = max(below, code)
        else:
            above = min(above, code)
    left, right = data.levels[data.level_start[j] + below], data.levels[data.level_start[j] + above]
    return cut if left <= cut < right else left
