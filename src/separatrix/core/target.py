"""The target y and the sample weights s: checked at validation and trusted afterwards.

In memory (:class:`Target`) they are arrays; of a stream (:class:`StreamedTarget`) only their sums are kept.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple, NoReturn

import numpy as np

from separatrix.core.cached import cached_property
from separatrix.core.refusal import cannot
from separatrix.core.types import Array

Rows = tuple[Array, Array | None]  # y and s of some rows


class Chunk(NamedTuple):
    """Some rows as a stream brings them: their numbers X (m, p), where they begin, and columns that are not in X."""

    X: Array
    start: int
    columns: dict[str, Array]

    @property
    def rows(self) -> slice:
        return slice(self.start, self.start + len(self.X))


@dataclass(frozen=True)
class Target:
    """``y`` of shape (n,) or (n, k), float64 or codes of classes; ``s`` of shape (n,), or None where all are 1."""

    y: Array
    s: Array | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "y", _as_compiled_for(self.y))
        if self.s is not None:
            object.__setattr__(self, "s", _as_compiled_for(self.s))

    @property
    def n(self) -> int:
        return int(self.y.shape[0])

    @property
    def outputs(self) -> tuple[int, ...]:
        """The shape of the target of one row: () or (k,)."""
        return self.y.shape[1:]

    @property
    def total(self) -> float:
        """Σ s."""
        return float(self.n) if self.s is None else float(self.s.sum())

    @property
    def rows_of_positive_weight(self) -> int:
        return self.n if self.s is None else int(np.count_nonzero(self.s))

    @property
    def weights(self) -> Array:
        """s as an array."""
        return weights_of(self.y, self.s)

    def class_sizes(self, k: int) -> Array:
        """How many rows each of k classes has, where y holds their codes."""
        return np.bincount(self.y, minlength=k)

    def mean(self) -> Any:
        """The weighted mean of y, a number or one for each column: in two steps, right to the last digit."""
        return self._mean

    @cached_property
    def _mean(self) -> Any:
        if self.s is None:
            mean = self.y.mean(axis=0)
            return mean + (self.y - mean).mean(axis=0)
        mean = self.s @ self.y / self.total
        return mean + self.s @ (self.y - mean) / self.total

    @cached_property
    def ends(self) -> tuple[Any, Any]:
        """The smallest and the largest y, of each output."""
        return self.y.min(axis=0), self.y.max(axis=0)

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of a stream that it is read from: none."""
        return ()

    def at(self, rows: Any) -> Rows:
        """y and s of some rows, an index of numpy's."""
        return self.y[rows], None if self.s is None else self.s[rows]

    def of(self, chunk: Chunk) -> Rows:
        """y and s of the rows of a chunk."""
        return self.at(chunk.rows)

    def passes(self) -> Iterator[Rows]:
        """y and s, block by block: here one block."""
        yield self.y, self.s

    def mapped(self, change: Callable[[Array, Array | None], Rows]) -> "Target":
        """A target whose y and s are ``change(y, s)``, a function of each row alone."""
        return Target(*change(self.y, self.s))

    def held(self) -> "Target":
        """The target itself: it is held in memory."""
        return self

    def output(self, c: int) -> "Target":
        """The target of output c alone, of a y of shape (n, k)."""
        return self.mapped(partial(_output, c))


def _as_compiled_for(numbers: Array) -> Array:
    """A vector that may be written to, its numbers side by side: for any other the loops would be compiled anew."""
    usual = numbers.flags.writeable and (numbers.ndim > 1 or numbers.flags.c_contiguous)
    return numbers if usual else np.array(numbers)


def _output(c: int, y: Array, s: Array | None) -> Rows:
    return np.ascontiguousarray(y[:, c]), s


class _Sums(NamedTuple):
    n: int
    counted: int
    total: float
    y: Any


