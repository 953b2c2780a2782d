"""Rows of a kernel matrix that are kept for as long as there is room, the least recently used given up first."""

from typing import Any

import numpy as np

from separatrix.core.types import Array

CHUNK = 256  # rows of a matrix product
RECENT = 8  # fetches


class RowCache:
    """Rows of K over the columns that are active.

    Parameters
    ----------
    gram : rows of K (n, n).
    dtype : float32 or float64, in which rows are computed and kept.
    room : float.  Bytes; there is room for `least` rows in any case.
    """

    def __init__(self, gram: Any, dtype: Any, room: float, least: int) -> None:
        self.gram, self.dtype = gram, np.dtype(dtype)
        self.active = np.arange(gram.n)
        self.computed = 0  # rows so far
        n = max(gram.n, 1)
        self.memory = np.empty(n * min(n, max(least, int(room / (n * self.dtype.itemsize)))), dtype=self.dtype)
        self._clear()

    def _capacity(self) -> int:
        n = max(len(self.active), 1)
        return min(n, len(self.memory) // n)

    def _clear(self) -> None:
        n, capacity = len(self.active), self._capacity()
        self.store = self.memory[: capacity * n].reshape(capacity, n)
        self.slot = np.full(len(self.active), -1)  # of each active row
        self.owner = np.full(capacity, -1)
        self.used = np.zeros(capacity, dtype=np.int64)
        self.clock = 0

    def fetch(self, rows: Array) -> Array:
        """The places in ``store`` of some active rows (positions among the active), computed where they are missing."""
        self.clock += 1
        missing = rows[self.slot[rows] < 0]
        known = self.slot[rows[self.slot[rows] >= 0]]
        self.used[known] = self.clock
        if len(missing):
            free = np.argsort(self.used, kind="stable")[: len(missing)]
            given_up = self.owner[free]
            self.slot[given_up[given_up >= 0]] = -1
            for start in range(0, len(missing), CHUNK):
                piece, places = missing[start : start + CHUNK], free[start : start + CHUNK]
                if places[-1] - places[0] == len(places) - 1 and np.all(np.diff(places) == 1):
                    self.gram.block(piece, None, self.dtype, self.store[places[0] : places[-1] + 1])
                else:
                    self.store[places] = self.gram.block(piece, None, self.dtype)
                self.computed += len(piece)
            self.slot[missing], self.owner[free], self.used[free] = free, missing, self.clock
        return self.slot[rows]

    def shrink(self, keep: Array) -> None:
        """Keep the columns of some active rows only (positions among the active), and the rows that are stored."""
        old_slot, old_store = self.slot[keep], self.store
        self.active = self.active[keep]
        self.gram = self.gram.take(keep)
        kept = np.flatnonzero(old_slot >= 0)
        # a copy costs as much as a row computed anew: only what was wanted of late is worth it
        kept = kept[self.used[old_slot[kept]] >= self.clock - RECENT]
        # in place, where a row moves to the left only: memory that was never touched costs more than the copies
        kept = kept[np.argsort(old_slot[kept])][: self._capacity()]
        for place, position in enumerate(kept):
            self.memory[place * len(keep) : (place + 1) * len(keep)] = old_store[old_slot[position]][keep]
        self._clear()
        self.slot[kept], self.owner[: len(kept)] = np.arange(len(kept)), kept
