r"""The best threshold of a column of a large node, exactly, without sorting its rows.

Computes  the best cut of rows with codes x, weights s and numbers y about their mean. The gain of a cut is
          ``S_L^2 W / (W_L W_R)``, S_L and W_L the sums of s y and of s over the rows with the lower codes.
Given     the rows of the node side by side, and the score to beat.
Returns   the gain, the last code on the left and the first on the right; codes of -1 where nothing beats that score.
From      the bounds of intervals of Alsabti, Ranka and Singh (KDD 1998, CLOUDS), here for numbers as for two classes.

Neighbouring codes are counted together in bins. At the ends of the bins the gain is known. Within a bin that begins
with W_0, S_0 and holds W_b, S+ and S- (the sums of the positive and the negative s y), every cut has S_L between
S_0 - S- and S_0 + S+ and W_L between W_0 and W_0 + W_b, and no gain is above

.. math:: \max(|S_0 - S_-|, |S_0 + S_+|)^2 \, W / \min_{w \in \{W_0, W_0 + W_b\}} w (W - w)

Only the rows of bins whose bound reaches the best known gain are sorted and walked through.
"""

import numpy as np

from separatrix.core.jit import part
from separatrix.core.types import Array
from separatrix.solvers.trees.criterion import Limits
from separatrix.solvers.trees.sorting import CODE, ROW, sort_keys

MANY_ROWS = 256  # from which on bins are faster than sorting (measured)
N_BINS = 256
WEIGHT, SUM, SIZE, COUNT = range(4)
ROUNDING = 1e-12


@part
def search_coarse(
    node_x: Array,
    n: int,
    low: int,
    high: int,
    node_y: Array,
    node_s: Array,
    weight: float,
    floor: float,
    equal: float,
    limits: Limits,
    histogram: Array,
    alive: Array,
    keys: Array,
    spare: Array,
    digits: Array,
) -> tuple[float, int, int]:
    """The best cut: its gain and the codes on both of its sides."""
    shift = 0
    while (high - low) >> shift >= min(N_BINS, n >> 2):
        shift += 1
    n_bins = ((high - low) >> shift) + 1
    _fill(node_x, n, low, shift, n_bins, node_y, node_s, histogram)
    top = max(floor, _best_end(histogram, n_bins, n, weight, limits)) - equal
    m = 0
    if shift > 0 and _mark_alive(histogram, n_bins, weight, top * (1.0 - ROUNDING), alive) > 0:
        for i in range(n):
            if alive[(np.int64(node_x[i]) - low) >> shift]:
                keys[m] = np.int64(node_x[i]) << CODE | i
                m += 1
        sort_keys(keys, m, spare, digits)
    else:
        for b in range(n_bins):
            alive[b] = False
    best, last, at = floor, -1, 0
    n_left, weight_left, sum_left = 0, 0.0, 0.0
    for b in range(n_bins):
        if alive[b]:
            inner_n, inner_weight, inner_sum = n_left, weight_left, sum_left
            end = at + int(histogram[b, COUNT])
            for i in range(at, end):
                row = keys[i] & ROW
                inner_n += 1
                inner_weight += node_s[row]
                inner_sum += node_s[row] * node_y[row]
                if i + 1 == end or keys[i] >> CODE == keys[i + 1] >> CODE:
                    continue
                gain = _gain(inner_n, inner_weight, inner_sum, n, weight, limits)
                if gain > best:
                    best, last = gain + equal, keys[i] >> CODE
            at = end
        if histogram[b, COUNT] == 0.0:
            continue
        n_left += int(histogram[b, COUNT])
        weight_left += histogram[b, WEIGHT]
        sum_left += histogram[b, SUM]
        if n_left == n:
            break
        gain = _gain(n_left, weight_left, sum_left, n, weight, limits)
        if gain > best:
            best, last = gain + equal, low + ((b + 1) << shift) - 1
    if last < 0:
        return floor, -1, -1
    below, above = _around(node_x, n, last, low, high)
    return best - equal, below, above


@part
def _fill(
    node_x: Array, n: int, low: int, shift: int, n_bins: int, node_y: Array, node_s: Array, histogram: Array
) -> None:
    """Sums of the rows of each bin: weights, s y, |s y|, rows."""
    for b in range(n_bins):
        histogram[b, WEIGHT] = histogram[b, SUM] = histogram[b, SIZE] = histogram[b, COUNT] = 0.0
    for i in range(n):
        b = (np.int64(node_x[i]) - low) >> shift
        moment = node_s[i] * node_y[i]
        histogram[b, WEIGHT] += node_s[i]
        histogram[b, SUM] += moment
        histogram[b, SIZE] += abs(moment)
        histogram[b, COUNT] += 1.0


@part
def _gain(n_left: int, weight_left: float, sum_left: float, n: int, weight: float, limits: Limits) -> float:
    """The gain of a cut; minus infinity where a child would be too small."""
    weight_right = weight - weight_left
    if n_left < limits.min_leaf or n - n_left < limits.min_leaf or weight_right <= 0.0:
        return -np.inf
    if weight_left < limits.min_weight or weight_right < limits.min_weight:
        return -np.inf
    return sum_left * sum_left * weight / (weight_left * weight_right)


@part
def _best_end(histogram: Array, n_bins: int, n: int, weight: float, limits: Limits) -> float:
    """The largest gain at the end of a bin."""
    best, n_left, weight_left, sum_left = -np.inf, 0, 0.0, 0.0
    for b in range(n_bins):
        n_left += int(histogram[b, COUNT])
        weight_left += histogram[b, WEIGHT]
        sum_left += histogram[b, SUM]
        if n_left > 0 and n_left < n:
            best = max(best, _gain(n_left, weight_left, sum_left, n, weight, limits))
    return best


@part
def _mark_alive(histogram: Array, n_bins: int, weight: float, top: float, alive: Array) -> int:
    """Mark the bins within which a cut may gain more than `top`; how many they are."""
    n_alive = 0
    weight_before, sum_before = 0.0, 0.0
    for b in range(n_bins):
        inside, moment = histogram[b, WEIGHT], histogram[b, SUM]
        up, down = (histogram[b, SIZE] + moment) / 2.0, (histogram[b, SIZE] - moment) / 2.0
        furthest = max(abs(sum_before + up), abs(sum_before - down))
        weight_after = weight_before + inside
        spread = min(weight_before * (weight - weight_before), weight_after * (weight - weight_after))
        # no bound where an end of the bin leaves one side empty (spread 0), or where no gain is known yet (top <= 0)
        bound_reaches = top <= 0.0 or spread <= 0.0 or furthest * furthest * weight >= top * spread
        alive[b] = histogram[b, COUNT] > 1.0 and bound_reaches
        n_alive += alive[b]
        weight_before, sum_before = weight_after, sum_before + moment
    return n_alive


@part
def _around(node_x: Array, n: int, last: int, low: int, high: int) -> tuple[int, int]:
    """The largest code up to `last`, and the smallest beyond."""
    below, above = low, high
    for i in range(n):
        code = int(node_x[i])
        below = max(below, code if code <= last else low)
        above = min(above, code if code > last else high)
    return below, above
