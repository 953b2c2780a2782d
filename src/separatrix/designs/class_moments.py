"""Counts, means and scatters of classes: mergeable sums over rows, taken in one pass.

Everything that linear, quadratic and regularised discriminants, Gaussian naive Bayes and Fisher's projection need of
the data is here. A "class" is any group of rows: cross-validation asks for the moments of each class in each fold.
"""

from dataclasses import dataclass
from functools import reduce as fold

import numpy as np
import scipy.sparse as sp

from separatrix.core.errors import cannot
from separatrix.core.registry import register
from separatrix.core.threads import parallel_map
from separatrix.designs.base import BLOCK_NUMBERS, GROUPS, SMALLEST_PART
from separatrix.designs.compiled.class_sums import class_squares
from separatrix.designs.moments import FAR_FROM_ZERO


@register("record")
@dataclass
class ClassMoments:
    r"""Weight, mean and scatter of each class.

    .. math:: N_k = \sum_{y_i = k} s_i, \quad \bar x_k = \frac1{N_k} \sum_{y_i = k} s_i x_i, \quad
              S_k = \sum_{y_i = k} s_i (x_i - \bar x_k)(x_i - \bar x_k)^\top

    `scatter` holds :math:`\sum_k S_k` (p, p) where ``kind`` is "pooled", all :math:`S_k` (k, p, p) where it is "each",
    and their diagonals (k, p) where it is "diagonal".
    """

    totals: np.ndarray
    means: np.ndarray
    scatter: np.ndarray
    kind: str

    @property
    def total(self):
        return float(self.totals.sum())

    @property
    def mean(self):
        """The mean of all rows."""
        return self.totals @ self.means / self.total

    @property
    def pooled(self):
        """Moments whose scatter is the sum over the classes, (p, p), or (1, p) of diagonals."""
        if self.kind == "pooled":
            return self
        scatter = self.scatter.sum(axis=0, keepdims=self.kind == "diagonal")
        return ClassMoments(self.totals, self.means, scatter, "pooled")

    @property
    def between(self):
        r"""Scatter of the class means about the overall mean, :math:`\sum_k N_k (\bar x_k - \bar x)(\cdot)^\top`."""
        D = self.means - self.mean
        return (D.T * self.totals) @ D

    def merge(self, other):
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
            self.scatter += (D * cross)[:, :, None] * D[:, None, :]
        self.scatter += other.scatter
        self.means = self.means + share * D
        self.totals = totals
        return self


def class_moments(design, codes, k, s=None, *, scatter="pooled"):
    """Moments of k classes of the rows of a design in memory; codes (n,) say which class a row is of.

    `scatter` is "pooled", "each" or "diagonal": see :class:`ClassMoments`. A class without rows has weight, mean and
    scatter 0.

    >>> import numpy as np
    >>> from separatrix.designs import DenseDesign
    >>> X = np.array([[0.0, 0.0], [2.0, 0.0], [1.0, 3.0], [5.0, 5.0], [7.0, 6.0]])
    >>> found = class_moments(DenseDesign(X), np.array([1, 1, 1, 0, 0]), 2)
    >>> found.means, found.scatter / 5
    (array([[6. , 5.5],
           [1. , 1. ]]), array([[0.8, 0.2],
           [0.2, 1.3]]))
    """
    task = {"pooled": _pooled, "each": _each, "diagonal": _diagonal}[scatter]
    with np.errstate(over="ignore", invalid="ignore"):
        found = task(design, codes, k, s)
    design.refuse_if_not_finite(found.means, found.scatter)
    return found


def _pooled(design, codes, k, s):
    """One product X'X and one with the indicators of the classes, no copy: what lies between classes is taken off."""
    shifts, far = provisional_class_means(design, codes, k)

    def task(B, c, s_block):
        if far:
            B = B - shifts[c]
        totals = np.bincount(c, s_block, minlength=k).astype(np.float64)
        sums = np.asarray(_indicators(c, k, s_block) @ B)
        means = np.divide(sums, totals[:, None], out=np.zeros_like(sums), where=totals[:, None] > 0.0)
        if s_block is not None:
            B = B * np.sqrt(s_block)[:, None]
        return ClassMoments(totals, means, B.T @ B - sums.T @ means, "pooled")

    found = design.reduce(task, ClassMoments.merge, codes, s, gram=True)
    return _shifted_back(found, shifts) if far else found


def _indicators(c, k, s):
    """The matrix (k, n) that sums the rows of each class: a row is added where it belongs, which BLAS cannot do."""
    weights = np.ones(len(c)) if s is None else s
    places = c.astype(np.int32)
    return sp.csc_array((weights, places, np.arange(len(c) + 1, dtype=np.int32)), shape=(k, len(c)))


