"""Understand a table: the task that its target asks for, and the role of every other column."""

import math
from dataclasses import replace

import numpy as np

from separatrix.core.refusal import cannot
from separatrix.tables.cells import numbers
from separatrix.tables.kinds import facts
from separatrix.tables.leaks import is_copy, repeated_rows, rows_to_look_at, suspicion
from separatrix.tables.table import is_number, meant, shown
from separatrix.tables.target import estimated_numbers, refuse_unknown, task_of
from separatrix.tables.understanding import MIXED, Understanding, share

FOLDS = 5  # rows of a class below which some folds have none
IMBALANCE = 20  # times as many rows in the largest class as in the smallest
MANY_LEVELS = 50
SPLITS = {"test", "train", "split", "fold", "partition", "is_test", "is_train", "istest", "istrain", "training"}


def understand(table, target, *, task=None, exclude=()):
    """Say what a table is: the task, the classes, and for each column whether and as what it enters a model.

    Parameters
    ----------
    table : Table.
    target : str.  Name of the column to be predicted.
    task : {"classification", "regression"} or None, default None.  None decides: text, two values, or at most 20 whole
        numbers that each occur often are classes; other numbers are estimated.
    exclude : sequence of str, default ().  Columns to leave out.

    Returns
    -------
    Understanding.

    >>> from separatrix.tables import Table
    >>> table = Table.of({"id": range(1, 11), "x": [2, 7, 1, 8, 2, 8, 1, 8, 2, 8], "y": ["a", "b"] * 5})
    >>> told = understand(table, "y")
    >>> told.task, told.classes, [(column.name, column.kind) for column in told.columns]
    ('classification', ('a', 'b'), [('id', 'identifier'), ('x', 'number')])
    """
    refuse_unknown(table, target)
    _refuse_excluded(exclude, table, target)
    whole = len(table)
    y, odd = estimated_numbers(table[target], task)
    labelled = _present(y)
    if not labelled.all():
        table, y = table.take(np.flatnonzero(labelled)), y[labelled]
    task, classes, counts = task_of(y, target, task)
    columns, notes = [], [_odd_note(target, odd, "rows without a target")] if odd else []
    rows = rows_to_look_at(len(table))
    for name, column in zip(table.names, table.columns, strict=True):
        if name == target:
            continue
        column_facts, said = facts(name, column), ()
        if name in exclude:
            column_facts = replace(column_facts, kind="asked to be left out", why="as asked")
        elif column_facts.used or column_facts.kind == "identifier":
            if column_facts.form == MIXED:
                column = numbers(column, odd_is_missing=True)
                notes.append(_odd_note(name, column_facts.odd, "missing"))
            column_facts, said = _beside_target(column_facts, column, y, len(classes), rows)
        columns.append(column_facts)
        notes += said
    columns = _rescued(columns)
    if not any(column.used for column in columns):
        left = "; ".join(f"{column.name}: {column.why or column.kind}" for column in columns[:5])
        raise cannot(
            f"learn {target!r} from {table.source or 'the table'}",
            because=f"no other column can be used ({left})" if left else "there is no other column",
            instead="a table with columns to predict from",
        )
    mixed = tuple(
        f"Column {each.name!r}: row " for each in columns if each.form == MIXED
    )  # their cells are named below
    read = [note for note in table.notes if not note.startswith(mixed)]
    notes = [*read, *_class_notes(classes, counts), *_size_notes(table, columns, target), *notes]
    unlabelled = whole - len(table)
    return Understanding(table.source, whole, unlabelled, target, task, tuple(columns), classes, counts, tuple(notes))


def _odd_note(name, odd, taken_for, most=3):
    listed = ", ".join(f"{cell!r} ({count:,})" for cell, count in odd[:most])
    more = f" and {len(odd) - most:,} more" if len(odd) > most else ""
    return f"{name} holds numbers; cells that are none count as {taken_for}: {listed}{more}."


def _present(column):
    if is_number(column):
        return ~np.isnan(column)
    return np.fromiter((cell is not None for cell in column.tolist()), bool, len(column))


