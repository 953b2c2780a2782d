"""Products of columns with a vector, and their squares, in one walk over each column."""

from separatrix.core.jit import compiled
from separatrix.core.types import Array


@compiled
def dense_products_and_squares(Z: Array, r: Array, s: Array, products: Array, squares: Array) -> None:
    """``products_j = Σ_i r_i z_ji`` and ``squares_j = Σ_i s_i z_ji²`` of columns that are the rows of Z.

    `s` may have no length: all weights are 1.
    """
    for j in range(Z.shape[0]):
        product = square = 0.0
        if s.shape[0] == 0:
            for i in range(Z.shape[1]):
                product += Z[j, i] * r[i]
                square += Z[j, i] * Z[j, i]
        else:
            for i in range(Z.shape[1]):
                product += Z[j, i] * r[i]
                square += s[i] * Z[j, i] * Z[j, i]
        products[j] = product
        squares[j] = square


@compiled
def sparse_products_and_squares(
    data: Array, indices: Array, indptr: Array, r: Array, s: Array, products: Array, squares: Array
) -> None:
    """The same of the columns of a matrix in compressed sparse columns."""
    for j in range(indptr.shape[0] - 1):
        product = square = 0.0
        for l in range(indptr[j], indptr[j + 1]):
            weight = s[indices[l]] if s.shape[0] > 0 else 1.0
            product += data[l] * r[indices[l]]
            square += weight * data[l] * data[l]
        products[j] = product
        squares[j] = square
