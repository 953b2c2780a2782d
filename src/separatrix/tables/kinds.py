"""What a column is, seen by itself: a number, a flag, a category, a date, free text, or nothing a model can use."""

import re
from collections import Counter

import numpy as np

from separatrix.tables.dates import days, form_of
from separatrix.tables.table import is_number
from separatrix.tables.understanding import ColumnFacts, share

FEW_LEVELS = 20  # a category up to here, whatever the number of rows
OFTEN = 5  # rows that a level must have to be learnt from
ALMOST_ALL = 0.9  # of the cells are different: an identifier
COUNTED = 8  # rows from which on 1, 2, 3, ... is a count of rows rather than a measurement
_KEY = re.compile(r"(?:^|[_\s.-])(?:id|ids|uuid|guid|key|index|idx|rownames?|row)$|[a-z](?:Id|ID)$|^Unnamed: 0$", re.I)
_CAMEL = re.compile(r"[a-z](?:Id|ID)$")
_WORD = re.compile(r"[^\W\d_]{2,}")


def facts(name, column):
    """The facts of one column."""
    return _number_facts(name, column) if is_number(column) else _text_facts(name, column)


def _number_facts(name, column):
    present = column[~np.isnan(column)]
    missing = len(column) - len(present)
    if not len(present):
        return ColumnFacts(name, "empty", missing, 0, why="it has no value in any row")
    values, counts = np.unique(present, return_counts=True)
    if len(values) == 1:
        return _constant(name, missing, plain(values[0]))
    if len(values) == 2:
        order = np.argsort(-counts, kind="stable")
        levels = tuple(plain(value) for value in values[order])
        return ColumnFacts(name, "flag", missing, 2, levels=levels, shown=_listed(levels, counts[order], len(present)))
    shown = f"{values[0]:.4g} to {values[-1]:.4g}, median {np.median(present):.4g}"
    why = _key_number(name, present, len(values), missing)
    return ColumnFacts(name, "identifier" if why else "number", missing, len(values), why=why, shown=shown)


def _key_number(name, present, distinct, missing):
    """Why whole numbers identify rows rather than measure something; "" if they do not."""
    if distinct < len(present) or missing or len(present) < COUNTED or np.any(present != np.rint(present)):
        return ""
    steps = np.diff(present)
    if present.min() in (0, 1) and (np.all(steps == 1) or present.max() - present.min() == len(present) - 1):
        return "it counts the rows"
    if is_key_name(name):
        return "its name and a different whole number in every row say that it identifies rows"
    return ""


def is_key_name(name):
    """Whether a name is one that keys of tables have: id, PassengerId, row_index.

    >>> is_key_name("PassengerId"), is_key_name("customer_id"), is_key_name("humid"), is_key_name("Bid")
    (True, True, False, False)
    """
    return bool(_CAMEL.search(name) and name[-3:] != "Bid") or bool(_KEY.search(name) and not _CAMEL.search(name))


def _text_facts(name, column):
    cells = column.tolist()
    counts = Counter(cells)
    missing = counts.pop(None, 0)
    present = len(cells) - missing
    if not present:
        return ColumnFacts(name, "empty", missing, 0, why="it has no value in any row")
    ranked = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    if len(ranked) == 1 and missing < 0.01 * len(cells):
        return _constant(name, missing, ranked[0][0])
    form, guessed = form_of(counts)
    if form and len(ranked) > 1:
        return _date(name, counts, missing, form, guessed)
    levels = tuple(level for level, _ in ranked)
    if len(levels) <= 2:
        shown = _listed(levels, [count for _, count in ranked], present)
        return ColumnFacts(
            name, "flag" if len(levels) == 2 else "category", missing, len(levels), levels=levels, shown=shown
        )
    sample = levels[:: max(1, len(levels) // 1000)]
    if _all_different(ranked, present) or _long(sample):
        if _wordy(sample):
            return ColumnFacts(name, "text", missing, len(levels), shown=_example(levels))
        why = _key_text(len(levels), present)
        return ColumnFacts(name, "identifier", missing, len(levels), why=why, shown=_example(levels))
    shown = _listed(levels[:3], [count for _, count in ranked[:3]], present)
    return ColumnFacts(name, "category", missing, len(levels), levels=levels, shown=shown)


def _constant(name, missing, value):
    why = "it is the same in every row" + (" that has a value" if missing else "")
    return ColumnFacts(name, "constant", missing, 1, why=why, shown=_cut(value))


def _date(name, counts, missing, form, guessed):
    when = days(np.array(list(counts), dtype=object), form)
    first, last = (np.datetime64(int(np.floor(day)), "D") for day in (when.min(), when.max()))
    why = ""
    if guessed:
        order = "month first" if form == "mdy" else "day first"
        why = f"no part of its dates is above 12, so that day and month could be swapped; read as {order}"
    return ColumnFacts(name, "date", missing, len(counts), why=why, shown=f"{first} to {last}", form=form)


def _all_different(ranked, present):
    """Whether almost every cell has a value of its own, or so rare a one that nothing can be learnt about it."""
    distinct = len(ranked)
    if distinct >= ALMOST_ALL * present and present >= COUNTED:
        return True
    return distinct > FEW_LEVELS and sum(count for _, count in ranked if count >= OFTEN) < 0.5 * present


def _long(sample):
    """Whether cells are sentences: categories may have long names, but not of a dozen words."""
    return np.mean([len(cell.split()) for cell in sample]) >= 12


def _wordy(sample):
    """Whether cells are made of words as in a text, not of names, numbers and codes."""
    tokens = [cell.split() for cell in sample]
    words = sum(map(len, tokens))
    per_cell = words / len(sample)
    lower = sum(token[:1].islower() and bool(_WORD.search(token)) for cell in tokens for token in cell)
    return per_cell >= 8 or (per_cell >= 2 and lower >= 0.5 * words)


def _key_text(distinct, present):
    if distinct == present:
        return "it is different in every row"
    return f"it has {distinct:,} different values in {present:,} rows, too few rows each to learn from"


def plain(value):
    """A number as people write it: 1 rather than 1.0."""
    return str(int(value)) if float(value).is_integer() and abs(value) < 1e15 else repr(float(value))


def _listed(levels, counts, present):
    shares = [f"{_cut(level, 24)} {share(count, present)}" for level, count in zip(levels, counts, strict=True)]
    return ", ".join(shares[:3])


def _example(levels):
    return f"such as {_cut(sorted(levels)[len(levels) // 2])!r}"


def _cut(text, most=40):
    text = " ".join(str(text).split())
    return text if len(text) <= most else text[: most - 1] + "…"


def codes(column):
    """A column as whole numbers, equal for equal cells and -1 where missing, and how many values there are."""
    if is_number(column):
        out = np.full(len(column), -1, dtype=np.intp)
        here = ~np.isnan(column)
        values, inverse = np.unique(column[here], return_inverse=True)
        out[here] = inverse
        return out, len(values)
    place: dict = {}
    for cell in column.tolist():
        if cell is not None:
            place.setdefault(cell, len(place))
    place[None] = -1
    return np.fromiter(map(place.__getitem__, column.tolist()), np.intp, len(column)), len(place) - 1
