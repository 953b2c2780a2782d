r"""Pruning: which subtrees become leaves.

Cost-complexity pruning (Breiman et al., 1984, chapter 3): the subtree of a node t is worth its leaves only while

.. math:: \alpha < g(t) = \frac{R(t) - R(T_t)}{|\text{leaves of } T_t| - 1}, \qquad R(t) = \frac{W_t}{W} i(t)

where i is the impurity. The node with the least g is the next to become a leaf; of equals the one with the lowest
number.
Reduced-error pruning (Quinlan, 1987): from the bottom up, a node other than the root becomes a leaf if that makes no
more errors on rows that were kept apart.
"""

import heapq

import numpy as np

from separatrix.core.types import Array
from separatrix.solvers.trees.nodes import NodeTable, depths_of


def sums_below(nodes: NodeTable, of_ends: Array) -> Array:
    """For every node the sum of `of_ends` (one row a node) over itself and all nodes below it."""
    sums = np.array(of_ends, dtype=np.float64)
    depths = depths_of(nodes)
    order = np.argsort(depths, kind="stable")
    starts = np.searchsorted(depths[order], np.arange(int(depths.max()) + 2))
    for depth in range(starts.size - 2, 0, -1):
        level = order[starts[depth] : starts[depth + 1]]
        np.add.at(sums, nodes.parent[level], sums[level])
    return sums


def cost_complexity(nodes: NodeTable) -> tuple[Array, Array, Array]:
    """The order of pruning: alphas and impurities of the trees from the whole one to the root, and the alpha of a node.

    The third array says for each node from which alpha on it is a leaf, or gone; infinite for leaves of the whole tree.
    """
    n = nodes.column.size
    inner = nodes.column >= 0
    own = nodes.weight / nodes.weight[0] * nodes.impurity
    below = sums_below(nodes, np.where(inner, 0.0, own))
    leaves = sums_below(nodes, np.where(inner, 0.0, 1.0))
    collapsed = np.full(n, np.inf)
    alphas, impurities = [0.0], [float(below[0])]
    children = _children(nodes)
    # lists: single numbers are read millions of times where a tree is deep
    cost, rest, size, parent = own.tolist(), below.tolist(), leaves.tolist(), nodes.parent.tolist()
    queue = [((cost[t] - rest[t]) / (size[t] - 1.0), t) for t in np.flatnonzero(inner).tolist()]
    heapq.heapify(queue)
    while queue:
        alpha, t = heapq.heappop(queue)
        if np.isfinite(collapsed[t]):
            continue
        price = (cost[t] - rest[t]) / (size[t] - 1.0)
        if price > alpha:  # what was cut off below a node only makes it dearer: its place in the queue was a bound
            heapq.heappush(queue, (price, t))
            continue
        _collapse(t, children, inner, collapsed, alpha)
        gained, fewer = cost[t] - rest[t], size[t] - 1.0
        at = t
        while at >= 0:
            rest[at] += gained
            size[at] -= fewer
            at = parent[at]
        alphas.append(float(alpha))
        impurities.append(rest[0])
    return np.array(alphas), np.array(impurities), collapsed


def _children(nodes: NodeTable) -> list[list[int]]:
    lists: list[list[int]] = [[] for _ in range(nodes.column.size)]
    for child in range(1, nodes.column.size):
        lists[nodes.parent[child]].append(child)
    return lists


def _collapse(t: int, children: list[list[int]], inner: Array, collapsed: Array, alpha: float) -> None:
    """Mark a node and the inner nodes below it."""
    waiting = [t]
    while waiting:
        at = waiting.pop()
        if inner[at] and not np.isfinite(collapsed[at]):
            collapsed[at] = alpha
            waiting += children[at]


def prune_by_cost(nodes: NodeTable, alpha: float) -> NodeTable:
    """The smallest subtree that is best at this price of a leaf."""
    return cut_back(nodes, cost_complexity(nodes)[2] <= alpha)


def prune_by_errors(nodes: NodeTable, errors: Array) -> NodeTable:
    """Reduced-error pruning.

    Parameters
    ----------
    nodes : NodeTable.
    errors : (n_nodes, 2) array.  Of the validation rows that pass through a node, the error if it were a leaf; and of
        those that *end* in it, the error of the tree as it is.
    """
    inner = nodes.column >= 0
    leaf = ~inner
    kept = np.array(errors[:, 1], dtype=np.float64)
    for t in range(nodes.column.size - 1, 0, -1):  # children stand behind their parents
        if inner[t] and errors[t, 0] <= kept[t]:
            leaf[t], kept[t] = True, errors[t, 0]
        kept[nodes.parent[t]] += kept[t]
    return cut_back(nodes, leaf & inner)


def cut_back(nodes: NodeTable, leaf: Array) -> NodeTable:
    """The table without what is below the nodes that `leaf` marks; they become leaves, and numbers close up."""
    n = nodes.column.size
    kept = np.ones(n, dtype=bool)
    ends = leaf | (nodes.column < 0)
    for t in range(1, n):
        kept[t] = kept[nodes.parent[t]] and not ends[nodes.parent[t]]
    number = np.full(n + 1, -1, np.int32)  # the last is for -1
    number[:n][kept] = np.arange(np.count_nonzero(kept), dtype=np.int32)
    columns = {name: array[kept].copy() for name, array in zip(NodeTable._fields[:-1], nodes[:-1], strict=True)}
    ends = ends[kept]
    for name in ("left", "right", "missing", "parent"):
        columns[name] = number[columns[name]]
    for name, nothing in (("column", -1), ("threshold", np.nan), ("left", -1), ("right", -1), ("missing", -1)):
        columns[name][ends] = nothing
    routes, at = [np.empty(0, np.int32)], 0
    for t in np.flatnonzero((columns["offset"] >= 0) & ~ends):
        first, width = int(columns["offset"][t]), int(columns["width"][t])
        routes.append(number[nodes.routes[first : first + width]])
        columns["offset"][t], at = at, at + width
    columns["offset"][ends], columns["width"][ends] = -1, 0
    return NodeTable(**columns, routes=np.concatenate(routes))
