"""Walks along the sorted rows of a node: the best threshold of one column.

Computes  the best place to cut the rows ``keys[first:stop]``, which are sorted by code, each ``code << 32 | row``.
Given     the targets by row, the sums of what is on the left before the walk begins (nothing, or all missing values),
          and the score to beat. Only places between two different codes are cuts; with `last` also the end, beyond
          which there are missing values only.
Returns   the score, the place, and the predictions of both sides; place -1 where nothing beats that score.
Cost      one visit a row. One output, or two classes by Gini's index (twice the variance of their 0 and 1), needs one
          sum, which stays in a register.
"""

import numpy as np

from separatrix.core.jit import part
from separatrix.core.types import Array
from separatrix.solvers.trees.criterion import Best, Limits, allowed, cost, score, xlogx

ROW = np.int64((1 << 32) - 1)
CODE = np.int64(32)


@part
def scan_moment(
    keys: Array,
    first: int,
    stop: int,
    y: Array,
    mean: float,
    n: int,
    n_left: int,
    sum_left: float,
    last: bool,
    floor: float,
    equal: float,
    limits: Limits,
) -> Best:
    """Rows of weight 1 and one number y a row: the gain is ``S_L² n / (n_L n_R)``, S_L the sum of y - mean."""
    best, place, left, right = floor, -1, 0.0, 0.0
    code = keys[first] >> CODE
    for i in range(first, stop):
        n_left += 1
        sum_left += y[keys[i] & ROW] - mean
        before = code
        if i + 1 < stop:
            code = keys[i + 1] >> CODE
            if code == before:
                continue
        elif not last:
            continue
        n_right = n - n_left
        gain = sum_left * sum_left * n / (np.float64(n_left) * n_right)
        if gain > best and n_left >= limits.min_leaf and n_right >= limits.min_leaf:
            a, b = mean + sum_left / n_left, mean - sum_left / n_right
            heavy = n_left >= limits.min_weight and n_right >= limits.min_weight
            if heavy and (not limits.bounded or allowed(limits, a, b)):
                best, place, left, right = gain + equal, i, a, b
    return Best(best - equal if place >= 0 else floor, place, left, right)


@part
def scan_weighted(
    keys: Array,
    first: int,
    stop: int,
    y: Array,
    s: Array,
    mean: float,
    n: int,
    weight: float,
    n_left: int,
    weight_left: float,
    sum_left: float,
    last: bool,
    floor: float,
    equal: float,
    limits: Limits,
) -> Best:
    """The same for rows with weights."""
    best, place, left, right = floor, -1, 0.0, 0.0
    code = keys[first] >> CODE
    for i in range(first, stop):
        n_left += 1
        row = keys[i] & ROW
        weight_left += s[row]
        sum_left += s[row] * (y[row] - mean)
        before = code
        if i + 1 < stop:
            code = keys[i + 1] >> CODE
            if code == before:
                continue
        elif not last:
            continue
        weight_right = weight - weight_left
        if weight_right <= 0.0:  # lighter than the rounding of the sum
            continue
        gain = sum_left * sum_left * weight / (weight_left * weight_right)
        if gain > best and n_left >= limits.min_leaf and n - n_left >= limits.min_leaf:
            a, b = mean + sum_left / weight_left, mean - sum_left / weight_right
            heavy = weight_left >= limits.min_weight and weight_right >= limits.min_weight
            if heavy and (not limits.bounded or allowed(limits, a, b)):
                best, place, left, right = gain + equal, i, a, b
    return Best(best - equal if place >= 0 else floor, place, left, right)


@part
def scan_gini(
    keys: Array,
    first: int,
    stop: int,
    codes: Array,
    s: Array,
    n: int,
    weight: float,
    n_left: int,
    weight_left: float,
    sums_left: Array,
    sums_right: Array,
    node_cost: float,
    last: bool,
    floor: float,
    equal: float,
    limits: Limits,
) -> Best:
    """Several classes of one output by Gini's index: the sums of squares change by one term a row.

    `sums_left` and `sums_right` hold the weights of the classes before the walk, and are used up by it.
    """
    best, place = floor, -1
    squares_left, squares_right = 0.0, 0.0
    for c in range(sums_left.shape[0]):
        squares_left += sums_left[c] * sums_left[c]
        squares_right += sums_right[c] * sums_right[c]
    code = keys[first] >> CODE
    for i in range(first, stop):
        row = keys[i] & ROW
        c, w = codes[row, 0], s[row]
        squares_left += w * (2.0 * sums_left[c] + w)
        squares_right += w * (w - 2.0 * sums_right[c])
        sums_left[c] += w
        sums_right[c] -= w
        n_left += 1
        weight_left += w
        before = code
        if i + 1 < stop:
            code = keys[i + 1] >> CODE
            if code == before:
                continue
        elif not last:
            continue
        weight_right = weight - weight_left
        if weight_right <= 0.0:
            continue
        gain = node_cost - weight + squares_left / weight_left + squares_right / weight_right
        if gain > best and n_left >= limits.min_leaf and n - n_left >= limits.min_leaf:
            heavy = weight_left >= limits.min_weight and weight_right >= limits.min_weight
            best, place = (gain + equal, i) if heavy else (best, place)
    return Best(best - equal if place >= 0 else floor, place, 0.0, 0.0)


