r"""Undirected graphs and probability tables: separation, conditional independence, and the three Markov properties.

.. math:: A \perp B \mid C \iff P(a, b \mid c) = P(a \mid c)\, P(b \mid c) \text{ for all } c \text{ with } P(c) > 0

global    sets that C separates in the graph are independent given C
local     a node is independent of all but its neighbours given these
pairwise  two nodes that no edge joins are independent given all others

Global implies local implies pairwise; they are the same where P > 0 (Lauritzen 1996, Graphical Models, 3.2).
"""

from collections.abc import Hashable, Iterable, Iterator, Sequence
from itertools import chain, combinations
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from separatrix.core.errors import cannot
from separatrix.core.types import Array
from separatrix.estimators.graphical.tables import checked_table

# A probability of a table that sums to one is right to a few eps, and a conditional one to a few eps of what it is
# conditioned on: far below this, unless P(c) is far below 1e-6.
TOLERANCE = 1e-9
PROPERTIES = ("global", "local", "pairwise")
MOST_NODES = 16  # of the global property, which asks about every set of nodes


class Graph:
    """An undirected graph: nodes of any names, in the order of the axes of a table, and edges.

    Parameters
    ----------
    nodes : int or sequence.  How many nodes there are, called 0, 1, ..., or their names.
    edges : sequence of pairs of nodes.

    >>> chain = Graph("abc", [("a", "b"), ("b", "c")])
    >>> chain.separates("b", "a", "c"), chain.separates("", "a", "c")
    (True, False)
    """

    def __init__(self, nodes: int | Sequence[Hashable], edges: Iterable[Sequence[Hashable]]) -> None:
        self.nodes = _named(nodes)
        if len(set(self.nodes)) < len(self.nodes):
            raise cannot("make a graph", because="two of its nodes have one name", instead="a name for each node")
        self._neighbours: dict[Hashable, set[Hashable]] = {node: set() for node in self.nodes}
        for edge in edges:
            pair = self.known(edge, "edges")
            a, b = pair if len(pair) == 2 else (None, None)
            if a == b:
                raise cannot(f"use the edge {edge!r}", because="an edge joins two nodes", instead="two different nodes")
            self._neighbours[a].add(b)
            self._neighbours[b].add(a)

    def __repr__(self) -> str:
        return f"Graph({self.nodes}, {self.edges})"

    @property
    def edges(self) -> list[tuple[Hashable, Hashable]]:
        """Pairs of nodes, in the order of the nodes."""
        return [pair for pair in combinations(self.nodes, 2) if pair[1] in self._neighbours[pair[0]]]

    def neighbours(self, node: Hashable) -> list[Hashable]:
        """The nodes that an edge joins with this one."""
        return [other for other in self.nodes if other in self._neighbours[self.known([node], "node")[0]]]

    def known(self, nodes: Iterable[Hashable], name: str) -> list[Hashable]:
        """The same nodes as a list, of a single one too; one that the graph does not have is refused."""
        several = [nodes] if isinstance(nodes, str) and nodes in self._neighbours else _listed(nodes)
        strange = [node for node in several if node not in self._neighbours]
        if strange:
            raise cannot(
                f"use the node {strange[0]!r} in {name}",
                because="the graph has no such node",
                instead=f"some of {', '.join(map(repr, self.nodes[:8]))}" + (", …" if len(self.nodes) > 8 else ""),
            )
        return several

    def components(self, without: Iterable[Hashable] = ()) -> list[list[Hashable]]:
        """The parts that hang together when some nodes are taken away, each in the order of the nodes."""
        left = set(self.nodes) - set(self.known(without, "without"))
        parts = []
        for node in self.nodes:
            if node not in left:
                continue
            part = queue = [node]
            left.discard(node)
            for each in queue:
                new = self._neighbours[each] & left
                left -= new
                part.extend(new)
            parts.append([each for each in self.nodes if each in part])
        return parts

    def separates(self, C: Iterable[Hashable], A: Iterable[Hashable], B: Iterable[Hashable]) -> bool:
        """Whether every path from A to B passes through C; the three sets have no node in common."""
        sets = [self.known(each, name) for each, name in ((A, "A"), (B, "B"), (C, "C"))]
        refuse_common(*sets)
        first, second = set(sets[0]), set(sets[1])
        return not any(first.intersection(part) and second.intersection(part) for part in self.components(sets[2]))


