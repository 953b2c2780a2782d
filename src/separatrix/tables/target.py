"""The target: which task it asks for, its classes, and its values for the rows that have one."""

from collections import Counter

import numpy as np

from separatrix.core.refusal import cannot
from separatrix.tables.cells import numbers
from separatrix.tables.kinds import facts, odd_cells, plain
from separatrix.tables.table import is_number, meant, shown

MOST_CODES = 20  # different whole numbers that may be classes
MOST_CLASSES = 100
TASKS = ("classification", "regression")


def refuse_unknown(table, target):
    """Refuse a target that is no column, with the names most like it."""
    if target not in table:
        near = meant(target, table.names)
        raise cannot(
            f"find the target {target!r}",
            because=f"{table.source or 'the table'} has the columns {shown(table.names)}",
            instead=f"{near}, if that was meant" if near else "one of them",
            kind=KeyError,
        )


def estimated_numbers(column, task=None):
    """A target of numbers among which a few cells are none, as float64 with NaN there; and those cells with counts.

    Other targets stay as they are, also where the numbers may be codes of classes and the task does not say that they
    are to be estimated: then the odd cell may be a class, too.

    >>> column, odd = estimated_numbers(np.array([*map(str, range(40)), "1,5"], dtype=object))
    >>> column[-2:], odd
    (array([39., nan]), [('1,5', 1)])
    """
    odd = Counter() if is_number(column) or task == "classification" else odd_cells(Counter(column.tolist()))
    if odd:
        values = numbers(column, odd_is_missing=True)
        if task == "regression" or not _are_classes(*np.unique(values[~np.isnan(values)], return_counts=True)):
            return values, odd.most_common()
    return column, []


def task_of(column, target, task):
    """The task for a target column (rows without a value aside), its classes and their counts."""
    if task not in (None, *TASKS):
        raise cannot(f"solve the task {task!r}", because="it is neither", instead="'classification' or 'regression'")
    if not len(column):
        raise cannot(f"learn {target!r}", because="no row has a value for it", instead="another target")
    if is_number(column):
        return _of_numbers(column, target, task)
    if task == "regression":
        raise cannot(
            f"estimate {target!r} as a number",
            because=f"it holds text such as {_odd_text(column)!r}",
            instead="task='classification', or numbers in that column",
        )
    return _of_text(column, target)


def _odd_text(column):
    for cell in column.tolist():
        try:
            numbers(np.array([cell], dtype=object))
        except ValueError:
            return cell
    return column[0]


def _of_numbers(column, target, task):
    values, counts = np.unique(column, return_counts=True)
    if len(values) == 1:
        raise cannot(
            f"learn {target!r}", because=f"it is {plain(values[0])} in every row", instead="a target that varies"
        )
    if task == "regression" or (task is None and not _are_classes(values, counts)):
        return "regression", (), ()
    if len(values) > MOST_CLASSES:
        raise cannot(
            f"take {target!r} for classes",
            because=f"it has {len(values):,} different values",
            instead="task='regression'",
        )
    whole = np.all(values == np.rint(values))
    labels = tuple(int(value) if whole else float(value) for value in values)
    return "classification", *_enough(labels, tuple(map(int, counts)), target)


def _are_classes(values, counts):
    """Whether numbers are codes of classes: two values, or few whole ones that each occur often enough."""
    if len(values) == 2:
        return True
    enough = max(2, min(5, counts.sum() // (2 * len(values))))
    return len(values) <= MOST_CODES and bool(np.all(values == np.rint(values))) and counts.min() >= enough


def _of_text(column, target):
    counts = Counter(column.tolist())
    if len(counts) == 1:
        raise cannot(f"learn {target!r}", because=f"it is {column[0]!r} in every row", instead="a target that varies")
    kind = facts(target, column).kind
    if kind == "date":
        raise cannot(
            f"learn {target!r}", because="it holds dates", instead="a number, such as the days until then, or classes"
        )
    if len(counts) > MOST_CLASSES or 2 * len(counts) > len(column) or kind == "text":
        raise cannot(
            f"take {target!r} for classes",
            because=f"it has {len(counts):,} different texts in {len(column):,} rows, such as {column[0]!r}",
            instead="a target with few classes, or one that is a number",
        )
    labels = tuple(sorted(counts))
    return "classification", *_enough(labels, tuple(counts[label] for label in labels), target)


def _enough(labels, counts, target):
    """Classes that can be both learnt and tested: at least two must have two rows."""
    if sum(count >= 2 for count in counts) < 2:
        rare = [label for label, count in zip(labels, counts, strict=True) if count < 2]
        raise cannot(
            f"learn {target!r}",
            because=f"a class needs one row to learn from and one to be tested on, and {shown(rare)} "
            f"{'has' if len(rare) == 1 else 'have'} only one",
            instead="more rows of it, or another target",
        )
    return labels, counts


def target_values(table, understanding):
    """The target of each row that has one, and which rows those are.

    Parameters
    ----------
    table : Table.  With a column of the target's name; text or numbers, as :func:`read` or :func:`blocks` gave it.
    understanding : Understanding.

    Returns
    -------
    y : (m,) array.  Labels (int64, float64 or str, as in ``understanding.classes``), or float64 for regression.
    rows : (m,) array of int.  Positions in the table.

    >>> from separatrix.tables import Table, understand
    >>> table = Table.of({"x": [1, 2, 3, 5, 4], "y": ["no", "yes", None, "no", "yes"]})
    >>> y, rows = target_values(table, understand(table, "y"))
    >>> y, rows
    (array(['no', 'yes', 'no', 'yes'], dtype='<U3'), array([0, 1, 3, 4]))
    """
    refuse_unknown(table, understanding.target)
    column = table[understanding.target]
    wanted = {type(label) for label in understanding.classes}
    if wanted == {str}:
        return _as_labels(column)
    column, _ = estimated_numbers(column, understanding.task)
    values = column if is_number(column) else numbers(column, understanding.target)
    rows = np.flatnonzero(~np.isnan(values))
    values = values[rows]
    if wanted == {int} and np.all(values == np.rint(values)):
        values = values.astype(np.int64)
    return values, rows


def _as_labels(column):
    if is_number(column):  # a file of which only the classes that look like numbers were met
        rows = np.flatnonzero(~np.isnan(column))
        return np.array([plain(value) for value in column[rows]], dtype=str), rows
    rows = np.flatnonzero(np.fromiter((cell is not None for cell in column.tolist()), bool, len(column)))
    return np.array(column[rows].tolist(), dtype=str), rows
