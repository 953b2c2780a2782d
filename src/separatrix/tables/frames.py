"""Tables from what is in memory: frames, dicts of columns, lists of rows, arrays.

Their cells become numbers or text by tables/columns.py; lists, structs and bytes are left out, with a note.
"""

from collections.abc import Mapping, Sequence

import numpy as np

from separatrix.core.protocol import can
from separatrix.core.refusal import cannot
from separatrix.tables.columns import column_of
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


def table_of(columns, source, notes=(), convert=column_of):
    """A table of named columns as they come; those that no model can use are left out, with a note."""
    kept, notes, names = {}, list(notes), set(map(str, columns))
    for name, values in columns.items():
        column, said = convert(values)
        if column is None:
            notes.append(left_out_note(name))
            continue
        if said:
            notes.append(f"Column {str(name)!r} {said}.")
        kept[str(name)] = column
    if len(names) < len(columns):
        raise cannot(
            "make a table of these columns",
            because="two of them have the same name once written as text",
            instead="names that differ",
        )
    return Table(tuple(kept), tuple(kept.values()), source, tuple(notes))


def left_out_note(name):
    """What is said of a column that no model can use."""
    return f"Column {str(name)!r} holds lists or bytes and is left out."


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
        return series.to_numpy()
    return series.to_list()
