"""Several products with X in one walk over its columns, or over its rows."""

import numpy as np

from separatrix.core.jit import compiled
from separatrix.core.types import Array
from separatrix.designs.rows import unsigned

# Long columns are summed in pieces: rounding errors of equal rows, which have one sign, then stay few.
PIECE = 1024


@compiled
def dense_products_and_squares(Z: Array, r: Array, s: Array, products: Array, squares: Array) -> None:
    """``products_j = Σ_i r_i z_ji`` and ``squares_j = Σ_i s_i z_ji²`` of columns that are the rows of Z.

    `s` may have no length: all weights are 1.
    """
    for j in range(Z.shape[0]):
        product = square = 0.0
        for first in range(0, Z.shape[1], PIECE):
            # slices, so that the compiler knows that no index is negative: else it uses no vector registers
            z, u = Z[j, first : first + PIECE], r[first : first + PIECE]
            part = part_square = 0.0
            if s.shape[0] == 0:
                for i in range(z.shape[0]):
                    part += z[i] * u[i]
                    part_square += z[i] * z[i]
            else:
                weights = s[first : first + PIECE]
                for i in range(z.shape[0]):
                    part += z[i] * u[i]
                    part_square += weights[i] * z[i] * z[i]
            product += part
            square += part_square
        products[j] = product
        squares[j] = square


@compiled
def sparse_products_and_squares(
    data: Array, indices: Array, indptr: Array, r: Array, s: Array, products: Array, squares: Array
) -> None:
    """The same of the columns of a matrix in compressed sparse columns."""
    for j in range(indptr.shape[0] - 1):
        product = square = 0.0
        if s.shape[0] == 0:
            for l in range(unsigned(indptr[j]), unsigned(indptr[j + 1])):
                product += data[l] * r[unsigned(indices[l])]
                square += data[l] * data[l]
        else:
            for l in range(unsigned(indptr[j]), unsigned(indptr[j + 1])):
                i = unsigned(indices[l])
                product += data[l] * r[i]
                square += s[i] * data[l] * data[l]
        products[j] = product
        squares[j] = square


@compiled
def dense_there_and_back(
    X: Array, v: Array, shift: float, s: Array, r: Array, first: int, last: int, image: Array, products: Array
) -> None:
    """``image_i = x_i'v - shift`` and ``products += r_i x_i``, rows first <= i < last; without r, of ``s_i image_i``.

    Four rows at a time: they stay in cache for the second product, and v and the products are read once for all four.
    """
    p = X.shape[1]
    for i in range(first, last - 3, 4):
        a = b = c = d = -shift
        for j in range(p):
            a += X[i, j] * v[j]
            b += X[i + 1, j] * v[j]
            c += X[i + 2, j] * v[j]
            d += X[i + 3, j] * v[j]
        image[i], image[i + 1], image[i + 2], image[i + 3] = a, b, c, d
        if r.shape[0] > 0:
            a, b, c, d = r[i], r[i + 1], r[i + 2], r[i + 3]
        else:
            a, b, c, d = s[i] * a, s[i + 1] * b, s[i + 2] * c, s[i + 3] * d
        for j in range(p):
            products[j] += a * X[i, j] + b * X[i + 1, j] + c * X[i + 2, j] + d * X[i + 3, j]
    for i in range(last - (last - first) % 4, last):
        a = -shift
        for j in range(p):
            a += X[i, j] * v[j]
        image[i] = a
        a = r[i] if r.shape[0] > 0 else s[i] * a
        for j in range(p):
            products[j] += a * X[i, j]


@compiled
def dense_row_sums(X: Array, r: Array, s: Array, sums: Array) -> None:
    """sums (3, p) of a block of rows: ``Σ r_ki x_i`` for both rows of r (2, n), and ``Σ s_i x_i²``.

    Numbers of rows are read before the walk over columns: the compiler cannot know that sums do not overwrite them,
    and would read them again for every column (measured: four times as slow).
    """
    n, p = X.shape
    first, second, squares = sums[0], sums[1], sums[2]
    sums[:] = 0.0
    for i in range(0, n - 3, 4):
        u0, u1, u2, u3 = r[0, i], r[0, i + 1], r[0, i + 2], r[0, i + 3]
        d0, d1, d2, d3 = r[1, i], r[1, i + 1], r[1, i + 2], r[1, i + 3]
        s0, s1, s2, s3 = s[i], s[i + 1], s[i + 2], s[i + 3]
        for j in range(p):
            a, b, c, d = X[i, j], X[i + 1, j], X[i + 2, j], X[i + 3, j]
            first[j] += u0 * a + u1 * b + u2 * c + u3 * d
            second[j] += d0 * a + d1 * b + d2 * c + d3 * d
            squares[j] += s0 * a * a + s1 * b * b + s2 * c * c + s3 * d * d
    for i in range(n - n % 4, n):
        for j in range(p):
            first[j] += r[0, i] * X[i, j]
            second[j] += r[1, i] * X[i, j]
            squares[j] += s[i] * X[i, j] * X[i, j]


@compiled
def squares_by_position(values: Array, positions: Array, out: Array) -> None:
    """``out_j += Σ values²`` over the values at the position j: the squares of columns that are stored by rows."""
    for k in range(values.shape[0]):
        x = np.float64(values[k])  # numba's float() leaves single precision as it is
        out[positions[k]] += x * x
