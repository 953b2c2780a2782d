"""verify() finds the truth about a model: against optima computed elsewhere, and against tampering."""

import warnings
from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose
from scipy.optimize import minimize
from sklearn.base import clone

import separatrix
from separatrix.core import registry
from separatrix.core.errors import RankDeficient
from separatrix.core.target import Target
from separatrix.designs import as_design
from separatrix.estimators.base import LinearRegressor
from separatrix.estimators.linear.generalized_linear import MeanRegressor
from separatrix.linear_model import (
    ElasticNet,
    ElasticNetCV,
    Lasso,
    LassoCV,
    LinearRegression,
    PerceptronRegressor,
    QuantileRegressor,
    Ridge,
    RidgeCV,
    SGDRegressor,
)
from separatrix.svm import LinearSVC, LinearSVR

# Every regressor, in each form that states another problem or carries another kind of certificate.
MODELS = [
    LinearRegression(),
    LinearRegression(fit_intercept=False),
    LinearRegression(positive=True),
    LinearRegression(solver="gradient", tol=1e-10, max_iter=20_000),
    Ridge(2.0),
    Ridge(1e-6, fit_intercept=False),
    Ridge(0.0),
    Ridge(2.0, positive=True),
    RidgeCV([0.1, 1.0, 10.0]),
    Lasso(0.1),
    Lasso(0.1, fit_intercept=False, positive=True),
    ElasticNet(0.1),
    ElasticNet(0.1, l1_ratio=0.0),
    LassoCV(cv=3, alphas=10),
    ElasticNetCV(cv=3, alphas=10),
    QuantileRegressor(alpha=0.01),
    QuantileRegressor(alpha=0.0, quantile=0.3),
    LinearSVR(epsilon=0.5),
    LinearSVR(epsilon=0.5, loss="squared_epsilon_insensitive"),
    PerceptronRegressor(eta0=5e-5, tol=None, max_iter=5000),
    SGDRegressor(random_state=0, alpha=0.01, max_iter=3000, learning_rate="adaptive", tol=1e-9),
    SGDRegressor(random_state=0, penalty=None, max_iter=3000, learning_rate="adaptive", tol=1e-9),
]
# These stop by another rule than their certificate.
ONE_AT_A_TIME = (PerceptronRegressor, SGDRegressor)


def data(outputs=None, n=80, p=5, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, p)) + 0.5
    beta = rng.standard_normal(p if outputs is None else (p, outputs))
    y = X @ beta + rng.standard_normal(n if outputs is None else (n, outputs)) + 2.0
    return X, y, rng.integers(0, 3, n).astype(float)


def fitted(model, X, y, s=None):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return model.fit(X, y, sample_weight=s)


def test_every_linear_regressor_is_among_those_verified():
    regressors = {name for name, cls in registry.members("estimator").items() if issubclass(cls, LinearRegressor)}
    # generalised linear models want other targets: tests/estimators/test_generalized_linear.py
    means = {name for name in regressors if issubclass(registry.members("estimator")[name], MeanRegressor)}
    assert regressors - means == {type(model).__name__ for model in MODELS}


@pytest.mark.parametrize("weighted", [False, True], ids=["", "weighted"])
@pytest.mark.parametrize("model", MODELS, ids=str)
def test_a_fit_is_confirmed_from_data_and_coefficients(model, weighted):
    X, y, s = data()
    s = s if weighted else None
    fitted(model, X, y, s)
    found = separatrix.verify(model, X, y, s)
    assert found.kind == model.certificate_.kind
    if not isinstance(model, ONE_AT_A_TIME):
        assert found.converged, str(found)


@pytest.mark.parametrize("model", MODELS, ids=str)
def test_a_changed_coefficient_is_found_out(model):
    X, y, _ = data()
    fitted(model, X, y)
    before = separatrix.verify(model, X, y)
    model.coef_ = model.coef_.copy()
    model.coef_[np.abs(model.coef_).argmax()] += 1e-3
    after = separatrix.verify(model, X, y)
    assert after.value > before.value
    assert not after.converged or isinstance(model, ONE_AT_A_TIME)


@pytest.mark.parametrize("model", MODELS, ids=str)
def test_a_changed_intercept_is_found_out(model):
    X, y, _ = data()
    if not fitted(model, X, y).fit_intercept:
        pytest.skip("a model without intercept")
    model.intercept_ = model.intercept_ + 1e-3
    assert not separatrix.verify(model, X, y).converged or isinstance(model, ONE_AT_A_TIME)


@pytest.mark.parametrize("model", MODELS, ids=str)
def test_other_data_are_not_the_data_of_the_fit(model):
    X, y, _ = data()
    fitted(model, X, y)
    X, y, _ = data(seed=1)
    assert not separatrix.verify(model, X, y).converged


