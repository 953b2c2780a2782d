"""Tables as CSV, in which no text is a formula for a spreadsheet or a command for a terminal."""

import csv
import re
import unicodedata

from separatrix.core.printable import printable
from separatrix.core.protocol import can
from separatrix.tables.table import is_number

# What a formula needs to do more than arithmetic: a call, a reference to another sheet or file.
_REACHES_OUT = re.compile(r"[^\W\d][\w.]*\s*\(|![$\w]|'#")


class CsvText:
    """Writes rows of cells to a file.

    A text that a spreadsheet would run as a formula gets an apostrophe in front, which makes it text there.
    On a terminal, characters that do not show are escapes.

    Parameters
    ----------
    file : text file.
    raw : bool, default False.  Whether formulas are written as they are.

    Attributes
    ----------
    marked : int.  How many cells got an apostrophe.
    """

    def __init__(self, file, *, raw=False):
        self._writer = csv.writer(_Lines(file))
        self._raw, self._terminal, self.marked = raw, can(file, "isatty") and file.isatty(), 0

    def write_names(self, names):
        self._writer.writerow(self._texts(names))

    def write_columns(self, columns):
        """Write lists of equal length as rows."""
        self._writer.writerows(zip(*map(self._texts, columns)))

    def _texts(self, cells):
        return [self._text(cell) if isinstance(cell, str) else cell for cell in cells]

    def _text(self, cell):
        if not self._raw and is_formula(cell):
            self.marked += 1
            cell = "'" + cell
        return printable(cell) if self._terminal else cell


class _Lines:
    """Ends lines in LF. Python's writer must not be told so: it would leave a CR within a cell without quotes."""

    def __init__(self, file):
        self._file = file

    def write(self, line):
        return self._file.write(line.removesuffix("\r\n") + "\n")


def is_formula(cell):
    """Whether a spreadsheet would run a text: it begins with =, or with +, - or @ and calls or refers to something.

    What comes before the sign and does not show is passed over; wide signs (＝) count as narrow ones.

    >>> [is_formula(cell) for cell in ("=1+1", "\\t=A1", "+SUM(A1)", "-2+cmd|' /C calc'!A0", "@HYPERLINK (A1)")]
    [True, True, True, True, True]
    >>> [is_formula(cell) for cell in ("-1.5", "+", "=", "-1 to 5", "@ann", "+49 (0)30 123", ">50K")]
    [False, False, False, False, False, False, False]
    """
    if cell[:1].isalnum():  # nearly all cells
        return False
    text = "".join(map(_narrow, cell)).lstrip()
    return len(text) > 1 and text[0] in "=+-@" and (text[0] == "=" or _REACHES_OUT.search(text) is not None)


def _narrow(char):
    return unicodedata.normalize("NFKC", char) if char.isprintable() else ""


def csv_cells(column):
    """Cells as they are written: a missing one is empty, a whole number has no decimal point."""
    if not is_number(column):
        return ["" if value is None else value for value in column.tolist()]
    return ["" if value != value else int(value) if value.is_integer() else value for value in column.tolist()]
