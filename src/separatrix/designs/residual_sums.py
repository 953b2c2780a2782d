"""``X'S r``, ``Σ s r`` and ``Σ s r²`` of the residuals ``r = y - X beta - intercept``, in one read of X.

In doubled precision beta and intercept are pairs high + low, and all sums are rounded once, at the very end.
"""

from typing import Any, NamedTuple

import numpy as np

from separatrix.core.extended import Pair, pair_matvec, pair_rmatvec, pair_sum, renormalise, two_product, two_sum
from separatrix.core.types import Array
from separatrix.designs.base import Block, Design, thin_product
from separatrix.designs.sparse import as_dense


class ResidualSums(NamedTuple):
    """``g = X'S r`` (p, k), ``g0 = Σ s r`` (k,) and ``rss = Σ s r²`` (k,)."""

    g: np.ndarray
    g0: np.ndarray
    rss: np.ndarray

    def plus(self, other: "ResidualSums") -> "ResidualSums":
        return ResidualSums(*(one + two for one, two in zip(self, other)))


def residual_sums(
    design: Design, target: Any, beta: Pair, intercept: Pair, *, doubled: bool, unit: float = 1.0
) -> ResidualSums:
    """The sums for beta (p, k) and intercept (k,), y being divided by `unit`, a power of two.

    >>> from separatrix.core.target import Target
    >>> from separatrix.designs.dense import DenseDesign
    >>> zero = Pair(np.zeros((1, 1)), np.zeros((1, 1))), Pair(np.zeros(1), np.zeros(1))
    >>> residual_sums(DenseDesign(np.array([[1.0], [2.0]])), Target(np.array([3.0, 4.0])), *zero, doubled=True)
    ResidualSums(g=array([[11.]]), g0=array([7.]), rss=array([25.]))
    """
    k = beta.high.shape[1]

    def plain(block: Block) -> ResidualSums:
        fitted = np.asarray(block.X @ beta.high[:, 0])[:, None] if k == 1 else np.asarray(block.X @ beta.high)
        r = block.y.reshape(-1, k) / unit - fitted - intercept.high
        sr = r if block.s is None else block.s[:, None] * r
        return ResidualSums(thin_product(block.X, sr), sr.sum(axis=0), (sr * r).sum(axis=0))

    def exact(block: Block) -> list[tuple[Pair, ...]]:
        B, Y = np.ascontiguousarray(as_dense(block.X)), block.y.reshape(-1, k) / unit
        return [_output(B, Y[:, c], block.s, _column(beta, c), _column(intercept, c)) for c in range(k)]

    if not doubled:
        return design.reduce(plain, ResidualSums.plus, target)
    sums = design.reduce(exact, _merge_pairs, target)
    return ResidualSums(*(np.stack([output[part].high for output in sums], axis=-1) for part in range(3)))


def dual_sums(
    design: Any, target: Any, beta: np.ndarray, intercept: np.ndarray, theta: np.ndarray, unit: float
) -> ResidualSums:
    """``X'S theta``, ``Σ s theta`` and ``Σ s (r - theta)²`` of other residuals theta (n, k): one read of X."""
    k = theta.shape[1]
    if k == 1:
        s, r = target.weights, target.weights * theta[:, 0]
        fitted, g = design.there_and_back(beta[:, 0], -float(intercept[0]), s, r)
        e = target.y.reshape(-1) / unit - fitted - theta[:, 0]
        return ResidualSums(g[:, None], np.array([r.sum()]), np.array([(s * e * e).sum()]))

    def task(block: Block, piece: np.ndarray) -> ResidualSums:
        e = block.y.reshape(-1, k) / unit - np.asarray(block.X @ beta) - intercept - piece
        s = 1.0 if block.s is None else block.s[:, None]
        return ResidualSums(thin_product(block.X, s * piece), (s * piece).sum(axis=0), (s * e * e).sum(axis=0))

    return design.reduce(task, ResidualSums.plus, target, theta)


# Steps that change fitted values by less than this share of the residuals: errors of X'SX then count that little.
SMALL_STEP = 1e-3


def moved_sums(
    m: Any,
    beta: Pair,
    intercept: Pair,
    unit: float,
    sums: ResidualSums,
    new: Pair,
    new_intercept: Pair,
    new_unit: float,
) -> ResidualSums | None:
    """The sums after a small step from `beta`, whose `sums` are known, by the moments m of X: no read of X.

    With ``d = new - beta``, ``X'S (r - X d) = X'S r - X'SX d``. None where the step is not small, or X'X is not known:
    the errors of X'SX, relative ones of the size of those of X'S r, must not add to them.
    """
    if m.xx.ndim == 1:
        return None
    ratio = unit / new_unit
    last = ResidualSums(ratio * sums.g, ratio * sums.g0, ratio**2 * sums.rss)
    d = (new.high - ratio * beta.high) + (new.low - ratio * beta.low)
    d0 = (new_intercept.high - ratio * intercept.high) + (new_intercept.low - ratio * intercept.low)
    columns = np.sqrt(m.squares / m.total + m.x_mean**2)
    largest = columns @ np.abs(d) + np.abs(d0)
    if not (largest <= SMALL_STEP * np.sqrt(last.rss / m.total)).all():
        return None
    shift = m.total * (m.x_mean @ d + d0)  # Σ s (x'd + d0)
    g = last.g - m.xx @ d - np.multiply.outer(m.x_mean, shift)
    change = (d * (last.g + g)).sum(axis=0) + d0 * (2.0 * last.g0 - shift)
    return ResidualSums(g, last.g0 - shift, np.maximum(last.rss - change, 0.0))


def _merge_pairs(one: list[tuple[Pair, ...]], other: list[tuple[Pair, ...]]) -> list[tuple[Pair, ...]]:
    return [tuple(a.plus(b) for a, b in zip(x, y)) for x, y in zip(one, other)]


def _column(pair: Pair, c: int) -> Pair:
    return Pair(pair.high[..., c], pair.low[..., c])


def _output(B: np.ndarray, y: np.ndarray, s: np.ndarray | None, beta: Pair, intercept: Pair) -> tuple[Pair, ...]:
    fitted = pair_matvec(B, beta)
    high, error = two_sum(y, -fitted.high)
    r = renormalise(high, error - fitted.low)
    r = r.plus(Pair(-intercept.high, -intercept.low))
    if s is None:
        sr = r
    else:
        product, error = two_product(s, r.high)
        sr = renormalise(product, error + s * r.low)
    square, error = two_product(sr.high, r.high)
    rss = pair_sum(square, error + sr.high * r.low + sr.low * r.high)
    return pair_rmatvec(B, sr), pair_sum(sr.high, sr.low), rss


def doubled_scores(design: Design, beta: Array, intercept: Any) -> Array:
    """``X beta + intercept`` (n, k) of all rows, summed in doubled precision and rounded once."""
    shifts = np.broadcast_to(np.asarray(intercept, dtype=np.float64), beta.shape[1])

    def task(block: Block) -> Array:
        X = np.ascontiguousarray(as_dense(block.X))
        scores = np.empty((len(X), beta.shape[1]))
        for c, shift in enumerate(shifts):
            fitted = pair_matvec(X, Pair(np.ascontiguousarray(beta[:, c]), np.zeros(len(beta))))
            scores[:, c] = fitted.plus(Pair(np.full(len(X), shift), np.zeros(len(X)))).high
        return scores

    return design.reduce(task, lambda a, b: np.concatenate([a, b]))
