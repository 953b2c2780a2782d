"""The best split of a node: columns in order, or drawn at random, each by its own walk.

Ties have a documented order. A split takes the place of the best one so far only if its score is larger by more than
rounding (``EQUAL``), or as large within rounding and of a lower column. So of equally good splits the lowest column
wins; in it a threshold that sends missing values right, infinity included, before one that sends them left; and of
these the lowest. Neither seed nor threads show in the tree. Where columns are drawn at random the first drawn wins: a
fixed order would favour the columns that stand first.
"""

import numpy as np

from separatrix.core.jit import part
from separatrix.core.types import Array
from separatrix.solvers.trees.criterion import Best, Limits
from separatrix.solvers.trees.groups import search_groups, search_multiway
from separatrix.solvers.trees.scan import scan_moment, scan_weighted
from separatrix.solvers.trees.sorting import CODE, ROW, draw_below, draw_uniform, gather, sort_keys
from separatrix.solvers.trees.state import (
    CHILDREN,
    COLUMN,
    CUT_LOW,
    CUT_VALUE,
    GROUPS,
    KIND,
    LEFT_VALUE,
    MISSING_LEFT,
    MOMENT,
    RIGHT_VALUE,
    SCORE,
    THRESHOLD,
    WEIGHTED,
    Data,
    Node,
    Rule,
    Work,
)
from separatrix.solvers.trees.walk import walk


@part
def search(data: Data, rule: Rule, work: Work, node: Node) -> bool:
    """Find the best split and write it to ``split_int`` and ``split_float``; whether there is one."""
    p = data.codes.shape[0]
    length = work.sorted.shape[0]
    work.split_int[COLUMN] = -1
    work.split_float[SCORE] = -np.inf
    drawn = rule.drawn
    in_order = rule.presorted and not drawn and (rule.walk == MOMENT or rule.walk == WEIGHTED)
    if in_order:
        _search_numbers(
            work.keys, length, data.y1, data.s, work.centre[0], data.kind, data.has_missing, data.sign, data.levels,
            data.level_start, work.split_int, work.split_float, rule, node,
        )  # fmt: skip
    visited, lively = 0, 0
    for t in range(p):
        if in_order and data.kind[t] == THRESHOLD and not data.has_missing[t]:
            continue
        if drawn:
            if visited >= rule.max_features and lively > 0:
                break
            pick = t + draw_below(work.generator, p - t)
            work.order[t], work.order[pick] = work.order[pick], work.order[t]
        visited += 1
        j = work.order[t]
        first = j * length + node.start
        keys = work.keys
        if rule.presorted:
            if keys[first] >> CODE == keys[first + node.n - 1] >> CODE:
                continue
        else:
            if not gather(data.codes, j, keys, node.start, node.end, work.sorted):
                continue
            first, keys = 0, work.sorted
            if not rule.random_cuts or data.kind[j] != THRESHOLD:
                sort_keys(keys, node.n, work.spare, work.digits)
        lively += 1
        limits = Limits(rule.min_leaf, rule.min_weight, data.sign[j], rule.bounded, node.low, node.high)
        floor = -np.inf
        if work.split_int[COLUMN] >= 0:
            floor = work.split_float[SCORE] + (node.equal if drawn or j > work.split_int[COLUMN] else -node.equal)
        if data.kind[j] == THRESHOLD:
            _try_threshold(data, rule, work, node, j, keys, first, floor, limits)
        else:
            _try_groups(data, rule, work, node, j, keys, first, floor, limits)
    return work.split_int[COLUMN] >= 0


@part
def _search_numbers(
    keys: Array,
    length: int,
    y1: Array,
    s: Array,
    mean: float,
    kind: Array,
    has_missing: Array,
    sign: Array,
    levels: Array,
    level_start: Array,
    split_int: Array,
    split_float: Array,
    rule: Rule,
    node: Node,
) -> None:
    """The best threshold of all columns of numbers that lack none, where one sum a row decides.

    One call a node, with arrays instead of tuples of them: most columns of most trees are searched here.
    """
    column, at, left, right, most = -1, -1, 0.0, 0.0, -np.inf
    for j in range(kind.shape[0]):
        first = j * length + node.start
        stop = first + node.n
        if kind[j] != THRESHOLD or has_missing[j] or keys[first] >> CODE == keys[stop - 1] >> CODE:
            continue
        limits = Limits(rule.min_leaf, rule.min_weight, sign[j], rule.bounded, node.low, node.high)
        floor = most + node.equal
        if rule.walk == MOMENT:
            best = scan_moment(keys, first, stop, y1, mean, node.n, 0, 0.0, False, floor, node.equal, limits)
        else:
            best = scan_weighted(
                keys, first, stop, y1, s, mean, node.n, node.weight, 0, 0.0, 0.0, False, floor, node.equal, limits
            )
        if best.place >= 0:
            column, at, left, right, most = j, best.place, best.left, best.right, best.score
    if column >= 0:
        low, high = keys[at] >> CODE, keys[at + 1] >> CODE
        split_int[COLUMN], split_int[KIND], split_int[CHILDREN], split_int[MISSING_LEFT] = column, THRESHOLD, 2, -1
        split_int[CUT_LOW] = low
        split_float[SCORE], split_float[LEFT_VALUE], split_float[RIGHT_VALUE] = most, left, right
        split_float[CUT_VALUE] = _between(levels, level_start[column], low, high)


