r"""What a split is judged by: the cost of a node, and how much of it a split takes away.

A node holds rows of weight W, with W_c of class c, or with numbers y of mean m. The impurity of a node is

=====================  ==========================================================  =================================
gini                   1 - Σ_c p_c²,  p_c = W_c / W                                in [0, 1 - 1/k]
entropy                -Σ_c p_c log2 p_c                                           in bits; also log_loss and
                                                                                   information_gain
gain_ratio             the entropy                                                 splits are ranked by the gain over
                                                                                   the entropy of the shares of the
                                                                                   children, "split info"
classification_error   1 - max_c p_c
squared_error          Σ s (y - m)² / W                                            friedman_mse ranks splits alike
absolute_error         Σ s \|y - median\| / W
poisson                Σ s (y log(y/m) + m - y) / W                                half the deviance
=====================  ==========================================================  =================================

each the mean over the outputs, where there are several. The *cost* of a node is W times its impurity, up to a
constant that all splits of a node share. A split is worth cost(node) - Σ cost(child).
"""

from math import log, log2
from typing import NamedTuple

import numpy as np

from separatrix.core.jit import part
from separatrix.core.types import Array

GINI, ENTROPY, GAIN_RATIO, ERROR, SQUARED, POISSON, ABSOLUTE = range(7)
OF_CLASSES = {
    "gini": GINI,
    "entropy": ENTROPY,
    "log_loss": ENTROPY,
    "information_gain": ENTROPY,
    "gain_ratio": GAIN_RATIO,
    "classification_error": ERROR,
}
OF_NUMBERS = {"squared_error": SQUARED, "friedman_mse": SQUARED, "absolute_error": ABSOLUTE, "poisson": POISSON}
# Gains that differ by less than this share of the node's scale are equal: they may come from sums in another order.
EQUAL = 1e-12


class Limits(NamedTuple):
    """What a split must keep to: least rows and weight of a child, and the sign and bounds of monotone predictions."""

    min_leaf: int
    min_weight: float
    sign: int  # 1: larger x, no smaller prediction; -1: no larger one; 0: either
    bounded: bool  # whether sign, low and high are to be heeded
    low: float
    high: float


class Best(NamedTuple):
    """The best split of a sorted column: its score, the last place that goes left, and the values of both sides."""

    score: float
    place: int
    left: float
    right: float


@part
def xlogx(x: float) -> float:
    """``x log2 x``, 0 at 0."""
    return x * log2(x) if x > 0.0 else 0.0


@part
def allowed(limits: Limits, left: float, right: float) -> bool:
    """Whether predictions of two children keep to what monotone columns ask, but for rounding: values are clipped."""
    margin = EQUAL * max(abs(left), abs(right))
    if (left - right) * limits.sign > margin:
        return False
    return min(left, right) >= limits.low - margin and max(left, right) <= limits.high + margin


@part
def cost(criterion: int, sums: Array, weight: float, n_outputs: int, n_classes: int) -> float:
    """W times the impurity, up to a constant of the node; `sums` are the W_c of each output, or Σ s y.

    Of squared errors y is taken about the mean of the node that is split. With Poisson's the numbers of rows with y > 0
    follow the sums: the cost is infinite where there is none, since the criterion allows no mean of zero.
    """
    total = 0.0
    for k in range(n_outputs):
        first = k * n_classes
        if criterion == GINI:
            squares = 0.0
            for c in range(first, first + n_classes):
                squares += sums[c] * sums[c]
            total += weight - squares / weight
        elif criterion in (ENTROPY, GAIN_RATIO):
            total += xlogx(weight)
            for c in range(first, first + n_classes):
                total -= xlogx(sums[c])
        elif criterion == ERROR:
            largest = 0.0
            for c in range(first, first + n_classes):
                largest = max(largest, sums[c])
            total += weight - largest
        elif criterion == SQUARED:
            total -= sums[k] * sums[k] / weight
        elif sums[n_outputs + k] <= 0.0:
            return np.inf
        elif sums[k] > 0.0:
            total -= sums[k] * log(sums[k] / weight)
    return total / n_outputs


@part
def is_enough(gain: float, margin: float, least: float) -> bool:
    """Whether a split that gains so much is made, where `least` is asked for and rounding is up to `margin`.

    A split that gains nothing is made where nothing is asked for: the splits below it may gain.
    """
    return least <= 0.0 or gain + margin >= least


@part
def score(criterion: int, gain: float, weight: float, left: float, right: float) -> float:
    """What splits into two are ranked by: the gain, or its ratio to the entropy of the children's weights."""
    if criterion != GAIN_RATIO:
        return gain
    info = xlogx(weight) - xlogx(left) - xlogx(right)
    return gain / info if info > 0.0 else 0.0
