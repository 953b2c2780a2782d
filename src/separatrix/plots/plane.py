"""The plane of two columns of X, the others held fixed, in which a model can be drawn."""

from collections import Counter

import numpy as np

from separatrix.core.protocol import is_frame
from separatrix.core.refusal import cannot
from separatrix.tables.table import Table

CELLS = 120  # of the grid, to each side
MOST_POINTS = 300


class Plane:
    """Two columns of X with the others held fixed: builds the model's input for any points of the plane."""

    def __init__(self, X, columns, held, names, room=0.05):
        self.names, self.values, self.rebuild = _columns_of(X, names)
        self.at = [self._position(column) for column in columns]
        self.labels = [self.names[j] for j in self.at]
        self.held = [_typical(column) for column in self.values]
        for column, fixed in (held or {}).items():
            self.held[self._position(column)] = fixed
        if len(set(self.at)) != 2 or any(self.values[j].dtype.kind not in "fiub" for j in self.at):
            raise cannot(
                f"draw a boundary over the columns {self.labels}",
                because="a plane has two different columns of numbers",
                instead="columns=(first, second), by position or name",
            )
        self.points = np.column_stack([self.values[j].astype(np.float64) for j in self.at])
        low, high = np.nanmin(self.points, axis=0), np.nanmax(self.points, axis=0)
        room = np.where(high > low, room * (high - low), 0.5)
        self.range = np.column_stack([low - room, high + room])
        across, up = (np.linspace(*ends, CELLS) for ends in self.range)
        self.grid = np.meshgrid(across, up)

    def _position(self, column):
        if isinstance(column, str):
            if column not in self.names:
                raise cannot(
                    f"find the column {column!r}", because=f"the columns are {self.names}", instead="one of them"
                )
            return self.names.index(column)
        return int(column)

    def given(self, points):
        """The model's input for these points, with all other columns held."""
        full = [np.full(len(points), fixed, dtype=column.dtype) for fixed, column in zip(self.held, self.values)]
        for j, own in zip(self.at, points.T):
            full[j] = own
        return self.rebuild(full)

    def on_grid(self):
        return self.given(np.column_stack([axis.ravel() for axis in self.grid]))

    def thinned(self):
        """Rows to draw: those without missing values in the plane, 300 of them at the most, the same each time."""
        rows = np.flatnonzero(np.isfinite(self.points).all(axis=1))
        if len(rows) <= MOST_POINTS:
            return rows
        return np.sort(np.random.default_rng(0).choice(rows, MOST_POINTS, replace=False))


def _columns_of(X, names):
    """Names and columns of an array, a Table or a frame, and a function from new columns to the same type."""
    if isinstance(X, Table):
        return list(X.names), list(X.columns), lambda columns: Table(X.names, tuple(columns), X.source)
    if is_frame(X):
        own = list(X.columns)
        return own, [np.asarray(X[name]) for name in own], lambda columns: type(X)(dict(zip(own, columns)))
    values = np.asarray(X)
    if values.ndim != 2 or values.shape[1] < 2:
        raise cannot(
            f"draw a boundary over X of shape {values.shape}",
            because="a plane needs two columns",
            instead="a dense array of shape (n, p) with p >= 2, a Table or a frame",
        )
    own = [f"x{j + 1}" for j in range(values.shape[1])] if names is None else [str(name) for name in names]
    return own, list(values.T), lambda columns: np.column_stack(columns)


def _typical(column):
    """The median of numbers, the commonest of words."""
    if column.dtype.kind == "f":
        return np.nanmedian(column) if np.isfinite(column).any() else np.nan
    return Counter(column.tolist()).most_common(1)[0][0] if column.dtype.kind not in "iu" else int(np.median(column))
