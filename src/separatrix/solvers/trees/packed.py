"""Pack tables of nodes for forests, unpack them, and walk rows through packed trees."""

from typing import Any

import numpy as np

from separatrix.core.jit import compiled, part_in_place, read_only
from separatrix.core.packed_tree import LEAF, PackedTree, impurities_of, weights_of
from separatrix.core.threads import parallel_map
from separatrix.core.types import Array
from separatrix.solvers.trees.nodes import NodeTable
from separatrix.solvers.trees.pruning import sums_below

ROWS_IN_BLOCK = 2048  # few enough to stay in the second cache as float32, many for each read of a tree
TREES_AT_ONCE = 16  # what is read of them stands beside the forest, a third of its size
STEP = np.dtype([("threshold", np.float32), ("column", np.int32), ("right", np.int32)])  # what a walk reads of a node


def pack(nodes: NodeTable, *, keep_inner: bool = False) -> PackedTree:
    """Pack a tree; `keep_inner` where values and impurities of inner nodes are no means over their leaves."""
    nodes = _depth_first(nodes)
    split = (nodes.column >= 0) & (nodes.offset < 0)
    routed = np.flatnonzero(nodes.offset >= 0)
    column = nodes.column.copy()
    column[routed] = LEAF - 1 - np.arange(routed.size)
    closed = ~split
    right = np.where(nodes.missing == nodes.left, ~nodes.right, nodes.right)
    right[closed] = np.arange(np.count_nonzero(closed))
    table = np.stack([nodes.column, nodes.offset, nodes.width, nodes.missing], axis=1)[routed]
    inner = np.column_stack([nodes.value, nodes.impurity]) if keep_inner else np.empty((0, nodes.value.shape[1] + 1))
    weight, impurity = nodes.weight[closed], nodes.impurity[closed]
    n_samples = nodes.n_samples[closed].astype(np.int32)
    return PackedTree(
        column=column,
        threshold=np.where(split, nodes.threshold, 0.0),
        right=right.astype(np.int32),
        value=np.ascontiguousarray(nodes.value[closed]),
        weight=weight if np.any(weight != n_samples) else np.empty(0),
        impurity=impurity if np.any(impurity) else np.empty(0),
        n_samples=n_samples,
        inner=inner,
        routed=np.ascontiguousarray(table, dtype=np.int32),
        routes=nodes.routes.copy(),
    )


def _depth_first(nodes: NodeTable) -> NodeTable:
    """The same tree with its nodes in depth-first order, left children first."""
    split = (nodes.column >= 0) & (nodes.offset < 0)
    if np.array_equal(nodes.left[split], np.flatnonzero(split) + 1):
        return nodes
    children: list[list[int]] = [[] for _ in range(nodes.column.size)]
    for node in range(1, nodes.column.size):
        children[nodes.parent[node]].append(node)
    order, waiting = [], [0]
    while waiting:
        node = waiting.pop()
        order.append(node)
        below = [int(nodes.left[node]), int(nodes.right[node])] if split[node] else children[node]
        waiting.extend(reversed(below))
    place = np.empty(len(order) + 1, np.int32)
    place[order] = np.arange(len(order))
    place[-1] = -1  # the number of no node
    links = {name: place[getattr(nodes, name)[order]] for name in ("left", "right", "missing", "parent")}
    moved = {name: getattr(nodes, name)[order] for name in NodeTable._fields if name not in (*links, "routes")}
    return NodeTable(**links, **moved, routes=place[nodes.routes])


def unpack(tree: PackedTree) -> NodeTable:
    """The table of all nodes of a packed tree. Impurities of inner nodes are 0 unless they were kept."""
    n, split, routed = tree.column.size, tree.column >= 0, np.flatnonzero(tree.column < LEAF)
    closed = ~split
    to_left = split & (tree.right < 0)
    right = np.where(tree.right < 0, ~tree.right, tree.right)
    column = tree.column.copy()
    left, none = np.arange(1, n + 1), np.full(n, -1)
    offset, width, missing = none.copy(), np.zeros(n), np.where(to_left, left, right)
    missing[closed] = -1
    column[routed], offset[routed], width[routed], missing[routed] = tree.routed.T
    parent = none.copy()
    parent[left[split]], parent[right[split]] = np.flatnonzero(split), np.flatnonzero(split)
    for node, first, count in zip(routed, offset[routed], width[routed].astype(int), strict=True):
        below = np.append(tree.routes[first : first + count], missing[node])
        parent[below[below >= 0]] = node
    nodes = NodeTable(
        column=column,
        threshold=np.where(split, tree.threshold, np.nan),
        left=np.where(split, left, -1).astype(np.int32),
        right=np.where(split, right, -1).astype(np.int32),
        missing=missing.astype(np.int32),
        parent=parent.astype(np.int32),
        offset=offset.astype(np.int32),
        width=width.astype(np.int32),
        weight=np.zeros(n),
        n_samples=np.zeros(n, np.int64),
        impurity=np.zeros(n),
        value=np.zeros((n, tree.value.shape[1])),
        routes=tree.routes,
    )
    return _with_numbers(nodes, tree)


def _with_numbers(nodes: NodeTable, tree: PackedTree) -> NodeTable:
    """Weights, counts, values and impurities of all nodes, those of inner ones from their leaves."""
    n, ends = nodes.column.size, np.flatnonzero(tree.column < 0)
    leaf = nodes.column[ends] < 0

    def below(numbers: Array) -> Array:
        whole = np.zeros((n, *numbers.shape[1:]))
        whole[ends[leaf]] = numbers[leaf]
        return sums_below(nodes, whole)

    weights = weights_of(tree)
    weight, count = below(weights), below(tree.n_samples.astype(np.float64))
    value = below(weights[:, None] * tree.value) / weight[:, None]
    value[ends] = tree.value
    impurity = np.zeros(n)
    impurity[ends] = impurities_of(tree)
    if len(tree.inner):
        value, impurity = np.ascontiguousarray(tree.inner[:, :-1]), tree.inner[:, -1].copy()
    return nodes._replace(weight=weight, n_samples=count.astype(np.int64), value=value, impurity=impurity)


