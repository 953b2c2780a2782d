"""Columns that others determine are the later ones, whatever their size."""

import numpy as np
import pytest

from separatrix.core.target import Target
from separatrix.designs import as_design
from separatrix.designs.factor import factor_of
from separatrix.linear_model import LinearRegression, LogisticRegression

pytestmark = pytest.mark.filterwarnings("ignore::separatrix.core.errors.RankDeficient")


def dependent(rng, n=24, p=9, rank=5):
    """Small whole numbers, so that ranks are beyond doubt; columns of very different size."""
    X = rng.integers(-3, 4, (n, rank)) @ rng.integers(-2, 3, (rank, p))
    return X * 10.0 ** rng.integers(-2, 3, p)


def determined_by_earlier(X):
    """Columns that do not raise the rank of those before them, the constant being the first."""
    X = np.column_stack([np.ones(len(X)), X / np.maximum(np.abs(X).max(axis=0), 1.0)])
    ranks = [np.linalg.matrix_rank(X[:, : j + 1]) for j in range(X.shape[1])]
    return tuple(j for j in range(X.shape[1] - 1) if ranks[j + 1] == ranks[j])


@pytest.mark.parametrize("seed", range(20))
def test_the_columns_left_out_are_those_that_earlier_ones_determine(seed):
    rng = np.random.default_rng(seed)
    X = dependent(rng)
    y = rng.standard_normal(len(X))
    least_squares = LinearRegression().fit(X, y)
    assert least_squares.evidence_.aliased == determined_by_earlier(X)
    logistic = LogisticRegression(C=np.inf).fit(np.vstack([X, X]), np.repeat([0, 1], len(X)))
    assert logistic.evidence_.aliased == determined_by_earlier(X)


def test_a_column_that_hardly_differs_from_an_earlier_one_is_left_out_before_one_that_does():
    """R's rule: what adds less than 1e-7 of itself is not kept where the rank can be had without."""
    rng = np.random.default_rng(0)
    a, b = rng.standard_normal((2, 200))
    X = np.column_stack([a, a + 1e-11 * b, b])
    factor = factor_of(as_design(X), Target(np.zeros(200)), np.zeros(3), True)
    assert factor.aliased.tolist() == [1]
    assert factor.condition() < 2.0


def test_dependent_columns_are_the_combinations_that_the_factor_says():
    X = dependent(np.random.default_rng(3))
    factor = factor_of(as_design(X), Target(np.zeros(len(X))), np.zeros(X.shape[1]), True)
    scaled = (X - X.mean(axis=0)) * factor.scale
    np.testing.assert_allclose(scaled[:, factor.kept] @ factor.combination, scaled[:, factor.aliased], atol=1e-13)


def test_more_columns_than_a_panel_holds_are_kept_in_order():
    rng = np.random.default_rng(1)
    X = rng.standard_normal((400, 150))
    copies = np.array([20, 63, 64, 65, 127, 128, 149])
    X[:, copies] = X[:, copies - 20] - X[:, copies - 7]
    factor = factor_of(as_design(X), Target(np.zeros(400)), np.zeros(150), True)
    assert sorted(factor.aliased) == copies.tolist()


def test_the_condition_of_few_columns_is_that_of_their_singular_values():
    """Power iterations were 10 % below it where singular values lie close together; the summary shows three digits."""
    X = np.random.default_rng(3).normal(50.0, 10.0, (60, 3)).round(1).astype(np.float32).astype(np.float64)
    for order in ([0, 1, 2], [2, 1, 0], [1, 2, 0]):
        factor = factor_of(as_design(X[:, order]), Target(np.zeros(60)), np.zeros(3), True)
        centred = X - X.mean(axis=0)
        expected = np.linalg.cond(centred / np.linalg.norm(centred, axis=0))
        np.testing.assert_allclose(factor.condition(), expected, rtol=1e-10)
