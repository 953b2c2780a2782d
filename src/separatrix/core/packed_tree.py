r"""A tree of a forest, packed: what a prediction needs, and what the rest can be computed from.

Nodes stand depth first, so that the left child of a node is the next node and has no entry of its own. A node is one of
three, by its ``column``:

- 0 or more: a threshold. A row goes to the next node where ``x[column] <= threshold``, else to ``right``. Where
  ``right`` is negative the right child is ``~right``, and missing values go left; else they go right.
- -1: a leaf. Its values are entry ``right`` of the arrays of ends.
- -2 - r: a routing by code, row r of ``routed``. A row that no route takes ends in the node itself, whose values are
  entry ``right`` as well.

Counts, weights, means and impurities of inner nodes are sums over their leaves. A table of all nodes takes 76 bytes a
node of two classes, this one 34, or 26 where leaves are pure and all rows count once.
"""

from typing import NamedTuple

import numpy as np

from separatrix.core.registry import register
from separatrix.core.types import Array

LEAF = -1


@register("record")
class PackedTree(NamedTuple):
    """One tree; see the module for what the arrays mean.

    Attributes
    ----------
    column, right : int32 (n_nodes,).  threshold : float64 (n_nodes,), 0 where there is none.
    value : float64 (n_ends, n_values).  Shares of the classes, or means, in the order of the nodes.
    weight, impurity : float64 (n_ends or 0,).  n_samples : int32 (n_ends,).  Of the training rows of these nodes; none
        are kept where weights are the numbers of samples, and impurities 0: :func:`weights_of`, :func:`impurities_of`.
    inner : float64 (n_nodes or 0, n_values + 1).  Values and impurities of all nodes, where they are no means over
        leaves: of medians, Poisson's deviance and monotone trees.
    routed : int32 (n_routed, 4).  Column, offset and number of its routes, and the child of missing values, -1 for
        none.
    routes : int32.  Children by code, -1 for none.
    """

    column: Array
    threshold: Array
    right: Array
    value: Array
    weight: Array
    impurity: Array
    n_samples: Array
    inner: Array
    routed: Array
    routes: Array


def weights_of(tree: PackedTree) -> Array:
    """The weights of the ends."""
    return tree.weight if tree.weight.size else tree.n_samples.astype(np.float64)


def impurities_of(tree: PackedTree) -> Array:
    """The impurities of the ends."""
    return tree.impurity if tree.impurity.size else np.zeros(tree.n_samples.size)


KINDS = {
    **dict.fromkeys(("column", "right", "n_samples", "routed", "routes"), np.int32),
    **dict.fromkeys(("threshold", "value", "weight", "impurity", "inner"), np.float64),
}


def fault_of_packed(tree: PackedTree, n_columns: int, n_values: int) -> str:
    """What is wrong with a tree, in words, empty if nothing is: every walk must stay in its arrays and end."""
    for name, array in zip(PackedTree._fields, tree, strict=True):
        if array.dtype != KINDS[name] or array.ndim != (2 if name in ("value", "inner", "routed") else 1):
            return f"{name} is an array of {array.dtype} with {array.ndim} dimensions"
    n, ends, width = tree.column.size, tree.n_samples.size, tree.value.shape[1]
    if n < 1 or tree.threshold.size != n or tree.right.size != n:
        return "its nodes have different numbers of entries"
    if tree.value.shape != (ends, n_values) or tree.weight.size not in (0, ends) or tree.impurity.size not in (0, ends):
        return "its ends have different numbers of entries"
    if tree.inner.shape not in ((0, width + 1), (n, width + 1)) or tree.routed.shape[1] != 4:
        return "inner nodes and routes have other shapes"
    if tree.column.max() >= n_columns or tree.column.min() < LEAF - tree.routed.shape[0]:
        return f"a split asks for a column outside 0 to {n_columns - 1}"
    numbers = np.concatenate([tree.value.ravel(), tree.weight, tree.impurity, tree.inner.ravel()])
    if not np.all(np.isfinite(numbers)) or np.any(np.isnan(tree.threshold)):
        return "a value is not finite"
    if np.any(tree.weight <= 0.0) or np.any(tree.n_samples < 1):
        return "an end has no training rows"
    return _fault_of_walks(tree, n, ends, n_columns) or _fault_of_inner(tree)


def _fault_of_walks(tree: PackedTree, n: int, ends: int, n_columns: int) -> str:
    nodes = np.arange(n)
    split = tree.column >= 0
    child = np.where(tree.right < 0, ~tree.right, tree.right)[split]
    if np.any(child <= nodes[split] + 1) or np.any(child >= n):
        return "a child is no node behind its parent"
    closed = nodes[~split]
    if closed.size != ends or np.any(tree.right[closed] != np.arange(ends)):
        return "ends and their values disagree"
    owners = np.flatnonzero(tree.column < LEAF)
    if owners.size != len(tree.routed) or np.any(LEAF - 1 - tree.column[owners] != np.arange(owners.size)):
        return "nodes and their routes disagree"
    column, offset, width, missing = tree.routed.T.astype(np.int64)
    if np.any((column < 0) | (column >= n_columns)) or np.any((offset < 0) | (width < 0)):
        return "a routing asks for no column"
    if np.any(offset + width > tree.routes.size) or width.sum() > tree.routes.size:
        return "routes lie outside of their array"
    places = np.repeat(offset - np.cumsum(width) + width, width) + np.arange(width.sum())
    targets, parents = tree.routes[places], np.repeat(owners, width)
    targets, parents = np.concatenate([targets, missing]), np.concatenate([parents, owners])
    wrong = ((targets <= parents) | (targets >= n)) & (targets != -1)
    if wrong.any():
        return "a route leads to no node behind it"
    # every node but the root is a child once: of one parent, however many of its routes lead there
    routed = np.unique(np.stack([parents, targets], axis=1)[targets != -1], axis=0)[:, 1]
    children = np.concatenate([nodes[split] + 1, child, routed])
    return "" if np.array_equal(np.sort(children), nodes[1:]) else "a node is not the child of one other"


def _fault_of_inner(tree: PackedTree) -> str:
    """Ends stand in `inner`, too: rows are predicted by `value`, and tables of all nodes are made of `inner`."""
    if not len(tree.inner):
        return ""
    stated = np.column_stack([tree.value, impurities_of(tree)])
    return "" if np.array_equal(tree.inner[tree.column < 0], stated) else "ends and inner nodes have different values"
