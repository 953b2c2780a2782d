"""Designs that are read block by block, front to back, one block in memory and one read ahead."""

from abc import abstractmethod
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NoReturn, TypeVar

import numpy as np
from sklearn.utils import assert_all_finite

from separatrix.core.cached import cached_property
from separatrix.core.errors import cannot
from separatrix.core.target import AnyTarget, Chunk
from separatrix.core.types import Array
from separatrix.designs.base import Block, Design

Result = TypeVar("Result")

# Numbers in a block: large enough that a p-by-p sum and the change of threads cost little beside it (16 MB).
STREAM_NUMBERS = 1 << 21


class StreamedDesign(Design):
    """X as a stream of chunks that can be read again from the start, as often as wanted.

    A subclass says :meth:`read`. However a stream comes in chunks, its blocks are all of one height (but the last), so
    that answers do not depend on the chunks.

    Attributes
    ----------
    names : list of str or None.  The columns of X.
    origin : str.  Where the rows come from, for messages.
    """

    names: list[str] | None = None
    origin = "a stream"
    is_streamed = True
    sample_is_typical = False

    def __init__(self, p: int, block_rows: int | None = None) -> None:
        self.p = p
        self.block_rows = max(1, STREAM_NUMBERS // max(p, 1)) if block_rows is None else block_rows

    @abstractmethod
    def read(self, height: int, columns: tuple[str, ...] = (), *, only: bool = False) -> Iterator[Chunk]:
        """A pass over the stream in chunks of at most `height` rows, in order, X float64; they may be shorter or empty.

        `columns` are read besides X, and `only` says that X is not wanted: its chunks then have no columns.
        """

    @cached_property
    def n(self) -> int:
        """The number of rows, counted in a pass where nothing else tells it."""
        return sum(len(chunk.X) for chunk in self.read(self.block_rows, only=True))

    def chunks(self, columns: tuple[str, ...] = (), *, only: bool = False) -> Iterator[Chunk]:
        """A pass over the stream in chunks of `block_rows` rows each, but for the last."""
        return _of_one_height(self.read(self.block_rows, columns, only=only), self.block_rows)

    def reduce(
        self,
        task: Callable[..., Result],
        merge: Callable[[Result, Result], Result],
        target: AnyTarget | None = None,
        *aligned: Array | None,
        gram: int = 0,
    ) -> Result:
        def of_chunk(chunk: Chunk) -> Result:
            block = Block(chunk.X) if target is None else Block(chunk.X, *target.of(chunk))
            return task(block, *(None if a is None else a[chunk.rows] for a in aligned))

        columns = () if target is None else target.columns
        with np.errstate(over="ignore", invalid="ignore"):  # what is not finite is refused by name, in the end
            return _folded_ahead(self.chunks(columns), of_chunk, merge)

    def sample(self, target: AnyTarget | None = None, count: int = 256) -> Block:
        """Evenly spaced rows of the first block."""
        chunk = self._first(() if target is None else target.columns)
        step = max(1, len(chunk.X) // count)
        if target is None:
            return Block(chunk.X[::step])
        y, s = target.of(chunk)
        return Block(chunk.X[::step], y[::step], None if s is None else s[::step])

    def _first(self, columns: tuple[str, ...]) -> Chunk:
        chunks = self.chunks(columns)
        try:
            return next(chunks)
        finally:
            chunks.close()  # type: ignore[attr-defined]

    def __array__(self, *_: Any, **__: Any) -> NoReturn:
        name = type(self).__name__
        raise cannot(
            f"hold all rows of {name} in an array",
            because="they are read block by block",
            instead="a model that takes streams (linear models, discriminants, naive Bayes, PCA), or design.matrices()",
            kind=TypeError,
        )

    def matrices(self) -> Iterator[Array]:
        """The rows of X, block by block, all of them finite."""
        for chunk in self.chunks():
            assert_all_finite(chunk.X, input_name="X")
            yield chunk.X

    def refuse_nan(self) -> None:
        for _ in self.matrices():
            pass

    def of_columns(self, J: Array) -> "StreamedDesign":
        """A design of some columns, read from the same stream."""
        return SomeColumns(self, J)


class SomeColumns(StreamedDesign):
    """Some columns of a stream."""

    def __init__(self, design: StreamedDesign, J: Array) -> None:
        super().__init__(len(J), design.block_rows)
        self.design, self.J, self.origin = design, J, design.origin

    @property
    def dtype(self) -> np.dtype[Any]:
        return self.design.dtype

    def read(self, height: int, columns: tuple[str, ...] = (), *, only: bool = False) -> Iterator[Chunk]:
        for chunk in self.design.read(height, columns, only=only):
            yield chunk if only else chunk._replace(X=np.ascontiguousarray(chunk.X[:, self.J]))


def _of_one_height(chunks: Iterator[Chunk], height: int) -> Iterator[Chunk]:
    """The same rows in chunks of one height, but for the last."""
    pieces: list[Chunk] = []
    held = 0
    for chunk in chunks:
        while held + len(chunk.X) >= height:
            head, chunk = _cut(chunk, height - held)
            pieces.append(head)
            whole, pieces, held = _joined(pieces), [], 0
            del head
            yield whole
            del whole
        if len(chunk.X):
            pieces.append(chunk)
            held += len(chunk.X)
        del chunk
    if held:
        yield _joined(pieces)


def _cut(chunk: Chunk, rows: int) -> tuple[Chunk, Chunk]:
    head = Chunk(chunk.X[:rows], chunk.start, {name: c[:rows] for name, c in chunk.columns.items()})
    return head, Chunk(chunk.X[rows:], chunk.start + rows, {name: c[rows:] for name, c in chunk.columns.items()})


def _joined(pieces: list[Chunk]) -> Chunk:
    first = pieces[0]
    if len(pieces) == 1:
        return first
    columns = {name: np.concatenate([piece.columns[name] for piece in pieces]) for name in first.columns}
    return Chunk(np.concatenate([piece.X for piece in pieces]), first.start, columns)


def _folded_ahead(
    chunks: Iterator[Chunk], task: Callable[[Chunk], Result], merge: Callable[[Result, Result], Result]
) -> Result:
    """Merge tasks over chunks in order, while the next chunk is read: at most two are held."""
    results: list[Result] = []
    with ThreadPoolExecutor(1) as reader:
        coming = reader.submit(next, chunks, None)
        while (chunk := coming.result()) is not None:
            coming = reader.submit(next, chunks, None)
            result = task(chunk)
            chunk = None
            results = [merge(results[0], result)] if results else [result]
    return results[0]
