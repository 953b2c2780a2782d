"""Local linear regression against least squares at each query, its limits, and its laws."""

import numpy as np
import pytest
import statsmodels.api as sm
from by_hand import kernel_weights, linear
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from separatrix.core.errors import LocallyUndetermined
from separatrix.linear_model import LinearRegression
from separatrix.local import LocalLinearRegression

KERNELS = ["gaussian", "epanechnikov", "tricube", "uniform"]


def data(n=150, p=2, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.uniform(-2.0, 2.0, (n, p))
    return X, np.sin(2.0 * X[:, 0]) + 0.5 * X[:, -1] ** 2 + 0.3 * rng.standard_normal(n), rng.uniform(-1.5, 1.5, (7, p))


@pytest.mark.mission("SI-11")
@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("degree", [0, 1, 2])
def test_the_fit_at_a_query_is_weighted_least_squares_about_it(kernel, degree):
    X, y, queries = data()
    model = LocalLinearRegression(bandwidth=1.6, kernel=kernel, degree=degree).fit(X, y)
    found, predicted = model.local_coefficients(queries), model.predict(queries)
    for row, x0 in enumerate(queries):
        beta, _ = linear(X, y, x0, 1.6, kernel, degree)
        assert predicted[row] == pytest.approx(beta[0], rel=1e-10, abs=1e-11)
        assert_allclose(found.slopes[row], beta[1:3] if degree else np.zeros(2), rtol=1e-9, atol=1e-10)
    assert found.certificate.max() < 1e-12
    assert model.certificate_.converged


@pytest.mark.mission("SI-11")
def test_statsmodels_weighted_least_squares_agrees():
    X, y, queries = data()
    model = LocalLinearRegression(bandwidth=0.9, kernel="gaussian").fit(X, y)
    for x0, value, slopes in zip(queries, model.predict(queries), model.local_coefficients(queries).slopes):
        theirs = sm.WLS(y, sm.add_constant(X - x0), weights=kernel_weights(X, x0, 0.9, "gaussian")).fit()
        assert_allclose([value, *slopes], theirs.params, rtol=1e-9, atol=1e-10)


def test_degree_zero_is_the_weighted_average_of_nadaraya_and_watson():
    X, y, queries = data()
    model = LocalLinearRegression(bandwidth=0.7, kernel="epanechnikov", degree=0).fit(X, y)
    for x0, value in zip(queries, model.predict(queries)):
        K = kernel_weights(X, x0, 0.7, "epanechnikov")
        assert value == pytest.approx(K @ y / K.sum(), rel=1e-12)


@pytest.mark.mission("SI-11")
def test_with_endless_windows_it_is_the_global_fit_with_its_errors_and_intervals():
    X, y, queries = data()
    model = LocalLinearRegression(bandwidth=1e9, kernel="gaussian").fit(X, y)
    whole = LinearRegression().fit(X, y)
    assert_allclose(model.predict(queries), whole.predict(queries), rtol=1e-11)
    assert_allclose(model.local_coefficients(queries).slopes, np.tile(whole.coef_, (7, 1)), rtol=1e-10)
    theirs = sm.OLS(y, sm.add_constant(X)).fit().get_prediction(sm.add_constant(queries, has_constant="add"))
    assert_allclose(model.standard_errors(queries), theirs.se_mean, rtol=1e-9)
    assert_allclose(np.column_stack(model.interval(queries, 0.9)), theirs.conf_int(alpha=0.1), rtol=1e-9)
    assert model.effective_degrees_of_freedom_ == pytest.approx(3.0, rel=1e-12)


@pytest.mark.parametrize("degree", [0, 1, 2])
def test_errors_are_those_of_the_rows_of_the_smoother(degree):
    X, y, queries = data(80)
    model = LocalLinearRegression(bandwidth=1.5, degree=degree).fit(X, y)
    L = np.array([linear(X, y, x0, 1.5, "tricube", degree)[1] for x0 in X])
    freedom = len(y) - 2 * np.trace(L) + (L * L).sum()
    sigma = np.sqrt(((y - L @ y) ** 2).sum() / freedom)
    assert model.effective_degrees_of_freedom_ == pytest.approx(np.trace(L), rel=1e-9)
    assert model.sigma_ == pytest.approx(sigma, rel=1e-9)
    rows = np.array([linear(X, y, x0, 1.5, "tricube", degree)[1] for x0 in queries])
    assert_allclose(model.standard_errors(queries), sigma * np.linalg.norm(rows, axis=1), rtol=1e-8)


def test_intervals_of_a_wide_line_cover_as_often_as_they_say():
    rng = np.random.default_rng(1)
    x = np.linspace(0.0, 1.0, 60)
    hits = []
    for _ in range(200):
        low, high = LocalLinearRegression(span=0.9).fit(x[:, None], 2 * x + rng.standard_normal(60)).interval([[0.4]])
        hits.append(low[0] < 0.8 < high[0])
    assert 0.90 < np.mean(hits) < 0.99


def test_nearest_neighbour_windows_reach_to_the_neighbour():
    X, y, queries = data()
    model = LocalLinearRegression(n_neighbors=40).fit(X, y)
    found = model.local_coefficients(queries)
    for row, x0 in enumerate(queries):
        h = np.sort(np.linalg.norm(X - x0, axis=1))[39]
        assert found.bandwidth[row] == pytest.approx(h, rel=1e-12)
        assert found.intercept[row] == pytest.approx(linear(X, y, x0, h, "tricube", 1)[0][0], rel=1e-9)
    uniform = LocalLinearRegression(n_neighbors=40, kernel="uniform").fit(X, y)
    assert_array_equal(uniform.local_coefficients(queries).rows, 40)
    assert_array_equal(model.predict(queries), LocalLinearRegression(span=40 / 150).fit(X, y).predict(queries))
    assert_array_equal(
        LocalLinearRegression(span=0.7).fit(X, y).predict(X), LocalLinearRegression().fit(X, y).predict(X)
    )


@pytest.mark.parametrize("width", [{"bandwidth": 1.2}, {"n_neighbors": 60}, {"span": 0.3}], ids=str)
def test_a_weight_means_repetition(width):
    X, y, queries = data(90)
    s = np.random.default_rng(3).integers(0, 4, 90)
    weighted = LocalLinearRegression(**width).fit(X, y, s)
    repeated = LocalLinearRegression(**width).fit(np.repeat(X, s, axis=0), np.repeat(y, s))
    assert_allclose(weighted.predict(queries), repeated.predict(queries), rtol=1e-11)
    assert_allclose(weighted.standard_errors(queries), repeated.standard_errors(queries), rtol=1e-9)
    assert weighted.effective_degrees_of_freedom_ == pytest.approx(repeated.effective_degrees_of_freedom_, rel=1e-10)


@settings(max_examples=25, deadline=None)
@given(shift=st.floats(-1e6, 1e6), scale=st.floats(1e-3, 1e3), lift=st.floats(-1e3, 1e3), degree=st.integers(0, 2))
def test_moving_and_stretching_x_or_y_moves_and_stretches_the_answer(shift, scale, lift, degree):
    X, y, queries = data(60)
    plain = LocalLinearRegression(bandwidth=1.5, degree=degree).fit(X, y).predict(queries)
    moved = LocalLinearRegression(bandwidth=1.5 * scale, degree=degree).fit(scale * X + shift, y)
    assert_allclose(moved.predict(scale * queries + shift), plain, rtol=1e-4, atol=1e-5)
    exact = LocalLinearRegression(bandwidth=1.5, degree=degree).fit(X, scale * y + lift)
    assert_allclose(exact.predict(queries), scale * plain + lift, rtol=1e-9, atol=1e-9 * (scale + abs(lift)))


def test_standardised_windows_do_not_know_the_units():
    X, y, queries = data()
    units = np.array([1e3, 1e-4])
    plain = LocalLinearRegression(span=0.4, standardize=True).fit(X, y)
    other = LocalLinearRegression(span=0.4, standardize=True).fit(X * units, y)
    assert_allclose(other.predict(queries * units), plain.predict(queries), rtol=1e-10)
    assert_allclose(other.local_coefficients(queries * units).slopes * units, plain.local_coefficients(queries).slopes)
    assert_allclose(plain.scale_, X.std(axis=0), rtol=1e-12)


def test_a_line_is_reproduced_by_any_window_and_a_parabola_by_degree_two():
    X, _, queries = data()
    line = 3.0 - 2.0 * X[:, 0] + X[:, 1]
    found = LocalLinearRegression(bandwidth=1.0).fit(X, line).local_coefficients(queries)
    assert_allclose(found.intercept, 3.0 - 2.0 * queries[:, 0] + queries[:, 1], rtol=1e-10)
    assert_allclose(found.slopes, np.tile([-2.0, 1.0], (7, 1)), rtol=1e-9)
    bent = X[:, 0] ** 2 - X[:, 0] * X[:, 1]
    found = LocalLinearRegression(bandwidth=1.5, degree=2).fit(X, bent).local_coefficients(queries)
    a, b = queries.T
    assert_allclose(found.intercept, a**2 - a * b, rtol=1e-9, atol=1e-10)
    assert_allclose(found.slopes, np.column_stack([2 * a - b, -a]), rtol=1e-8, atol=1e-9)


def test_the_ridge_is_on_the_slopes_alone():
    X, y, queries = data()
    model = LocalLinearRegression(bandwidth=1.0, kernel="gaussian", alpha=5.0).fit(X, y)
    found = model.local_coefficients(queries)
    for row, x0 in enumerate(queries):
        K, Z = kernel_weights(X, x0, 1.0, "gaussian"), np.column_stack([np.ones(len(X)), X - x0])
        beta = np.linalg.solve((Z * K[:, None]).T @ Z + np.diag([0.0, 5.0, 5.0]), Z.T @ (K * y))
        assert_allclose([found.intercept[row], *found.slopes[row]], beta, rtol=1e-9, atol=1e-11)


def test_the_answer_at_a_query_does_not_depend_on_the_others_or_on_the_order_of_rows():
    X, y, queries = data(700)
    model = LocalLinearRegression(span=0.2).fit(X, y)
    together = model.predict(np.tile(queries, (90, 1)))
    assert_array_equal(together[:7], [model.predict(x0[None])[0] for x0 in queries])
    assert_array_equal(together[-7:], together[:7])
    order = np.random.default_rng(0).permutation(700)
    assert_allclose(LocalLinearRegression(span=0.2).fit(X[order], y[order]).predict(queries), together[:7], rtol=1e-11)


def test_columns_that_a_window_does_not_determine_are_told_and_the_shortest_answer_is_given():
    X, y, queries = data()
    twice = np.column_stack([X, X[:, 0]])
    with pytest.warns(LocallyUndetermined, match=r"windows of 7 of 7 queries"):
        found = (
            LocalLinearRegression(bandwidth=1.5)
            .fit(twice, y)
            .local_coefficients(np.column_stack([queries, queries[:, 0]]))
        )
    assert found.undetermined.all()
    # the distance counts the first coordinate twice
    for row, x0 in enumerate(queries):
        K = kernel_weights(twice, np.r_[x0, x0[0]], 1.5, "tricube")
        beta = np.linalg.lstsq(np.sqrt(K)[:, None] * np.column_stack([np.ones(150), X - x0]), np.sqrt(K) * y)[0]
        assert found.intercept[row] == pytest.approx(beta[0], rel=1e-7)
        assert_allclose(found.slopes[row], [beta[1] / 2, beta[2], beta[1] / 2], rtol=1e-6, atol=1e-7)


def test_a_prediction_that_the_window_does_not_determine_has_an_infinite_error():
    X = np.column_stack([np.linspace(0, 1, 40), np.zeros(40)])
    model = LocalLinearRegression(bandwidth=0.5, kernel="gaussian").fit(X, X[:, 0] ** 2)
    with pytest.warns(LocallyUndetermined):
        error = model.standard_errors([[0.5, 0.0], [0.5, 0.3]])
    assert 0.0 < error[0] < 1.0 and error[1] == np.inf


def test_one_row_in_a_window_predicts_its_own_target():
    x, y = np.arange(10.0)[:, None], np.arange(10.0) ** 2
    with pytest.warns(LocallyUndetermined):
        assert LocalLinearRegression(bandwidth=0.6).fit(x, y).predict([[3.2]])[0] == pytest.approx(9.0, rel=1e-9)


def test_a_far_query_under_a_gaussian_extrapolates_from_the_nearest_rows():
    X, y, _ = data()
    with pytest.warns(LocallyUndetermined):
        found = LocalLinearRegression(bandwidth=0.01, kernel="gaussian").fit(X, y).predict([[300.0, 0.0]])
    assert found[0] == pytest.approx(y[np.argmax(X[:, 0])], abs=np.ptp(y))


def test_rows_of_huge_or_tiny_coordinates_are_fitted_all_the_same():
    X, y, queries = data()
    plain = LocalLinearRegression(span=0.5).fit(X, y).predict(queries)
    for factor in (1e-200, 1e200):
        assert_allclose(LocalLinearRegression(span=0.5).fit(factor * X, y).predict(factor * queries), plain, rtol=1e-9)


def test_noise_cannot_be_estimated_where_every_row_is_fitted_exactly():
    x = np.arange(6.0)[:, None]
    model = LocalLinearRegression(bandwidth=0.5).fit(x, np.arange(6.0) ** 2)
    with pytest.raises(ValueError, match=r"Cannot estimate the noise: .*degrees of freedom\. Use wider windows"):
        _ = model.sigma_
