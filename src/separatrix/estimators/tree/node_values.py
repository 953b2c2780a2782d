"""What the values of nodes are, counted anew: medians, and values that monotone columns clip."""

import numpy as np

from separatrix.solvers.trees.absolute import medians_of_runs
from separatrix.solvers.trees.nodes import depths_of


def clipped(nodes, signs, values, sides=None):
    """Values of all nodes within their bounds.

    A split by a column with a sign parts the values below it midway between those of its children, which are taken
    from `sides`; None for `values` themselves.
    """
    sides = values if sides is None else sides
    low, high = np.full(values.size, -np.inf), np.full(values.size, np.inf)
    cuts = np.flatnonzero((nodes.column >= 0) & (nodes.offset < 0))
    sign, middle = np.zeros(values.size), np.zeros(values.size)
    sign[cuts] = signs[nodes.column[cuts]]
    middle[cuts] = (sides[nodes.left[cuts]] + sides[nodes.right[cuts]]) / 2.0
    for level in _levels(nodes)[1:]:
        parent = nodes.parent[level]
        side = np.where(nodes.left[parent] == level, -1.0, 1.0) * sign[parent]  # 1: no less than the middle
        low[level] = np.where(side > 0.0, middle[parent], low[parent])
        high[level] = np.where(side < 0.0, middle[parent], high[parent])
    return np.minimum(np.maximum(values, low), high)


def medians_of(nodes, ends, y, weights, slack):
    """Of every node the lower and the upper median of its rows, and the mean distance of the rows from the lower one.

    Half of the weight lies up to the lower median and half from the upper one on; `slack` is the share of a node's
    weight by which sums may be wrong.
    """
    n, order = nodes.column.size, np.argsort(y, kind="stable")
    y, weights, at = y[order], weights[order], ends[order].astype(np.int64)
    lower, upper, spread = np.zeros(n), np.zeros(n), np.zeros(n)
    depth = depths_of(nodes)[at]
    for level in range(int(depth.max()), -1, -1):
        live = np.flatnonzero(depth >= level)
        live = live[np.argsort(at[live], kind="stable")]  # by node, and within a node by y
        medians_of_runs(at[live], y[live], weights[live], slack, lower, upper, spread)
        at[live] = nodes.parent[at[live]]
    return lower, upper, spread


def _levels(nodes):
    """The nodes of each depth."""
    depths = depths_of(nodes)
    order = np.argsort(depths, kind="stable")
    return np.split(order, np.flatnonzero(np.diff(depths[order])) + 1)
