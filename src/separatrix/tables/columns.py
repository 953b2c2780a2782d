"""A column of a table from cells of any kind that are in memory.

numbers (also decimal)       float64, NaN where missing
whole numbers beyond 2^53    text, where float64 would make different ones equal: they are identifiers, as a rule
truth values                 the text "True" or "False": a flag, as if it had been read from a file
dates and times              ISO text: 2024-12-31, 2024-12-31T23:59:00
anything else                text
lists, structs, bytes        none
"""

import datetime
import math
from collections.abc import Mapping
from decimal import Decimal
from fractions import Fraction

import numpy as np

from separatrix.tables.cells import EXACT, clean, finite

KEPT_AS_TEXT = "holds whole numbers beyond 2^53 and is kept as text: as float64 different ones would be equal"


def column_of(values):
    """A column of a table from cells of any kind, and what is to be said of it; None for lists."""
    if isinstance(values, np.ndarray) and values.dtype.kind in "iu":
        return whole_numbers(values)
    if isinstance(values, np.ndarray) and values.dtype.kind == "f":
        return finite_numbers(values.astype(np.float64))
    if isinstance(values, np.ndarray) and values.dtype.kind == "M":
        return _objects(_iso(values)), ""
    cells = values.tolist() if isinstance(values, np.ndarray) else list(values)
    cells = [None if _is_missing(cell) else cell for cell in cells]
    kinds = {type(cell) for cell in cells} - {type(None)}
    if not kinds:
        return np.full(len(cells), np.nan), ""
    if any(issubclass(kind, Mapping | list | tuple | set | bytes | np.ndarray) for kind in kinds):
        return None, ""
    if all(_is_numeric(kind) for kind in kinds):
        return _of_numbers(cells)
    midnight = all(_is_midnight(cell) for cell in cells if cell is not None)
    return _objects([None if cell is None else _text(cell, midnight) for cell in cells]), ""


def whole_numbers(values, missing=None):
    """Integers as float64 with NaN where `missing`; as text if float64 would make different ones equal."""
    rounded = values.astype(np.float64)
    if missing is not None:
        rounded[missing] = np.nan
    doubtful = np.flatnonzero(np.abs(rounded) >= EXACT)
    if all(int(rounded[row]) == int(values[row]) for row in doubtful.tolist()):
        return rounded, ""
    cells = values.astype(str).astype(object)
    if missing is not None:
        cells[missing] = None
    return cells, KEPT_AS_TEXT


def finite_numbers(values):
    """Numbers with NaN for infinite ones, and what is to be said of it."""
    values, infinite = finite(values)
    return values, infinite_note(infinite)


def _of_numbers(cells):
    """Python's numbers as float64; as text if all are whole and float64 would make different ones equal."""
    values = np.array([np.nan if cell is None else _float(cell) for cell in cells], dtype=np.float64)
    merged = any(abs(value) >= EXACT and cell != value for cell, value in zip(cells, values.tolist(), strict=True))
    present = values[~np.isnan(values)]
    if merged and np.isfinite(present).all() and not np.any(present % 1.0):
        return _objects([None if cell is None else str(int(cell)) for cell in cells]), KEPT_AS_TEXT
    return finite_numbers(values)


def _float(cell):
    try:
        return float(cell)
    except OverflowError:  # an integer or a fraction of more than 308 digits
        return math.copysign(math.inf, cell)


def infinite_note(count):
    """What is to be said of so many infinite cells.

    >>> infinite_note(2)
    'has 2 cells that are infinite or beyond 1.8e308, read as missing'
    """
    cells = "1 cell that is" if count == 1 else f"{count:,} cells that are"
    return f"has {cells} infinite or beyond 1.8e308, read as missing" if count else ""


def _iso(values):
    """Moments of numpy as text, as exact as they are."""
    for unit in ("D", "s", "us"):
        text = values.astype(f"M8[{unit}]")
        if unit == "us" or np.all((text == values) | np.isnat(values)):
            return [None if cell == "NaT" else cell for cell in np.datetime_as_string(text).tolist()]


def _objects(cells):
    out = np.empty(len(cells), dtype=object)
    out[:] = cells
    return out


def _is_missing(cell):
    """None, NaN, NaT and pandas' NA, which differ from themselves or will not say."""
    if cell is None:
        return True
    try:
        return bool(cell != cell)
    except (TypeError, ValueError):
        return type(cell).__name__ == "NAType"


def _is_numeric(kind):
    numeric = issubclass(kind, int | float | Decimal | Fraction | np.number)
    return numeric and not issubclass(kind, bool | np.bool_ | np.timedelta64)


def _is_midnight(cell):
    return isinstance(cell, datetime.datetime) and cell.time() == datetime.time() and cell.tzinfo is None


def _text(cell, midnight):
    """The text of a cell: ISO for dates, without a time of day where none of the column has one."""
    if isinstance(cell, str):
        return clean(cell)
    if isinstance(cell, datetime.datetime):
        return cell.date().isoformat() if midnight else cell.isoformat()
    if isinstance(cell, datetime.date | datetime.time):
        return cell.isoformat()
    if isinstance(cell, float) and cell.is_integer():  # a number among words, as a file would have it
        return str(int(cell))
    return str(cell)
