"""Sums and products carried in twice the working precision, as unevaluated pairs high + low.

Error-free transformations (Dekker 1971; Ogita, Rump and Oishi 2005) on whole numpy blocks. They are not compiled:
a compiler that may reassociate sums would "simplify" the error terms to zero.
"""

from typing import NamedTuple

import numpy as np

_SPLIT = 134217729.0  # 2^27 + 1


class Pair(NamedTuple):
    """An array ``high + low`` with |low| at most half a unit in the last place of high."""

    high: np.ndarray
    low: np.ndarray

    def plus(self, other: "Pair") -> "Pair":
        """Sum of two pairs."""
        high, error = two_sum(self.high, other.high)
        return renormalise(high, error + (self.low + other.low))


def two_sum(a: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """``a + b = sum + error``, exactly."""
    total = a + b
    shadow = total - a
    return total, (a - (total - shadow)) + (b - shadow)


def renormalise(high: np.ndarray, low: np.ndarray) -> Pair:
    """Move what of `low` fits into `high`."""
    total = high + low
    return Pair(total, low - (total - high))


def _split(a: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    big = _SPLIT * a
    high = big - (big - a)
    return high, a - high


def two_product(a: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """``a * b = product + error``, exactly (barring overflow and underflow)."""
    product = a * b
    a_high, a_low = _split(a)
    b_high, b_low = _split(b)
    return product, ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low


def pair_sum(high: np.ndarray, low: np.ndarray) -> Pair:
    """Sum of the pairs ``high + low`` over the first axis, by halves."""
    while high.shape[0] > 1:
        if high.shape[0] % 2:
            last = np.zeros_like(high[:1])
            high, low = np.concatenate([high, last]), np.concatenate([low, last])
        half = high.shape[0] // 2
        total, error = two_sum(high[:half], high[half:])
        low = low[:half] + low[half:] + error
        high = total
    return renormalise(high[0], low[0])


def pair_matvec(B: np.ndarray, beta: Pair) -> Pair:
    """``B beta`` for a block B (m, p) and a pair beta (p,)."""
    product, error = two_product(B.T, beta.high[:, None])
    return pair_sum(product, error + B.T * beta.low[:, None])


def pair_rmatvec(B: np.ndarray, r: Pair) -> Pair:
    """``B' r`` for a block B (m, p) and a pair r (m,)."""
    product, error = two_product(B, r.high[:, None])
    return pair_sum(product, error + B * r.low[:, None])
