"""Least squares, ridge and lasso as the textbook states them: worked examples, identities and their descents."""

import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import minimize

from separatrix.core.errors import Diverged, NotCertified, RankDeficient
from separatrix.decision import Hyperplane
from separatrix.linear_model import ElasticNet, Lasso, LassoCV, LinearRegression, Ridge
from separatrix.preprocessing import PolynomialFeatures


def data(n=50, p=4, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, p)) + 0.5
    return X, X @ rng.standard_normal(p) + rng.standard_normal(n) + 1.0


def through_origin():
    return LinearRegression(fit_intercept=False)


# ------------------------------------------------------------------ least squares


@pytest.mark.mission("LS-01")
def test_the_slope_of_one_variable_is_covariance_over_variance():
    X, y = data(p=1)
    x = X[:, 0]
    slope = np.cov(x, y, bias=True)[0, 1] / np.var(x)
    model = LinearRegression().fit(X, y)
    assert_allclose(model.coef_, [slope], rtol=1e-13)
    assert_allclose(model.intercept_, y.mean() - slope * x.mean(), rtol=1e-13)


@pytest.mark.mission("LS-02")
def test_the_normal_equations_hold_and_lapack_agrees():
    X, y = data()
    w = through_origin().fit(X, y).coef_
    assert_allclose(X.T @ X @ w, X.T @ y, rtol=1e-12)
    assert_allclose(X.T @ (y - X @ w), 0.0, atol=1e-12)
    assert_allclose(w, np.linalg.lstsq(X, y, rcond=None)[0], rtol=1e-10)


# Golden case G027. The notes print (-3.13, 0.24, 1.34), which does not solve their own normal equations.
X27 = np.array([[0.4, 0.5], [0.6, 0.5], [0.1, 0.4], [0.2, 0.7], [0.3, 0.3],
                [0.4, 0.6], [0.6, 0.2], [0.7, 0.4], [0.8, 0.6], [0.7, 0.5]])  # fmt: skip
Y27 = np.repeat([1.0, -1.0], 5)


@pytest.mark.mission("LS-03")
def test_the_ten_points_have_the_golden_solution():
    model = LinearRegression().fit(X27, Y27)
    assert_allclose(model.coef_, [-3.2180209171359615, 0.24135156878519712], rtol=1e-8)
    assert_allclose(model.intercept_, 1.4312148028962188, rtol=1e-8)
    assert_allclose(((Y27 - model.predict(X27)) ** 2).sum(), 4.827031376, rtol=1e-8)
    assert list(np.flatnonzero(np.sign(model.predict(X27)) != Y27)) == [1, 5]
    printed = Hyperplane([-3.13, 0.24], 1.34).score(X27)
    assert ((Y27 - printed) ** 2).sum() == pytest.approx(4.85548)


@pytest.mark.mission("LS-03")
def test_fitting_the_columns_of_the_identity_gives_the_pseudoinverse():
    square = np.array([[2.0, 1.0], [1.0, 1.0]])
    assert_allclose(through_origin().fit(square, np.eye(2)).coef_.T, [[1.0, -1.0], [-1.0, 2.0]], rtol=1e-13)
    tall, wide = data(7, 3)[0], data(3, 7)[0]
    deficient = tall @ np.array([[1.0, 0.0, 1.0], [0.0, 1.0, 1.0], [0.0, 0.0, 0.0]])
    for X in (tall, wide, deficient):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RankDeficient)
            found = through_origin().fit(X, np.eye(len(X))).coef_.T
        assert_allclose(found, np.linalg.pinv(X), atol=1e-13)


@pytest.mark.mission("LS-04")
def test_residuals_sum_to_zero_with_an_intercept():
    X, y = data()
    assert abs((y - LinearRegression().fit(X, y).predict(X)).sum()) < 1e-12
    assert abs((y - through_origin().fit(X, y).predict(X)).sum()) > 1e-3


@pytest.mark.mission("LS-05")
def test_the_mean_squared_error_divides_by_all_rows():
    # Golden case G001: squared errors 13.33, 3.33 and 4 of 100 rows, the others 0; the notes print a divisor of 3
    r = np.zeros(100)
    r[:3] = np.sqrt([13.33, 3.33, 4.0])
    assert np.mean(r**2) == pytest.approx(0.2066, abs=1e-12)
    assert np.sum(r**2) / 3 == pytest.approx(6.886666666666667)
    model = LinearRegression(solver="gradient", trace=True, max_iter=1, fit_intercept=False, learning_rate=1e-9)
    with pytest.warns(NotCertified):
        model.fit(np.ones((100, 1)), r)
    assert 2.0 * model.trace_.objective[0] == pytest.approx(0.2066)  # half the mean squared error of w = 0


