"""From a table, a frame or an array to the named columns, in order, each as it was understood to be."""

import numpy as np

from separatrix.core.refusal import cannot
from separatrix.prediction.cells import as_days, as_flags, as_text
from separatrix.tables.cells import numbers
from separatrix.tables.frames import as_table
from separatrix.tables.table import shown
from separatrix.tables.understanding import MIXED

NUMERIC = ("number", "date")


def select(state, X):
    """The columns of a TableColumns: float64 (n, p) if none is text, else object.

    >>> state = {"names": ("age", "sex"), "kinds": ("number", "flag"), "forms": None}
    >>> select(state, {"sex": ["f", None], "name": ["Ann", "Bo"], "age": ["31", ""]})
    array([[31.0, 'f'],
           [nan, None]], dtype=object)
    """
    names = state["names"]
    kinds = state["kinds"] or ("number",) * len(names)
    forms = state["forms"] or ("",) * len(names)
    table = _table(X, names)
    out = np.empty((len(table), len(names)), dtype=np.float64 if set(kinds) <= set(NUMERIC) else object)
    for j, (name, kind, form) in enumerate(zip(names, kinds, forms, strict=True)):
        out[:, j] = _understood(table[name], name, kind, form)
    return out


def _table(X, names):
    """X as a table that has all of the names; an array, which has no names, must have these columns and no others."""
    if isinstance(X, list | tuple) and not (X and isinstance(X[0], dict)):
        X = np.array(X, dtype=object)
    if isinstance(X, np.ndarray) and X.dtype.names is None:
        if X.ndim != 2 or X.shape[1] != len(names):
            raise cannot(
                f"take an array of shape {X.shape} for the columns {shown(names)}",
                because="an array has no names: its columns must be those of the model, in order",
                instead=f"an array of shape (n, {len(names)}), or a table with named columns",
            )
        return as_table(X, names)
    table = as_table(X)
    known = set(table.names)
    lacking = [name for name in names if name not in known]
    if lacking:
        raise cannot(
            f"find the column{'s' if len(lacking) > 1 else ''} {shown(lacking)}",
            because=f"{table.source or 'the table'} has the columns {shown(table.names)}",
            instead="a table with the columns that the model was fitted to",
        )
    return table


def _understood(column, name, kind, form):
    if kind == "number":
        return numbers(column, name, odd_is_missing=form == MIXED)
    if kind == "date":
        return as_days(column, form, name)
    return as_flags(column) if kind == "flag" else as_text(column)
