"""The growers: depth first, or the open node with the largest gain first.

Computes  a table of nodes; of each node the best split of its rows (:mod:`separatrix.solvers.trees.search`).
Given     rows, rules and work arrays (:mod:`separatrix.solvers.trees.state`). Rows of a node are side by side in
          ``keys``, in every kept column: sorted by its codes, or just the rows where columns are sorted when asked.
Returns   how far it came: a loop ends early where the table has no room, and goes on where it stopped when it is
          called again with larger arrays. Nothing is recursive.
Cost      a level of the tree reads every kept column twice, once to search and once to divide its rows.
"""

import numpy as np

from separatrix.core.jit import compiled, part
from separatrix.core.types import Array
from separatrix.solvers.trees.criterion import EQUAL, GAIN_RATIO, is_enough, xlogx
from separatrix.solvers.trees.nodes import NodeTable
from separatrix.solvers.trees.opening import open_node
from separatrix.solvers.trees.search import search
from separatrix.solvers.trees.sorting import ROW
from separatrix.solvers.trees.state import (
    CHILDREN,
    COLUMN,
    CUT_LOW,
    CUT_VALUE,
    DEPTH,
    END,
    GAIN,
    HIGH,
    KIND,
    LEFT_VALUE,
    LOW,
    MISSING_LEFT,
    MULTIWAY,
    N_LEAVES,
    N_NODES,
    N_OPEN,
    N_OPEN_FLOAT,
    N_OPEN_INT,
    N_ROUTES,
    N_SPLIT_FLOAT,
    N_SPLIT_INT,
    NODE,
    ORDINAL,
    PARENT,
    RIGHT_VALUE,
    SCORE,
    START,
    THRESHOLD,
    Data,
    Node,
    Rule,
    Work,
)

PENDING = -2  # a route to the child of ordinal o is PENDING - o until the child has a number


@compiled
def grow_depth_first(
    data: Data, rule: Rule, work: Work, nodes: NodeTable, open_int: Array, open_float: Array, counters: Array, room: int
) -> bool:
    """Split the open nodes, children before siblings, left ones first; whether all are done.

    `room` is the largest number of children and of routes that a split may need.
    """
    while counters[N_OPEN] > 0:
        if _is_full(nodes, open_int, counters, room):
            return False
        at = counters[N_OPEN] - 1
        counters[N_OPEN] = at
        if _create(data, rule, work, nodes, open_int, open_float, at, counters):
            # the record of the node stays where its first child's will be: the children are written from the last on
            _divide(data, rule, work, nodes, open_int, open_float, at, counters)
    return True


@compiled
def grow_best_first(
    data: Data, rule: Rule, work: Work, nodes: NodeTable, open_int: Array, open_float: Array, counters: Array, room: int
) -> bool:
    """Split the open node with the largest gain, the first of equals, until there are `max_leaves`; whether done.

    A node whose split would make more leaves than that stays a leaf, and the next one is tried. At the first call the
    root is the only open node, and has no number yet. Nodes that cannot be split are not kept.
    """
    if counters[N_NODES] == 0:
        counters[N_OPEN] = 0
        if _create(data, rule, work, nodes, open_int, open_float, 0, counters):
            counters[N_OPEN] = 1
        counters[N_LEAVES] = 1
    while counters[N_OPEN] > 0 and counters[N_LEAVES] < rule.max_leaves:
        if _is_full(nodes, open_int, counters, room):
            return False
        n_open = counters[N_OPEN]
        best = _most_gainful(open_int, open_float, n_open)
        _copy(open_int, open_float, n_open - 1, n_open)
        _copy(open_int, open_float, best, n_open - 1)
        _copy(open_int, open_float, n_open, best)
        children = open_int[n_open - 1, N_OPEN_INT + CHILDREN]
        if counters[N_LEAVES] + children - 1 > rule.max_leaves:
            counters[N_OPEN] = n_open - 1
            continue
        _divide(data, rule, work, nodes, open_int, open_float, n_open - 1, counters)
        counters[N_LEAVES] += children - 1
        kept = n_open - 1
        for c in range(children):  # out of the way of those that are kept, the first child first
            _copy(open_int, open_float, n_open - 1 + children - 1 - c, n_open - 1 + children + c)
        for c in range(children):
            at = n_open - 1 + children + c
            if _create(data, rule, work, nodes, open_int, open_float, at, counters):
                _copy(open_int, open_float, at, kept)
                kept += 1
        counters[N_OPEN] = kept
    return True


