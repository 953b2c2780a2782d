"""``penalty_factor`` and ``bounds``: what they mean, what they leave alone, and what is refused."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import minimize
from scipy.special import expit
from sklearn.base import clone

import separatrix
from separatrix.linear_model import ElasticNet, ElasticNetCV, Lasso, LassoCV, LogisticRegression

P = 30


def data(seed=0, n=70):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, P))
    return X, X[:, :4] @ np.array([1.0, -2.0, 0.5, 1.0]) + rng.standard_normal(n)


@pytest.mark.parametrize("model", [Lasso(0.1), ElasticNet(0.1), LogisticRegression(l1_ratio=1.0, C=0.3)], ids=str)
def test_factors_of_one_and_bounds_at_infinity_change_nothing(model):
    X, y = data()
    y = y if not isinstance(model, LogisticRegression) else y > 0.0
    plain = clone(model).fit(X, y)
    told = clone(model).set_params(penalty_factor=np.ones(P), bounds=(-np.inf, np.inf)).fit(X, y)
    assert_array_equal(plain.coef_, told.coef_)
    assert plain.certificate_.value == told.certificate_.value


def test_a_factor_is_used_as_given():
    X, y = data()
    assert_array_equal(Lasso(0.1, penalty_factor=np.full(P, 2.0)).fit(X, y).coef_, Lasso(0.2).fit(X, y).coef_)


def test_positive_is_a_lower_bound_of_zero():
    X, y = data()
    for alpha in (0.0, 0.1):
        positive = Lasso(alpha, positive=True, tol=1e-12).fit(X, y)
        bounded = Lasso(alpha, bounds=(0.0, np.inf), tol=1e-12).fit(X, y)
        assert_allclose(bounded.coef_, positive.coef_, atol=1e-9)
        assert_array_equal(Lasso(alpha, positive=True, bounds=(-1.0, 0.0)).fit(X, y).coef_, np.zeros(P))


def test_a_strong_lasso_with_unpenalised_columns_is_least_squares_on_them():
    X, y = data()
    factor = np.ones(P)
    factor[[0, 9]] = 0.0
    model = Lasso(100.0, penalty_factor=factor).fit(X, y)
    design = np.column_stack([np.ones(len(y)), X[:, [0, 9]]])
    expected = np.linalg.lstsq(design, y, rcond=None)[0]
    assert_allclose(np.append(model.intercept_, model.coef_[[0, 9]]), expected, rtol=1e-10)
    assert np.count_nonzero(model.coef_) == 2
    assert model.certificate_.converged


@pytest.mark.parametrize("zero", [[], [0, 9]])
def test_ridge_logistic_regression_takes_factors(zero):
    X, y = data()
    y, factor = (y > 0.0).astype(float), np.linspace(0.5, 2.0, P)
    factor[zero] = 0.0

    def objective(w):
        eta = X @ w[1:] + w[0]
        u = expit(eta) - y
        return (
            np.sum(np.logaddexp(0.0, eta) - y * eta) + 0.5 * factor @ w[1:] ** 2,
            np.append(u.sum(), X.T @ u + factor * w[1:]),
        )

    options = {"maxiter": 10_000, "gtol": 1e-10}
    expected = minimize(objective, np.zeros(P + 1), jac=True, method="BFGS", options=options).x
    model = LogisticRegression(C=1.0, penalty_factor=factor, tol=1e-12).fit(X, y)
    assert_allclose(np.append(model.intercept_, model.coef_), expected, atol=1e-6)
    assert model.certificate_.converged


def test_bounds_hold_for_every_class():
    X, y = data()
    model = LogisticRegression(C=1.0, bounds=(-0.2, 0.1)).fit(X, np.digitize(y, [-1.0, 1.0]))
    assert model.coef_.min() == -0.2 and model.coef_.max() == 0.1
    assert model.certificate_.converged


@pytest.mark.parametrize("model", [LassoCV(cv=3, alphas=20), ElasticNetCV(cv=3, alphas=20)], ids=str)
def test_cross_validation_keeps_factors_and_bounds(model):
    X, y = data()
    factor = np.ones(P)
    factor[5] = 0.0
    model.set_params(penalty_factor=factor, bounds=(-0.5, np.inf)).fit(X, y)
    assert model.coef_[5] != 0.0 and model.coef_.min() == -0.5
    # the first strength is the smallest that leaves the unpenalised column alone
    strongest = ElasticNet(model.alphas_[0] * (1 + 1e-9), l1_ratio=model.l1_ratio_, penalty_factor=factor)
    assert np.count_nonzero(strongest.fit(X, y).coef_) == 1
    weaker = ElasticNet(model.alphas_[0] * (1 - 1e-3), l1_ratio=model.l1_ratio_, penalty_factor=factor)
    assert np.count_nonzero(weaker.fit(X, y).coef_) == 2


@pytest.mark.parametrize("model", [Lasso(), LogisticRegression()], ids=str)
@pytest.mark.parametrize(
    "name, value",
    [
        ("penalty_factor", np.ones(P - 1)),
        ("penalty_factor", -np.ones(P)),
        ("penalty_factor", np.full(P, np.nan)),
        ("penalty_factor", "much"),
        ("bounds", (0.1, 1.0)),
        ("bounds", (-1.0, -0.5)),
        ("bounds", (-1.0, np.ones(3))),
        ("bounds", (-1.0, 0.0, 1.0)),
        ("bounds", (np.nan, 1.0)),
        ("bounds", 3.0),
    ],
)
def test_what_makes_no_sense_is_refused_by_name(model, name, value):
    X, y = data()
    with pytest.raises(ValueError, match=name):
        clone(model).set_params(**{name: value}).fit(X, y > 0.0)


def test_a_gap_is_stated_where_a_coefficient_is_unpenalised():
    rng = np.random.default_rng(4)
    X = rng.standard_normal((50, 3))
    y = X @ [1.0, 2.0, 0.0] + rng.standard_normal(50)
    model = Lasso(0.1, penalty_factor=[0.0, 1.0, 1.0]).fit(X, y)
    assert 0.0 < model.dual_gap_ < 1e-8 and model.certificate_.kind == "gap" and model.certificate_.converged
    assert 0.0 < Lasso(0.1, penalty_factor=[0.5, 1.0, 1.0]).fit(X, y).dual_gap_ < 1e-8
    several = Lasso(0.1, penalty_factor=[0.0, 1.0, 1.0]).fit(X, np.column_stack([y, -y]))
    assert several.dual_gap_.shape == (2,) and (several.dual_gap_ < 1e-8).all()
    wide = rng.standard_normal((50, 300))
    model = Lasso(0.1, penalty_factor=np.arange(300.0) > 1).fit(wide, y)
    assert model.certificate_.kind == "gap" and model.certificate_.converged
    model.coef_[0] += 1e-3
    assert not separatrix.verify(model, wide, y).converged
