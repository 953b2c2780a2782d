"""What a column is, seen by itself: a number, a flag, a category, a date, free text, or nothing a model can use."""

import re
from collections import Counter
from dataclasses import replace
from itertools import islice

import numpy as np

from separatrix.tables.cells import number, numbers
from separatrix.tables.dates import days, form_of
from separatrix.tables.table import is_number
from separatrix.tables.understanding import MIXED, ColumnFacts, share

FEW_LEVELS = 20  # a category up to here, whatever the number of rows
OFTEN = 5  # rows that a level must have to be learnt from
ALMOST_ALL = 0.9  # of the cells are different: an identifier
COUNTED = 8  # rows from which on 1, 2, 3, ... is a count of rows rather than a measurement
MOST_ODD = 0.05  # of the cells of a column of numbers may be no numbers
FEW_CODES = 5  # different cells such as V45 from which on a column holds codes, even if most of them are digits
_KEY = re.compile(
    r"(?:^|[_\s.-])(?:id|ids|uuid|guid|key|index|idx|rownames?|row|no\.?|nr\.?|number)$"
    r"|^Unnamed: 0$|^__index_level_0__$",
    re.IGNORECASE,
)
_ID = re.compile(r"(?:^|[_\s.-])(?:id|ids|uuid|guid)$", re.IGNORECASE)
_CAMEL = re.compile(r"[a-z](?:Id|ID)$")
_WORD = re.compile(r"[^\W\d_]{2,}")
_CODE = re.compile(r"[A-Za-z]{1,3}-?\d+(?:\.\d+)?")
_LEADING_ZERO = re.compile(r"0\d")


def facts(name, column):
    """The facts of one column."""
    return _number_facts(name, column) if is_number(column) else _text_facts(name, column)


