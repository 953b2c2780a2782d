"""Weighted products of sparse columns, summed row by row."""

from separatrix.core.jit import compiled
from separatrix.core.types import Array


@compiled
def row_products(
    data: Array, indices: Array, indptr: Array, w: Array, start: int, stop: int, first: int, out: Array
) -> None:
    """Add ``Σ w_i z_i z_i'`` over some rows to out, in its columns from `first` on and on or above the diagonal.

    out has the shape (size - first, size) and holds the transpose: row j - first is column j. The indices of a row are
    sorted. A matrix that stays in cache is visited once for each pair of numbers in a row; the products of sparse
    columns with each other would look up each pair of columns instead.
    """
    for i in range(start, stop):
        for l in range(indptr[i + 1] - 1, indptr[i] - 1, -1):
            if indices[l] < first:
                break
            a = w[i] * data[l]
            row = out[indices[l] - first]
            for k in range(indptr[i], l + 1):
                row[indices[k]] += a * data[k]


@compiled
def mirror(first: int, out: Array) -> None:
    """Complete the columns from `first` on: ``out[j - first, l] = out[l - first, j]`` for l > j >= first."""
    for j in range(out.shape[0]):
        for l in range(j + 1, out.shape[0]):
            out[j, first + l] = out[l, first + j]
