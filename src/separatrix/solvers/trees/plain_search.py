"""The best split of a node of plain columns: all of them, or those drawn for it.

Rows of the node are side by side: numbers y about their mean or classes, weights, and one column at a time. Of equally
good splits the first column that is visited wins, as in :mod:`separatrix.solvers.trees.search`.
"""

from typing import Any

import numpy as np

from separatrix.core.jit import part
from separatrix.core.types import Array
from separatrix.solvers.trees.coarse import MANY_ROWS, search_coarse
from separatrix.solvers.trees.criterion import Limits
from separatrix.solvers.trees.scan import scan_gini, scan_weighted
from separatrix.solvers.trees.sorting import CODE, draw_below, sort_keys

# Rows up to which all ways to part them are tried.
FEW_ROWS = 4


@part
def search_plain(
    table: Array,
    levels: Array,
    level_start: Array,
    keys: Array,
    start: int,
    n: int,
    node_y: Array,
    node_s: Array,
    node_class: Array,
    node_x: Array,
    sorted_keys: Array,
    spare: Array,
    digits: Array,
    histogram: Array,
    alive: Array,
    order: Array,
    generator: Array,
    total: Array,
    left: Array,
    right: Array,
    weight: float,
    cost: float,
    equal: float,
    limits: Limits,
    most: float,
    of_classes: bool,
    drawn: bool,
    max_features: int,
) -> tuple[int, float, Any, float]:
    """The best split: its column (-1 where there is none), its score, the last code that goes left, the cut."""
    p = table.shape[0]
    column, score, last, cut = -1, -np.inf, np.int64(0), 0.0
    visited, lively, may_gain = 0, 0, True
    for t in range(p):
        if visited >= max_features and lively > 0:
            break
        if drawn:
            pick = t + draw_below(generator, p - t)
            order[t], order[pick] = order[pick], order[t]
        visited += 1
        if not may_gain:  # the columns left are drawn all the same, so that later nodes do not depend on it
            continue
        j = order[t]
        low, high = _gather(table[j], keys, start, n, node_x)
        if low == high:
            continue
        lively += 1
        floor = score + equal if column >= 0 else -np.inf
        if n >= MANY_ROWS and not of_classes:
            gain, below, above = search_coarse(
                node_x, n, int(low), int(high), node_y, node_s, weight, floor, equal, limits, histogram,
                alive, sorted_keys, spare, digits,
            )  # fmt: skip
        else:
            for i in range(n):
                sorted_keys[i] = np.int64(node_x[i]) << CODE | i
            sort_keys(sorted_keys, n, spare, digits)
            if of_classes:
                for c in range(total.shape[0]):
                    left[c], right[c] = 0.0, total[c]
                best = scan_gini(
                    sorted_keys, 0, n, node_class, node_s, n, weight, 0, 0.0, left, right, cost,
                    False, floor, equal, limits,
                )  # fmt: skip
            else:
                best = scan_weighted(
                    sorted_keys, 0, n, node_y, node_s, 0.0, n, weight, 0, 0.0, 0.0, False, floor, equal, limits
                )
            gain, below, above = best.score, np.int64(-1), np.int64(-1)
            if best.place >= 0:
                below, above = sorted_keys[best.place] >> CODE, sorted_keys[best.place + 1] >> CODE
        if below >= 0:
            column, score, last = j, gain, below
            smaller, larger = levels[level_start[j] + below], levels[level_start[j] + above]
            cut = smaller / 2.0 + larger / 2.0
            if not smaller <= cut < larger:
                cut = smaller
            may_gain = score + equal < most
    return column, score, last, cut


@part
def is_small(n: int, weight: float) -> bool:
    """Whether a node has few rows, however many of them stand for repetitions."""
    return n <= FEW_ROWS and weight <= FEW_ROWS


@part
def most_gain(node_y: Array, node_s: Array, n: int, weight: float, squares: float) -> float:
    """No split of numbers about their mean gains more than this: of few rows the best of all ways to part them.

    Most nodes have few rows. There the first columns often reach this bound, and the others need not be looked at.
    """
    if not is_small(n, weight):
        return squares
    total = 0.0
    for i in range(n):
        total += node_s[i] * node_y[i]
    most = 0.0
    for rows in range(1, 1 << (n - 1)):  # the last row is never among them: the other side is a subset, too
        inside, moment = 0.0, 0.0
        for i in range(n - 1):
            if rows >> i & 1:
                inside += node_s[i]
                moment += node_s[i] * node_y[i]
        if inside < weight:
            # between the sides: their means differ by d, and the gain is d² inside (weight - inside) / weight
            apart = moment / inside - (total - moment) / (weight - inside)
            most = max(most, apart * apart * inside * (weight - inside) / weight)
    return most


@part
def _gather(column: Array, keys: Array, start: int, n: int, out: Array) -> tuple[float, float]:
    """Copy a column of a node's rows side by side; the lowest and the highest."""
    for i in range(n):
        out[i] = column[keys[start + i]]
    low, high = out[0], out[0]
    for i in range(n):
        low, high = min(low, out[i]), max(high, out[i])
    return np.float64(low), np.float64(high)
