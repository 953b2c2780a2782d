"""Cells as they come, to what a column was understood to be: numbers, days or text. Each rule is written once, here."""

import datetime
import re
from itertools import repeat

import numpy as np

from separatrix.core.refusal import cannot

EPOCH = datetime.datetime(1970, 1, 1)
# A number as people write it; float() would also take "1_000" and "infinity".
NUMBER = re.compile(r"\s*[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?\s*")


def as_numbers(column, name):
    """A column as float64, NaN where missing; text that is no number is refused with its row.

    >>> as_numbers(np.array(["1.5", None, "2"], dtype=object), "age")
    array([1.5, nan, 2. ])
    >>> as_numbers(np.array(["1.5", "old"], dtype=object), "age")
    Traceback (most recent call last):
    ValueError: Cannot read 'old' in row 2 of column 'age': it is no number. Use a number, or an empty cell.
    """
    try:
        numbers = (column if column.dtype.kind in "fiub" else _blank_as_none(column)).astype(np.float64)
    except (TypeError, ValueError):
        return _first_refused(column, name, float, "it is no number", "a number, or an empty cell")
    infinite = np.isinf(numbers)
    if infinite.any():
        row = int(np.argmax(infinite))
        raise cannot(
            f"use {column[row]!s} in row {row + 1} of column {name!r}",
            because="an infinite number has no place on a scale",
            instead="a finite number, or an empty cell",
        )
    return numbers


def as_days(column, name):
    """A column as days since 1970-01-01, NaN where missing: from dates, ISO text, or numbers that are days already.

    >>> as_days(np.array(["1970-01-02", None, "1971-01-01T12:00"], dtype=object), "signup")
    array([  1. ,   nan, 365.5])
    """
    if column.dtype.kind in "fiu":
        return column.astype(np.float64)
    if column.dtype.kind == "M":
        return _of_datetime64(column)
    cells = _blank_as_none(column)
    try:
        return _each(cells, _day)
    except (TypeError, ValueError):
        return _first_refused(cells, name, _day, "it is no date", "a date such as 2024-12-31, or an empty cell")


def as_text(column):
    """A column as text, None where missing. A number is written in one way only: 1, 1.0 and "1.0" are "1".

    >>> as_text(np.array([1.0, 2.5, np.nan])).tolist()
    ['1', '2.5', None]
    >>> as_text(np.array(["1.0", "", "red", True, 7], dtype=object)).tolist()
    ['1', None, 'red', 'True', '7']
    """
    if column.dtype.kind in "fiu":
        values, place = np.unique(column, return_inverse=True)
        return np.array([*map(_text, values.tolist()), None], dtype=object)[:-1][place]
    cells = column.astype(object)
    return _each(cells, _text, object)


def _blank_as_none(column):
    """Text in which an empty cell is None."""
    cells = column.astype(object)
    blank = cells == ""
    return np.where(blank, None, cells) if np.any(blank) else cells


def _each(cells, rule, dtype=np.float64):
    """A rule for each cell, applied once for each different one: levels repeat, and rules are slow."""
    cells = cells.tolist()
    found = {cell: rule(cell) for cell in set(cells)}
    out = np.empty(len(cells), dtype=dtype)
    out[:] = list(map(found.__getitem__, cells))
    return out


def _first_refused(column, name, rule, because, instead):
    """Find the cell that a rule refuses, and refuse it by its row."""
    for row, cell in enumerate(column.tolist()):
        try:
            if cell is not None and cell != "":
                rule(cell)
        except (TypeError, ValueError):
            raise cannot(
                f"read {cell!r} in row {row + 1} of column {name!r}", because=because, instead=instead
            ) from None
    raise AssertionError("a column was refused, but none of its cells")


def _of_datetime64(column):
    days = column.astype("M8[us]").astype(np.int64) / 86_400_000_000.0
    days[np.isnat(column)] = np.nan
    return days


def _day(cell):
    """Days since 1970-01-01 of one cell."""
    if cell is None or cell != cell:
        return np.nan
    if isinstance(cell, str):
        cell = datetime.datetime.fromisoformat(cell.strip())
    elif isinstance(cell, datetime.date) and not isinstance(cell, datetime.datetime):
        cell = datetime.datetime.combine(cell, datetime.time())
    elif not isinstance(cell, datetime.datetime):
        return float(cell)
    if cell.tzinfo is not None:
        cell = cell.astimezone(datetime.UTC).replace(tzinfo=None)
    return (cell - EPOCH) / datetime.timedelta(days=1)


def _text(cell):
    """The text of one cell, None for a missing one."""
    if cell is None or cell != cell or cell == "":
        return None
    if isinstance(cell, str):
        cell = float(cell) if NUMBER.fullmatch(cell) else cell
    if isinstance(cell, float) and cell.is_integer() and abs(cell) < 1e16:
        cell = int(cell)
    return str(cell)


def codes_of(cells, place, other):
    """The number that `place` gives each cell, `other` for cells that are not in it."""
    return np.fromiter(map(place.get, cells.tolist(), repeat(other)), np.intp, count=len(cells))
