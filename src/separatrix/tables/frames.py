"""Tables from what is in memory: frames, dicts of columns, lists of rows, arrays.

numbers (also nullable, decimal)   float64, NaN where missing
truth values                       the text "True" or "False": a flag, as if it had been read from a file
dates and times                    ISO text: 2024-12-31, 2024-12-31T23:59:00
categories, anything else          text
lists, structs, bytes              left out, with a note
"""

import datetime
from collections.abc import Mapping, Sequence
from decimal import Decimal
from fractions import Fraction

import numpy as np

from separatrix.core.protocol import can
from separatrix.core.refusal import cannot
from separatrix.tables.cells import clean, finite
from separatrix.tables.table import Table, shown


def as_table(data, names=None, *, source=""):
    """A table from data in memory.

    Parameters
    ----------
    data : Table, frame of pandas, polars or pyarrow, dict of columns, list of dicts, or (n, p) array.
    names : list of str or None, default None.  Of the columns of an array (x0, x1, ... without); of other data, the
        columns to take.
    source : str, default "".  What to call it.

    Returns
    -------
    Table.

    >>> table = as_table([{"age": 31, "member": True}, {"age": None, "member": False}])
    >>> table["age"], table["member"]
    (array([31., nan]), array(['True', 'False'], dtype=object))
    >>> as_table(np.eye(2), ["a", "b"]).names
    ('a', 'b')
    """
    if isinstance(data, Table):
        return data if names is None else data.select(names)
    if isinstance(data, np.ndarray) and data.dtype.names is None:
        return _of_array(data, names, source)
    columns = _columns(data)
    if names is not None:
        _refuse_unknown(names, columns)
        columns = {name: columns[name] for name in names}
    lengths = {len(column) for column in columns.values()}
    if len(lengths) > 1:
        raise cannot(
            "make a table of these columns",
            because=f"they have between {min(lengths)} and {max(lengths)} cells",
            instead="columns of equal length",
        )
    return table_of(columns, source)


def table_of(columns, source, notes=()):
    """A table of named columns as they come; those that no model can use are left out, with a note."""
    kept, notes = {}, list(notes)
    for name, values in columns.items():
        column, infinite = column_of(values)
        if column is None:
            notes.append(f"Column {str(name)!r} holds lists or bytes and is left out.")
            continue
        if infinite:
            cells = "1 infinite cell" if infinite == 1 else f"{infinite:,} infinite cells"
            notes.append(f"Column {str(name)!r} has {cells}, read as missing.")
        kept[str(name)] = column
    if len(kept) + sum("left out" in note for note in notes) < len(columns):
        raise cannot(
            "make a table of these columns",
            because="two of them have the same name once written as text",
            instead="names that differ",
        )
    return Table(tuple(kept), tuple(kept.values()), source, tuple(notes))


def _of_array(data, names, source):
    if data.ndim != 2:
        raise cannot(
            f"make a table of an array of shape {data.shape}",
            because="a table has rows and columns",
            instead="an array of two dimensions",
        )
    names = [f"x{j}" for j in range(data.shape[1])] if names is None else list(map(str, names))
    if len(names) != data.shape[1] or len(set(names)) != len(names):
        raise cannot(
            f"name the columns of an array of shape {data.shape}",
            because=f"{len(names)} names are given, {len(set(names))} of them different",
            instead=f"{data.shape[1]} different names",
        )
    return table_of(dict(zip(names, data.T, strict=True)), source)


def _columns(data):
    """Columns by name, each a sequence or an array."""
    if isinstance(data, np.ndarray):
        return {name: data[name] for name in data.dtype.names}
    if isinstance(data, Mapping):
        return {name: _one_dimensional(name, values) for name, values in data.items()}
    if isinstance(data, Sequence) and not isinstance(data, str) and all(isinstance(row, Mapping) for row in data):
        order = dict.fromkeys(name for row in data for name in row)
        return {name: [row.get(name) for row in data] for name in order}
    import narwhals as nw

    try:
        frame = nw.from_native(data, eager_only=True)
    except TypeError:
        raise cannot(
            f"make a table of {type(data).__name__}",
            because="it is no frame, dict, list of dicts or array",
            instead="a frame of pandas, polars or pyarrow, or a dict of columns",
            kind=TypeError,
        ) from None
    if len(set(frame.columns)) != len(frame.columns):
        raise cannot("make a table of this frame", because="two columns have the same name", instead="other names")
    return {name: _of_series(frame[name], nw) for name in frame.columns}


def _one_dimensional(name, values):
    if isinstance(values, str) or not can(values, "__len__"):
        raise cannot(
            f"make a column {str(name)!r} of {values!r}", because="it is a single value", instead="a list of values"
        )
    if can(values, "to_numpy") and not isinstance(values, np.ndarray):
        import narwhals as nw

        return _of_series(nw.from_native(values, series_only=True), nw)
    return values


def _refuse_unknown(names, columns):
    unknown = [name for name in names if name not in columns]
    if unknown:
        raise cannot(
            f"find the column {unknown[0]!r}",
            because=f"there are the columns {shown(list(columns))}",
            instead="one of them",
            kind=KeyError,
        )


def _of_series(series, nw):
    """A column of a frame as an array of numbers, or as a list of what Python has for its cells."""
    kind = series.dtype
    if kind.is_numeric() and kind != nw.Decimal and not series.null_count():
        return series.to_numpy().astype(np.float64)
    return series.to_list()


def column_of(values):
    """A column of a table from cells of any kind, and how many infinite ones were dropped; None for lists."""
    if isinstance(values, np.ndarray) and values.dtype.kind in "fiu":
        return finite(values.astype(np.float64))
    if isinstance(values, np.ndarray) and values.dtype.kind == "M":
        days = (values.astype("M8[D]") == values) | np.isnat(values)
        text = np.datetime_as_string(values.astype("M8[D]") if days.all() else values.astype("M8[s]"))
        return _objects([None if cell == "NaT" else cell for cell in text.tolist()]), 0
    cells = values.tolist() if isinstance(values, np.ndarray) else list(values)
    cells = [None if _is_missing(cell) else cell for cell in cells]
    kinds = {type(cell) for cell in cells} - {type(None)}
    if not kinds:
        return np.full(len(cells), np.nan), 0
    if any(issubclass(kind, Mapping | list | tuple | set | bytes | np.ndarray) for kind in kinds):
        return None, 0
    if all(_is_numeric(kind) for kind in kinds):
        return finite(np.array([np.nan if cell is None else float(cell) for cell in cells], dtype=np.float64))
    midnight = all(_is_midnight(cell) for cell in cells if cell is not None)
    return _objects([None if cell is None else _text(cell, midnight) for cell in cells]), 0


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
