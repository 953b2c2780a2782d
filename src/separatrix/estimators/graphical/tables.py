"""Probability tables: arrays with one axis for each variable, checked, or counted of samples."""

from collections.abc import Iterable
from math import prod
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from separatrix.core.errors import cannot
from separatrix.core.types import Array
from separatrix.estimators.validation import validate_weights
from separatrix.prediction.naive_bayes import by_kind

# A sum of n probabilities that were rounded when they were divided by their total is right to n eps/2; tables that are
# typed in have a few digits more or less.
SUM_TOLERANCE = 1e-6
MOST_CELLS = 1 << 31


def checked_table(table: ArrayLike, name: str, *, total: float | None = 1.0) -> Array:
    """A table of numbers >= 0 as float64; with `total`, one that sums to it, and is divided by its sum.

    >>> checked_table([[0.5, 0.25], [0.25, 0.0]], "P")
    array([[0.5 , 0.25],
           [0.25, 0.  ]])
    """
    try:
        P = np.asarray(table, dtype=np.float64)
    except (TypeError, ValueError) as failure:
        raise cannot(
            f"read {name} as a table", because=f"not all of its cells are numbers ({failure})", instead="numbers >= 0"
        ) from failure
    if P.size == 0 or P.ndim == 0:
        raise cannot(f"use {name} of shape {P.shape}", because="it has no cells", instead="one axis for each variable")
    bad = ~(np.isfinite(P) & (P >= 0.0))
    if bad.any():
        at = tuple(int(i) for i in np.argwhere(bad)[0])
        raise cannot(
            f"use {name} with the value {P[at]:g} in the cell {at}",
            because="a probability or a count is finite and not negative",
            instead="numbers >= 0",
        )
    if total is None:
        return P
    whole = float(P.sum())
    if not abs(whole - total) <= SUM_TOLERANCE:
        raise cannot(
            f"use {name} as a table of probabilities",
            because=f"its cells sum to {whole:.10g}, not to {total:g}",
            instead=f"{name} / {name}.sum()" if whole > 0.0 else "a table with a positive sum",
        )
    return P / whole


def places(axes: Any, n_axes: int, name: str) -> tuple[int, ...]:
    """Numbers of axes, one or several, checked against how many there are.

    >>> places(1, 3, "A"), places([2, 0], 3, "A")
    ((1,), (2, 0))
    """
    several = tuple(axes) if isinstance(axes, Iterable) else (axes,)
    for axis in several:
        if not isinstance(axis, int | np.integer) or isinstance(axis, bool) or not 0 <= axis < n_axes:
            raise cannot(
                f"use {name} with the axis {axis!r}",
                because=f"the table has the axes 0 to {n_axes - 1}",
                instead="a number of an axis, or a tuple of them",
            )
    if len(set(several)) < len(several):
        raise cannot(f"use {name}={several}", because="it names an axis twice", instead="each axis once")
    return tuple(int(axis) for axis in several)


def counted(columns: list[Any], sample_weight: ArrayLike | None = None) -> Array:
    """The joint table of columns of samples: the share of the weight in each cell, values in ascending order.

    >>> counted([["a", "b", "a", "a"], [0, 1, 1, 0]])
    array([[0.5 , 0.25],
           [0.  , 0.25]])
    """
    arrays = [_column(column) for column in columns]
    n = len(arrays[0])
    if any(len(array) != n for array in arrays):
        raise cannot(
            f"count samples of {' and '.join(str(len(array)) for array in arrays)} values together",
            because="a row has one value of each",
            instead="columns of one length",
        )
    s = validate_weights(sample_weight, n)
    coded = [_codes(array) for array in arrays]
    shape = tuple(size for size, _ in coded)
    cells = refuse_too_many_cells(shape, "count a table")
    flat = np.ravel_multi_index([codes for _, codes in coded], shape)
    counts = np.bincount(flat, s, minlength=cells).reshape(shape)
    return counts / counts.sum()


def refuse_too_many_cells(shape: tuple[int, ...], to: str) -> int:
    """How many cells a table of this shape has; refused, before it is made, where that is more than 2^31."""
    cells = prod(shape)
    if cells > MOST_CELLS:
        raise cannot(
            f"{to} of {cells:,} cells",
            because=f"more than {MOST_CELLS:,} do not fit into memory",
            instead="fewer variables, or fewer categories",
            kind=MemoryError,
        )
    return cells


def _codes(array: Array) -> tuple[int, Array]:
    """How many different values there are, and the place of each in their ascending order."""
    if array.dtype != object:
        values, codes = np.unique(array, return_inverse=True)
        return len(values), codes
    place = {value: code for code, value in enumerate(sorted(set(array.tolist()), key=by_kind))}
    return len(place), np.array([place[value] for value in array.tolist()])


def _column(column: Any) -> Array:
    array = np.asarray(column)
    if array.ndim != 1 or array.size == 0:
        raise cannot(
            f"count samples of shape {array.shape}",
            because="a sample is a column of values",
            instead="shape (n,), n > 0",
        )
    missing = [value is None or value != value for value in array.tolist()] if array.dtype.kind in "fcO" else [False]
    if any(missing):
        raise cannot(
            "count samples with missing values",
            because=f"row {missing.index(True)} has none",
            instead="rows without missing values, or a category of its own for them",
        )
    return array
