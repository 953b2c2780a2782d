"""Pairs of rows, one of a set of queries and one of a training set: what distances are made of, for every storage."""

import numpy as np
import scipy.sparse as sp

from separatrix.core.types import Array, Matrix, MatrixLike

# Pairs are gathered in pieces of this many numbers, which stay in cache.
IN_CACHE = 1 << 17


def by_rows(X: Matrix) -> Matrix:
    """X in C order, or in compressed sparse rows that are sorted and hold no entry twice."""
    if not sp.issparse(X):
        return np.ascontiguousarray(X)
    rows = sp.csr_array(X)
    if not rows.has_canonical_format:
        rows = rows.copy()  # the arrays are the user's
        rows.sum_duplicates()
    return rows


def stores_zeros(X: Matrix) -> bool:
    """Whether every number of X is stored, as in a numpy array, or only those that are not zero."""
    return not sp.issparse(X)


def keeps_zeros(X: MatrixLike) -> bool:
    """Whether a stored zero can be told from a number that is not stored: blocks hold both, dictionaries neither."""
    return not sp.issparse(X) or X.format not in ("bsr", "dok")


def stored_like(Q: Matrix, X: Matrix) -> Matrix:
    """The rows of Q in the storage of X, which :func:`by_rows` has made."""
    if sp.issparse(X):
        return by_rows(sp.csr_array(Q))
    return np.ascontiguousarray(Q.toarray() if sp.issparse(Q) else Q)


def unit_rows(X: Matrix, mark: int) -> Matrix:
    """Rows of length 1, float64, with two columns more.

    A row of zeros has no direction. It gets its 1 in the extra column `mark`: 0 for training rows, 1 for queries. So
    it stands at right angles to every row of the other set, and half the squared distance is one minus the cosine for
    all pairs.
    """
    X = X.astype(np.float64)
    largest = abs(X).max(axis=1)
    largest = np.asarray(largest.toarray() if sp.issparse(largest) else largest).ravel()
    zero = largest == 0.0
    extra = np.zeros((X.shape[0], 2))
    extra[:, mark] = zero
    largest[zero] = 1.0
    if sp.issparse(X):
        X = sp.diags_array(1.0 / largest) @ X
        length = np.sqrt(X.multiply(X).sum(axis=1))
        X = sp.diags_array(1.0 / np.where(zero, 1.0, length)) @ X
        return by_rows(sp.hstack([X, sp.csr_array(extra)], format="csr"))
    X /= largest[:, None]  # squares can neither overflow nor vanish all together
    X /= np.where(zero, 1.0, np.sqrt(np.einsum("ij,ij->i", X, X)))[:, None]
    return np.hstack([X, extra])


def squared_norms(X: Matrix) -> Array:
    """``Σ_j x_ij²`` of every row, float64."""
    if sp.issparse(X):
        X = X.astype(np.float64, copy=False)
        return np.asarray(X.multiply(X).sum(axis=1)).ravel()
    return np.einsum("ij,ij->i", X, X, dtype=np.float64)


def inner_products(Q: Matrix, X: Matrix) -> Array:
    """``Q X'`` as a dense float64 array, of sparse rows."""
    return (Q.astype(np.float64, copy=False) @ X.T.astype(np.float64, copy=False)).toarray()


def power_sums(Q: Matrix, X: Matrix, i: Array, j: Array, power: float) -> Array:
    """``Σ |q - x|^power`` of the pairs of rows (i, j), or the largest difference for an infinite power; float64.

    The sum runs over the columns from the first to the last, each operation rounded on its own: the same pair of rows
    has the same sum whatever else is asked for, however they are stored and whoever asks.
    """
    total = np.zeros(len(i))
    combine = np.maximum if power == np.inf else np.add
    width = IN_CACHE // max(X.shape[1], 1) + 1
    for start in range(0, len(i), width):
        piece = slice(start, start + width)
        difference = Q[i[piece]].astype(np.float64) - X[j[piece]].astype(np.float64)
        if sp.issparse(difference):
            total[piece] = _stored_sums(difference, power)
            continue
        terms = _raised(difference, power)
        out = total[piece]
        for column in terms.T:
            combine(out, column, out=out)
    return total


def _raised(difference: Array, power: float) -> Array:
    if power == 2.0:
        return difference * difference
    size = np.abs(difference)
    return size if power in (1.0, np.inf) else size**power


def _stored_sums(difference: Matrix, power: float) -> Array:
    """The same sums over the stored entries; the others add nothing."""
    difference.data = _raised(difference.data, power)
    if power == np.inf:
        return difference.max(axis=1).toarray().ravel()
    return difference @ np.ones(difference.shape[1])
