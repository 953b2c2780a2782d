"""What machines publish is what their data say, wherever the rows are and whatever the prices."""

from fractions import Fraction

import numpy as np
import pytest
from numpy.testing import assert_allclose

from separatrix import verify
from separatrix.svm import SVC, SVR, LinearSVC, LinearSVR, NuSVR


def test_a_gaussian_machine_of_far_groups_is_certified():
    rng = np.random.default_rng(4)
    grid = rng.integers(-8, 8, (30, 2)).astype(float)
    labels = np.where(grid[:, 0] * grid[:, 1] > 0.0, 1, -1)
    alone = SVC(C=10.0, gamma=0.05).fit(grid, labels)
    # the other group is too far away to be seen by this one: its kernel with it is 0
    both = SVC(C=10.0, gamma=0.05, tol=1e-9).fit(np.vstack([grid - 1e8, grid + 1e8]), np.append(labels, labels))
    assert both.certificate_.converged
    assert_allclose(both.decision_function(grid + 1e8), alone.decision_function(grid), rtol=1e-7, atol=1e-7)


@pytest.mark.parametrize("far", [0.0, 30.0])
def test_the_primal_objective_is_that_of_the_formula(far):
    rng = np.random.default_rng(5)
    X = (rng.integers(-8, 8, (30, 2)) + far).astype(float)
    labels = np.where(X[:, 0] - far + rng.integers(-3, 4, 30) > 0.0, 1, -1)
    prices = 10.0 * np.where(rng.random(30) < 0.2, 1e6, 1.0)
    model = SVC(C=10.0, kernel="linear").fit(X, labels, sample_weight=prices / 10.0)
    K = X @ X.T  # whole numbers, and exact
    b = np.zeros(30)
    b[model.support_] = model.dual_coef_[0]
    scores = [sum(Fraction(v) * Fraction(k) for v, k in zip(b, row)) + Fraction(model.intercept_[0]) for row in K]
    norm = sum(Fraction(v) * (f - Fraction(model.intercept_[0])) for v, f in zip(b, scores))
    losses = sum(Fraction(c) * max(0, 1 - int(y) * f) for c, y, f in zip(prices, labels, scores))
    rounding = 4.0 * np.finfo(float).eps * np.abs(K).max() * np.linalg.norm(b) * prices.sum()
    assert (
        abs(model.primal_objective_ - float(norm / 2 + losses)) <= 0.1 * rounding
    )  # a bound that is added whole is 0.5


@pytest.mark.parametrize("machine", [SVR, NuSVR])
def test_where_all_coefficients_are_at_bounds_the_order_of_rows_moves_nothing(machine):
    rng = np.random.default_rng(6)
    for _ in range(30):
        X = rng.standard_normal((36, 3))
        y = X[:, 0] + rng.standard_normal(36)
        order, C = rng.permutation(36), 10.0 ** rng.uniform(-2.0, 0.0)
        model, other = machine(C=C).fit(X, y), machine(C=C).fit(X[order], y[order])
        assert_allclose(other.predict(X), model.predict(X), rtol=0.0, atol=1e-6)


@pytest.mark.parametrize("machine", [LinearSVC, lambda: LinearSVR(loss="squared_epsilon_insensitive")])
def test_verify_looks_at_the_dual_variables_of_a_squared_loss(machine):
    rng = np.random.default_rng(7)
    X = rng.standard_normal((40, 3))
    labels = (X[:, 0] + rng.standard_normal(40) > 0.0).astype(int)
    weights = rng.integers(0, 4, 40).astype(float)
    model = machine().fit(X, labels, sample_weight=weights)
    assert verify(model, X, labels, sample_weight=weights).converged
    model.dual_coef_[0, model.support_[0]] *= 1.1
    assert not verify(model, X, labels, sample_weight=weights).converged
