"""The best of one random threshold for each column that is drawn, at one node of plain columns.

Two ways with one result: one column after the other, or the sums of all columns side by side, by vector instructions,
so that each row is read in one piece. Both end where a split leaves nothing to explain on either side, which none can
beat. What is drawn depends on the places that the rows have, not on the number of rows that have them, nor on the way:
a weight stays a repetition.
"""

from typing import Any

import numpy as np

from separatrix.core.jit import part_in_place
from separatrix.core.types import Array
from separatrix.solvers.trees.criterion import Limits
from separatrix.solvers.trees.sorting import draw, draw_below

ALL_CONSTANT = -2
_HALF = np.uint64(32)


@part_in_place
def draw_columns(order: Array, m: int, generator: Array, shares: Array) -> None:
    """Draw m columns without replacement, and for each where its cut lies, in parts of 2^-32."""
    p = order.shape[0]
    for t in range(m):  # also where all are drawn: the search may end with the first of them
        pick = t + draw_below(generator, p - t)
        order[t], order[pick] = order[pick], order[t]
    for t in range(m):
        shares[t] = np.int64(draw(generator) >> _HALF)


@part_in_place
def search_together(
    rows: Array,
    keys: Array,
    start: int,
    n: int,
    node_s: Array,
    node_y: Array,
    ones: Array,
    first: Array,
    n_sums: int,
    of_classes: bool,
    order: Array,
    m: int,
    generator: Array,
    shares: Array,
    low: Array,
    high: Array,
    cut: Array,
    left: Array,
    total: Array,
    weight: float,
    equal: float,
    most: float,
    limits: Limits,
) -> tuple[int, float, float, Any]:
    """The best cut of the m columns drawn: column, gain, weight to the left, place; the sums of all columns at once."""
    _find_ends(rows, keys, start, n, low, high)
    column, best, best_left, n_best, last = ALL_CONSTANT, -np.inf, 0.0, 0, np.int32(-1)
    for t in range(m):
        j = order[t]
        if low[j] < high[j]:
            cut[j] = _place(low[j], high[j], shares[t])
            column = -1
    if column == ALL_CONSTANT:
        return column, best, best_left, last
    if of_classes:
        for v in range(n_sums):
            _sum_left(rows, keys, start, first[v], first[v + 1], cut, node_s, left, v)
    else:
        _sum_left(rows, keys, start, 0, n, cut, node_s, left, 0)
        _sum_left(rows, keys, start, 0, n, cut, node_y, left, 1)
    if limits.min_leaf > 1:
        _sum_left(rows, keys, start, 0, n, cut, ones, left, n_sums)
    for t in range(m):
        j = order[t]
        if cut[j] >= 0 and best + equal < most:
            gain, weight_left = _gain(left, j, n_sums, of_classes, total, n, weight, limits)
            n_best = _rank(gain, best, equal, n_best)
            if n_best == 1 or (n_best > 1 and draw_below(generator, n_best) == 0):
                best = gain if n_best == 1 else best
                column, best_left, last = j, weight_left, cut[j]
            n_best = abs(n_best)
        cut[j] = -1
    return column, best, best_left, last


@part_in_place
def search_in_turn(
    table: Array,
    by_column: Array,
    in_rows: bool,
    keys: Array,
    start: int,
    n: int,
    node_s: Array,
    node_y: Array,
    node_x: Array,
    first: Array,
    n_sums: int,
    of_classes: bool,
    equal_weights: bool,
    order: Array,
    visited: int,
    m: int,
    generator: Array,
    shares: Array,
    left: Array,
    total: Array,
    weight: float,
    equal: float,
    most: float,
    limits: Limits,
) -> tuple[int, float, float, Any]:
    """The same, one column after the other; the first `visited` are constant. Where all m are, others are drawn."""
    column, best, best_left, n_best, last = ALL_CONSTANT, -np.inf, 0.0, 0, np.int32(-1)
    p, t = order.shape[0], visited
    while t < p and (t < m or column == ALL_CONSTANT) and best + equal < most:
        if t >= m:
            pick = t + draw_below(generator, p - t)
            order[t], order[pick] = order[pick], order[t]
            shares[t] = np.int64(draw(generator) >> _HALF)
        j = order[t]
        low, high = read_column(table, by_column, in_rows, j, keys, start, n, node_x)
        t += 1
        if low == high:
            continue
        column = max(column, -1)
        cut = _place(low, high, shares[t - 1])
        for v in range(n_sums if of_classes else 1):
            a, b = (first[v], first[v + 1]) if of_classes else (0, n)
            if equal_weights:
                left[v, 0] = _count_of_column(node_x, a, b, cut)
            else:
                left[v, 0] = _sum_of_column(node_x, a, b, cut, node_s)
        if not of_classes:
            left[1, 0] = _sum_of_column(node_x, 0, n, cut, node_y)
        if limits.min_leaf > 1:
            left[n_sums, 0] = _count_of_column(node_x, 0, n, cut)
        gain, weight_left = _gain(left, 0, n_sums, of_classes, total, n, weight, limits)
        n_best = _rank(gain, best, equal, n_best)
        if n_best == 1 or (n_best > 1 and draw_below(generator, n_best) == 0):
            best = gain if n_best == 1 else best
            column, best_left, last = j, weight_left, cut
        n_best = abs(n_best)
    return column, best, best_left, last


