"""Cells as they come, to what a column was understood to be: days or text. Numbers are read in tables/cells.py."""

import datetime
from itertools import repeat

import numpy as np

from separatrix.core.refusal import cannot
from separatrix.tables.cells import clean, number
from separatrix.tables.frames import column_of

EPOCH = datetime.datetime(1970, 1, 1)


def as_text(column):
    """A column as text, None where missing. A number is written in one way only: 1, 1.0 and "1.0" are "1".

    A file in which a column holds 1, 2 and NA gives numbers, a block of its rows gives text, and a frame gives whole
    numbers: as levels of a category they must be the same.

    >>> as_text(np.array([1.0, 2.5, np.nan])).tolist()
    ['1', '2.5', None]
    >>> as_text(np.array(["1.0", "", "red", "NA"], dtype=object)).tolist()
    ['1', None, 'red', None]
    >>> as_text(np.array([True, None], dtype=object)).tolist()
    ['True', None]
    """
    if column.dtype != object or not set(map(type, column.tolist())) <= {str, type(None)}:
        column, _ = column_of(column)
    if column is None:
        raise cannot("read a column as text", because="it holds lists or bytes", instead="text or numbers")
    if column.dtype == object:
        return _each(column, _text, object)
    values, place = np.unique(column, return_inverse=True)
    return _objects([_of_number(value) for value in values.tolist()])[place]


def as_days(column, name):
    """A column as days since 1970-01-01, NaN where missing: from ISO text, or from numbers that are days already.

    >>> as_days(np.array(["1970-01-02", None, "1971-01-01T12:00"], dtype=object), "signup")
    array([  1. ,   nan, 365.5])
    """
    if column.dtype != object:
        return column.astype(np.float64)
    try:
        return _each(column, _day, np.float64)
    except ValueError:
        for row, cell in enumerate(column.tolist()):
            try:
                _day(cell)
            except ValueError:
                raise cannot(
                    f"read the column {name!r} as dates",
                    because=f"row {row + 1:,} holds {cell!r}",
                    instead="a date such as 2024-12-31 there, or an empty cell",
                ) from None
        raise


def codes_of(cells, place, other):
    """The number that `place` gives each cell, `other` for cells that are not in it."""
    return np.fromiter(map(place.get, cells.tolist(), repeat(other)), np.intp, count=len(cells))


def _each(column, rule, dtype):
    """A rule for each cell, applied once to each different one: levels repeat, and rules are slow."""
    cells = column.tolist()
    found = {cell: rule(cell) for cell in set(cells)}
    out = np.empty(len(cells), dtype=dtype)
    out[:] = list(map(found.__getitem__, cells))
    return out


def _text(cell):
    words = None if cell is None else clean(cell)
    found = None if words is None else number(words)
    return words if found is None or not np.isfinite(found[0]) else _of_number(found[0])


def _of_number(value):
    if value != value:
        return None
    return str(int(value)) if value == int(value) and abs(value) < 1e16 else str(value)


def _objects(cells):
    out = np.empty(len(cells), dtype=object)
    out[:] = cells
    return out


def _day(cell):
    words = None if cell is None else clean(cell)
    if words is None:
        return np.nan
    time = datetime.datetime.fromisoformat(words)
    if time.tzinfo is not None:
        time = time.astimezone(datetime.UTC).replace(tzinfo=None)
    return (time - EPOCH) / datetime.timedelta(days=1)
