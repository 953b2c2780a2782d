"""Dates in text: which way a column writes them, decided from all of its cells, and days since 1970-01-01.

form     example                                    when
iso      2024-12-31, 2024/12/31, 2024-12-31T23:59Z  the year comes first
dmy      31/12/2024, 31.12.24, 31-12-2024 23:59     some first part is above 12, or a point separates
mdy      12/31/2024, 12/31/24                       some second part is above 12
named    31 Dec 2024, Dec 31, 2024, 31-Dec-24       the month is a word
"""

import datetime
import re

import numpy as np

from separatrix.core.refusal import cannot

FORMS = ("iso", "dmy", "mdy", "named")
_CLOCK = r"(?:[T ,]+(?P<h>\d{1,2}):(?P<min>\d{2})(?::(?P<s>\d{2})(?P<frac>[.,]\d+)?)?\s*(?P<half>[AaPp]\.?[Mm]\.?)?)?"
_ZONE = r"\s*(?P<zone>Z|UTC|GMT|[+-]\d{2}:?\d{2})?"
_ISO = re.compile(r"(?P<y>\d{4})(?P<sep>[-/.])(?P<m>\d{1,2})(?P=sep)(?P<d>\d{1,2})" + _CLOCK + _ZONE)
_PARTS = re.compile(r"(?P<a>\d{1,2})(?P<sep>[-/.])(?P<b>\d{1,2})(?P=sep)(?P<y>\d{4}|\d{2})" + _CLOCK + _ZONE)
_WEEKDAY = r"(?:(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*\.?,?\s+)?"
_DAY_MONTH = re.compile(
    _WEEKDAY
    + r"(?P<d>\d{1,2})(?:st|nd|rd|th)?[ .-]+(?P<mon>[A-Za-z]{3,9})\.?[ ,.-]+(?P<y>\d{4}|\d{2})"
    + _CLOCK
    + _ZONE
)
_MONTH_DAY = re.compile(
    _WEEKDAY + r"(?P<mon>[A-Za-z]{3,9})\.?[ -]+(?P<d>\d{1,2})(?:st|nd|rd|th)?[ ,-]+(?P<y>\d{4}|\d{2})" + _CLOCK + _ZONE
)
_MONTHS = ["january", "february", "march", "april", "may", "june", "july", "august"]
_MONTHS += ["september", "october", "november", "december"]
_EPOCH = datetime.datetime(1970, 1, 1)


def form_of(cells):
    """The form that all cells share and whether it was a guess; ("", False) if they share none.

    >>> form_of(["31/12/2024", "01/02/2024"]), form_of(["1/2/2024"]), form_of(["2024-13-01"]), form_of(["May 5, 2020"])
    (('dmy', False), ('mdy', True), ('', False), ('named', False))
    """
    cells = list(cells)
    if not cells:
        return "", False
    if _plain_iso(cells) is not None:
        return "iso", False
    fits = [form for form in FORMS if _day(cells[0], form) is not None]
    for cell in cells[1:]:
        fits = [form for form in fits if _day(cell, form) is not None]
        if not fits:
            return "", False
    if len(fits) > 1:  # day or month first: no part is above 12. Points are written where days come first
        slash = "/" in cells[0]
        return ("mdy" if slash else "dmy"), "." not in cells[0]
    return (fits[0], False) if fits else ("", False)


def days(column, form="iso", name=""):
    """Days since 1970-01-01, with the time of day as a fraction; NaN where missing. Zones are taken to UTC.

    Parameters
    ----------
    column : (n,) array.  Object of str with None; numbers stay as they are.
    form : {"iso", "dmy", "mdy", "named"}, default "iso".
    name : str, default "".  What to call the column if a cell has to be refused.

    >>> days(np.array(["02.01.1970", None, "1.1.1971 12:00"], dtype=object), "dmy")
    array([  1. ,   nan, 365.5])
    """
    if column.dtype.kind != "O":
        return column.astype(np.float64)
    cells = column.tolist()
    plain = _plain_iso(cells) if form == "iso" else None
    if plain is not None:
        return plain
    when = {cell: np.nan if cell is None else _day(cell, form) for cell in set(cells)}
    for row, cell in enumerate(cells if None in when.values() else ()):
        if when[cell] is None:
            example = {"iso": "2024-12-31", "dmy": "31/12/2024", "mdy": "12/31/2024", "named": "31 Dec 2024"}[form]
            raise cannot(
                f"read {cell!r} in row {row + 1:,} of the column {name!r}",
                because="it is no date as the others are",
                instead=f"one such as {example}, or an empty cell",
            )
    return np.fromiter(map(when.__getitem__, cells), np.float64, len(cells))


def _plain_iso(cells):
    """Days of cells that are all as numpy reads them, at a tenth of the time; None if some are not."""
    if not all(cell is not None and len(cell) >= 10 and cell[4] == "-" for cell in cells):
        return None
    text = "".join(cells)
    if text.count("-") != 2 * len(cells) or not text.isascii() or "Z" in text or "+" in text:
        return None
    try:
        moments = np.array(cells, dtype="M8[us]")
    except ValueError:
        return None
    return None if np.isnat(moments).any() else moments.astype(np.int64) / 86_400_000_000.0


def _day(cell, form):
    """Days of one cell, None if it is no date of that form."""
    cell = cell.strip()
    if form == "named":
        match = _DAY_MONTH.fullmatch(cell) or _MONTH_DAY.fullmatch(cell)
    else:
        match = (_ISO if form == "iso" else _PARTS).fullmatch(cell)
    if not match:
        return None
    parts = match.groupdict()
    if form == "named":
        month = _month(parts["mon"])
    else:
        month = int(parts["m"] if form == "iso" else parts["b" if form == "dmy" else "a"])
    day = int(parts["d"] if "d" in parts else parts["a" if form == "dmy" else "b"])
    try:
        moment = datetime.datetime(_year(parts["y"]), month, day, *_time(parts))
    except ValueError:
        return None
    return (moment - _EPOCH) / datetime.timedelta(days=1) - _offset(parts["zone"])


def _year(text):
    """Two digits mean 1970 to 2069, as most programs have it."""
    year = int(text)
    return year if len(text) == 4 else year + (1900 if year >= 70 else 2000)


def _month(word):
    """The number of a month from its name or the first letters of it, 0 if there is no such month."""
    return next((j for j, name in enumerate(_MONTHS, 1) if name.startswith(word.lower())), 0)


def _time(parts):
    if parts["h"] is None:
        return 0, 0, 0, 0
    hour = int(parts["h"])
    if parts["half"]:
        if not 1 <= hour <= 12:
            raise ValueError("no such hour")
        hour = hour % 12 + (12 if parts["half"].lower().startswith("p") else 0)
    second = int(parts["s"] or 0)
    fraction = float("0." + parts["frac"][1:]) if parts["frac"] else 0.0
    return hour, int(parts["min"]), second, int(fraction * 1e6)


def _offset(zone):
    """A zone as a part of a day."""
    if not zone or zone[0] not in "+-":
        return 0.0
    minutes = int(zone[1:3]) * 60 + int(zone[-2:])
    return (minutes if zone[0] == "+" else -minutes) / 1440
