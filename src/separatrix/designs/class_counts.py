"""Counts of classes: how often each column was on, each thing was counted, each category met; mergeable, in one pass.

Everything that naive Bayes models of counts need of the data is here, and the one product that predicts with them.
"""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import scipy.sparse as sp

from separatrix.core.registry import register
from separatrix.core.threads import parallel_map
from separatrix.designs import base
from separatrix.designs.compiled.class_counts import (
    category_totals,
    class_ones,
    class_totals,
    class_totals_by_columns,
    class_totals_by_rows,
)


@register("record")
@dataclass
class ClassCounts:
    r"""Weight :math:`N_k = \sum_{y_i = k} s_i` of each class and sums :math:`\sum_{y_i = k} s_i x_{ij}` (k, p)."""

    totals: np.ndarray
    sums: np.ndarray

    def merge(self, other):
        """Counts of two sets of rows together."""
        return ClassCounts(self.totals + other.totals, self.sums + other.sums)


@register("record")
@dataclass
class CategoryCounts:
    """Weight of each class, and for each column the weight of each category in each class (k, categories)."""

    totals: np.ndarray
    tables: list

    @property
    def sizes(self):
        """How many categories each column has."""
        return np.array([table.shape[1] for table in self.tables], dtype=np.int64)

    def grown(self, sizes):
        """The same counts in tables of at least these sizes: categories that were not met count 0."""
        missing = np.maximum(np.asarray(sizes) - self.sizes, 0)
        tables = [np.pad(table, ((0, 0), (0, more))) for table, more in zip(self.tables, missing, strict=True)]
        return CategoryCounts(self.totals, tables)

    def merge(self, other):
        """Counts of two sets of rows together; either may have met categories that the other has not."""
        mine, others = self.grown(other.sizes), other.grown(self.sizes)
        tables = [a + b for a, b in zip(mine.tables, others.tables, strict=True)]
        return CategoryCounts(self.totals + other.totals, tables)


def class_counts(design, codes, k, s=None, *, threshold=None, low=-np.inf, high=np.inf):
    """Counts of k classes of the rows of a design in memory, or None where a number of X lies outside [low, high].

    With a `threshold`, >= 0, a number counts 1 where it is above, else 0; without one it counts as it is.

    >>> import numpy as np
    >>> from separatrix.designs import DenseDesign
    >>> X = np.array([[2.0, 0.0], [3.0, 1.0], [0.0, 5.0]])
    >>> class_counts(DenseDesign(X), np.array([0, 0, 1]), 2).sums
    array([[5., 1.],
           [0., 5.]])
    >>> class_counts(DenseDesign(X), np.array([0, 0, 1]), 2, threshold=0.0).sums
    array([[2., 1.],
           [0., 1.]])
    """
    totals = np.bincount(codes, s, minlength=k).astype(np.float64)
    weights = np.ones(1) if s is None else s
    if sp.issparse(design.X):
        if threshold is None and first_outside(design, low, high) is not None:
            return None
        return ClassCounts(totals, _sparse_sums(design, codes, k, weights, threshold))
    sums, trouble = _dense_sums(design, codes, k, weights, threshold, low, high)
    design.refuse_if_not_finite(sums, trouble)
    return None if trouble else ClassCounts(totals, sums)


