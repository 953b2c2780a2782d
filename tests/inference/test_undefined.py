"""Where uncertainty does not exist the summary says so, in words; and it refuses what it cannot know."""

import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose

from separatrix.core.solution import Certificate
from separatrix.estimators.base import LinearRegressor
from separatrix.inference import summary


def data(n=30, p=3, seed=0):
    rng = np.random.default_rng(seed)
    X = np.round(64 * rng.normal(size=(n, p))) / 64
    return X, np.round(64 * (X.sum(axis=1) + rng.normal(size=n))) / 64


def looks(found):
    """Text and HTML; a NaN or an infinity must never show as a number."""
    pages = str(found), re.sub(r"<style>.*?</style>", "", found._repr_html_(), flags=re.DOTALL)
    for page in pages:
        assert not re.search(r"\b(nan|inf|None)\b", page, flags=re.IGNORECASE)
    return pages


def test_without_residual_degrees_of_freedom_standard_errors_are_undefined(exact):
    X, y = data(n=4)
    found = exact().fit(X, y).summary()
    assert all(row.error is row.t is row.p is row.low is None for row in found.rows)
    assert found.statistics["sigma"] is None and found.statistics["f"] is None
    for page in looks(found):
        assert "No residual degrees of freedom: standard errors are not defined" in page


def test_weights_that_sum_to_one_are_not_read_as_one_row_in_silence(exact):
    X, y = data()
    s = np.full(30, 1 / 32)
    model = exact().fit(X, y, s)
    assert "weights='precision'" in str(model.summary())
    assert model.summary(weights="precision")["x0"].error > 0.0


def test_more_columns_than_rows_is_said(exact):
    X, y = data(n=40)
    model = exact().fit(X, y)
    model.evidence_ = replace(model.evidence_, unscaled=None)
    found = model.summary()
    assert found["x0"].error is None and found.covariance is None
    assert any("not formed" in note for note in found.notes)
    model.evidence_ = replace(model.evidence_, n=3, p=3)
    assert any("more coefficients than rows" in note for note in model.summary().notes)
    looks(found)


@pytest.mark.parametrize("covariance", ["classical", "HC3"])
def test_an_exact_fit_has_zero_errors_and_infinite_t(exact, covariance):
    X, _ = data()
    y = 1.0 + X @ [1.0, -2.0, 0.0]
    found = exact().fit(X, y).summary(X, y, covariance=covariance)
    assert [row.error for row in found.rows] == [0.0] * 4
    assert [row.t for row in found.rows] == [np.inf, np.inf, -np.inf, None]
    assert found["x2"].p is None and found["x1"].p == 0.0
    assert found.statistics["f"] == np.inf and found.statistics["aic"] is None
    for page in looks(found):
        assert "essentially perfect" in page and "∞" in page


def test_a_constant_target_has_no_r_squared(exact):
    X, _ = data()
    found = exact().fit(X, np.full(30, 5.0)).summary()
    assert found.statistics["r_squared"] is None and found.statistics["f"] is None
    looks(found)


@pytest.mark.mission("LS-15")
@pytest.mark.parametrize("covariance", ["classical", "HC3"])
def test_aliased_columns_are_named_and_given_no_number(exact, covariance):
    X, y = data()
    frame = pd.DataFrame(X, columns=["a", "b", "c"]).assign(twice=2 * X[:, 1], one=1.0)
    found = exact().fit(frame, y).summary(frame, y, covariance=covariance)
    without = exact().fit(frame[["a", "b", "c"]], y).summary(frame[["a", "b", "c"]], y, covariance=covariance)
    for name in ("intercept", "a", "b", "c"):
        assert_allclose(found[name].error, without[name].error, rtol=1e-12)
        assert_allclose(found[name].p, without[name].p, rtol=1e-10)
    for name in ("f", "aic", "bic", "adjusted_r_squared", "residual_df"):
        assert_allclose(found.statistics[name], without.statistics[name], rtol=1e-12)
    for name in ("twice", "one"):
        assert found[name].aliased and found[name].estimate is None and found[name].error is None
    for page in looks(found):
        assert page.count("aliased") == 2 and "twice, one" in page


def test_a_solution_spread_over_aliased_columns_gets_no_standard_errors(exact):
    X, y = data()
    model = exact().fit(np.column_stack([X, X[:, 0]]), y)
    shortest = model.evidence_.coefficients.copy()
    shortest[[1, 4]] = shortest[1] / 2
    model.evidence_ = replace(model.evidence_, coefficients=shortest)
    found = model.summary()
    assert found["x1"].error is None and any("single coefficients" in note for note in found.notes)


def test_ridge_shows_effective_degrees_of_freedom_and_no_tests(exact):
    X, y = data()
    found = exact(alpha=4).fit(X, y).summary()
    A = np.column_stack([np.ones(30), X])
    W = np.linalg.inv(A.T @ A + np.diag([0.0, 4.0, 4.0, 4.0]))
    beta, edf = W @ A.T @ y, np.trace(A @ W @ A.T)
    sigma2 = np.sum((y - A @ beta) ** 2) / (30 - edf)
    assert_allclose(found.statistics["edf"], edf, rtol=1e-12)
    assert_allclose(found.statistics["sigma"] ** 2, sigma2, rtol=1e-12)
    assert_allclose([row.error for row in found.rows], np.sqrt(sigma2 * np.diag(W @ A.T @ A @ W)), rtol=1e-12)
    assert all(row.t is row.p is row.low is row.high is None for row in found.rows)
    for page in looks(found):
        assert "effective df" in page and "shrunken mean" in page and "F(" not in page


