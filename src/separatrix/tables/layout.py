"""How a delimited file is laid out, guessed from its beginning: delimiter, quotes, decimal mark, and whether row one is
names or data."""

import contextlib
import csv
import io
import re
import threading
from collections import Counter
from dataclasses import dataclass
from itertools import islice

from separatrix.core.refusal import cannot
from separatrix.tables import limits
from separatrix.tables.cells import MISSING, number, pointed
from separatrix.tables.records import end_of_records

DELIMITERS = (",", "\t", ";", "|")
BLANKS = " "  # any run of blanks
ONE_COLUMN = "\x1f"  # splits nothing: a file of one column
RECORDS = 1000  # looked at before a guess
LONGEST_RECORD = 1 << 20  # bytes of a record with quoted ends of lines; longer ones are rare, open marks are not
_COMMA = re.compile(r"[+-]?(?:\d+|\d{1,3}(?:\.\d{3})+),\d+(?:[eE][+-]?\d+)?")
_POINT = re.compile(r"[+-]?\d*\.\d+(?:[eE][+-]?\d+)?")
_THOUSANDS = re.compile(r"[+-]?[1-9]\d{0,2}(?:[.,]\d{3})+")


@dataclass(frozen=True)
class Layout:
    """What is to be known before the first row of data is read.

    Parameters
    ----------
    delimiter : str.  One character; " " is any run of blanks.
    quoted : bool.  Whether a quotation mark around a cell belongs to the file (True) or to the cell.
    decimal : {".", ","}.
    names : tuple of str.  One for each cell of a row.
    width : int.  Cells of a row, as written: one more than there are names if every row ends in a delimiter.
    start : int.  Characters before the first row of data.
    lines : int.  Lines before it.
    notes : tuple of str.
    """

    delimiter: str
    quoted: bool
    decimal: str
    names: tuple
    width: int
    start: int
    lines: int
    notes: tuple = ()


def layout(text, source, *, whole, delimiter=None, header=None, quoted=True):
    """Guess the layout from the beginning of a file, which ends with a line (`whole`: with the file)."""
    start, lines, announced = _announced(text)
    text = text[start:]
    delimiter = delimiter or announced
    if delimiter is None:
        delimiter = _delimiter(text, source, quoted)
    records = _records(text, delimiter, quoted)
    notes = []
    if quoted and not _well_quoted(text, delimiter, whole):
        literal = _records(text, delimiter, False)
        if _even(literal):
            quoted, records = False, literal
            notes.append("Quotation marks are taken as they stand: they are not paired around cells.")
    if not records:
        raise cannot(f"read {source}", because="it is empty", instead="a file with a row of names and rows of cells")
    if header is None:
        header = _has_header(records)
    first, width = records[0], _width(records)
    limits.refuse_too_wide(max(len(first), width), source)
    names, width, more = _names(first if header else None, records[header:], width, source)
    notes += more
    skipped, skipped_lines = _after_header(text, delimiter, quoted) if header else (0, 0)
    decimal, more = _decimal(records[header:], delimiter)
    notes += more
    return Layout(
        delimiter,
        quoted,
        decimal,
        names,
        width,
        start + skipped,
        lines + skipped_lines,
        tuple(notes),
    )


def reader(lines, delimiter, quoted):
    """Python's reader of delimited text, strict about quotation marks."""
    quoting = csv.QUOTE_MINIMAL if quoted else csv.QUOTE_NONE
    if delimiter == BLANKS:
        lines = (f"{line.strip()}\n".replace("\t", " ") for line in lines)
    return csv.reader(lines, delimiter=delimiter, quoting=quoting, strict=True, skipinitialspace=delimiter == BLANKS)


@contextlib.contextmanager
def long_cells():
    """Let Python's reader take long cells. Its limit is one for the whole process: the last one out restores it."""
    with _Limit.lock:
        if not _Limit.inside:
            _Limit.before = csv.field_size_limit()
            csv.field_size_limit(max(_Limit.before, limits.LONGEST_LINE))
        _Limit.inside += 1
    try:
        yield
    finally:
        with _Limit.lock:
            _Limit.inside -= 1
            if not _Limit.inside:
                csv.field_size_limit(_Limit.before)


class _Limit:
    """How many threads are in :func:`long_cells`, and the limit before the first came."""

    lock, inside, before = threading.Lock(), 0, 0


def is_blank(record):
    """Whether a line holds nothing at all, not even a delimiter."""
    return not record or (len(record) == 1 and not record[0].strip())


def _announced(text):
    """Spreadsheets may begin a file with the line "sep=;"."""
    announced = re.match(r"\s*sep=(.)\r?\n", text)
    return (announced.end(), 1, announced[1]) if announced else (0, 0, None)


