"""The numbers of the nodes, counted anew from rows: what the certificate of a tree says."""

import numpy as np

from separatrix.designs import as_dense
from separatrix.estimators.tree.node_values import clipped, medians_of
from separatrix.solvers.trees.criterion import (
    ABSOLUTE,
    ENTROPY,
    EQUAL,
    ERROR,
    GAIN_RATIO,
    GINI,
    OF_CLASSES,
    OF_NUMBERS,
    POISSON,
)
from separatrix.solvers.trees.nodes import apply
from separatrix.solvers.trees.pruning import sums_below

EPS = float(np.finfo(np.float64).eps)
# Roundings of a term beside those of the summation: weight, square, product and division.
BESIDE = 8.0
ADVICE = "Use weights, and values of y, that differ by fewer orders of magnitude."


def count_tolerance(n):
    """How far sums over n rows may be from those counted anew, relative: either is right to ``(n - 1) eps/2``."""
    return (n + BESIDE) * EPS


def count_residual(nodes, X, target, s, criterion, *, signs=None):
    """How far the published numbers of the nodes are from those of the rows, relative to their size.

    Weights, counts, values and impurities of every node; `signs` are those of monotone columns, which clip values.
    """
    rows = np.arange(len(target.y)) if s is None else np.flatnonzero(s > 0.0)
    weights = np.ones(rows.size) if s is None else s[rows]
    ends = apply(nodes, as_dense(X)[rows])
    y, n = target.y[rows], nodes.column.size
    counts = sums_below(nodes, np.bincount(ends, minlength=n).astype(float))
    if np.any(counts != nodes.n_samples) or np.any((nodes.column >= 0) & (np.bincount(ends, minlength=n) > 0)):
        return np.inf
    weight = sums_below(nodes, np.bincount(ends, weights, n))
    residual = np.max(np.abs(weight - nodes.weight) / weight)
    if target.n_classes:
        apart = _classes(nodes, ends, y, weights, weight, OF_CLASSES[criterion], target.n_classes, signs)
    elif OF_NUMBERS[criterion] == ABSOLUTE:
        apart = _medians(nodes, ends, y, weights, signs)
    else:
        apart = _means(nodes, ends, y, weights, weight, OF_NUMBERS[criterion], signs)
    return float(max(residual, apart))


def squared_errors(nodes, X, target, s):
    """The mean squared error of every node, summed about the mean of the root: an offset of y costs no digits."""
    rows = np.arange(len(target.y)) if s is None else np.flatnonzero(s > 0.0)
    weights = np.ones(rows.size) if s is None else s[rows]
    ends, n = apply(nodes, as_dense(X)[rows]), nodes.column.size
    weight, impurity = sums_below(nodes, np.bincount(ends, weights, n)), np.zeros(n)
    for k in range(target.y.shape[1]):
        apart = target.y[rows, k] - nodes.value[0, k]
        mean = sums_below(nodes, np.bincount(ends, weights * apart, n)) / weight
        within = sums_below(nodes, np.bincount(ends, weights * (apart - mean[ends]) ** 2, n))
        between = sums_below(nodes, np.bincount(ends, weights * mean[ends] ** 2, n))
        impurity += np.maximum((within + between) / weight - mean**2, 0.0) / target.y.shape[1]
    return impurity


def threshold_residual(nodes, X, s, *, drawn=False):
    """How far thresholds are from the middle of the nearest values on either side, relative; infinite where wrong.

    Where thresholds were `drawn` they only have to lie between. Missing values that no training row had must go with
    most of the weight.
    """
    rows = np.arange(len(X)) if s is None else np.flatnonzero(s > 0.0)
    X = np.asarray(as_dense(X))[rows]
    n, at = nodes.column.size, apply(nodes, X).astype(np.int64)
    low, high, unknown = np.full(n, -np.inf), np.full(n, np.inf), np.ones(n, dtype=bool)
    live = np.flatnonzero(at > 0)
    while live.size:
        child, parent = at[live], nodes.parent[at[live]]
        x = X[live, nodes.column[parent]].astype(np.float64)
        gap = np.isnan(x)
        unknown[parent[gap]] = False
        left = (nodes.left[parent] == child) & ~gap
        right = (nodes.right[parent] == child) & ~gap
        np.maximum.at(low, parent[left], x[left])
        np.minimum.at(high, parent[right], x[right])
        at[live] = parent
        live = live[parent > 0]
    cuts = np.flatnonzero((nodes.column >= 0) & (nodes.offset < 0))
    low, high, threshold = low[cuts], high[cuts], nodes.threshold[cuts]
    heavier = nodes.weight[nodes.left[cuts]] > nodes.weight[nodes.right[cuts]]
    default = np.where(heavier, nodes.left[cuts], nodes.right[cuts])
    inside = (threshold >= low) & ((threshold < high) | np.isposinf(high))
    if not inside.all() or np.any(unknown[cuts] & (nodes.missing[cuts] != default)):
        return np.inf
    if drawn or not cuts.size:
        return 0.0
    with np.errstate(invalid="ignore"):
        middle = np.where(np.isposinf(high), np.inf, low / 2.0 + high / 2.0)
        # halves of subnormal numbers are rounded to one of these units
        near = (threshold == middle) | (np.abs(threshold - middle) <= np.finfo(np.float64).smallest_subnormal)
        apart = np.where(near, 0.0, np.abs(threshold - middle))
        size = np.maximum(np.abs(low), np.where(np.isposinf(high), 0.0, np.abs(high)))
    if not np.isfinite(apart).all():  # no row is on one side
        return np.inf
    return float(np.max(apart / np.where(size > 0.0, size, 1.0)))


