"""Counts, means and scatters of classes: mergeable sums over rows, taken in one pass.

Everything that linear, quadratic and regularised discriminants, Gaussian naive Bayes and Fisher's projection need of
the data is here. A "class" is any group of rows: cross-validation asks for the moments of each class in each fold.
"""

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from separatrix.core.errors import cannot
from separatrix.core.jit import SMALL_LOOP
from separatrix.core.registry import register
from separatrix.core.target import AnyTarget
from separatrix.core.types import Array
from separatrix.designs.base import Block, Design
from separatrix.designs.compiled.class_sums import class_squares
from separatrix.designs.moments import FAR_FROM_ZERO

# Fewer indicators of classes are multiplied faster as a dense matrix than a sparse one is made.
FEW_INDICATORS = 1 << 12


@register("record")
@dataclass
class ClassMoments:
    r"""Weight, mean and scatter of each class.

    .. math:: N_k = \sum_{y_i = k} s_i, \quad \bar x_k = \frac1{N_k} \sum_{y_i = k} s_i x_i, \quad
              S_k = \sum_{y_i = k} s_i (x_i - \bar x_k)(x_i - \bar x_k)^\top

    `scatter` holds :math:`\sum_k S_k` (p, p) where ``kind`` is "pooled", all :math:`S_k` (k, p, p) where it is "each",
    and their diagonals (k, p) where it is "diagonal".
    """

    totals: Array
    means: Array
    scatter: Array
    kind: str

    @property
    def total(self) -> float:
        return float(self.totals.sum())

    @property
    def mean(self) -> Array:
        """The mean of all rows."""
        return self.totals @ self.means / self.total

    @property
    def pooled(self) -> "ClassMoments":
        """Moments whose scatter is the sum over the classes, (p, p), or (1, p) of diagonals."""
        if self.kind == "pooled":
            return self
        scatter = self.scatter.sum(axis=0, keepdims=self.kind == "diagonal")
        return ClassMoments(self.totals, self.means, scatter, "pooled")

    @property
    def between(self) -> Array:
        r"""Scatter of the class means about the overall mean, :math:`\sum_k N_k (\bar x_k - \bar x)(\cdot)^\top`."""
        D = self.means - self.mean
        return (D.T * self.totals) @ D

    def merge(self, other: "ClassMoments") -> "ClassMoments":
        """Moments of two sets of rows together (Chan, Golub and LeVeque 1983): no cancellation."""
        totals = self.totals + other.totals
        share = np.divide(other.totals, totals, out=np.zeros_like(totals), where=totals > 0.0)[:, None]
        D = other.means - self.means
        cross = self.totals[:, None] * share
        if self.kind == "pooled":
            self.scatter += (D * cross).T @ D
        elif self.kind == "diagonal":
            self.scatter += cross * D * D
        else:
            for c in np.flatnonzero(cross):  # one matrix after the other stays in cache
                self.scatter[c] += np.multiply.outer(cross[c] * D[c], D[c])
        self.scatter += other.scatter
        self.means = self.means + share * D
        self.totals = totals
        return self


def class_moments(design: Design, target: AnyTarget, k: int, *, scatter: str = "pooled") -> ClassMoments:
    """Moments of k classes of the rows of a design; y of the target holds the code 0, 1, ... of the class of each row.

    `scatter` is "pooled", "each" or "diagonal": see :class:`ClassMoments`. A class without rows has weight, mean and
    scatter 0.

    >>> import numpy as np
    >>> from separatrix.core.target import Target
    >>> from separatrix.designs import DenseDesign
    >>> X = np.array([[0.0, 0.0], [2.0, 0.0], [1.0, 3.0], [5.0, 5.0], [7.0, 6.0]])
    >>> classes = class_moments(DenseDesign(X), Target(np.array([1, 1, 1, 0, 0])), 2)
    >>> classes.means, classes.scatter / 5
    (array([[6. , 5.5],
           [1. , 1. ]]), array([[0.8, 0.2],
           [0.2, 1.3]]))
    """
    of_block = {"pooled": _pooled, "each": _each, "diagonal": _diagonal}[scatter]
    with np.errstate(over="ignore", invalid="ignore"):
        shifts, far = provisional_class_means(design, target, k)
    far = far or scatter == "diagonal"  # where a shift costs nothing

    def task(block: Block) -> ClassMoments:
        return of_block(block, k, shifts if far else None, design.sample_is_typical)

    classes = design.reduce(task, ClassMoments.merge, target, gram=k if scatter == "each" else 1)
    design.refuse_if_not_finite(classes.means, classes.scatter)
    if far:
        classes.means = np.where(classes.totals[:, None] > 0.0, classes.means + shifts, 0.0)
    return classes


