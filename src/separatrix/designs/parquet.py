"""A design over a Parquet dataset: one file, several, or a folder of them, read in blocks by pyarrow."""

from collections.abc import Iterator, Sequence
from glob import glob
from os import PathLike, fspath
from typing import Any

import numpy as np

from separatrix.core.cached import cached_property
from separatrix.core.errors import cannot
from separatrix.core.registry import register
from separatrix.core.target import Chunk
from separatrix.core.types import Array
from separatrix.designs.streamed import StreamedDesign

# Bytes of each column that are read from a file at a time.
BUFFER = 1 << 20


@register("design")
class ParquetDesign(StreamedDesign):
    """X as some columns of a Parquet dataset; y and weights may be other columns of it, by their names.

    Parameters
    ----------
    path : path, glob, or list of paths.  A folder stands for all Parquet files in it.
    columns : sequence of str or None, default None.  The columns of X; None: all columns of numbers but `leave_out`.
    leave_out : sequence of str, default ().  Columns that are not in X, such as y and weights.
    block_rows : int or None, default None.  Rows read at a time; None: about 16 MB.

    >>> import os, tempfile, pyarrow, pyarrow.parquet
    >>> from separatrix.linear_model import LinearRegression
    >>> path = os.path.join(tempfile.mkdtemp(), "table.parquet")
    >>> pyarrow.parquet.write_table(pyarrow.table({"x": [0.0, 1.0, 2.0], "y": [1.0, 3.0, 5.0]}), path)
    >>> LinearRegression().fit(ParquetDesign(path, columns=["x"]), "y").coef_
    array([2.])
    """

    def __init__(
        self,
        path: str | PathLike[str] | Sequence[str | PathLike[str]],
        *,
        columns: Sequence[str] | None = None,
        leave_out: Sequence[str] = (),
        block_rows: int | None = None,
    ) -> None:
        self.origin, self._dataset = str(path), _dataset(path)
        schema = self._dataset.schema
        if columns is None:
            columns = [field.name for field in schema if _is_number(field.type) and field.name not in leave_out]
        self.names = [columns] if isinstance(columns, str) else list(columns)
        twice = [name for name in self.names if self.names.count(name) > 1]
        if twice or not self.names:
            raise cannot(
                f"make a design of the columns {self.names}",
                because=f"{twice[0]!r} is there twice" if twice else "there are none",
                instead="columns of different names",
            )
        self._refuse_unfit(schema, self.names)
        single = all(str(schema.field(name).type) == "float" for name in self.names)
        self._dtype = np.dtype(np.float32 if single else np.float64)
        super().__init__(len(self.names), block_rows)

    @cached_property
    def n(self) -> int:
        return int(self._dataset.count_rows())

    @property
    def dtype(self) -> np.dtype[Any]:
        return self._dtype

    def read(self, height: int, columns: tuple[str, ...] = (), *, only: bool = False) -> Iterator[Chunk]:
        names = [] if only or self.names is None else self.names
        self._refuse_unfit(self._dataset.schema, names, columns)
        start = 0
        for batch in self._batches(height, names, columns):
            X = np.empty((batch.num_rows, len(names)))
            for j, name in enumerate(names):
                X[:, j] = _numbers(batch.column(name))
            # writable arrays: read-only ones would be compiled for anew
            beside = {name: batch.column(name).to_numpy(zero_copy_only=False, writable=True) for name in columns}
            chunk = Chunk(X, start, beside)
            start += batch.num_rows
            del X, beside, batch
            yield chunk
            del chunk

    def _batches(self, height: int, names: list[str], columns: tuple[str, ...]) -> Iterator[Any]:
        """Batches of columns of X and others, file by file, decoded as they are read.

        A scan of the dataset would hold whole row groups, and those of a whole file ahead (measured on 240 MB in one
        row group: 630 MB, here 100 MB).
        """
        import pyarrow.parquet as pq

        for fragment in self._dataset.get_fragments():
            file = pq.ParquetFile(fragment.path, filesystem=fragment.filesystem, pre_buffer=False, buffer_size=BUFFER)
            with file:
                self._refuse_unfit(file.schema_arrow, names, columns, fragment.path)
                read = list(dict.fromkeys([*names, *columns]))
                yield from file.iter_batches(height, columns=read, use_threads=False)

    def _refuse_unfit(
        self, schema: Any, names: Sequence[str], others: Sequence[str] = (), where: str = "the dataset"
    ) -> None:
        """Raise unless all columns are there, and those of X are numbers."""
        for name in (*names, *others):
            if name not in schema.names:
                raise cannot(
                    f"read the column {name!r}",
                    because=f"{where} has none of this name",
                    instead=f"one of {schema.names}",
                )
        for name in names:
            if not _is_number(kind := schema.field(name).type):
                raise cannot(
                    f"make a design of the columns {self.names}",
                    because=f"{name!r} is of type {kind} in {where}",
                    instead="columns of numbers",
                )


def _dataset(path: Any) -> Any:
    try:
        import pyarrow.dataset as dataset
    except ImportError:
        raise cannot(
            "read Parquet", because="pyarrow is not installed", instead="pip install pyarrow", kind=ImportError
        ) from None

    if isinstance(path, str | PathLike):
        text = fspath(path)
        path = sorted(glob(text)) if any(mark in text for mark in "*?[") else text
        if not path:
            raise cannot(f"read {text!r}", because="no file matches it", instead="an existing path")
    else:
        path = [fspath(each) for each in path]
    return dataset.dataset(path, format="parquet")


def _is_number(kind: Any) -> bool:
    from pyarrow import types

    return bool(types.is_floating(kind) or types.is_integer(kind) or types.is_boolean(kind))


def _numbers(column: Any) -> Array:
    """A column as float64; a missing value is NaN, which is refused where sums show it."""
    import pyarrow as pa

    kind = pa.uint8() if pa.types.is_boolean(column.type) else None
    values: Array = (column if kind is None else column.cast(kind)).to_numpy(zero_copy_only=False)
    return values
