"""Firth's logistic regression solves the modified score equations, wherever the classes lie."""

import mpmath
import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.utils.estimator_checks import parametrize_with_checks

from separatrix.core.errors import NotCertified, RankDeficient
from separatrix.linear_model import FirthLogisticRegression


def by_mpmath(X, y, s, intercept, start):
    """The root of the modified score equations to 40 digits: Newton with a numeric Jacobian, from nearby."""
    with mpmath.workdps(60):
        Z = [[mpmath.mpf(1)] * intercept + [mpmath.mpf(float(v)) for v in row] for row in X]
        q = len(Z[0])

        def score(*beta):
            mu = [1 / (1 + mpmath.exp(-sum(z * b for z, b in zip(row, beta)))) for row in Z]
            w = [mpmath.mpf(float(si)) * m * (1 - m) for si, m in zip(s, mu)]
            information = mpmath.matrix(q, q)
            for row, wi in zip(Z, w):
                for a in range(q):
                    for b in range(q):
                        information[a, b] += wi * row[a] * row[b]
            inverse = information**-1
            total = [mpmath.mpf(0)] * q
            for row, yi, si, m, wi in zip(Z, y, s, mu, w):
                h = wi * sum(row[a] * inverse[a, b] * row[b] for a in range(q) for b in range(q))
                pull = mpmath.mpf(float(si)) * (int(yi) - m) + h * (mpmath.mpf(1) / 2 - m)
                total = [t + pull * z for t, z in zip(total, row)]
            return total

        root = mpmath.findroot(score, [mpmath.mpf(float(b)) for b in start], tol=1e-60, maxsteps=60, verify=False)
        assert max(abs(v) for v in score(*root)) < mpmath.mpf(10) ** -25
        return np.array([float(v) for v in root])


def cases():
    rng = np.random.default_rng(3)
    line = np.array([[-2.0], [-1.0], [1.0], [2.0]])
    yield "separated", line, [0, 0, 1, 1], None, True
    yield "separated without an intercept", line, [0, 0, 1, 1], None, False
    X = rng.standard_normal((14, 2))
    yield "overlapping", X, rng.integers(0, 2, 14), None, True
    yield "weighted", X, rng.integers(0, 2, 14), rng.integers(0, 4, 14) + 0.25, True
    dummy = np.column_stack([np.repeat([0.0, 1.0], [9, 5]), rng.standard_normal(14)])
    yield "quasi-separated", dummy, np.r_[[0, 1, 0, 1, 1, 0, 0, 1, 0], np.ones(5, int)], None, True
    yield "ill-scaled", X * [1e6, 1e-5] + [3e7, 0.0], rng.integers(0, 2, 14), None, True
    yield "separated and rare", np.column_stack([np.arange(12.0), np.arange(12.0) ** 2]), [0] * 10 + [1] * 2, None, True


@pytest.mark.mission("LG-15")
@pytest.mark.parametrize("name, X, y, s, intercept", list(cases()), ids=[c[0] for c in cases()])
def test_coefficients_agree_with_a_high_precision_root_to_eight_digits(name, X, y, s, intercept):
    model = FirthLogisticRegression(fit_intercept=intercept).fit(X, y, s)
    found = np.concatenate([model.intercept_, model.coef_[0]]) if intercept else model.coef_[0]
    weights = np.ones(len(y)) if s is None else s
    exact = by_mpmath(X, y, weights, int(intercept), found)
    # in standard errors, for an intercept may vanish by symmetry
    np.testing.assert_allclose(found, exact, rtol=1e-8, atol=1e-9 * model.standard_errors_.min())
    assert model.certificate_.converged


def test_the_four_points_of_a_line_by_hand():
    """By symmetry the intercept is 0, and the modified score of the slope is one equation in one unknown."""
    model = FirthLogisticRegression(fit_intercept=False).fit([[-2.0], [-1.0], [1.0], [2.0]], [0, 0, 1, 1])
    b = model.coef_[0, 0]
    x = np.array([1.0, 2.0])
    mu = 1.0 / (1.0 + np.exp(-b * x))
    h = x**2 * mu * (1.0 - mu) / (2.0 * np.sum(x**2 * mu * (1.0 - mu)))
    assert abs(np.sum(x * (1.0 - mu + h * (0.5 - mu)))) < 1e-9
    assert model.standard_errors_[0] == pytest.approx((2.0 * np.sum(x**2 * mu * (1.0 - mu))) ** -0.5, rel=1e-8)


def test_weights_are_repetitions():
    rng = np.random.default_rng(0)
    X, y, s = rng.standard_normal((12, 2)), rng.integers(0, 2, 12), rng.integers(0, 4, 12)
    weighted = FirthLogisticRegression().fit(X, y, s)
    repeated = FirthLogisticRegression().fit(np.repeat(X, s, axis=0), np.repeat(y, s))
    np.testing.assert_allclose(weighted.coef_, repeated.coef_, rtol=1e-9)
    np.testing.assert_allclose(weighted.standard_errors_, repeated.standard_errors_, rtol=1e-9)
    assert weighted.log_likelihood_ == pytest.approx(repeated.log_likelihood_, rel=1e-12)


def test_other_units_of_x_change_the_coefficients_inversely():
    rng = np.random.default_rng(1)
    X, y = rng.standard_normal((20, 3)), rng.integers(0, 2, 20)
    units = np.array([1e-7, 3.0, 1e9])
    plain, scaled = FirthLogisticRegression().fit(X, y), FirthLogisticRegression().fit(X * units, y)
    np.testing.assert_allclose(scaled.coef_ * units, plain.coef_, rtol=1e-8)
    np.testing.assert_allclose(scaled.standard_errors_[1:] * units, plain.standard_errors_[1:], rtol=1e-8)