@pytest.mark.mission("LS-06")
def test_uncorrelated_centred_columns_are_fitted_one_by_one():
    rng = np.random.default_rng(0)
    X = np.linalg.qr(np.column_stack([np.ones(40), rng.standard_normal((40, 3))]))[0][:, 1:] * [1.0, 20.0, 0.3]
    y = rng.standard_normal(40)
    together = LinearRegression().fit(X, y).coef_
    alone = [LinearRegression().fit(X[:, [j]], y).coef_[0] for j in range(3)]
    assert_allclose(together, alone, rtol=1e-12)
    assert_allclose(together, X.T @ y / (40 * X.var(axis=0)), rtol=1e-12)


@pytest.mark.mission("LS-07")
def test_two_variables_in_moment_form():
    # Golden case G002
    X, y = np.array([[1, 2], [2, 1], [3, 4], [4, 3], [5, 7]], dtype=float), np.array([1, 2, 3, 5, 4], dtype=float)
    n, m, my = 5, X.mean(axis=0), y.mean()
    s, sy = np.cov(X.T, bias=True), (X - m).T @ (y - my) / n
    M, c = s + np.outer(m, m), sy + m * my
    assert_allclose(n * M, [[55, 63], [63, 79]])
    assert_allclose(n * c, [54, 59])
    assert_allclose(np.linalg.det(M), 15.04)
    w = through_origin().fit(X, y).coef_
    assert_allclose(w, [1.4601063829787233, -0.4175531914893617], rtol=1e-9)
    assert_allclose(w, np.array([M[1, 1] * c[0] - M[0, 1] * c[1], M[0, 0] * c[1] - M[0, 1] * c[0]]) / 15.04)


@pytest.mark.mission("LS-13")
def test_the_fit_is_the_orthogonal_projection_of_y():
    # Golden case G108
    Phi, y = np.array([[1.0, 0.0], [1.0, 1.0], [1.0, 2.0], [1.0, 3.0]]), np.array([1.0, 2.0, 2.0, 4.0])
    H = through_origin().fit(Phi, np.eye(4)).predict(Phi)
    assert_allclose(H @ H, H, atol=1e-12)
    assert_allclose(H, H.T, atol=1e-12)
    assert_allclose(np.trace(H), 2.0)
    fitted = through_origin().fit(Phi, y).predict(Phi)
    assert_allclose(fitted, [0.9, 1.8, 2.7, 3.6])
    assert_allclose(fitted, H @ y)
    assert_allclose(Phi.T @ (y - fitted), 0.0, atol=1e-13)


@pytest.mark.mission("LS-14")
def test_many_outputs_are_fitted_by_one_pseudoinverse():
    # Golden case G041
    Phi = np.array([[1.0, 0.0], [1.0, 1.0], [1.0, 2.0], [1.0, 3.0]])
    Y = np.array([[1.0, 0.0], [2.0, 1.0], [2.0, 1.0], [4.0, 3.0]])
    model = through_origin().fit(Phi, Y)
    assert_allclose(model.coef_.T, [[0.9, -0.1], [0.9, 0.9]], atol=1e-12)
    for k in range(2):
        assert_allclose(model.coef_[k], through_origin().fit(Phi, Y[:, k]).coef_, atol=1e-12)


@pytest.mark.mission("LS-15")
def test_a_duplicate_column_gives_the_shortest_answer_and_ridge_a_unique_one():
    X, y = data()
    twice = np.column_stack([X, X[:, 0]])
    with pytest.warns(RankDeficient, match=r"x0|x4"):
        model = LinearRegression().fit(twice, y)
    plain = LinearRegression().fit(X, y)
    assert_allclose(model.predict(twice), plain.predict(X), rtol=1e-12)
    assert_allclose(model.coef_[[0, 4]], plain.coef_[0] / 2.0, rtol=1e-12)
    w = Ridge(0.1).fit(twice, y).coef_
    assert_allclose(w[0], w[4], rtol=1e-12)
    wide, target = data(5, 9)
    with pytest.warns(RankDeficient):
        found = through_origin().fit(wide, target).coef_
    assert_allclose(found, np.linalg.pinv(wide) @ target, rtol=1e-11)


