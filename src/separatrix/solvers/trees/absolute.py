"""Sums of absolute deviations from the median, of the rows to the left and to the right of a cut.

Computes  ``min_m Σ s |y - m|`` of both sides at every cut of a sorted column.
Given     the rows of the node, each with its place in the order of y. Binary indexed trees over those places hold the
          weights and the weighted y of the left side; those of the node less those of the left side are the right side.
From      Fenwick (1994), Software: Practice and Experience 24(3).
Cost      O(log n) a row and column.
"""

import numpy as np

from separatrix.core.jit import compiled, part
from separatrix.core.types import Array
from separatrix.solvers.trees.criterion import EQUAL, Best, Limits, allowed
from separatrix.solvers.trees.sorting import CODE, ROW, sort_keys

# A share of the weight from which on rounding may have made it less than half.
BELOW_HALF = 0.5 - EQUAL


@part
def order_targets(
    y: Array,
    y_codes: Array,
    s: Array,
    keys: Array,
    start: int,
    end: int,
    work: Array,
    spare: Array,
    counts: Array,
    places: Array,
    ordered: Array,
    node_tree: Array,
    centre: Array,
) -> None:
    """Set for each output the places of the node's rows in the order of y, y in that order, and the node's trees.

    Sums are of y about its median in the node, which is set, too: they are no larger than the deviations. The medians
    of rows are published as they stand in y, without the rounding of that difference.
    """
    n = end - start
    for k in range(y.shape[1]):
        for i in range(start, end):
            row = keys[i] & ROW
            work[i - start] = np.int64(y_codes[k, row]) << CODE | row
        sort_keys(work, n, spare, counts)
        weight = 0.0
        for i in range(n):
            weight += s[work[i] & ROW]
        at, below = 0, s[work[0] & ROW]
        while at < n - 1 and below < 0.5 * weight:
            at += 1
            below += s[work[at] & ROW]
        centre[k] = y[work[at] & ROW, k]
        for i in range(n + 1):
            node_tree[0, k, i], node_tree[1, k, i] = 0.0, 0.0
        for i in range(n):
            row = work[i] & ROW
            places[k, row], ordered[0, k, i], ordered[1, k, i] = i + 1, y[row, k] - centre[k], y[row, k]
            node_tree[0, k, i + 1] += s[row]
            node_tree[1, k, i + 1] += s[row] * ordered[0, k, i]
            above = (i + 1) + ((i + 1) & -(i + 1))
            if above <= n:
                node_tree[0, k, above] += node_tree[0, k, i + 1]
                node_tree[1, k, above] += node_tree[1, k, i + 1]


@part
def add_place(tree: Array, k: int, place: int, n: int, w: float, wy: float) -> None:
    """Add a row to the trees of an output."""
    while place <= n:
        tree[0, k, place] += w
        tree[1, k, place] += wy
        place += place & -place


@part
def deviation(
    node_tree: Array, tree: Array, sign: float, k: int, n: int, weight: float, total: float, ordered: Array
) -> tuple[float, int]:
    """The least sum of absolute deviations of an output, and the place of the median, of ``node_tree + sign tree``.

    `weight` and `total` are the sums of all weights and of the weighted y. Where half of the weight lies on either side
    of a gap the place is the one below it.
    """
    step = 1
    while 2 * step <= n:
        step *= 2
    place, below, sum_below = 0, 0.0, 0.0
    while step > 0:
        ahead = place + step
        if ahead <= n:
            w = sign * tree[0, k, ahead] + node_tree[0, k, ahead]
            if below + w < BELOW_HALF * weight:
                place = ahead
                below += w
                sum_below += sign * tree[1, k, ahead] + node_tree[1, k, ahead]
        step //= 2
    place = min(place, n - 1)
    median = ordered[0, k, place]
    spread = median * below - sum_below + (total - sum_below) - median * (weight - below)
    return spread, place