@part
def _is_full(nodes: NodeTable, open_int: Array, counters: Array, room: int) -> bool:
    if counters[N_NODES] + room > nodes.column.shape[0] or counters[N_OPEN] + 2 * room > open_int.shape[0]:
        return True
    return counters[N_ROUTES] + room > nodes.routes.shape[0]


@part
def _create(
    data: Data,
    rule: Rule,
    work: Work,
    nodes: NodeTable,
    open_int: Array,
    open_float: Array,
    at: int,
    counters: Array,
) -> bool:
    """Give the open node `at` a number and find its split, which is written to its record; whether it is split."""
    record = open_int[at]
    number = counters[N_NODES]
    counters[N_NODES] = number + 1
    record[NODE] = number
    _tell_parent(nodes, record[PARENT], record[ORDINAL], number)
    low, high = open_float[at, LOW], open_float[at, HIGH]
    node = open_node(data, rule, work, nodes, number, record[START], record[END], record[DEPTH], low, high)
    if node.pure or node.depth >= rule.max_depth or node.n < max(rule.min_split, 2 * rule.min_leaf):
        return False
    if node.weight < 2.0 * rule.min_weight or not search(data, rule, work, node):
        return False
    gain = _mark(data, rule, work, node)
    margin = node.equal * (node.weight if rule.criterion == GAIN_RATIO else rule.factor)
    if not is_enough(gain, margin, rule.min_decrease * rule.total_weight):
        return False
    work.split_float[GAIN] = gain if gain > margin else 0.0
    for v in range(N_SPLIT_INT):
        open_int[at, N_OPEN_INT + v] = work.split_int[v]
    for v in range(N_SPLIT_FLOAT):
        open_float[at, N_OPEN_FLOAT + v] = work.split_float[v]
    return True


@part
def _tell_parent(nodes: NodeTable, parent: int, ordinal: int, number: int) -> None:
    """Enter the number of a child in its parent."""
    nodes.parent[number] = parent
    if parent < 0:
        return
    pending = PENDING - ordinal
    for link in (nodes.left, nodes.right, nodes.missing):
        if link[parent] == pending:
            link[parent] = number
    for r in range(nodes.offset[parent], nodes.offset[parent] + nodes.width[parent]):
        if nodes.routes[r] == pending:
            nodes.routes[r] = number


@part
def _mark(data: Data, rule: Rule, work: Work, node: Node) -> float:
    """Set the child that each row of the node goes to, by the split that was found; the gain of the split."""
    j, low = work.split_int[COLUMN], work.split_int[CUT_LOW]
    by_threshold = work.split_int[KIND] == THRESHOLD
    absent = data.n_levels[j]
    weight_left = 0.0
    for i in range(node.start, node.end):
        row = work.keys[i] & ROW
        code = np.int64(data.codes[j, row])
        if not by_threshold:
            side = work.code_side[code]
        elif code == absent:
            side = 0 if work.split_int[MISSING_LEFT] == 1 else 1
        else:
            side = 0 if code <= low else 1
        work.side[row] = side
        weight_left += data.s[row] * (1 - side)
    if by_threshold and work.split_int[MISSING_LEFT] < 0:  # none was missing: where most weight goes
        work.split_int[MISSING_LEFT] = 1 if weight_left > node.weight - weight_left else 0
    if rule.criterion != GAIN_RATIO:
        return rule.factor * work.split_float[SCORE]
    children = work.split_int[CHILDREN]
    weights = np.zeros(children)
    for i in range(node.start, node.end):
        row = work.keys[i] & ROW
        weights[work.side[row]] += data.s[row]
    info = xlogx(node.weight)
    for c in range(children):
        info -= xlogx(weights[c])
    return work.split_float[SCORE] * info


