"""Weighted products of sparse columns, summed row by row."""

from separatrix.core.jit import compiled


@compiled
def row_products(data, indices, indptr, w, start, stop, out):
    """Add ``Σ w_i z_i z_i'`` over some rows to the upper triangle of out; the indices of a row are sorted.

    A matrix that stays in cache is visited once for each pair of numbers in a row: the products of sparse columns with
    each other would look up each pair of columns instead.
    """
    for i in range(start, stop):
        for k in range(indptr[i], indptr[i + 1]):
            a = w[i] * data[k]
            row = out[indices[k]]
            for l in range(k, indptr[i + 1]):
                row[indices[l]] += a * data[l]