@part
def _try_threshold(
    data: Data, rule: Rule, work: Work, node: Node, j: int, keys: Array, first: int, floor: float, limits: Limits
) -> None:
    """The best threshold of a column, missing values on the right or on the left."""
    tail = first + node.n
    if rule.random_cuts:
        _try_random_threshold(data, rule, work, node, j, keys, floor, limits)
        return
    stop = tail
    if data.has_missing[j]:
        while stop > first and keys[stop - 1] >> CODE == data.n_levels[j]:
            stop -= 1
    for missing_left in range(2 if stop < tail else 1):
        best = walk(
            keys, first, stop, tail, missing_left == 1, data.y1, data.y, data.classes, data.s, work.total, work.left,
            work.right, work.centre, work.places, work.ordered, work.node_tree, work.tree, work.zero, rule, node,
            floor, limits,
        )  # fmt: skip
        if best.place >= 0:
            floor = best.score + node.equal
            low = keys[best.place] >> CODE
            high = keys[best.place + 1] >> CODE if best.place + 1 < stop else -1
            _note(work, j, THRESHOLD, 2, best)
            work.split_int[CUT_LOW] = low
            work.split_int[MISSING_LEFT] = missing_left if stop < tail else -1
            work.split_float[CUT_VALUE] = _between(data.levels, data.level_start[j], low, high)


@part
def _between(levels: Array, start: int, low: int, high: int) -> float:
    """The middle of two levels, or the lower one where rounding makes it the upper; infinite without an upper."""
    if high < 0:
        return np.inf
    below, above = levels[start + low], levels[start + high]
    middle = below / 2.0 + above / 2.0
    return middle if below <= middle < above else below


@part
def _try_random_threshold(
    data: Data, rule: Rule, work: Work, node: Node, j: int, keys: Array, floor: float, limits: Limits
) -> None:
    """A threshold drawn between the smallest and the largest value of the node, and a coin for the missing ones."""
    absent = data.n_levels[j]
    low, high, n_missing = absent, np.int64(-1), 0
    for i in range(node.n):
        code = keys[i] >> CODE
        if code == absent:
            n_missing += 1
        else:
            low, high = min(low, code), max(high, code)
    # where all numbers are equal, only missing values on the right part the rows
    missing_left = n_missing > 0 and high > low and draw_below(work.generator, 2) == 1
    start = data.level_start[j]
    below, above = data.levels[start + low], data.levels[start + high]
    cut = below + draw_uniform(work.generator) * (above - below) if high > low else below
    if not below <= cut < above:
        cut = below
    code_low = low
    while high - code_low > 1:  # the last level that is not above the cut
        middle = (code_low + high) // 2
        if data.levels[start + middle] <= cut:
            code_low = middle
        else:
            high = middle
    at = 0
    for side in range(2):  # those on the left first
        for i in range(node.n):
            code = keys[i] >> CODE
            goes_left = missing_left if code == absent else code <= code_low
            if goes_left == (side == 0):
                work.spare[at] = np.int64(side) << CODE | (keys[i] & ROW)
                at += 1
    best = walk(
        work.spare, 0, node.n, node.n, False, data.y1, data.y, data.classes, data.s, work.total, work.left, work.right,
        work.centre, work.places, work.ordered, work.node_tree, work.tree, work.zero, rule, node, floor, limits,
    )  # fmt: skip
    if best.place >= 0:
        _note(work, j, THRESHOLD, 2, best)
        work.split_int[CUT_LOW] = code_low
        work.split_int[MISSING_LEFT] = missing_left if n_missing > 0 else -1
        work.split_float[CUT_VALUE] = cut


@part
def _try_groups(
    data: Data, rule: Rule, work: Work, node: Node, j: int, keys: Array, first: int, floor: float, limits: Limits
) -> None:
    """The best grouping of the categories of a column, or a child for each."""
    stop = first + node.n
    if data.kind[j] == GROUPS:
        best = search_groups(data, rule, work, node, keys, first, stop, floor, limits)
        children = 2
    else:
        best = search_multiway(data, rule, work, node, keys, first, stop, floor, limits)
        children = best.place
    if best.place >= 0:
        _note(work, j, data.kind[j], children, best)
        g = 0
        for i in range(first, stop):
            if i == work.group_first[g + 1]:
                g += 1
            work.code_side[keys[i] >> CODE] = work.group_side[g]


@part
def _note(work: Work, j: int, kind: int, children: int, best: Best) -> None:
    """Write down a split that is the best so far."""
    work.split_int[COLUMN], work.split_int[KIND], work.split_int[CHILDREN] = j, kind, children
    work.split_float[SCORE] = best.score
    work.split_float[LEFT_VALUE], work.split_float[RIGHT_VALUE] = best.left, best.right