@part
def scan_entropy(
    keys: Array,
    first: int,
    stop: int,
    codes: Array,
    s: Array,
    criterion: int,
    n: int,
    weight: float,
    n_left: int,
    weight_left: float,
    sums_left: Array,
    sums_right: Array,
    node_cost: float,
    last: bool,
    floor: float,
    equal: float,
    limits: Limits,
) -> Best:
    """Several classes of one output by entropy: ``Σ W_c log W_c`` changes by one term a row.

    `sums_left` and `sums_right` hold the weights of the classes before the walk, and are used up by it.
    """
    best, place, left, right = floor, -1, 0.0, 0.0
    terms_left, terms_right = 0.0, 0.0
    for c in range(sums_left.shape[0]):
        terms_left += xlogx(sums_left[c])
        terms_right += xlogx(sums_right[c])
    code = keys[first] >> CODE
    for i in range(first, stop):
        row = keys[i] & ROW
        c, w = codes[row, 0], s[row]
        terms_left -= xlogx(sums_left[c])
        terms_right -= xlogx(sums_right[c])
        sums_left[c] += w
        sums_right[c] -= w
        terms_left += xlogx(sums_left[c])
        terms_right += xlogx(sums_right[c])
        n_left += 1
        weight_left += w
        before = code
        if i + 1 < stop:
            code = keys[i + 1] >> CODE
            if code == before:
                continue
        elif not last:
            continue
        weight_right = weight - weight_left
        if weight_right <= 0.0:
            continue
        gain = node_cost + terms_left + terms_right - xlogx(weight_left) - xlogx(weight_right)
        ranked = score(criterion, gain, weight, weight_left, weight_right)
        if ranked > best and n_left >= limits.min_leaf and n - n_left >= limits.min_leaf:
            heavy = weight_left >= limits.min_weight and weight_right >= limits.min_weight
            a, b = sums_left[1] / weight_left, sums_right[1] / weight_right
            if heavy and (not limits.bounded or allowed(limits, a, b)):
                best, place, left, right = ranked + equal, i, a, b
    return Best(best - equal if place >= 0 else floor, place, left, right)


@part
def scan_sums(
    keys: Array,
    first: int,
    stop: int,
    codes: Array,
    y: Array,
    s: Array,
    centre: Array,
    criterion: int,
    n_classes: int,
    n: int,
    weight: float,
    n_left: int,
    weight_left: float,
    sums_left: Array,
    sums_right: Array,
    node_cost: float,
    last: bool,
    floor: float,
    equal: float,
    limits: Limits,
) -> Best:
    """Any criterion that is a function of sums, and any number of outputs: the cost of both sides at every cut."""
    best, place, left, right = floor, -1, 0.0, 0.0
    n_outputs = centre.shape[0]
    value = 1 if n_classes > 1 else 0
    code = keys[first] >> CODE
    for i in range(first, stop):
        row = keys[i] & ROW
        w = s[row]
        add_row(sums_left, codes, y, centre, row, w, n_classes)
        add_row(sums_right, codes, y, centre, row, -w, n_classes)
        n_left += 1
        weight_left += w
        before = code
        if i + 1 < stop:
            code = keys[i + 1] >> CODE
            if code == before:
                continue
        elif not last:
            continue
        if n_left < limits.min_leaf or n - n_left < limits.min_leaf:
            continue
        weight_right = weight - weight_left
        if weight_right <= 0.0 or weight_left < limits.min_weight or weight_right < limits.min_weight:
            continue
        both = cost(criterion, sums_left, weight_left, n_outputs, n_classes)
        both += cost(criterion, sums_right, weight_right, n_outputs, n_classes)
        ranked = score(criterion, node_cost - both, weight, weight_left, weight_right)
        if ranked > best:
            a = centre[0] + sums_left[value] / weight_left
            b = centre[0] + sums_right[value] / weight_right
            if not limits.bounded or allowed(limits, a, b):
                best, place, left, right = ranked + equal, i, a, b
    return Best(best - equal if place >= 0 else floor, place, left, right)


@part
def add_row(sums: Array, codes: Array, y: Array, centre: Array, row: int, w: float, n_classes: int) -> None:
    """Add a row of weight w to the sums of all outputs, and to the numbers of rows with y > 0 where these are kept.

    A negative weight takes the row away.
    """
    for k in range(centre.shape[0]):
        if n_classes > 0:
            sums[k * n_classes + codes[row, k]] += w
        else:
            sums[k] += w * (y[row, k] - centre[k])
            if sums.shape[0] > centre.shape[0] and y[row, k] > 0.0:
                sums[centre.shape[0] + k] += 1.0 if w > 0.0 else -1.0