def _classes(nodes, ends, y, weights, weight, criterion, n_classes, signs):
    """The largest difference of shares and impurities."""
    n, residual, impurity = nodes.column.size, 0.0, np.zeros(nodes.column.size)
    for k in range(y.shape[1]):
        cells = np.bincount(ends * n_classes + y[:, k], weights, n * n_classes).reshape(n, n_classes)
        shares = sums_below(nodes, cells) / weight[:, None]
        stated = shares
        if signs is not None and n_classes == 2:
            ones = clipped(nodes, signs, shares[:, 1])
            stated = np.column_stack([1.0 - ones, ones])
        residual = max(residual, np.abs(stated - nodes.value[:, k * n_classes : (k + 1) * n_classes]).max())
        impurity += class_impurity(criterion, shares) / y.shape[1]
    return max(residual, np.abs(impurity - nodes.impurity).max())


def class_impurity(criterion, shares):
    """The impurity of nodes whose rows have these shares of the classes (n_nodes, n_classes)."""
    if criterion == GINI:
        return 1.0 - (shares**2).sum(axis=1)
    if criterion == ERROR:
        return 1.0 - shares.max(axis=1)
    if criterion in (ENTROPY, GAIN_RATIO):
        return -(shares * np.log2(np.where(shares > 0.0, shares, 1.0))).sum(axis=1)
    raise AssertionError(criterion)


def _means(nodes, ends, y, weights, weight, criterion, signs):
    """The largest difference of means and of their impurities."""
    n, residual = nodes.column.size, 0.0
    impurity, largest = np.zeros(n), np.finfo(float).tiny
    for k in range(y.shape[1]):
        size = np.abs(y[:, k]).max()
        mean = sums_below(nodes, np.bincount(ends, weights * y[:, k], n)) / weight
        stated = mean if signs is None else clipped(nodes, signs, mean)
        residual = max(residual, np.abs(stated - nodes.value[:, k]).max() / size if size > 0.0 else 0.0)
        if criterion == POISSON:
            terms = np.where(y[:, k] > 0.0, y[:, k] * np.log(np.where(y[:, k] > 0.0, y[:, k], 1.0)), 0.0)
            log_mean = np.log(np.where(mean > 0.0, mean, 1.0))
            impurity += sums_below(nodes, np.bincount(ends, weights * terms, n)) / weight - mean * log_mean
            # the impurity is the small difference of these
            largest = max(largest, size, np.abs(terms).max(), np.abs(mean * log_mean).max())
        else:
            within = sums_below(nodes, np.bincount(ends, weights * (y[:, k] - mean[ends]) ** 2, n))
            leaves = sums_below(nodes, np.bincount(ends, weights * mean[ends] ** 2, n))
            impurity += (within + leaves) / weight - mean**2
            largest = max(largest, size**2)
    return max(residual, np.abs(impurity / y.shape[1] - nodes.impurity).max() / largest)


def _medians(nodes, ends, y, weights, signs):
    """The largest difference of medians and of their impurities.

    Sums of whole weights are exact. Of other weights rounding may decide on which side of half a sum lies: then every
    number between the two medians counts as one.
    """
    whole = bool(np.all(weights == np.floor(weights))) and weights.sum() < 0.5 / EQUAL
    slack = 0.0 if whole else max(EQUAL, count_tolerance(len(y)))
    residual, impurity, largest = 0.0, np.zeros(nodes.column.size), np.finfo(float).tiny
    for k in range(y.shape[1]):
        lower, upper, spread = medians_of(nodes, ends, y[:, k], weights, slack)
        low, high = (lower, upper) if slack else (0.5 * lower + 0.5 * upper,) * 2
        if signs is not None:  # the bounds are made of lower medians
            low, high = clipped(nodes, signs, low, lower), clipped(nodes, signs, high, upper if slack else lower)
        size = np.abs(y[:, k]).max()
        beyond = np.maximum(low - nodes.value[:, k], nodes.value[:, k] - high)
        residual = max(residual, beyond.max() / size if size > 0.0 else np.abs(nodes.value[:, k]).max())
        impurity += spread / y.shape[1]
        largest = max(largest, size)
    return max(residual, np.abs(impurity - nodes.impurity).max() / largest)
