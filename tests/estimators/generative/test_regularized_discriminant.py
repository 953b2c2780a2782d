"""Regularised discriminants: the formula at every alpha, its ends, the path from one pass, and its choice by folds."""

import sys
import warnings
from pathlib import Path

import numpy as np
import pytest
import sklearn.discriminant_analysis
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import multivariate_normal
from sklearn.model_selection import (
    GridSearchCV,
    KFold,
    RepeatedStratifiedKFold,
    ShuffleSplit,
    StratifiedKFold,
    cross_val_score,
)
from sklearn.utils.estimator_checks import parametrize_with_checks

from separatrix.core import blocks
from separatrix.core.errors import SingularClasses, SingularWithin
from separatrix.designs import base
from separatrix.discriminant_analysis import (
    QuadraticDiscriminantAnalysis,
    RegularizedDiscriminantAnalysis,
    RegularizedDiscriminantAnalysisCV,
)
from separatrix.estimators.generative import regularized_discriminant_cv

sys.path.insert(0, str(Path(__file__).parent))
from normal_classes import bends, normal_classes, vowels, with_moments, with_vowels

MODELS = [
    RegularizedDiscriminantAnalysis(),
    RegularizedDiscriminantAnalysis(alpha=1.0, denominator="N-K", store_covariance=True),
    RegularizedDiscriminantAnalysisCV(alphas=3, cv=3),
    RegularizedDiscriminantAnalysisCV(alphas=3, cv=3, scoring="neg_log_loss", denominator="N-K"),
]


@parametrize_with_checks(MODELS)
def test_scikit_learn_accepts_it(estimator, check):
    check(estimator)


def by_definition(X, y, new, alpha, unbiased):
    """Log joint from covariances and scipy's densities."""
    classes, counts = np.unique(y, return_counts=True)
    scatters = [(X[y == c] - X[y == c].mean(0)).T @ (X[y == c] - X[y == c].mean(0)) for c in classes]
    pooled = sum(scatters) / (len(X) - unbiased * len(classes))
    joint = []
    for c, n, S in zip(classes, counts, scatters):
        blend = alpha * S / (n - unbiased) + (1.0 - alpha) * pooled
        joint.append(np.log(n / len(X)) + multivariate_normal(X[y == c].mean(0), blend).logpdf(new))
    return np.transpose(joint)


@pytest.mark.mission("DA-06")
@pytest.mark.parametrize("denominator", ["N", "N-K"])
@pytest.mark.parametrize("alpha", [0.0, 0.1, 0.5, 0.93, 1.0])
@pytest.mark.parametrize("k", [2, 4])
def test_densities_are_those_of_the_blended_covariances(k, alpha, denominator):
    X, y = normal_classes(k, n=150)
    new = normal_classes(k, seed=9)[0]
    model = RegularizedDiscriminantAnalysis(alpha, denominator=denominator, store_covariance=True).fit(X, y)
    wanted = by_definition(X, y, new, alpha, unbiased=int(denominator == "N-K"))
    assert_allclose(model.predict_joint_log_proba(new), wanted, rtol=1e-10, atol=1e-10)
    assert_allclose(model._spheres.root(1).T @ model._spheres.root(1), model.covariance_[1], rtol=1e-9, atol=1e-9)
    assert model.certificate_.converged


@pytest.mark.mission("DA-06")
def test_the_path_between_two_covariances_is_that_of_the_notes():
    # Σ_1 = [[4, 1], [1, 1]], and three times as many rows of a class with which it pools to 2 I
    own = np.array([[4.0, 1.0], [1.0, 1.0]])
    other = (8.0 * np.eye(2) - own) / 3.0
    X = np.vstack([with_moments(20, [0.0, 0.0], own), with_moments(60, [1.0, 2.0], other, seed=1)])
    y = np.r_[np.zeros(20), np.ones(60)]
    path = {0.0: [[2, 0], [0, 2]], 0.5: [[3, 0.5], [0.5, 1.5]], 1.0: [[4, 1], [1, 1]]}
    for alpha, wanted in path.items():
        model = RegularizedDiscriminantAnalysis(alpha, store_covariance=True).fit(X, y)
        assert_allclose(model.covariance_[0], wanted, atol=1e-9)


