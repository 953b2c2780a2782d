"""The columns of a local model: polynomials of the rows in a window, about the weighted mean of the window.

    degree 0: 1        degree 1: 1, z_j        degree 2: 1, z_j, z_j z_l (j <= l),        z_j = (x_j - mean_j) / sd_j

Every column but the first is centred and scaled to mean 0 and deviation 1 under the weights of the window. The span is
that of polynomials in x - x0, so the fit is the same; the equations are as well conditioned as the data allow.

Rows are held in pieces of a fixed length, U (pieces, q, PIECE), the last one filled up with rows of weight 0: loops of
known length over short contiguous rows are what a compiler makes vector instructions of.
"""

from math import sqrt

from separatrix.core.jit import part
from separatrix.core.types import Array

PIECE = 128
# Coordinates carry a relative rounding error of a few 1e-16: a smaller deviation than this is none.
CONSTANT = 1e-14


@part
def gather(
    X: Array, y: Array, s: Array, kernel: Array, U: Array, w: Array, share: Array, target: Array
) -> tuple[int, float]:
    """Copy the rows that a window holds into pieces; returns the number of rows and their total weight."""
    p = X.shape[0] if U.shape[1] > 1 else 0
    m, total, last = 0, 0.0, 0
    for i in range(kernel.shape[0]):
        if s[i] * kernel[i] > 0.0:
            b, place, last = m // PIECE, m % PIECE, i
            w[b, place] = s[i] * kernel[i]
            share[b, place] = kernel[i]
            target[b, place] = y[i]
            total += w[b, place]
            U[b, 0, place] = 1.0
            for j in range(p):
                U[b, 1 + j, place] = X[j, i]
            m += 1
    for filler in range(m, (m + PIECE - 1) // PIECE * PIECE):
        b, place = filler // PIECE, filler % PIECE
        w[b, place] = 0.0
        share[b, place] = 0.0
        target[b, place] = y[last]
        U[b, 0, place] = 1.0
        for j in range(p):
            U[b, 1 + j, place] = X[j, last]
    return m, total


@part
def standardise(U: Array, a: int, w: Array, total: float, pieces: int) -> tuple[float, float]:
    """Centre and scale a column in place; returns its mean and its deviation, 0 for a constant."""
    mean, left, square = 0.0, 0.0, 0.0
    for b in range(pieces):
        column, weight = U[b, a], w[b]
        for i in range(PIECE):
            mean += weight[i] * column[i]
    mean /= total
    for b in range(pieces):
        column, weight = U[b, a], w[b]
        for i in range(PIECE):
            column[i] -= mean
            left += weight[i] * column[i]
            square += weight[i] * column[i] * column[i]
    left /= total
    deviation = sqrt(max(square / total - left * left, 0.0))
    if deviation <= CONSTANT * (abs(mean) + deviation):
        deviation = 0.0
    scale = 1.0 / deviation if deviation > 0.0 else 0.0
    for b in range(pieces):
        column = U[b, a]
        for i in range(PIECE):
            column[i] = (column[i] - left) * scale
    return mean + left, deviation


@part
def fill_basis(
    U: Array, w: Array, total: float, pieces: int, x0: Array, unit: float, point: Array, tangent: Array, size: Array
) -> None:
    """Make the columns of U; fill the basis at x0, its slopes there (q, p), and the size of each column in X's units.

    `size` is what a coefficient is divided by to be that of a monomial in x - mean; 0 marks a constant column.
    """
    p, j, l = x0.shape[0], -1, 0
    point[:] = 0.0
    tangent[:] = 0.0
    point[0] = 1.0
    size[0] = 1.0
    for a in range(1, U.shape[1]):
        product = a > p
        if product:  # the pairs j <= l, in order
            j, l = (j, l + 1) if l + 1 < p and j >= 0 else (j + 1, j + 1)
            for b in range(pieces):
                for i in range(PIECE):
                    U[b, a, i] = U[b, 1 + j, i] * U[b, 1 + l, i]
        mean, deviation = standardise(U, a, w, total, pieces)
        scale = deviation if deviation > 0.0 else 1.0
        if product:
            point[a] = (point[1 + j] * point[1 + l] - mean) / scale
            tangent[a, j] += point[1 + l] * tangent[1 + j, j] / scale
            tangent[a, l] += point[1 + j] * tangent[1 + l, l] / scale
            size[a] = deviation * size[1 + j] * size[1 + l]
        else:
            point[a] = (x0[a - 1] - mean) / scale
            tangent[a, a - 1] = 1.0 / scale
            size[a] = deviation * unit
