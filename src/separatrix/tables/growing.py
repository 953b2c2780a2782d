"""A column that grows piece by piece: numbers for as long as every cell is one, else text."""

import math
from collections import Counter

import numpy as np

from separatrix.tables.cells import EXACT, MISSING, as_floats, clean, finite, is_exact, number, pointed
from separatrix.tables.columns import KEPT_AS_TEXT, infinite_note
from separatrix.tables.records import NUMBER, TEXT, TextCells

POOL = 100_000  # different texts of a column that are held once only


class GrowingColumn:
    """Cells of one column as they come.

    Parameters
    ----------
    name : str.
    decimal : {".", ","}.
    text : bool, default False.  Whether it is known to be text.
    why : str, default "".  What to say about that.

    Attributes
    ----------
    notes : list of str.  What is to be said about it, once :meth:`array` was called.
    wants : {NUMBER, TEXT}.  What to ask for the next rows: numbers where those so far were plain ones.
    late : bool.  Whether the column is text and the words of its first cells are gone: it must be read again.

    >>> column = GrowingColumn("age")
    >>> column.add(TextCells.of(["31", "NA"])), column.add(TextCells.of(["-", "1,200"]))
    (None, None)
    >>> column.array()
    array([  31.,   nan,   nan, 1200.])
    """

    def __init__(self, name, decimal=".", text=False, why=""):
        self.name, self.decimal, self.text, self._why = name, decimal, text, why
        self.wants = TEXT
        self.notes: list = []
        self.parts: list = []
        self.rows = 0
        self.infinite = 0
        self.unit = None  # of the cells met so far, once there is one with a number
        self.odd: Counter = Counter()  # cells that are missing only because the others are numbers
        self.grouped = ""  # the first cell with a mark of thousands
        self._merged = False  # whether float64 made some whole number equal to others
        self._measured = False  # whether some cell has a point or an exponent: no identifier
        self._words_lost = False
        self._pool: dict = {}
        self._rule = cleaned_by(decimal)

    @property
    def late(self):
        only_odd = not self.text and self.unit is None and bool(self.odd)  # nothing but "None": words, for all we know
        return self._words_lost or only_odd or self._identifies

    @property
    def _identifies(self):
        """Whether all cells are whole numbers, some of which float64 does not tell from others."""
        if not self._merged or self._measured:
            return False
        return not any(np.any(part[~np.isnan(part)] % 1.0) for part in self.parts)

    def as_text(self):
        """An empty column for the same cells, to be read again as text."""
        return GrowingColumn(self.name, self.decimal, text=True, why=KEPT_AS_TEXT if self._identifies else "")

    def add(self, cells):
        """Take the next cells: TextCells or, if the column wants numbers, float64."""
        self.rows += len(cells)
        if self._words_lost:
            return
        if not self.text:
            values = self._numbers(cells)
            if values is not None:
                self.parts.append(values)
                return
            self._turn_to_text()
        if self.text and isinstance(cells, TextCells):
            self.parts.append((cleaned_levels(cells, self._rule, self._pool), cells.codes))
        else:  # asked for as numbers before the column turned to text
            self._words_lost = True

    def _turn_to_text(self):
        """Some cell is no number. Words of numbers met before are lost; cells that are missing anywhere stay so."""
        self.wants = TEXT
        self._words_lost = self.unit is not None or bool(self.odd)
        self.text = not self._words_lost
        nothing = np.array([None])
        self.parts = [(nothing, np.zeros(len(part), np.int32)) for part in self.parts] if self.text else []

    def _numbers(self, cells):
        """The cells as float64, None if they are not numbers of one unit."""
        unit, odd = "", None
        if not isinstance(cells, TextCells):
            values = cells
        else:
            numbers = as_floats(["nan" if cell in MISSING else cell for cell in cells.levels], self.decimal)
            self.wants = TEXT if numbers is None else NUMBER
            if numbers is None:
                read = [number(cell, self.decimal) for cell in cells.levels]
                if None in read:
                    return None
                units = {unit for value, unit in read if not math.isnan(value)}
                if len(units) > 1:
                    return None
                unit = units.pop() if units else ""
                counts, odd = np.bincount(cells.codes).tolist(), Counter()
                thousands = "," if self.decimal == "." else "."
                for cell, (value, _), count in zip(cells.levels, read, counts, strict=True):
                    if _is_odd(cell, value):
                        odd[cell.strip()] += count
                    elif thousands in cell:
                        self.grouped = self.grouped or cell.strip()
                numbers = np.array([value for value, _ in read])
            self._look_at_large(cells.levels, numbers)
            values = numbers[cells.codes]
        if not np.isnan(values[0]) or not np.isnan(values).all():
            if self.unit not in (None, unit):
                return None
            self.unit = unit
        if odd:
            self.odd += odd
        values, infinite = finite(values)
        self.infinite += infinite
        return values

    def _look_at_large(self, levels, numbers):
        """Note whether whole numbers from 2^53 on are exact as float64; and ask for their text again next time."""
        large = np.flatnonzero(np.abs(numbers) >= EXACT).tolist()
        if large:
            self.wants = TEXT
        for place in large:
            exact = is_exact(levels[place], numbers[place], self.decimal)
            self._measured |= exact is None
            self._merged |= exact is False

    def array(self):
        """The column, float64 with NaN or object of str with None; what is to be said about it is then in `notes`."""
        parts, self.parts = self.parts, []
        if self.text:
            whole = np.empty(self.rows, dtype=object)
            ends = np.cumsum([len(codes) for _, codes in parts])
            for (levels, codes), end in zip(parts, ends, strict=True):
                np.take(levels, codes, out=whole[end - len(codes) : end], mode="clip")
            if self._why:
                self.notes.append(f"Column {self.name!r} {self._why}.")
                return whole
            return self._settled(whole)
        whole = np.concatenate(parts)
        if self.odd:
            listed = ", ".join(f"{cell!r} ({count:,})" for cell, count in self.odd.most_common(3))
            self.notes.append(f"Column {self.name!r} holds numbers; cells read as missing: {listed}.")
        if self.grouped:
            mark = "comma" if self.decimal == "." else "point"
            value = number(self.grouped, self.decimal)[0]
            self.notes.append(
                f"Column {self.name!r}: the {mark} marks thousands ({self.grouped!r} is read as {value:.15g}), as "
                "three digits follow it wherever it stands."
            )
        if self.unit:
            kind = "percentages" if self.unit == "%" else "amounts"
            self.notes.append(f"Column {self.name!r} holds {kind}: the number is read without {self.unit!r}.")
        if self.infinite:
            self.notes.append(f"Column {self.name!r} {infinite_note(self.infinite)}.")
        return whole

    def _settled(self, column):
        """Text that is numbers but for a few cells is most likely a slip, so the first of them is named."""
        first = [cell for cell in column[:100].tolist() if cell is not None]
        if sum(number(cell) is not None for cell in first) <= 0.8 * len(first):
            return column
        cells = column.tolist()
        read = {cell: (math.nan, "") if cell is None else number(cell) for cell in set(cells)}
        wrong = [row for row, cell in enumerate(cells) if read[cell] is None]
        numeric = sum(read[cell] is not None and not math.isnan(read[cell][0]) for cell in cells)
        if wrong and len(wrong) <= 0.1 * numeric:
            others = f", {len(wrong) - 1:,} more cells hold no number either" if len(wrong) > 2 else ""
            others = ", 1 more cell holds no number either" if len(wrong) == 2 else others
            self.notes.append(
                f"Column {self.name!r}: row {wrong[0] + 1:,} holds {cells[wrong[0]]!r}{others}; {numeric:,} cells are "
                "numbers."
            )
        elif numeric and not wrong:
            self.notes.append(f"Column {self.name!r} is read as text: its numbers have different units.")
        return column


def cleaned_by(decimal):
    """The rule for cells of text in a file with that decimal mark."""
    return clean if decimal == "." else lambda cell: pointed(clean(cell))


def cleaned_levels(cells, rule, pool):
    """The different cells of TextCells by a rule, as an object array; `pool` remembers some."""
    known = pool if len(pool) < POOL else dict(pool)
    for cell in set(cells.levels).difference(known):
        known[cell] = rule(cell)
    out = np.empty(len(cells.levels), dtype=object)
    out[:] = list(map(known.__getitem__, cells.levels))
    return out


def _is_odd(cell, value):
    return math.isnan(value) and cell.strip() not in MISSING and cell.strip().lower().lstrip("+-") != "nan"
