"""Tables of nodes (:mod:`separatrix.core.node_table`): making them, and the walk of rows through them."""

from collections.abc import Callable

import numpy as np

from separatrix.core.jit import compiled, read_only
from separatrix.core.node_table import NodeTable as NodeTable
from separatrix.core.node_table import check_nodes as check_nodes
from separatrix.core.threads import parallel_map
from separatrix.core.types import Array

# Rows of a block: their leaves and the upper levels of a tree stay in the second cache.
ROWS_IN_BLOCK = 4096


def empty_nodes(capacity: int, n_values: int, n_routes: int = 0) -> NodeTable:
    """A table of `capacity` leaves without rows, to be filled."""

    def none() -> Array:
        return np.full(capacity, -1, np.int32)

    return NodeTable(
        column=none(),
        threshold=np.full(capacity, np.nan),
        left=none(),
        right=none(),
        missing=none(),
        parent=none(),
        offset=none(),
        width=np.zeros(capacity, np.int32),
        weight=np.zeros(capacity),
        n_samples=np.zeros(capacity, np.int64),
        impurity=np.zeros(capacity),
        value=np.zeros((capacity, n_values)),
        routes=np.full(n_routes, -1, np.int32),
    )


def first_nodes(nodes: NodeTable, n_nodes: int, n_routes: int) -> NodeTable:
    """Copies of the entries that are in use."""
    kept = [np.ascontiguousarray(array[:n_nodes]).copy() for array in nodes[:-1]]
    return NodeTable._make([*kept, nodes.routes[:n_routes].copy()])


def apply(nodes: NodeTable, X: Array) -> Array:
    """The node in which each row of X ends, on threads; X is a dense array, float or of integer codes."""
    n = X.shape[0]
    ends = np.empty(n, np.int32)
    _by_blocks(n, X.shape[1], lambda a, b: _walk(nodes, X[a:b], ends[a:b]))
    return ends


def predict_values(nodes: NodeTable, X: Array) -> Array:
    """The value of the node in which each row ends, of shape (n, n_values)."""
    n = X.shape[0]
    values = np.empty((n, nodes.value.shape[1]))

    def fill(a: int, b: int) -> None:
        ends = np.empty(b - a, np.int32)
        _walk(nodes, X[a:b], ends)
        np.take(nodes.value, ends, axis=0, out=values[a:b])

    _by_blocks(n, X.shape[1], fill)
    return values


def _by_blocks(n: int, p: int, task: Callable[[int, int], None]) -> None:
    """Call ``task(start, stop)`` for blocks of rows, on threads."""
    starts = range(0, n, ROWS_IN_BLOCK)
    parallel_map(lambda a: task(a, min(a + ROWS_IN_BLOCK, n)), starts, numbers=min(n, ROWS_IN_BLOCK) * max(p, 16))


def _walk(nodes: NodeTable, X: Array, ends: Array) -> None:
    links = (nodes.left, nodes.right, nodes.missing, nodes.offset, nodes.width, nodes.routes)
    # rows in Fortran order would miss the cache at each node, and be compiled for by themselves
    given = map(read_only, (np.ascontiguousarray(X), nodes.column, nodes.threshold, *links))
    walk_rows(*[*given, ends])


@compiled
def walk_rows(
    X: Array,
    column: Array,
    threshold: Array,
    left: Array,
    right: Array,
    missing: Array,
    offset: Array,
    width: Array,
    routes: Array,
    out: Array,
) -> None:
    """Where each row ends."""
    for i in range(X.shape[0]):
        node = 0
        j = column[0]
        while j >= 0:
            x = X[i, j]
            start = offset[node]
            if start < 0:
                if x <= threshold[node]:
                    child = left[node]
                elif x > threshold[node]:
                    child = right[node]
                else:
                    child = missing[node]
            elif x != x:
                child = missing[node]
            elif x >= 0 and x < width[node]:
                child = routes[start + int(x)]
            else:
                child = -1
            if child < 0:
                break
            node = child
            j = column[node]
        out[i] = node


def depths_of(nodes: NodeTable) -> Array:
    """The depth of every node; the root has 0."""
    depths = np.zeros(nodes.column.size, np.int64)
    add_depths(nodes.parent, depths)
    return depths


@compiled
def add_depths(parent: Array, out: Array) -> None:
    """One more than the depth of the parent, which stands before its children."""
    for node in range(1, out.shape[0]):
        out[node] = out[parent[node]] + 1