def _records(text, delimiter, quoted, most=RECORDS):
    """The first records with a cell in them; those before a fault if there is one."""
    records = []
    with contextlib.suppress(csv.Error), long_cells():
        for record in reader(io.StringIO(text, newline=""), delimiter, quoted):
            if not is_blank(record):
                records.append(record)
            if len(records) == most:
                break
    return records


def _well_quoted(text, delimiter, whole):
    """Whether every quotation mark that opens a cell also closes it. The last cell of a part of a file may be cut."""
    if '"' not in text:
        return True
    encoded = text.encode("utf-8")
    if delimiter.isascii() and end_of_records(encoded, delimiter) == len(encoded):
        return True
    lines, ended = _Lines(text), 0
    try:
        with long_cells():
            for _ in reader(lines, delimiter, True):
                ended = lines.position
    except csv.Error as fault:
        return "unexpected end" in str(fault) and not whole and len(text) - ended < LONGEST_RECORD
    return True


class _Lines:
    """The lines of a text, and how many lines and characters of it are given."""

    def __init__(self, text):
        self._stream = io.StringIO(text, newline="")
        self.count = self.position = 0

    def __iter__(self):
        while line := self._stream.readline():
            self.count += 1
            self.position += len(line)
            yield line


def _even(records):
    """Whether all rows have as many cells as the first, or differ from it as row names or a last delimiter explain."""
    widths = set(map(len, records[1:])) or {len(records[0])} if records else set()
    return len(widths) == 1 and abs(widths.pop() - len(records[0])) <= 1


def _width(records):
    """Cells in a row: what most rows after the first have."""
    return Counter(map(len, records[1:] or records)).most_common(1)[0][0]


def _delimiter(text, source, quoted):
    """The delimiter that gives even rows with the fewest rivals left inside cells, then the most columns."""
    even, uneven = [], []
    for rank, delimiter in enumerate(_in_order(source)):
        records = _records(text, delimiter, quoted, 200)
        literal = _records(text, delimiter, False, 200) if quoted and not _even(records) else []
        records = literal if _even(literal) else records  # the marks may belong to the cells
        if records and _width(records) > 1:
            share = sum(len(record) == _width(records) for record in records) / len(records)
            if _even(records):
                even.append((records is literal, _rivals(records, delimiter), -_width(records), rank, delimiter))
            else:
                uneven.append((share, -rank, delimiter))
    if even:
        return min(even)[-1]
    if _blank_separated(text, source, quoted):
        return BLANKS
    first = _records(text, ONE_COLUMN, quoted, 1)
    likely = [guess for guess in uneven if guess[0] >= 0.6 or (first and guess[-1] in first[0][0])]
    return max(likely)[-1] if likely else ONE_COLUMN


def _in_order(source):
    tabs = str(source).lower().removesuffix(".gz").endswith((".tsv", ".tab"))
    return ("\t", *(d for d in DELIMITERS if d != "\t")) if tabs else DELIMITERS


def _rivals(records, delimiter):
    """Cells that hold another delimiter without being a number."""
    others = set(DELIMITERS) - {delimiter}
    decimal = "." if delimiter == "," else ","
    cells = (cell for record in records for cell in record if not others.isdisjoint(cell))
    return sum(number(cell) is None and number(cell, decimal) is None for cell in cells)


def _blank_separated(text, source, quoted):
    """Whether runs of blanks give even rows; in a .csv file also with a column of numbers, as words have blanks too."""
    records = _records(text, BLANKS, quoted, 200)
    if len(records) < 2 or not _even(records) or _width(records) < 2:
        return False
    columns = list(zip(*records[1:], strict=True))
    numeric = any(all(number(cell) is not None for cell in column) for column in columns)
    return numeric or not str(source).lower().removesuffix(".gz").endswith((".csv", ".tsv"))


def _decimal(records, delimiter):
    """The decimal mark, with a note if it is a comma: where commas that can mark nothing else outnumber such points."""
    if delimiter == ",":
        return ".", []
    cells = [cell.strip() for record in islice(records, 200) for cell in record]
    commas = [cell for cell in cells if _COMMA.fullmatch(cell)]
    clear = commas if delimiter == ";" else [cell for cell in commas if not _THOUSANDS.fullmatch(cell)]
    points = [cell for cell in cells if _POINT.fullmatch(cell) and not _THOUSANDS.fullmatch(cell)]
    if len(clear) <= len(points):
        return ".", []
    either = next(filter(_THOUSANDS.fullmatch, commas), commas[0])
    only = next((cell for cell in commas if not _THOUSANDS.fullmatch(cell)), None)
    why = f"as in {only!r}" if only else "as in most files that are split at semicolons"
    return ",", [f"The comma is the decimal mark ({either!r} is read as {pointed(either)}), {why}."]


