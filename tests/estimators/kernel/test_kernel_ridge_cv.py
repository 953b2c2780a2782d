"""Kernel ridge with strength and width chosen: leave-one-out by brute force, and what is chosen."""

import numpy as np
import pytest
from sklearn.kernel_ridge import KernelRidge as TheirKernelRidge
from sklearn.model_selection import GridSearchCV, KFold
from sklearn.utils.estimator_checks import parametrize_with_checks

import separatrix
from separatrix.core.errors import EndOfGrid
from separatrix.kernel_ridge import KernelRidge, KernelRidgeCV
from separatrix.kernels import Gaussian, gram
from separatrix.linear_model import RidgeCV

RNG = np.random.default_rng(5)
X = RNG.standard_normal((30, 2))
Y = np.sin(2.0 * X[:, 0]) + X[:, 1] ** 2 + 0.3 * RNG.standard_normal(30)
ALPHAS = [0.003, 0.03, 0.3, 3.0]
pytestmark = pytest.mark.filterwarnings("ignore::separatrix.core.errors.EndOfGrid")
NEW = RNG.standard_normal((9, 2))


@parametrize_with_checks([KernelRidgeCV(), KernelRidgeCV(kernel="rbf", gamma=[0.1, 1.0], fit_intercept=True)])
def test_scikit_learn_contract(estimator, check):
    check(estimator)


@pytest.mark.mission("KE-10")
@pytest.mark.parametrize("intercept", [False, True])
@pytest.mark.parametrize("weighted", [False, True])
def test_the_error_of_each_row_is_that_of_the_model_fitted_without_it(intercept, weighted):
    s = RNG.integers(1, 4, 30).astype(float) if weighted else np.ones(30)
    y = np.column_stack([Y, X[:, 0] ** 3])
    options = {"kernel": "rbf", "gamma": 0.5, "fit_intercept": intercept}
    model = KernelRidgeCV(ALPHAS, store_cv_results=True, **options).fit(X, y, s)
    for place, alpha in enumerate(ALPHAS):
        for i in range(0, 30, 7):
            others = s - (np.arange(30) == i)  # one copy is left out
            left = KernelRidge(alpha, **options).fit(X, y, others).predict(X[[i]])[0]
            np.testing.assert_allclose(model.cv_results_[i, :, place], (y[i] - left) ** 2, rtol=1e-7, atol=1e-12)
    mean = (s[:, None, None] * model.cv_results_).sum(axis=0).mean(axis=0) / s.sum()
    np.testing.assert_allclose(model.scores_, -mean, rtol=1e-12)
    assert model.alpha_ == ALPHAS[int(np.argmin(mean))]


def test_the_linear_kernel_chooses_as_ridge_does():
    y = X[:, 0] + RNG.standard_normal(30)
    for intercept in (False, True):
        ours, theirs = (model(ALPHAS, fit_intercept=intercept).fit(X, y) for model in (KernelRidgeCV, RidgeCV))
        np.testing.assert_allclose(ours.scores_, theirs.scores_, rtol=1e-8)
        assert ours.alpha_ == theirs.alpha_


def test_the_width_is_chosen_among_those_given_and_the_fit_is_that_of_the_choice():
    widths = [0.001, 0.5, 50.0]
    model = KernelRidgeCV(ALPHAS, kernel="rbf", gamma=widths, fit_intercept=True).fit(X, Y)
    each = [KernelRidgeCV(ALPHAS, kernel="rbf", gamma=g, fit_intercept=True).fit(X, Y) for g in widths]
    np.testing.assert_array_equal(model.scores_, [one.scores_ for one in each])
    assert model.gamma_ == 0.5 and model.best_score_ == model.scores_.max()
    plain = KernelRidge(model.alpha_, kernel="rbf", gamma=0.5, fit_intercept=True).fit(X, Y)
    np.testing.assert_array_equal(model.predict(NEW), plain.predict(NEW))
    assert separatrix.verify(model, X, Y).converged
    given = KernelRidgeCV(ALPHAS, kernel="precomputed", fit_intercept=True).fit(gram(Gaussian(0.5), X), Y)
    assert given.alpha_ == model.alpha_


