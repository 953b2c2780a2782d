"""Delimited text, read in pieces: columns of cells, then numbers where a whole column is numbers, else text."""

import csv
import io
from collections import deque
from itertools import chain, islice

import numpy as np

from separatrix.core.refusal import cannot
from separatrix.core.threads import map_ahead
from separatrix.tables import limits
from separatrix.tables.encoding import Pieces, kind_of_bytes
from separatrix.tables.growing import GrowingColumn, cleaned_by, cleaned_levels
from separatrix.tables.layout import BLANKS, LONGEST_RECORD, is_blank, layout, long_cells, reader
from separatrix.tables.records import SKIPPED, TEXT, TextCells, columns_of, end_of_records, holds_record
from separatrix.tables.table import Table

CELLS = 1 << 20  # held as Python objects at a time
FIRST = 1 << 14  # bytes from which the first guess about the kind of each column is made
ROOM = 1 << 10  # bytes of a piece for each column: what is done once a column and piece must not rule wide files
MOST_ROOM = 1 << 25  # bytes of a piece at most
FEW_ROWS = 1 << 12  # columns as short are not worth a thread each


class MispairedQuotes(ValueError):
    """Quotation marks that are not paired around cells, found after the layout was settled."""


class Delimited:
    """A delimited file, opened: its layout, and its cells in chunks.

    Parameters
    ----------
    stream : binary file.
    source : str.  What to call it.
    **given : delimiter, header, quoted.  What need not be guessed.
    """

    def __init__(self, stream, source, **given):
        self.source = source
        self.pieces = Pieces(stream)
        first = next((piece for piece in self.pieces if piece.strip()), b"")
        kind = kind_of_bytes(self.pieces.head)
        if kind:
            raise cannot(f"read {source} as text", because=f"it is {kind}", instead="a file of delimited text")
        second = next(self.pieces, None)
        while second is not None and len(first) < limits.LONGEST_LINE and not holds_record(first):
            first, second = first + second, next(self.pieces, None)
        text = first.decode("utf-8")
        self.layout = layout(text, source, whole=second is None, **given)
        first = text[self.layout.start :].encode("utf-8")
        self.pieces.size = min(max(self.pieces.size, ROOM * self.layout.width), MOST_ROOM)
        cut = first.rfind(b"\n", 0, FIRST) + 1
        self._unsplit = None
        self._beginning = [piece for piece in (first[:cut], first[cut:], second) if piece]

    def notes(self):
        """What is to be said about the file, by now."""
        odd = "Some characters are not UTF-8 and were read as Windows-1252." if self.pieces.fallback else None
        return self.layout.notes + ((odd,) if odd else ())

    def chunks(self, asked):
        """Columns of some rows at a time, each TextCells or float64.

        Parameters
        ----------
        asked : function.  What is asked for each column, now: a list of NUMBER, TEXT, SKIPPED. Where a cell of the rows
            is no plain number, text is given for NUMBER.
        """
        records, line = self._records(asked), self.layout.lines + 1
        for first in islice(records, 1):  # alone: it tells what to ask for the columns of the others
            chunks, ends = self._split(first)
            yield from self._read_again(first[0], line) if chunks is None else chunks
            line += ends
        waiting = deque()  # pieces that Python's reader may have to take apart

        def remembered():
            for piece, wanted in records:
                waiting.append(piece)
                yield piece, wanted

        for chunks, ends in map_ahead(self._split, remembered()):
            piece = waiting.popleft()
            yield from self._read_again(piece, line) if chunks is None else chunks
            line += ends
        if self._unsplit:
            yield from self._by_reader(self._unsplit, line)

    def _records(self, asked):
        """Pieces of complete records with what is asked for the columns.

        From where that needs Python's reader on, the pieces are left in `_unsplit`.
        """
        told = self.layout
        pieces = chain(self._beginning, self.pieces)
        rest = b""
        simple = told.delimiter != BLANKS and told.delimiter.isascii()  # pyarrow knows single bytes only
        for piece in pieces:
            piece = rest + piece
            end = None
            if simple:
                end = end_of_records(piece, told.delimiter) if told.quoted else len(piece)
            if end is None or len(piece) - end > LONGEST_RECORD:
                self._unsplit = chain([piece], pieces)
                return
            piece, rest = piece[:end], piece[end:]
            yield piece, asked()
        if rest:
            self._unsplit = [rest]

    def _split(self, records):
        """Chunks of columns by pyarrow, None where Python's reader has to take the records apart; and ends of lines."""
        piece, asked = records
        columns = self._by_pyarrow(piece, asked)
        return None if columns is None else [columns] if columns else [], _line_ends(piece)

    def _by_pyarrow(self, piece, asked):
        """Columns of complete records, None if Python's reader has to take them apart."""
        told = self.layout
        beyond = told.width - len(asked)
        columns = columns_of(piece, told, asked + [TEXT] * beyond)
        if not columns:
            return columns
        last = columns[-1]
        if beyond and any(map(str.strip, last.levels)):  # not just a delimiter at the end
            return None
        if told.width == 1 and isinstance(last, TextCells) and not all(map(str.strip, last.levels)):
            return None  # perhaps a blank line, which is no row
        return columns[: len(asked)]

    def _read_again(self, piece, line):
        return self._by_reader([piece], line, marked=self.layout.quoted and b'"' in piece)

    def _by_reader(self, pieces, line, marked=True):
        """Columns of records that Python's reader takes apart; `marked`: a blank cell may have been quoted."""
        told = self.layout
        lines = chain.from_iterable(io.StringIO(piece.decode("utf-8"), newline="") for piece in pieces)
        records = reader(lines, told.delimiter, told.quoted)
        rows = max(1, CELLS // told.width)
        before = line - 1
        while True:
            start = before + records.line_num + 1
            try:
                with long_cells():
                    block = list(islice(records, rows))
            except csv.Error as fault:
                raise self._mispaired(fault, before + records.line_num) from None
            if not block:
                return
            columns = self._columns(block, start, marked)
            if columns:
                yield list(map(TextCells.of, columns))

    def _columns(self, block, line, marked):
        """Records to columns; a record that has too many or too few cells is refused with its line."""
        width = self.layout.width
        if set(map(len, block)) != {width} or width != len(self.layout.names) or width == 1:
            kept = []
            for record in block:
                blank = not record if width == 1 and marked else is_blank(record)
                blank |= len(record) != width and self.layout.delimiter.isspace() and not "".join(record).strip()
                if not blank:
                    kept.append(self._fitted(record, line))
                line += 1 + _line_ends("".join(record).encode())
            block = kept
        if not block:
            return []
        return list(map(list, zip(*block, strict=True)))

    def _fitted(self, record, line):
        """A record of the right width; one delimiter at its end, more or less, is forgiven."""
        told, columns = self.layout, len(self.layout.names)
        if len(record) == columns:
            return record
        if len(record) == columns + 1 and not record[-1].strip():
            return record[:-1]
        raise cannot(
            f"read line {line:,} of {self.source}",
            because=f"it has {len(record)} cell{'s'[: len(record) != 1]} where there are {columns} columns",
            instead="the same number of cells in every row, with quotation marks around a cell that holds "
            f"{_spoken(told.delimiter)}",
        )

    def _mispaired(self, fault, line):
        because = "a quotation mark in it is not paired"
        if "limit" in str(fault):
            size = f"{limits.LONGEST_LINE >> 20} MB"
            because = f"a cell goes on for more than {size}: a quotation mark before it may not be paired"
        return cannot(
            f"read line {line:,} of {self.source}",
            because=because,
            instead='"" for a quotation mark inside a quoted cell',
            kind=MispairedQuotes,
        )


def read_delimited(open_again, source, **given):
    """A table from delimited text: `open_again` gives the stream of bytes from its start, twice if it must be."""
    try:
        return _read(open_again, source, **given)
    except MispairedQuotes:
        try:  # perhaps the marks belong to the cells, and only now that shows
            table = _read(open_again, source, **{**given, "quoted": False})
        except ValueError:
            table = None
        if table is None:
            raise
    note = "Quotation marks are taken as they stand: they are not paired around cells."
    return Table(table.names, table.columns, table.source, (*table.notes, note))


def _read(open_again, source, **given):
    with open_again() as stream:
        file = Delimited(stream, source, **given)
        told = file.layout
        growing = [GrowingColumn(name, told.decimal) for name in told.names]
        _grow(growing, file)
        notes = file.notes()
    _refuse_no_rows(growing, source)
    if any(column.late for column in growing):  # words after numbers, whose text is gone: read again, as text
        again = [column.as_text() if column.late else None for column in growing]
        with open_again() as stream:
            _grow(again, Delimited(stream, source, **given))
        growing = [second or first for first, second in zip(growing, again, strict=True)]
        _refuse_changed(growing, source)
    on_threads = growing[0].rows > FEW_ROWS
    arrays = tuple((map_ahead if on_threads else map)(GrowingColumn.array, growing))
    said = tuple(note for column in growing for note in column.notes)
    return Table(told.names, arrays, source, notes + said)


def _grow(growing, file):
    """Add all rows of a file to columns, None for those that are not wanted."""
    rows, most = 0, limits.memory()
    for columns in file.chunks(lambda: [column.wants if column else SKIPPED for column in growing]):
        for column, cells in zip(growing, columns, strict=True):
            if column:
                column.add(cells)
        rows += max((len(cells) for cells in columns if cells is not None), default=0)
        limits.refuse_beyond_memory(8 * rows * len(growing), file.source, most)


def _refuse_changed(growing, source):
    if len({column.rows for column in growing}) > 1:
        raise cannot(
            f"read {source}",
            because="its number of rows changed while it was read",
            instead="a copy that stays as it is",
        )


def _refuse_no_rows(growing, source):
    if not growing or not growing[0].rows:
        raise cannot(
            f"read {source}",
            because="it holds a row of names and nothing below it",
            instead="a file with rows of cells; if its first row is data, say header=False",
        )


def delimited_blocks(stream, source, rows, **given):
    """Tables of text, of at most so many rows, in constant memory."""
    file = Delimited(stream, source, **given)
    told = file.layout
    empty = True
    rule = cleaned_by(told.decimal)
    for columns in file.chunks(lambda: [TEXT] * len(told.names)):
        whole = Table(told.names, tuple(cleaned_levels(cells, rule, {})[cells.codes] for cells in columns), source)
        for start in range(0, len(whole), rows):
            part = whole.take(slice(start, start + rows))
            yield Table(part.names, part.columns, source, file.notes() if empty else ())
            empty = False
    if empty:
        yield Table(told.names, tuple(np.empty(0, dtype=object) for _ in told.names), source, file.notes())


def _line_ends(piece):
    """Ends of lines in bytes."""
    newlines = np.count_nonzero(np.frombuffer(piece, np.uint8) == ord("\n"))
    return newlines + (piece.count(b"\r") - piece.count(b"\r\n") if b"\r" in piece else 0)


def _spoken(delimiter):
    return {",": "a comma", "\t": "a tab", ";": "a semicolon", "|": "a bar", " ": "a blank"}.get(delimiter, "one")
