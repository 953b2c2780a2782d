"""Paths of the lasso with an intercept: each point is the lasso of its strength, on dense and on sparse columns."""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose
from sklearn.linear_model import ElasticNet as TheirElasticNet

from separatrix.linear_model import enet_path, lasso_path


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
