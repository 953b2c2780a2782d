"""The average in a range: by hand, against scikit-learn, and what becomes of an empty window."""

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
import sklearn.neighbors as theirs
from numpy.testing import assert_allclose, assert_array_equal

from separatrix.core.errors import EmptyWindow
from separatrix.neighbors import RadiusNeighborsRegressor

SIZE = np.array([[98.0], [120.0], [131.0], [145.0], [154.0], [156.0], [170.0], [210.0]])
PRICE = np.array([210.0, 250.0, 270.0, 300.0, 340.0, 350.0, 360.0, 440.0])


def data(seed=0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((150, 3))
    return X, np.column_stack([X[:, 0], rng.standard_normal(150)]), rng.standard_normal((60, 3))


@pytest.mark.mission("KNN-07")
def test_the_price_of_a_size_is_the_mean_of_the_sales_around_it():
    model = RadiusNeighborsRegressor(radius=6.0).fit(SIZE, PRICE)
    assert_array_equal(model.predict([[150.0]]), [330.0])  # 145, 154, and 156 on the edge
    assert_array_equal(model.set_params(average="median").predict([[150.0]]), [340.0])
    assert_array_equal(RadiusNeighborsRegressor(radius=5.5).fit(SIZE, PRICE).predict([[150.0]]), [320.0])


@pytest.mark.mission("KNN-07")
@pytest.mark.parametrize("average", ["mean", "median"])
def test_an_empty_window_is_nan_and_said_with_numbers(average):
    model = RadiusNeighborsRegressor(radius=6.0, average=average).fit(SIZE, PRICE)
    with pytest.warns(EmptyWindow, match="2 of 3 windows are empty: no training row lies within radius=6") as caught:
        assert_array_equal(model.predict([[190.0], [150.0], [0.0]])[[0, 2]], [np.nan, np.nan])
    said = caught[0].message
    assert (said.empty, said.rows, said.radius) == (2, 3, 6.0)
    assert caught[0].filename == __file__


@pytest.mark.mission("KNN-07")
def test_an_empty_window_may_be_silent_or_an_error():
    model = RadiusNeighborsRegressor(radius=6.0, empty="nan").fit(SIZE, PRICE)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert np.isnan(model.predict([[190.0]])).all()
        assert_array_equal(model.set_params(empty="warn").predict([[98.0]]), [210.0])  # no window is empty
    with pytest.raises(ValueError, match=r"row 1 of X.*radius=6"):
        model.set_params(empty="raise").predict([[98.0], [190.0]])


NORMS = ["minkowski", "manhattan", "chebyshev", "cosine"]
WAYS = [(m, "brute") for m in [*NORMS, "canberra"]] + [(m, "kd_tree") for m in NORMS]


@pytest.mark.parametrize("metric, algorithm", WAYS)
@pytest.mark.parametrize("weights", ["uniform", "distance", lambda d: 1.0 / (1.0 + d)])
@pytest.mark.filterwarnings("ignore:One or more samples", "ignore::separatrix.core.errors.EmptyWindow")
def test_answers_are_scikit_learns(metric, weights, algorithm):
    X, y, Q = data()
    options = {"radius": 0.6, "metric": metric, "weights": weights}
    ours = RadiusNeighborsRegressor(**options, algorithm=algorithm).fit(X, y)
    reference = theirs.RadiusNeighborsRegressor(**options, algorithm="brute").fit(X, y)
    assert_allclose(ours.predict(Q), reference.predict(Q), rtol=1e-9)
    for rows in (Q, None):
        for sort in (True, False):
            mine = ours.radius_neighbors(rows, 0.8, sort_results=sort)
            other = reference.radius_neighbors(rows, 0.8, sort_results=sort)
            for a, b in zip(mine, other):
                for one, two in zip(a, b):
                    assert_allclose(one, two, rtol=1e-9)
        graph = ours.radius_neighbors_graph(rows, mode="distance")
        assert_allclose(graph.toarray(), reference.radius_neighbors_graph(rows, mode="distance").toarray(), rtol=1e-9)


def test_the_weighted_median_of_a_window_counts_weights():
    model = RadiusNeighborsRegressor(2.0, average="median", weights="distance")
    model.fit([[0.0], [1.0], [2.0], [9.0]], [5.0, 6.0, 100.0, 0.0])
    assert_array_equal(model.predict([[0.25]]), [5.0])  # weights 4, 4/3, 4/7
    assert_array_equal(model.predict([[1.0]]), [6.0])


def test_sparse_rows_and_one_output_as_a_column_keep_their_shapes():
    X, y, Q = data()
    dense = RadiusNeighborsRegressor(2.0).fit(X, y)
    sparse = RadiusNeighborsRegressor(2.0).fit(sp.csr_array(X), y)
    assert_allclose(sparse.predict(sp.csr_array(Q)), dense.predict(Q), rtol=1e-13, equal_nan=True)
    assert RadiusNeighborsRegressor(2.0).fit(X, y[:, :1]).predict(Q).shape == (60, 1)
    assert dense.n_parameters_ == 150 * 5


@pytest.mark.parametrize(
    "options, kind, said",
    [
        ({"radius": 0.0}, ValueError, r"radius=0.0: radius must be a number in \(0, inf\)"),
        ({"radius": -1.0}, ValueError, "radius=-1.0"),
        ({"radius": "wide"}, TypeError, "radius='wide'"),
        ({"empty": "zero"}, ValueError, "empty='zero'"),
        ({"average": "mode"}, ValueError, "average='mode'"),
    ],
)
def test_a_bad_parameter_is_named(options, kind, said):
    with pytest.raises(kind, match=said):
        RadiusNeighborsRegressor(**options).fit(SIZE, PRICE)


def test_a_bad_question_is_refused():
    model = RadiusNeighborsRegressor(6.0).fit(SIZE, PRICE)
    with pytest.raises(ValueError, match="radius=-2"):
        model.radius_neighbors(SIZE, -2.0)
    with pytest.raises(ValueError, match="return_distance=True"):
        model.radius_neighbors(SIZE, return_distance=False, sort_results=True)
    with pytest.raises(ValueError, match="mode='edges'"):
        model.radius_neighbors_graph(SIZE, mode="edges")
    with pytest.raises(ValueError, match="all zero"):
        model.set_params(weights=lambda d: 0.0 * d).predict(SIZE)
    assert model.radius_neighbors([[500.0]], return_distance=False)[0].tolist() == []
