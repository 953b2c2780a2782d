"""The arithmetic of boosted trees: a row walks from each root to a leaf, and the values of its leaves are added up."""

import numpy as np

from separatrix.prediction.linear import in_one_dimension, inverse_link, log_probabilities, probabilities
from separatrix.prediction.trees import ends

SIDES = ("left", "right", "missing")


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
    >>> encoded(np.array([7.0, np.nan, 2.0]), np.array([2.0, 7.0]))
    array([ 1., nan,  0.])
    """
    cells = np.asarray(cells)
    if cells.dtype.kind == "f" and categories.dtype.kind == "f" and len(categories):
        codes = np.minimum(np.searchsorted(categories, cells), len(categories) - 1)
        return np.where(categories[codes] == cells, codes, np.nan)
    place = {value: float(code) for code, value in enumerate(categories.tolist())}
    return np.array([place.get(cell, np.nan) for cell in cells.tolist()], dtype=np.float64)


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
    return inverse_link(state.get("link_", "identity"), raw_scores(state, X)[:, 0])


def class_scores(state, X):
    """Raw scores of classes: (n,) for two, else (n, k)."""
    return in_one_dimension(raw_scores(state, X))


def scores_of_log_odds(loss, scores):
    """Raw scores as log-odds: those of the exponential loss are half of them."""
    return 2.0 * scores if loss == "exponential" else scores


def class_of(state, X):
    """The class of each row: of equal probabilities the first."""
    return state["classes_"][class_probabilities(state, X).argmax(axis=1)]


def class_probabilities(state, X):
    """Probability of each class, (n, k)."""
    return probabilities(scores_of_log_odds(state["loss"], class_scores(state, X)))


def class_log_probabilities(state, X):
    """Logarithms of :func:`class_probabilities`."""
    return log_probabilities(scores_of_log_odds(state["loss"], class_scores(state, X)))


def fault(trees):
    """What is wrong with the arrays of trees, in words, "" if nothing is: every walk must stay in them and end.

    Columns are compared with those of the model where the file is read.
    """
    n, inner = len(trees["column"]), trees["column"] >= 0
    roots = trees["roots"].astype(np.int64)
    if (n and (not len(roots) or roots[0] != 0)) or (np.diff(roots) <= 0).any() or (len(roots) and roots[-1] >= n):
        return "trees do not begin one behind another"
    own = np.arange(n)[inner]
    ends = np.append(roots[1:], n)[np.searchsorted(roots, own, side="right") - 1]
    routed = trees["offset"] >= 0
    for name in SIDES:
        child = trees[name][inner]
        if (child <= own).any() or (child >= ends).any():
            return f"{name} of a node is not behind it, in its tree"
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
    led = child != -1
    parents = np.concatenate([own, own, own, owners[led]])
    return _fault_of_children(parents, np.concatenate([*(trees[side][inner] for side in SIDES), child[led]]), roots, n)


def _fault_of_children(parents, children, roots, n):
    """Whether every node but the roots is the child of one node, which is of the same tree."""
    parent = np.full(n, -1, np.int64)
    parent[children] = parents
    if (parent[children] != parents).any():
        return "a node is the child of two nodes"
    tree = np.searchsorted(roots, np.arange(n), side="right")
    if (tree[children] != tree[parents]).any():
        return "a child is in another tree"
    return "" if np.count_nonzero(parent < 0) == len(roots) else "a node is nobody's child"