def _pooled(block: Block, k: int, shifts: Array | None, typical: bool) -> ClassMoments:
    """One product X'X and one with the indicators of the classes, no copy: what lies between classes is taken off.

    Where the shifts were not `typical`, a class may lie far from its own: the block is centred before it is squared.
    """
    B, c = block.X if shifts is None else block.X - shifts[block.y], block.y
    totals, sums, means = _totals(B, c, block.s, k)
    between = sums.T @ means
    if not typical:
        B = B - means[c]
        between = np.zeros_like(between)
    if block.s is not None:
        B = B * np.sqrt(block.s)[:, None]
    return ClassMoments(totals, means, B.T @ B - between, "pooled")


def _each(block: Block, k: int, shifts: Array | None, typical: bool) -> ClassMoments:
    """Class by class: the rows of a block are gathered, centred and multiplied."""
    B, codes, s = block
    p = B.shape[1]
    order = np.argsort(codes.astype(np.int16) if k < 1 << 15 else codes, kind="stable")
    ends = np.searchsorted(codes[order], np.arange(k + 1))
    classes = ClassMoments(np.zeros(k), np.zeros((k, p)), np.zeros((k, p, p)), "each")
    for c in np.flatnonzero(np.diff(ends)):
        rows = order[ends[c] : ends[c + 1]]
        Z = np.take(B, rows, axis=0)
        if shifts is not None:
            Z -= shifts[c]
        weights = np.ones(len(rows)) if s is None else s[rows]
        total = weights.sum()
        mean = weights @ Z / total if total > 0.0 else np.zeros(p)
        Z -= mean
        if s is not None:
            Z *= np.sqrt(weights)[:, None]
        classes.totals[c], classes.means[c], classes.scatter[c] = total, mean, Z.T @ Z
    return classes


def _diagonal(block: Block, k: int, shifts: Array | None, typical: bool) -> ClassMoments:
    """Sums and squares about provisional means, in one walk over the block; about its own where those may be far."""
    B, c = np.ascontiguousarray(block.X), block.y
    weights = np.ones(1) if block.s is None else block.s
    origins = np.zeros((k, B.shape[1])) if shifts is None else shifts
    if not typical:
        origins = origins + _totals(B - origins[c], c, block.s, k)[2]
    if B.size <= SMALL_LOOP and k * len(c) < FEW_INDICATORS:  # over before a loop is compiled, or read from disk
        D, indicators = B - origins[c], np.where(c == np.arange(k)[:, None], weights, 0.0)
        sums, squares = indicators @ D, indicators @ (D * D)
    else:
        sums, squares = np.zeros_like(origins), np.zeros_like(origins)
        class_squares(B, c, weights, origins, sums, squares)
    totals = np.bincount(c, block.s, minlength=k).astype(np.float64)
    means = _over(sums, totals)
    scatter = np.maximum(squares - sums * means, 0.0)
    return ClassMoments(totals, means if shifts is None else means + (origins - shifts), scatter, "diagonal")


def _totals(B: Array, c: Array, s: Array | None, k: int) -> tuple[Array, Array, Array]:
    """Weight, sum and mean of each class in a block."""
    totals = np.bincount(c, s, minlength=k).astype(np.float64)
    weights = np.ones(len(c)) if s is None else s
    if k * len(c) < FEW_INDICATORS:
        sums = np.where(c == np.arange(k)[:, None], weights, 0.0) @ B
    else:  # a row is added where it belongs, which BLAS cannot do
        starts = np.arange(len(c) + 1, dtype=np.int32)
        sums = np.asarray(sp.csc_array((weights, c.astype(np.int32), starts), shape=(k, len(c))) @ B)
    return totals, sums, _over(sums, totals)


def _over(sums: Array, totals: Array) -> Array:
    return np.divide(sums, totals[:, None], out=np.zeros_like(sums), where=totals[:, None] > 0.0)


def provisional_class_means(design: Design, target: AnyTarget, k: int) -> tuple[Array, bool]:
    """Means of the classes on some rows, and whether some lie so far from zero that squares need them.

    Far means more than 30 standard deviations within a class (docs/decisions/0007). Classes that the sample missed get
    the mean of the sample. Where the sample is not typical, every class counts as far.
    """
    if not design.gram_is_cheap:
        raise cannot(
            "take class scatters of a sparse X",
            because="covariances of sparse columns are dense",
            instead="X.toarray(), or a naive Bayes model of counts",
            kind=TypeError,
        )
    rows, c, _ = design.sample(target, max(256, 16 * k))
    totals, _, means = _totals(rows, c, None, k)
    means = np.where(totals[:, None] > 0.0, means, rows.mean(axis=0))
    spread = np.sqrt(((rows - means[c]) ** 2).mean(axis=0))
    far = bool((np.abs(means).max(axis=0) > FAR_FROM_ZERO * spread).any())
    return means, far or not design.sample_is_typical
