"""What the columns that a factor leaves out add to the columns it keeps: their remainders, in doubled precision.

    E  =  X_A - X_K T - 1 c',      A left out, K kept, T and c as they were found

Columns that are dependent to within rounding need not be dependent: what is left of them is small, and a fit to it may
gain as much as a fit to any column. Where T holds short binary fractions (duplicates, indicators of all levels, sums of
counts), E is often exactly 0, and that is a proof.
"""

from typing import NamedTuple

import numpy as np

from separatrix.core.extended import Pair, pair_matvec, renormalise, two_product, two_sum
from separatrix.core.target import AnyTarget
from separatrix.core.types import Array
from separatrix.designs.base import Block, Design
from separatrix.designs.factor import Factor
from separatrix.designs.sparse import as_dense

EPS = float(np.finfo(np.float64).eps)
# Coefficients this close to a multiple of UNIT, in units of scaled columns, are taken for it.
CLOSE, UNIT = 1e-9, 1.0 / 1024.0
# Products in doubled precision that may be spent on combinations that are no short fractions, if their time is more
# than that of the factor, n p² products.
AFFORDABLE = 1 << 26


class Remainders(NamedTuple):
    """Sums over the rows of ``E diag(scale)``; all are 0 where a column is proved to be a combination of kept ones."""

    columns: Array  # (a,) those left out
    scale: Array  # (a,) 1 / the lengths of the columns themselves
    T: Array  # (q, a)
    squares: Array  # (a, a)  E'S E, about the means where there is an intercept, as all sums here
    kept: Array  # (q, a)  (X_K - means)'S E in units of scaled columns
    residuals: Array  # (a, k)  E'S r
    noise: Array  # (a,) bounds on the lengths of the errors of E
    rounding: Array  # (a,) whether every entry of E is as small as the rounding of the numbers that it is made of


class _Sums(NamedTuple):
    total: float
    first: Array  # (1 + q + k, a) sums of E times 1, the kept columns and the residuals
    right: Array  # (q + k) sums of those
    squares: Array
    least: Array  # (2, a) of the pairs E: equal to the greatest where E is constant
    greatest: Array
    lost: Array  # what the sums of doubled precision lost: 0 where they are exact
    coarse: Array  # entries of E that are larger than rounding explains

    def merge(self, other: "_Sums") -> "_Sums":
        return _Sums(
            self.total + other.total,
            self.first + other.first,
            self.right + other.right,
            self.squares + other.squares,
            np.minimum(self.least, other.least),
            np.maximum(self.greatest, other.greatest),
            self.lost + other.lost,
            self.coarse + other.coarse,
        )


def remainders(
    design: Design, target: AnyTarget, factor: Factor, beta: Array, intercept: Array, *, doubled: bool, unit: float
) -> Remainders | None:
    """The remainders of the columns that `factor` left out, with the residuals of beta (p, k) for ``y / unit``.

    None where they cost more than can be afforded.
    """
    left = np.concatenate([factor.aliased, factor.constant])
    T, scale, simple = _combinations(design, target, factor)
    if np.count_nonzero(T[:, ~simple]) > max(AFFORDABLE / design.n, 0.25 * design.p**2):
        return None
    sums = _sums(design, target, factor, left, T, scale, beta, intercept, doubled, unit)
    exact = (sums.lost == 0.0) & (sums.least == sums.greatest).all(axis=0)
    exact &= (sums.least == 0.0).all(axis=0) | factor.intercept
    q = len(factor.kept)
    mean = sums.first[0] / sums.total if factor.intercept else np.zeros(len(left))
    squares = sums.squares - sums.total * np.multiply.outer(mean, mean)
    right = sums.first[1:] - np.multiply.outer(sums.right, mean)
    noise = 8.0 * (q + 3.0) * EPS * EPS * np.sqrt(sums.total) * scale * _sizes(design, target, factor, left, T)
    live = ~exact
    squares, right, noise = squares * np.multiply.outer(live, live), right * live, noise * live
    return Remainders(left, scale, T, squares, right[:q], right[q:].T, noise, sums.coarse == 0)