@pytest.mark.mission("DA-06")
@pytest.mark.parametrize("k", [2, 4])
def test_the_ends_of_the_path_are_linear_and_quadratic_discriminants(k):
    X, y = normal_classes(k)
    linear = sklearn.discriminant_analysis.LinearDiscriminantAnalysis().fit(X, y)
    quadratic = QuadraticDiscriminantAnalysis().fit(X, y)
    ends = [RegularizedDiscriminantAnalysis(alpha).fit(X, y) for alpha in (0.0, 1.0)]
    assert_allclose(ends[0].predict_log_proba(X), linear.predict_log_proba(X), rtol=1e-10, atol=1e-10)
    assert_allclose(ends[1].predict_log_proba(X), quadratic.predict_log_proba(X), rtol=1e-10, atol=1e-10)
    assert ends[0].n_parameters_ == quadratic.n_parameters_


def test_a_class_that_is_nearly_flat_costs_no_digits_at_the_quadratic_end():
    X, y = normal_classes(3)
    X[y == "bee", 0] = X[y == "bee", 1] + 1e-6 * X[y == "bee", 0]  # a variance of 1e-12 beside the pooled one
    quadratic = QuadraticDiscriminantAnalysis().fit(X, y)
    end = RegularizedDiscriminantAnalysis(1.0).fit(X, y)
    mine = X[y == "bee"]
    assert_allclose(end.predict_joint_log_proba(mine)[:, 1], quadratic.predict_joint_log_proba(mine)[:, 1], rtol=1e-8)
    assert end.certificate_.converged


@pytest.mark.mission("DA-08")
def test_boundaries_bend_unless_the_covariance_is_shared():
    X, y = normal_classes(3)
    assert bends(RegularizedDiscriminantAnalysis(0.0).fit(X, y), X) < 1e-12
    assert bends(RegularizedDiscriminantAnalysis(0.2).fit(X, y), X) > 1e-3


@with_vowels
@pytest.mark.mission("DA-06", "EX-13")
@pytest.mark.parametrize("denominator", ["N", "N-K"])
def test_the_path_of_the_vowels(denominator):
    X, y, new, truth = vowels()
    path = RegularizedDiscriminantAnalysis(denominator=denominator).fit(X, y).path(np.linspace(0.0, 1.0, 51))
    errors = 1.0 - path.score(new, truth)
    assert_allclose(errors[[0, -1]], [0.5562770563, 0.5281385281], atol=1e-9)
    assert_allclose(errors.min(), 0.452380952, atol=1e-9)
    assert_allclose(path.alphas[errors < errors.min() + 1e-9], [0.88, 0.90, 0.92])


def test_the_path_says_what_a_fit_at_each_alpha_would_say(monkeypatch):
    X, y = normal_classes(3, n=150)
    new, truth = normal_classes(3, seed=7)
    s = np.random.default_rng(0).integers(0, 3, len(new))
    alphas = [0.0, 0.3, 1.0]
    monkeypatch.setattr(blocks, "BLOCK_NUMBERS", 500)
    path = RegularizedDiscriminantAnalysis(0.7).fit(X, y).path(alphas)
    for i, alpha in enumerate(alphas):
        model = RegularizedDiscriminantAnalysis(alpha).fit(X, y)
        assert_array_equal(path.predict(new)[:, i], model.predict(new))
        joint = path.predict_joint_log_proba(new)[:, :, i]
        assert_allclose(joint, model.predict_joint_log_proba(new), rtol=1e-11)
        assert_allclose(path.score(new, truth, s)[i], model.score(new, truth, s), rtol=1e-13)
        own = model.predict_log_proba(new)[np.arange(len(new)), np.searchsorted(model.classes_, truth)]
        own = np.maximum(own, np.log(np.finfo(float).eps))  # no probability is taken for smaller, as in scikit-learn
        assert_allclose(path.log_loss(new, truth, s)[i], -np.average(own, weights=s), rtol=1e-10)
    assert path.predict(new).shape == (len(new), 3)