@pytest.mark.parametrize("change", [0.0, 1e-6, 1e-3, 0.3])
@pytest.mark.parametrize("model", [LinearRegression(), Ridge(3.0), Lasso(0.2), ElasticNet(0.2)], ids=str)
def test_the_gap_is_never_below_the_true_one(model, change):
    X, y, s = data()
    fitted(model, X, y, s)
    problem = model._problems(as_design(X), Target(y, s))[0]
    penalty = problem.penalty
    l1, l2 = getattr(penalty, "l1", 0.0), getattr(penalty, "l2", getattr(penalty, "lam", 0.0))

    def P(w):
        r = y - X @ w[1:] - w[0]
        return 0.5 * np.average(r * r, weights=s) + l1 * np.abs(w[1:]).sum() + 0.5 * l2 * w[1:] @ w[1:]

    # twice as many non-negative variables make the lasso smooth: an optimum found without any of our code

    def smooth(z):
        w = np.r_[z[0], z[1:6] - z[6:]]
        r = y - X @ w[1:] - w[0]
        g = -np.r_[s @ r, X.T @ (s * r)] / s.sum()
        value = 0.5 * np.average(r * r, weights=s) + l1 * z[1:].sum() + 0.5 * l2 * w[1:] @ w[1:]
        gradient = np.r_[g[0], g[1:] + l2 * w[1:] + l1, -g[1:] - l2 * w[1:] + l1]
        return value, gradient

    bounds = [(None, None)] + [(0.0, None)] * 10
    options = {"maxiter": 10_000, "ftol": 0.0, "gtol": 1e-13}
    best = minimize(smooth, np.zeros(11), jac=True, bounds=bounds, method="L-BFGS-B", options=options).fun
    model.coef_ = model.coef_ + change * np.array([1.0, -1.0, 0.5, 2.0, 0.1])
    mean = np.average(y, weights=s)
    null = 0.5 * np.average((y - mean) ** 2, weights=s)
    gap = separatrix.verify(model, X, y, s).value * null
    assert gap >= P(np.r_[model.intercept_, model.coef_]) - best - 1e-12
    if isinstance(model, LinearRegression) and change:  # the gap of least squares is not a bound but the value
        assert_allclose(gap, P(np.r_[model.intercept_, model.coef_]) - best, rtol=1e-3)


@pytest.mark.parametrize("alpha", [2.0, [0.1, 1.0, 50.0]], ids=str)
@pytest.mark.parametrize("output", [0, 1, 2])
def test_the_worst_of_many_outputs_counts(alpha, output):
    X, y, _ = data(outputs=3)
    model = Ridge(alpha).fit(X, y)
    assert separatrix.verify(model, X, y).converged
    model.coef_[output, 1] += 1e-3
    assert not separatrix.verify(model, X, y).converged


@pytest.mark.parametrize("model", [LinearRegression(), Ridge(), Lasso(0.1), ElasticNet(0.1)], ids=str)
@pytest.mark.parametrize("storage", [sp.csr_array, sp.csc_array, np.float32, np.asfortranarray])
def test_every_storage_is_verified(model, storage):
    X, y, _ = data()
    X = storage(X)
    model.fit(X, y)
    found = separatrix.verify(model, X, y)
    assert found.converged, str(found)
    model.coef_ = model.coef_ + np.float32(0.01)
    assert not separatrix.verify(model, X, y).converged


def test_dependent_columns_and_more_columns_than_rows_are_verified():
    X, y, _ = data()
    for wide in (np.hstack([X, X[:, :2]]), np.random.default_rng(1).standard_normal((80, 200))):
        with pytest.warns(RankDeficient):
            model = LinearRegression().fit(wide, y)
        assert separatrix.verify(model, wide, y).converged
        model.coef_[0] += 1e-3
        assert not separatrix.verify(model, wide, y).converged


def test_powers_of_one_variable_are_verified_whatever_their_condition():
    x = np.linspace(-9.0, -3.0, 82)
    X = x[:, None] ** np.arange(1, 11)
    model = LinearRegression().fit(X, np.sin(x))
    assert separatrix.verify(model, X, np.sin(x)).converged


def test_what_cannot_be_verified_is_refused_with_a_reason():
    from sklearn.exceptions import NotFittedError
    from sklearn.linear_model import LinearRegression as Stranger

    X, y, _ = data()
    with pytest.raises(NotFittedError):
        separatrix.verify(LinearRegression(), X, y)
    with pytest.raises(TypeError, match=r"Cannot verify LinearRegression: it is scikit-learn's"):
        separatrix.verify(Stranger().fit(X, y), X, y)
    model = LinearRegression().fit(X, y)
    with pytest.raises(ValueError, match="features"):
        separatrix.verify(model, X[:, :3], y)
    with pytest.raises(ValueError, match="2 outputs"):
        separatrix.verify(model, X, np.column_stack([y, y]))


