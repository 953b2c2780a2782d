"""What a cell of text says: nothing, a number, or words. Every rule about single cells is written once, here.

missing anywhere         an empty cell, NA, N/A, NaN, null, <NA>, NaT, #N/A, \\N and ? when they are the whole cell
missing among numbers    also none, na, nil, missing, unknown, -, --, ., *, and what spreadsheets print for an error;
                         in a column of words these are words: "None" is a level of many a category
number                   1, -1.5, .5, 1e-3; thousands 1,234 (also 1'234 and 1 234); an amount $5 or 5 €; a percentage
                         12% (12, not 0.12). One column, one unit: 5 and $5 together are text.
odd                      a cell that is none of these in a column that is numbers otherwise: tables/kinds.py decides
"""

import math
import re

import numpy as np

from separatrix.core.refusal import cannot

MISSING = frozenset(
    ["", "NA", "N/A", "n/a", "#N/A", "#NA", "<NA>", "NaN", "nan", "NAN", "NaT", "null", "NULL", "Null", "?", "\\N"]
)
_SPREADSHEET_FAULTS = frozenset(["#div/0!", "#value!", "#ref!", "#num!", "#name?", "#null!"])
MISSING_AMONG_NUMBERS = _SPREADSHEET_FAULTS | frozenset(
    ["none", "na", "n.a.", "nil", "missing", "unknown", "-", "--", "---", ".", "..", "*"]
)
EXACT = 2.0**53  # below it every whole number is a float64
_UNITS = "$€£¥₹₽₩%"
_SPACES = " \u00a0\u202f"  # plain, no-break, narrow no-break: all three separate thousands somewhere


def _grammar(decimal, thousands):
    """A number with its unit, with groups of thousands where they are marked."""
    grouped = rf"\d{{1,3}}(?:(?P<mark>[{thousands}'{_SPACES}])\d{{3}})(?:(?P=mark)\d{{3}})*(?:{decimal}\d*)?"
    plain = rf"(?:\d+{decimal}?\d*|{decimal}\d+)(?:[eE][+-]?\d+)?"
    sign, unit = "[+\u2212-]", rf"[{re.escape(_UNITS)}]"
    return re.compile(
        rf"(?P<sign>{sign}?)(?P<before>{unit}?)[{_SPACES}]?(?P<inner>{sign}?)"
        rf"(?P<digits>{grouped}|{plain})[{_SPACES}]?(?P<after>{unit}?)"
    )


_GRAMMARS = {".": _grammar(r"\.", ","), ",": _grammar(",", r"\.")}
_NOT_FINITE = re.compile(r"[+-]?(?:inf|infinity|nan)", re.IGNORECASE)
_LEAVE_DIGITS = str.maketrans("", "", f"'{_SPACES}")


def clean(cell):
    """The words of a cell without blanks around them, None if it says nothing.

    >>> clean(" yes "), clean("NA"), clean("None")
    ('yes', None, 'None')
    """
    cell = cell.strip()
    return None if cell in MISSING else cell


def number(cell, decimal="."):
    """The number in a cell and its unit; NaN where a number is missing, None if the cell is something else.

    >>> number("1,234.5"), number("$ 12"), number("1.234,5", ","), number("-")
    ((1234.5, ''), (12.0, '$'), (1234.5, ''), (nan, ''))
    >>> number("12a") is None, number("1_000") is None
    (True, True)
    """
    cell = cell.strip()
    if cell in MISSING or cell.casefold() in MISSING_AMONG_NUMBERS:
        return math.nan, ""
    match = _GRAMMARS[decimal].fullmatch(cell)
    if not match:
        return (float(cell), "") if _NOT_FINITE.fullmatch(cell) else None
    if (match["sign"] and match["inner"]) or (match["before"] and match["after"]) or match["before"] == "%":
        return None
    digits = match["digits"].translate(_LEAVE_DIGITS)
    digits = digits.replace(",", "") if decimal == "." else digits.replace(".", "").replace(",", ".")
    value = float(digits)
    negative = (match["sign"] or match["inner"]) not in ("", "+")
    return (-value if negative else value), match["before"] or match["after"]


