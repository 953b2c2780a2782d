"""Maximum spanning trees against scipy, and their certificate against all trees."""

from itertools import product

import numpy as np
import pytest
from scipy.sparse.csgraph import minimum_spanning_tree

from separatrix.core.spanning_tree import certify_spanning_tree, paths
from separatrix.solvers.spanning_tree import maximum_spanning_tree


def random_weights(p, seed, *, ties=False):
    rng = np.random.default_rng(seed)
    W = rng.integers(1, 4, (p, p)).astype(float) if ties else rng.random((p, p))
    W = np.triu(W, 1)
    return W + W.T


def weight(W, edges):
    return W[tuple(np.asarray(edges).T)].sum()


def every_tree(p):
    """All p^(p-2) trees, by the sequences of Prüfer (1918)."""
    for sequence in product(range(p), repeat=p - 2):
        degree = [1 + sequence.count(node) for node in range(p)]
        edges = []
        for node in sequence:
            leaf = degree.index(1)
            edges.append(sorted((leaf, node)))
            degree[leaf] -= 1
            degree[node] -= 1
        edges.append([node for node in range(p) if degree[node] == 1])
        yield np.array(edges)


def certified(W, edges, **options):
    zero = np.zeros_like(W)
    return certify_spanning_tree(W, edges, **{"rounding": zero, "unit": 1.0, "tol": 1e-12, **options})


@pytest.mark.mission("GM-05")
@pytest.mark.parametrize("p", [2, 5, 40])
@pytest.mark.parametrize("ties", [False, True])
def test_the_tree_weighs_as_much_as_that_of_scipy(p, ties):
    W = random_weights(p, p, ties=ties)
    edges = maximum_spanning_tree(W)
    assert paths(edges, p) is not None
    np.testing.assert_allclose(weight(W, edges), -minimum_spanning_tree(-W).sum(), rtol=1e-13)
    assert certified(W, edges).value == 0.0


@pytest.mark.parametrize("ties", [False, True])
def test_the_gap_is_never_below_what_a_tree_falls_short_by(ties):
    W = random_weights(5, 7, ties=ties)
    trees = list(every_tree(5))
    best = max(weight(W, tree) for tree in trees)
    assert len(trees) == 125
    for tree in trees:
        short, claimed = best - weight(W, tree), certified(W, tree).value
        assert claimed >= short - 1e-14
        assert (claimed == 0.0) == (short < 1e-14)


def test_doubt_about_the_weights_is_a_part_of_the_gap():
    W = random_weights(6, 3)
    edges = maximum_spanning_tree(W)
    assert certified(W, edges, rounding=np.full(W.shape, 1e-15)).value == 0.0  # no two weights are that near
    assert certified(np.ones((6, 6)), edges, rounding=np.full(W.shape, 1e-15)).value == pytest.approx(5 * 2e-15)
    assert certified(W, edges, unit=0.0).value == 0.0


@pytest.mark.parametrize("edges", [[[0, 1], [0, 1]], [[0, 1]], [[0, 1], [1, 3]], [[0, 1], [-1, 0]]], ids=str)
def test_edges_that_are_no_spanning_tree_are_not_certified(edges):
    certificate = certified(random_weights(3, 0), np.array(edges))
    assert not certificate.converged and "no spanning tree" in str(certificate)


def test_one_node_is_a_tree():
    assert maximum_spanning_tree(np.zeros((1, 1))).shape == (0, 2)
    assert certified(np.zeros((1, 1)), np.empty((0, 2), dtype=int)).converged
