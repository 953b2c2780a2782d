"""Parquet and Arrow files, by pyarrow or, if that is not installed, by polars."""

import contextlib
from importlib.util import find_spec

from separatrix.core.refusal import cannot
from separatrix.tables.frames import as_table


def read_columnar(path, kind, name):
    """The whole of a Parquet or Arrow file as a Table."""
    with _sentences(kind, name):
        if _engine(name) == "polars":
            return as_table(_polars(path, kind).collect(), source=name)
        import pyarrow

        return as_table(pyarrow.Table.from_batches(_batches(path, kind, 1 << 20)), source=name)


def columnar_blocks(path, kind, name, rows):
    """Its rows in Tables of at most so many; the file is never held whole."""
    with _sentences(kind, name):
        if _engine(name) == "polars":
            import polars

            lazy = _polars(path, kind)
            total = lazy.select(polars.len()).collect().item()
            for start in range(0, max(total, 1), rows):
                yield as_table(lazy.slice(start, rows).collect(), source=name)
            return
        import pyarrow

        empty = True
        for batch in _batches(path, kind, rows):
            for start in range(0, len(batch), rows):
                yield as_table(pyarrow.Table.from_batches([batch.slice(start, rows)]), source=name)
                empty = False
        if empty:
            yield as_table(pyarrow.Table.from_batches([batch]), source=name)


def _polars(path, kind):
    import polars

    return polars.scan_parquet(path) if kind == "parquet" else polars.scan_ipc(path)


def _batches(path, kind, rows):
    """Record batches of pyarrow; the last is empty, so that there always is one."""
    import pyarrow

    if kind == "parquet":
        import pyarrow.parquet

        with pyarrow.parquet.ParquetFile(path) as file:
            yield from file.iter_batches(batch_size=rows)
            yield _no_rows(file.schema_arrow)
        return
    with pyarrow.memory_map(str(path)) as source:
        try:
            file = pyarrow.ipc.open_file(source)
            found = map(file.get_batch, range(file.num_record_batches))
        except pyarrow.ArrowInvalid:  # the other of the two forms that Arrow has
            source.seek(0)
            file = found = pyarrow.ipc.open_stream(source)
        yield from found
        yield _no_rows(file.schema)


def _no_rows(schema):
    import pyarrow

    return pyarrow.RecordBatch.from_arrays([pyarrow.array([], type=field.type) for field in schema], schema=schema)


def _engine(name):
    for engine in ("pyarrow", "polars"):
        if find_spec(engine):
            return engine
    raise cannot(
        f"read {name}",
        because="Parquet and Arrow files need pyarrow or polars, and neither is installed",
        instead="pip install 'separatrix[frames]', or save the table as CSV",
        kind=ImportError,
    )


@contextlib.contextmanager
def _sentences(kind, name):
    """What a library says about a damaged file, in a sentence."""
    faults: tuple = (OSError, ValueError)
    if _engine(name) == "polars":
        import polars

        faults = (*faults, polars.exceptions.PolarsError)
    try:
        yield
    except faults as fault:
        words = str(fault).split("\n")[0].rstrip(".")
        if words.startswith("Cannot "):  # ours already
            raise
        raise cannot(
            f"read {name}", because=f"it is no whole {kind.title()} file ({words})", instead="another copy of it"
        ) from None