@pytest.mark.mission("LS-19")
def test_sample_averages_stand_in_for_expectations():
    rng = np.random.default_rng(0)
    w = np.array([1.0, -2.0, 0.5])
    distances = []
    for n in (100, 10_000, 1_000_000):
        X = rng.standard_normal((n, 3)) @ np.array([[1.0, 0.4, 0.0], [0.0, 1.0, 0.3], [0.0, 0.0, 1.0]])
        y = X @ w + rng.standard_normal(n)
        found = through_origin().fit(X, y).coef_
        assert_allclose(found, np.linalg.solve(X.T @ X / n, X.T @ y / n), rtol=1e-10)
        distances.append(np.abs(found - w).max())
    # coefficients have standard errors of about 1 / sqrt(n)
    assert distances[2] < 5e-3 and distances[2] < distances[0]


@pytest.mark.mission("LS-24")
def test_house_prices_by_an_average_a_line_and_a_parabola():
    rng = np.random.default_rng(1)
    size = rng.uniform(40.0, 200.0, 60)
    price = 20.0 + 1.5 * size + 0.01 * size**2 + 15.0 * rng.standard_normal(60)
    X = size[:, None]
    near = np.abs(size - 120.0) < 10.0  # the average of a range uses few of the rows
    assert 2 <= near.sum() < 15
    average = price[near].mean()
    line, parabola = LinearRegression().fit(X, price), PolynomialFeatures(2, include_bias=False)
    curve = LinearRegression().fit(parabola.fit_transform(X), price)
    assert_allclose(average, line.predict([[120.0]])[0], atol=25.0)

    def error(fitted):
        return np.mean((price - fitted) ** 2)

    assert error(curve.predict(parabola.transform(X))) < error(line.predict(X)) < error(price.mean())
    assert_allclose(curve.coef_, np.polynomial.polynomial.polyfit(size, price, 2)[1:], rtol=1e-9)


@pytest.mark.mission("LIN-06")
@pytest.mark.parametrize("model", [LinearRegression, lambda **k: Ridge(0.0, **k)], ids=["least squares", "ridge 0"])
def test_a_column_of_ones_does_the_work_of_the_intercept(model):
    X, y = data()
    augmented = np.column_stack([X, np.ones(len(X))])
    plain, homogeneous = model().fit(X, y), model(fit_intercept=False).fit(augmented, y)
    assert_allclose(homogeneous.coef_, np.append(plain.coef_, plain.intercept_), rtol=1e-11)
    assert_allclose(homogeneous.predict(augmented), plain.predict(X), rtol=1e-12)


# ------------------------------------------------------------------ penalties


@pytest.mark.mission("LS-08")
def test_the_half_does_not_change_the_ridge_but_is_needed_twice():
    X, y = data()
    lam = 0.7
    w = Ridge(lam, fit_intercept=False).fit(X, y).coef_
    whole = minimize(lambda w: ((y - X @ w) ** 2).sum() + lam * w @ w, np.zeros(4), tol=1e-12).x
    halves = minimize(lambda w: 0.5 * ((y - X @ w) ** 2).sum() + 0.5 * lam * w @ w, np.zeros(4), tol=1e-12).x
    assert_allclose(w, whole, rtol=1e-5)
    assert_allclose(w, halves, rtol=1e-5)
    assert_allclose(w, np.linalg.solve(X.T @ X + lam * np.eye(4), X.T @ y), rtol=1e-12)


X4, Y4 = np.array([[1.0, 2.0, 3.0], [2.0, 4.0, 6.0]]), np.array([1.0, 3.0])  # golden case G004: X'X has rank 1


@pytest.mark.mission("LS-09")
def test_ridge_exists_where_the_normal_equations_are_singular():
    theta = Ridge(0.5, fit_intercept=False).fit(X4, Y4).coef_
    assert_allclose(theta, [0.09929078014, 0.1985815603, 0.2978723404], rtol=1e-9)


@pytest.mark.mission("LS-09")
def test_the_length_of_the_ridge_solution_falls_but_not_like_one_over_lambda():
    # Golden case G043: an orthonormal column with b = 3 gives eta = 9 / (1 + lam)²
    lams = np.array([1.0, 2.0, 4.0])
    eta = [Ridge(lam, fit_intercept=False).fit([[1.0], [0.0]], [3.0, 0.0]).coef_[0] ** 2 for lam in lams]
    assert_allclose(eta, [2.25, 1.0, 0.36], rtol=1e-9)
    assert_allclose(np.sqrt(eta), [1.5, 1.0, 0.6], rtol=1e-9)
    assert_allclose(eta * lams, [2.25, 2.0, 1.44], rtol=1e-9)
    X, y = data()
    lengths = [np.linalg.norm(Ridge(lam).fit(X, y).coef_) for lam in np.logspace(-3, 4, 15)]
    assert np.all(np.diff(lengths) < 0.0)


