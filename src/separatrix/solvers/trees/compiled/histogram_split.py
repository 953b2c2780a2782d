r"""The best split of a node from its histogram.

The gain of a split is :math:`G v - G_l v_l - G_r v_r`, where v is the value of a leaf, ``-G / (H + l2)``, held between
its bounds. Of equal gains the first counts: columns in ascending order, thresholds in ascending order, missing numbers
to the right.
"""

from typing import NamedTuple

from separatrix.core.jit import compiled, part
from separatrix.core.types import Array
from separatrix.designs.binned import MISSING, PLACES
from separatrix.solvers.trees.gradients import Gradients, sums_at

TINY = 1e-15  # added to the curvature of a leaf, so that none is divided by 0
# Categories of less support are not sorted by their noise: they go right; and as much curvature is added to the others.
LEAST_SUPPORT = 10.0


class Limits(NamedTuple):
    """What every split of a tree is held to.

    Attributes
    ----------
    g_unit, h_unit : float.  What a unit of a summed slope or curvature stands for.
    regularization : float.  Added to the curvature of a leaf.
    min_samples : int.  Rows that each child must have.
    min_curvature : float.  Curvature that each child must have.
    """

    g_unit: float
    h_unit: float
    regularization: float
    min_samples: int
    min_curvature: float


class Sums(NamedTuple):
    """A node: sums of its rows, its value, and the bounds of its children's values."""

    g: int
    h: int
    rows: int
    value: float
    low: float
    high: float


@part
def leaf_value(g: float, h: float, l2: float, low: float, high: float) -> float:
    """The value of a leaf: a Newton step, held between its bounds."""
    return min(max(-g / (h + l2 + TINY), low), high)


@part
def gain_of(g: int, h: int, node: Sums, limits: Limits, monotone: int) -> float:
    """The gain of a split whose left child has these sums; -1 where it would break a monotonic constraint."""
    left_g, left_h = g * limits.g_unit, h * limits.h_unit
    right_g, right_h = (node.g - g) * limits.g_unit, (node.h - h) * limits.h_unit
    left = leaf_value(left_g, left_h, limits.regularization, node.low, node.high)
    right = leaf_value(right_g, right_h, limits.regularization, node.low, node.high)
    if (monotone > 0 and left > right) or (monotone < 0 and left < right):
        return -1.0
    return node.g * limits.g_unit * node.value - left_g * left - right_g * right


@part
def fits(h: int, count: int, limits: Limits) -> bool:
    """Whether a child has rows and curvature enough."""
    return count >= limits.min_samples and h * limits.h_unit >= limits.min_curvature


@part
def scan_up(
    gradients: Gradients, histogram: Array, base: int, end: int, node: Sums, limits: Limits, monotone: int
) -> tuple[float, int, int, int, int]:
    """Gain, bin and sums of the best threshold among the bins below `end`; missing numbers go right."""
    best, best_bin, best_g, best_h, best_count = 0.0, -1, 0, 0, 0
    g, h, count = 0, 0, 0
    for b in range(end):
        more_g, more_h, more = sums_at(gradients, histogram, base + b)
        if more == 0:
            continue
        g, h, count = g + more_g, h + more_h, count + more
        if not fits(h, count, limits):
            continue
        if not fits(node.h - h, node.rows - count, limits):
            break
        gain = gain_of(g, h, node, limits, monotone)
        if gain > best:
            best, best_bin, best_g, best_h, best_count = gain, b, g, h, count
    return best, best_bin, best_g, best_h, best_count


@part
def scan_down(
    gradients: Gradients, histogram: Array, base: int, end: int, node: Sums, limits: Limits, monotone: int, least: float
) -> tuple[float, int, int, int, int]:
    """The same with missing numbers to the left, among gains above `least`; `end` is the last bin of numbers."""
    best, best_bin, best_g, best_h, best_count = least, -1, 0, 0, 0
    g, h, count = 0, 0, 0  # of the right child
    for b in range(end, 0, -1):
        more_g, more_h, more = sums_at(gradients, histogram, base + b)
        if more == 0:
            continue
        g, h, count = g + more_g, h + more_h, count + more
        if not fits(h, count, limits):
            continue
        if not fits(node.h - h, node.rows - count, limits):
            break
        gain = gain_of(node.g - g, node.h - h, node, limits, monotone)
        if gain > best:
            best, best_bin = gain, b - 1
            best_g, best_h, best_count = node.g - g, node.h - h, node.rows - count
    return best, best_bin, best_g, best_h, best_count


