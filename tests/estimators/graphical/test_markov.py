"""Separation in graphs, conditional independence of tables, and the three Markov properties with their witnesses."""

from itertools import chain, combinations, product

import numpy as np
import pytest

from separatrix.graphical import Graph, conditional_independence, markov_property

NODES = "abcd"
CHAIN, STAR = Graph(NODES, ["ab", "bc", "cd"]), Graph(NODES, ["ab", "ac", "ad"])
CYCLE = Graph(NODES, ["ab", "bc", "cd", "da"])


def both_alike(d):
    """One half at (0, ..., 0) and one at (1, ..., 1): the example of the seeds."""
    P = np.zeros((2,) * d)
    P[(0,) * d] = P[(1,) * d] = 0.5
    return P


def pairwise_table(graph, rng):
    """A positive table that is a product of random factors of edges and nodes."""
    d = len(graph.nodes)
    P = np.ones((2,) * d)
    for a, b in graph.edges:
        shape = [2 if node in (a, b) else 1 for node in graph.nodes]
        P = P * np.exp(rng.standard_normal(4)).reshape(shape)
    return P / P.sum()


@pytest.mark.mission("GM-16")
def test_a_path_around_is_found():
    assert CHAIN.separates("b", "a", "cd") and not CHAIN.separates("", "a", "d")
    assert STAR.separates("a", "b", "cd") and not STAR.separates("b", "a", "cd")
    assert CYCLE.separates("bd", "a", "c") and not CYCLE.separates("b", "a", "c")
    assert Graph(3, []).separates([], [0], [1, 2])


@pytest.mark.mission("GM-16")
def test_separation_is_that_of_all_paths():
    """Against paths walked one by one, over all graphs of four nodes."""
    pairs = list(combinations(NODES, 2))
    for chosen in product([False, True], repeat=len(pairs)):
        graph = Graph(NODES, [pair for pair, is_in in zip(pairs, chosen, strict=True) if is_in])
        for C in chain.from_iterable(combinations("bc", k) for k in range(3)):
            assert graph.separates(C, "a", "d") == (not path_between(graph, "a", "d", {*C, "a"})), (graph, C)


def path_between(graph, a, b, closed):
    return b in graph.neighbours(a) or any(
        path_between(graph, near, b, closed | {near}) for near in graph.neighbours(a) if near not in closed
    )


@pytest.mark.mission("GM-17", "GM-15", "GM-13")
def test_zeros_break_the_way_from_pairwise_to_global():
    """G091."""
    P, graph = both_alike(3), Graph("abc", ["bc"])
    assert conditional_independence(P, "a", "b", "c", names="abc")
    assert conditional_independence(P, "a", "c", "b", names="abc")
    assert not conditional_independence(P, "a", "bc", names="abc")
    assert [bool(markov_property(P, graph, which)) for which in ("global", "local", "pairwise")] == [False, False, True]
    witness = markov_property(P, graph, "local")
    assert witness.witness == (["a"], ["b", "c"], [])
    assert witness.independence.difference == 0.25
    assert sorted(witness.independence.given) in ([0.25, 0.5], [0.0, 0.25])


@pytest.mark.mission("GM-15", "GM-13")
def test_zeros_break_the_way_from_local_to_global():
    """G092, with the edges that its statements are about: {(a, b), (c, d)}, not the printed {(b, c)}."""
    P, graph = both_alike(4), Graph(NODES, ["ab", "cd"])
    for A, B, C in (("a", "cd", "b"), ("b", "cd", "a"), ("c", "ab", "d"), ("d", "ab", "c")):
        assert conditional_independence(P, A, B, C, names=NODES)
    assert not conditional_independence(P, "a", "c", names=NODES)
    assert markov_property(P, graph, "local") and markov_property(P, graph, "pairwise")
    failed = markov_property(P, graph, "global")
    assert not failed and failed.witness == (["a", "b"], ["c", "d"], [])
    assert not markov_property(P, Graph(NODES, ["bc"]), "local")


@pytest.mark.mission("GM-17")
def test_one_certain_value_is_independent_of_everything():
    P = np.zeros((2, 2, 2))
    P[1, 1, 1] = 1.0
    assert conditional_independence(P, [0], [1, 2])