@pytest.mark.mission("LS-12")
def test_ridge_in_terms_of_dot_products():
    delta2, x = 0.5, np.array([1.0, 0.0, 1.0])
    model = Ridge(delta2, fit_intercept=False).fit(X4, Y4)
    alpha = (Y4 - model.predict(X4)) / delta2
    assert_allclose(alpha, [-0.780141844, 0.4397163121], rtol=1e-9)
    assert_allclose(alpha, np.linalg.solve(X4 @ X4.T + delta2 * np.eye(2), Y4), rtol=1e-12)
    assert_allclose(X4.T @ alpha, model.coef_, rtol=1e-12)
    assert_allclose(model.predict(x[None])[0], 0.3971631206, rtol=1e-9)
    assert_allclose((X4 @ x) @ alpha, 0.3971631206, rtol=1e-9)


@pytest.mark.mission("LS-10", "LS-11")
def test_the_lasso_of_an_identity_design_is_soft_thresholding_at_half_lambda():
    # Golden case G005: RSS + lam |w| is 2 n times our objective with alpha = lam / (2 n)
    w = Lasso(1.0 / 6.0, fit_intercept=False).fit(np.eye(3), [3.0, -1.0, 0.2]).coef_
    assert_allclose(w, [2.5, -0.5, 0.0], rtol=1e-9)
    assert np.count_nonzero(w) == 2  # not on a vertex, whatever the notes say


@pytest.mark.mission("LS-10")
def test_optimality_conditions_of_the_lasso_hold_and_zeros_grow_with_lambda():
    X, y = data(60, 10)
    X, y = X - X.mean(axis=0), y - y.mean()
    zeros = []
    for lam in (1.0, 10.0, 60.0, 200.0, 1000.0):
        w = Lasso(lam / 120.0, fit_intercept=False, tol=1e-12).fit(X, y).coef_
        c = X.T @ (y - X @ w)
        assert np.all(np.abs(c) <= lam / 2.0 * (1.0 + 1e-7))
        assert_allclose(c[w != 0.0], lam / 2.0 * np.sign(w[w != 0.0]), rtol=1e-7)
        zeros.append(np.count_nonzero(w == 0.0))
    assert np.all(np.diff(zeros) >= 0) and zeros[0] < 5 and zeros[-1] > 5


@pytest.mark.mission("LS-11")
def test_features_of_noise_get_exactly_zero_at_the_strength_that_cross_validation_chooses():
    rng = np.random.default_rng(3)
    X = rng.standard_normal((400, 30))
    y = X[:, :3] @ [3.0, -2.0, 1.5] + rng.standard_normal(400)
    model = LassoCV(cv=5).fit(X, y)
    assert np.all(model.coef_[:3] != 0.0)
    assert np.count_nonzero(model.coef_[3:] == 0.0) >= 15
    stronger = Lasso(3.0 * model.alpha_).fit(X, y)
    assert np.count_nonzero(stronger.coef_[3:] == 0.0) >= np.count_nonzero(model.coef_[3:] == 0.0)


@pytest.mark.mission("LS-23")
@pytest.mark.parametrize("kind", ["ridge", "lasso"])
def test_the_constrained_optimum_is_the_penalised_one(kind):
    X, y = data()
    etas = []
    for lam in (1.0, 10.0, 50.0):
        if kind == "ridge":
            w = Ridge(lam, fit_intercept=False).fit(X, y).coef_
            eta = w @ w
            spread, slack = np.eye(4), lambda w, eta: eta - w @ w
        else:  # |w|_1 <= eta in twice as many non-negative variables, where it is smooth
            w = Lasso(lam / (2 * len(y)), fit_intercept=False, tol=1e-12).fit(X, y).coef_
            eta = np.abs(w).sum()
            spread, slack = np.hstack([np.eye(4), -np.eye(4)]), lambda z, eta: eta - z.sum()
        found = minimize(
            lambda z, spread=spread: ((y - X @ spread @ z) ** 2).sum(),
            np.full(spread.shape[1], 0.1),
            method="SLSQP",
            bounds=None if kind == "ridge" else [(0.0, None)] * 8,
            constraints={"type": "ineq", "fun": slack, "args": (eta,)},
            options={"ftol": 1e-14, "maxiter": 1000},
        )
        assert_allclose(spread @ found.x, w, atol=1e-5)
        etas.append(eta)
    assert np.all(np.diff(etas) < 0.0)