def _refuse_excluded(exclude, table, target):
    for name in exclude:
        if name not in table or name == target:
            raise cannot(
                f"leave out {name!r}",
                because="it is the target" if name == target else f"there are the columns {shown(table.names)}",
                instead=meant(name, [other for other in table.names if other != target]) or "other columns",
                kind=KeyError,
            )


def _beside_target(column_facts, column, y, classes, rows):
    """The facts of a column once the target is known, and what is to be said about it."""
    copied = is_copy(column, column_facts.distinct, y, classes)
    if copied:
        return replace(column_facts, kind="copy of the target", why=copied), ()
    if not column_facts.used:
        return column_facts, ()
    said = []
    doubt = suspicion(column[rows], y[rows], classes)
    if doubt:
        column_facts = replace(
            column_facts, why="; ".join(filter(None, [column_facts.why, f"suspected leak: {doubt}"]))
        )
        said.append(f"{column_facts.name} may know the answer: {doubt}. Leave it out if it is not known beforehand.")
    elif column_facts.kind == "date" and column_facts.why:
        said.append(f"{column_facts.name}: {column_facts.why}.")
    elif column_facts.kind == "flag" and column_facts.name.casefold() in SPLITS:
        said.append(
            f"{column_facts.name} may mark which rows were for training and which for testing. Leave it out if so."
        )
    return column_facts, said


def _rescued(columns):
    """Where nothing else is left to predict from, a column that counts is taken for a measurement after all."""
    if any(column.used for column in columns):
        return columns
    return [
        replace(column, kind="number", why="it counts the rows, but there is no other column")
        if column.kind == "identifier" and column.why == "it counts the rows"
        else column
        for column in columns
    ]


def _class_notes(classes, counts):
    said = []
    rare = [(label, count) for label, count in zip(classes, counts, strict=True) if count < FOLDS]
    if rare:
        listed = ", ".join(f"{label} ({count})" for label, count in rare[:5])
        more = f" and {len(rare) - 5} more" if len(rare) > 5 else ""
        said.append(f"Too few rows to learn and to test: {'class' if len(rare) == 1 else 'classes'} {listed}{more}.")
    elif counts and max(counts) >= IMBALANCE * min(counts):
        label = classes[counts.index(min(counts))]
        said.append(
            f"Class {label} is rare: {min(counts):,} of {sum(counts):,} rows. Always saying the commonest class is "
            f"right in {share(max(counts), sum(counts))}; look at more than accuracy."
        )
    return said


def _size_notes(table, columns, target):
    said = []
    used = [column for column in columns if column.used]
    empty = [column.name for column in used if column.missing > 0.5 * len(table)]
    if empty:
        said.append(f"More than half of the cells are missing: {_names(empty)}.")
    many = [column.name for column in used if column.kind == "category" and column.distinct > MANY_LEVELS]
    if many:
        said.append(f"Categories with more than {MANY_LEVELS} levels, many of them rare: {_names(many)}.")
    if len(used) > len(table):
        said.append(f"There are more columns ({len(used):,}) than rows ({len(table):,}).")
    said += _repeats(table, columns, target)
    return said


def _repeats(table, columns, target):
    """Rows that are there twice. A key of the table, which differs in every row, does not make them different."""
    told = [column for column in columns if column.kind != "identifier" or not is_number(table[column.name])]
    rows = len(table)
    # where few combinations are possible rows must repeat, and where a column never repeats none can
    possible = sum(math.log(max(column.distinct, 1)) for column in told)
    if possible <= math.log(rows) or any(column.distinct == rows for column in told):
        return []
    repeats = repeated_rows([table[column.name] for column in told] + [table[target]])
    if not repeats or repeats < min(0.1 * rows, rows * rows * math.exp(-possible)):  # few, and chance explains them
        return []
    words = "1 row repeats" if repeats == 1 else f"{repeats:,} rows repeat"
    return [f"{words} an earlier one in every column: such rows may be learnt from and tested on at once."]


def _names(names, most=5):
    return ", ".join(names[:most]) + (f" and {len(names) - most} more" if len(names) > most else "")