def test_bias_of_a_single_proportion_is_the_known_half():
    """With an intercept alone Firth's estimate is the log-odds of (successes + 1/2) / (n + 1)."""
    y = np.r_[np.ones(3, int), np.zeros(9, int)]
    model = FirthLogisticRegression(fit_intercept=False).fit(np.ones((12, 1)), y)
    assert model.coef_[0, 0] == pytest.approx(np.log(3.5 / 9.5), rel=1e-9)


def test_dense_and_sparse_agree():
    rng = np.random.default_rng(2)
    X = rng.standard_normal((40, 5)) * (rng.random((40, 5)) < 0.4)
    y = rng.integers(0, 2, 40)
    dense, sparse = FirthLogisticRegression().fit(X, y), FirthLogisticRegression().fit(sp.csr_array(X), y)
    np.testing.assert_allclose(sparse.coef_, dense.coef_, rtol=1e-10)


def test_a_copied_column_shares_its_coefficient_and_brings_a_warning():
    rng = np.random.default_rng(2)
    X, y = rng.standard_normal((30, 2)) * [1.0, 1e5], rng.integers(0, 2, 30)
    alone = FirthLogisticRegression().fit(X, y)
    with pytest.warns(RankDeficient, match="x2"):
        copied = FirthLogisticRegression().fit(np.column_stack([X, X[:, 0]]), y)
    np.testing.assert_allclose(copied.coef_[0, [0, 2]], alone.coef_[0, 0] / 2.0, rtol=1e-8)
    np.testing.assert_allclose(copied.predict_proba(np.column_stack([X, X[:, 0]])), alone.predict_proba(X), rtol=1e-8)


def test_more_columns_than_rows_are_still_finite():
    """Every row then has leverage 1, and its fitted probability is (y + 1/2) / 2."""
    X = np.random.default_rng(4).standard_normal((6, 9))
    y = np.array([0, 1, 0, 1, 1, 0])
    with pytest.warns(RankDeficient):
        model = FirthLogisticRegression().fit(X, y)
    np.testing.assert_allclose(model.predict_proba(X)[:, 1], (y + 0.5) / 2.0, rtol=1e-8)


def test_too_few_steps_are_said():
    with pytest.warns(NotCertified, match="max_iter"):
        FirthLogisticRegression(max_iter=1).fit([[-2.0], [-1.0], [1.0], [2.5]], [0, 0, 1, 1])


def test_three_classes_and_one_class_are_refused():
    X = np.arange(6.0)[:, None]
    with pytest.raises(ValueError, match="Only binary"):
        FirthLogisticRegression().fit(X, [0, 1, 2, 0, 1, 2])
    with pytest.raises(ValueError, match="one class"):
        FirthLogisticRegression().fit(X, np.ones(6))
    with pytest.raises(ValueError, match="all weights are zero"):
        FirthLogisticRegression().fit(X, [0, 1, 0, 1, 0, 1], np.zeros(6))


@parametrize_with_checks([FirthLogisticRegression()])
def test_scikit_learn_accepts_it(estimator, check):
    check(estimator)


def with_a_far_row(seed):
    """Rows of which one or two are thousands of units away and, at the estimate, tell nothing: their class is sure."""
    rng = np.random.default_rng(seed)
    n, p = int(rng.integers(5, 60)), int(rng.integers(1, 4))
    X = rng.normal(size=(n, p))
    y = (rng.random(n) < 1.0 / (1.0 + np.exp(-rng.choice([0, 1, 4]) * X[:, 0]))).astype(int)
    k, far = int(rng.integers(1, 3)), 10.0 ** rng.uniform(2, 5)
    X[:k] += far * rng.choice([-1, 1], size=(k, 1)) * (rng.random((k, p)) < 0.7)
    return X, y


def exact_modified_score(X, y, w):
    """``sqrt(U*' I^-1 U* / q)`` in 60 digits."""
    with mpmath.workdps(60):
        Z = mpmath.matrix([[1, *map(mpmath.mpf, map(float, row))] for row in X])
        mu = [1 / (1 + mpmath.exp(-eta)) for eta in Z * mpmath.matrix([mpmath.mpf(float(v)) for v in w])]
        information = Z.T * mpmath.diag([m * (1 - m) for m in mu]) * Z
        V = information**-1
        h = [m * (1 - m) * (Z[i, :] * V * Z[i, :].T)[0] for i, m in enumerate(mu)]
        U = Z.T * mpmath.matrix([int(c) - m + a * (mpmath.mpf(1) / 2 - m) for c, m, a in zip(y, mu, h)])
        return float(mpmath.sqrt((U.T * V * U)[0] / Z.cols))


@pytest.mark.parametrize("seed", [192, 423, 836, 879, 1447, 2591, 2757, 2908])
def test_a_row_thousands_of_units_away_is_no_obstacle_to_a_certificate(seed):
    """In the coordinates of the columns such a row rules the others; at the estimate it tells nothing."""
    X, y = with_a_far_row(seed)
    model = FirthLogisticRegression().fit(X, y)
    assert model.certificate_.converged
    score = exact_modified_score(X, y, [model.intercept_[0], *model.coef_[0]])
    assert score <= 1e-8
    assert model.certificate_.value == pytest.approx(score, rel=0.1, abs=1e-10)
