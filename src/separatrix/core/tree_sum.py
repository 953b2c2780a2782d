r"""A prediction as a sum over trees: what explanations and pictures ask of a tree, a forest and a boosted model alike.

.. math:: f(x) = b + \sum_t v_t(\text{end}_t(x))

On its way down a tree a row passes nodes with means :math:`m_0, m_1, \dots`; each question changes the mean, and the
changes are credited to the columns that were asked. They telescope, so that the base, the means of the roots and all
credits add up to the prediction exactly, whatever the trees are. Where nodes hold linear models, the mean of a node is
what its model gives on average, and what each column adds within the node is added to the credits.
"""

from collections.abc import Mapping
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from separatrix.core.types import Array

SHARE, MEAN, MEDIAN, SCORE = "share", "mean", "median", "score"


class WalkedTree(NamedTuple):
    """One tree of a sum.

    Parameters
    ----------
    nodes : mapping.  Arrays of a node table (:mod:`separatrix.core.node_table`) by name: column, threshold, left,
        right, missing, offset, width and routes.
    root : int.  Its first node.
    mean : (n_nodes, m) array.  What the training rows of a node get, on average; their median where `scale` says so.
    value : (n_nodes, m) array.  What a row that ends in the node gets.
    outputs : slice.  To which of the k outputs of the sum these m belong.
    rows : (n_nodes,) array or None.  How many training rows reach each node; None where the model does not keep it.
    """

    nodes: Mapping[str, Array]
    root: int
    mean: Array
    value: Array
    outputs: slice = slice(None)
    rows: Array | None = None


class TreeSum(NamedTuple):
    """Trees whose values are added up, and rows for them.

    Parameters
    ----------
    rows : (n, p) array.  Rows as the nodes ask them: codes in the place of categories.
    base : (k,) array.  What is added to the trees.
    trees : list of WalkedTree.
    scale : {"share", "mean", "median", "score"}.  What the sum is: shares of the classes, a mean, a median or a mean of
        medians, or raw scores.
    reference : str.  What the base and the means of the roots together stand for, in words.
    linear : (n, p, k) array or None.  What each column adds in the linear model of the node where a row ends.
    """

    rows: Array
    base: Array
    trees: list[WalkedTree]
    scale: str
    reference: str = "the mean of the training rows"
    linear: Array | None = None


OF_TREES = "rows that the trees were grown on"


def mean_of_trees(rows: Array, base: Array, trees: list[WalkedTree], *, shares: bool, medians: bool) -> TreeSum:
    """The mean of trees, whose values are divided by their number: of shares of classes, of means, or of medians."""
    if medians and not shares:
        return TreeSum(rows, base, trees, MEDIAN, f"the mean over trees of the median of the {OF_TREES}")
    return TreeSum(rows, base, trees, SHARE if shares else MEAN, f"the mean of the {OF_TREES}")


def child_of(nodes: Mapping[str, Array], node: int, row: Array) -> int:
    """The node to which a row goes from `node`; -1 where it ends there."""
    column = nodes["column"][node]
    if column < 0:
        return -1
    x = float(row[column])
    if np.isnan(x):
        return int(nodes["missing"][node])
    if nodes["offset"][node] < 0:
        return int(nodes["left" if x <= nodes["threshold"][node] else "right"][node])
    known = 0.0 <= x < nodes["width"][node]
    return int(nodes["routes"][nodes["offset"][node] + int(x)]) if known else -1


def way_of(tree: WalkedTree, row: Array) -> list[int]:
    """The nodes that a row passes, from the root to the one where it ends."""
    way = [int(tree.root)]
    while (child := child_of(tree.nodes, way[-1], row)) >= 0:
        way.append(child)
    return way


def path_sums(trees: TreeSum, i: int = 0) -> tuple[Array, Array]:
    """The base with the means of the roots, (k,), and what each column adds for row i, (p, k): they sum to f(x).

    References: Saabas (2014), Interpreting random forests; the contributions of a column depend on the order in which
    the trees ask.
    """
    base = np.array(trees.base, dtype=np.float64)
    parts = np.zeros((trees.rows.shape[1], len(base)))
    row = trees.rows[i]
    for tree in trees.trees:
        way, column = way_of(tree, row), tree.nodes["column"]
        base[tree.outputs] += tree.mean[way[0]]
        for parent, child in pairwise(way):
            parts[column[parent], tree.outputs] += tree.mean[child] - tree.mean[parent]
        rest = tree.value[way[-1]] - tree.mean[way[-1]]  # of a row that ends where its category has no way
        if column[way[-1]] >= 0:
            parts[column[way[-1]], tree.outputs] += rest
        else:
            base[tree.outputs] += rest
    return base, parts if trees.linear is None else parts + trees.linear[i]


def walked_rounds(nodes: Mapping[str, Array], k: int, weight: Array) -> list[WalkedTree]:
    """Binary trees side by side in one set of arrays, tree t for output t modulo k.

    `nodes` has beside the arrays of a node table ``roots``, ``value`` and ``count``; means of nodes are those of the
    leaves below them by the `weight` of their training rows, (n_nodes,).
    """
    value, mean = nodes["value"][:, None], mean_below(nodes, nodes["value"], weight)[:, None]
    return [
        WalkedTree(nodes, int(root), mean, value, slice(t % k, t % k + 1), nodes["count"])
        for t, root in enumerate(nodes["roots"])
    ]


def mean_below(nodes: Mapping[str, Array], value: Array, count: Array) -> Array:
    """The mean value of the training rows in each node, (n_nodes,), from the values and counts of the leaves.

    Of binary trees; children stand behind their parents.
    """
    mean = np.array(value, dtype=np.float64)
    for node in np.flatnonzero(nodes["column"] >= 0)[::-1]:
        a, b = nodes["left"][node], nodes["right"][node]
        rows = count[a] + count[b]
        mean[node] = (count[a] * mean[a] + count[b] * mean[b]) / rows if rows > 0 else 0.5 * (mean[a] + mean[b])
    return mean
