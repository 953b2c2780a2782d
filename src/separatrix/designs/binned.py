r"""Columns of X as bins of one byte: what trees that sum gradients by bin are grown from.

A column has at most 255 bins, which its thresholds separate: bin b holds the x with ``t_{b-1} < x <= t_b``. Where a
column has few distinct values the thresholds are the midpoints between them, so that every value has its own bin; else
they are weighted quantiles. Codes of categories are their own bins. Missing numbers have the bin 255.

The bins are held twice: by rows, padded to whole words of eight bytes, for sums over all columns of a row; and by
columns, for sending rows left or right by one column. Both together are a quarter of X in double precision.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from separatrix.core.blocks import row_blocks
from separatrix.core.jit import read_only
from separatrix.core.threads import parallel_map
from separatrix.core.types import Array
from separatrix.designs.compiled.binning import bin_numbers

MISSING = 255  # the bin of missing numbers
WORD = 8  # bins that are read at once
PLACES = 256  # bins of a column, the missing one included
# Quantiles of so many rows, drawn with replacement, take the place of those of all.
SAMPLE = 200_000
LARGEST = np.finfo(np.float64).max  # infinity is the threshold between numbers and missing ones


@dataclass(frozen=True)
class Bins:
    """Thresholds of each column, and which columns are codes of categories.

    Parameters
    ----------
    thresholds : list of arrays.  Ascending; of a category empty.
    n_bins : (p,) int32.  Bins of each column, the missing one not among them.
    is_category : (p,) bool.
    """

    thresholds: list[Array]
    n_bins: Array
    is_category: Array

    @property
    def edges(self) -> Array:
        """The thresholds as (p, 256), infinity behind the last of each column."""
        table = np.full((len(self.thresholds), PLACES), np.inf)
        for row, values in zip(table, self.thresholds):
            row[: len(values)] = values
        return table

    def bound(self, j: int, b: int) -> float:
        """The threshold above bin b of column j; infinity above the last, which parts numbers from missing ones."""
        values = self.thresholds[j]
        return float(values[b]) if b < len(values) else float("inf")


@dataclass(frozen=True)
class BinnedDesign:
    """The bins of all rows.

    Parameters
    ----------
    bins : Bins.
    rows : (n, width) uint8.  Bins by rows; columns from p on are 0.
    columns : (p, n) uint8.  The same by columns.
    has_missing : (p,) bool.
    """

    bins: Bins
    rows: Array
    columns: Array
    has_missing: Array

    @property
    def n(self) -> int:
        return int(self.rows.shape[0])

    @property
    def p(self) -> int:
        return int(self.columns.shape[0])

    @property
    def words(self) -> Array:
        """The rows as words of eight bins, (n, width / 8) uint64."""
        return self.rows.view(np.uint64)


def find_bins(
    X: Array, max_bins: int = MISSING, s: Array | None = None, codes: Sequence[int] | None = None, seed: Any = None
) -> Bins:
    """Thresholds of the columns of X (n, p); s are weights (n,) or None, all positive.

    `codes` has for each column the number of its categories, whose codes it holds, or 0 for numbers. `seed` draws the
    rows of whose numbers quantiles are taken where there are more than `SAMPLE`: with replacement and by weight.
    """
    n, p = X.shape
    counts = np.zeros(p, np.int64) if codes is None else np.asarray(codes)
    if n > SAMPLE:
        shares = None if s is None else s / s.sum()
        drawn = np.random.RandomState(seed).choice(n, SAMPLE, p=shares, replace=True)
        X, s = X.take(drawn, axis=0), None

    def of_column(j: int) -> Array:
        return np.empty(0) if counts[j] else thresholds_of(X[:, j].astype(np.float64), max_bins, s)

    thresholds = parallel_map(of_column, range(p), numbers=X.shape[0])
    n_bins = np.array([counts[j] or len(values) + 1 for j, values in enumerate(thresholds)], dtype=np.int32)
    return Bins(thresholds, n_bins, counts > 0)


def thresholds_of(x: Array, max_bins: int, s: Array | None = None) -> Array:
    """Thresholds that part the numbers x (n,) into at most `max_bins` bins of about equal weight.

    The k-th quantile is the x at which ``k / max_bins`` of the weight is reached, halfway to the next where it is
    reached exactly. NaN takes no part.

    >>> thresholds_of(np.array([3.0, 1.0, 1.0, 2.0]), 255)
    array([1.5, 2.5])
    >>> thresholds_of(np.arange(10.0), 5)
    array([1.5, 3.5, 5.5, 7.5])
    """
    seen = ~np.isnan(x)
    order = None if s is None else np.argsort(x[seen], kind="stable")
    x = np.sort(x[seen]) if order is None else x[seen][order]
    distinct = x[np.append(True, x[1:] != x[:-1])] if len(x) else x
    if len(distinct) <= 1:
        return np.empty(0)
    if len(distinct) <= max_bins:
        below, above = distinct[:-1], distinct[1:]
    else:
        reached = np.arange(1.0, len(x) + 1.0) if s is None else np.cumsum(s[seen][order])
        wanted = np.arange(1.0, max_bins) * reached[-1]
        place = np.searchsorted(reached * max_bins, wanted).clip(max=len(x) - 1)
        exactly = reached[place] * max_bins == wanted
        below, above = x[place], x[np.minimum(place + exactly, len(x) - 1)]
    with np.errstate(over="ignore", invalid="ignore"):
        middle = np.where(np.isfinite(below + above), (below + above) / 2.0, below / 2.0 + above / 2.0)
    middle = np.where(np.isnan(middle), 0.0, middle)  # between the two infinities
    # between neighbouring floats no number lies: the larger of them must stay above
    middle = np.where((middle >= above) & (below < above), below, middle)
    return np.unique(np.minimum(middle, LARGEST))


def bin_rows(X: Array, bins: Bins) -> BinnedDesign:
    """The bins of the rows of X (n, p), float64 or float32, block by block on threads."""
    n, p = X.shape
    rows = np.zeros((n, -(-p // WORD) * WORD), np.uint8)
    columns = np.empty((p, n), np.uint8)
    edges, X = bins.edges, read_only(X)

    def of_block(block: slice) -> Array:
        bin_numbers(X, block.start, block.stop, edges, bins.is_category, MISSING, rows, columns)
        return (columns[:, block] == MISSING).any(axis=1)

    blocks = row_blocks(n, p)
    missing = parallel_map(of_block, blocks, numbers=X.size)
    return BinnedDesign(bins, rows, columns, np.any(missing, axis=0))