@part
def _divide(
    data: Data,
    rule: Rule,
    work: Work,
    nodes: NodeTable,
    open_int: Array,
    open_float: Array,
    at: int,
    counters: Array,
) -> None:
    """Write the split of an open node, divide its rows, and open its children: from record `at` on, the last first."""
    start, end, depth, number = open_int[at, START], open_int[at, END], open_int[at, DEPTH], open_int[at, NODE]
    column, kind = open_int[at, N_OPEN_INT + COLUMN], open_int[at, N_OPEN_INT + KIND]
    children = open_int[at, N_OPEN_INT + CHILDREN]
    nodes.column[number] = column
    if kind != MULTIWAY:
        nodes.left[number], nodes.right[number] = PENDING, PENDING - 1
    if kind == THRESHOLD:
        nodes.threshold[number] = open_float[at, N_OPEN_FLOAT + CUT_VALUE]
        nodes.missing[number] = PENDING - (1 - open_int[at, N_OPEN_INT + MISSING_LEFT])
    else:
        _write_routes(data, work, nodes, number, column, start, end, counters)
    low, high = open_float[at, LOW], open_float[at, HIGH]
    left_high, right_low, left_low, right_high = high, low, low, high
    sign = data.sign[column]
    if sign != 0:
        middle = (open_float[at, N_OPEN_FLOAT + LEFT_VALUE] + open_float[at, N_OPEN_FLOAT + RIGHT_VALUE]) / 2.0
        if sign > 0:
            left_high, right_low = middle, middle
        else:
            left_low, right_high = middle, middle
    counts = np.zeros(children, np.int64)
    for i in range(start, end):
        counts[work.side[work.keys[i] & ROW]] += 1
    _divide_rows(rule, work, start, end, depth, counts)
    stop = end
    for c in range(children - 1, -1, -1):
        record = open_int[at + children - 1 - c]
        record[START], record[END], record[DEPTH] = stop - counts[c], stop, depth + 1
        record[PARENT], record[ORDINAL] = number, c
        stop -= counts[c]
        open_float[at + children - 1 - c, LOW] = left_low if c == 0 else right_low
        open_float[at + children - 1 - c, HIGH] = left_high if c == 0 else right_high
    counters[N_OPEN] = at + children


@part
def _write_routes(
    data: Data, work: Work, nodes: NodeTable, number: int, column: int, start: int, end: int, counters: Array
) -> None:
    """Routes from the codes that the node has met; -1 for all others."""
    first, absent, width = counters[N_ROUTES], data.n_levels[column], np.int64(0)
    for i in range(start, end):
        row = work.keys[i] & ROW
        code = np.int64(data.codes[column, row])
        if code == absent:
            nodes.missing[number] = PENDING - np.int64(work.side[row])
            continue
        while width <= code:
            nodes.routes[first + width] = -1
            width += 1
        nodes.routes[first + code] = PENDING - np.int64(work.side[row])
    nodes.offset[number], nodes.width[number] = first, width
    counters[N_ROUTES] = first + width


@part
def _divide_rows(rule: Rule, work: Work, start: int, end: int, depth: int, counts: Array) -> None:
    """Bring the rows of each child together in every kept column, in the order they had."""
    length = work.sorted.shape[0]
    kept = work.keys.shape[0] // length
    largest = counts.max()
    if depth + 1 >= rule.max_depth or largest < max(rule.min_split, 2 * rule.min_leaf):
        kept = 1  # children that are not split need no order
    if counts.shape[0] == 2:
        for j in range(kept):
            _in_two(work.keys, work.side, j * length + start, j * length + end, work.spare)
        return
    places = np.empty_like(counts)
    for j in range(kept):
        place = 0
        for c in range(counts.shape[0]):
            places[c] = place
            place += counts[c]
        for i in range(j * length + start, j * length + end):
            c = work.side[work.keys[i] & ROW]
            work.spare[places[c]] = work.keys[i]
            places[c] += 1
        for i in range(end - start):
            work.keys[j * length + start + i] = work.spare[i]


@part
def _in_two(keys: Array, side: Array, start: int, end: int, spare: Array) -> None:
    """A stable partition by sides 0 and 1, without a branch."""
    left, right = start, 0
    for i in range(start, end):
        key = keys[i]
        goes_right = np.int64(side[key & ROW])
        keys[left] = key
        spare[right] = key
        left += 1 - goes_right
        right += goes_right
    for i in range(right):
        keys[left + i] = spare[i]


@part
def _copy(open_int: Array, open_float: Array, source: int, place: int) -> None:
    """Copy the record of an open node."""
    for v in range(open_int.shape[1]):
        open_int[place, v] = open_int[source, v]
    for v in range(open_float.shape[1]):
        open_float[place, v] = open_float[source, v]


@part
def _most_gainful(open_int: Array, open_float: Array, n_open: int) -> int:
    """The open node with the largest gain; of those that are equal but for rounding, the one with the lowest number."""
    most = 0.0
    for at in range(n_open):
        most = max(most, open_float[at, N_OPEN_FLOAT + GAIN])
    best = -1
    for at in range(n_open):
        near = open_float[at, N_OPEN_FLOAT + GAIN] >= (1.0 - 1e3 * EQUAL) * most
        if near and (best < 0 or open_int[at, NODE] < open_int[best, NODE]):
            best = at
    return max(best, 0)