class StreamedTarget:
    """A target that is read block by block and never held whole: it knows its sums, not its rows.

    Parameters
    ----------
    chunks : callable.  ``chunks(names, only=True)`` is a pass over the stream with these columns, X left out.
    y, s : str or array.  A column of the stream by its name, or one value for each row in memory; s may be None.
    change : callable or None.  y and s of some rows as they are to be used, from those that were read.
    """

    def __init__(
        self,
        chunks: Callable[..., Iterator[Chunk]],
        y: Any,
        s: Any = None,
        change: Callable[[Array, Array | None], Rows] | None = None,
    ) -> None:
        self.chunks, self._y, self._s, self._change = chunks, y, s, change
        self.columns: tuple[str, ...] = tuple(name for name in (y, s) if isinstance(name, str))

    def of(self, chunk: Chunk) -> Rows:
        """y and s of the rows of a chunk."""
        y, s = (_rows_of(source, chunk) for source in (self._y, self._s))
        return (y, s) if self._change is None else self._change(y, s)

    def passes(self) -> Iterator[Rows]:
        """y and s, block by block."""
        return (self.of(chunk) for chunk in self.chunks(self.columns, only=True))

    @cached_property
    def _sums(self) -> _Sums:
        n, counted, total, y_sum = 0, 0, 0.0, None
        for y, s in self.passes():
            n += len(y)
            counted += len(y) if s is None else int(np.count_nonzero(s))
            total += len(y) if s is None else float(s.sum())
            piece = y.sum(axis=0, dtype=np.float64) if s is None else s @ y
            y_sum = piece if y_sum is None else y_sum + piece
        return _Sums(n, counted, total, y_sum)

    @property
    def n(self) -> int:
        return self._sums.n

    @property
    def outputs(self) -> tuple[int, ...]:
        return np.shape(self._sums.y)

    @property
    def total(self) -> float:
        return self._sums.total

    @property
    def rows_of_positive_weight(self) -> int:
        return self._sums.counted

    def class_sizes(self, k: int) -> Array:
        return sum((np.bincount(y, minlength=k) for y, _ in self.passes()), np.zeros(k, dtype=np.intp))

    def mean(self) -> Any:
        return self._sums.y / self._sums.total

    @cached_property
    def ends(self) -> tuple[Any, Any]:
        lows, highs = zip(*((y.min(axis=0), y.max(axis=0)) for y, _ in self.passes() if len(y)))
        return np.min(lows, axis=0), np.max(highs, axis=0)

    def mapped(self, change: Callable[[Array, Array | None], Rows]) -> "StreamedTarget":
        """A target whose y and s are ``change(y, s)``, applied to each block as it is read."""
        before = self._change
        both = change if before is None else lambda y, s: change(*before(y, s))
        return StreamedTarget(self.chunks, self._y, self._s, both)

    def held(self) -> Target:
        """y and s of all rows in memory, for what needs n numbers anyway."""
        parts = list(self.passes())
        weighted = any(s is not None for _, s in parts)
        y = np.concatenate([np.asarray(y) for y, _ in parts])
        return Target(y, np.concatenate([weights_of(y, s) for y, s in parts]) if weighted else None)

    def output(self, c: int) -> "StreamedTarget":
        """The target of output c alone, of a y of shape (n, k)."""
        return self.mapped(partial(_output, c))

    def at(self, rows: Any) -> NoReturn:
        raise cannot(
            "take single rows of a streamed target",
            because="y and the weights are read block by block and never held whole",
            instead="data in memory (numpy or scipy.sparse)",
            kind=TypeError,
        )

    @property
    def y(self) -> NoReturn:
        self.at(slice(None))

    @property
    def s(self) -> NoReturn:
        self.at(slice(None))

    @property
    def weights(self) -> NoReturn:
        self.at(slice(None))


def _rows_of(source: Any, chunk: Chunk) -> Any:
    if source is None:
        return None
    return chunk.columns[source] if isinstance(source, str) else source[chunk.rows]


def weights_of(y: Array, s: Array | None) -> Array:
    """The weights of some rows as an array."""
    return np.ones(len(y)) if s is None else s


AnyTarget = Target | StreamedTarget
