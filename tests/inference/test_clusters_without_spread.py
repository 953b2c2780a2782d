"""Coefficients that tell clusters apart have no cluster-robust standard error: the sandwich is 0 in exact arithmetic.

With a column for each cluster the first-order conditions make the residuals of every cluster sum to 0. In floating
point the sandwich is then about 1e-16 of an estimate, and a test by it would reject every hypothesis.
"""

import warnings

import numpy as np
import pytest

from separatrix.inference import contrasts, covariance_matrix, linear_hypothesis
from separatrix.linear_model import LinearRegression, LogisticRegression, PoissonRegressor

GROUP = np.repeat(np.arange(6), 10)
X = (GROUP[:, None] == np.arange(1, 6)).astype(float)
COUNTS = np.random.default_rng(0).poisson(2.0, 60).astype(float)
MODELS = {
    "least squares": (LinearRegression(), COUNTS),
    "counts": (PoissonRegressor(alpha=0.0), COUNTS),
    "classes": (LogisticRegression(C=np.inf), COUNTS > 1.0),
}


@pytest.fixture(params=MODELS)
def fitted(request):
    model, y = MODELS[request.param]
    return model.fit(X, y), y


def test_no_test_is_made_of_rounding(fitted):
    model, y = fitted
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        summary = model.summary(X, y, cluster=GROUP)
    for row in summary.rows:
        assert row.estimate is not None and row.error is None and row.p is None and row.low is None
    assert "Without a standard error: intercept, x0, x1, x2, x3, x4." in " ".join(str(summary).split())
    assert (covariance_matrix(model, X, y, cluster=GROUP).values == 0.0).all()


def test_contrasts_of_them_are_not_tested(fitted):
    model, y = fitted
    table = contrasts(model, None, X, y, cluster=GROUP)
    row = table["x0"]
    assert row["p"] is None and row["std_error"] is None and row["ci_low"] is None and row["ci_high"] is None
    assert "exact fit" not in str(table) and "whatever the spread between clusters is" in " ".join(str(table).split())
    with pytest.raises(ValueError, match="too few clusters"):
        linear_hypothesis(model, ["x0 = 0", "x1 = 0"], X, y, cluster=GROUP)


def test_other_coefficients_keep_theirs():
    rng = np.random.default_rng(1)
    z = rng.standard_normal(60)
    both, y = np.column_stack([X, z - [z[g == GROUP].mean() for g in GROUP]]), rng.standard_normal(60)
    summary = LinearRegression().fit(both, y).summary(both, y, cluster=GROUP)
    errors = {row.name: row.error for row in summary.rows}
    assert errors["x0"] is None and errors["x5"] > 0.0
    r = y - LinearRegression().fit(both, y).predict(both)
    sums = np.bincount(GROUP, both[:, 5] * r)
    by_hand = np.sqrt(sums @ sums * 6 / 5 * 59 / 53) / (both[:, 5] @ both[:, 5])
    assert errors["x5"] == pytest.approx(by_hand, rel=1e-10)
