"""The arithmetic of boosted trees: a row walks from each root to a leaf, and the values of its leaves are added up."""

import numpy as np

from separatrix.prediction.linear import in_one_dimension, inverse_link, log_probabilities, probabilities


def raw_scores(state, X):
    """The baseline plus the values of the leaves, (n, k), tree by tree as the estimators add them."""
    trees = _fields(state["_trees"])
    X = _numbers(state, X)
    k = len(state["_baseline"])
    scores = np.tile(np.asarray(state["_baseline"], dtype=np.float64), (len(X), 1))
    for t, root in enumerate(trees["roots"]):
        scores[:, t % k] += trees["value"][ends(trees, root, X)]
    return scores


def ends(trees, root, X):
    """The node in which each row ends, all rows one level at a time."""
    node, live = np.full(len(X), root, dtype=np.int64), np.arange(len(X))
    while len(live):
        at = node[live]
        inner = trees["column"][at] >= 0
        live, at = live[inner], at[inner]
        x = X[live, trees["column"][at]]
        with np.errstate(invalid="ignore"):
            below, above = x <= trees["threshold"][at], x > trees["threshold"][at]
        child = np.where(below, trees["left"][at], np.where(above, trees["right"][at], trees["missing"][at]))
        routed = trees["offset"][at] >= 0
        if routed.any():
            child[routed] = _routed(trees, at[routed], x[routed])
        stays = child < 0
        node[live[~stays]] = child[~stays]
        live = live[~stays]
    return node


def _routed(trees, at, x):
    """Where categories go; -1 where a code is none of the node's."""
    known = ~np.isnan(x) & (x >= 0) & (x < trees["width"][at])
    code = np.where(known, x, 0.0).astype(np.int64)
    child = np.where(known, trees["routes"][np.minimum(trees["offset"][at] + code, len(trees["routes"]) - 1)], -1)
    return np.where(np.isnan(x), trees["missing"][at], child)


def encoded(cells, categories):
    """Codes of one column of categories, float; NaN where a cell is missing or was not met in training.

    >>> encoded(np.array(["b", "a", None, "new"], dtype=object), np.array(["a", "b"]))
    array([ 1.,  0., nan, nan])
    """
    place = {value: float(code) for code, value in enumerate(categories.tolist())}
    return np.array([place.get(cell, np.nan) for cell in np.asarray(cells).tolist()], dtype=np.float64)


def _numbers(state, X):
    """Rows as numbers: columns of categories by their codes."""
    categories = state.get("_categories")
    if categories is None:
        return X
    columns = [
        np.asarray(X[:, j], dtype=np.float64) if known is None else encoded(X[:, j], known)
        for j, known in enumerate(categories)
    ]
    return np.column_stack(columns)


def _fields(trees):
    return trees.state if "state" in dir(trees) else vars(trees)


def number(state, X):
    """The mean (or median, or quantile) of y that the raw scores stand for: (n,)."""
    return inverse_link(state["link_"], raw_scores(state, X)[:, 0])


def class_scores(state, X):
    """Raw scores of classes: (n,) for two, else (n, k)."""
    return in_one_dimension(raw_scores(state, X))


def class_of(state, X):
    """The class of each row: of equal probabilities the first."""
    return state["classes_"][class_probabilities(state, X).argmax(axis=1)]


def class_probabilities(state, X):
    """Probability of each class, (n, k)."""
    return probabilities(class_scores(state, X))


def class_log_probabilities(state, X):
    """Logarithms of :func:`class_probabilities`."""
    return log_probabilities(class_scores(state, X))


def fault(trees):
    """What is wrong with the arrays of trees, in words, "" if nothing is: every walk must stay in them and end.

    Columns are compared with those of the model where the file is read.
    """
    n, inner = len(trees["column"]), trees["column"] >= 0
    roots = trees["roots"]
    if len(roots) and (roots.min() < 0 or roots.max() >= n):
        return "a root is no node"
    own = np.arange(n)[inner]
    routed = trees["offset"] >= 0
    for name in ("left", "right", "missing"):
        child = trees[name][inner]
        if (child <= own).any() or (child >= n).any():
            return f"{name} of a node is not behind it"
    if (trees["width"] < 0).any() or ((trees["width"] > 0) != routed).any() or (routed & ~inner).any():
        return "routes and their numbers disagree"
    width, offset = trees["width"][routed].astype(np.int64), trees["offset"][routed].astype(np.int64)
    if width.sum() > len(trees["routes"]) or (offset + width > len(trees["routes"])).any():
        return "routes lie outside of their array"
    owners = np.repeat(np.flatnonzero(routed), width)
    places = np.repeat(offset - np.cumsum(width) + width, width) + np.arange(len(owners))
    child = trees["routes"][places]
    if (((child <= owners) | (child >= n)) & (child != -1)).any():
        return "a route leads to no node behind it"
    return ""