def _has_header(records):
    """Whether the first row names the columns: words over numbers say yes, a value met again below says no."""
    first, rest = records[0], records[1:]
    if not rest:
        return True
    cells = [cell.strip() for cell in first]
    if _counts(cells) and not _counts([cell.strip() for cell in rest[0]]):
        return True
    shift = len(rest[0]) - len(cells)
    columns = [[cell.strip() for cell in column] for column in zip(*rest, strict=False)][max(shift, 0) :]
    numbers_over_numbers, met_again, met_never = 0, 0, 0
    for cell, column in zip(cells, columns, strict=False):
        present = [below for below in column if below not in MISSING]
        if not present or cell in MISSING:
            continue
        below = all(_is_number(value) for value in present)
        if below and not _is_number(cell):
            return True
        numbers_over_numbers += below
        if not below and 2 * len(set(present)) <= len(present):
            met_again += cell in present
            met_never += cell not in present
    return not numbers_over_numbers and met_again <= met_never


def _is_number(cell):
    return number(cell) is not None or number(cell, ",") is not None


def _counts(cells):
    """Whether cells count 0, 1, 2, ... or such, as names of columns do that had none: 2019, 2020, 2021."""
    whole = [int(cell) for cell in cells if cell.isascii() and cell.isdigit() and len(cell) < 10]
    return len(whole) >= max(3, len(cells) - 1) and whole == list(range(whole[0], whole[0] + len(whole)))


def _names(first, rest, width, source):
    """Names for the columns, the cells that a row has, and what is to be said about both."""
    if first is None:
        names = tuple(f"column_{j + 1}" for j in range(width))
        return names, width, [f"{source} has no row of names: its columns are called {_range(names)}."]
    names, notes = [cell.strip() for cell in first], []
    empty = sum(len(record) < width or not record[-1].strip() for record in rest)  # last cells with nothing in them
    if rest and len(names) == width - 1 and 2 * empty > len(rest):
        notes.append("Every row ends in a delimiter, which is ignored.")
    elif rest and len(names) == width - 1 and not empty and len({record[0] for record in rest}) == len(rest):
        names.insert(0, "rownames")
        notes.append("The first column has no name: it holds row names and is called 'rownames'.")
    elif _ends_in_delimiter(names, width, empty == len(rest)):
        names.pop()
        notes.append("Every row ends in a delimiter, which is ignored.")
    elif len(names) != width and rest:
        raise cannot(
            f"read {source}",
            because=f"its first row has {_cells(len(names))} and most others have {width}",
            instead="a file whose first row names every column, without title lines above it",
        )
    return _different(names, notes), width if rest else len(names), notes


def _ends_in_delimiter(names, width, no_last_cells):
    """Whether the row of names ends in a delimiter and no row has a cell below it."""
    return len(names) > 1 and not names[-1] and (len(names) == width + 1 or (len(names) == width and no_last_cells))


def _different(names, notes):
    """Names that differ from each other, none of them empty."""
    out: list = []
    given, taken = set(names), set()
    counts: Counter = Counter()  # of each name, so that ten thousand equal ones are counted once
    renamed = []
    for place, name in enumerate(names):
        new = name or f"column_{place + 1}"
        base, count = new, counts[new] or 1
        while new in taken or (new != name and new in given):
            count += 1
            new = f"{base}_{count}"
        counts[base] = count
        if new != name:
            renamed.append((name, new))
        taken.add(new)
        out.append(new)
    unnamed = [new for name, new in renamed if not name]
    again = [f"{name!r} is now {new!r}" for name, new in renamed if name]
    if unnamed:
        notes.append(f"Without a name in the first row: {', '.join(map(repr, unnamed[:5]))}{_more(unnamed)}.")
    if again:
        notes.append(f"Names that occur more than once were changed: {', '.join(again[:5])}{_more(again)}.")
    return tuple(out)


def _after_header(text, delimiter, quoted):
    """Where the first record ends: characters and lines before what follows."""
    lines = _Lines(text)
    with long_cells():
        for record in reader(lines, delimiter, quoted):
            if not is_blank(record):
                break
    return lines.position, lines.count


def _more(names, most=5):
    return f" and {len(names) - most} more" if len(names) > most else ""


def _range(names):
    return names[0] if len(names) == 1 else f"{names[0]} to {names[-1]}" if len(names) > 2 else " and ".join(names)


def _cells(count):
    return "1 cell" if count == 1 else f"{count} cells"
