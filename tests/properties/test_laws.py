"""Laws that every regressor obeys, each up to rounding: what a row, a weight, a unit and an order may mean.

Tolerances: a minimiser of squared errors is, on its support, the solution of a linear system whose matrix is ``X'SX``.
Rounding the sums of such a system moves its solution by a few ``eps cond(X)²``, relative to the largest coefficient in
units where all columns have length one.
"""

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from sklearn.base import clone

from separatrix.core import registry
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

EPS = np.finfo(np.float64).eps

# A law holds for the exact minimiser, so each is asked for: with tol=0 a fit goes as far as rounding lets it.
MODELS = {
    "LinearRegression": LinearRegression(),
    "LinearRegression, no intercept": LinearRegression(fit_intercept=False),
    "LinearRegression, positive": LinearRegression(positive=True),
    "Ridge": Ridge(3.0),
    "Ridge, no intercept": Ridge(3.0, fit_intercept=False),
    "Ridge, positive": Ridge(3.0, positive=True),
    "RidgeCV": RidgeCV([0.1, 1.0, 10.0]),
    "RidgeCV, gcv": RidgeCV([0.1, 1.0, 10.0], criterion="gcv"),
    "Lasso": Lasso(0.1, tol=1e-14),
    "Lasso, no intercept": Lasso(0.1, tol=1e-14, fit_intercept=False),
    "Lasso, positive": Lasso(0.1, tol=1e-14, positive=True),
    "ElasticNet": ElasticNet(0.1, tol=1e-14),
    "LassoCV": LassoCV(alphas=[0.3, 0.1, 0.03], tol=1e-14),
    "ElasticNetCV": ElasticNetCV(alphas=[0.3, 0.1, 0.03], tol=1e-14),
    "QuantileRegressor": QuantileRegressor(alpha=0.01),
    "QuantileRegressor, alpha 0": QuantileRegressor(alpha=0.0, quantile=0.3),
    "PerceptronRegressor": PerceptronRegressor(shuffle=False, max_iter=5, tol=None),
    "SGDRegressor": SGDRegressor(shuffle=False, max_iter=5, tol=None),
}
# SGD takes one example after another: what it learns depends on their order, and a weight is the length of a step.
ONE_AT_A_TIME = {"PerceptronRegressor", "SGDRegressor"}
BY_ROWS = [name for name in MODELS if name not in ONE_AT_A_TIME]
# Without a penalty the unit of a column shows in its own coefficient only.
UNIT_FREE = [name for name in MODELS if name.startswith("LinearRegression") or name.endswith("alpha 0")]
UNIQUE_WHEN_WIDE = ["Ridge", "Ridge, no intercept", "RidgeCV", "RidgeCV, gcv", "Lasso", "ElasticNet", "ElasticNetCV"]


def data(n=61, p=6, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, p)) + 0.3
    return X, X[:, :3] @ [1.0, -2.0, 0.5] + rng.standard_normal(n) + 2.0, rng.integers(0, 4, n).astype(float)