def _dense_sums(design, codes, k, weights, threshold, low, high):
    """Sums (k, p), and whether numbers lay outside: NaN where they are none."""
    height = max(1, base.BLOCK_NUMBERS // design.p)

    def of_part(part):
        sums, trouble = np.zeros((k, design.p)), 0.0
        for i in range(part[0], part[1], height):
            rows = slice(i, min(i + height, part[1]))
            B, c = np.ascontiguousarray(design.block(rows)), codes[rows]
            w = weights if len(weights) == 1 else weights[rows]
            with np.errstate(over="ignore", invalid="ignore"):
                if threshold is None:
                    trouble += class_totals(B, c, w, low, high, sums)
                else:
                    trouble += class_ones(B, c, w, _in_the_units_of(design, threshold), sums)
        return sums, trouble

    return _added(parallel_map(of_part, design.parts(k)))


def _in_the_units_of(design, threshold):
    """The threshold as float32 has it, for X that is float32: 0.1 is not above 0.1."""
    return float(design.X.dtype.type(threshold))


def _added(found):
    """Sums of pairs, in order."""
    sums, trouble = found[0]
    with np.errstate(over="ignore", invalid="ignore"):
        for more, worse in found[1:]:
            sums += more
            trouble += worse
    return sums, trouble


def _sparse_sums(design, codes, k, weights, threshold):
    """Sums (k, p) of what is stored; rows in parts with sums of their own, columns in parts that share none."""
    X = _without_duplicates(design.X)
    data = X.data if threshold is None else X.data > X.dtype.type(threshold)
    if X.format == "csc":
        sums = np.zeros((k, design.p))
        ends = np.searchsorted(X.indptr, np.linspace(0, X.nnz, base.GROUPS + 1)).clip(max=design.p)
        ends[0], ends[-1] = 0, design.p

        def of_columns(part):
            class_totals_by_columns(data, X.indices, X.indptr, *part, codes, weights, sums)

        parallel_map(of_columns, pairwise(ends.tolist()))
        return sums

    def of_rows(part):
        sums = np.zeros((k, design.p))
        class_totals_by_rows(data, X.indices, X.indptr, *part, codes, weights, sums)
        return sums, 0.0

    return _added(parallel_map(of_rows, design.parts(k)))[0]


def _without_duplicates(X):
    """X with each entry stored once: two halves of a number are above a threshold together or not at all."""
    if X.has_canonical_format:
        return X
    X = X.copy()
    X.sum_duplicates()
    return X


def first_outside(design, low, high):
    """The first column with a number outside [low, high] and that number, or None."""
    if sp.issparse(design.X):
        X = _without_duplicates(design.X)
        if X.nnz == 0 or (X.data.min() >= low and X.data.max() <= high):
            return None
        bad = ~((X.data >= low) & (X.data <= high))
        X = X.tocoo()
        at = np.flatnonzero(bad)[np.argmin(X.coords[1][bad])]
        return int(X.coords[1][at]), float(X.data[at])

    def of_rows(rows):
        B = design.block(rows)
        bad = ~(np.greater_equal(B, low) & np.less_equal(B, high))
        if not bad.any():
            return None
        j = int(np.argmax(bad.any(axis=0)))
        return j, float(B[np.argmax(bad[:, j]), j])

    found = [one for one in parallel_map(of_rows, design.blocks()) if one is not None]
    return min(found, key=lambda pair: pair[0]) if found else None


def category_ranges(design):
    """Smallest and largest number of each column, and whether all of them are whole: three arrays (p,)."""

    def of_rows(B):
        return B.min(axis=0), B.max(axis=0), (np.floor(B) == B).all(axis=0)

    def merge(a, b):
        return np.minimum(a[0], b[0]), np.maximum(a[1], b[1]), a[2] & b[2]

    low, high, whole = design.reduce_rows(of_rows, merge)
    design.refuse_if_not_finite(low, high)
    return low, high, whole


def category_counts(design, codes, k, s=None):
    """Counts of the categories 0, 1, ... of each column in k classes; fractions of numbers are cut off.

    A row of weight 0 is as if it were not there: its categories are not met.

    >>> import numpy as np
    >>> from separatrix.designs import DenseDesign
    >>> category_counts(DenseDesign(np.array([[0.0, 2.0], [1.0, 0.0]])), np.array([0, 1]), 2).tables
    [array([[1., 0.],
           [0., 1.]]), array([[0., 0., 1.],
           [1., 0., 0.]])]
    """
    if s is not None and not s.all():
        seen = np.flatnonzero(s)
        design, codes, s = design.take(seen), codes[seen], s[seen]
    totals = np.bincount(codes, s, minlength=k).astype(np.float64)
    ends = np.concatenate([[0], np.cumsum(category_ranges(design)[1].astype(np.int64) + 1)])

    def task(B, c, s_block):
        sums = np.zeros((k, ends[-1]))
        weights = np.ones(1) if s_block is None else s_block
        category_totals(np.ascontiguousarray(B), c, weights, ends[:-1], sums)
        return sums

    sums = design.reduce(task, np.add, codes, s)
    return CategoryCounts(totals, [np.ascontiguousarray(sums[:, a:b]) for a, b in pairwise(ends.tolist())])


def product(design, W, threshold=None):
    """``X W`` (n, k) for W (p, k), or with a threshold >= 0 ``[X > threshold] W``, by blocks on threads."""
    if sp.issparse(design.X):
        X = design.X
        if threshold is not None:
            X = _without_duplicates(X)
            above = (X.data > X.dtype.type(threshold)).astype(np.float64)
            X = type(X)((above, X.indices, X.indptr), shape=X.shape)
        return np.asarray(X @ W)
    out = np.empty((design.n, W.shape[1]))

    def of_rows(rows):
        B = design.block(rows)
        if threshold is not None:
            B = np.greater(B, _in_the_units_of(design, threshold)).astype(np.float64)
        np.matmul(B, W, out=out[rows])

    parallel_map(of_rows, design.blocks())
    return out
