"""The loop of the nearest-neighbour search: one tile of screened distances against what is known so far."""

import numpy as np

from separatrix.core.jit import compiled, part
from separatrix.core.types import Array

# Screened distances are compared in runs of this length, and looked at one by one only where a run has a hit. (Hits
# are counted in float32: a sum of those is what LLVM turns into vectors of eight, a logical "or" into 64 branches.)
RUN = 64
NONE, ONE = np.float32(0.0), np.float32(1.0)


@part
def _lower(heap: Array, value: float) -> None:
    """Put `value` in the place of the largest of a heap."""
    k = heap.shape[0]
    at = 0
    while True:
        child = 2 * at + 1
        if child >= k:
            break
        if child + 1 < k and heap[child + 1] > heap[child]:
            child += 1
        if heap[child] <= value:
            break
        heap[at] = heap[child]
        at = child
    heap[at] = value


@part
def _compact(values: Array, indices: Array, count: int, bound: np.float32) -> int:
    """Drop the candidates that lie beyond the bound; how many stay."""
    kept = 0
    for c in range(count):
        if values[c] <= bound:
            values[kept] = values[c]
            indices[kept] = indices[c]
            kept += 1
    return kept


@part
def _offer(
    t: np.float32,
    j: int,
    reach: float,
    slack: float,
    bound: np.float32,
    heap: Array,
    values: Array,
    indices: Array,
    count: int,
) -> tuple[np.float32, int]:
    """Take in one candidate; the new bound and the new number of candidates, -1 where there is no room for them."""
    if count == values.shape[0]:
        count = _compact(values, indices, count, bound)
        if 4 * count > 3 * values.shape[0]:
            return np.float32(-np.inf), -1
    values[count] = t
    indices[count] = j
    high = float(t) + reach
    if high < heap[0]:
        _lower(heap, high)
        limit = heap[0] + slack
        bound = np.float32(limit + 2.4e-7 * abs(limit))  # no smaller after it is rounded
    return bound, count + 1


@compiled
def collect(
    tile: Array,
    first: int,
    reach: Array,
    slack: Array,
    bounds: Array,
    heaps: Array,
    values: Array,
    indices: Array,
    counts: Array,
) -> None:
    """Collect, for each row of a tile, the columns that may be among its k nearest.

    `tile` (m, w) holds lower bounds of the reduced distances to the rows ``first, first + 1, ...``, up to `slack` and a
    number common to the row; `reach` (w,) is what brings them to upper bounds. ``heaps`` (m, k) keep the k smallest
    upper bounds, and ``bounds`` (m,) follow them. A count of -1 says that there were more candidates than room.
    """
    width = tile.shape[1]
    whole = width - width % RUN
    for i in range(tile.shape[0]):
        count = counts[i]
        bound = bounds[i]
        for start in range(0, whole, RUN):
            hits = NONE
            for l in range(start, start + RUN):
                hits += ONE if tile[i, l] <= bound else NONE
            if hits > NONE:
                for l in range(start, start + RUN):
                    if tile[i, l] <= bound:
                        bound, count = _offer(
                            tile[i, l], first + l, reach[l], slack[i], bound, heaps[i], values[i], indices[i], count
                        )
        for l in range(whole, width):
            if tile[i, l] <= bound:
                bound, count = _offer(
                    tile[i, l], first + l, reach[l], slack[i], bound, heaps[i], values[i], indices[i], count
                )
        bounds[i] = bound
        counts[i] = count


@compiled
def close(bounds: Array, values: Array, indices: Array, counts: Array) -> None:
    """Drop, for each row, the candidates that turned out to be beyond its last bound."""
    for i in range(counts.shape[0]):
        if counts[i] > 0:
            counts[i] = _compact(values[i], indices[i], counts[i], bounds[i])