def _combinations(design: Design, target: AnyTarget, factor: Factor) -> tuple[Array, Array, Array]:
    """T in units of X, scales of the left-out columns, and which columns of T are short fractions."""
    q, constant = len(factor.kept), factor.constant
    size = np.sqrt(target.total) * np.maximum(np.abs(factor.mean[constant]), np.finfo(np.float64).tiny)
    scale = np.concatenate([factor.scale[factor.aliased], 1.0 / size])
    T = np.zeros((q, len(scale)))
    if q and len(factor.aliased):
        T[:, : len(factor.aliased)] = (
            factor.combination * factor.scale[factor.kept, None] / scale[: len(factor.aliased)]
        )
    with np.errstate(over="ignore", invalid="ignore"):
        rounded = UNIT * np.round(T / UNIT)
        far = np.abs(rounded - T) * scale / factor.scale[factor.kept, None]
    simple = (far <= CLOSE).all(axis=0)
    return np.where(simple, rounded, T), scale, simple


def _sizes(design: Design, target: AnyTarget, factor: Factor, left: Array, T: Array) -> Array:
    """Root mean squares of what is added up in an entry of E."""
    sums = design.moments(target, about_mean=factor.intercept, gram=design.forms_gram)
    size = np.hypot(np.sqrt(sums.squares / sums.total), sums.x_mean)
    return np.asarray(2.0 * (size[left] + size[factor.kept] @ np.abs(T)))


def _sums(
    design: Design,
    target: AnyTarget,
    factor: Factor,
    left: Array,
    T: Array,
    scale: Array,
    beta: Array,
    intercept: Array,
    doubled: bool,
    unit: float,
) -> _Sums:
    kept, k = factor.kept, beta.shape[1]
    mean = factor.mean if factor.intercept else np.zeros(design.p)
    constant = mean[left] - mean[kept] @ T
    rounded = UNIT * np.round(constant / UNIT)
    close = np.abs(rounded - constant) * scale * np.sqrt(target.total) <= CLOSE
    constant = np.where(close, rounded, constant)

    def task(block: Block) -> _Sums:
        B, s = as_dense(block.X), block.weights
        counted = s > 0.0
        B, s = B[counted], s[counted][:, None]
        pairs, lost, coarse = _entries(B, left, kept, T, constant)
        ends = pairs.min(axis=1, initial=np.inf), pairs.max(axis=1, initial=-np.inf)
        E = pairs[0] * scale
        r = _residuals(B, block.y.reshape(-1, k)[counted] / unit, beta, intercept, doubled)
        others = s * np.hstack([np.ones((len(B), 1)), (B[:, kept] - mean[kept]) * factor.scale[kept], r])
        return _Sums(float(s.sum()), others.T @ E, others[:, 1:].sum(axis=0), E.T @ (s * E), *ends, lost, coarse)

    return design.reduce(task, _Sums.merge, target)


def _entries(B: Array, left: Array, kept: Array, T: Array, constant: Array) -> tuple[Array, Array, Array]:
    """E of some rows as pairs (2, m, a); for each column what was lost on the way, and how many entries are coarse.

    A column that was computed as this combination, and whose T was rounded, leaves at most half a unit in the last
    place of each of m products, of as many sums and of as many coefficients.
    """
    E, lost, coarse = np.empty((2, len(B), len(left))), np.zeros(len(left)), np.zeros(len(left), dtype=np.intp)
    for a, column in enumerate(left):
        high, low = two_sum(B[:, column], np.full(len(B), -constant[a]))
        size, terms = np.abs(B[:, column]) + np.abs(constant[a]), np.flatnonzero(T[:, a])
        for t, x in ((T[i, a], B[:, kept[i]]) for i in terms):
            product, error = two_product(x, -t)
            high, rest = two_sum(high, product)
            low, first = two_sum(low, rest)
            low, second = two_sum(low, error)
            lost[a] += np.abs(first).sum() + np.abs(second).sum()
            size += np.abs(product)
        E[:, :, a] = two_sum(high, low)
        coarse[a] = np.count_nonzero(np.abs(E[0, :, a]) > 1.5 * EPS * (len(terms) + 1) * size)
    return E, lost, coarse


def _residuals(B: Array, Y: Array, beta: Array, intercept: Array, doubled: bool) -> Array:
    if not doubled:
        return Y - B @ beta - intercept
    r = np.empty_like(Y)
    for c in range(Y.shape[1]):
        fitted = pair_matvec(B, Pair(beta[:, c], np.zeros(len(beta))))
        high, error = two_sum(Y[:, c], -fitted.high)
        r[:, c] = renormalise(high, error - fitted.low).plus(Pair(-intercept[c], np.zeros(1))).high
    return r
