"""SVR: the tube, its conditions, laws of rows and weights, and LIBSVM's objective."""

from fractions import Fraction

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn import svm
from sklearn.metrics.pairwise import rbf_kernel

import separatrix
from separatrix.svm import SVR

ROUNDING = 1e-9


def waves(n=120, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, 3))
    return X, np.sin(X[:, 0]) + X[:, 1] * X[:, 2] + 0.3 * rng.standard_normal(n)


def coefficients(model, n):
    b = np.zeros(n)
    b[model.support_] = model.dual_coef_[0]
    return b


@pytest.mark.parametrize("C", [1e-3, 1.0, 100.0])
def test_rows_are_inside_the_tube_on_it_or_beyond_it(C):
    X, y = waves()
    model = SVR(C=C, gamma=0.3, epsilon=0.2).fit(X, y)
    b, away = coefficients(model, len(y)), y - model.predict(X)
    inside = (b != 0.0) & (np.abs(b) < C)
    assert abs(b.sum()) <= 1e-10 * C and np.abs(b).max() <= C
    assert np.all(np.abs(away[b == 0.0]) <= 0.2 + 1e-8)
    assert_allclose(np.abs(away[inside]), 0.2, atol=1e-8)
    assert np.all(np.abs(away[np.abs(b) == C]) >= 0.2 - 1e-8)
    assert_array_equal(np.sign(b[b != 0.0]), np.sign(away[b != 0.0]))
    assert_allclose(model.slack_, np.maximum(0.0, np.abs(away) - 0.2), atol=1e-8)
    assert model.certificate_.value <= 1e-9 and model.kkt_violation_ <= 1e-8


def test_the_dual_objective_is_at_least_that_of_libsvm():
    X, y = waves()
    K = rbf_kernel(X, gamma=0.3)
    values = []
    for make in (SVR, svm.SVR):
        b = coefficients(make(C=2.0, gamma=0.3).fit(X, y), len(y))
        values.append(y @ b - 0.1 * np.abs(b).sum() - 0.5 * b @ K @ b)
    assert values[0] >= values[1] * (1.0 - 1e-12)
    assert_allclose(SVR(C=2.0, gamma=0.3).fit(X, y).dual_objective_, values[0], rtol=1e-12)


def test_a_line_through_two_ends_of_the_tube_is_exact():
    model = SVR(kernel="linear", C=10.0, epsilon=0.5).fit([[0.0], [1.0], [2.0]], [0.0, 1.0, 2.0])
    assert_allclose([model.coef_[0, 0], model.intercept_[0]], [0.5, 0.5], atol=1e-12)
    assert_allclose(model.margin_, 2.0, rtol=1e-12)


def test_the_order_of_rows_does_not_show_and_a_weight_is_a_repetition():
    X, y = waves()
    order = np.random.default_rng(1).permutation(len(y))
    scores = SVR(C=3.0).fit(X, y).predict(X)
    assert_allclose(SVR(C=3.0).fit(X[order], y[order]).predict(X), scores, atol=ROUNDING)
    s = np.arange(len(y)) % 3
    weighted = SVR(C=3.0).fit(X, y, sample_weight=s)
    repeated = SVR(C=3.0).fit(np.repeat(X, s, axis=0), np.repeat(y, s))
    assert_allclose(weighted.predict(X), repeated.predict(X), atol=ROUNDING)


def test_verify_holds_a_model_to_its_data():
    X, y = waves()
    model = SVR(C=3.0).fit(X, y)
    assert separatrix.verify(model, X, y).converged
    model.dual_coef_ = model.dual_coef_ * 1.01
    assert not separatrix.verify(model, X, y).converged


@pytest.mark.parametrize("options", [{"C": 0.0}, {"C": np.inf}, {"epsilon": -0.1}, {"gamma": 0.0}], ids=str)
def test_parameters_out_of_range_are_refused_by_name(options):
    (name,) = options
    with pytest.raises(ValueError, match=f"SVR with {name}="):
        SVR(**options).fit(*waves(20))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("level", [1.0, 1e3, 1e6])
def test_the_claimed_gap_is_no_less_than_that_of_exact_fractions(dtype, level):
    for seed in range(6):
        rng = np.random.default_rng(seed)
        X = rng.standard_normal((100, 3)).astype(dtype)
        y = (np.sin(X[:, 0]) + 0.2 * rng.standard_normal(100) + level).astype(dtype)
        model = SVR(kernel="linear", C=1.0, epsilon=0.125).fit(X, y)
        b = {i: Fraction(c) for i, c in zip(model.support_.tolist(), model.dual_coef_[0].tolist())}
        rows, targets = [[Fraction(x) for x in row] for row in X.tolist()], [Fraction(v) for v in y.tolist()]
        w = [sum(c * rows[i][j] for i, c in b.items()) for j in range(3)]
        half, t, tube = sum(each * each for each in w) / 2, Fraction(float(model.intercept_[0])), Fraction(1, 8)
        misses = [abs(v - sum(a * c for a, c in zip(row, w)) - t) - tube for row, v in zip(rows, targets)]
        primal = half + sum(max(each, 0) for each in misses)
        dual = sum(targets[i] * c - tube * abs(c) for i, c in b.items()) - half
        null = sum(
            max(abs(v - sorted(targets)[50]) - tube, 0) for v in targets
        )  # no less than that of the best constant
        assert float((primal - dual) / null) <= model.certificate_.value
