"""The arithmetic of boosted trees: a row walks from each root to a leaf, and the values of its leaves are added up."""

import numpy as np

from separatrix.prediction.linear import in_one_dimension, inverse_link, log_probabilities, probabilities
from separatrix.prediction.trees import ends


def raw_scores(state, X):
    """The baseline plus the values of the leaves, (n, k), tree by tree as the estimators add them."""
    trees = _fields(state["_trees"])
    X = _numbers(state, X)
    k = len(state["_baseline"])
    scores = np.tile(np.asarray(state["_baseline"], dtype=np.float64), (len(X), 1))
    for t, root in enumerate(trees["roots"]):
        scores[:, t % k] += trees["value"][ends(trees, X, root)]
    return scores


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
