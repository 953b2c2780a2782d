"""Tables as CSV, in which no text is a formula for a spreadsheet or a command for a terminal."""

import csv
import re
import unicodedata

from separatrix.core.printable import printable
from separatrix.core.protocol import can
from separatrix.tables.table import is_number

# What a formula needs to do more than arithmetic: a call, another sheet or file, another program.
_REACHES_OUT = re.compile(r"[^\W\d][\w.]*\s*\(|!['$\w]|'#|\w\s*\|")
# Where a spreadsheet may cut a cell: it takes the separators of its country, and quotes at the start of a part only.
_CUTS = re.compile(r"([;\t\r\n])")


class CsvText:
    """Writes rows of cells to a file.

    A text that a spreadsheet would run as a formula gets an apostrophe in front, which makes it text there; so does
    what follows a semicolon, a tab or an end of line within it.
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
        if not self._raw:
            text = without_formulas(cell)
            self.marked += text != cell
            cell = text
        return printable(cell) if self._terminal else cell


class _Lines:
    """Ends lines in LF. Python's writer must not be told so: it would leave a CR within a cell without quotes."""

    def __init__(self, file):
        self._file = file

    def write(self, line):
        return self._file.write(line.removesuffix("\r\n") + "\n")


def without_formulas(cell):
    """A text with an apostrophe before each part that a spreadsheet would run.

    >>> print(without_formulas("=1+1"), without_formulas("a;=1+1;-1"), without_formulas("a; b"))
    '=1+1 a;'=1+1;-1 a; b
    """
    if is_formula(cell):
        cell = "'" + cell
    parts = _CUTS.split(cell)
    return cell if len(parts) == 1 else "".join("'" + part if is_formula(part) else part for part in parts)


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
