"""Columns of pyarrow as columns of a table, by the types that files have."""

import numpy as np

from separatrix.tables.cells import clean
from separatrix.tables.columns import column_of, whole_numbers


def is_usable(kind):
    """Whether a model can use a column of that type: it holds neither lists, structs, bytes nor alternatives."""
    from pyarrow import types

    if _is_extension(kind):
        return is_usable(kind.storage_type)
    if types.is_dictionary(kind) or types.is_run_end_encoded(kind):
        return is_usable(kind.value_type)
    scalar = types.is_primitive(kind) or types.is_decimal(kind) or types.is_null(kind)
    return (scalar and not types.is_interval(kind)) or _is_text(kind)


def column_of_arrow(column):
    """A column of a table from a ChunkedArray of a usable type, and what is to be said of it."""
    import pyarrow
    from pyarrow import types

    kind = column.type
    if _is_extension(kind):  # a meaning of its own for cells of a common type
        return column_of_arrow(pyarrow.chunked_array([chunk.storage for chunk in column.chunks], kind.storage_type))
    if types.is_run_end_encoded(kind):
        from pyarrow import compute

        return column_of_arrow(compute.run_end_decode(column))
    if not column.num_chunks or types.is_null(kind):
        return np.full(len(column), np.nan), ""
    if _is_text(kind) and not types.is_dictionary(kind):
        column = (column.cast("large_string") if _is_view(kind) else column).dictionary_encode()
    if types.is_dictionary(column.type):
        return _of_levels(column)
    if types.is_integer(kind):
        missing = column.is_null().to_numpy() if column.null_count else None
        return whole_numbers((column.fill_null(0) if column.null_count else column).to_numpy(), missing)
    plain = types.is_floating(kind) or types.is_date(kind) or (types.is_timestamp(kind) and kind.tz is None)
    return column_of(column.to_numpy() if plain else column.to_pylist())


def _is_extension(kind):
    import pyarrow

    return isinstance(kind, pyarrow.BaseExtensionType)


def _is_text(kind):
    from pyarrow import types

    return types.is_string(kind) or types.is_large_string(kind) or _is_view(kind)


def _is_view(kind):
    """Whether text is held in views of buffers, which pyarrow cannot compare before version 18."""
    return str(kind) == "string_view"


def _of_levels(column):
    """Cells of a dictionary: each different one is converted once, so that long text is held once."""
    import pyarrow

    column = column.unify_dictionaries()
    levels = column.chunk(0).dictionary
    said = ""
    if _is_text(levels.type):
        values = np.empty(len(levels) + 1, dtype=object)
        values[:-1] = [None if cell is None else clean(cell) for cell in levels.to_pylist()]
    else:
        values, said = column_of_arrow(pyarrow.chunked_array([levels]))
        values = np.append(values, np.nan if values.dtype.kind == "f" else None)
    codes = [chunk.indices.cast("int64").fill_null(-1).to_numpy() for chunk in column.chunks]
    return values[np.concatenate(codes)], said
