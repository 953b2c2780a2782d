"""Several products with X in one walk over its columns, or over its rows."""

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
def dense_row_sums(X: Array, s: Array, r: Array, sums: Array) -> None:
    """sums (3, p) of a block of rows: ``Σ r_i x_i``, ``Σ s_i x_i`` and ``Σ s_i x_i²``."""
    n, p = X.shape
    sums[:] = 0.0
    for i in range(0, n - 3, 4):
        for j in range(p):
            a, b, c, d = X[i, j], X[i + 1, j], X[i + 2, j], X[i + 3, j]
            sums[0, j] += r[i] * a + r[i + 1] * b + r[i + 2] * c + r[i + 3] * d
            sums[1, j] += s[i] * a + s[i + 1] * b + s[i + 2] * c + s[i + 3] * d
            sums[2, j] += s[i] * a * a + s[i + 1] * b * b + s[i + 2] * c * c + s[i + 3] * d * d
    for i in range(n - n % 4, n):
        for j in range(p):
            sums[0, j] += r[i] * X[i, j]
            sums[1, j] += s[i] * X[i, j]
            sums[2, j] += s[i] * X[i, j] * X[i, j]
