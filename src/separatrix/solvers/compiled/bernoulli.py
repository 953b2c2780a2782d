"""Draws of binary units: a uniform number for each, by Philox, held against the probability of the unit.

Philox2x32-10 (Salmon, Moraes, Dror and Shaw, Parallel Random Numbers: As Easy as 1, 2, 3, SC 2011) makes two random
words of 32 bits from a counter of 64 bits and a key of 32: the number of a draw and the place of a unit are the
counter, so that a draw depends on nothing that was drawn before, and not on the number of threads. Words are made for a
block of units at a time: that loop, and the one that compares, each run in vector registers.
"""

import numpy as np

from separatrix.core.jit import compiled, part
from separatrix.core.types import Array

BLOCK = 2048  # units; their words stay in the nearest cache
_TIMES, _WEYL = np.uint64(0xD256D193), np.uint64(0x9E3779B9)
_LOW, _HALF, _EIGHT = np.uint64(0xFFFFFFFF), np.uint64(32), np.uint32(8)
_STEP = np.float32(2.0**-24)  # 24 bits are what float32 holds


@part
def two_words(low: np.uint64, high: np.uint64, key: np.uint64) -> tuple[np.uint64, np.uint64]:
    """Two random words of 32 bits for a counter (low, high) of such words."""
    for _ in range(10):
        product = low * _TIMES
        low = (product >> _HALF) ^ key ^ high
        high = product & _LOW
        key = (key + _WEYL) & _LOW
    return low, high


@part
def fill_words(start: int, call: np.uint64, key: np.uint64, count: int, out: Array) -> None:
    """Random words for `count` units from `start` on, which is even."""
    half = (count + 1) // 2
    first = start // 2
    for i in range(half):
        a, b = two_words(np.uint64(first + i), call, key)
        out[i] = np.uint32(a)
        out[half + i] = np.uint32(b)


@compiled
def draw_units(key: int, call: int, odds: Array, out: Array, work: Array) -> None:
    """From odds against, ``e^-score`` (n,), the probabilities ``1/(1 + odds)`` in place, and draws of 0 or 1 in `out`.

    `work` holds `BLOCK` words of 32 bits. Infinite odds are the probability 0. `out` is another array than `odds`.
    """
    n = odds.shape[0]
    for start in range(0, n, BLOCK):
        count = min(BLOCK, n - start)
        fill_words(start, np.uint64(call), np.uint64(key), count, work)
        for i in range(count):
            p = 1 / (1 + odds[start + i])
            out[start + i] = np.float32(np.int32(work[i] >> _EIGHT)) * _STEP < p
            odds[start + i] = p


@compiled
def draw_in_place(key: int, call: int, odds: Array, work: Array) -> None:
    """Draws alone, in the place of the odds."""
    n = odds.shape[0]
    for start in range(0, n, BLOCK):
        count = min(BLOCK, n - start)
        fill_words(start, np.uint64(call), np.uint64(key), count, work)
        for i in range(count):
            u = np.float32(np.int32(work[i] >> _EIGHT)) * _STEP
            odds[start + i] = u + u * odds[start + i] < 1
