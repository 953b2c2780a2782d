"""A design in a file of numbers that is mapped into memory: rows are read block by block, never all of them."""

from collections.abc import Iterator
from os import PathLike, fspath
from os.path import getsize
from typing import Any

import numpy as np

from separatrix.core.errors import cannot
from separatrix.core.registry import register
from separatrix.core.target import Chunk
from separatrix.core.types import Array
from separatrix.designs.streamed import StreamedDesign


@register("design")
class MemoryMappedDesign(StreamedDesign):
    """X as a matrix in a file: a ``.npy`` file by its path, or a numpy.memmap of any file. y and weights are arrays.

    Parameters
    ----------
    X : path or (n, p) numpy.memmap of numbers.
    block_rows : int or None, default None.  Rows read at a time; None: about 16 MB.

    >>> import numpy as np, tempfile, os
    >>> from separatrix.linear_model import LinearRegression
    >>> path = os.path.join(tempfile.mkdtemp(), "X.npy")
    >>> np.save(path, np.array([[0.0], [1.0], [2.0], [3.0]]))
    >>> LinearRegression().fit(MemoryMappedDesign(path), np.array([1.0, 3.0, 5.0, 7.0])).coef_
    array([2.])
    """

    def __init__(self, X: str | PathLike[str] | Array, *, block_rows: int | None = None) -> None:
        self.origin = "an array" if isinstance(X, np.ndarray) else fspath(X)
        self._mapped = X if isinstance(X, np.ndarray) else _mapped(X)
        if self._mapped.ndim != 2 or self._mapped.dtype.kind not in "fiub":
            raise cannot(
                f"map an array of shape {self._mapped.shape} and type {self._mapped.dtype}",
                because="a design is a matrix of numbers",
                instead="an (n, p) array of numbers",
            )
        super().__init__(self._mapped.shape[1], block_rows)

    @property
    def n(self) -> int:  # type: ignore[override]
        return int(self._mapped.shape[0])

    @property
    def dtype(self) -> np.dtype[Any]:
        return np.dtype(np.float32 if self._mapped.dtype == np.float32 else np.float64)

    def read(self, height: int, columns: tuple[str, ...] = (), *, only: bool = False) -> Iterator[Chunk]:
        if columns:
            raise cannot(
                f"read the column {columns[0]!r}",
                because=f"{self.origin} is one matrix without names",
                instead="an array with a value for each row",
            )
        for start in range(0, self.n, height):
            stop = min(start + height, self.n)
            if only:
                yield Chunk(np.empty((stop - start, 0)), start, {})
            else:
                self._refuse_if_cut_off()
                yield Chunk(np.array(self._mapped[start:stop], dtype=np.float64, order="C"), start, {})

    def _refuse_if_cut_off(self) -> None:
        """Raise if the file is shorter than it was: reading behind its end would end the process."""
        X = self._mapped
        if isinstance(X, np.memmap) and X.filename is not None and getsize(X.filename) < X.offset + X.nbytes:
            raise cannot(
                f"read {self.origin!r}",
                because="the file is shorter than when it was opened",
                instead="a file that nobody changes, or a new MemoryMappedDesign",
            )


def _mapped(path: Any) -> Array:
    try:
        return np.lib.format.open_memmap(path, mode="r")
    except ValueError:
        raise cannot(
            f"map {fspath(path)!r}",
            because="it is not a .npy file of numbers",
            instead="numpy.save(path, X), or ParquetDesign",
        ) from None