def fit(model, X, y, s=None, rows=None):
    """Fit a copy; `rows` says which row of the original data each row is, so that folds stay the same folds."""
    model = clone(model)
    if "cv" in model.get_params() and not isinstance(model, RidgeCV):
        fold = (np.arange(len(y)) if rows is None else np.asarray(rows)) % 3
        model.cv = [(np.flatnonzero(fold != f), np.flatnonzero(fold == f)) for f in range(3)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return model.fit(X, y, sample_weight=s)


def numbers(model):
    return np.append(np.ravel(model.coef_), model.intercept_)


def agree(one, other, X, slack=100.0):
    cond = np.linalg.cond(X - X.mean(axis=0)) if X.shape[0] > X.shape[1] else np.linalg.cond(X)
    expected = numbers(other) if hasattr(other, "coef_") else np.asarray(other)
    found = numbers(one)
    assert_allclose(found, expected, rtol=0.0, atol=slack * EPS * cond**2 * np.abs(expected).max())


def test_no_linear_regressor_is_left_out():
    regressors = {name for name, cls in registry.members("estimator").items() if issubclass(cls, LinearRegressor)}
    # those of positive means are fitted to other targets, in test_generalized_linear.py
    regressors -= {name for name, cls in registry.members("estimator").items() if issubclass(cls, MeanRegressor)}
    regressors -= {"LinearSVR"}  # whose laws are in tests/estimators/margin
    assert regressors == {type(model).__name__ for model in MODELS.values()}


# ------------------------------------------------------------------ rows and their weights


@pytest.mark.parametrize("name", BY_ROWS)
def test_a_weight_is_a_repetition(name):
    X, y, s = data()
    rows = np.repeat(np.arange(len(y)), s.astype(int))
    repeated = fit(MODELS[name], X[rows], y[rows], np.ones(len(rows)), rows)
    agree(fit(MODELS[name], X, y, s), repeated, X)


@pytest.mark.parametrize("name", BY_ROWS)
def test_a_row_of_weight_zero_is_absent(name):
    X, y, _ = data()
    s = np.random.default_rng(1).uniform(0.5, 2.0, len(y))
    rows = np.flatnonzero(np.arange(len(y)) % 5)
    s[::5] = 0.0
    wild = np.where(s == 0.0, 1e6, y)
    agree(fit(MODELS[name], X, wild, s), fit(MODELS[name], X[rows], y[rows], s[rows], rows), X)


@pytest.mark.parametrize("name", BY_ROWS)
def test_only_ratios_of_weights_count_but_for_a_penalty_on_a_sum(name):
    X, y, _ = data()
    s = np.random.default_rng(1).uniform(0.5, 2.0, len(y))
    heavier = MODELS[name]
    if isinstance(heavier, Ridge):
        heavier = clone(heavier).set_params(alpha=3.0 * 1024.0)
    elif isinstance(heavier, RidgeCV):
        pytest.skip("leaving out one of 1024 equal rows is not leaving out the row")
    agree(fit(heavier, X, y, 1024.0 * s), fit(MODELS[name], X, y, s), X)


@pytest.mark.parametrize("name", BY_ROWS)
def test_the_order_of_rows_does_not_matter(name):
    X, y, s = data()
    rows = np.random.default_rng(2).permutation(len(y))
    agree(fit(MODELS[name], X[rows], y[rows], s[rows], rows), fit(MODELS[name], X, y, s), X)


@pytest.mark.parametrize("name", UNIQUE_WHEN_WIDE)
@pytest.mark.parametrize("p", [40, 230], ids=["columns", "rows"])
def test_the_laws_of_rows_hold_with_more_columns_than_rows(name, p):
    X, y, s = data(25, p)
    rows = np.random.default_rng(2).permutation(np.repeat(np.arange(len(y)), s.astype(int)))
    repeated = fit(MODELS[name], X[rows], y[rows], np.ones(len(rows)), rows)
    # what is solved has the penalty on its diagonal, or the few columns of its support: its condition is far below 1e4
    assert_allclose(numbers(fit(MODELS[name], X, y, s)), numbers(repeated), rtol=0.0, atol=1e-11)


# ------------------------------------------------------------------ columns and their units


@pytest.mark.parametrize("name", MODELS)
def test_permuting_columns_permutes_coefficients(name):
    X, y, s = data()
    order = np.array([3, 0, 5, 1, 4, 2])
    model = fit(MODELS[name], X, y, s)
    agree(fit(MODELS[name], X[:, order], y, s), np.append(model.coef_[order], model.intercept_), X)


@pytest.mark.parametrize("name", [name for name in MODELS if "positive" not in name])
def test_a_column_of_the_other_sign_gets_the_other_coefficient(name):
    X, y, s = data()
    sign = np.array([1.0, -1.0, -1.0, 1.0, 1.0, -1.0])
    model = fit(MODELS[name], X, y, s)
    agree(fit(MODELS[name], X * sign, y, s), np.append(sign * model.coef_, model.intercept_), X)


@pytest.mark.parametrize("factor", [1e8, 1e-8])
@pytest.mark.parametrize("name", UNIT_FREE)
def test_rescaling_a_column_rescales_its_coefficient(name, factor):
    X, y, s = data()
    scale = np.array([1.0, factor, 1.0, 1.0 / factor, 1.0, 1.0])
    model, scaled = fit(MODELS[name], X, y, s), fit(MODELS[name], X * scale, y, s)
    scaled.coef_ = scaled.coef_ * scale
    agree(scaled, model, X)


def in_units(model, x, y):
    """The model that states the same problem when X is measured in units 1/x and y in units 1/y."""
    model = clone(model)
    if isinstance(model, Ridge):  # Σ (y r)² + alpha (y/x)² |w|²
        model.set_params(alpha=model.alpha * x**2)
    elif isinstance(model, RidgeCV):
        model.set_params(alphas=np.multiply(model.alphas, x**2))
    elif isinstance(model, QuantileRegressor):  # y |r| + alpha (y/x) |w|
        model.set_params(alpha=model.alpha * x)
    elif isinstance(model, Lasso):  # (y r)² + alpha (y/x) |w|, all over y²
        model.set_params(alpha=model.alpha * x * y)
    elif isinstance(model, ElasticNet):
        l1, l2 = model.alpha * model.l1_ratio * x * y, model.alpha * (1.0 - model.l1_ratio) * x**2
        model.set_params(alpha=l1 + l2, l1_ratio=l1 / (l1 + l2))
    elif isinstance(model, LassoCV):
        model.set_params(alphas=np.multiply(model.alphas, x * y))
    return model


@pytest.mark.parametrize("x, y_unit", [(20, 0), (-20, 0), (0, 20), (0, -20), (16, 16)], ids=str)
@pytest.mark.parametrize("name", [name for name in BY_ROWS if name != "ElasticNetCV"])
def test_units_of_all_columns_and_of_y_show_in_coefficients_only(name, x, y_unit):
    X, y, s = data()
    if name == "ElasticNet":  # its l1_ratio is a share of both penalties, which cannot be written down near 1
        x, y_unit = x / 10, y_unit / 10
    x, y_unit = 2.0**x, 2.0**y_unit
    model = fit(MODELS[name], X, y, s)
    scaled = fit(in_units(MODELS[name], x, y_unit), x * X, y_unit * y, s)
    scaled.coef_, scaled.intercept_ = scaled.coef_ * (x / y_unit), scaled.intercept_ / y_unit
    agree(scaled, model, X)


@pytest.mark.parametrize("name", [name for name in BY_ROWS if "no intercept" not in name])
def test_moving_the_origin_moves_the_intercept_only(name):
    X, y, s = data()
    shift = np.array([64.0, -32.0, 0.0, 16.0, 8.0, -4.0])  # small enough that the sums are exact to 1e-14
    model, moved = fit(MODELS[name], X, y, s), fit(MODELS[name], X + shift, y + 128.0, s)
    expected = model.intercept_ + 128.0 - shift @ model.coef_
    assert_allclose(moved.coef_, model.coef_, rtol=0.0, atol=1e-11)
    assert_allclose(moved.intercept_, expected, rtol=1e-11)


# ------------------------------------------------------------------ how the numbers are held and summed


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("block", [7, 64])
def test_the_size_of_blocks_does_not_show(name, block, monkeypatch):
    X, y, s = data()
    whole = fit(MODELS[name], X, y, s)
    monkeypatch.setattr("separatrix.designs.base.BLOCK_NUMBERS", block)
    agree(fit(MODELS[name], X, y, s), whole, X)


@pytest.mark.parametrize("name", MODELS)
def test_the_number_of_threads_does_not_show(name, monkeypatch):
    X, y, s = data()
    monkeypatch.setattr("separatrix.designs.base.BLOCK_NUMBERS", 64)
    found = []
    for threads in ("1", "2", "5"):
        monkeypatch.setenv("SEPARATRIX_THREADS", threads)
        found.append(fit(MODELS[name], X, y, s))
    agree(found[1], found[0], X)
    agree(found[2], found[1], X)


STORAGES = [np.ascontiguousarray, np.asfortranarray, sp.csr_array, sp.csc_array, sp.coo_array, sp.csr_matrix]


@pytest.mark.parametrize("storage", STORAGES, ids=lambda f: f.__name__)
@pytest.mark.parametrize("name", MODELS)
def test_the_storage_does_not_show(name, storage):
    X, y, s = data()
    X[np.abs(X) < 0.5] = 0.0
    model = fit(MODELS[name], storage(X), y, s)
    agree(model, fit(MODELS[name], X, y, s), X)
    assert_allclose(model.predict(storage(X)), model.predict(X), rtol=1e-13, atol=1e-13)


@pytest.mark.parametrize("storage", STORAGES[:4], ids=lambda f: f.__name__)
@pytest.mark.parametrize("name", MODELS)
def test_single_precision_is_the_same_problem_rounded_at_the_end(name, storage):
    X, y, s = data()
    X = X.astype(np.float32)
    held = fit(MODELS[name], storage(X), y, s)
    exact = fit(MODELS[name], X.astype(np.float64), y, s)
    assert_allclose(numbers(held), numbers(exact), rtol=np.finfo(np.float32).eps, atol=1e-12)


@pytest.mark.parametrize("library", ["pandas", "polars"])
@pytest.mark.parametrize("name", MODELS)
def test_frames_are_taken_as_they_are_and_names_remembered(name, library):
    frames = pytest.importorskip(library)
    X, y, s = data()
    names = [f"column {j}" for j in range(X.shape[1])]
    frame = frames.DataFrame({column: X[:, j] for j, column in enumerate(names)})
    series = frames.Series(y)
    model = fit(MODELS[name], frame, series, s)
    agree(model, fit(MODELS[name], X, y, s), X)
    assert list(model.feature_names_in_) == names
    assert_allclose(model.predict(frame), model._raw_score(frame))


# ------------------------------------------------------------------ any shape


@pytest.mark.parametrize("name", ["LinearRegression", "Ridge", "Lasso", "ElasticNet"])
@settings(deadline=None, max_examples=25)
@given(n=st.integers(12, 40), p=st.integers(1, 6), seed=st.integers(0, 2**31), drawn=st.data())
def test_repetition_and_order_for_any_shape(name, n, p, seed, drawn):
    rng = np.random.default_rng(seed)
    X = np.linalg.qr(rng.standard_normal((n, p)))[0] * np.sqrt(n) + rng.standard_normal(p)
    y = rng.standard_normal(n)
    s = np.array(drawn.draw(st.lists(st.integers(1, 4), min_size=n, max_size=n)))
    rows = rng.permutation(np.repeat(np.arange(n), s))
    one, other = fit(MODELS[name], X, y, s), fit(MODELS[name], X[rows], y[rows])
    # orthonormal columns, weights of 1 to 4: the condition of X'SX is at most about (4 * 4)
    assert_allclose(numbers(one), numbers(other), rtol=0.0, atol=1e-11)
