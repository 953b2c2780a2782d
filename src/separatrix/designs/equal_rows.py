"""Rows that no function tells apart: two equal ones of different classes prove that nothing separates the classes."""

from collections.abc import Hashable, Iterator
from typing import Any

import scipy.sparse as sp

from separatrix.core.protocol import is_sparse
from separatrix.core.types import Array


def contradiction(X: Any, rows: Array, labels: Array) -> tuple[int, int] | None:
    """Two of the `rows` of X, an array, a sparse array or texts, that are equal and have different labels, or None.

    >>> import numpy as np
    >>> contradiction(np.array([[1.0, 0.0], [2.0, 1.0], [1.0, -0.0]]), np.arange(3), np.array([1, 1, -1]))
    (0, 2)
    """
    first: dict[Hashable, int] = {}
    for k, key in enumerate(_keys(X, rows)):
        earlier = first.setdefault(key, k)
        if labels[earlier] != labels[k]:
            return int(rows[earlier]), int(rows[k])
    return None


def _keys(X: Any, rows: Array) -> Iterator[Hashable]:
    """A key for each row, the same exactly for equal rows."""
    if isinstance(X, list | tuple):
        yield from (X[i] for i in rows)
    elif is_sparse(X):
        part = sp.csr_array(X[rows], copy=True)
        part.sum_duplicates()  # which sorts the columns, too
        part.eliminate_zeros()
        for start, end in zip(part.indptr, part.indptr[1:]):
            yield part.indices[start:end].tobytes(), part.data[start:end].tobytes()
    else:
        yield from ((X[i] + 0.0).tobytes() for i in rows)  # -0.0 + 0.0 is 0.0
