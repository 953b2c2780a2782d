"""A column that grows piece by piece: numbers for as long as every cell is one, else text."""

import math
from collections import Counter

import numpy as np

from separatrix.tables.cells import MISSING, as_floats, clean, finite, number, pointed

POOL = 100_000  # different texts of a column that are held once only


class GrowingColumn:
    """Cells of one column as they come.

    Parameters
    ----------
    name : str.
    decimal : {".", ","}.
    text : bool, default False.  Whether it is known to be text.

    Attributes
    ----------
    notes : list of str.  What is to be said about it, once :meth:`array` was called.
    late : bool.  Whether text was met after pieces of numbers, whose words are gone: the column must be read again.

    >>> column = GrowingColumn("age")
    >>> column.add(["31", "NA"]), column.add(["-", "1,200"])
    (None, None)
    >>> column.array()
    array([  31.,   nan,   nan, 1200.])
    """

    def __init__(self, name, decimal=".", text=False):
        self.name, self.decimal, self.text = name, decimal, text
        self.late = False
        self.notes: list = []
        self.parts: list = []
        self.rows = 0
        self.infinite = 0
        self.unit = None  # of the cells met so far, once there is one with a number
        self.odd: Counter = Counter()  # cells that are missing only because the others are numbers
        self._pool: dict = {}
        self._rule = cleaned_by(decimal)

    def add(self, cells):
        """Take a piece of cells."""
        self.rows += len(cells)
        if self.late:
            return
        if not self.text:
            values = self._numbers(cells)
            if values is not None:
                self.parts.append(values)
                return
            if self.parts:
                self.late, self.parts = True, []
                return
            self.text = True
        self.parts.append(words(cells, self._rule, self._pool))

    def _numbers(self, cells):
        """The cells as float64, None if they are not numbers of one unit."""
        values = as_floats(cells, self.decimal)
        unit, odd = "", Counter()
        if values is None:
            distinct = Counter(cells)
            found = {cell: number(cell, self.decimal) for cell in distinct}
            if None in found.values():
                return None
            units = {unit for value, unit in found.values() if not math.isnan(value)}
            if len(units) > 1:
                return None
            unit = units.pop() if units else self.unit or ""
            odd = Counter({cell.strip(): distinct[cell] for cell in distinct if _is_odd(cell, found[cell][0])})
            values = np.fromiter((found[cell][0] for cell in cells), np.float64, len(cells))
            if not units and not self.parts and odd and np.isnan(values).all():
                return None  # nothing but "None": a word, for all we know
        if self.unit not in (None, unit) and not np.isnan(values).all():
            return None
        if not np.isnan(values).all():
            self.unit = unit
        self.odd += odd
        values, infinite = finite(values)
        self.infinite += infinite
        return values

    def array(self):
        """The column, float64 with NaN or object of str with None; what is to be said about it is then in `notes`."""
        whole = self.parts[0] if len(self.parts) == 1 else np.concatenate(self.parts)
        self.parts = []
        if self.text:
            return self._settled(whole)
        if self.odd:
            listed = ", ".join(f"{cell!r} ({count:,})" for cell, count in self.odd.most_common(3))
            self.notes.append(f"Column {self.name!r} holds numbers; cells read as missing: {listed}.")
        if self.unit:
            kind = "percentages" if self.unit == "%" else "amounts"
            self.notes.append(f"Column {self.name!r} holds {kind}: the number is read without {self.unit!r}.")
        if self.infinite:
            cells = "1 infinite cell" if self.infinite == 1 else f"{self.infinite:,} infinite cells"
            self.notes.append(f"Column {self.name!r} has {cells}, read as missing.")
        return whole

    def _settled(self, column):
        """Text that is numbers but for a few cells is most likely a slip, so the first of them is named."""
        first = [cell for cell in column[:100].tolist() if cell is not None]
        if sum(number(cell) is not None for cell in first) <= 0.8 * len(first):
            return column
        cells = column.tolist()
        found = {cell: (math.nan, "") if cell is None else number(cell) for cell in set(cells)}
        wrong = [row for row, cell in enumerate(cells) if found[cell] is None]
        numeric = sum(found[cell] is not None and not math.isnan(found[cell][0]) for cell in cells)
        if wrong and len(wrong) <= 0.1 * numeric:
            others = f" and {len(wrong) - 1:,} more cells are no numbers" if len(wrong) > 1 else ""
            self.notes.append(
                f"Column {self.name!r} is read as text: row {wrong[0] + 1:,} holds {cells[wrong[0]]!r}{others}; "
                f"{numeric:,} cells are numbers."
            )
        elif numeric and not wrong:
            self.notes.append(f"Column {self.name!r} is read as text: its numbers have different units.")
        return column


def cleaned_by(decimal):
    """The rule for cells of text in a file with that decimal mark."""
    return clean if decimal == "." else lambda cell: pointed(clean(cell))


def words(cells, rule, pool):
    """Cells as an object array, by a rule that is asked once for each different cell; `pool` remembers some."""
    found = pool if len(pool) < POOL else dict(pool)
    for cell in set(cells):
        if cell not in found:
            found[cell] = rule(cell)
    out = np.empty(len(cells), dtype=object)
    out[:] = list(map(found.__getitem__, cells))
    return out


def _is_odd(cell, value):
    return math.isnan(value) and cell.strip() not in MISSING and cell.strip().lower().lstrip("+-") != "nan"
