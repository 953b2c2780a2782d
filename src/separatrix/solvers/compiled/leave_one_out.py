"""The loop of leave-one-out: from fits and leverages to errors."""

from math import inf

from separatrix.core.jit import compiled
from separatrix.core.types import Array


@compiled
def left_out_errors(y: Array, s: Array, base: Array | float, leverage: Array, fitted: Array, out: Array) -> None:
    """``fitted`` becomes the leave-one-out errors, in place; their weighted squares are added to `out`, by strength.

    A row of weight s counts as s rows, of which one is left out, or all of it if it counts for less than one.
    """
    for i in range(fitted.shape[0]):
        copies = min(s[i], 1.0)
        for l in range(fitted.shape[1]):
            rest = 1.0 - copies * (leverage[i, l] + base)
            error = (y[i] - fitted[i, l]) / rest if rest > 0.0 else inf  # rounding hides what is left of the row
            fitted[i, l] = error
            out[l] += s[i] * error * error
