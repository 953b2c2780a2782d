"""The summary of LinearRegression and Ridge, from their own evidence, against statsmodels and the hat matrix."""

import warnings

import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm
from numpy.testing import assert_allclose

linear_model = pytest.importorskip("separatrix.linear_model")
KINDS = ["classical", "HC0", "HC1", "HC2", "HC3"]


@pytest.fixture
def data():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(200, 4)) + np.array([0, 10, 0, -3]), columns=list("abcd"))
    y = 2.0 * X["a"] - X["c"] + rng.normal(size=200) * (1.0 + X["a"] ** 2)
    return X, y.to_numpy(), rng.integers(1, 4, 200).astype(float)


@pytest.mark.parametrize("covariance", KINDS)
def test_weighted_regression_equals_statsmodels(data, covariance):
    X, y, s = data
    model = linear_model.LinearRegression().fit(X, y, sample_weight=s)
    found = model.summary(X, y, sample_weight=s, weights="precision", covariance=covariance)
    theirs = sm.WLS(y, sm.add_constant(X), weights=s).fit()
    assert_allclose(
        [found.statistics[k] for k in ("aic", "bic", "r_squared")],
        [theirs.aic + 2.0, theirs.bic + np.log(theirs.nobs), theirs.rsquared],  # R counts the variance, statsmodels not
    )
    if covariance != "classical":
        theirs = theirs.get_robustcov_results(covariance, use_t=True)
    assert [row.name for row in found.rows] == ["intercept", *"abcd"]
    assert_allclose([row.error for row in found.rows], theirs.bse, rtol=1e-10)
    assert_allclose([row.p for row in found.rows], theirs.pvalues, rtol=1e-8)
    assert found.statistics["certificate"].startswith("certified")


@pytest.mark.mission("LS-15")
def test_aliased_columns_leave_the_table_of_the_model_without_them(data):
    X, y, _ = data
    whole = X.assign(sum=X["a"] + X["c"], one=1.0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # RankDeficient, tested where it is raised
        found = linear_model.LinearRegression().fit(whole, y).summary(whole, y, covariance="HC3")
    kept = [row.name for row in found.rows[1:] if not row.aliased]
    assert len(kept) == 4 and found["one"].aliased
    theirs = sm.OLS(y, sm.add_constant(whole[kept])).fit().get_robustcov_results("HC3", use_t=True)
    ours = [row for row in found.rows if not row.aliased]
    assert_allclose([row.estimate for row in ours], theirs.params, rtol=1e-9)
    assert_allclose([row.error for row in ours], theirs.bse, rtol=1e-9)


def test_ridge_errors_and_effective_degrees_of_freedom_equal_the_hat_matrix(data):
    X, y, _ = data
    found = linear_model.Ridge(alpha=20.0).fit(X, y).summary()
    A = sm.add_constant(X).to_numpy()
    W = np.linalg.inv(A.T @ A + 20.0 * np.diag([0.0, 1, 1, 1, 1]))
    edf = np.trace(A @ W @ A.T)
    sigma2 = np.sum((y - A @ W @ A.T @ y) ** 2) / (200 - edf)
    assert_allclose(found.statistics["edf"], edf, rtol=1e-9)
    assert_allclose([row.error for row in found.rows], np.sqrt(sigma2 * np.diag(W @ A.T @ A @ W)), rtol=1e-9)
    assert all(row.p is None for row in found.rows)


def test_more_columns_than_rows_print_without_standard_errors():
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(8, 20)), rng.normal(size=8)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        found = linear_model.LinearRegression().fit(X, y).summary()
    assert all(row.error is None for row in found.rows)
    assert "standard errors are not defined" in str(found) and "nan" not in str(found)