class Selected(LinearRegressor):
    """Any linear model that keeps no evidence."""

    def __init__(self, fit_intercept=True):
        self.fit_intercept = fit_intercept

    def fit(self, X, y):
        self.n_features_in_ = X.shape[1]
        self.coef_, self.intercept_ = np.array([1.5, 0.0, -2.0]), 0.25
        self.certificate_ = Certificate("gap", 1e-3, 1e-8)
        return self


def test_a_model_without_evidence_shows_what_it_selected():
    X, _ = data()
    model = Selected().fit(X, None)
    found = model.summary()
    assert [row.estimate for row in found.rows] == [0.25, 1.5, 0.0, -2.0]
    assert found.statistics["nonzero"] == 2 and found["x0"].error is None
    for page in looks(found):
        assert "2 of 3" in page and "not valid after a penalty has selected" in " ".join(page.split())
        assert "NOT certified: relative gap 1.0e-03" in page and "x1" not in page
    y = model.predict(X) + np.tile([1.0, -1.0], 15)
    with_data = model.summary(X, y).statistics
    assert_allclose(with_data["r_squared"], model.score(X, y), rtol=1e-12)
    assert with_data["n"] == 30


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"covariance": "HC3"}, r"Use summary\(X, y, covariance='HC3'\)"),
        ({"covariance": "HC9"}, "'HC9'.*'classical', 'HC0'"),
        ({"weights": "sampling"}, "sampling weights.*covariance='HC1'"),
        ({"weights": "analytic"}, "'analytic'"),
        ({"level": 95}, "level=95"),
        ({"output": 1}, "output=1.*1 output"),
        ({"output": "y0"}, "output='y0'"),
        ({"sample_weight": np.ones(30)}, r"Use summary\(X, y, sample_weight=s\)"),
    ],
)
def test_what_cannot_be_summarised_is_refused_with_advice(exact, options, words):
    X, y = data()
    with pytest.raises(ValueError, match=words):
        exact().fit(X, y).summary(**options)


def test_robust_errors_of_penalised_or_selecting_models_are_refused(exact):
    X, y = data()
    with pytest.raises(ValueError, match="Use covariance='classical', or LinearRegression"):
        exact(alpha=1).fit(X, y).summary(X, y, covariance="HC3")
    with pytest.raises(ValueError, match="Use weights='frequency', or LinearRegression"):
        summary(Selected().fit(X, y), weights="precision")


def test_data_other_than_those_of_the_fit_are_refused(exact):
    X, y = data()
    model = exact().fit(X, y)
    others = {
        "rows": (X[1:], y[1:], None),
        "weight": (X, y, np.full(30, 2.0)),
        "residual sum of squares": (X[::-1], y, None),
        "outputs": (X, np.column_stack([y, y]), None),
    }
    for word, (X_other, y_other, s) in others.items():
        with pytest.raises(ValueError, match=f"{word}.*Use the X, y and sample_weight of the fit"):
            model.summary(X_other, y_other, sample_weight=s, covariance="HC1")


@pytest.mark.parametrize("kind", ["HC2", "HC3"])
def test_a_row_of_leverage_one_has_no_hc3(exact, kind):
    X, y = data()
    X[:, 2] = 0.0
    X[7, 2] = 1.0  # a dummy for one row
    model = exact().fit(X, y)
    with pytest.raises(ValueError, match=r"leverage 1.*Use covariance='HC1'"):
        model.summary(X, y, covariance=kind)
    assert model.summary(X, y, covariance="HC1")["x0"].error > 0.0


def test_precision_weights_without_the_weights_give_no_likelihood(exact):
    X, y = data()
    found = exact().fit(X, y).summary(weights="precision")
    assert found.statistics["aic"] is None and "The likelihood needs the weights" in str(found)
    assert found["x0"].p is not None


def test_rows_of_several_outputs_must_be_chosen(exact):
    X, y = data()
    found = exact().fit(X, np.column_stack([y, -y])).summary()
    with pytest.raises(ValueError, match=r"2 outputs.*summary\.tables\[0\]"):
        _ = found.rows


@pytest.mark.parametrize("family", ["gamma", "gaussian"])
def test_a_fit_as_large_as_its_rows_has_no_profile_and_unknown_influence(family):
    from separatrix.inference import influence
    from separatrix.linear_model import GeneralizedLinearRegressor

    X, y = np.array([[1.0], [2.0]]), np.array([1.0, 3.0])
    model = GeneralizedLinearRegressor(family=family).fit(X, y)
    with pytest.raises(ValueError, match="residual degrees of freedom to estimate a dispersion"):
        model.summary(X, y, intervals="profile")
    measures = influence(model, X, y)
    assert_allclose(measures.leverage, 1.0)
    assert np.isnan(measures.cooks_distance).all()