# ------------------------------------------------------------------ the descent itself

X40, Y40 = np.array([[0.0], [1.0], [2.0], [3.0]]), np.array([1.0, 3.0, 5.0, 7.0])  # golden case G040


def descent(**settings):
    return LinearRegression(**{"solver": "gradient", "learning_rate": 0.1, "trace": True, **settings})


@pytest.mark.mission("GD-01", "GD-02")
def test_one_batch_step_and_where_many_end():
    with pytest.warns(NotCertified):
        once = descent(max_iter=1).fit(X40, Y40)
    assert_allclose([once.intercept_, *once.coef_], [0.4, 0.85], rtol=1e-9)
    model = descent(max_iter=5000, tol=1e-9).fit(X40, Y40)
    assert_allclose([model.intercept_, *model.coef_], [1.0, 2.0], rtol=1e-7)
    assert np.all(np.diff(model.trace_.objective) <= 0.0)
    assert_allclose([model.trace_.intercepts[1], *model.trace_.coefficients[1]], [0.4, 0.85], rtol=1e-9)
    assert model.certificate_.kind == "gap" and model.certificate_.converged


@pytest.mark.mission("GD-03")
def test_one_online_epoch():
    with pytest.warns(NotCertified):
        model = descent(solver="stochastic", shuffle=False, max_iter=1).fit(X40, Y40)
    assert_allclose([model.intercept_, *model.coef_], [1.0849, 1.9717], rtol=1e-9)


@pytest.mark.mission("GD-04")
@pytest.mark.parametrize("rate, diverges", [(0.475, False), (0.477, True), (5.0, True)])
def test_divergence_is_reported_and_leaves_finite_coefficients(rate, diverges):
    # the limit of G040 is 0.4759001296
    model = descent(learning_rate=rate, max_iter=20_000, tol=1e-9)
    if not diverges:
        model.fit(X40, Y40)
        assert_allclose([model.intercept_, *model.coef_], [1.0, 2.0], rtol=1e-6)
        return
    with pytest.warns(Diverged, match=r"0\.476") as caught:
        model.fit(X40, Y40)
    assert caught[0].message.learning_rate == rate
    assert np.all(np.isfinite([model.intercept_, *model.coef_]))
    assert model.trace_.objective[-1] > 1e3 * model.trace_.objective[0]
    assert not model.certificate_.converged


@pytest.mark.mission("GD-07")
def test_a_batch_of_all_rows_is_the_gradient_step():
    with pytest.warns(NotCertified):
        batch = descent(solver="stochastic", batch_size=4, max_iter=3).fit(X40, Y40)
        full = descent(max_iter=3).fit(X40, Y40)
    assert_allclose(batch.coef_, full.coef_, rtol=1e-12)


def test_an_elastic_net_without_lasso_is_ridge_and_without_strength_least_squares():
    X, y = data()
    assert_allclose(ElasticNet(0.1, l1_ratio=0.0).fit(X, y).coef_, Ridge(0.1 * len(y)).fit(X, y).coef_, rtol=1e-12)
    assert_allclose(ElasticNet(0.0).fit(X, y).coef_, LinearRegression().fit(X, y).coef_, rtol=1e-12)


@pytest.mark.parametrize("model", [Lasso(0.1, warm_start=True), ElasticNet(0.1, warm_start=True)], ids=repr)
def test_a_warm_start_takes_coefficients_given_by_hand_and_other_outputs(model):
    rng = np.random.default_rng(8)
    X = rng.normal(size=(40, 4))
    Y = X[:, :2] + rng.normal(size=(40, 2))
    cold = type(model)(0.1)
    model.coef_ = np.array([1, 1, 1, 1000])
    assert_allclose(model.fit(X, Y[:, 0]).coef_, cold.fit(X, Y[:, 0]).coef_, atol=1e-4)
    assert_allclose(model.fit(X, Y).coef_, cold.fit(X, Y).coef_, atol=1e-4)
    assert_allclose(model.fit(X[:, :3], Y).coef_, cold.fit(X[:, :3], Y).coef_, atol=1e-4)