def ends_of(tree: PackedTree, X: Array) -> Array:
    """The entry of the ends in which each row of X ends, int32 (n,)."""
    out, links, buffers = np.empty(len(X), np.int32), _links(tree), _buffers(min(len(X), ROWS_IN_BLOCK))
    for start in range(0, len(X), ROWS_IN_BLOCK):
        find_ends(*[*_rows(X, start, ROWS_IN_BLOCK), *links, out[start : start + ROWS_IN_BLOCK], *buffers])
    return out


def _rows(X: Array, start: int, size: int) -> tuple[Array, Array]:
    """Some rows as they are, and rounded to float32."""
    rows = np.ascontiguousarray(X[start : start + size])
    with np.errstate(over="ignore"):  # infinity is as near to a number beyond as float32 comes
        return read_only(rows), read_only(rows.astype(np.float32))


def _buffers(n: int) -> tuple[Array, Array]:
    """What the walk of n rows works in."""
    return np.empty(n, np.uint32), np.empty(n, np.uint32)


def _links(tree: PackedTree) -> tuple[Array, ...]:
    """What the walk of rows reads of a tree."""
    steps = np.empty(tree.column.size, STEP)
    with np.errstate(over="ignore"):
        # no number is smaller or larger than NaN: where a walk needs more than a comparison, it sees that by one
        steps["threshold"] = np.where(tree.column < LEAF, np.nan, tree.threshold)
        steps["column"], steps["right"] = tree.column, tree.right
    return tuple(map(read_only, (steps, tree.threshold, tree.routed, tree.routes)))


def sum_values(trees: list[PackedTree], X: Array, n_values: int) -> Array:
    """The sums over all trees of the values of the ends of each row, (n, n_values); in the order of the trees."""
    total, size = np.zeros((len(X), n_values)), min(len(X), ROWS_IN_BLOCK)
    for first in range(0, len(trees), TREES_AT_ONCE):
        parts = [(_links(tree), read_only(tree.value)) for tree in trees[first : first + TREES_AT_ONCE]]

        def fill(start: int) -> None:
            rows, out = _rows(X, start, ROWS_IN_BLOCK), total[start : start + ROWS_IN_BLOCK]
            ends, buffers = np.empty(len(out), np.int32), _buffers(len(out))
            for links, value in parts:  # noqa: B023 (called before the next group begins)
                find_ends(*[*rows, *links, ends, *buffers])
                add_values(value, ends, out)

        parallel_map(fill, range(0, len(X), ROWS_IN_BLOCK), numbers=len(parts) * size * 8)
    return total


@compiled
def add_values(value: Array, ends: Array, out: Array) -> None:
    """Add the values of the ends to the rows of `out`."""
    for i in range(ends.shape[0]):
        for v in range(out.shape[1]):
            out[i, v] += value[ends[i], v]


@compiled
def find_ends(
    X: Array,
    rounded: Array,
    steps: Array,
    threshold: Array,
    routed: Array,
    routes: Array,
    out: Array,
    rows: Array,
    nodes: Array,
) -> None:
    """Where each row ends: the entry of the ends.

    All rows that have not ended go one level down at a time: none waits for the memory of another, and no branch has to
    be predicted. They are compared in float32, half as much to read. Rounding keeps the order of any two numbers that
    it does not make equal; where it does, and for missing values, the numbers themselves are compared. `rows` and
    `nodes` hold the rows under way, and where they are.
    """
    for i in range(X.shape[0]):
        rows[i], nodes[i] = i, 0
    n = X.shape[0]
    while n > 0:
        under_way = np.uint64(0)  # unsigned, as the places of rows and nodes are: no check for negative ones
        for a in range(np.uint64(n)):
            row, node = rows[a], nodes[a]
            column, cut, right = steps[node]["column"], steps[node]["threshold"], steps[node]["right"]
            out[row] = right  # the entry of an end; of other nodes it is written over
            x = rounded[row, np.uint32(max(column, 0))]
            goes_right = np.int64(x > cut)
            goes_on = np.uint64(column >= 0)
            other = np.int64(right ^ (right >> 31))  # ~right where it is negative
            child = np.int64(node) + 1 + goes_right * (other - np.int64(node) - 1)
            if not (x < cut or x > cut):
                child = _child(X, row, np.int64(node), np.int64(column), np.int64(right), threshold, routed, routes)
                goes_on = np.uint64(child >= 0)
                child = max(child, 0)
            rows[under_way], nodes[under_way] = row, child
            under_way += goes_on
        n = np.int64(under_way)


@part_in_place
def _child(X: Array, i: int, node: Any, column: Any, right: Any, threshold: Array, routed: Array, routes: Array) -> Any:
    """The child that a row goes to by the numbers themselves or by a routing, -1 where it ends."""
    child: Any = -1
    if column >= 0:
        x = X[i, column]
        goes_right = right >= 0 if x != x else x > threshold[node]
        child = max(right, ~right) if goes_right else node + 1
    elif column < LEAF:
        r = LEAF - 1 - column
        x = X[i, routed[r, 0]]
        if x != x:
            child = np.int64(routed[r, 3])
        elif x >= 0 and x < routed[r, 2]:
            child = np.int64(routes[routed[r, 1] + np.int64(x)])
    return child
