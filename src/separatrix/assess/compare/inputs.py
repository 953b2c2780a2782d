"""The inputs of a comparison: a table of any supported kind, its target, and its Understanding."""

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from separatrix.assess.compare.dependent_rows import refuse_group
from separatrix.core.protocol import is_frame
from separatrix.core.refusal import cannot
from separatrix.tables import Table, Understanding, as_table, read, target_values, understand

FRAMES = ("pandas", "polars", "pyarrow")


class Inputs(NamedTuple):
    """The rows that have a target, their targets, the Understanding, and the kind of frame given ("" if none).

    ``table`` still holds the target column; pipelines select the columns in use. ``rows`` are the positions of the
    rows in the table as it came.
    """

    table: Any
    y: np.ndarray
    understanding: Understanding
    kind: str
    rows: np.ndarray


def comparison_inputs(table, target, *, task=None, exclude=(), group=None):
    """Understand a table and its target.

    Parameters
    ----------
    table : Table, frame, dict of columns, path, or pair (X, y) of arrays.
    target : str or None.  The column to predict; the name to give y where a pair comes in ("target" for None).
    task : {"classification", "regression"} or None.
    exclude : sequence of str.  Columns to leave out.
    group : str or None.  A column whose values keep their rows together; it is left out too.

    >>> inputs = comparison_inputs(([[1.0, 2.0], [3.0, 1.0], [2.0, 2.0], [5.0, 9.0]], ["a", "b", "a", "b"]), None)
    >>> inputs.table.names, inputs.y.tolist(), inputs.understanding.task
    (('x0', 'x1', 'target'), ['a', 'b', 'a', 'b'], 'classification')
    """
    kind = type(table).__module__.split(".")[0]
    if isinstance(table, str | Path):
        table = read(table)
    elif isinstance(table, tuple) and len(table) == 2:
        target = target or "target"
        table = _of_pair(*table, target)
    elif not isinstance(table, Table):
        table = as_table(table)
    if target is None:
        raise cannot(
            "compare models without a target",
            because="nothing says which column to predict",
            instead=f"target= one of {', '.join(map(repr, table.names[-3:]))}, for example",
        )
    if group is not None:
        refuse_group(table, group, target)
        exclude = list(dict.fromkeys([*exclude, group]))
    understanding = understand(table, target, task=task, exclude=exclude)
    y, rows = target_values(table, understanding)
    table = table.take(rows) if len(rows) < len(table) else table
    return Inputs(table, y, understanding, kind * (kind in FRAMES), rows)


def _of_pair(X, y, target):
    table, y = as_table(X if is_frame(X) else np.asarray(X)), np.asarray(y)
    if y.shape != (len(table),):
        raise cannot(
            f"compare models on {len(table)} rows and y of shape {y.shape}",
            because="each row has one target",
            instead=f"y of shape ({len(table)},)",
        )
    added = as_table({target: y})
    return Table((*table.names, target), (*table.columns, *added.columns), table.source, table.notes)
