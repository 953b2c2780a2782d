"""Numbers to bins: how many thresholds of its column lie below each."""

from separatrix.core.jit import compiled
from separatrix.core.types import Array

TILE = 128  # rows whose numbers stay in the first cache while their columns are walked


@compiled
def bin_numbers(
    X: Array, start: int, stop: int, edges: Array, is_category: Array, missing: int, rows: Array, columns: Array
) -> None:
    """Fill rows (n, width) and columns (p, n) with bins of the rows `start` to `stop` of X.

    edges is (p, 256), ascending, infinity behind the last; the search has eight steps and no branch. Of a category the
    bin is its code. NaN is in the bin `missing`.
    """
    for first in range(start, stop, TILE):
        last = min(first + TILE, stop)
        for j in range(X.shape[1]):
            for i in range(first, last):
                x = X[i, j]
                if x != x:
                    place = missing
                elif is_category[j]:
                    place = int(x)
                else:
                    place = 0
                    step = 128
                    while step:
                        place += step if edges[j, place + step - 1] < x else 0
                        step >>= 1
                rows[i, j] = place
                columns[j, i] = place