def test_of_two_equal_classes_the_second_is_taken_on_the_path_as_well():
    X = np.array([[-2.0], [-1.0], [1.0], [2.0]])
    model = RegularizedDiscriminantAnalysis(0.0).fit(X, [0, 0, 1, 1])
    assert model.decision_function([[0.0]]) == 0.0
    assert model.predict([[0.0]]) == model.path([0.0]).predict([[0.0]])[0, 0] == 1


@pytest.mark.parametrize("rows", [1, 3])
def test_few_rows_in_a_class_need_no_rule_below_one_and_that_of_quadratic_discriminants_at_one(rows):
    X, y = normal_classes(3, p=4)
    few = np.r_[np.flatnonzero(y == "ant")[:rows], np.flatnonzero(y != "ant")]
    X, y = X[few], y[few]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = RegularizedDiscriminantAnalysis(0.8).fit(X, y)
    assert_allclose(model.predict_joint_log_proba(X), by_definition(X, y, X, 0.8, 0), rtol=1e-9)
    with pytest.warns(SingularClasses):
        end = RegularizedDiscriminantAnalysis(1.0).fit(X, y)
    with pytest.warns(SingularClasses):
        quadratic = QuadraticDiscriminantAnalysis().fit(X, y)
    assert_allclose(end.predict_joint_log_proba(X), quadratic.predict_joint_log_proba(X), rtol=1e-9)


def test_dependent_columns_are_named_and_change_nothing():
    X, y = normal_classes(3)
    wide = np.column_stack([X, X[:, 1] - X[:, 3], np.full(len(X), 0.3)])
    with pytest.warns(SingularWithin, match="x5 is constant"):
        model = RegularizedDiscriminantAnalysis(0.6).fit(wide, y)
    plain = RegularizedDiscriminantAnalysis(0.6).fit(X, y)
    assert_allclose(model.predict_log_proba(wide), plain.predict_log_proba(X), rtol=1e-9, atol=1e-9)


def test_with_fewer_rows_than_columns_the_linear_end_is_scikit_learns():
    X, y = normal_classes(3, p=30, n=20, seed=1)
    new = normal_classes(3, p=30, n=50, seed=2)[0]
    linear = sklearn.discriminant_analysis.LinearDiscriminantAnalysis().fit(X, y)
    with pytest.warns(SingularWithin):
        model = RegularizedDiscriminantAnalysis(0.0).fit(X, y)
    assert_allclose(model.predict_log_proba(new), linear.predict_log_proba(new), rtol=1e-8, atol=1e-8)


@pytest.mark.mission("NB-02", "NB-04")
def test_rows_are_drawn_from_the_blended_densities_and_far_ones_are_unlikely():
    X, y = normal_classes(2)
    model = RegularizedDiscriminantAnalysis(0.4, store_covariance=True).fit(X, y)
    new, labels = model.sample(40_000, random_state=1)
    for c, label in enumerate(model.classes_):
        mine, C = new[labels == label], model.covariance_[c]
        assert (np.abs(mine.mean(0) - model.means_[c]) < 5.0 * np.sqrt(np.diag(C) / len(mine))).all()
        error = np.sqrt((np.multiply.outer(np.diag(C), np.diag(C)) + C**2) / len(mine))
        assert (np.abs(np.cov(mine.T) - C) < 5.0 * error).all()
    assert model.score_samples(model.means_ + 80.0).max() < np.quantile(model.score_samples(X), 0.01)


def test_threads_blocks_and_order_do_not_show(monkeypatch):
    X, y = normal_classes(3, n=500)
    order = np.random.default_rng(0).permutation(len(X))
    expected = RegularizedDiscriminantAnalysis().fit(X, y).predict_log_proba(X)
    monkeypatch.setattr(base, "BLOCK_NUMBERS", 400)
    for threads in ("1", "3"):
        monkeypatch.setenv("SEPARATRIX_THREADS", threads)
        found = RegularizedDiscriminantAnalysis().fit(X[order], y[order])
        assert_allclose(found.predict_log_proba(X), expected, rtol=1e-10, atol=1e-10)


