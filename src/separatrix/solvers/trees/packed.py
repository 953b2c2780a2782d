"""Pack tables of nodes for forests, unpack them, and walk rows through packed trees."""

import numpy as np

from separatrix.core.jit import compiled, part, read_only
from separatrix.core.packed_tree import LEAF, PackedTree
from separatrix.core.threads import n_threads, parallel_map
from separatrix.core.types import Array
from separatrix.solvers.trees.nodes import NodeTable
from separatrix.solvers.trees.pruning import sums_below

ROWS_IN_BLOCK = 16_384  # many for each node of a tree, few enough for the second and third cache
FEWEST_IN_BLOCK = 1024  # where rows are few for the threads
FEW = 4  # rows of a node that walk on one by one: parting them would cost more


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
    return PackedTree(
        column=column,
        threshold=np.where(split, nodes.threshold, 0.0),
        right=right.astype(np.int32),
        value=np.ascontiguousarray(nodes.value[closed]),
        weight=nodes.weight[closed],
        impurity=nodes.impurity[closed],
        n_samples=nodes.n_samples[closed].astype(np.int32),
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

    weight, count = below(tree.weight), below(tree.n_samples.astype(np.float64))
    value = below(tree.weight[:, None] * tree.value) / weight[:, None]
    value[ends] = tree.value
    impurity = np.zeros(n)
    impurity[ends] = tree.impurity
    if len(tree.inner):
        value, impurity = np.ascontiguousarray(tree.inner[:, :-1]), tree.inner[:, -1].copy()
    return nodes._replace(weight=weight, n_samples=count.astype(np.int64), value=value, impurity=impurity)


def ends_of(tree: PackedTree, X: Array) -> Array:
    """The entry of the ends in which each row of X ends, int32 (n,)."""
    out, n = np.empty(len(X), np.int32), min(len(X), ROWS_IN_BLOCK)
    for start in range(0, len(X), ROWS_IN_BLOCK):
        rows = read_only(np.ascontiguousarray(X[start : start + ROWS_IN_BLOCK]))
        find_ends(*[rows, *_links(tree), out[start : start + ROWS_IN_BLOCK], *_buffers(n)])
    return out


def _buffers(n: int) -> tuple[Array, Array, Array]:
    """What the walk of n rows works in."""
    return np.empty(n, np.int32), np.empty(n, np.int32), np.empty((n, 3), np.int32)


def _links(tree: PackedTree) -> tuple[Array, ...]:
    """What the walk of rows reads of a tree."""
    return tuple(map(read_only, (tree.column, tree.threshold, tree.right, tree.routed, tree.routes)))


def sum_values(trees: list[PackedTree], X: Array, n_values: int) -> Array:
    """The sums over all trees of the values of the ends of each row, (n, n_values); in the order of the trees."""
    total = np.zeros((len(X), n_values))
    parts = [(_links(tree), read_only(tree.value)) for tree in trees]

    size = min(ROWS_IN_BLOCK, max(FEWEST_IN_BLOCK, -(-len(X) // n_threads())))

    def fill(start: int) -> None:
        rows = read_only(np.ascontiguousarray(X[start : start + size]))
        out = total[start : start + size]
        ends, buffers = np.empty(len(rows), np.int32), _buffers(len(rows))
        for links, value in parts:
            find_ends(*[rows, *links, ends, *buffers])
            add_values(value, ends, out)

    parallel_map(fill, range(0, len(X), size), numbers=len(trees) * min(len(X), size) * 8)
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
    column: Array,
    threshold: Array,
    right: Array,
    routed: Array,
    routes: Array,
    out: Array,
    rows: Array,
    work_right: Array,
    waiting: Array,
) -> None:
    """Where each row ends: the entry of the ends.

    The rows of a node are parted in two: a node is read once for all of them, and the next row does not wait for
    the memory of this one. `rows` and `work_right` have an entry for each row, `waiting` holds the nodes that are still
    to be visited, each with the ends of its part of `rows`: as every part holds a row, no more of them than rows.
    """
    for i in range(X.shape[0]):
        rows[i] = i
    waiting[0, 0], waiting[0, 1], waiting[0, 2] = 0, 0, X.shape[0]
    n_waiting = 1
    while n_waiting > 0:
        n_waiting -= 1
        node, first, stop = waiting[n_waiting, 0], waiting[n_waiting, 1], waiting[n_waiting, 2]
        while stop - first > FEW and column[node] >= 0:
            middle = _part_rows(X, int(column[node]), threshold[node], right[node] < 0, rows, first, stop, work_right)
            other = max(right[node], ~right[node])
            if middle == first:
                node = other
                continue
            node += 1
            if middle < stop:
                waiting[n_waiting, 0], waiting[n_waiting, 1], waiting[n_waiting, 2] = other, middle, stop
                n_waiting += 1
                stop = middle
        for a in range(first, stop):
            out[rows[a]] = right[_end_of_row(X, rows[a], node, column, threshold, right, routed, routes)]


@part
def _part_rows(
    X: Array, j: int, threshold: float, missing_left: bool, rows: Array, first: int, stop: int, work_right: Array
) -> int:
    """Part ``rows[first:stop]`` in place at a threshold of column j; returns where the right ones begin.

    Both places are written for every row and one of them counts: a branch could not be predicted.
    """
    middle, n_right = first, 0
    for a in range(first, stop):
        i = rows[a]
        x = X[i, j]
        goes_right = int(x > threshold) if missing_left else 1 - int(x <= threshold)
        rows[middle] = i
        work_right[n_right] = i
        middle += 1 - goes_right
        n_right += goes_right
    for a in range(n_right):
        rows[middle + a] = work_right[a]
    return middle


@part
def _next(x: float, threshold: float, other: int, node: int) -> int:
    """The child of a threshold: computed, not chosen, since a branch could not be predicted."""
    if x != x:
        return other if other >= 0 else node + 1
    other = max(other, ~other)
    return node + 1 + int(x > threshold) * (other - node - 1)


@part
def _end_of_row(
    X: Array, i: int, node: int, column: Array, threshold: Array, right: Array, routed: Array, routes: Array
) -> int:
    """The node in which one row ends that has come to `node`."""
    while True:
        j = int(column[node])
        if j == LEAF:
            return node
        if j >= 0:
            node = _next(X[i, j], threshold[node], int(right[node]), node)
            continue
        r = LEAF - 1 - j
        x = X[i, routed[r, 0]]
        child = -1
        if x != x:
            child = int(routed[r, 3])
        elif x >= 0 and x < routed[r, 2]:
            child = int(routes[routed[r, 1] + int(x)])
        if child < 0:
            return node
        node = child
