r"""The arithmetic of trees of categories: :math:`P(x) = P(x_r) \prod_j P(x_j \mid x_{\mathrm{parent}(j)})`.

What is missing in a row is summed over by messages from the leaves to the root (Pearl 1988), exactly, in one visit of
each edge. Numbers are scaled on the way, so that many columns do not underflow.
"""

from numbers import Number

import numpy as np

from separatrix.core.blocks import row_blocks
from separatrix.core.refusal import cannot
from separatrix.prediction.posteriors import logarithm

FEW = 16  # categories of a column of numbers that are looked for one after the other


def log_joint(state, X):
    """``log P(x, C_k)`` (n, k) of a ChowLiuClassifier."""
    return log_likelihoods(state, [tree.state for tree in state["trees_"]], X) + log_shares(state)


def log_likelihoods(state, trees, X):
    """``log P(x | C_k)`` (n, k) from the state of a classifier and those of its trees, which share their categories."""
    codes = codes_of(X, trees[0]["categories_"], state["unseen"], lambda j: name_of(state, j))
    return np.column_stack([log_likelihood(tree["parents_"], tree["conditional_tables_"], *codes) for tree in trees])


def log_shares(state):
    """``log P(C_k)`` (k,)."""
    return logarithm(state["class_prior_"])


def name_of(state, j):
    """What to call a column in an error."""
    names = state.get("feature_names_in_")
    return f"column {str(names[j])!r}" if names is not None else f"column {j}"


def codes_of(X, categories, unseen, name):
    """Places of the cells of X (n, p) among the categories of its columns, and which cells are missing, or None.

    A cell is missing where it is None or NaN, and with `unseen="ignore"` where it is no category of the fit.

    >>> codes_of(np.array([["b"], ["a"]]), [["a", "b"]], "error", str)[0].tolist()
    [[1], [0]]
    """
    codes, missing = np.empty(X.shape, dtype=np.int32), np.zeros(X.shape, dtype=bool)
    for j, known in enumerate(categories):
        numbers = X.dtype.kind in "biuf" and all(isinstance(value, Number) for value in known)
        codes[:, j], empty, strange = (_of_numbers if numbers else _of_values)(X[:, j], known)
        if strange.any() and unseen == "error":
            refuse_unseen(X[strange, j].tolist()[0], known, name(j))
        missing[:, j] = empty | strange
    return codes, missing if missing.any() else None


def _of_numbers(column, known):
    """Codes of a column of numbers, which of them are NaN, and which are no category."""
    if len(known) <= FEW:
        codes, met = np.zeros(len(column), dtype=np.int32), np.zeros(len(column), dtype=bool)
        for code, value in enumerate(known):
            same = column == value
            codes[same] = code
            met |= same
    else:
        values = np.asarray(known)
        order = np.argsort(values)  # categories that were declared are in the order of their declaration
        codes = order[np.searchsorted(values, column, sorter=order).clip(max=len(values) - 1)]
        met = values[codes] == column
    empty = np.isnan(column) if column.dtype.kind == "f" else np.zeros(len(column), dtype=bool)
    return codes, empty, ~met & ~empty


def _of_values(column, known):
    """The same of a column of words or of anything."""
    place = {value: code for code, value in enumerate(known)}
    values = column.tolist()
    empty = np.array([is_missing(value) for value in values], dtype=bool)
    codes = np.array(
        [place.get(v, -1) if not gone else -1 for v, gone in zip(values, empty, strict=True)], dtype=np.int32
    )
    return codes.clip(min=0), empty, (codes < 0) & ~empty


def is_missing(value):
    """Whether a cell is None, NaN or pandas' NA.

    >>> [is_missing(value) for value in (None, float("nan"), "", 0)]
    [True, True, False, False]
    """
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(value, float) and value != value


def refuse_unseen(value, known, name):
    """Raise for a category that the fit has not met."""
    shown = ", ".join(map(repr, known[:5])) + (", …" if len(known) > 5 else "")
    raise cannot(
        f"use the category {value!r} of {name}",
        because=f"it is none of the {len(known)} categories of the fit ({shown})",
        instead='unseen="ignore", which takes such a cell for missing',
    )


def log_likelihood(parents, tables, codes, missing=None):
    """``log P(x)`` (n,) of rows of codes (n, p): of what is not missing.

    `tables` are P(x_r), (V_r,), of the root r, whose parent is -1, and P(x_j | x_parent), (V_parent, V_j), of others.
    """
    log_p = np.zeros(len(codes))
    whole = slice(None) if missing is None else np.flatnonzero(~missing.any(axis=1))
    rows = codes[whole]
    for j, parent in enumerate(parents.tolist()):
        logs = logarithm(tables[j])
        log_p[whole] += logs[rows[:, j]] if parent < 0 else logs[rows[:, parent], rows[:, j]]
    if missing is not None:
        part = np.flatnonzero(missing.any(axis=1))
        width = sum(table.shape[-1] for table in tables)
        for block in row_blocks(len(part), width):
            log_p[part[block]] = upward(parents, tables, codes[part[block]], missing[part[block]])[0]
    return log_p


def downwards(parents):
    """The columns, each after its parent.

    >>> downwards(np.array([2, 0, -1]))
    [2, 0, 1]
    """
    children = [[] for _ in parents]
    for j, parent in enumerate(parents.tolist()):
        if parent >= 0:
            children[parent].append(j)
    order = [int(np.flatnonzero(parents < 0)[0])]
    for j in order:
        order.extend(children[j])
    return order


def evidence_of(codes, missing, j, size):
    """Which categories of column j a row allows: (n, size), one where it says, all where it is missing."""
    allowed = np.zeros((len(codes), size))
    allowed[np.arange(len(codes)), codes[:, j]] = 1.0
    allowed[missing[:, j]] = 1.0
    return allowed


def upward(parents, tables, codes, missing):
    """``log P(what is not missing)`` (n,), and the message of each column to its parent, (n, V_parent), up to scale."""
    beliefs = [evidence_of(codes, missing, j, table.shape[-1]) for j, table in enumerate(tables)]
    messages, log_scale = [None] * len(tables), np.zeros(len(codes))
    root, *others = downwards(parents)
    for j in reversed(others):
        messages[j] = beliefs[j] @ tables[j].T
        above = beliefs[parents[j]]
        above *= messages[j]
        scale = above.max(axis=1)
        above /= np.where(scale > 0.0, scale, 1.0)[:, None]
        log_scale += logarithm(scale)
    return log_scale + logarithm(beliefs[root] @ tables[root]), messages
