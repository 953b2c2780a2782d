"""Columns coded once by the rank of their value, for trees.

A tree asks of a number only which others are smaller. So each column is coded by the ranks of its distinct values,
0, 1, ..., and never read again: a split is a rank, a node's rows are sorted as integers, and all trees of a forest
share the codes. Categories are their own codes. A missing value (NaN) has the code after the last.
"""

from typing import Any

import numpy as np

from separatrix.core.cached import cached_property
from separatrix.core.errors import cannot
from separatrix.core.threads import parallel_map
from separatrix.core.types import Array
from separatrix.designs.base import Design

ROW_BITS = 32
MOST_ROWS = 1 << 31
MOST_STEPS = (1 << 31) - 1


class RankedDesign:
    """The codes of X by columns.

    Attributes
    ----------
    n, p : int.  Rows and columns.
    codes : uint32 (p, n).  The rank of each value in its column, or its category; ``n_levels[j]`` where it is missing.
    levels : list of p arrays.  The distinct values of each column in ascending order; of a categorical column 0, 1, ...
    all_levels : float64 array.  These one after another, and a 0 behind them; `levels` are parts of it.
    n_levels : int64 (p,).  Their numbers.
    categorical : bool (p,).  Which columns hold categories: whole numbers from 0, without an order.
    missing : bool (p,).  Which columns have missing values.
    """

    def __init__(self, codes: Array, levels: list[Array], categorical: Array, counted: Array | None = None) -> None:
        self.codes, self.categorical, self._counted = codes, categorical, counted
        self.p, self.n = codes.shape
        self.n_levels = np.array([len(each) for each in levels], dtype=np.int64)
        self.all_levels = np.empty(int(self.n_levels.sum()) + 1)
        self.all_levels[-1] = 0.0
        ends = np.cumsum(self.n_levels).tolist()
        self.levels = [self.all_levels[end - len(each) : end] for end, each in zip(ends, levels)]
        for kept, each in zip(self.levels, levels):
            kept[:] = each
        self.missing = np.array([bool(np.any(codes[j] == self.n_levels[j])) for j in range(self.p)], dtype=bool)

    @cached_property
    def codes_by_row(self) -> Array:
        """The codes by rows, (n, p)."""
        return np.ascontiguousarray(self.codes.T)

    @cached_property
    def places(self) -> Array:
        """Where each number lies between the ends of its column, in whole steps: int32 (p, n).

        A step is the (2^31 - 1 - k)-th part of the way from the least to the largest of the k values. Values that
        share a step with others take the next ones, so that larger numbers always have larger places.
        """
        out = np.zeros((self.p, self.n), np.int32)

        def fill(j: int) -> None:
            known = np.zeros(int(self.n_levels[j]) + 1, np.int32)  # the last is that of missing values
            present = self._present(j)
            known[present] = _nearest_steps(self.levels[j][present])[0]
            out[j] = known[self.codes[j]]

        parallel_map(fill, range(self.p), numbers=self.n)
        return out

    @cached_property
    def slack(self) -> Array:
        """By how many steps places exceed the steps of their numbers at most; `MOST_STEPS` where steps are no numbers
        of float64: int64 (p,).
        """
        kept = (self.levels[j][self._present(j)] for j in range(self.p))
        return np.array([_nearest_steps(levels)[1] for levels in kept], dtype=np.int64)

    @cached_property
    def ends_of_places(self) -> Array:
        """The numbers of the first and the last place of each column, and the steps between them: (p, 3)."""
        out = np.zeros((self.p, 3))
        for j in range(self.p):
            kept = self.levels[j][self._present(j)]
            out[j] = (kept[0], kept[-1], MOST_STEPS - len(kept)) if len(kept) else (0.0, 0.0, MOST_STEPS)
        return out

    def _present(self, j: int) -> Any:
        """Which values of a column are those of rows that count: a row of weight 0 moves no place."""
        if self._counted is None:
            return slice(0, int(self.n_levels[j]))
        present = np.zeros(int(self.n_levels[j]) + 1, dtype=bool)
        present[self.codes[j][self._counted]] = True
        return np.flatnonzero(present[:-1])

    @cached_property
    def places_by_row(self) -> Array:
        """The places by rows, (n, a multiple of 8 from p on): columns behind the p-th hold 0, for vector loops."""
        out = np.zeros((self.n, -(-self.p // 8) * 8), np.int32)
        out[:, : self.p] = self.places.T
        return out

    @cached_property
    def sorted_keys(self) -> Array:
        """``code << 32 | row`` in ascending order, for each column: int64 (p, n). Made when it is first asked for."""
        rows = np.arange(self.n, dtype=np.int64)
        keys = np.empty((self.p, self.n), np.int64)

        def sort(j: int) -> None:
            np.left_shift(self.codes[j], ROW_BITS, out=keys[j], dtype=np.int64)
            np.bitwise_or(keys[j], rows, out=keys[j])
            keys[j].sort()

        parallel_map(sort, range(self.p), numbers=self.n)
        return keys


def rank_columns(design: Design, categorical: Array | None = None, s: Array | None = None) -> RankedDesign:
    """Code the columns of a design, on threads.

    Parameters
    ----------
    design : Design.  In memory; NaN is a missing value.
    categorical : bool (p,) or None.  Which columns hold categories: whole numbers from 0.
    s : (n,) array or None.  Weights of the rows; those of weight 0 have no part in `places`.

    >>> import numpy as np
    >>> from separatrix.designs import as_design
    >>> ranked = rank_columns(as_design(np.array([[0.5, 1.0], [7.0, np.nan], [0.5, 3.0]])))
    >>> ranked.codes.tolist(), [each.tolist() for each in ranked.levels]
    ([[0, 1, 0], [0, 2, 1]], [[0.5, 7.0], [1.0, 3.0]])
    """
    design.needs("columns", "rank the values of columns")
    if design.n >= MOST_ROWS:
        raise cannot(f"rank {design.n:,} rows", because="a row has a number of 31 bits", instead="a sample of the rows")
    of_codes = np.zeros(design.p, dtype=bool) if categorical is None else np.asarray(categorical, dtype=bool)
    codes = np.empty((design.p, design.n), np.uint32)

    def code(j: int) -> Array:
        column = design.columns([j])[:, 0]
        return _category_codes(column, codes[j]) if of_codes[j] else _ranks(column, codes[j])

    levels = parallel_map(code, range(design.p), numbers=design.n)
    return RankedDesign(codes, levels, of_codes, None if s is None or np.all(s > 0.0) else np.flatnonzero(s > 0.0))


def _ranks(column: Array, out: Array) -> Array:
    """Write the ranks of a column; return its distinct values."""
    order = np.argsort(column)  # NaN come last; the order of equal values does not show in their rank
    values = column[order]
    n_present = int(np.searchsorted(np.isnan(values), True)) if np.isnan(values[-1]) else len(values)
    new = np.empty(len(values), dtype=bool)
    new[:1] = n_present > 0
    np.not_equal(values[1:], values[:-1], out=new[1:])
    new[n_present:] = False
    ranks = np.cumsum(new, dtype=np.uint32) - np.uint32(1)
    ranks[n_present:] = np.count_nonzero(new)
    out[order] = ranks
    return values[new]


def _nearest_steps(levels: Array) -> tuple[Array, int]:
    """Places of ascending values, and by how many steps they exceed those of their values."""
    if len(levels) < 2:
        return np.zeros(len(levels)), 0
    low, width = levels[0] / 2.0, levels[-1] / 2.0 - levels[0] / 2.0  # halves: the width of a column may be infinite
    order = np.arange(len(levels))
    steps = np.floor((levels / 2.0 - low) / width * (MOST_STEPS - len(levels)))
    places = np.maximum.accumulate(steps - order) + order
    unit = np.spacing(max(abs(levels[0]), abs(levels[-1])))
    coarse = width / MOST_STEPS < 4.0 * unit
    return places, MOST_STEPS if coarse else int((places - steps).max())


def _category_codes(column: Array, out: Array) -> Array:
    """Write the categories of a column; return the list of all of them."""
    missing = np.isnan(column)
    present = column[~missing]
    if present.size and (present.min() < 0 or np.any(present != np.floor(present)) or present.max() >= MOST_ROWS):
        raise cannot(
            "use a column as categories",
            because="it holds values other than whole numbers from 0",
            instead="codes 0, 1, ... of its categories",
        )
    n_levels = int(present.max()) + 1 if present.size else 0
    out[:] = np.where(missing, n_levels, column)
    return np.arange(n_levels, dtype=np.float64)
