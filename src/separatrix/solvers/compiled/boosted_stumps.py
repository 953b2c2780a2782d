"""Rounds of boosted stumps: weights as whole numbers, and one pass over every sorted column.

Weights of rows are whole numbers, multiples of one power of two: sums of them are exact, so that neither the order of
rows, nor their repetition, nor the number of threads shows in which stump is the best.

A sorted column is a permutation of the rows in which a row is written as ``~row`` where the next row has the same
value: between the two there is no threshold. So is the last row.
"""

import numpy as np

from separatrix.core.jit import compiled
from separatrix.core.types import Array

FARTHEST = 1 << 62  # beyond every sum of weights


@compiled
def weigh(
    v: Array, s: Array, counts: Array, codes: Array, scale: float, signed: bool, out: Array, totals: Array
) -> None:
    """Weights ``v s`` in units of 1/scale, rounded to whole numbers, and their sums over the classes.

    `counts` holds s where all are whole numbers: then v is rounded alone, and a row of weight 3 is three rows to the
    last bit. Else it has no length. With `signed` the weights of rows of code 0 are written as negative.
    """
    totals[:] = 0
    for i in range(v.shape[0]):
        whole = counts.shape[0] > 0
        weight = int(np.rint(v[i] * scale)) * counts[i] if whole else int(np.rint(v[i] * s[i] * scale))
        totals[codes[i]] += weight
        out[i] = -weight if signed and codes[i] == 0 else weight


@compiled
def search_two(order: Array, u: Array, first: int, last: int, out: Array) -> None:
    """The least and the largest sum of signed weights u up to a threshold, and their places, for some columns.

    out[j] is (least, its place, largest, its place), of equal ones the first; places are -1 in a constant column.
    """
    n = order.shape[1]
    for j in range(first, last):
        least, least_at, largest, largest_at = FARTHEST, -1, -FARTHEST, -1
        total = 0
        for i in range(n):
            row = order[j, i]
            if row < 0:
                total += u[~row]
            else:
                total += u[row]
                if total < least:
                    least, least_at = total, i
                if total > largest:
                    largest, largest_at = total, i
        out[j, 0], out[j, 1], out[j, 2], out[j, 3] = least, least_at, largest, largest_at


@compiled
def search_many(
    order: Array, q: Array, codes: Array, totals: Array, first: int, last: int, out: Array, work_below: Array
) -> None:
    """The largest weight of rows on the right side of a threshold, each side being given its heaviest class.

    out[j] is (weight, place, class below, class above), of equal ones the first; the place is -1 in a constant column.
    `work_below` (k,) is written over.
    """
    n, k = order.shape[1], totals.shape[0]
    for j in range(first, last):
        out[j, 0], out[j, 1], out[j, 2], out[j, 3] = -1, -1, 0, 0
        for c in range(k):
            work_below[c] = 0
        for i in range(n):
            row = order[j, i]
            tied = row < 0
            if tied:
                row = ~row
            work_below[codes[row]] += q[row]
            if tied:
                continue
            below, above = 0, 0
            for c in range(1, k):
                if work_below[c] > work_below[below]:
                    below = c
                if totals[c] - work_below[c] > totals[above] - work_below[above]:
                    above = c
            right = work_below[below] + totals[above] - work_below[above]
            if right > out[j, 0]:
                out[j, 0], out[j, 1], out[j, 2], out[j, 3] = right, i, below, above


@compiled
def reweigh(column: Array, threshold: float, below: int, above: int, codes: Array, factor: float, v: Array) -> float:
    """Multiply v by a factor where a stump is wrong; returns the largest v."""
    largest = 0.0
    for i in range(v.shape[0]):
        answer = below if column[i] <= threshold else above
        if answer != codes[i]:
            v[i] *= factor
        largest = max(largest, v[i])
    return largest