class Independence(NamedTuple):
    """Whether A and B are independent given C, and the cell where P(a, b | c) differs most from P(a | c) P(b | c)."""

    holds: bool
    difference: float
    cell: dict[Any, int]
    given: tuple[float, float]

    def __bool__(self) -> bool:
        return self.holds


class MarkovProperty(NamedTuple):
    """Whether a table has a Markov property, how many statements were checked, and the first that fails: A, B, C."""

    holds: bool
    checked: int
    witness: tuple[list[Any], list[Any], list[Any]] | None
    independence: Independence | None

    def __bool__(self) -> bool:
        return self.holds


def conditional_independence(
    table: ArrayLike, A: Any, B: Any, C: Any = (), *, names: Sequence[Hashable] | None = None, tol: float = TOLERANCE
) -> Independence:
    """Whether A and B are independent given C in a joint table, with the cell that says otherwise.

    Parameters
    ----------
    table : array.  Probabilities that sum to 1, an axis for each variable.
    A, B, C : variables, or iterables of them; C may be empty.
    names : sequence or None, default None.  What the axes are called; None for 0, 1, ...
    tol : float, [0, inf), default 1e-9.  The largest difference of a conditional probability that counts as none.

    >>> P = [[[0.5, 0.0], [0.0, 0.0]], [[0.0, 0.0], [0.0, 0.5]]]
    >>> bool(conditional_independence(P, [0], [1], [2])), bool(conditional_independence(P, [0], [1, 2]))
    (True, False)
    """
    P = checked_table(table, "table")
    graph = Graph(P.ndim if names is None else names, [])
    _refuse_other_axes(P, graph)
    sets = [graph.known(each, name) for each, name in ((A, "A"), (B, "B"), (C, "C"))]
    refuse_common(*sets)
    return _independence(P, graph.nodes, sets, tol)


def markov_property(table: ArrayLike, graph: Graph, which: str = "global", *, tol: float = TOLERANCE) -> MarkovProperty:
    """Whether a joint table has a Markov property with respect to a graph, with a witness where it has not.

    Of the global property it is enough to look, for each set C, at the parts into which the graph falls without C: each
    must be independent of those after it, given C.

    Parameters
    ----------
    table : array.  Probabilities that sum to 1, an axis for each node of the graph, in their order.
    graph : Graph.
    which : {"global", "local", "pairwise"}, default "global".
    tol : float, [0, inf), default 1e-9.  As in :func:`conditional_independence`.

    >>> P = [[[0.5, 0.0], [0.0, 0.0]], [[0.0, 0.0], [0.0, 0.5]]]
    >>> graph = Graph("abc", [("b", "c")])
    >>> bool(markov_property(P, graph, "pairwise")), markov_property(P, graph, "global").witness
    (True, (['a'], ['b', 'c'], []))
    """
    P = checked_table(table, "table")
    if not isinstance(graph, Graph):
        raise cannot(
            f"check a Markov property for graph={graph!r}",
            because="it is no graph",
            instead="Graph(nodes, edges) of separatrix.graphical, with a node for each axis",
        )
    _refuse_other_axes(P, graph)
    if which not in PROPERTIES:
        raise cannot(
            f"check the property {which!r}",
            because="there is none of that name",
            instead=" or ".join(map(repr, PROPERTIES)),
        )
    if which == "global" and len(graph.nodes) > MOST_NODES:
        raise cannot(
            f"check the global property of {len(graph.nodes)} nodes",
            because=f"it asks about all 2^{len(graph.nodes)} sets of nodes",
            instead='"local", which is the same where all probabilities are positive',
        )
    statements = {"global": _global, "local": _local, "pairwise": _pairwise}[which](graph)
    checked = 0
    for checked, (A, B, C) in enumerate(statements, start=1):
        independence = _independence(P, graph.nodes, [A, B, C], tol)
        if not independence:
            return MarkovProperty(False, checked, (A, B, C), independence)
    return MarkovProperty(True, checked, None, None)