SPLITTERS = {
    "folds": StratifiedKFold(4, shuffle=True, random_state=0),
    "thin folds": KFold(15),
    "random parts": ShuffleSplit(3, test_size=0.3, random_state=0),
    "repeated folds": RepeatedStratifiedKFold(n_splits=3, n_repeats=2, random_state=0),
    "masks": [(np.arange(60) % 3 != i, np.arange(60) % 3 == i) for i in range(3)],
    "drawn with repetition": [
        (np.resize(np.flatnonzero(np.arange(60) % 3 != i)[:30], 40), np.arange(i, 60, 3)) for i in range(3)
    ],
    "some rows never": [(np.arange(20), np.arange(20, 40)), (np.arange(20, 40), np.arange(20))],
}


@pytest.mark.mission("DA-06")
@pytest.mark.parametrize("scoring", ["accuracy", "neg_log_loss"])
@pytest.mark.parametrize("name", SPLITTERS)
def test_scores_are_those_of_a_search_that_fits_each_alpha_to_each_fold(name, scoring):
    X, y = normal_classes(3, n=60, p=3)
    cv, alphas = SPLITTERS[name], [0.0, 0.25, 0.5, 0.75, 0.95]
    if name == "thin folds" and scoring == "neg_log_loss":
        pytest.skip("scikit-learn's scorer wants every class among the rows left out")
    model = RegularizedDiscriminantAnalysisCV(alphas=alphas, cv=cv, scoring=scoring).fit(X, y)
    for i, alpha in enumerate(alphas):
        theirs = cross_val_score(RegularizedDiscriminantAnalysis(alpha), X, y, cv=cv, scoring=scoring)
        assert_allclose(model.scores_[:, i], theirs, rtol=1e-9)
    search = GridSearchCV(RegularizedDiscriminantAnalysis(), {"alpha": alphas}, cv=cv, scoring=scoring).fit(X, y)
    assert_allclose(model.best_score_, search.best_score_, rtol=1e-9)
    assert_allclose(model.mean_scores_, search.cv_results_["mean_test_score"], rtol=1e-9)
    refitted = RegularizedDiscriminantAnalysis(model.alpha_).fit(X, y)
    assert_allclose(model.predict_log_proba(X), refitted.predict_log_proba(X), rtol=1e-10, atol=1e-10)


@with_vowels
@pytest.mark.mission("EX-13")
def test_folds_of_the_vowels_choose_as_a_search_would():
    X, y, _, _ = vowels()
    model = RegularizedDiscriminantAnalysisCV(alphas=6, cv=3).fit(X, y)
    search = GridSearchCV(RegularizedDiscriminantAnalysis(), {"alpha": model.alphas_}, cv=3).fit(X, y)
    assert_allclose(model.mean_scores_, search.cv_results_["mean_test_score"], rtol=1e-13)
    assert model.alpha_ == search.best_params_["alpha"]


def test_the_moments_of_folds_are_summed_once_where_they_divide_the_rows(monkeypatch):
    X, y = normal_classes(3)
    passes = []
    original = regularized_discriminant_cv.class_moments

    def counted(*args, **options):
        passes.append(args)
        return original(*args, **options)

    monkeypatch.setattr(regularized_discriminant_cv, "class_moments", counted)
    RegularizedDiscriminantAnalysisCV(alphas=5, cv=4).fit(X, y)
    assert len(passes) == 1
    RegularizedDiscriminantAnalysisCV(alphas=5, cv=ShuffleSplit(4, random_state=0)).fit(X, y)
    assert len(passes) == 1 + 1 + 4


