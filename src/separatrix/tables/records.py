"""Pieces of delimited text as columns, by pyarrow's reader; only text that it reads exactly as Python's csv does."""

import codecs
from dataclasses import dataclass

import numpy as np

from separatrix.tables.cells import EXACT, MISSING, is_finite

NUMBER, TEXT, SKIPPED = "number", "text", "skipped"  # what can be asked for a column
WIDE = 1000  # columns from which on a dictionary for each, which takes 12 kB, would rule the memory


@dataclass(frozen=True)
class TextCells:
    """Cells of a column as text: the different ones, and which of them each row has.

    >>> TextCells.of(["b", "a", "b"])
    TextCells(levels=['b', 'a'], codes=array([0, 1, 0]))
    """

    levels: list
    codes: np.ndarray

    @classmethod
    def of(cls, cells):
        place = {cell: code for code, cell in enumerate(dict.fromkeys(cells))}
        return cls(list(place), np.fromiter(map(place.__getitem__, cells), np.intp, len(cells)))

    def __len__(self):
        return len(self.codes)


def end_of_records(piece, delimiter):
    """Where the last complete record of a piece ends, None if a quotation mark stands elsewhere than around a cell.

    Outside of cells the marks before any place are even in number. So every other mark opens a cell (a delimiter or a
    line's end stands before it) and the one after it closes the cell (one of these stands behind it), or both are
    neighbours: a doubled mark inside a cell.

    >>> end_of_records(b'1,"a"\\n2,"b\\n', ","), end_of_records(b'1,"a" b\\n', ",")
    (6, None)
    """
    if b'"' not in piece:
        return len(piece)
    text = np.frombuffer(piece, np.uint8)
    marks = np.flatnonzero(text == ord('"'))
    end = len(piece)
    if len(marks) % 2:  # the last cell goes on in the next piece
        end = inside = marks[-1]
        while inside is not None:
            end = max(piece.rfind(b"\n", 0, inside), piece.rfind(b"\r", 0, inside)) + 1
            before = int(np.searchsorted(marks, end))
            inside = marks[before - 1] if before % 2 else None
        marks = marks[:before]
    beside = np.zeros(256, dtype=bool)
    beside[[ord(delimiter), ord("\n"), ord("\r"), ord('"')]] = True
    left, right = marks[::2] - 1, marks[1::2] + 1
    paired = beside[text[left[left >= 0]]].all() and beside[text[right[right < len(text)]]].all()
    return end if paired else None


def holds_record(piece):
    """Whether some line of a piece ends outside of quotation marks.

    >>> holds_record(b'"a","b\\n'), holds_record(b'"a","b\\nc"\\n')
    (False, True)
    """
    if b'"' not in piece:
        return True
    text = np.frombuffer(piece, np.uint8)
    ends = np.flatnonzero((text == ord("\n")) | (text == ord("\r")))
    return bool(np.any(np.searchsorted(np.flatnonzero(text == ord('"')), ends) % 2 == 0))


def columns_of(piece, told, asked):
    """The columns of complete records; None if pyarrow would not read them as Python does.

    Parameters
    ----------
    piece : bytes.  UTF-8, complete records.
    told : Layout.
    asked : list of {NUMBER, TEXT, SKIPPED}.  For each cell of a row.

    Returns
    -------
    list or None.  For a column asked for as NUMBER (n,) float64 with NaN, if every cell is missing or a plain number
    below 2^53; TextCells else; None where SKIPPED.  Empty if there are no rows.
    """
    import pyarrow

    if piece.startswith(codecs.BOM_UTF8):  # pyarrow drops it, at the start of every piece
        return None
    try:
        table = _parsed(piece, told, asked)
    except pyarrow.ArrowInvalid:
        table = None
    if table is not None:
        arrays = {name: column.chunk(0) for name, column in zip(table.column_names, table.columns, strict=True)}
        columns = [_column(arrays.get(str(place))) for place in range(told.width)]
        doubtful = {int(name) for name, array in arrays.items() if _is_doubtful(columns[int(name)], array)}
        if not doubtful:
            return columns if len(table) else []
    else:
        doubtful = set(range(told.width))
    if NUMBER not in asked:
        return None
    return columns_of(
        piece, told, [TEXT if place in doubtful and kind == NUMBER else kind for place, kind in enumerate(asked)]
    )


def _parsed(piece, told, asked):
    """A table of pyarrow, in one chunk; its columns are called "0", "1", ..."""
    import pyarrow
    from pyarrow import csv

    names = list(map(str, range(told.width)))
    quoted = told.quoted and b'"' in piece
    text = pyarrow.string() if told.width > WIDE else pyarrow.dictionary(pyarrow.int32(), pyarrow.string())
    types = {NUMBER: pyarrow.float64(), TEXT: text}
    wanted = {name: types[kind] for name, kind in zip(names, asked, strict=True) if kind != SKIPPED}
    return csv.read_csv(
        pyarrow.BufferReader(piece),
        csv.ReadOptions(column_names=names, block_size=len(piece) + 1, use_threads=False),
        csv.ParseOptions(delimiter=told.delimiter, quote_char='"' if quoted else False, newlines_in_values=quoted),
        csv.ConvertOptions(
            column_types=wanted,
            include_columns=list(wanted),
            null_values=sorted(MISSING),
            decimal_point=told.decimal,
            check_utf8=False,  # the pieces are UTF-8
        ),
    )


def _column(array):
    """An array of pyarrow in numpy; its own `to_numpy` would import pandas."""
    import pyarrow

    if array is None:
        return None
    if pyarrow.types.is_dictionary(array.type):
        return TextCells(array.dictionary.to_pylist(), np.frombuffer(array.indices.buffers()[1], np.int32, len(array)))
    if pyarrow.types.is_string(array.type):
        return TextCells.of(array.to_pylist())
    valid, values = array.buffers()
    values = np.frombuffer(values, np.float64, len(array))
    if not array.null_count:
        return values
    present = np.unpackbits(np.frombuffer(valid, np.uint8), count=len(array), bitorder="little")
    return np.where(present, values, np.nan)


def _is_doubtful(column, array):
    """Whether the text of numbers must be seen, too.

    pyarrow takes "nan(1)" for a number, Python does not; whole numbers from 2^53 on may be equal as float64 only.
    """
    if not isinstance(column, np.ndarray) or not len(column):
        return False
    if not is_finite(column) and np.count_nonzero(np.isnan(column)) > array.null_count:
        return True
    return max(np.fmax.reduce(column), -np.fmin.reduce(column)) >= EXACT