@pytest.mark.parametrize("model", [LinearRegression(), Ridge(), Lasso(0.1)], ids=str)
def test_blocks_of_rows_do_not_show_in_the_verdict(model, monkeypatch):
    X, y, s = data()
    model.fit(X, y, s)
    model.coef_[0] += 0.01
    whole = separatrix.verify(model, X, y, s).value
    monkeypatch.setattr("separatrix.designs.base.BLOCK_NUMBERS", 64)
    assert_allclose(separatrix.verify(model, X, y, s).value, whole, rtol=1e-10)


@pytest.mark.parametrize("alpha", [1e-8, 1.0, 1e4])
def test_ridge_on_columns_of_any_size_is_verified_and_a_change_found_out(alpha):
    rng = np.random.default_rng(0)
    units = np.logspace(-4, 4, 9)
    X = rng.standard_normal((300, 9)) * units + 100.0
    y = X @ (1.0 / units) + rng.standard_normal(300)
    model = Ridge(alpha).fit(X, y)
    found = separatrix.verify(model, X, y)
    assert found.converged and found.tolerance <= model.tol, str(found)
    model.coef_[4] += 1e-3
    assert not separatrix.verify(model, X, y).converged


def test_a_ridge_too_wide_for_the_exact_gap_is_bounded(monkeypatch):
    X, y, _ = data()
    model = Ridge(2.0).fit(X, y)
    model.coef_[0] += 1e-3
    exact = separatrix.verify(model, X, y).value
    monkeypatch.setattr("separatrix.designs.DenseDesign.forms_gram", False)
    monkeypatch.setattr("separatrix.core.quadratic.AFFORDABLE", 0)
    bound = separatrix.verify(model, X, y).value
    assert bound == pytest.approx(exact, rel=1e-6, abs=0.0)  # by a dual point, which conjugate gradients find


def test_the_certificate_of_a_wide_ridge_is_that_of_its_dual_point():
    rng = np.random.default_rng(3)
    X = rng.standard_normal((300, 30_000)) + 2.0
    y = X[:, :20] @ rng.standard_normal(20) + rng.standard_normal(300)
    for tol in (1e-8, 1e-14):  # conjugate gradients, without a factor of a matrix of 30,000 columns
        model = Ridge(1.0, tol=tol).fit(X, y)
        again = separatrix.verify(model, X, y)
        assert model.certificate_.converged and again.converged
        model.coef_[5] += 1e-4 * np.abs(model.coef_).max()
        assert not separatrix.verify(model, X, y).value <= 1e-14


@pytest.mark.parametrize("model", [Lasso(1e-2), ElasticNet(1e-2), Lasso(1e-2, positive=True)], ids=str)
def test_single_precision_is_held_to_the_tolerance_of_the_model(model):
    X, y, _ = data()
    X = np.float32(X + 100.0)
    model.fit(X, y)
    again = separatrix.verify(model, X, y)
    assert model.certificate_.converged and again.converged
    assert again.tolerance == model.certificate_.tolerance == model.tol
    model.coef_ = model.coef_ + np.float32(1e-3)
    assert not separatrix.verify(model, X, y).converged


@pytest.mark.parametrize("sizes", [(1e-20, 1e25), (1e30, 1e-30)], ids=["overflow", "underflow"])
@pytest.mark.parametrize("model", [LinearRegression(), Lasso(1e-12), ElasticNet(1e-50)], ids=str)
def test_coefficients_that_single_precision_cannot_hold_are_not_certified(model, sizes):
    X, y, _ = data()
    X, y = np.float32(X * sizes[0]), y * sizes[1]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(X, y)
    assert not np.isfinite(model.coef_).all() or not model.coef_.any()
    assert not model.certificate_.converged


def test_a_tolerance_that_a_model_claims_is_not_taken_on_trust():
    X, y, _ = data()
    model = Ridge(1.0).fit(X, y)
    model.certificate_ = replace(model.certificate_, tolerance=1e300)
    model.coef_ = model.coef_ + 1.0
    assert not separatrix.verify(model, X, y).converged


@pytest.mark.parametrize("name", ["support_", "on_margin_", "margin_errors_"])
@pytest.mark.parametrize("model", [LinearSVC(), LinearSVC(loss="hinge"), LinearSVR(), LinearSVR(epsilon=0.5)], ids=str)
def test_rows_that_hold_a_linear_margin_are_recomputed(model, name):
    X = np.random.default_rng(0).standard_normal((60, 3))
    y = X[:, 0] + np.random.default_rng(1).standard_normal(60)
    y = np.where(y > 0.0, 1.0, -1.0) if isinstance(model, LinearSVC) else y
    fitted = clone(model).fit(X, y)
    right = separatrix.verify(fitted, X, y)
    assert right.converged and name in right.message.split(";")[0]
    rows = getattr(fitted, name)
    setattr(fitted, name, np.delete(rows, 0) if len(rows) else np.array([7]))
    assert not separatrix.verify(fitted, X, y).converged
