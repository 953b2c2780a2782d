"""A trace, on request, shows the objective falling to where the certificate says it is."""

from itertools import pairwise

import numpy as np
import pytest

from separatrix.linear_model import ElasticNet, Lasso, LinearRegression, Ridge


def correlated(n, p, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, p)) + 0.5 * rng.standard_normal((n, 1))
    return X, X[:, :4] @ [3.0, -2.0, 1.0, 0.5] + rng.standard_normal(n)


def objective(model, X, y, l1, l2):
    r = y - model.predict(X)
    return r @ r / (2 * len(y)) + l1 * np.abs(model.coef_).sum() + 0.5 * l2 * model.coef_ @ model.coef_


@pytest.mark.parametrize(
    "model, l1, l2",
    [
        (Lasso(alpha=0.05, trace=True), 0.05, 0.0),
        (ElasticNet(alpha=0.1, l1_ratio=0.3, trace=True), 0.03, 0.07),
        (Ridge(alpha=4.0, trace=True), 0.0, 4.0 / 300),
    ],
    ids=["lasso", "elastic net", "ridge"],
)
def test_the_last_objective_of_a_trace_is_that_of_the_model(model, l1, l2):
    X, y = correlated(300, 600 if l1 else 20)
    model.fit(X, y)
    assert len(model.trace_) >= 1
    assert model.trace_.objective[-1] == pytest.approx(objective(model, X, y, l1, l2), rel=1e-9)
    falling = model.trace_.objective
    assert all(after <= before * (1 + 1e-12) for before, after in pairwise(falling))


def test_conjugate_gradients_leave_a_trace_of_falling_gaps():
    X, y = correlated(400, 30_000)
    model = Ridge(alpha=1.0, trace=True).fit(X, y)
    gaps = model.trace_.certificate
    assert len(gaps) > 3
    assert gaps[-1] <= model.tol < gaps[0]


@pytest.mark.parametrize("model", [Lasso(), ElasticNet(), Ridge(), LinearRegression()], ids=lambda m: type(m).__name__)
def test_no_trace_is_kept_unasked(model):
    X, y = correlated(50, 5)
    assert not hasattr(model.fit(X, y), "trace_")
