"""The best split of a node of plain columns: all of them, or those drawn for it; thresholds searched, or drawn.

Rows of the node are side by side: numbers y about their mean or classes, weights, and one column at a time. Of equally
good splits the first column that is visited wins, as in :mod:`separatrix.solvers.trees.search`.
"""

import numpy as np

from separatrix.core.jit import part
from separatrix.core.types import Array
from separatrix.solvers.trees.coarse import MANY_ROWS, search_coarse
from separatrix.solvers.trees.criterion import Limits
from separatrix.solvers.trees.scan import scan_gini, scan_weighted
from separatrix.solvers.trees.sorting import CODE, draw_below, draw_uniform, sort_keys


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
    of_classes: bool,
    drawn: bool,
    max_features: int,
    random_cuts: bool,
) -> tuple[int, float, float, float]:
    """The best split: its column (-1 where there is none), its score, the last of the table that goes left, the cut."""
    p = table.shape[0]
    column, score, last, cut = -1, -np.inf, 0.0, 0.0
    visited, lively = 0, 0
    for t in range(p):
        if visited >= max_features and lively > 0:
            break
        if drawn:
            pick = t + draw_below(generator, p - t)
            order[t], order[pick] = order[pick], order[t]
        visited += 1
        j = order[t]
        low, high = _gather(table[j], keys, start, n, node_x)
        if low == high:
            continue
        lively += 1
        floor = score + equal if column >= 0 else -np.inf
        if random_cuts:
            drawn_cut = low + draw_uniform(generator) * (high - low)
            if not low <= drawn_cut < high:
                drawn_cut = low
            if of_classes:
                gain = _gain_of_classes(node_x, n, drawn_cut, node_s, node_class, total, left, weight, cost, limits)
            else:
                gain = _gain_of_numbers(node_x, n, drawn_cut, node_s, node_y, weight, limits)
            if gain > floor:
                column, score, last, cut = j, gain, drawn_cut, drawn_cut
            continue
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
            column, score, last = j, gain, np.float64(below)
            smaller, larger = levels[level_start[j] + below], levels[level_start[j] + above]
            cut = smaller / 2.0 + larger / 2.0
            if not smaller <= cut < larger:
                cut = smaller
    return column, score, last, cut


@part
def _gather(column: Array, keys: Array, start: int, n: int, out: Array) -> tuple[float, float]:
    """Copy a column of a node's rows side by side; the lowest and the highest."""
    for i in range(n):
        out[i] = column[keys[start + i]]
    low, high = out[0], out[0]
    for i in range(n):
        low, high = min(low, out[i]), max(high, out[i])
    return np.float64(low), np.float64(high)


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
