r"""The table of nodes that trees, forests and boosting share.

A tree is parallel arrays, one entry a node. Node 0 is the root, and a child has a larger number than its parent, so
that a walk ends after fewer steps than there are nodes. A node is one of three:

- a leaf: ``column`` is -1;
- a threshold: ``offset`` is -1, and a row goes ``left`` where ``x[column] <= threshold``, else ``right``;
- a routing by code: the row goes to ``routes[offset + code]`` where ``code = x[column]`` is one of the `width` codes of
  the column. A grouping of categories into two has ``left`` and ``right`` as its only children, a multiway split
  (a child for each category, or for each bin of a number) has one child a code, and -1 in ``left`` and ``right``.

A missing value (NaN) goes to ``missing``. A route of -1 is no child: the row *ends in the node itself*, and is
predicted by the node's own value. That is where categories go that the node has not met in training: the default of the
node.
"""

from typing import NamedTuple

import numpy as np

from separatrix.core.refusal import cannot
from separatrix.core.registry import register
from separatrix.core.types import Array

LEAF = -1
LARGEST = np.iinfo(np.int32).max


@register("record")
class NodeTable(NamedTuple):
    """A tree: one entry a node in each array but `routes`; see the module for what they mean.

    Attributes
    ----------
    column : int32.  The column that is asked; -1 in a leaf.
    threshold : float64.  NaN where the node has none.
    left, right, missing, parent : int32.  Numbers of nodes; -1 is none.
    offset, width : int32.  Where the routes of the node begin, and how many they are; -1 and 0 where it has none.
    weight : float64.  The sum of the sample weights of the training rows in the node.
    n_samples : int64.  The number of those rows.
    impurity : float64.  The criterion of those rows.
    value : float64 of shape (n_nodes, n_values).  What a row that ends in the node is predicted by: shares of the
        classes, a mean for each output, or a step of boosting.
    routes : int32.  Routes of all nodes, one after another.
    """

    column: Array
    threshold: Array
    left: Array
    right: Array
    missing: Array
    parent: Array
    offset: Array
    width: Array
    weight: Array
    n_samples: Array
    impurity: Array
    value: Array
    routes: Array


# The types of entries; `check_nodes` holds a table to them.
_INTEGERS = ("column", "left", "right", "missing", "parent", "offset", "width", "routes")
_NUMBERS = ("threshold", "weight", "impurity", "value")
KINDS = {**dict.fromkeys(_INTEGERS, np.int32), **dict.fromkeys(_NUMBERS, np.float64), "n_samples": np.int64}


def check_nodes(nodes: NodeTable, n_columns: int) -> None:
    """Refuse a table that the walk cannot be trusted with: a child out of range, a cycle, an unknown column.

    A file of a stranger may say anything; compiled code does not look where it reads.
    """
    why = fault_of(nodes, n_columns)
    if why:
        raise cannot("use this table of nodes", because=why, instead="a table that was saved whole, by save()")


def fault_of(nodes: NodeTable, n_columns: int) -> str:
    """What is wrong with a table; empty if nothing is."""
    n = nodes.column.shape[0] if nodes.column.ndim == 1 else 0
    if not 1 <= n < LARGEST:
        return "it has no nodes"
    for name, array in zip(NodeTable._fields, nodes, strict=True):
        if array.dtype != KINDS[name] or array.ndim != (2 if name == "value" else 1):
            return f"{name} is an array of {array.dtype} with {array.ndim} dimensions"
        if name != "routes" and array.shape[0] != n:
            return f"{name} has {array.shape[0]} entries for {n} nodes"
    return _fault_of_splits(nodes, n, n_columns) or _fault_of_children(nodes, n)


def _fault_of_splits(nodes: NodeTable, n: int, n_columns: int) -> str:
    if nodes.column.min() < LEAF or nodes.column.max() >= n_columns:
        return f"a split asks for a column outside 0 to {n_columns - 1}"
    routed = nodes.offset >= 0
    if nodes.offset.min() < -1 or nodes.width.min() < 0 or np.any((nodes.width > 0) != routed):
        return "routes and their numbers disagree"
    if np.any(nodes.offset[routed].astype(np.int64) + nodes.width[routed] > nodes.routes.size):
        return "routes lie outside of their array"
    inner = nodes.column >= 0
    if np.any(routed & ~inner):
        return "a leaf has routes"
    by_threshold = inner & ~routed
    if np.any(nodes.left[by_threshold] < 0) or np.any(nodes.right[by_threshold] < 0):
        return "a threshold lacks a child"
    if np.any(np.isnan(nodes.threshold[by_threshold])):
        return "a threshold is not a number"
    numbers = np.concatenate([nodes.weight, nodes.impurity, nodes.value.ravel()])
    return "" if np.all(np.isfinite(numbers)) and np.all(nodes.weight >= 0) else "a value is not finite"


def _fault_of_children(nodes: NodeTable, n: int) -> str:
    """Every node but the root must be a child of its parent, and of no other; parents stand before their children."""
    if nodes.parent[0] != -1 or np.any(nodes.parent[1:] < 0) or np.any(nodes.parent[1:] >= np.arange(1, n)):
        return "a node does not stand behind its parent"
    routed = np.flatnonzero(nodes.offset >= 0)
    counts = nodes.width[routed].astype(np.int64)
    if counts.sum() > nodes.routes.size:
        return "nodes share routes"
    owners = np.repeat(routed, counts)
    places = np.repeat(nodes.offset[routed] - np.cumsum(counts) + counts, counts) + np.arange(owners.size)
    everyone = np.arange(n)
    pairs = [(everyone, nodes.left), (everyone, nodes.right), (everyone, nodes.missing), (owners, nodes.routes[places])]
    parents = np.concatenate([a for a, _ in pairs])
    children = np.concatenate([b for _, b in pairs])
    real = children != -1
    parents, children = parents[real], children[real]
    if children.size and (children.min() < 1 or children.max() >= n):
        return f"a child is outside 1 to {n - 1}"
    if np.any(nodes.parent[children] != parents):
        return "a node is the child of two nodes"
    if np.any(nodes.column[parents] < 0):
        return "a leaf has children"
    return "" if np.unique(children).size == n - 1 else "a node is nobody's child"