def test_weights_are_repetitions_in_training_and_in_scores():
    X, y = normal_classes(3, n=90, p=2)
    s = np.random.default_rng(0).integers(0, 4, 90)
    where = np.arange(90) % 3
    again = where.repeat(s)

    def folds(of):
        return [(np.flatnonzero(of != i), np.flatnonzero(of == i)) for i in range(3)]

    for scoring in ("accuracy", "neg_log_loss"):
        options = {"alphas": 5, "scoring": scoring, "denominator": "N-K"}
        weighted = RegularizedDiscriminantAnalysisCV(cv=folds(where), **options).fit(X, y, s)
        repeated = RegularizedDiscriminantAnalysisCV(cv=folds(again), **options).fit(X.repeat(s, axis=0), y.repeat(s))
        assert_allclose(weighted.scores_, repeated.scores_, rtol=1e-10)
        assert_allclose(weighted.predict_log_proba(X), repeated.predict_log_proba(X), rtol=1e-9, atol=1e-9)


def test_of_equally_good_alphas_the_smallest_is_taken_in_whatever_order_they_come():
    y = np.repeat([0, 1], 30)
    X = np.random.default_rng(0).standard_normal((60, 2)) + 40.0 * y[:, None]
    assert RegularizedDiscriminantAnalysisCV(alphas=[0.9, 0.2, 0.6]).fit(X, y).alpha_ == 0.2
    rounded = np.array([0.1 + 0.2, 0.3, 0.25])  # the first is larger, in the last bit
    assert regularized_discriminant_cv.simplest_of_the_best(np.array([0.9, 0.2, 0.1]), rounded) == 1


def test_a_class_that_a_fold_never_saw_is_never_predicted_there():
    X, y = normal_classes(3, n=60, p=2)
    y[0] = "cow"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = RegularizedDiscriminantAnalysisCV(alphas=[0.5], cv=KFold(3)).fit(X, y)
        theirs = cross_val_score(RegularizedDiscriminantAnalysis(0.5), X, y, cv=KFold(3))
        by_loss = RegularizedDiscriminantAnalysisCV(alphas=[0.5], cv=KFold(3), scoring="neg_log_loss").fit(X, y)
    assert_allclose(model.scores_[:, 0], theirs, rtol=1e-13)
    assert np.isfinite(by_loss.scores_).all()


@pytest.mark.parametrize(
    "model, words",
    [
        (RegularizedDiscriminantAnalysis(1.2), r"alpha must be a number in \[0, 1\]"),
        (RegularizedDiscriminantAnalysis(priors=[0.5, 0.5]), "there are 3 classes"),
        (RegularizedDiscriminantAnalysis(denominator="K"), "'N', 'N-K'"),
        (RegularizedDiscriminantAnalysisCV(alphas=[0.5, 1.5]), r"numbers in \[0, 1\]"),
        (RegularizedDiscriminantAnalysisCV(alphas=1), r"numbers in \[0, 1\]"),
        (RegularizedDiscriminantAnalysisCV(alphas=["a"]), r"numbers in \[0, 1\]"),
        (RegularizedDiscriminantAnalysisCV(scoring="f1"), "'accuracy', 'neg_log_loss'"),
    ],
    ids=str,
)
def test_parameters_that_make_no_sense_are_refused(model, words):
    with pytest.raises(ValueError, match=words):
        model.fit(*normal_classes(3))


def test_data_that_make_no_model_are_refused_by_name():
    X, y = normal_classes(3)
    large = np.tile(X, (1600, 1))  # too large to be read just to be looked at: the sums must tell
    large[5, 2] = np.nan
    for model in (RegularizedDiscriminantAnalysis(), RegularizedDiscriminantAnalysisCV(alphas=2, cv=2)):
        with pytest.raises(ValueError, match="Input X contains NaN"):
            model.fit(large, np.tile(y, 1600))
    path = RegularizedDiscriminantAnalysis().fit(X, y).path([0.5])
    with pytest.raises(ValueError, match="labels that were met"):
        path.score(X, np.where(y == "ant", "yak", y))
    with pytest.raises(ValueError, match="expecting 4 features"):
        path.predict(X[:, :2])
