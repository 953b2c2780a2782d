r"""The numbers of a tree of categories, from counts of pairs: informations, the best tree, and its tables.

.. math:: P = \frac{N + m\,U}{n + m}, \qquad I_{jl} = H_j + H_l - H_{jl}

where U has equal shares in all cells and m is the smoothing, a number of pretended rows. All pairs are margins of one
distribution, so that the joint of the tree is the same whatever column it hangs from.
"""

from itertools import pairwise
from typing import NamedTuple

import numpy as np
from scipy.special import xlogy

from separatrix.core.solution import Certificate
from separatrix.core.spanning_tree import certify_spanning_tree
from separatrix.core.types import Array
from separatrix.solvers.spanning_tree import maximum_spanning_tree

EPS = float(np.finfo(np.float64).eps)
# What the gap of a tree is held to, in units of the entropy of the columns: well above rounding (of tables with a
# thousand levels a column: 1e-12), and far below what data can tell.
TOLERANCE = 1e-10


class Informations(NamedTuple):
    """Entropies (p,) and mutual informations (p, p) of all columns, and what their rounding may be, (p, p)."""

    entropies: Array
    informations: Array
    rounding: Array

    def certify(self, edges: Array, started: float | None = None) -> Certificate:
        """The gap of a tree in units of the entropy of the columns: the cross entropy of the tree of no edges."""
        unit = float(self.entropies.sum())
        weights, rounding = self.informations, self.rounding
        return certify_spanning_tree(weights, edges, rounding=rounding, unit=unit, tol=TOLERANCE, started=started)


class TreeTables(NamedTuple):
    """The tree, undirected: edges (p - 1, 2), a table for each column and a table for each edge."""

    edges: Array
    margins: list[Array]
    pairs: list[Array]


def shares(counts: Array, sizes: Array, total: float, smoothing: float) -> Array:
    """Probabilities of all pairs of levels from their counts: the diagonal blocks hold the single columns."""
    share = 1.0 / np.repeat(sizes, sizes)
    P = counts + smoothing * np.outer(share, share)
    for block in _blocks(sizes):
        P[block, block] = np.diag(np.diagonal(counts)[block] + smoothing * share[block])
    return P / (total + smoothing)


def informations(P: Array, sizes: Array) -> Informations:
    """Entropies and mutual informations of all pairs of columns.

    A sum of V terms is right to V eps times the sum of their sizes; an information is made of three such sums.

    >>> half = np.array([[0.5, 0.0, 0.5, 0.0], [0.0, 0.5, 0.0, 0.5]])
    >>> informations(np.vstack([half, half]), np.array([2, 2])).informations.round(4)
    array([[0.6931, 0.6931],
           [0.6931, 0.6931]])
    """
    first = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    joint = -np.add.reduceat(np.add.reduceat(xlogy(P, P), first, axis=1), first, axis=0)
    H = np.diagonal(joint).copy()
    both = H[:, None] + H
    rounding = (sizes[:, None] + sizes + 8.0) * EPS * both
    information = np.maximum(both - joint, 0.0)
    np.fill_diagonal(information, H)
    return Informations(H, np.maximum(information, information.T), rounding)


def tree_tables(P: Array, sizes: Array, information: Array) -> TreeTables:
    """The tree of the largest sum of informations, with its tables."""
    edges = maximum_spanning_tree(information)
    return tables_of(P, sizes, edges)


def tables_of(P: Array, sizes: Array, edges: Array) -> TreeTables:
    """The tables of the columns and of some edges."""
    blocks = _blocks(sizes)
    margins = [np.diagonal(P)[block].copy() for block in blocks]
    return TreeTables(edges, margins, [P[blocks[j], blocks[l]].copy() for j, l in edges.tolist()])


def directed(tables: TreeTables, root: int) -> tuple[Array, list[Array]]:
    r"""Parents (p,), -1 for the root, and the tables :math:`P(x_j \mid x_{parent})`; of the root :math:`P(x_r)`.

    No column has two parents, so that no arrows meet head to head. A parent that never has some value leaves the
    child's own shares there: any would do.
    """
    p = len(tables.margins)
    neighbours: list[list[tuple[int, Array]]] = [[] for _ in range(p)]
    for (j, l), table in zip(tables.edges.tolist(), tables.pairs, strict=True):
        neighbours[j].append((l, table))
        neighbours[l].append((j, table.T))
    parents, conditionals = np.full(p, -1), list(tables.margins)
    queue = [root]
    for j in queue:
        for l, table in neighbours[j]:
            if l != parents[j]:
                parents[l] = j
                queue.append(l)
                whole = table.sum(axis=1, keepdims=True)
                given = np.tile(tables.margins[l], (len(table), 1))
                conditionals[l] = np.divide(table, whole, out=given, where=whole > 0.0)
    return parents, conditionals


def _blocks(sizes: Array) -> list[slice]:
    return [slice(a, b) for a, b in pairwise([0, *np.cumsum(sizes).tolist()])]
