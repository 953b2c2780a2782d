"""Sort the rows of a node by the code of a column, and draw random numbers, in compiled loops."""

import numpy as np

from separatrix.core.jit import part
from separatrix.core.types import Array

ROW = np.int64((1 << 32) - 1)
CODE = np.int64(32)
# Rows up to which keys are sorted by insertion (measured: beyond, buckets are faster).
FEW = 24
# Rows of one bucket up to which buckets are finished by insertion; where codes crowd, digits are sorted instead.
CROWD = 48
DIGIT = 8  # bits
DIGITS = 1 << DIGIT


@part
def gather(codes: Array, j: int, keys: Array, start: int, end: int, out: Array) -> bool:
    """Write ``code << 32 | row`` of the rows ``keys[start:end]`` to the beginning of `out`; whether codes differ."""
    low = np.int64(codes[j, keys[start] & ROW])
    high = low
    for i in range(start, end):
        row = keys[i] & ROW
        code = np.int64(codes[j, row])
        low, high = min(low, code), max(high, code)
        out[i - start] = code << CODE | row
    return bool(high > low)


@part
def sort_keys(keys: Array, n: int, spare: Array, counts: Array) -> None:
    """Sort ``keys[:n]`` ascending by their codes; equal codes keep their order.

    Codes are ranks, so that most nodes have them spread evenly: as many buckets as rows hold about one row each, and
    insertion finishes them. `counts` has room for max(n, 256) numbers.
    """
    if n <= FEW:
        _insert(keys, n)
        return
    low, high = keys[0] >> CODE, keys[0] >> CODE
    for i in range(1, n):
        low, high = min(low, keys[i] >> CODE), max(high, keys[i] >> CODE)
    shift = 0
    while (high - low) >> shift >= n:
        shift += 1
    crowd = _count(keys, n, low, shift, ((high - low) >> shift) + 1, counts)
    if shift == 0 or crowd <= CROWD:
        _scatter(keys, n, low, shift, ((high - low) >> shift) + 1, counts, spare)
        for i in range(n):
            keys[i] = spare[i]
        if shift > 0:
            _insert(keys, n)
        return
    shift = 0
    in_spare = False
    while (high - low) >> shift > 0:
        if in_spare:
            _by_digit(spare, n, low, shift, counts, keys)
        else:
            _by_digit(keys, n, low, shift, counts, spare)
        in_spare = not in_spare
        shift += DIGIT
    if in_spare:
        for i in range(n):
            keys[i] = spare[i]


@part
def _insert(keys: Array, n: int) -> None:
    """Sort by insertion: fast where every key is near its place."""
    for i in range(1, n):
        key = keys[i]
        at = i
        while at > 0 and keys[at - 1] >> CODE > key >> CODE:
            keys[at] = keys[at - 1]
            at -= 1
        keys[at] = key


@part
def _count(keys: Array, n: int, low: int, shift: int, n_buckets: int, counts: Array) -> int:
    """Rows of each bucket of ``2**shift`` neighbouring codes; the most that one of them has."""
    for d in range(n_buckets):
        counts[d] = 0
    for i in range(n):
        counts[((keys[i] >> CODE) - low) >> shift] += 1
    crowd = counts[0]
    for d in range(n_buckets):
        crowd = max(crowd, counts[d])
    return int(crowd)


@part
def _scatter(keys: Array, n: int, low: int, shift: int, n_buckets: int, counts: Array, out: Array) -> None:
    """Bring keys to their buckets, in the order they have."""
    place = np.int64(0)
    for d in range(n_buckets):
        place, counts[d] = place + counts[d], place
    for i in range(n):
        d = ((keys[i] >> CODE) - low) >> shift
        out[counts[d]] = keys[i]
        counts[d] += 1


@part
def _by_digit(keys: Array, n: int, low: int, shift: int, counts: Array, out: Array) -> None:
    """One stable pass of a radix sort: by the digit at `shift` of the code above the lowest."""
    for d in range(DIGITS):
        counts[d] = 0
    for i in range(n):
        counts[(((keys[i] >> CODE) - low) >> shift) & (DIGITS - 1)] += 1
    place = np.int64(0)
    for d in range(DIGITS):
        place, counts[d] = place + counts[d], place
    for i in range(n):
        d = (((keys[i] >> CODE) - low) >> shift) & (DIGITS - 1)
        out[counts[d]] = keys[i]
        counts[d] += 1


@part
def sort_by_class(keys: Array, classes: Array, spare: Array, k: int) -> None:
    """Bring the rows of each class together, in the order they have."""
    places = np.zeros(k + 1, np.int64)
    for i in range(keys.shape[0]):
        places[classes[keys[i], 0] + 1] += 1
    for c in range(k):
        places[c + 1] += places[c]
    for i in range(keys.shape[0]):
        c = classes[keys[i], 0]
        spare[places[c]] = keys[i]
        places[c] += 1
    for i in range(keys.shape[0]):
        keys[i] = spare[i]


_A, _B, _C, _D = np.uint64(12), np.uint64(25), np.uint64(27), np.uint64(0x2545F4914F6CDD1D)
_HALF, _BITS = np.uint64(32), np.uint64(11)


@part
def draw(state: Array) -> np.uint64:
    """64 random bits. From Marsaglia (2003), J. Stat. Softw. 8(14), multiplied as in Vigna (2016), xorshift64*."""
    x = state[0]
    x ^= x >> _A
    x ^= x << _B
    x ^= x >> _C
    state[0] = x
    return x * _D


@part
def draw_below(state: Array, k: int) -> int:
    """A whole number of 0, ..., k - 1, for k < 2^31."""
    return int(((draw(state) >> _HALF) * np.uint64(k)) >> _HALF)


@part
def draw_uniform(state: Array) -> float:
    """A number of [0, 1)."""
    return np.float64(np.int64(draw(state) >> _BITS)) * 2.0**-53
