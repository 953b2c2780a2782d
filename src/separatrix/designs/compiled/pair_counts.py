"""Codes of categories, and counts of pairs of them, in one walk over the rows."""

from separatrix.core.jit import compiled
from separatrix.core.types import Array


@compiled
def small_codes(B: Array, codes: Array, met: Array) -> bool:
    """Copy numbers 0, 1, ..., 254 to `codes` and mark them in met[j, number]; a NaN is 255.

    Returns False at the first number that is none of these.
    """
    for i in range(B.shape[0]):
        for j in range(B.shape[1]):
            x = B[i, j]
            if x != x:
                codes[i, j] = 255
                met[j, 255] = True
            elif 0.0 <= x < 255.0 and x == int(x):
                codes[i, j] = int(x)
                met[j, int(x)] = True
            else:
                return False
    return True


@compiled
def mark_levels(codes: Array, first: Array, out: Array) -> None:
    """Set out[i, first[j] + code - 1] to one for each cell whose code is not 0: the other levels of a column."""
    for i in range(codes.shape[0]):
        for j in range(codes.shape[1]):
            if codes[i, j] > 0:
                out[i, first[j] + codes[i, j] - 1] = 1.0


@compiled
def add_pairs(levels: Array, weights: Array, first: Array, counts: Array, work_table: Array) -> None:
    """Add the weights of some rows to the cells of all pairs of columns j < l, and of j = l.

    levels are codes by columns (p, n); weights may be one number, for all rows alike. One pair of columns is counted
    at a time, in a table that stays in cache.
    """
    alike = weights.shape[0] == 1
    for j in range(levels.shape[0]):
        for l in range(j, levels.shape[0]):
            height, width = first[j + 1] - first[j], first[l + 1] - first[l]
            for cell in range(height * width):
                work_table[cell] = 0.0
            for i in range(levels.shape[1]):
                work_table[levels[j, i] * width + levels[l, i]] += weights[0] if alike else weights[i]
            for a in range(height):
                for b in range(width):
                    counts[first[j] + a, first[l] + b] += work_table[a * width + b]