@part_in_place
def _place(low: int, high: int, share: int) -> Any:
    """The place that a share of 2^32 is drawn to: low, ..., high - 1."""
    return np.int32(low + ((np.int64(high) - np.int64(low)) * share >> 32))


@part_in_place
def read_column(
    rows: Array, by_column: Array, in_rows: bool, j: int, keys: Array, start: int, n: int, node_x: Array
) -> tuple[Any, Any]:
    """Copy the places of a node's rows in one column side by side; the least and the largest.

    Ends are moved by numbers that are 0 where they are not passed: branches could not be predicted.
    """
    low = np.int64(rows[keys[start], j]) if in_rows else np.int64(by_column[j, keys[start]])
    high = low
    for i in range(n):
        row = keys[start + i]
        x = rows[row, j] if in_rows else by_column[j, row]
        node_x[i] = x
        low += (x - low) & ((x - low) >> 63)
        high -= (high - x) & ((high - x) >> 63)
    return low, high


@part_in_place
def _find_ends(rows: Array, keys: Array, start: int, n: int, low: Array, high: Array) -> None:
    """The least and the largest place in every column, four rows at a time: sums in memory wait for one another."""
    width, last = rows.shape[1], start + n - 1
    for j in range(width):
        low[j] = high[j] = rows[keys[start], j]
    for i in range(start, start + n, 4):
        a, b, c, d = keys[i], keys[min(i + 1, last)], keys[min(i + 2, last)], keys[min(i + 3, last)]
        for j in range(width):
            w, x, y, z = rows[a, j], rows[b, j], rows[c, j], rows[d, j]
            low[j] = min(low[j], min(min(w, x), min(y, z)))
            high[j] = max(high[j], max(max(w, x), max(y, z)))


@part_in_place
def _sum_left(
    rows: Array, keys: Array, start: int, first: int, stop: int, cut: Array, numbers: Array, left: Array, v: int
) -> None:
    """Enter in row v the sum of the numbers of the rows to the left of the cut of every column, four at a time."""
    width = rows.shape[1]
    for j in range(width):
        left[v, j] = 0.0
    i = first
    while i + 4 <= stop:
        a, b, c, d = keys[start + i], keys[start + i + 1], keys[start + i + 2], keys[start + i + 3]
        of_a, of_b, of_c, of_d = numbers[i], numbers[i + 1], numbers[i + 2], numbers[i + 3]
        for j in range(width):
            t = cut[j]
            left[v, j] += ((of_a if rows[a, j] <= t else 0.0) + (of_b if rows[b, j] <= t else 0.0)) + (
                (of_c if rows[c, j] <= t else 0.0) + (of_d if rows[d, j] <= t else 0.0)
            )
        i += 4
    while i < stop:
        a, of_a = keys[start + i], numbers[i]
        for j in range(width):
            left[v, j] += of_a if rows[a, j] <= cut[j] else 0.0
        i += 1


@part_in_place
def _sum_of_column(node_x: Array, first: int, stop: int, cut: int, numbers: Array) -> float:
    """The sum of the numbers of the rows whose place is up to `cut`."""
    total = 0.0
    for i in range(first, stop):
        total += numbers[i] if node_x[i] <= cut else 0.0
    return total


@part_in_place
def _count_of_column(node_x: Array, first: int, stop: int, cut: int) -> float:
    """The number of these rows."""
    count = 0
    for i in range(first, stop):
        count += node_x[i] <= cut
    return float(count)


@part_in_place
def _gain(
    left: Array, j: int, n_sums: int, of_classes: bool, total: Array, n: int, weight: float, limits: Limits
) -> tuple[float, float]:
    """What a cut gains, minus infinity where a child would be too small, and the weight to its left."""
    gain, weight_left = -np.inf, left[0, j]
    if of_classes:
        for v in range(1, n_sums):
            weight_left += left[v, j]
    right = weight - weight_left
    enough = right > 0.0 and weight_left >= limits.min_weight and right >= limits.min_weight
    if limits.min_leaf > 1:
        enough = enough and min(left[n_sums, j], n - left[n_sums, j]) >= limits.min_leaf
    if enough and of_classes:
        squares_left, squares_right, squares = 0.0, 0.0, 0.0
        for v in range(n_sums):
            squares += total[v] * total[v]
            squares_left += left[v, j] * left[v, j]
            squares_right += (total[v] - left[v, j]) * (total[v] - left[v, j])
        gain = squares_left / weight_left + squares_right / right - squares / weight
    elif enough:
        gain = left[1, j] * left[1, j] * weight / (weight_left * right)
    return gain, weight_left


@part_in_place
def _rank(gain: float, best: float, equal: float, n_best: int) -> int:
    """1 for a gain above the best, the number of equals with it for one that is as large, else minus `n_best`."""
    as_good = gain >= best - equal and gain > -np.inf
    return 1 if gain > best + equal else n_best + 1 if as_good else -n_best
