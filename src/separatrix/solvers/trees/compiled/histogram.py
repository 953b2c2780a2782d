"""Sums of gradients by bin, and rows sent left or right."""

import numpy as np

from separatrix.core.jit import compiled
from separatrix.core.prefetch import prefetch
from separatrix.core.types import Array
from separatrix.designs.binned import PLACES, WORD
from separatrix.solvers.trees.gradients import Gradients, add_words, words_of

TILE = 1024  # rows that stay in the second cache while their words of bins are read one after another
AHEAD = 32  # rows between the one that is read and the one that is fetched from memory
LOW_BYTE = np.uint64(255)


@compiled
def sum_rows(gradients: Gradients, words: Array, order: Array, start: int, stop: int, histogram: Array) -> None:
    """Add the gradients of the rows ``order[start:stop]`` to the bins that they are in, in every column.

    words (n, width) holds eight bins of a row each. Eight columns at a time keep their bins in the first cache.
    """
    width = words.shape[1]
    row_bytes = gradients.words.strides[0]
    for first in range(start, stop, TILE):
        last = min(first + TILE, stop)
        for q in range(width):
            base = q * WORD * PLACES
            for i in range(first, last):
                row = order[i]
                if q == 0:
                    ahead = order[min(i + AHEAD, stop - 1)]
                    prefetch(words, np.int64(ahead) * width * WORD)
                    prefetch(gradients.words, int(ahead) * row_bytes)
                eight = words[row, q]
                g = words_of(gradients, row)
                for t in range(WORD):
                    add_words(g, histogram, base + t * PLACES + np.int64((eight >> np.uint64(8 * t)) & LOW_BYTE))


@compiled
def send_rows(column: Array, goes_left: Array, order: Array, start: int, stop: int, work: Array) -> int:
    """Order the rows ``order[start:stop]`` so that those whose bin goes left come first; returns where they end.

    Both parts keep the order that they had. work has room for as many rows.
    """
    left, right = start, 0
    for i in range(start, stop):
        row = order[i]
        is_left = int(goes_left[column[row]])
        order[left] = row  # written whether it is left or not: the next one to be left takes the place
        work[right] = row
        left += is_left
        right += 1 - is_left
    for i in range(right):
        order[left + i] = work[i]
    return left


@compiled
def add_values(order: Array, starts: Array, stops: Array, values: Array, start: int, stop: int, eta: Array) -> None:
    """Add to the raw scores of the rows in each of the leaves `start` to `stop` the value of the leaf."""
    for leaf in range(start, stop):
        value = values[leaf]
        for i in range(starts[leaf], stops[leaf]):
            eta[order[i]] += value
