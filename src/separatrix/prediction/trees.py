"""Trees: where each row ends in a table of nodes (:mod:`separatrix.core.node_table`), and the value there.

All rows go down together, one level at a time.
"""

import numpy as np

from separatrix.prediction.storage import dense


def is_missing(value):
    """None, or what does not equal itself: NaN, and what pandas has for a missing word or date."""
    if value is None:
        return True
    same = value == value
    return not (isinstance(same, bool | np.bool_) and same)


def category_codes(values, categories):
    """The place of each value among the categories, float64; NaN for a missing one, the last place for a stranger."""
    place = {category: float(code) for code, category in enumerate(categories)}
    stranger = float(len(categories))
    return np.array([np.nan if is_missing(v) else place.get(v, stranger) for v in values], dtype=np.float64)


def level_codes(values, levels):
    """The place of each value in an order of levels, float64; NaN for a missing value and for a stranger."""
    codes = category_codes(values, levels)
    codes[codes == len(levels)] = np.nan
    return codes


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
            place = level_codes if state["_is_ordinal"][j] else category_codes
            codes[:, j] = place(codes[:, j].tolist(), state["categories_"][j])
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


def means_of(state, means):
    """Means (n, outputs, 1) as they are predicted: (n,) or (n, outputs)."""
    return means[:, 0, 0] if state["n_outputs_"] == 1 else means[:, :, 0]


def shares_of(state, shares):
    """Shares (n, outputs, classes) as they are predicted: (n, k), or a list of them for several outputs."""
    if state["n_outputs_"] == 1:
        return shares[:, 0]
    return [shares[:, k, : len(classes)] for k, classes in enumerate(state["classes_"])]


def logarithms_of(state, shares):
    """Logarithms of predicted shares."""
    with np.errstate(divide="ignore"):
        return np.log(shares) if state["n_outputs_"] == 1 else [np.log(each) for each in shares]


def largest_of(state, shares):
    """The class with the largest of predicted shares, the first of equals."""
    if state["n_outputs_"] == 1:
        return state["classes_"][np.argmax(shares, axis=1)]
    chosen = [classes[np.argmax(each, axis=1)] for classes, each in zip(state["classes_"], shares)]
    return np.stack(chosen, axis=1)


def number(state, X):
    """Predictions, (n,) or (n, outputs)."""
    return means_of(state, values(state, X))


def class_shares(state, X):
    """Shares of the classes, (n, k); a list of them for several outputs."""
    return shares_of(state, values(state, X))


def log_class_shares(state, X):
    """Their logarithms."""
    return logarithms_of(state, class_shares(state, X))


def class_of(state, X):
    """The class with the largest share, the first of equals."""
    return largest_of(state, class_shares(state, X))
