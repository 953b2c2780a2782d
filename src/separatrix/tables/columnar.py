"""Parquet and Arrow files, by pyarrow or, if that is not installed, by polars."""

from importlib.util import find_spec

from separatrix.core.refusal import cannot
from separatrix.tables.frames import as_table


def read_columnar(path, kind, name):
    """The whole of a Parquet or Arrow file as a Table."""
    return as_table(_whole(path, kind, name), source=name)


def columnar_blocks(path, kind, name, rows):
    """Its rows in Tables of at most so many."""
    for frame in _batches(path, kind, name, rows):
        for start in range(0, max(len(frame), 1), rows):
            yield as_table(frame[start : start + rows], source=name)


def _whole(path, kind, name):
    engine = _engine(name)
    try:
        if engine == "polars":
            import polars

            return polars.read_parquet(path) if kind == "parquet" else polars.read_ipc(path, memory_map=False)
        if kind == "parquet":
            import pyarrow.parquet

            return pyarrow.parquet.read_table(path)
        import pyarrow.feather

        return pyarrow.feather.read_table(path)
    except Exception as fault:
        raise _damaged(name, kind, fault) from None


def _batches(path, kind, name, rows):
    """Frames of some rows each; a Parquet file is never held whole."""
    if kind == "arrow":
        yield _whole(path, kind, name)
        return
    if _engine(name) == "polars":
        import polars

        lazy = polars.scan_parquet(path)
        total = lazy.select(polars.len()).collect().item()
        for start in range(0, max(total, 1), rows):
            yield lazy.slice(start, rows).collect()
        return
    import pyarrow
    import pyarrow.parquet

    try:
        file = pyarrow.parquet.ParquetFile(path)
    except Exception as fault:
        raise _damaged(name, kind, fault) from None
    with file:
        empty = True
        for batch in file.iter_batches(batch_size=rows):
            yield pyarrow.Table.from_batches([batch])
            empty = False
        if empty:
            yield file.schema_arrow.empty_table()


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


def _damaged(name, kind, fault):
    words = str(fault).split("\n")[0].rstrip(".")
    return cannot(f"read {name}", because=f"it is no whole {kind.title()} file ({words})", instead="another copy of it")
