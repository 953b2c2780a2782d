"""First and second moments of [X, y]: a mergeable sum over rows, taken in one pass."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from separatrix.core.target import AnyTarget
from separatrix.core.types import Array
from separatrix.designs.base import BLOCK_NUMBERS, Block, Design, row_sums, squares_of, thin_product
from separatrix.designs.sparse import as_dense

# Where some column's mean is this many standard deviations from zero, squares are summed about a provisional mean
# (a copy of each block); below it the raw squares lose at most three of sixteen digits and no copy is needed.
FAR_FROM_ZERO = 30.0


@dataclass
class Moments:
    """Weight, means and scatter (sums of squares and products about the means) of X (n, p) and Y (n, k).

    ``xx = Σ s (x - x̄)(x - x̄)'`` (only its diagonal where the matrix was not asked for), ``xy`` and ``yy`` likewise.
    Without an intercept the reference point is 0 instead of the mean: the moments are then "about zero".
    """

    total: float
    x_mean: Array
    y_mean: Array
    xx: Array
    xy: Array
    yy: Array

    @property
    def far(self) -> bool:
        """Whether some mean is so many standard deviations from zero that rounding of fitted values may show."""
        return bool((np.abs(self.x_mean) * np.sqrt(self.total) > 1e7 * np.sqrt(self.squares)).any())

    @property
    def largest_spread(self) -> float:
        """The greatest standard deviation of a column (about zero: root mean square)."""
        return float(np.sqrt(self.squares.max(initial=0.0) / self.total))

    @property
    def squares(self) -> Array:
        """``Σ s (x_j - x̄_j)²`` for each column."""
        return (np.diag(self.xx) if self.xx.ndim == 2 else self.xx).clip(min=0.0)

    @property
    def squares_about_zero(self) -> Array:
        """``Σ s x_j²`` for each column."""
        return self.squares + self.total * self.x_mean**2

    def merge(self, other: "Moments") -> "Moments":
        """Moments of two sets of rows together (Chan, Golub and LeVeque 1983): no cancellation."""
        total = self.total + other.total
        if total == 0.0:
            return self
        share = other.total / total
        dx, dy = other.x_mean - self.x_mean, other.y_mean - self.y_mean
        cross = self.total * share
        self.x_mean = self.x_mean + share * dx
        self.y_mean = self.y_mean + share * dy
        if dx.any() or dy.any():
            self.xx += np.multiply.outer(cross * dx, dx) if self.xx.ndim == 2 else cross * dx * dx
            self.xy += np.multiply.outer(cross * dx, dy)
            self.yy += cross * dy * dy
        self.xx += other.xx
        self.xy += other.xy
        self.yy += other.yy
        self.total = total
        return self


def moments(design: Any, target: AnyTarget, *, about_mean: bool = True, gram: bool = True) -> Moments:
    """Moments of a design and its target, merged over blocks of rows; without `gram`, squares but no products of X.

    >>> import numpy as np
    >>> from separatrix.core.target import Target
    >>> from separatrix.designs.dense import DenseDesign
    >>> moments(DenseDesign(np.array([[1.0], [3.0]])), Target(np.array([0.0, 4.0]))).xy
    array([[4.]])
    """
    about = np.reshape(target.mean(), -1) if about_mean else np.zeros(int(np.prod(target.outputs)))
    with np.errstate(over="ignore", invalid="ignore"):
        x_shift = design.provisional_means if about_mean else None

    def task(block: Block) -> Moments:
        Y = block.y.reshape(len(block.y), len(about)) - about
        return moments_of_block(block.X, Y, block.s, x_shift, about_mean, gram)

    if gram and x_shift is None and design.whole_is_faster and target.s is None:
        with np.errstate(over="ignore", invalid="ignore"):
            sums = task(Block(design.block(slice(None)), target.y))
    else:
        sums = design.reduce(task, Moments.merge, target, gram=gram)
    design.refuse_if_not_finite(sums.xy, sums.xx)
    if about_mean and x_shift is None and _is_far(sums):  # the sample did not tell: it had other weights, say
        x_shift = sums.x_mean
        sums = design.reduce(task, Moments.merge, target, gram=gram)
    if x_shift is not None:
        sums.x_mean = sums.x_mean + x_shift
    sums.y_mean = sums.y_mean + about
    return sums


def _is_far(sums: Moments) -> bool:
    spread = np.sqrt(sums.squares / sums.total)
    return bool((np.abs(sums.x_mean) > 10.0 * FAR_FROM_ZERO * spread).any())


def provisional_means(design: Design) -> Array | None:
    """Means of some rows, or None where all columns lie near zero compared with their spread.

    A sparse block is shifted in the columns that need it only, which hold hardly a zero, and so stays sparse.
    """
    rows = design.sample(count=max(16, min(256, BLOCK_NUMBERS // max(design.p, 1)))).X
    mean = np.asarray(rows.mean(axis=0))
    if sp.issparse(rows):
        spread = np.sqrt(np.maximum(np.asarray((rows * rows).mean(axis=0)) - mean * mean, 0.0))
    else:
        spread = rows.std(axis=0)
    far = np.abs(mean) > FAR_FROM_ZERO * spread
    if not far.any() and design.sample_is_typical:
        return None
    return np.where(far, mean, 0.0) if sp.issparse(rows) else mean


def moments_of_block(B: Any, Y: Array, s: Array | None, x_shift: Array | None, about_mean: bool, gram: bool) -> Moments:
    """Moments of some rows, those of X less `x_shift` (None: 0); to be merged, and the shift added to the mean."""
    far = None
    if x_shift is not None and sp.issparse(B):
        far = np.flatnonzero(x_shift)
        D = as_dense(B[:, far]) - x_shift[far]
        B = (B * (x_shift == 0.0)).tocsr()
    elif x_shift is not None:
        B = B - x_shift
    n = Y.shape[0]
    weights = np.ones(n) if s is None else s
    total = float(weights.sum())
    sY = Y if s is None else s[:, None] * Y
    right = np.column_stack([sY, weights]) if about_mean else sY  # about zero, nobody asks for the column sums
    if not gram and right.shape[1] == 2:
        *sums, xx = row_sums(B, np.ascontiguousarray(right.T), s)
        sums = np.stack(sums, axis=1)
    else:
        sums = thin_product(B, right)
        xx = _products(B, s) if gram else squares_of(B, s)
    if far is not None:
        _put_far_columns(sums, xx, far, B, D, weights[:, None] * D, right)
    xy, yy = np.ascontiguousarray(sums[:, : Y.shape[1]]), (sY * Y).sum(axis=0)
    if not about_mean or total == 0.0:
        return Moments(total, np.zeros(B.shape[1]), np.zeros(Y.shape[1]), xx, xy, yy)
    x_sum, y_sum = sums[:, -1], sY.sum(axis=0)
    x_mean, y_mean = x_sum / total, y_sum / total
    xx -= np.multiply.outer(x_sum, x_mean) if gram else x_sum * x_mean
    xy -= np.multiply.outer(x_sum, y_mean)
    yy = yy - y_sum * y_mean
    return Moments(total, x_mean, y_mean, xx, xy, yy)


def _put_far_columns(sums: Array, xx: Array, far: Array, B: Any, D: Array, sD: Array, right: Array) -> None:
    """Enter the shifted dense columns D, which belong at the places `far` of the sparse block B, into its sums."""
    sums[far] = D.T @ right
    if xx.ndim == 1:
        xx[far] = (D * sD).sum(axis=0)
        return
    xx[:, far] = B.T @ sD
    xx[far] = xx[:, far].T
    xx[np.ix_(far, far)] = D.T @ sD


def _products(B: Any, s: Array | None) -> Array:
    """``B'S B``, dense."""
    if s is not None:
        root = np.sqrt(s)[:, None]
        B = B.multiply(root).tocsr() if sp.issparse(B) else B * root
    return as_dense(B.T @ B)
