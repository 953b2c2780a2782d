"""Tables fitted to margins: the worked example, the nearest of all tables, and margins that no table has."""

import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose

from separatrix.core.errors import NotCertified
from separatrix.graphical import Contradiction, iterative_proportional_fitting, kl_divergence


@pytest.mark.mission("GM-11")
def test_the_worked_table_is_met_and_keeps_its_odds_ratio():
    fitted = iterative_proportional_fitting([[10, 20], [30, 40]], {0: [40, 60], 1: [55, 45]})
    Q = fitted.table
    assert_allclose(Q, [[19.59115447, 20.40884553], [35.40884553, 24.59115447]], atol=1e-8)
    assert_allclose(Q[0, 0] * Q[1, 1] / (Q[0, 1] * Q[1, 0]), 10 * 40 / (20 * 30), rtol=1e-12)
    assert fitted.certificate.converged and fitted.certificate.kind == "residual"


@pytest.mark.mission("GM-11")
def test_the_certificate_is_the_largest_error_of_a_margin():
    with pytest.warns(NotCertified, match="Raise max_iter"):
        fitted = iterative_proportional_fitting([[10, 20], [30, 40]], {0: [40, 60], 1: [55, 45]}, max_iter=1)
    errors = [*(fitted.table.sum(axis=1) - [40, 60]), *(fitted.table.sum(axis=0) - [55, 45])]
    assert_allclose(fitted.certificate.value, np.abs(errors).max() / 100.0)
    assert not fitted.certificate.converged


@pytest.mark.mission("GM-11")
def test_no_other_table_with_these_margins_is_nearer():
    """Moves that change no margin only lead away, in the divergence from the start."""
    rng = np.random.default_rng(0)
    T, other = rng.dirichlet(np.ones(24), 2).reshape(2, 2, 3, 4)
    margins = {(0, 1): other.sum(axis=2), (1, 2): other.sum(axis=0), (2, 0): other.sum(axis=1).T}
    Q = iterative_proportional_fitting(T, margins).table
    least = kl_divergence(Q, T)
    swap = np.zeros(Q.shape)
    for i, j, k in np.ndindex(2, 2, 2):
        swap[i, j, k] = (-1.0) ** (i + j + k)
    for step in (-1e-3, 1e-3):
        moved = Q + step * swap * Q.min()
        assert_allclose(moved.sum(axis=2), margins[0, 1], atol=1e-12)
        assert kl_divergence(moved, T) > least


@pytest.mark.mission("GM-11")
def test_margins_of_a_tree_give_the_tree():
    """Of margins whose graph has no cycle the answer is a product, met in one round."""
    P = np.random.default_rng(1).dirichlet(np.ones(12)).reshape(2, 3, 2)
    first, second = P.sum(axis=2), P.sum(axis=0)
    fitted = iterative_proportional_fitting(np.ones((2, 3, 2)), {(0, 1): first, (1, 2): second}, tol=1e-14)
    assert_allclose(fitted.table, first[:, :, None] * second[None] / P.sum(axis=(0, 2))[:, None], rtol=1e-13)
    assert fitted.certificate.iterations <= 2


def test_zeros_stay_zeros():
    fitted = iterative_proportional_fitting([[0, 1], [1, 1]], {0: [1, 2], 1: [1, 2]})
    assert_allclose(fitted.table, [[0, 1], [1, 1]], atol=1e-10)


@pytest.mark.parametrize(
    "table, margins, message",
    [
        (np.ones((2, 2)), {0: [40, 60], 1: [55, 46]}, "101 and 100 in all|100 and 101 in all"),
        (
            np.ones((2, 2, 2)),
            {(0, 1): [[1, 2], [3, 4]], (1, 2): [[2, 1], [3, 4]]},
            r"4 and 3 at \(0,\) of the axes \(1,\)",
        ),
        ([[0, 0], [1, 1]], {0: [1, 2]}, r"it is 1 in the cell \(0,\)"),
        # every two of three coins differ: no three coins do
        (
            np.ones((2, 2, 2)),
            {pair: [[0, 0.5], [0.5, 0]] for pair in ((0, 1), (1, 2), (0, 2))},
            "linear program proves",
        ),
        # two columns share one row's zeros: column 0 must have 3 from row 1, which has 2
        ([[0, 1], [1, 1]], {0: [3, 2], 1: [3, 2]}, "linear program proves"),
    ],
)
def test_margins_that_contradict_each_other_are_refused(table, margins, message):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(Contradiction, match=message):
            iterative_proportional_fitting(table, margins)


@pytest.mark.parametrize(
    "margins, options, message",
    [
        ({}, {}, "no mapping with at least one margin"),
        ([[1, 2]], {}, "no mapping"),
        ({2: [1, 1]}, {}, "the axes 0 to 1"),
        ({(0, 0): np.ones((2, 2))}, {}, "names an axis twice"),
        ({0: [1, 1, 1]}, {}, r"the shape \(2,\)"),
        ({0: [1, -1]}, {}, r"the margin of 0 with the value -1 in the cell \(1,\)"),
        ({0: [0, 0]}, {}, "all of them are 0"),
        ({0: [1, 1]}, {"max_iter": 0}, "out of range"),
    ],
)
def test_what_is_no_margin_is_refused(margins, options, message):
    with pytest.raises(ValueError, match=message):
        iterative_proportional_fitting(np.ones((2, 2)), margins, **options)


def test_two_margins_of_the_same_axes_are_refused():
    with pytest.raises(ValueError, match="two margins of the axes"):
        iterative_proportional_fitting(np.ones((2, 2)), {0: [1.0, 2.0], (0,): [2.0, 1.0]})


@pytest.mark.parametrize("size", [1e-310, 1e300])
def test_the_size_of_the_start_does_not_matter(size):
    start, margins = np.array([[1.0, 2.0], [3.0, 4.0]]), {0: [4e5, 6e5], 1: [3e5, 7e5]}
    expected = iterative_proportional_fitting(start, margins).table
    # cells near 1e-310 keep 44 bits
    assert_allclose(iterative_proportional_fitting(size * start, margins).table, expected, rtol=1e-12)
