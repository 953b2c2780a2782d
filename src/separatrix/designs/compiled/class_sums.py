"""Sums and squares of the columns, class by class, in one walk over the rows."""

from separatrix.core.jit import compiled
from separatrix.core.types import Array


@compiled
def class_squares(B: Array, codes: Array, weights: Array, shifts: Array, sums: Array, squares: Array) -> None:
    """Add ``Σ s d`` to the class's row of sums and ``Σ s d²`` to that of squares, where d is a row less its shift.

    weights may be one number, for all rows alike.
    """
    alike = weights.shape[0] == 1
    for i in range(B.shape[0]):
        c = codes[i]
        s = weights[0] if alike else weights[i]
        for j in range(B.shape[1]):
            d = B[i, j] - shifts[c, j]
            sums[c, j] += s * d
            squares[c, j] += s * d * d
