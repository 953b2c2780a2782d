"""Forests: the mean over trees of the values of the ends of a row (:mod:`separatrix.core.packed_tree`)."""

import numpy as np

from separatrix.prediction import trees
from separatrix.prediction.trees import coded


def ends(tree, X):
    """The entry of the ends of a packed tree in which each row of X ends."""
    at, live = np.zeros(len(X), np.int64), np.arange(len(X))
    column, right, routed = tree["column"], tree["right"], tree["routed"]
    while live.size:
        live = live[column[at[live]] != -1]
        node = at[live]
        by_code = column[node] < 0
        place = np.where(by_code, -2 - column[node], 0)
        asked = column[node].astype(np.int64)
        if by_code.any():
            asked[by_code] = routed[place[by_code], 0]
        x = X[live, asked].astype(np.float64)
        gap = np.isnan(x)
        other = right[node].astype(np.int64)
        child = np.where(x <= tree["threshold"][node], node + 1, np.where(other < 0, ~other, other))
        child[gap & (other < 0)] = node[gap & (other < 0)] + 1
        if by_code.any():
            _, offset, width, missing = routed[place].T
            known = by_code & ~gap & (x >= 0.0) & (x < width)
            child[by_code] = np.where(gap, missing, -1)[by_code]
            child[known] = tree["routes"][offset[known] + x[known].astype(np.int64)]
        goes = child >= 0
        live = live[goes]
        at[live] = child[goes]
    return right[at]


def values(state, X):
    """The mean of the values, (n, outputs, classes), tree by tree as the estimators add them."""
    X = coded(state, X)
    members = [each.state for each in state["_trees"]]
    total = np.zeros((len(X), members[0]["value"].shape[1]))
    for tree in members:
        total += tree["value"][ends(tree, X)]
    return (total / len(members)).reshape(len(X), state["n_outputs_"], -1)


def number(state, X):
    """Predictions, (n,) or (n, outputs)."""
    return trees.means_of(state, values(state, X))


def class_shares(state, X):
    """Shares of the classes, (n, k); a list of them for several outputs."""
    return trees.shares_of(state, values(state, X))


def log_class_shares(state, X):
    """Their logarithms."""
    return trees.logarithms_of(state, class_shares(state, X))


def class_of(state, X):
    """The class with the largest share, the first of equals."""
    return trees.largest_of(state, class_shares(state, X))
