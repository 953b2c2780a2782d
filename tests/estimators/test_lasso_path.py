"""Paths of the lasso with an intercept: each point is the lasso of its strength, on dense and on sparse columns."""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose
from sklearn.linear_model import ElasticNet as TheirElasticNet
from sklearn.linear_model import ElasticNetCV as TheirElasticNetCV

from separatrix.designs import DenseDesign
from separatrix.estimators import validation
from separatrix.linear_model import ElasticNetCV, enet_path, lasso_path


def data(n=60, p=40):
    rng = np.random.default_rng(5)
    X = rng.standard_normal((n, p)) * (rng.random((n, p)) < 0.3) + (np.arange(p) % 3 == 0)
    return X, X[:, :4] @ [2.0, -1.0, 0.5, 1.0] + 7.0 + 0.3 * rng.standard_normal(n)


@pytest.mark.parametrize("store", [np.asarray, np.asfortranarray, sp.csc_array, sp.csr_array])
def test_every_point_with_an_intercept_is_scikit_learns_model_of_that_strength(store):
    X, y = data()
    alphas, coefs, gaps, intercepts = enet_path(
        store(X), y, l1_ratio=0.7, alphas=6, eps=1e-2, tol=1e-14, fit_intercept=True
    )
    assert coefs.shape == (X.shape[1], 6) and intercepts.shape == gaps.shape == (6,)
    for alpha, beta, intercept in zip(alphas, coefs.T, intercepts, strict=True):
        theirs = TheirElasticNet(alpha, l1_ratio=0.7, tol=1e-14, max_iter=100_000).fit(X, y)
        assert_allclose([*beta, intercept], [*theirs.coef_, theirs.intercept_], atol=1e-6)


def test_the_first_strength_with_an_intercept_leaves_the_mean_alone():
    X, y = data()
    alphas, coefs, _, iterations, intercepts = lasso_path(X, y, alphas=5, return_n_iter=True, fit_intercept=True)
    assert not coefs[:, 0].any() and len(iterations) == 5
    assert intercepts[0] == pytest.approx(y.mean(), rel=1e-14)
    assert alphas[0] == pytest.approx(np.abs((X - X.mean(axis=0)).T @ (y - y.mean())).max() / len(y), rel=1e-12)


def test_several_outputs_have_an_intercept_each_at_every_strength():
    X, y = data()
    Y = np.column_stack([y, 3.0 - 2.0 * y])
    _, coefs, gaps, intercepts = lasso_path(X, Y, alphas=[0.5, 0.1], fit_intercept=True)
    assert coefs.shape == (2, X.shape[1], 2) and intercepts.shape == gaps.shape == (2, 2)
    alone = lasso_path(X, Y[:, 1], alphas=[0.5, 0.1], fit_intercept=True)
    assert_allclose(intercepts[1], alone[3], rtol=1e-9)


def test_ridge_alone_has_a_path_of_given_strengths_and_no_first_one():
    X, y = data()
    n, p = X.shape
    alphas, coefs, _ = enet_path(X, y, l1_ratio=0.0, alphas=[0.1, 10.0])
    for alpha, beta in zip(alphas, coefs.T, strict=True):  # min |y - X b|^2 / 2n + alpha |b|^2 / 2
        assert_allclose(beta, np.linalg.solve(X.T @ X / n + alpha * np.eye(p), X.T @ y / n), rtol=1e-5, atol=1e-6)
    chosen = ElasticNetCV(l1_ratio=[0.0, 0.5], alphas=[10.0, 0.1]).fit(X, y)
    ridge = ElasticNetCV(l1_ratio=0.0, alphas=[10.0, 0.1]).fit(X, y)
    assert_allclose(chosen.mse_path_[0], ridge.mse_path_, rtol=1e-12)
    assert ridge.l1_ratio_ == 0.0 and ridge.certificate_.converged
    for without in (lambda: enet_path(X, y, l1_ratio=0.0), lambda: ElasticNetCV(l1_ratio=[0.5, 0.0]).fit(X, y)):
        with pytest.raises(ValueError, match="l1_ratio=0: it starts where all coefficients are zero"):
            without()


@pytest.mark.parametrize("store", [np.asarray, sp.csc_array])
def test_errors_on_folds_are_those_of_solutions_held_to_tol(store):
    X, y = data(40, 60)
    exact = TheirElasticNetCV(alphas=10, tol=1e-14, max_iter=1_000_000).fit(X, y)
    ours = ElasticNetCV(alphas=10, tol=1e-13).fit(store(X), y)
    # coefficients of a relative gap of 1e-13 are right to about its square root
    assert_allclose(ours.mse_path_, exact.mse_path_, rtol=1e-6)


@pytest.mark.parametrize("shape", [(60, 5), (20, 80)])
@pytest.mark.parametrize("bad", [np.nan, np.inf])
@pytest.mark.parametrize("alphas", [5, [0.1, 0.01]])
def test_a_path_on_an_x_that_was_not_read_before_refuses_what_is_not_finite(shape, bad, alphas, monkeypatch):
    monkeypatch.setattr(validation, "UNREAD", 0)
    X = np.random.default_rng(0).standard_normal(shape)
    y = X[:, 0].copy()
    X[3, 2] = bad
    with pytest.raises(ValueError, match=r"NaN|infinity"):
        lasso_path(X, y, alphas=alphas)


def test_a_tall_path_takes_the_squares_of_columns_from_its_gram_matrix(monkeypatch):
    monkeypatch.setattr(DenseDesign, "_column_squares", None)
    X = np.random.default_rng(0).standard_normal((60, 5)) + 1.0
    for intercept in (False, True):
        assert np.all(lasso_path(X, X[:, 0], alphas=[0.1, 0.01], fit_intercept=intercept)[2] < 1e-8)
