"""Counts of pairs of categories: in how many rows column j has level v and column l level w.

Columns of few levels are counted by one product of matrices. Its columns are the indicators of the levels but the
first of each variable, which follow from the totals by differences: for switches it is ``X'X`` itself. Sums of ones in
float32 are exact below 2^24, and blocks are far shorter; sums of whole weights in float64 below 2^53. Differences of
other weights would leave dust where nothing was met: these are added up pair by pair.
"""

from typing import Any

import numpy as np

from separatrix.core.blocks import row_blocks
from separatrix.core.errors import cannot
from separatrix.core.memory import memory
from separatrix.core.types import Array
from separatrix.designs.compiled.pair_counts import add_pairs, mark_levels, small_codes

MOST_CELLS = 1 << 31
# Beyond this many levels a column (the first not counted) a loop over pairs of columns is faster than the product of
# their indicators (measured for 100 columns).
FEW_LEVELS = 5.0
MISSING = 255


def whole_numbers(X: Any) -> tuple[Array, Array] | None:
    """Codes (n, p) of a matrix of whole numbers from 0 to 254, and which of them each column has: (p, 256).

    A NaN has the code 255. None where there are other numbers.

    >>> codes, met = whole_numbers(np.array([[0.0, 3.0], [1.0, np.nan]]))
    >>> codes.tolist(), np.flatnonzero(met[1]).tolist()
    ([[0, 3], [1, 255]], [3, 255])
    """
    codes, met = np.empty(X.shape, dtype=np.uint8), np.zeros((X.shape[1], 256), dtype=bool)
    for rows in row_blocks(*X.shape):
        if not small_codes(np.ascontiguousarray(X[rows], dtype=np.float64), codes[rows], met):
            return None
    return codes, met


def pair_counts(codes: Array, sizes: Array, s: Array | None = None) -> Array:
    """Weights of all pairs of levels: a symmetric matrix whose rows are the levels of column 0, then of column 1, ...

    Parameters
    ----------
    codes : (n, p) array of whole numbers, 0 <= codes[:, j] < sizes[j].
    sizes : (p,) array.  How many levels each column has.
    s : (n,) array or None.  Weights of the rows.

    >>> pair_counts(np.array([[0, 1], [1, 1], [1, 0]]), np.array([2, 2]))
    array([[1., 0., 0., 1.],
           [0., 2., 1., 1.],
           [0., 1., 1., 0.],
           [1., 1., 0., 2.]])
    """
    refuse_many_levels(sizes)
    first = np.concatenate([[0], np.cumsum(sizes)])
    exact = s is None or bool((s == np.floor(s)).all() and s.sum() < 2.0**53)
    if exact and (sizes - 1).sum() <= FEW_LEVELS * len(sizes):
        return _of_products(codes, sizes, s, first)
    counts = np.zeros((first[-1], first[-1]))
    work_table = np.empty(int(sizes.max()) ** 2)
    for rows in row_blocks(len(codes), codes.shape[1], least=work_table.size):  # the table is emptied once a block
        weights = np.ones(1) if s is None else s[rows]
        add_pairs(np.ascontiguousarray(codes[rows].T, dtype=np.int32), weights, first, counts, work_table)
    return np.triu(counts) + np.triu(counts, 1).T


def refuse_many_levels(sizes: Array) -> None:
    """Refuse a matrix of pairs that fits nowhere, by the column that has most levels."""
    cells = int(sizes.sum()) ** 2
    if cells > MOST_CELLS or 24 * cells > 0.9 * memory():
        j = int(np.argmax(sizes))
        raise cannot(
            f"count {int(sizes.sum()):,} levels in pairs",
            because=f"that table has {cells:,} cells; column {j} alone has {int(sizes[j]):,} levels",
            instead="columns of fewer categories: leave names and numbers of rows out, group rare levels",
            kind=MemoryError,
        )


def _of_products(codes: Array, sizes: Array, s: Array | None, first: Array) -> Array:
    """The counts by products of indicators, then those of the first levels by differences from the totals."""
    n = len(codes)
    own = np.concatenate([[0], np.cumsum(sizes - 1)])  # places among the levels without the first of each column
    K = int(own[-1])
    binary = bool((sizes == 2).all())
    dtype = np.float32 if s is None else np.float64
    products = np.zeros((K, K))
    for rows in row_blocks(n, max(K, 1)):
        E: Array = codes[rows].astype(dtype)
        if not binary:
            E = np.zeros((rows.stop - rows.start, K), dtype=dtype)
            mark_levels(np.ascontiguousarray(codes[rows], dtype=np.int64), own, E)
        products += E.T @ E if s is None else (E.T * s[rows]) @ E
    ones = np.diagonal(products).copy()
    total = float(n) if s is None else float(s.sum())
    return _with_first_levels(products, ones, total, sizes, first, own)


def _with_first_levels(products: Array, ones: Array, total: float, sizes: Array, first: Array, own: Array) -> Array:
    """All levels from all but the first of each column: N(0, w) = N(w) - Σ_v N(v, w), v > 0."""
    p = len(sizes)
    others = np.ones(first[-1], dtype=bool)
    others[first[:-1]] = False
    column = np.repeat(np.arange(p), sizes - 1)  # of each level but the first
    S = np.zeros((p, len(ones)))  # sums over the levels of a column
    np.add.at(S, column, products)
    singles = np.zeros(p)
    np.add.at(singles, column, ones)
    both = np.zeros((p, p))
    np.add.at(both.T, column, S.T)
    counts = np.empty((first[-1], first[-1]))
    zero, rest = first[:-1], np.flatnonzero(others)
    counts[np.ix_(rest, rest)] = products
    counts[np.ix_(zero, rest)] = ones - S
    counts[np.ix_(rest, zero)] = (ones - S).T
    counts[np.ix_(zero, zero)] = total - singles[:, None] - singles + both
    for j in range(p):  # one column's levels exclude each other
        own_levels = slice(first[j], first[j + 1])
        counts[own_levels, own_levels] = np.diag(np.diagonal(counts[own_levels, own_levels]))
    return counts
