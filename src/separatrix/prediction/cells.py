"""Cells as they come, to what a column was understood to be. Numbers and dates are read by the rules of tables/."""

import re
from itertools import repeat

import numpy as np

from separatrix.core.refusal import cannot
from separatrix.tables.cells import clean, number
from separatrix.tables.dates import days
from separatrix.tables.frames import column_of
from separatrix.tables.kinds import plain

# A number that nobody would tell from another way to write it: 1 and 1.0, but not 01, which may be a code.
SURELY_A_NUMBER = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d*)?")


def as_text(column):
    """A column as text, None where missing. A number is written in one way only: 1, 1.0 and "1.0" are "1".

    One table holds 1, 2 and NA as text, another as numbers, a frame as whole numbers: as levels of a category they must
    be the same.

    >>> as_text(np.array([1.0, 2.5, np.nan])).tolist()
    ['1', '2.5', None]
    >>> as_text(np.array(["1.0", "", "red", "NA", "01"], dtype=object)).tolist()
    ['1', None, 'red', None, '01']
    >>> as_text(np.array([True, None], dtype=object)).tolist()
    ['True', None]
    """
    return _with_rule(column, _level)


def as_flags(column):
    """A column of two values as text. Of numbers they may have been read from cells such as 01 or $5, and here those
    must be the same again: whatever reads as a number is written as that number.

    >>> as_flags(np.array(["01", "$5", "yes"], dtype=object)).tolist()
    ['1', '5', 'yes']
    """
    return _with_rule(column, _flag)


def as_days(column, form, name):
    """A column as days since 1970-01-01, NaN where missing. Frames have dates as such, which are ISO text by now,
    whatever the form that a file has.

    >>> as_days(np.array(["1970-01-02", None], dtype=object), "dmy", "signup")
    array([ 1., nan])
    """
    try:
        return days(column, form or "iso", name)
    except ValueError as refused:
        try:
            return days(column, "iso", name)
        except ValueError:
            raise refused from None


def codes_of(cells, place, other):
    """The number that `place` gives each cell, `other` for cells that are not in it."""
    return np.fromiter(map(place.get, cells.tolist(), repeat(other)), np.intp, count=len(cells))


def _with_rule(column, rule):
    """A rule for each cell, applied once to each different one: levels repeat, and rules are slow."""
    if column.dtype != object or not set(map(type, column.tolist())) <= {str, type(None)}:
        column, _ = column_of(column)
    if column is None:
        raise cannot("read a column as text", because="it holds lists or bytes", instead="text or numbers")
    if column.dtype != object:
        values, place = np.unique(column, return_inverse=True)
        return _objects([None if value != value else plain(value) for value in values.tolist()])[place]
    cells = column.tolist()
    read = {cell: None if cell is None else rule(cell) for cell in set(cells)}
    return _objects(list(map(read.__getitem__, cells)))


def _level(cell):
    words = clean(cell)
    return plain(float(words)) if words is not None and SURELY_A_NUMBER.fullmatch(words) else words


def _flag(cell):
    words = clean(cell)
    parsed = None if words is None else number(words)
    return words if parsed is None or not np.isfinite(parsed[0]) else plain(parsed[0])


def _objects(cells):
    out = np.empty(len(cells), dtype=object)
    out[:] = cells
    return out
