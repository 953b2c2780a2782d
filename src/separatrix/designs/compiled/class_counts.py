"""Counts of the columns, class by class, in one walk over the numbers that are stored."""

import math

from separatrix.core.jit import compiled
from separatrix.core.types import Array


@compiled
def class_ones(B: Array, codes: Array, weights: Array, threshold: float, sums: Array) -> float:
    """Add the weight of a row to the sums of its class in the columns where it is above the threshold.

    weights may be one number, for all rows alike. Returns 0, or NaN where some number of B is not finite, which the
    sums do not show. (A sum of ``0.0 * x`` would show it too, but LLVM 14 takes that for 0.)
    """
    alike = weights.shape[0] == 1
    not_finite = 0.0
    for i in range(B.shape[0]):
        c = codes[i]
        s = weights[0] if alike else weights[i]
        for j in range(B.shape[1]):
            x = B[i, j]
            not_finite += 0.0 if abs(x) < math.inf else 1.0
            sums[c, j] += s if x > threshold else 0.0
    return math.nan if not_finite else 0.0


@compiled
def class_totals(B: Array, codes: Array, weights: Array, low: float, high: float, sums: Array) -> float:
    """Add a row, times its weight, to the sums of its class; returns how many numbers are not in [low, high]."""
    alike = weights.shape[0] == 1
    outside = 0.0
    for i in range(B.shape[0]):
        c = codes[i]
        s = weights[0] if alike else weights[i]
        for j in range(B.shape[1]):
            x = B[i, j]
            outside += 0.0 if low <= x <= high else 1.0
            sums[c, j] += s * x
    return outside


@compiled
def class_totals_by_rows(
    data: Array, indices: Array, indptr: Array, start: int, stop: int, codes: Array, weights: Array, sums: Array
) -> None:
    """The same for some of the rows of a matrix in compressed sparse rows, and nothing returned."""
    alike = weights.shape[0] == 1
    for i in range(start, stop):
        row = sums[codes[i]]
        s = weights[0] if alike else weights[i]
        for l in range(indptr[i], indptr[i + 1]):
            row[indices[l]] += s * data[l]


@compiled
def class_totals_by_columns(
    data: Array, indices: Array, indptr: Array, start: int, stop: int, codes: Array, weights: Array, sums: Array
) -> None:
    """The same for some of the columns of a matrix in compressed sparse columns."""
    alike = weights.shape[0] == 1
    for j in range(start, stop):
        for l in range(indptr[j], indptr[j + 1]):
            i = indices[l]
            s = weights[0] if alike else weights[i]
            sums[codes[i], j] += s * data[l]


@compiled
def category_totals(B: Array, codes: Array, weights: Array, offsets: Array, sums: Array) -> None:
    """Add the weight of a row to the sums of its class at ``offsets[j] + x_j`` for each column j, fractions cut off."""
    alike = weights.shape[0] == 1
    for i in range(B.shape[0]):
        c = codes[i]
        s = weights[0] if alike else weights[i]
        for j in range(B.shape[1]):
            sums[c, offsets[j] + int(B[i, j])] += s
