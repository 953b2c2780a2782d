"""The best of one random threshold for each column that is drawn, at one node of plain columns.

Three ways with one result in distribution: of large nodes column by column, from ranks that fit into the second cache;
of all columns side by side, row by row, so that each row is read in one piece; and of few rows one column after the
other, up to a split that cannot be beaten.
"""

from typing import Any

import numpy as np

from separatrix.core.jit import part
from separatrix.core.types import Array
from separatrix.solvers.trees.criterion import Limits
from separatrix.solvers.trees.sorting import draw_below, draw_uniform

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
def search_columns(
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
) -> tuple[int, float, float]:
    """The best of one threshold for each of a few columns of a large node: column, score, threshold.

    Ranks of one column fit into the second cache, where rows with all their columns do not.
    """
    best, n_best, column, cut = -np.inf, 0, ALL_CONSTANT, 0.0
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
            best, n_best, column, cut = gain, 1, j, drawn
        elif gain >= best - equal and gain > -np.inf:
            n_best += 1
            if draw_below(generator, n_best) == 0:
                column, cut = j, drawn
    return column, best, cut


@part
def search_together(
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
def search_in_turn(
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
    node_x: Array, n: int, cut: Any, node_s: Array, node_y: Array, weight: float, limits: Limits
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