@part
def sort_categories(
    gradients: Gradients,
    histogram: Array,
    base: int,
    n_bins: int,
    has_missing: bool,
    node: Sums,
    limits: Limits,
    work_codes: Array,
    work_values: Array,
) -> int:
    """Sort the categories of enough support by their mean slope, of equal ones by their code; returns how many."""
    used = 0
    support = node.rows / (node.h * limits.h_unit)
    for k in range(n_bins + has_missing):
        code = k if k < n_bins else MISSING
        g, h, _ = sums_at(gradients, histogram, base + code)
        weight = h * limits.h_unit
        if weight * support < LEAST_SUPPORT:
            continue
        value = g * limits.g_unit / (weight + LEAST_SUPPORT)
        place = used
        while place > 0 and work_values[place - 1] > value:
            work_values[place], work_codes[place] = work_values[place - 1], work_codes[place - 1]
            place -= 1
        work_values[place], work_codes[place] = value, code
        used += 1
    return used


@part
def scan_categories(
    gradients: Gradients,
    histogram: Array,
    base: int,
    used: int,
    from_end: bool,
    node: Sums,
    limits: Limits,
    work_codes: Array,
    least: float,
) -> tuple[float, int, int, int, int]:
    """Gain, number of categories and sums of the best left child that takes sorted categories from one end.

    It takes at most half of them, so that the rare ones, which go right, go with the larger half.
    """
    best, best_taken, best_g, best_h, best_count = least, 0, 0, 0, 0
    g, h, count = 0, 0, 0
    for k in range((used + 1) // 2 - from_end):
        code = work_codes[used - 1 - k if from_end else k]
        more_g, more_h, more = sums_at(gradients, histogram, base + code)
        g, h, count = g + more_g, h + more_h, count + more
        if not fits(h, count, limits):
            continue
        if not fits(node.h - h, node.rows - count, limits):
            break
        gain = gain_of(g, h, node, limits, 0)
        if gain > best:
            best, best_taken, best_g, best_h, best_count = gain, k + 1, g, h, count
    return best, best_taken, best_g, best_h, best_count


@compiled
def best_split(
    gradients: Gradients,
    histogram: Array,
    columns: Array,
    n_bins: Array,
    has_missing: Array,
    is_category: Array,
    monotone: Array,
    node: Sums,
    limits: Limits,
    work_codes: Array,
    work_values: Array,
    sums: Array,
    goes_left: Array,
) -> tuple[float, int, int, bool]:
    """Gain, column, bin and whether missing numbers go left, of the best split of a node over some columns.

    The gain is 0 where there is none, the bin -1 where a category is split. `sums` (3,) takes the sums of the left
    child, and goes_left (256,) which bins go there.
    """
    best, best_column, best_bin, missing_left = 0.0, -1, -1, False
    for c in range(columns.shape[0]):
        j = columns[c]
        base = j * PLACES
        if is_category[j]:
            used = sort_categories(
                gradients, histogram, base, n_bins[j], has_missing[j], node, limits, work_codes, work_values
            )
            for from_end in (False, True):
                gain, taken, g, h, count = scan_categories(
                    gradients, histogram, base, used, from_end, node, limits, work_codes, best
                )
                if taken > 0:
                    best, best_column, best_bin = gain, j, -1
                    sums[0], sums[1], sums[2] = g, h, count
                    goes_left[:] = 0
                    for k in range(taken):
                        goes_left[work_codes[used - 1 - k if from_end else k]] = 1
                    missing_left = goes_left[MISSING] == 1
            continue
        gain, b, g, h, count = scan_up(
            gradients, histogram, base, n_bins[j] - 1 + has_missing[j], node, limits, monotone[j]
        )
        left = False
        if has_missing[j]:
            other = scan_down(gradients, histogram, base, n_bins[j] - 1, node, limits, monotone[j], gain)
            if other[1] >= 0:
                gain, b, g, h, count = other
                left = True
        if gain > best:
            best, best_column, best_bin, missing_left = gain, j, b, left
            sums[0], sums[1], sums[2] = g, h, count
    if best_column >= 0 and best_bin >= 0:
        for b in range(PLACES):
            goes_left[b] = b <= best_bin
        goes_left[MISSING] = missing_left
    return best, best_column, best_bin, missing_left
