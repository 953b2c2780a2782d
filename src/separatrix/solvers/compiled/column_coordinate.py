"""Loops of coordinate descent on columns, dense or sparse: atoms of rows, of which each holds a column."""

from separatrix.core.jit import compiled
from separatrix.core.types import Array, Penalty, RowsAtom
from separatrix.core.verbs import of_coefficient, prox, row_entry, row_score, row_span


@compiled
def bends(columns: RowsAtom, H: Array, size: int, out: Array) -> None:
    """The curvature of each of `size` coefficients, ``Σ_i H_cci z_ij²``, score by score."""
    for c in range(H.shape[0]):
        h = H[c, c]
        for j in range(size):
            total = 0.0
            first, last = row_span(columns, j)
            for t in range(first, last):
                i, z = row_entry(columns, j, t)
                total += h[i] * z * z
            out[c * size + j] = total


@compiled
def sweep(
    columns: RowsAtom, order: Array, H: Array, bend: Array, penalty: Penalty, c: Array, beta: Array, moved: Array
) -> float:
    """One pass in place over the columns in `order`; returns the largest change of a gradient by its coefficient.

    ``moved`` (k, n), the curvature H (k, k, n) of the rows times the change of their scores, is kept up to date:
    ``c - Z'moved`` is the opposite of the gradient.
    """
    k, largest = H.shape[0], 0.0
    size = beta.shape[0] // k
    for j in order:
        first, last = row_span(columns, j)
        for score in range(k):
            place = score * size + j
            if bend[place] <= 0.0:
                continue
            q = c[place] - row_score(columns, j, moved[score])
            old = beta[place]
            new = prox(of_coefficient(penalty, place), old + q / bend[place], 1.0 / bend[place])
            step = new - old
            if step == 0.0:
                continue
            beta[place] = new
            largest = max(largest, bend[place] * abs(step))
            for other in range(k):
                h, out = H[score, other], moved[other]
                for t in range(first, last):
                    i, z = row_entry(columns, j, t)
                    out[i] += step * h[i] * z
    return largest
