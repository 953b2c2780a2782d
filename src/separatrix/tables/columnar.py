"""Parquet and Arrow files, whole or in blocks of rows."""

import contextlib

from separatrix.core.refusal import cannot
from separatrix.tables.frames import as_table


def read_columnar(path, kind, name):
    """The whole of a Parquet or Arrow file as a Table."""
    import pyarrow

    with _sentences(kind, name):
        return as_table(pyarrow.Table.from_batches(_batches(path, kind, 1 << 20)), source=name)


def columnar_blocks(path, kind, name, rows):
    """Its rows in Tables of at most so many; the file is never held whole."""
    import pyarrow

    with _sentences(kind, name):
        empty = True
        for batch in _batches(path, kind, rows):
            for start in range(0, len(batch), rows):
                yield as_table(pyarrow.Table.from_batches([batch.slice(start, rows)]), source=name)
                empty = False
        if empty:
            yield as_table(pyarrow.Table.from_batches([batch]), source=name)


def _batches(path, kind, rows):
    """Record batches of pyarrow; the last is empty, so that there always is one."""
    import pyarrow

    if kind == "parquet":
        import pyarrow.parquet

        with pyarrow.parquet.ParquetFile(path) as file:
            yield from file.iter_batches(batch_size=rows)
            yield _no_rows(file.schema_arrow)
        return
    with pyarrow.OSFile(str(path)) as source:
        try:
            file = pyarrow.ipc.open_file(source)
            batches = map(file.get_batch, range(file.num_record_batches))
        except pyarrow.ArrowInvalid:  # the other of the two forms that Arrow has
            source.seek(0)
            file = batches = pyarrow.ipc.open_stream(source)
        yield from batches
        yield _no_rows(file.schema)


def _no_rows(schema):
    import pyarrow

    return pyarrow.RecordBatch.from_arrays([pyarrow.array([], type=field.type) for field in schema], schema=schema)


@contextlib.contextmanager
def _sentences(kind, name):
    """What pyarrow says about a damaged file, in a sentence."""
    try:
        yield
    except (OSError, ValueError) as fault:
        words = str(fault).split("\n")[0].rstrip(".")
        if words.startswith("Cannot "):  # ours already
            raise
        raise cannot(
            f"read {name}", because=f"it is no whole {kind.title()} file ({words})", instead="another copy of it"
        ) from None