def is_exact(cell, value, decimal="."):
    """Whether a whole number in a cell is that float exactly; None if the cell is no whole number, as it is written.

    >>> is_exact("9,007,199,254,740,993", 2.0**53), is_exact("9007199254740992", 2.0**53), is_exact("1e20", 1e20)
    (False, True, None)
    """
    digits = cell.strip().lstrip("+-\u2212").translate(_LEAVE_DIGITS).replace("," if decimal == "." else ".", "")
    if not (digits.isascii() and digits.isdigit()) or math.isinf(value):
        return None
    return int(digits) == abs(int(value))


def pointed(cell):
    """A cell of a file with decimal commas, its number written with a point; other cells stay as they are.

    >>> pointed("1.234,5"), pointed("0,5"), pointed("a,b"), pointed(None)
    ('1234.5', '0.5', 'a,b', None)
    """
    if cell is None or not (match := _GRAMMARS[","].fullmatch(cell)):
        return cell
    start, end = match.span("digits")
    digits = match["digits"].replace(".", "").replace(",", ".")
    return cell[:start] + digits + cell[end:]


def numbers(column, name="", *, first=1, odd_is_missing=False):
    """A column of text as float64, NaN where missing or infinite.

    Parameters
    ----------
    column : (n,) array.  Object of str or None, as :func:`separatrix.tables.blocks` gives it; numbers stay as they are.
    name : str, default "".  What to call the column if a cell has to be refused.
    first : int, default 1.  The number of the first row, for the same sentence.
    odd_is_missing : bool, default False.  Whether a cell that is no number is NaN, too, instead of being refused.

    >>> numbers(np.array(["1", None, "2.5", "1,200"], dtype=object))
    array([1.0e+00,     nan, 2.5e+00, 1.2e+03])
    >>> numbers(np.array(["1", "two"], dtype=object), "age")
    Traceback (most recent call last):
    ValueError: Cannot read the column 'age' as numbers: row 2 holds 'two'. Use a number there, or an empty cell.
    >>> numbers(np.array(["1", "two"], dtype=object), odd_is_missing=True)
    array([ 1., nan])
    """
    if column.dtype.kind != "O":
        return finite(column.astype(np.float64))[0]
    cells = column.tolist()
    plain = as_floats(cells)
    if plain is not None:
        return finite(plain)[0]
    values = {cell: _value(cell) for cell in set(cells)}
    bad = [row for row, cell in enumerate(cells) if values[cell] is None]
    if odd_is_missing:
        values = {cell: math.nan if value is None else value for cell, value in values.items()}
    elif bad:
        more = f" (and {len(bad) - 1:,} more of its cells are no numbers)" if len(bad) > 1 else ""
        raise cannot(
            f"read the column {name!r} as numbers",
            because=f"row {first + bad[0]:,} holds {cells[bad[0]]!r}{more}",
            instead="a number there, or an empty cell",
        )
    return finite(np.fromiter(map(values.__getitem__, cells), np.float64, len(cells)))[0]


def _value(cell):
    if cell is None or isinstance(cell, str):
        read = number(cell or "")
        return None if read is None else read[0]
    return float(cell)


def as_floats(cells, decimal="."):
    """All cells as float64 if each is a number written plainly, else None. The fast way in: most columns pass."""
    try:
        text = "\n".join(cells)
        if "_" in text:  # float() reads 1_000 as a thousand; people do not
            return None
        if decimal == ",":
            if "." in text or text.count("\n") >= len(cells):  # a point could mark thousands: not for the fast way
                return None
            cells = text.replace(",", ".").split("\n")
        return np.fromiter(map(float, cells), np.float64, len(cells))
    except (TypeError, ValueError):
        return None


def is_finite(column):
    """Whether all numbers are finite: their sum tells, unless it overflows, without an array of answers."""
    with np.errstate(over="ignore", invalid="ignore"):
        return bool(np.isfinite(column.sum()) or np.isfinite(column).all())


def finite(column):
    """A column with NaN for infinite values, and how many there were."""
    if is_finite(column):
        return column, 0
    infinite = np.isinf(column)
    count = int(infinite.sum())
    return (np.where(infinite, np.nan, column) if count else column), count
