"""Rows of a design for compiled loops that walk over examples: one atom per storage."""

from typing import NamedTuple

import numpy as np

from separatrix.core.dispatch import implements
from separatrix.core.prefetch import prefetch
from separatrix.core.types import Array
from separatrix.core.verbs import row_add, row_ahead, row_dot, row_entry, row_score, row_span

LINE = 64  # bytes of a cache line
# A long row is recognised as a stream by the processor itself after its first few lines.
LINES_AHEAD = 16


# In compiled loops ``float`` leaves numbers in single precision, and squares lose digits; ``np.float64`` does not.
class DenseRows(NamedTuple):
    """A C-ordered matrix, float32 or float64."""

    X: Array


@implements(row_score, DenseRows)
def _(rows: DenseRows, i: int, beta: Array) -> float:
    dot = 0.0
    for j in range(beta.shape[0]):
        dot += np.float64(rows.X[i, j]) * beta[j]
    return dot


@implements(row_dot, DenseRows)
def _(rows: DenseRows, i: int, beta: Array) -> tuple[float, float]:
    dot, square = 0.0, 0.0
    for j in range(beta.shape[0]):
        x = np.float64(rows.X[i, j])
        dot += x * beta[j]
        square += x * x
    return dot, square


@implements(row_add, DenseRows)
def _(rows: DenseRows, i: int, a: float, out: Array) -> None:
    for j in range(out.shape[0]):
        out[j] += a * np.float64(rows.X[i, j])


@implements(row_span, DenseRows)
def _(rows: DenseRows, i: int) -> tuple[int, int]:
    return 0, rows.X.shape[1]


@implements(row_entry, DenseRows)
def _(rows: DenseRows, i: int, k: int) -> tuple[int, float]:
    return k, np.float64(rows.X[i, k])


@implements(row_ahead, DenseRows)
def _(rows: DenseRows, i: int) -> None:
    width = rows.X.shape[1] * rows.X.itemsize
    for offset in range(0, min(width, LINE * LINES_AHEAD), LINE):
        prefetch(rows.X, i * width + offset)


# An index that may be negative is looked at before it is used, which takes half of the time of a sparse row. (The type
# is numpy's, so that compiled loops and plain Python understand it alike.)
unsigned = np.uint64


class SparseRows(NamedTuple):
    """Compressed sparse rows."""

    data: Array
    indices: Array
    indptr: Array


@implements(row_score, SparseRows)
def _(rows: SparseRows, i: int, beta: Array) -> float:
    dot = 0.0
    for k in range(unsigned(rows.indptr[i]), unsigned(rows.indptr[i + 1])):
        dot += np.float64(rows.data[k]) * beta[unsigned(rows.indices[k])]
    return dot


@implements(row_dot, SparseRows)
def _(rows: SparseRows, i: int, beta: Array) -> tuple[float, float]:
    dot, square = 0.0, 0.0
    for k in range(unsigned(rows.indptr[i]), unsigned(rows.indptr[i + 1])):
        x = np.float64(rows.data[k])
        dot += x * beta[unsigned(rows.indices[k])]
        square += x * x
    return dot, square


@implements(row_add, SparseRows)
def _(rows: SparseRows, i: int, a: float, out: Array) -> None:
    for k in range(unsigned(rows.indptr[i]), unsigned(rows.indptr[i + 1])):
        out[unsigned(rows.indices[k])] += a * np.float64(rows.data[k])


@implements(row_span, SparseRows)
def _(rows: SparseRows, i: int) -> tuple[np.uint64, np.uint64]:
    return unsigned(rows.indptr[i]), unsigned(rows.indptr[i + 1])


@implements(row_entry, SparseRows)
def _(rows: SparseRows, i: int, k: int) -> tuple[np.uint64, float]:
    return unsigned(rows.indices[k]), np.float64(rows.data[k])


@implements(row_ahead, SparseRows)
def _(rows: SparseRows, i: int) -> None:
    start = rows.indptr[i]
    prefetch(rows.data, start * rows.data.itemsize)
    prefetch(rows.indices, start * rows.indices.itemsize)
