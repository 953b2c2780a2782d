"""From a table, a frame or an array to the named columns, in order, each as it was understood to be."""

from collections.abc import Mapping

import numpy as np

from separatrix.core.refusal import cannot
from separatrix.scoring.cells import as_days, as_numbers, as_text
from separatrix.tables.table import Table, shown

NUMERIC = ("number", "date")


def select(state, X):
    """The columns of a TableColumns: float64 (n, p) if none is text, else object.

    >>> state = {"names": ("age", "sex"), "kinds": ("number", "flag")}
    >>> select(state, {"sex": ["f", None], "name": ["Ann", "Bo"], "age": ["31", ""]})
    array([[31.0, 'f'],
           [nan, None]], dtype=object)
    """
    names = state["names"]
    kinds = state["kinds"] or ("number",) * len(names)
    columns = [
        _understood(column, name, kind) for column, name, kind in zip(columns_of(X, names), names, kinds, strict=True)
    ]
    lengths = {len(column) for column in columns}
    if len(lengths) > 1:
        raise cannot(
            "take these columns for a table",
            because=f"they have between {min(lengths)} and {max(lengths)} cells",
            instead="columns of equal length",
        )
    out = np.empty((lengths.pop(), len(names)), dtype=np.float64 if set(kinds) <= set(NUMERIC) else object)
    for j, column in enumerate(columns):
        out[:, j] = column
    return out


def _understood(column, name, kind):
    if kind == "number":
        return as_numbers(column, name)
    return as_days(column, name) if kind == "date" else as_text(column)


def columns_of(X, names):
    """The columns of those names, as arrays of one dimension."""
    if isinstance(X, Table):
        _refuse_missing(names, X.names, X.source or "the table")
        return [X[name] for name in names]
    if isinstance(X, Mapping):
        _refuse_missing(names, list(X), "the table")
        return [_array(X[name]) for name in names]
    if hasattr(X, "columns"):
        return _of_frame(X, names)
    rows = X if isinstance(X, np.ndarray) else np.array(X, dtype=object)
    if rows.ndim != 2 or rows.shape[1] != len(names):
        raise cannot(
            f"take an array of shape {rows.shape} for the columns {shown(names)}",
            because="an array has no names: its columns must be those of the model, in order",
            instead=f"an array of shape (n, {len(names)}), or a table with named columns",
        )
    return list(rows.T)


def _of_frame(X, names):
    import narwhals as nw

    frame = nw.from_native(X, eager_only=True)
    _refuse_missing(names, frame.columns, "the frame")
    return [_of_series(frame[name], nw) for name in names]


def _of_series(series, nw):
    """A column of a frame as an array: numbers as float64, dates as datetime64, the rest as objects."""
    kind = series.dtype
    if kind == nw.Boolean or not (kind.is_numeric() or kind.is_temporal()):
        return np.array([None, *series.to_list()], dtype=object)[1:]
    if kind.is_numeric():
        return np.array([np.nan, *series.to_list()], dtype=np.float64)[1:] if series.null_count() else _array(series)
    return np.array([None, *series.to_list()], dtype=object)[1:]


def _array(values):
    found = values.to_numpy() if hasattr(values, "to_numpy") else np.asarray(values)
    if found.dtype.kind in "US":  # numpy would have written numbers among text as text, too
        found = np.array([None, *values], dtype=object)[1:]
    return found


def _refuse_missing(names, given, source):
    known = set(given)
    lacking = [name for name in names if name not in known]
    if lacking:
        raise cannot(
            f"find the column{'s' if len(lacking) > 1 else ''} {shown(lacking)}",
            because=f"{source} has the columns {shown(list(given))}",
            instead="a table with the columns that the model was fitted to",
        )