def _each(design, codes, k, s):
    """Class by class: its rows are gathered a block at a time, centred where they lie, and multiplied."""
    order = np.argsort(codes.astype(np.int16) if k < 1 << 15 else codes, kind="stable")
    ends = np.searchsorted(codes[order], np.arange(k + 1))
    height = max(b.stop - b.start for b in design.blocks(gram=True))
    # rows that one thread takes at a time: few rows are not worth a thread, nor a p-by-p sum
    share = max(-(-2 * design.n // GROUPS), -(-SMALLEST_PART // max(design.p, 1)))
    shifts, far = provisional_class_means(design, codes, k)

    def of_rows(c, rows, room):
        B = design.rows_into(rows, room[: len(rows)])
        if far:
            B -= shifts[c]
        weights = np.ones(len(rows)) if s is None else s[rows]
        total = weights.sum()
        mean = weights @ B / total if total > 0.0 else np.zeros(design.p)
        B -= mean
        if s is not None:
            B *= np.sqrt(weights)[:, None]
        return ClassMoments(np.array([total]), mean[None], (B.T @ B)[None], "each")

    def of_piece(piece):
        c, rows = piece
        room = np.empty((min(height, len(rows)), design.p))  # one for all blocks: fresh memory costs as much as X
        with np.errstate(over="ignore", invalid="ignore"):
            found = of_rows(c, rows[:height], room)
            for i in range(height, len(rows), height):
                found = found.merge(of_rows(c, rows[i : i + height], room))
        return c, found

    pieces = []
    for c in range(k):
        rows = order[ends[c] : ends[c + 1]]
        pieces += [(c, rows[i : i + share]) for i in range(0, len(rows), share)]
    parts = {}
    for c, part in (parallel_map if design.stored > SMALLEST_PART else map)(of_piece, pieces):
        parts[c] = parts[c].merge(part) if c in parts else part
    found = ClassMoments(np.zeros(k), np.zeros((k, design.p)), np.zeros((k, design.p, design.p)), "each")
    for c, part in parts.items():
        found.totals[c], found.means[c], found.scatter[c] = part.totals[0], part.means[0], part.scatter[0]
    return _shifted_back(found, shifts) if far else found


def _diagonal(design, codes, k, s):
    """Sums and squares about provisional means, in one read of X."""
    shifts, _ = provisional_class_means(design, codes, k)
    height = max(1, BLOCK_NUMBERS // max(design.p, 1))

    def of_part(part):
        sums, squares = np.zeros((k, design.p)), np.zeros((k, design.p))
        for i in range(part[0], part[1], height):
            rows = slice(i, min(i + height, part[1]))
            weights = np.ones(1) if s is None else s[rows]
            class_squares(np.ascontiguousarray(design.block(rows)), codes[rows], weights, shifts, sums, squares)
        rows = slice(*part)
        totals = np.bincount(codes[rows], None if s is None else s[rows], minlength=k).astype(np.float64)
        with np.errstate(over="ignore", invalid="ignore"):
            means = np.divide(sums, totals[:, None], out=np.zeros_like(sums), where=totals[:, None] > 0.0)
            return ClassMoments(totals, means, np.maximum(squares - sums * means, 0.0), "diagonal")

    found = fold(ClassMoments.merge, parallel_map(of_part, design.parts(2 * k)))
    return _shifted_back(found, shifts)


def _shifted_back(found, shifts):
    """Moments of the rows as they are, from those of rows less the shifts of their classes."""
    found.means = np.where(found.totals[:, None] > 0.0, found.means + shifts, 0.0)
    return found


def provisional_class_means(design, codes, k, sample=256):
    """Means of the classes on evenly spaced rows, and whether some lie so far from zero that squares need them.

    Far means more than 30 standard deviations within a class (docs/decisions/0007). Classes that the sample missed get
    the mean of the sample.
    """
    if sp.issparse(design.X):
        raise cannot(
            "take class scatters of a sparse X",
            because="covariances of sparse columns are dense",
            instead="X.toarray(), or a naive Bayes model of counts",
            kind=TypeError,
        )
    step = max(1, design.n // max(sample, 16 * k))
    rows, c = design.block(slice(0, design.n, step)), codes[::step]
    totals = np.bincount(c, minlength=k)[:, None]
    sums = np.asarray(_indicators(c, k, None) @ rows)
    means = np.where(totals > 0, sums / np.maximum(totals, 1), rows.mean(axis=0))
    spread = np.sqrt(((rows - means[c]) ** 2).mean(axis=0))
    far = bool((np.abs(means).max(axis=0) > FAR_FROM_ZERO * spread).any())
    return means, far
