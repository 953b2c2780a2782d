"""What is asked: a table in whatever shape it comes, its target, and what was understood of both."""

import numpy as np

from separatrix.core.refusal import cannot
from separatrix.tables.table import Table, is_number
from separatrix.tables.understanding import ColumnFacts, Understanding


def ask(table, target, *, task=None, exclude=()):
    """The labelled rows as a Table, their targets, the Understanding, and the kind of frame that came in ("" if none).

    Parameters
    ----------
    table : Table, frame, path, or pair (X, y) of arrays.
    target : str.  The column to predict; the name to give y where a pair comes in.
    task : {"classification", "regression"} or None.
    exclude : sequence of str.  Columns to leave out.
    """
    if isinstance(table, tuple) and len(table) == 2 and not isinstance(table, Table):
        table, target = _from_arrays(*table, target)
    understanding = _understand(table, target, task)
    y = table[target]
    if understanding.task == "classification" and is_number(y):
        y = y.astype(int)
    return table, y, understanding, ""


def _from_arrays(X, y, target):
    X, y = np.asarray(X, dtype=np.float64), np.asarray(y)
    if X.ndim != 2 or y.shape != (len(X),):
        raise cannot(
            f"compare models on X of shape {X.shape} and y of shape {y.shape}",
            because="a row has some columns and one target",
            instead="X of shape (n, p) and y of shape (n,)",
        )
    target = target or "target"
    names = [f"x{j}" for j in range(X.shape[1])]
    y = y.astype(np.float64) if y.dtype.kind in "biuf" else y.astype(object)
    return Table((*names, target), (*np.ascontiguousarray(X.T), y)), target


def _understand(table, target, task):
    y = table[target]
    if task is None:
        task = "regression" if is_number(y) and len(np.unique(y)) > 10 else "classification"
    facts = tuple(
        ColumnFacts(name, "number" if is_number(table[name]) else "category", 0, len(set(table[name].tolist())))
        for name in table.names
        if name != target
    )
    found = ((), ()) if task == "regression" else np.unique(y, return_counts=True)
    return Understanding(
        table.source, len(table), 0, target, task, facts, tuple(map(str, found[0])), tuple(map(int, found[1]))
    )
