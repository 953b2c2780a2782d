"""Counts of classes: how often each column was on, each thing was counted, each category met; mergeable, in one pass.

Everything that naive Bayes models of counts need of the data is here, and the one product that predicts with them.
"""

import operator
from dataclasses import dataclass
from functools import reduce as fold
from itertools import pairwise
from typing import Any

import numpy as np

from separatrix.core.registry import register
from separatrix.core.target import AnyTarget, Target
from separatrix.core.threads import parallel_map
from separatrix.core.types import Array
from separatrix.designs import base
from separatrix.designs.base import Block, Design
from separatrix.designs.compiled.class_counts import (
    category_totals,
    class_ones,
    class_totals,
    class_totals_by_columns,
    class_totals_by_rows,
)
from separatrix.designs.in_memory import InMemoryDesign
from separatrix.designs.sparse import SparseDesign


@register("record")
@dataclass
class ClassCounts:
    r"""Weight :math:`N_k = \sum_{y_i = k} s_i` of each class and sums :math:`\sum_{y_i = k} s_i x_{ij}` (k, p)."""

    totals: Array
    sums: Array

    def merge(self, other: "ClassCounts") -> "ClassCounts":
        """Counts of two sets of rows together."""
        return ClassCounts(self.totals + other.totals, self.sums + other.sums)


@register("record")
@dataclass
class CategoryCounts:
    """Weight of each class, and for each column the weight of each category in each class (k, categories)."""

    totals: Array
    tables: list[Array]

    @property
    def sizes(self) -> Array:
        """How many categories each column has."""
        return np.array([table.shape[1] for table in self.tables], dtype=np.int64)

    def grown(self, sizes: Array) -> "CategoryCounts":
        """The same counts in tables of at least these sizes: categories that were not met count 0."""
        missing = np.maximum(np.asarray(sizes) - self.sizes, 0)
        tables = [np.pad(table, ((0, 0), (0, more))) for table, more in zip(self.tables, missing, strict=True)]
        return CategoryCounts(self.totals, tables)

    def merge(self, other: "CategoryCounts") -> "CategoryCounts":
        """Counts of two sets of rows together; either may have met categories that the other has not."""
        mine, others = self.grown(other.sizes), other.grown(self.sizes)
        tables = [a + b for a, b in zip(mine.tables, others.tables, strict=True)]
        return CategoryCounts(self.totals + other.totals, tables)


def class_counts(
    design: Design,
    target: AnyTarget,
    k: int,
    *,
    threshold: float | None = None,
    low: float = -np.inf,
    high: float = np.inf,
) -> ClassCounts | None:
    """Counts of k classes, whose codes are the target's y; None where a number of X lies outside [low, high].

    With a `threshold`, >= 0, a number counts 1 where it is above, else 0; without one it counts as it is.

    >>> import numpy as np
    >>> from separatrix.core.target import Target
    >>> from separatrix.designs import DenseDesign
    >>> target = Target(np.array([0, 0, 1]))
    >>> X = np.array([[2.0, 0.0], [3.0, 1.0], [0.0, 5.0]])
    >>> class_counts(DenseDesign(X), target, 2).sums
    array([[5., 1.],
           [0., 5.]])
    >>> class_counts(DenseDesign(X), target, 2, threshold=0.0).sums
    array([[2., 1.],
           [0., 1.]])
    """
    if isinstance(design, SparseDesign):
        if threshold is None and first_outside(design, low, high) is not None:
            return None
        return _sparse_counts(design, target.y, k, target.s, threshold)
    if threshold is not None:
        threshold = _in_the_units_of(design, threshold)

    def task(block: Block) -> tuple[ClassCounts, float]:
        counts = ClassCounts(np.bincount(block.y, block.s, minlength=k).astype(np.float64), np.zeros((k, design.p)))
        B, weights = np.ascontiguousarray(block.X), np.ones(1) if block.s is None else block.s
        if threshold is None:
            return counts, class_totals(B, block.y, weights, low, high, counts.sums)
        return counts, class_ones(B, block.y, weights, threshold, counts.sums)

    counts, trouble = design.reduce(task, lambda a, b: (a[0].merge(b[0]), a[1] + b[1]), target, gram=1)
    design.refuse_if_not_finite(counts.sums, trouble)  # the trouble is NaN where numbers are none
    return None if trouble else counts


def _in_the_units_of(design: Design, threshold: float) -> float:
    """The threshold as float32 has it, for X that is float32: 0.1 is not above 0.1."""
    return float(design.dtype.type(threshold))