def _number_facts(name, column):
    present = np.sort(column)  # NaN go last
    missing = int(np.isnan(column).sum())
    present = present[: len(column) - missing]
    if not len(present):
        return ColumnFacts(name, "empty", missing, 0, why="it has no value in any row")
    starts = np.flatnonzero(np.concatenate([[True], present[1:] != present[:-1]]))
    distinct = len(starts)
    if distinct == 1:
        return _constant(name, missing, plain(present[0]))
    if distinct == 2:
        pairs = [(starts[1], plain(present[0])), (len(present) - starts[1], plain(present[-1]))]
        counts, levels = zip(*sorted(pairs, key=lambda pair: -pair[0]), strict=True)
        return ColumnFacts(name, "flag", missing, 2, levels=levels, shown=_listed(levels, counts, len(present)))
    median = present[[(len(present) - 1) // 2, len(present) // 2]].mean()
    shown = f"{present[0]:.4g} to {present[-1]:.4g}, median {median:.4g}"
    why = ""
    if len(present) >= COUNTED and missing <= MOST_ODD * len(column) and np.all(present == np.rint(present)):
        if distinct == len(present):
            why = _key_number(name, present, len(column))
        elif is_id_name(name) and _all_rare(np.diff(starts, append=len(present))):
            why = f"its name says that it identifies, and it has {distinct:,} different values in {len(present):,} rows"
    return ColumnFacts(name, "identifier" if why else "number", missing, distinct, why=why, shown=shown)


def _key_number(name, present, rows):
    """Why sorted whole numbers, all different, identify rows rather than measure something; "" if they do not."""
    if present[0] in (0, 1) and present[-1] - present[0] == rows - 1:
        return "it counts the rows"
    if is_key_name(name):
        return "its name and a different whole number in every row say that it identifies rows"
    return ""


def is_key_name(name):
    """Whether a name is one that keys of tables have: id, PassengerId, row_index, Patient No.

    >>> is_key_name("PassengerId"), is_key_name("Patient No."), is_key_name("humid"), is_key_name("Bid")
    (True, True, False, False)
    """
    return bool(_KEY.search(name) or _CAMEL.search(name))


def is_id_name(name):
    """Whether a name is that of an identifier, which may repeat: of a host, a patient, an order."""
    return bool(_ID.search(name) or _CAMEL.search(name))


def _text_facts(name, column):
    cells = column.tolist()
    counts = Counter(cells)
    missing = counts.pop(None, 0)
    present = len(cells) - missing
    if not present:
        return ColumnFacts(name, "empty", missing, 0, why="it has no value in any row")
    if len(counts) == 1 and missing < 0.01 * len(cells):
        return _constant(name, missing, next(iter(counts)))
    form, guessed = form_of(counts)
    if form and len(counts) > 1:
        return _date(name, counts, missing, form, guessed)
    odd = odd_cells(counts)
    if odd:
        told = _number_facts(name, numbers(column, odd_is_missing=True))
        return replace(told, form=MIXED, odd=tuple(odd.most_common()))
    if len(counts) > 2:
        sample = list(islice(counts, None, None, max(1, len(counts) // 1000)))
        if _all_rare(np.array(list(counts.values()))) or _long(sample):
            kind, why = ("text", "") if _wordy(sample) else ("identifier", _key_text(len(counts), present))
            shown = f"such as {_cut(sample[len(sample) // 2])!r}"
            return ColumnFacts(name, kind, missing, len(counts), why=why, shown=shown)
    ranked = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    levels, often = zip(*ranked, strict=True)
    kind = "flag" if len(levels) == 2 else "category"
    shown = _listed(levels[:3], often[:3], present)
    return ColumnFacts(name, kind, missing, len(levels), levels=levels, shown=shown)


def odd_cells(counts):
    """The cells that are no numbers, with their counts, of a column in which nearly all others are; else none.

    A column of codes, of which most are digits (007, or V45 among 250 and 401), is not one of numbers, nor is one of
    two numbers and a word, which are three levels.

    Parameters
    ----------
    counts : Counter.  Cells without blanks around them, None where missing, and how often each occurs.

    >>> odd_cells(Counter({"1": 40, "2": 30, "3.5": 29, "1,5": 1}))
    Counter({'1,5': 1})
    >>> odd_cells(Counter({"1": 40, "2": 30, "3": 20, "many": 10}))
    Counter()
    """
    # most columns of text are told by a few cells, before all of them are read
    first = [cell for cell in islice(counts, 100) if cell is not None]
    if sum(number(cell) is not None for cell in first) <= 0.5 * len(first):
        return Counter()
    read = {cell: number(cell) for cell in counts if cell is not None}
    odd = Counter({cell: counts[cell] for cell, value in read.items() if value is None})
    numeric = {cell: value for cell, value in read.items() if value is not None and np.isfinite(value[0])}
    present = sum(odd.values()) + sum(counts[cell] for cell in numeric)
    if sum(odd.values()) > MOST_ODD * present or len({unit for _, unit in numeric.values()}) != 1:
        return Counter()
    codes = sum(bool(_CODE.fullmatch(cell)) for cell in odd)
    are_codes = (codes >= FEW_CODES and 2 * codes > len(odd)) or any(map(_LEADING_ZERO.match, numeric))
    return Counter() if are_codes or len({value for value, _ in numeric.values()}) <= 2 else odd


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


def _all_rare(counts):
    """Whether almost every cell has a value of its own, or so rare a one that nothing can be learnt about it."""
    distinct, present = len(counts), counts.sum()
    if distinct >= ALMOST_ALL * present and present >= COUNTED:
        return True
    return distinct > FEW_LEVELS and counts[counts >= OFTEN].sum() < 0.5 * present


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
    cells = column.tolist()
    levels = [cell for cell in dict.fromkeys(cells) if cell is not None]
    place = {None: -1, **dict(zip(levels, range(len(levels)), strict=True))}
    return np.fromiter(map(place.__getitem__, cells), np.intp, len(cells)), len(levels)
