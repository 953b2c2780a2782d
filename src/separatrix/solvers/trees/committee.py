"""The trees of a committee side by side in one set of arrays, and the sums of their values over rows."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from separatrix.core.errors import cannot
from separatrix.core.jit import compiled, read_only
from separatrix.core.registry import register
from separatrix.core.threads import parallel_map
from separatrix.core.types import Array
from separatrix.solvers.trees.nodes import NodeTable

ROWS_IN_BLOCK = 512  # whose numbers and scores stay in cache while the trees are walked one after another


_ARRAYS = (
    "roots",
    "column",
    "threshold",
    "left",
    "right",
    "missing",
    "offset",
    "width",
    "value",
    "gain",
    "count",
    "routes",
)
_TYPES: dict[str, Any] = {"roots": np.int64, "count": np.int64, "threshold": float, "value": float, "gain": float}


@register("record")
@dataclass(frozen=True)
class Trees:
    """Nodes of all trees, one entry a node; what they mean is said in :mod:`separatrix.solvers.trees.nodes`.

    Parameters
    ----------
    n_columns : int.  Columns of the rows that the trees take.
    roots : int64.  The first node of each tree; children have larger numbers than their parents.
    column, left, right, missing, offset, width : int32.  Numbers of nodes are those of the arrays as a whole.
    threshold, value, gain : float64.  The gain of a split, 0 of a leaf.
    count : int64.  Training rows.
    routes : int32.
    """

    n_columns: int
    roots: Array
    column: Array
    threshold: Array
    left: Array
    right: Array
    missing: Array
    offset: Array
    width: Array
    value: Array
    gain: Array
    count: Array
    routes: Array

    @classmethod
    def of(cls, tables: list[NodeTable], p: int, before: "Trees | None" = None) -> "Trees":
        """Tables of trees on p columns side by side, behind those of another committee."""
        parts = {name: [np.empty(0, _TYPES.get(name, np.int32))] for name in _ARRAYS}
        if before is not None:
            for name, arrays in parts.items():
                arrays.append(getattr(before, name))
        first = 0 if before is None else len(before.column)
        routes = 0 if before is None else len(before.routes)
        for table in tables:
            moved = {
                "roots": np.array([first], np.int64),
                "column": table.column,
                "threshold": table.threshold,
                "left": _moved(table.left, first),
                "right": _moved(table.right, first),
                "missing": _moved(table.missing, first),
                "offset": _moved(table.offset, routes),
                "width": table.width,
                "value": table.value[:, 0],
                "gain": table.impurity,
                "count": table.n_samples,
                "routes": _moved(table.routes, first),
            }
            for name, array in moved.items():
                parts[name].append(array)
            first, routes = first + len(table.column), routes + len(table.routes)
        return cls(p, **{name: np.concatenate(arrays) for name, arrays in parts.items()})

    @property
    def n_trees(self) -> int:
        return len(self.roots)

    def table(self, t: int) -> NodeTable:
        """Tree t by itself, its nodes numbered from 0; what a committee does not keep is 0."""
        first = int(self.roots[t])
        last = int(self.roots[t + 1]) if t + 1 < self.n_trees else len(self.column)
        part, n = slice(first, last), last - first
        left, right, missing = (_moved(array[part], -first) for array in (self.left, self.right, self.missing))
        parent, inner = np.full(n, -1, np.int32), np.flatnonzero(self.column[part] >= 0)
        for children in (left, right):
            parent[children[inner]] = inner
        return NodeTable(
            column=self.column[part],
            threshold=self.threshold[part],
            left=left,
            right=right,
            missing=missing,
            parent=parent,
            offset=self.offset[part],
            width=self.width[part],
            weight=np.zeros(n),
            n_samples=self.count[part],
            impurity=np.zeros(n),
            value=self.value[part, None],
            routes=_moved(self.routes, -first),
        )

    def gain_by_column(self, p: int) -> Array:
        """The sum of the gains of the splits by each column."""
        inner = self.column >= 0
        return np.bincount(self.column[inner], weights=self.gain[inner], minlength=p)

    def arrays(self) -> tuple[Any, ...]:
        """What the walk reads."""
        return (
            self.column,
            self.threshold,
            self.left,
            self.right,
            self.missing,
            self.offset,
            self.width,
            self.value,
            self.routes,
        )


def _moved(numbers: Array, by: int) -> Array:
    """Numbers of nodes or places; -1 stays."""
    return np.where(numbers >= 0, numbers + by, numbers).astype(np.int32)


def add_trees(trees: Trees, X: Array, scores: Array, first: int = 0, last: int | None = None) -> None:
    """Add the values of the trees `first` to `last` to scores (n, k), tree t to column t modulo k; on threads."""
    if X.shape[1] != trees.n_columns:
        raise cannot(
            f"walk rows of {X.shape[1]} columns through the trees",
            because=f"they ask for columns of rows of {trees.n_columns}",
            instead="rows with the columns of the fit",
        )
    roots = trees.roots[first:last]
    arrays = [read_only(array) for array in (roots, *trees.arrays())]

    def add(start: int) -> None:
        rows = read_only(np.ascontiguousarray(X[start : start + ROWS_IN_BLOCK]))
        walk_trees(rows, scores[start : start + ROWS_IN_BLOCK], *arrays)

    parallel_map(add, range(0, len(X), ROWS_IN_BLOCK), numbers=len(roots) * ROWS_IN_BLOCK)


@compiled
def walk_trees(
    X: Array,
    scores: Array,
    roots: Array,
    column: Array,
    threshold: Array,
    left: Array,
    right: Array,
    missing: Array,
    offset: Array,
    width: Array,
    value: Array,
    routes: Array,
) -> None:
    """Add to the scores of each row the value of the node in which it ends, of each tree."""
    k = scores.shape[1]
    for t in range(roots.shape[0]):
        c = t % k
        for i in range(X.shape[0]):
            node = roots[t]
            while column[node] >= 0:
                x = X[i, column[node]]
                child = missing[node]
                if offset[node] < 0:
                    if x <= threshold[node]:
                        child = left[node]
                    elif x > threshold[node]:
                        child = right[node]
                elif x == x:
                    child = -1
                    if x >= 0 and x < width[node]:
                        child = routes[offset[node] + int(x)]
                if child < 0:
                    break
                node = np.int64(child)
            scores[i, c] += value[node]
