"""Linear support vector regression: LIBSVM and LIBLINEAR through scikit-learn, and laws of the tube."""

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.svm import SVR as Libsvm
from sklearn.svm import LinearSVR as Liblinear
from sklearn.utils.estimator_checks import parametrize_with_checks

import separatrix
from separatrix.svm import LinearSVR

LOSSES = ("epsilon_insensitive", "squared_epsilon_insensitive")


@parametrize_with_checks([LinearSVR(), LinearSVR(loss="squared_epsilon_insensitive")])
def test_scikit_learn_accepts_it(estimator, check):
    check(estimator)


def line(n=150, p=3, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, p))
    return X, X @ np.arange(1.0, p + 1) + 5.0 + rng.standard_t(2, n)


def formula(model, X, y):
    xi = np.maximum(np.abs(y - model.predict(X)) - model.epsilon, 0.0)
    return 0.5 * model.coef_ @ model.coef_ + model.C * (xi if model.loss == LOSSES[0] else xi**2).sum()


@pytest.mark.parametrize("C", [0.01, 1.0, 10.0])
@pytest.mark.parametrize("epsilon", [0.0, 0.5])
def test_the_tube_is_that_of_libsvm(C, epsilon):
    """LIBSVM does not penalise its intercept either; its kernel is in single precision."""
    X, y = line()
    ours = LinearSVR(C=C, epsilon=epsilon).fit(X, y)
    theirs = Libsvm(kernel="linear", C=C, epsilon=epsilon, tol=1e-10).fit(X, y)
    assert_allclose(ours.coef_, theirs.coef_[0], rtol=1e-4)
    assert_allclose(ours.predict(X), theirs.predict(X), atol=1e-3)
    assert_allclose(ours.primal_objective_, formula(ours, X, y), rtol=1e-12)
    assert ours.certificate_.converged and ours.dual_objective_ <= ours.primal_objective_


@pytest.mark.parametrize("loss", LOSSES)
def test_with_its_intercept_penalised_it_is_that_of_liblinear(loss):
    X, y = line()
    ours = LinearSVR(loss=loss, epsilon=0.3, C=0.5, penalize_intercept=True).fit(X, y)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of its iterations
        theirs = Liblinear(loss=loss, epsilon=0.3, C=0.5, tol=1e-12, max_iter=100_000, random_state=0).fit(X, y)
    assert_allclose(ours.coef_, theirs.coef_, rtol=1e-5)
    assert_allclose(ours.intercept_, theirs.intercept_, rtol=1e-5)


@pytest.mark.parametrize("loss", LOSSES)
def test_rows_are_within_the_tube_on_its_edge_or_outside(loss):
    X, y = line()
    model = LinearSVR(loss=loss, epsilon=0.8).fit(X, y)
    r = np.abs(y - model.predict(X))
    exact = 1e-9 if loss == LOSSES[0] else 1e-6
    assert_allclose(model.slack_, np.maximum(r - 0.8, 0.0), atol=1e-12)
    assert_allclose(model.dual_coef_ @ X, model.coef_[None], atol=exact)
    assert abs(model.dual_coef_.sum()) < exact
    assert_allclose(r[model.on_margin_], 0.8, atol=1e-9)
    assert (r[model.margin_errors_] >= 0.8).all()
    within = np.setdiff1d(np.arange(len(y)), model.support_)
    assert len(within) > 10 and (r[within] <= 0.8 + 1e-9).all() and not model.dual_coef_[0, within].any()


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("C", [1e-6, 1.0, 1e6])
def test_order_does_not_show_and_weights_are_repetitions(loss, C):
    X, y = line()
    s = np.random.default_rng(2).integers(0, 3, len(y))
    again = np.random.default_rng(3).permutation(np.repeat(np.arange(len(y)), s))
    weighted = LinearSVR(loss=loss, C=C, epsilon=0.1).fit(X, y, s).predict(X)
    repeated = LinearSVR(loss=loss, C=C, epsilon=0.1).fit(X[again], y[again]).predict(X)
    assert_allclose(repeated, weighted, atol=1e-6 * np.abs(weighted).max())


def test_a_moved_target_moves_the_intercept_alone():
    X, y = line()
    here, there = LinearSVR(epsilon=0.2).fit(X, y), LinearSVR(epsilon=0.2).fit(X, y + 1e6)
    assert_allclose(there.coef_, here.coef_, rtol=1e-7)
    assert_allclose(there.intercept_, here.intercept_ + 1e6, rtol=1e-12)


def test_a_wild_target_moves_the_plane_no_more_than_a_large_one():
    X, y = line()
    fits = []
    for wild in (1e3, 1e6):
        moved = y.copy()
        moved[0] = wild
        fits.append(LinearSVR().fit(X, moved).coef_)
    assert_allclose(*fits, rtol=1e-9)


def test_sparse_and_dense_are_verified_and_give_the_same():
    X, y = line()
    X = X * (np.abs(X) > 0.5)
    for loss in LOSSES:
        models = [LinearSVR(loss=loss, epsilon=0.1).fit(rows, y) for rows in (X, sp.csr_array(X))]
        assert_allclose(models[0].coef_, models[1].coef_, rtol=1e-7)
        assert all(separatrix.verify(model, X, y).converged for model in models)
        models[0].coef_ = models[0].coef_ * 1.01
        assert not separatrix.verify(models[0], X, y).converged


def test_without_an_intercept_there_is_none():
    X, y = line()
    model = LinearSVR(fit_intercept=False).fit(X, y)
    assert model.intercept_ == 0.0
    assert_array_equal(model.predict(np.zeros((2, 3))), [0.0, 0.0])


@pytest.mark.parametrize("wrong", [{"C": np.inf}, {"C": -1.0}, {"epsilon": -0.1}, {"loss": "squared"}, {"budget": 0}])
def test_what_has_no_meaning_is_refused_in_words(wrong):
    with pytest.raises(ValueError, match="Cannot fit LinearSVR with"):
        LinearSVR(**wrong).fit([[0.0], [1.0]], [0.0, 1.0])
