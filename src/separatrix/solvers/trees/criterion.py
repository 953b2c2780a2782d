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
    """Whether predictions of two children keep to what monotone columns ask."""
    if (left - right) * limits.sign > 0.0:
        return False
    return min(left, right) >= limits.low and max(left, right) <= limits.high


@part
def cost(criterion: int, sums: Array, weight: float, n_outputs: int, n_classes: int) -> float:
    """W times the impurity, up to a constant of the node; `sums` are the W_c of each output, or Σ s y.

    Of squared errors y is taken about the mean of the node that is split. Infinite where the criterion allows no such
    node: a mean of zero with Poisson's.
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
        elif sums[k] <= 0.0:
            return np.inf
        else:
            total -= sums[k] * log(sums[k] / weight)
    return total / n_outputs


@part
def score(criterion: int, gain: float, weight: float, left: float, right: float) -> float:
    """What splits into two are ranked by: the gain, or its ratio to the entropy of the children's weights."""
    if criterion != GAIN_RATIO:
        return gain
    info = xlogx(weight) - xlogx(left) - xlogx(right)
    return gain / info if info > 0.0 else 0.0
