"""Profile intervals of Firth's fit, against the penalised likelihood written out and maximised by scipy."""

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.stats import chi2

from separatrix.inference import describe, firth_summary
from separatrix.linear_model import FirthLogisticRegression, LinearRegression


def penalised(Z, y, s, w):
    eta = Z @ w
    mu = 1.0 / (1.0 + np.exp(-eta))
    likelihood = s @ (y * eta - np.logaddexp(0.0, eta))
    return likelihood + 0.5 * np.linalg.slogdet((Z * (s * mu * (1.0 - mu))[:, None]).T @ Z)[1]


def profiled(Z, y, s, j, b):
    """The penalised likelihood, maximised over all coefficients but j, which is b."""
    others = np.delete(np.arange(Z.shape[1]), j)

    def fall(rest):
        w = np.empty(Z.shape[1])
        w[others], w[j] = rest, b
        return -penalised(Z, y, s, w)

    found = minimize(fall, np.zeros(len(others)), method="BFGS", options={"gtol": 1e-9})
    return -minimize(fall, found.x, method="Nelder-Mead", options={"xatol": 1e-9, "fatol": 1e-12}).fun


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(5)
    X = np.column_stack([rng.standard_normal(24), rng.random(24) < 0.3])
    y = (rng.random(24) < 0.4).astype(float)
    y[X[:, 1] == 1.0] = 1.0  # the second column separates
    return X, y, rng.integers(1, 3, 24).astype(float)


def test_intervals_end_where_the_penalised_profile_has_fallen_by_half_a_quantile(data):
    X, y, s = data
    Z = np.column_stack([np.ones(24), X])
    model = FirthLogisticRegression().fit(X, y, s)
    found = model.summary(X, y, s, level=0.9)
    top = penalised(Z, y, s, np.concatenate([model.intercept_, model.coef_[0]]))
    assert model.log_likelihood_ == pytest.approx(top, rel=1e-10)
    for j, row in enumerate(found.rows):
        assert row.low < row.estimate < row.high
        for end in (row.low, row.high):
            assert 2.0 * (top - profiled(Z, y, s, j, end)) == pytest.approx(chi2.ppf(0.9, 1), rel=1e-5)
        assert row.p == pytest.approx(chi2.sf(2.0 * (top - profiled(Z, y, s, j, 0.0)), 1), rel=1e-4)


def test_an_aliased_column_has_no_row_of_numbers(data):
    X, y, s = data
    wide = np.column_stack([X, X[:, 0] + 1.0])
    with pytest.warns(UserWarning, match="x2"):
        model = FirthLogisticRegression().fit(wide, y, s)
    found = model.summary(wide, y, s)
    assert found["x2"].aliased and found["x2"].estimate is None
    assert found["x1"].estimate == pytest.approx(model.coef_[0, 1], rel=1e-6)


def test_what_cannot_be_summarised_is_said(data):
    X, y, _ = data
    with pytest.raises(TypeError, match="LinearRegression"):
        firth_summary(LinearRegression().fit(X, y), X, y)
    with pytest.raises(ValueError, match="level=2"):
        FirthLogisticRegression().fit(X, y).summary(X, y, level=2)


def test_the_summary_has_odds_ratios_and_says_that_its_likelihood_is_penalised(data):
    X, y, s = data
    model = FirthLogisticRegression().fit(X, y, s)
    summary = model.summary(X, y, s)
    intercept, *slopes = summary.rows
    assert intercept.odds_ratio is None
    for row in slopes:
        assert [row.odds_ratio, row.odds_low, row.odds_high] == pytest.approx(np.exp([row.estimate, row.low, row.high]))
    Z = np.column_stack([np.ones(24), X])
    w = np.concatenate([model.intercept_, model.coef_[0]])
    plain = s @ (y * (Z @ w) - np.logaddexp(0.0, Z @ w))
    assert "log_likelihood" not in summary.statistics  # which is another number, and not that of any unit of X
    assert summary.statistics["penalised_log_likelihood"] == pytest.approx(penalised(Z, y, s, w)) != plain
    text = str(summary)
    assert "penalised log-likelihood" in text and "profile-likelihood intervals" in text
    assert "Log-odds of 1.0 against 0.0." in text
    frame = summary.to_frame("pandas")
    assert "odds_ratio" in frame and "digits" not in frame and "t" not in frame


def test_the_description_names_both_classes(data):
    X, y, _ = data
    labels = np.where(y == 1.0, "well", "ill")
    told = describe(FirthLogisticRegression().fit(X, labels), ["age", "dose"], X, labels)
    assert "decides between well and ill." in told.words and "the odds of well against ill by" in told.words
    assert all("the log-odds of well against ill" in table.caption for table in told.tables)
