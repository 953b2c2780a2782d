"""Trees: where each row ends in a table of nodes (:mod:`separatrix.core.node_table`), and the value there.

All rows go down together, one level at a time.
"""

import numpy as np

from separatrix.prediction.storage import dense


def is_missing(value):
    """None, or a number that is none."""
    return value is None or (isinstance(value, float) and value != value)


def category_codes(values, categories):
    """The place of each value among the categories, float64; NaN for a missing one, the last place for a stranger."""
    place = {category: float(code) for code, category in enumerate(categories)}
    stranger = float(len(categories))
    return np.array([np.nan if is_missing(v) else place.get(v, stranger) for v in values], dtype=np.float64)


def bin_codes(column, edges):
    """Which part each number is in: 0 up to the first edge, and so on."""
    codes = np.searchsorted(edges, column, side="left").astype(np.float64)
    codes[np.isnan(column)] = np.nan
    return codes


def serves(state):
    """Whether rows are numbers, so that no class is needed to read them."""
    return not any(isinstance(c, str) for each in state["categories_"] if each is not None for c in each)


def coded(state, X):
    """X with codes in the place of categories and bins."""
    X = np.asarray(dense(X))
    changed = [j for j, each in enumerate(state["categories_"]) if each is not None]
    edges = state["_edges"]
    changed += [j for j, each in enumerate(edges) if each is not None]
    if not changed:
        return X
    codes = np.array(X, dtype=np.float64)
    for j in changed:
        if edges[j] is not None:
            codes[:, j] = bin_codes(codes[:, j], edges[j])
        else:
            codes[:, j] = category_codes(codes[:, j].tolist(), state["categories_"][j])
    return codes


def ends(nodes, X, root=0):
    """The node below `root` in which each row of X ends; `nodes` has the arrays of a table by name."""
    at = np.full(len(X), root, np.int64)
    live = np.arange(len(X))
    while live.size:
        live = live[nodes["column"][at[live]] >= 0]
        node = at[live]
        x = X[live, nodes["column"][node]].astype(np.float64)
        gap = np.isnan(x)
        by_code = nodes["offset"][node] >= 0
        child = np.where(x <= nodes["threshold"][node], nodes["left"][node], nodes["right"][node])
        known = by_code & ~gap & (x >= 0.0) & (x < nodes["width"][node])
        child[by_code] = -1
        child[known] = nodes["routes"][nodes["offset"][node[known]] + x[known].astype(np.int64)]
        child[gap] = nodes["missing"][node[gap]]
        goes = child >= 0
        live = live[goes]
        at[live] = child[goes]
    return at


def values(state, X):
    """The value of the node in which each row ends, (n, outputs, classes)."""
    nodes = state["nodes_"].state
    rows = nodes["value"][ends(nodes, coded(state, X))]
    return rows.reshape(len(rows), state["n_outputs_"], -1)


def number(state, X):
    """Predictions, (n,) or (n, outputs)."""
    means = values(state, X)[:, :, 0]
    return means[:, 0] if state["n_outputs_"] == 1 else means


def class_shares(state, X):
    """Shares of the classes, (n, k); a list of them for several outputs."""
    shares = values(state, X)
    if state["n_outputs_"] == 1:
        return shares[:, 0]
    return [shares[:, k, : len(classes)] for k, classes in enumerate(state["classes_"])]


def log_class_shares(state, X):
    """Their logarithms."""
    shares = class_shares(state, X)
    with np.errstate(divide="ignore"):
        return np.log(shares) if state["n_outputs_"] == 1 else [np.log(each) for each in shares]


def class_of(state, X):
    """The class with the largest share, the first of equals."""
    shares = class_shares(state, X)
    if state["n_outputs_"] == 1:
        return state["classes_"][np.argmax(shares, axis=1)]
    chosen = [classes[np.argmax(each, axis=1)] for classes, each in zip(state["classes_"], shares)]
    return np.stack(chosen, axis=1)