def _pairwise(graph: Graph) -> Iterator[tuple[list[Any], list[Any], list[Any]]]:
    for a, b in combinations(graph.nodes, 2):
        if b not in graph.neighbours(a):
            yield [a], [b], [node for node in graph.nodes if node not in (a, b)]


def _local(graph: Graph) -> Iterator[tuple[list[Any], list[Any], list[Any]]]:
    for node in graph.nodes:
        near = graph.neighbours(node)
        rest = [other for other in graph.nodes if other != node and other not in near]
        if rest:
            yield [node], rest, near


def _global(graph: Graph) -> Iterator[tuple[list[Any], list[Any], list[Any]]]:
    for size in range(len(graph.nodes) - 1):
        for C in combinations(graph.nodes, size):
            parts = graph.components(C)
            for i in range(len(parts) - 1):
                yield parts[i], [node for node in graph.nodes if node in chain(*parts[i + 1 :])], list(C)


def _independence(P: Array, names: list[Any], sets: list[list[Any]], tol: float) -> Independence:
    """Compare P(a, b | c) with P(a | c) P(b | c) in all cells with P(c) > 0."""
    A, B, C = sets
    axes = [[names.index(node) for node in each] for each in sets]
    rest = tuple(axis for axis in range(P.ndim) if axis not in chain(*axes))
    kept = sorted(chain(*axes))
    joint = P.sum(axis=rest).transpose([kept.index(axis) for axis in chain(*axes)])
    shape = joint.shape
    a, b = int(np.prod(shape[: len(A)])), int(np.prod(shape[len(A) : len(A) + len(B)]))
    joint = joint.reshape(a, b, -1)
    whole = joint.sum(axis=(0, 1))
    given = np.divide(joint, whole, out=np.zeros_like(joint), where=whole > 0.0)
    product = given.sum(axis=1, keepdims=True) * given.sum(axis=0, keepdims=True)
    gap = np.abs(given - product)
    at = np.unravel_index(int(np.argmax(gap)), gap.shape)
    places = np.unravel_index(int(np.ravel_multi_index(at, gap.shape)), shape)
    cell = dict(zip([*A, *B, *C], map(int, places), strict=True))
    return Independence(bool(gap[at] <= tol), float(gap[at]), cell, (float(given[at]), float(product[at])))


def refuse_common(A: list[Any], B: list[Any], C: list[Any]) -> None:
    """Raise where the sets of a statement are not apart from each other, or where A or B is empty."""
    common = [node for node, times in ((node, [*A, *B, *C].count(node)) for node in [*A, *B, *C]) if times > 1]
    if common or not A or not B:
        raise cannot(
            f"ask about A={A}, B={B} given C={C}",
            because=f"{common[0]!r} stands there twice" if common else "A or B is empty",
            instead="sets without a common node, A and B not empty",
        )


def _named(nodes: Any) -> list[Hashable]:
    """The names of nodes: those that are given, or 0, 1, ... of so many."""
    if isinstance(nodes, Iterable):
        return list(nodes)
    if isinstance(nodes, int | np.integer) and not isinstance(nodes, bool) and nodes >= 0:
        return list(range(int(nodes)))
    raise cannot(
        f"make a graph of nodes={nodes!r}",
        because="they are neither a number nor names",
        instead="how many there are, or their names",
    )


def _listed(nodes: Any) -> list[Any]:
    """Nodes as a list; what is no collection is one of them."""
    return list(nodes) if isinstance(nodes, Iterable) else [nodes]


def _refuse_other_axes(P: Array, graph: Graph) -> None:
    if P.ndim != len(graph.nodes):
        raise cannot(
            f"compare a table of {P.ndim} axes with {len(graph.nodes)} nodes",
            because="each node is an axis",
            instead="a table with an axis for each node, in their order",
        )