@pytest.mark.mission("GM-14", "GM-13")
@pytest.mark.parametrize(
    "graph", [CHAIN, STAR, CYCLE, Graph(NODES, ["ab", "cd"])], ids=["chain", "star", "cycle", "two"]
)
def test_for_positive_tables_the_three_properties_are_one(graph):
    rng = np.random.default_rng(0)
    others = [
        Graph(NODES, pairs) for pairs in (["ab"], ["ab", "bc"], ["ab", "bc", "cd", "ac"], list(combinations(NODES, 2)))
    ]
    P = pairwise_table(graph, rng)
    for other in [graph, *others]:
        answers = {bool(markov_property(P, other, which)) for which in ("global", "local", "pairwise")}
        assert answers == {set(graph.edges) <= set(other.edges)}, other


@pytest.mark.mission("GM-13")
def test_the_global_property_is_that_of_all_separated_sets():
    """The statements that are looked at stand for all: against every triple of sets, by the definition."""
    rng = np.random.default_rng(1)
    tables = [
        both_alike(4),
        pairwise_table(CHAIN, rng),
        pairwise_table(CYCLE, rng),
        rng.dirichlet(np.ones(16)).reshape((2,) * 4),
    ]
    for P, graph in product(tables, (CHAIN, STAR, CYCLE, Graph(NODES, ["ab", "cd"]))):
        every = all(
            conditional_independence(P, A, B, C, names=NODES) for A, B, C in triples(NODES) if graph.separates(C, A, B)
        )
        assert bool(markov_property(P, graph, "global")) == every


def triples(nodes):
    for places in product(range(4), repeat=len(nodes)):
        A, B, C = ([node for node, place in zip(nodes, places, strict=True) if place == part] for part in range(3))
        if A and B:
            yield A, B, C


@pytest.mark.mission("GM-17")
def test_the_witness_is_the_cell_that_differs_most():
    P = np.random.default_rng(2).dirichlet(np.ones(12)).reshape(2, 3, 2)
    said = conditional_independence(P, [2], [0], [1])
    a, b, c = said.cell[2], said.cell[0], said.cell[1]
    both = P[b, c, a] / P[:, c].sum()
    apart = P[:, c, a].sum() / P[:, c].sum() * P[b, c].sum() / P[:, c].sum()
    np.testing.assert_allclose(said.given, (both, apart), rtol=1e-12)
    np.testing.assert_allclose(abs(both - apart), said.difference, rtol=1e-12)


@pytest.mark.parametrize(
    "task, message",
    [
        (lambda: Graph("ab", ["ac"]), "use the node 'c' in edges"),
        (lambda: Graph("ab", ["aa"]), "an edge joins two nodes"),
        (lambda: Graph("aab", []), "two of its nodes have one name"),
        (lambda: CHAIN.separates("b", "a", "e"), "use the node 'e' in B"),
        (lambda: CHAIN.separates("b", "a", "b"), "'b' stands there twice"),
        (lambda: CHAIN.separates("b", "", "c"), "A or B is empty"),
        (lambda: conditional_independence(both_alike(3), [0], [3]), "use the node 3 in B"),
        (lambda: conditional_independence(both_alike(3), "a", "b", names="ab"), "a table of 3 axes with 2 nodes"),
        (lambda: conditional_independence([0.5, 0.6], [0], [1]), "sum to 1.1"),
        (lambda: markov_property(both_alike(3), CHAIN), "a table of 3 axes with 4 nodes"),
        (lambda: markov_property(both_alike(4), CHAIN, "total"), "none of that name"),
        (lambda: Graph(2.5, []), "make a graph of nodes=2.5"),
        (lambda: Graph(3, [1]), "use the edge 1"),
        (lambda: markov_property(both_alike(2), [(0, 1)]), "check a Markov property for graph="),
        (lambda: markov_property(np.full((1,) * 17, 1.0), Graph(17, [])), "all 2.17 sets of nodes"),
    ],
)
def test_what_makes_no_statement_is_refused(task, message):
    with pytest.raises(ValueError, match=message):
        task()


def test_a_single_node_needs_no_brackets():
    rain = Graph(["rain", "road", "crash"], [("rain", "road"), ("road", "crash")])
    assert rain.separates("road", "rain", "crash")
    assert Graph(np.int64(3), [(0, 1), (1, 2)]).separates(1, 0, 2)
    P = np.full((2, 2, 2), 0.125)
    assert conditional_independence(P, 0, 1, 2) == conditional_independence(P, [0], [1], [2])


@pytest.mark.mission("GM-13")
def test_three_switches_whose_sum_is_even_are_independent_in_pairs_only():
    P = np.zeros((2, 2, 2))
    P[0, 0, 0] = P[0, 1, 1] = P[1, 0, 1] = P[1, 1, 0] = 0.25
    failed = markov_property(P, Graph("abc", []), "global")
    assert failed.witness == (["a"], ["b", "c"], []) and failed.checked == 1
