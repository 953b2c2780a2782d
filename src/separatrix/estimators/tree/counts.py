"""The numbers of the nodes, counted anew from rows: what the certificate of a tree says."""

import numpy as np

from separatrix.designs import as_dense
from separatrix.solvers.trees.criterion import (
    ABSOLUTE,
    ENTROPY,
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


def count_residual(nodes, X, target, s, criterion, *, clipped=False):
    """How far the published numbers of the nodes are from those of the rows, relative to their size.

    Weights and counts of every node; values and impurities where they are functions of sums (of medians: the values of
    the leaves only, by the weight on either side), unless monotone constraints `clipped` the values.
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
    if clipped:
        return float(residual)
    of_target = _classes if target.n_classes else _numbers
    code = (OF_CLASSES if target.n_classes else OF_NUMBERS)[criterion]
    return float(max(residual, of_target(nodes, ends, y, weights, weight, code, target.n_classes)))


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


def _classes(nodes, ends, y, weights, weight, criterion, n_classes):
    """The largest difference of shares and impurities."""
    n, residual, impurity = nodes.column.size, 0.0, np.zeros(nodes.column.size)
    for k in range(y.shape[1]):
        cells = np.bincount(ends * n_classes + y[:, k], weights, n * n_classes).reshape(n, n_classes)
        shares = sums_below(nodes, cells) / weight[:, None]
        residual = max(residual, np.abs(shares - nodes.value[:, k * n_classes : (k + 1) * n_classes]).max())
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


def _numbers(nodes, ends, y, weights, weight, criterion, n_classes):
    """The largest difference of means, or for medians the weight on either side of a leaf's value beyond half."""
    n, residual = nodes.column.size, 0.0
    impurity, largest = np.zeros(n), np.finfo(float).tiny
    for k in range(y.shape[1]):
        value = nodes.value[:, k]
        apart = y[:, k] - value[ends]
        if criterion == ABSOLUTE:
            here = np.bincount(ends, weights, n)
            for side in (apart > 0.0, apart < 0.0):
                beyond = np.bincount(ends, weights * side, n) - 0.5 * here
                residual = max(residual, np.max(beyond / weight))
            continue
        size = np.abs(y[:, k]).max()
        mean = sums_below(nodes, np.bincount(ends, weights * y[:, k], n)) / weight
        residual = max(residual, np.abs(mean - value).max() / size if size > 0.0 else 0.0)
        if criterion == POISSON:
            terms = np.where(y[:, k] > 0.0, y[:, k] * np.log(np.where(y[:, k] > 0.0, y[:, k], 1.0)), 0.0)
            log_mean = np.log(np.where(mean > 0.0, mean, 1.0))
            impurity += sums_below(nodes, np.bincount(ends, weights * terms, n)) / weight - mean * log_mean
            # the impurity is the small difference of these
            largest = max(largest, size, np.abs(terms).max(), np.abs(mean * log_mean).max())
        else:
            within = sums_below(nodes, np.bincount(ends, weights * apart**2, n))
            leaves = sums_below(nodes, np.bincount(ends, weights * value[ends] ** 2, n))
            impurity += (within + leaves) / weight - mean**2
            largest = max(largest, size**2)
    if criterion == ABSOLUTE:
        return residual
    return max(residual, np.abs(impurity / y.shape[1] - nodes.impurity).max() / largest)
