"""The arithmetic of category columns: which level a cell is, and one column of 0 and 1 for each level.

The outcomes of a column are its levels, then "other" where rare levels were pooled, then "missing" where cells were
missing in training. A level that was never met is "other" if there is such an outcome, and no outcome at all if not.
"""

import numpy as np

from separatrix.prediction.cells import as_text, codes_of


def outcomes(state, j):
    """How many outcomes column j has."""
    return len(state["levels_"][j]) + int(state["pooled_"][j]) + int(state["missing_"][j])


def outcome_codes(state, column, j):
    """The outcome of each cell of column j, -1 for none."""
    levels = state["levels_"][j]
    place = {level: code for code, level in enumerate(levels)}
    stranger = len(levels) if state["pooled_"][j] else -1
    if state["missing_"][j]:
        place[None] = outcomes(state, j) - 1
    return codes_of(as_text(column), place, stranger)


def one_hot(state, X):
    """What Categories makes of X (n, p): an array, or where that would be mostly 0 a CSR array.

    >>> state = {"levels_": [["a", "b"]], "pooled_": [True], "missing_": [False], "dropped_": [0], "sparse_": False}
    >>> one_hot(state, np.array([["a"], ["b"], ["new"]], dtype=object))
    array([[0., 0.],
           [1., 0.],
           [0., 1.]])
    """
    n, p = X.shape
    widths = [outcomes(state, j) - (state["dropped_"][j] >= 0) for j in range(p)]
    starts = np.concatenate([[0], np.cumsum(widths)]).astype(np.intp)
    sparse = state["sparse_"]
    rows = np.arange(n)
    out = np.empty((n, p), dtype=np.int32) if sparse else np.zeros((n, starts[-1]))
    for j in range(p):
        codes = outcome_codes(state, X[:, j], j)
        dropped = state["dropped_"][j]
        if dropped >= 0:
            codes[codes == dropped] = -1
            codes[codes > dropped] -= 1
        if sparse:
            out[:, j] = np.where(codes >= 0, codes + starts[j], -1)
        else:
            out[rows[codes >= 0], codes[codes >= 0] + starts[j]] = 1.0
    return _sparse_ones(out, int(starts[-1])) if sparse else out


def _sparse_ones(places, width):
    """A CSR array with a 1 in each of the places (n, p) of a row; -1 is no place."""
    from scipy.sparse import csr_array

    there = places >= 0
    ends = np.concatenate([[0], np.cumsum(there.sum(axis=1))])
    indices = places[there]
    return csr_array((np.ones(len(indices)), indices, ends), shape=(len(places), width))


def codes(state, X):
    """What Codes makes of X (n, p): the outcome of each cell as a number; a stranger has the number of outcomes.

    >>> state = {"levels_": [["a", "b"]], "pooled_": [False], "missing_": [False], "keep_missing": True}
    >>> codes(state, np.array([["b"], ["new"], [None]], dtype=object)).ravel()
    array([ 1.,  2., nan])
    """
    out = np.empty(X.shape)
    for j in range(X.shape[1]):
        known = outcome_codes(state, X[:, j], j)
        out[:, j] = np.where(known < 0, outcomes(state, j), known)
        if state.get("keep_missing"):  # files that are older have no such parameter
            out[[cell is None for cell in as_text(X[:, j]).tolist()], j] = np.nan
    return out
