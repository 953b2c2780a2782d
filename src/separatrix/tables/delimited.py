"""Delimited text, read in pieces: columns of cells, then numbers where a whole column is numbers, else text."""

import csv
import io
from itertools import chain, islice
from operator import methodcaller

import numpy as np

from separatrix.core.refusal import cannot
from separatrix.tables.encoding import Pieces, kind_of_bytes
from separatrix.tables.growing import GrowingColumn, cleaned_by, words
from separatrix.tables.layout import BLANKS, is_blank, layout, reader
from separatrix.tables.table import Table

CELLS = 1 << 20  # held as text at a time


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
        text = next((piece for piece in self.pieces if piece.strip()), "")
        kind = kind_of_bytes(self.pieces.head)
        if kind:
            raise cannot(f"read {source} as text", because=f"it is {kind}", instead="a file of delimited text")
        self._second = next(self.pieces, None)
        self.layout = layout(text, source, whole=self._second is None, **given)
        self._first = text[self.layout.start :]

    def notes(self):
        """What is to be said about the file, by now."""
        odd = "Some characters are not UTF-8 and were read as Windows-1252." if self.pieces.fallback else None
        return self.layout.notes + ((odd,) if odd else ())

    def chunks(self):
        """Lists of cells, one for each column, of as many rows as fit in memory with ease."""
        told = self.layout
        pieces = chain([self._first], [] if self._second is None else [self._second], self.pieces)
        line = told.lines + 1
        for piece in pieces:
            if told.delimiter == BLANKS or (told.quoted and '"' in piece):
                yield from self._by_reader(chain([piece], pieces), line)
                return
            lines = piece.replace("\r\n", "\n").replace("\r", "\n").removesuffix("\n").split("\n")
            columns = self._by_splitting(lines, line)
            if columns:
                yield columns
            line += len(lines)

    def _by_splitting(self, lines, line):
        """Cells of lines without quotation marks: one split for all, then every width-th cell."""
        told = self.layout
        counts = list(map(methodcaller("count", told.delimiter), lines))
        if set(counts) != {told.width - 1} or told.width == 1:
            rows = [(row, count) for row, count in zip(lines, counts, strict=True) if row.strip()]
            if any(count != told.width - 1 for _, count in rows):
                return self._columns([row.split(told.delimiter) for row in lines], line)
            lines = [row for row, _ in rows]
        if not lines:
            return []
        cells = told.delimiter.join(lines).split(told.delimiter)
        columns = [cells[j :: told.width] for j in range(told.width)]
        if any(map(str.strip, chain.from_iterable(columns[len(told.names) :]))):  # not just a delimiter at the end
            return self._columns([row.split(told.delimiter) for row in lines], line)
        return columns[: len(told.names)]

    def _by_reader(self, pieces, line):
        """Cells of lines that Python's reader has to take apart."""
        told = self.layout
        lines = chain.from_iterable(io.StringIO(piece, newline="") for piece in pieces)
        records = reader(lines, told.delimiter, told.quoted)
        rows = max(1, CELLS // told.width)
        before = line - 1
        while True:
            start = before + records.line_num + 1
            try:
                block = list(islice(records, rows))
            except csv.Error as fault:
                raise self._mispaired(fault, before + records.line_num) from None
            if not block:
                return
            columns = self._columns(block, start)
            if columns:
                yield columns

    def _columns(self, block, line):
        """Records to columns; a record that has too many or too few cells is refused with its line."""
        width = self.layout.width
        if set(map(len, block)) != {width} or width != len(self.layout.names) or width == 1:
            kept = []
            for record in block:
                blank = not record if width == 1 else is_blank(record)
                if not blank:
                    kept.append(self._fitted(record, line))
                line += 1 + sum(map(_line_ends, record))
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
            because = "a cell goes on for more than 131,072 characters: a quotation mark before it may not be paired"
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
        for columns in file.chunks():
            for column, cells in zip(growing, columns, strict=True):
                column.add(cells)
        notes = file.notes()
    _refuse_no_rows(growing, source)
    late = [place for place, column in enumerate(growing) if column.late]
    if late:  # words after megabytes of numbers: these columns are read again, as text
        for place in late:
            growing[place] = GrowingColumn(told.names[place], told.decimal, text=True)
        with open_again() as stream:
            for columns in Delimited(stream, source, **given).chunks():
                for place in late:
                    growing[place].add(columns[place])
    arrays = tuple(column.array() for column in growing)
    said = tuple(note for column in growing for note in column.notes)
    return Table(told.names, arrays, source, notes + said)


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
    for columns in file.chunks():
        for start in range(0, len(columns[0]), rows):
            part = [words(cells[start : start + rows], rule, {}) for cells in columns]
            yield Table(told.names, tuple(part), source, file.notes() if empty else ())
            empty = False
    if empty:
        yield Table(told.names, tuple(np.empty(0, dtype=object) for _ in told.names), source, file.notes())


def _line_ends(cell):
    return cell.count("\n") + cell.count("\r") - cell.count("\r\n")


def _spoken(delimiter):
    return {",": "a comma", "\t": "a tab", ";": "a semicolon", "|": "a bar", " ": "a blank"}.get(delimiter, "one")