def test_weights_are_repetitions_and_rows_of_weight_zero_are_none():
    s = RNG.integers(0, 3, 30)
    a = KernelRidgeCV(ALPHAS, kernel="rbf").fit(X, Y, s)
    b = KernelRidgeCV(ALPHAS, kernel="rbf").fit(np.repeat(X, s, axis=0), np.repeat(Y, s))
    np.testing.assert_allclose(a.scores_, b.scores_, rtol=1e-8)
    np.testing.assert_allclose(a.predict(NEW), b.predict(NEW), rtol=1e-9)


def test_a_choice_at_the_end_of_the_grid_warns():
    with pytest.warns(EndOfGrid, match="alpha"):
        KernelRidgeCV([10.0, 100.0], kernel="rbf").fit(X, Y)


WRONG = [{"alphas": []}, {"alphas": [0.0]}, {"alphas": "a"}, {"gamma": [-1.0]}, {"gamma": []}]


@pytest.mark.parametrize("wrong", WRONG)
def test_bad_grids_are_refused(wrong):
    with pytest.raises(ValueError, match=next(iter(wrong))):
        KernelRidgeCV(**{"kernel": "rbf", **wrong}).fit(X, Y)


def test_a_scorer_sees_the_predictions_of_rows_left_out():
    y, s = np.column_stack([Y, X[:, 0] ** 3]), np.where(np.arange(30) < 3, 0.0, 1.0)
    options = {"kernel": "rbf", "gamma": [0.1, 0.5], "store_cv_results": True}
    for truth in (Y, y):
        squares = KernelRidgeCV(ALPHAS, **options).fit(X, truth, s)
        scored = KernelRidgeCV(ALPHAS, scoring="neg_mean_squared_error", **options).fit(X, truth, s)
        np.testing.assert_allclose(scored.scores_, squares.scores_, rtol=1e-12)
        assert (scored.alpha_, scored.gamma_) == (squares.alpha_, squares.gamma_)
        errors = (truth[..., None] - scored.cv_results_)[s > 0.0]
        np.testing.assert_allclose(errors**2, squares.cv_results_[s > 0.0], rtol=1e-9)
        absolute = KernelRidgeCV(ALPHAS, scoring="neg_mean_absolute_error", **options).fit(X, truth, s)
        errors = np.abs((truth[..., None] - absolute.cv_results_)[s > 0.0])
        mean = errors.reshape(27, -1, 4).mean(axis=(0, 1))
        np.testing.assert_allclose(absolute.scores_[[0.1, 0.5].index(absolute.gamma_)], -mean, rtol=1e-9)


@pytest.mark.parametrize("scoring", [None, "neg_mean_absolute_error"])
def test_folds_choose_as_a_grid_search_does(scoring):
    grid = {"alpha": ALPHAS, "gamma": [0.05, 0.5, 5.0]}
    s = RNG.integers(1, 4, 30).astype(float)
    search = GridSearchCV(TheirKernelRidge(kernel="rbf"), grid, cv=KFold(4), scoring=scoring).fit(X, Y, sample_weight=s)
    model = KernelRidgeCV(ALPHAS, kernel="rbf", gamma=grid["gamma"], cv=KFold(4), scoring=scoring).fit(X, Y, s)
    assert {"alpha": model.alpha_, "gamma": model.gamma_} == search.best_params_
    np.testing.assert_allclose(model.best_score_, search.best_score_, rtol=1e-9)
    np.testing.assert_allclose(model.predict(NEW), search.predict(NEW), rtol=1e-7)
    K = gram(Gaussian(0.5), X)
    given = KernelRidgeCV(ALPHAS, kernel="precomputed", cv=KFold(4), scoring=scoring).fit(K, Y, s)
    np.testing.assert_allclose(given.scores_, model.scores_[1], rtol=1e-9)
    with pytest.raises(ValueError, match="store_cv_results"):
        KernelRidgeCV(cv=3, store_cv_results=True).fit(X, Y)