@part
def middle(
    keys: Array, start: int, end: int, s: Array, k: int, places: Array, ordered: Array, held: Array, weight: float
) -> float:
    """The median of an output over the rows ``keys[start:end]``, midway where half the weight lies on either side.

    `held` is an array of zeros as long as the order of y, and is left so.
    """
    n = 0
    for i in range(start, end):
        row = keys[i] & ROW
        held[places[k, row] - 1] += s[row]
        n = max(n, places[k, row])
    below, place = 0.0, 0
    while place < n - 1 and below + held[place] < BELOW_HALF * weight:
        below += held[place]
        place += 1
    median = ordered[1, k, place]
    if below + held[place] <= (1.0 - BELOW_HALF) * weight:
        above = place + 1
        while above < n - 1 and held[above] == 0.0:
            above += 1
        if above < n:
            median = 0.5 * median + 0.5 * ordered[1, k, above]
    for i in range(start, end):
        held[places[k, keys[i] & ROW] - 1] = 0.0
    return median


@part
def scan_absolute(
    keys: Array,
    first: int,
    stop: int,
    missing: int,
    s: Array,
    centre: Array,
    places: Array,
    ordered: Array,
    node_tree: Array,
    tree: Array,
    zero: Array,
    n: int,
    weight: float,
    totals: Array,
    sums_left: Array,
    node_cost: float,
    last: bool,
    floor: float,
    equal: float,
    limits: Limits,
) -> Best:
    """The best cut of the sorted rows ``keys[first:stop]``; with ``missing > stop`` the rows up to there are left."""
    n_outputs = centre.shape[0]
    best, cut, left, right = floor, -1, 0.0, 0.0
    for k in range(n_outputs):
        sums_left[k] = 0.0
        for i in range(n + 1):
            tree[0, k, i], tree[1, k, i] = 0.0, 0.0
    n_left, weight_left = 0, 0.0
    for at in range(missing - first):
        i = stop + at if at < missing - stop else first + at - (missing - stop)
        row = keys[i] & ROW
        for k in range(n_outputs):
            wy = s[row] * ordered[0, k, places[k, row] - 1]
            add_place(tree, k, places[k, row], n, s[row], wy)
            sums_left[k] += wy
        n_left += 1
        weight_left += s[row]
        if i >= stop or (i + 1 < stop and keys[i + 1] >> CODE == keys[i] >> CODE) or (i + 1 == stop and not last):
            continue
        weight_right = weight - weight_left
        if n_left < limits.min_leaf or n - n_left < limits.min_leaf or weight_right <= 0.0:
            continue
        if weight_left < limits.min_weight or weight_right < limits.min_weight:
            continue
        both, a, b = 0.0, 0, 0
        for k in range(n_outputs):
            spread, a = deviation(zero, tree, 1.0, k, n, weight_left, sums_left[k], ordered)
            both += spread
            spread, b = deviation(node_tree, tree, -1.0, k, n, weight_right, totals[k] - sums_left[k], ordered)
            both += spread
        gain = node_cost - both / n_outputs
        if gain > best and (not limits.bounded or allowed(limits, ordered[1, 0, a], ordered[1, 0, b])):
            best, cut, left, right = gain + equal, i, ordered[1, 0, a], ordered[1, 0, b]
    return Best(best - equal if cut >= 0 else floor, cut, left, right)


@compiled
def medians_of_runs(node: Array, y: Array, s: Array, slack: float, lower: Array, upper: Array, spread: Array) -> None:
    """Of rows in the order of their nodes, and in a node of y: the medians of each node, and the mean distance.

    The lower median is the first y up to which there is half of the weight, the upper one the first up to which there
    is more; sums may be wrong by the share `slack` of the weight. Distances are those from the lower one.
    """
    n, first = y.shape[0], 0
    while first < n:
        stop, weight = first, 0.0
        while stop < n and node[stop] == node[first]:
            weight += s[stop]
            stop += 1
        at, below = first, s[first]
        while at < stop - 1 and below < (0.5 - slack) * weight:
            at += 1
            below += s[at]
        median = y[at]
        while at < stop - 1 and below <= (0.5 + slack) * weight:
            at += 1
            below += s[at]
        total = 0.0
        for i in range(first, stop):
            total += s[i] * abs(y[i] - median)
        lower[node[first]], upper[node[first]], spread[node[first]] = median, y[at], total / weight
        first = stop
