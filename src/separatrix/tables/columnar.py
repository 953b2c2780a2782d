"""Parquet and Arrow files, whole or in blocks of rows.

pyarrow opens a damaged file or raises, as its fuzz tests have it, but what it opened may still point anywhere: Arrow's
specification asks the reader of a file from elsewhere to validate every batch in full before the first use. That costs
a fiftieth of the reading. Columns that no model can use are not read at all.
"""

import contextlib
from dataclasses import dataclass

from separatrix.core.refusal import cannot
from separatrix.tables import limits
from separatrix.tables.arrow import column_of_arrow, is_usable
from separatrix.tables.frames import left_out_note, table_of

BATCH = 1 << 18  # rows of a Parquet file that are decoded at a time


@dataclass(frozen=True)
class Opened:
    """A file, opened: what its columns are, and its record batches."""

    schema: object
    batches: object


def read_columnar(path, kind, name):
    """The whole of a Parquet or Arrow file as a Table."""
    held, size, most = [], 0, limits.memory()
    with _sentences(kind, name), _opened(path, kind, name, BATCH) as file:
        for batch in file.batches:
            size += 8 * batch.num_rows * batch.num_columns  # of the table: cells without a buffer of their own count
            limits.refuse_beyond_memory(size, name, most)
            held.append(_valid(batch))
            size += batch.nbytes
        return _table(held, file.schema, name)


def columnar_blocks(path, kind, name, rows):
    """Its rows in Tables of at most so many; the file is never held whole."""
    with _sentences(kind, name), _opened(path, kind, name, rows) as file:
        empty = True
        for batch in file.batches:
            _valid(batch)
            for start in range(0, len(batch), rows):
                yield _table([batch.slice(start, rows)], file.schema, name)
                empty = False
        if empty:
            yield _table([], file.schema, name)


def _valid(batch):
    batch.validate(full=True)
    return batch


def _table(batches, schema, name):
    """A Table of the columns that were read; the others are in its notes."""
    import pyarrow

    usable = [field for field in schema if is_usable(field.type)]
    table = pyarrow.Table.from_batches(batches, schema=None if batches else pyarrow.schema(usable))
    left_out = [left_out_note(field.name) for field in schema if not is_usable(field.type)]
    columns = dict(zip((field.name for field in usable), table.columns, strict=True))
    return table_of(columns, name, left_out, convert=column_of_arrow)


@contextlib.contextmanager
def _opened(path, kind, name, rows):
    import pyarrow

    with contextlib.ExitStack() as stack:
        if kind == "parquet":
            file = _parquet(path, name, rows, stack)
        else:
            source = stack.enter_context(pyarrow.OSFile(str(path)))
            try:
                file = _arrow(source, pyarrow.ipc.open_file, name)
            except pyarrow.ArrowInvalid:  # the other of the two forms that Arrow has
                file = _arrow(source, pyarrow.ipc.open_stream, name)
        yield file


def _arrow(source, form, name):
    """Batches of an Arrow file; opened twice, as the columns to read must be named beforehand."""
    import pyarrow

    source.seek(0)
    schema = form(source).schema
    options = pyarrow.ipc.IpcReadOptions(included_fields=_places(schema, name))
    source.seek(0)
    file = form(source, options=options)
    seekable = form is pyarrow.ipc.open_file
    return Opened(schema, map(file.get_batch, range(file.num_record_batches)) if seekable else file)


def _parquet(path, name, rows, stack):
    """Batches of a Parquet file; text comes with each different cell once, however often it is repeated."""
    from pyarrow import parquet, types

    schema = stack.enter_context(parquet.ParquetFile(path)).schema_arrow
    usable = [schema.field(place) for place in _places(schema, name)]
    text = [field.name for field in usable if types.is_string(field.type)]
    file = stack.enter_context(parquet.ParquetFile(path, read_dictionary=text))
    names = [field.name for field in usable]
    batches = file.iter_batches(batch_size=rows, columns=names)
    # to pyarrow "a.b" is also the part b of a struct a
    return Opened(schema, (batch.select(names) for batch in batches))


def _places(schema, name):
    """Which columns to read."""
    limits.refuse_too_wide(len(schema), name)
    if len(set(schema.names)) != len(schema.names):
        twice = next(one for one in schema.names if schema.names.count(one) > 1)
        raise cannot(f"read {name}", because=f"it has two columns {twice!r}", instead="names that differ")
    places = [place for place, field in enumerate(schema) if is_usable(field.type)]
    if not places:
        raise cannot(f"read {name}", because="no column holds numbers, text or dates", instead="a table that has some")
    return places


@contextlib.contextmanager
def _sentences(kind, name):
    """What pyarrow says about a damaged file, in a sentence.

    Of whatever kind its exception is: it has errors of memory, of Unicode, of overflow and of the system for bytes that
    cannot be.
    """
    try:
        yield
    except Exception as fault:
        if type(fault) is ValueError and str(fault).startswith("Cannot "):  # ours already
            raise
        words = str(fault).split("\n")[0].rstrip(".") or type(fault).__name__
        raise cannot(
            f"read {name}", because=f"it is no whole {kind.title()} file ({words})", instead="another copy of it"
        ) from None