def _sparse_counts(design: SparseDesign, codes: Array, k: int, s: Array | None, threshold: float | None) -> ClassCounts:
    """Counts of what is stored; rows in parts with sums of their own, columns in parts that share none."""
    totals = np.bincount(codes, s, minlength=k).astype(np.float64)
    weights = np.ones(1) if s is None else s
    X = _without_duplicates(design.X)
    data = X.data if threshold is None else X.data > X.dtype.type(threshold)
    if X.format == "csc":
        sums = np.zeros((k, design.p))
        ends = np.searchsorted(X.indptr, np.linspace(0, X.nnz, base.GROUPS + 1)).clip(max=design.p)
        ends[0], ends[-1] = 0, design.p

        def of_columns(part: tuple[int, int]) -> None:
            class_totals_by_columns(data, X.indices, X.indptr, *part, codes, weights, sums)

        parallel_map(of_columns, pairwise(ends.tolist()))
        return ClassCounts(totals, sums)

    def of_rows(part: tuple[int, int]) -> Array:
        sums = np.zeros((k, design.p))
        class_totals_by_rows(data, X.indices, X.indptr, *part, codes, weights, sums)
        return sums

    return ClassCounts(totals, fold(operator.add, parallel_map(of_rows, design.parts(k))))


def _without_duplicates(X: Any) -> Any:
    """X with each entry stored once: two halves of a number are above a threshold together or not at all."""
    if X.has_canonical_format:
        return X
    X = X.copy()
    X.sum_duplicates()
    return X


def first_outside(design: Design, low: float, high: float) -> tuple[int, float] | None:
    """The first column with a number outside [low, high] and that number, or None."""
    if isinstance(design, SparseDesign):
        X = _without_duplicates(design.X)
        if X.nnz == 0 or (X.data.min() >= low and X.data.max() <= high):
            return None
        bad = ~((X.data >= low) & (X.data <= high))
        X = X.tocoo()
        at = np.flatnonzero(bad)[np.argmin(X.coords[1][bad])]
        return int(X.coords[1][at]), float(X.data[at])

    def task(block: Block) -> tuple[int, float] | None:
        B = block.X
        bad = ~(np.greater_equal(B, low) & np.less_equal(B, high))
        if not bad.any():
            return None
        j = int(np.argmax(bad.any(axis=0)))
        return j, float(B[np.argmax(bad[:, j]), j])

    def merge(a: tuple[int, float] | None, b: tuple[int, float] | None) -> tuple[int, float] | None:
        return b if a is None or (b is not None and b[0] < a[0]) else a

    return design.reduce(task, merge)


def category_ranges(design: Design) -> tuple[Array, Array, Array]:
    """Smallest and largest number of each column, and whether all of them are whole: three arrays (p,)."""

    def task(block: Block) -> tuple[Array, Array, Array]:
        B = block.X
        return B.min(axis=0), B.max(axis=0), (np.floor(B) == B).all(axis=0)

    def merge(a: tuple[Array, Array, Array], b: tuple[Array, Array, Array]) -> tuple[Array, Array, Array]:
        return np.minimum(a[0], b[0]), np.maximum(a[1], b[1]), a[2] & b[2]

    low, high, whole = design.reduce(task, merge)
    design.refuse_if_not_finite(low, high)
    return low, high, whole


def category_counts(design: Design, target: AnyTarget, k: int) -> CategoryCounts:
    """Counts of the categories 0, 1, ... of each column in k classes (y); fractions of numbers are cut off.

    A row of weight 0 is as if it were not there: its categories are not met.

    >>> import numpy as np
    >>> from separatrix.core.target import Target
    >>> from separatrix.designs import DenseDesign
    >>> category_counts(DenseDesign(np.array([[0.0, 2.0], [1.0, 0.0]])), Target(np.array([0, 1])), 2).tables
    [array([[1., 0.],
           [0., 1.]]), array([[0., 0., 1.],
           [1., 0., 0.]])]
    """
    design.needs("rows", "count categories")
    if target.s is not None and not target.s.all():
        seen = np.flatnonzero(target.s)
        design, target = design.take(seen), Target(*target.at(seen))
    totals = np.bincount(target.y, target.s, minlength=k).astype(np.float64)
    ends = np.concatenate([[0], np.cumsum(category_ranges(design)[1].astype(np.int64) + 1)])

    def task(block: Block) -> Array:
        sums = np.zeros((k, ends[-1]))
        weights = np.ones(1) if block.s is None else block.s
        category_totals(np.ascontiguousarray(block.X), block.y, weights, ends[:-1], sums)
        return sums

    sums = design.reduce(task, np.add, target)
    return CategoryCounts(totals, [np.ascontiguousarray(sums[:, a:b]) for a, b in pairwise(ends.tolist())])


def product(design: InMemoryDesign, W: Array, threshold: float | None = None) -> Array:
    """``X W`` (n, k) for W (p, k), or with a threshold >= 0 ``[X > threshold] W``, by blocks on threads."""
    if isinstance(design, SparseDesign):
        X = design.X
        if threshold is not None:
            X = _without_duplicates(X)
            above = (X.data > X.dtype.type(threshold)).astype(np.float64)
            X = type(X)((above, X.indices, X.indptr), shape=X.shape)
        return np.asarray(X @ W)
    out = np.empty((design.n, W.shape[1]))

    def of_rows(rows: slice) -> None:
        B = design.block(rows)
        if threshold is not None:
            B = np.greater(B, _in_the_units_of(design, threshold)).astype(np.float64)
        np.matmul(B, W, out=out[rows])

    parallel_map(of_rows, design.blocks())
    return out
