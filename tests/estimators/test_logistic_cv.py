"""LogisticRegressionCV: scikit-learn's shapes and choices, exact paths, and a fit that can be traced to its folds."""

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from scipy.special import expit
from sklearn import config_context
from sklearn.linear_model import LogisticRegressionCV as Theirs
from sklearn.metrics import accuracy_score, get_scorer, log_loss
from sklearn.model_selection import KFold, StratifiedKFold
from sklearn.utils.estimator_checks import parametrize_with_checks

from separatrix.core.errors import NotCertified
from separatrix.linear_model import LogisticRegression, LogisticRegressionCV


@parametrize_with_checks(
    [
        LogisticRegressionCV(Cs=3, cv=3),
        LogisticRegressionCV(Cs=[0.1, 1.0], cv=3, l1_ratios=(0.0, 1.0), use_legacy_attributes=False),
    ]
)
def test_scikit_learn_accepts_it(estimator, check):
    check(estimator)


def rows(k=2, n=120, p=5, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, p))
    score = X[:, 0] - X[:, 1] + rng.logistic(size=n)
    return (
        X,
        (score > 0).astype(int) if k == 2 else np.digitize(score, [-1.0, 1.0]),
        rng.integers(1, 4, n).astype(float),
    )


def same_shape(ours, theirs):
    if isinstance(theirs, dict):
        assert list(ours) == list(theirs)
        for label in theirs:
            same_shape(ours[label], theirs[label])
    else:
        assert np.shape(ours) == np.shape(theirs)
        assert isinstance(ours, float) == isinstance(theirs, float)


@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("refit", [True, False])
@pytest.mark.parametrize("legacy", ["warn", True, False])
@pytest.mark.parametrize("ratios", [None, (0.0,), (0.0, 0.5)])
def test_attributes_have_scikit_learns_shapes(k, refit, legacy, ratios):
    X, y, _ = rows(k)
    options = {"Cs": [0.1, 1.0, 10.0], "cv": 2, "l1_ratios": ratios, "refit": refit, "use_legacy_attributes": legacy}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs = Theirs(solver="saga" if ratios and len(ratios) > 1 else "lbfgs", **options)
        if ratios and len(ratios) > 1 and not refit:
            theirs.set_params(l1_ratios=np.array(ratios))
        theirs.fit(X, y)
    ours = LogisticRegressionCV(**options).fit(X, y)
    for name in ("C_", "l1_ratio_", "Cs_", "l1_ratios_", "scores_", "coefs_paths_", "n_iter_", "coef_", "intercept_"):
        same_shape(getattr(ours, name), getattr(theirs, name))


@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("scoring", [None, "neg_log_loss", "neg_brier_score", "roc_auc_ovr"])
@pytest.mark.parametrize("weighted", [False, True])
def test_scores_paths_and_choice_are_scikit_learns(k, scoring, weighted):
    X, y, s = rows(k)
    if k == 2 and scoring == "roc_auc_ovr":
        scoring = "roc_auc"
    options = {"Cs": 5, "l1_ratios": (0.0,), "scoring": scoring, "use_legacy_attributes": False}
    given = {"sample_weight": s} if weighted else {}
    theirs = Theirs(solver="newton-cholesky", tol=1e-10, **options).fit(X, y, **given)
    ours = LogisticRegressionCV(**options).fit(X, y, **given)
    assert_allclose(ours.coefs_paths_, theirs.coefs_paths_, atol=1e-6)
    assert_allclose(ours.scores_, theirs.scores_, atol=1e-6)
    assert ours.C_ == theirs.C_
    assert_allclose(ours.coef_, theirs.coef_, atol=1e-6)
    assert_allclose(ours.score(X, y, **given), theirs.score(X, y, **given), atol=1e-6)


@pytest.mark.mission("LG-13")
@pytest.mark.parametrize("k", [2, 3])
def test_every_point_of_an_l1_path_is_optimal_on_its_fold(k):
    X, y, _ = rows(k, p=12)
    ratio, Cs = 0.7, np.array([3.0, 0.05, 0.3])  # in no order
    model = LogisticRegressionCV(Cs=Cs, l1_ratios=(ratio,), cv=3, tol=1e-10, use_legacy_attributes=False).fit(X, y)
    for fold, (train, _) in enumerate(StratifiedKFold(3).split(X, y)):
        for place, C in enumerate(Cs):
            w, b = model.coefs_paths_[fold, 0, place, :, :-1], model.coefs_paths_[fold, 0, place, :, -1]
            eta = X[train] @ w.T + b
            if k == 2:
                u = expit(eta[:, 0]) - y[train]
                u = u[:, None]
            else:
                u = np.exp(eta - eta.max(axis=1, keepdims=True))
                u = u / u.sum(axis=1, keepdims=True) - np.eye(3)[y[train]]
            g = C * u.T @ X[train] + (1.0 - ratio) * w
            assert np.abs(u.sum(axis=0)).max() < 1e-9
            broken = np.where(w == 0.0, np.maximum(np.abs(g) - ratio, 0.0), np.abs(g + ratio * np.sign(w)))
            assert broken.max() < 1e-4 * ratio
        assert np.count_nonzero(model.coefs_paths_[fold, 0, 1, :, :-1]) < 12


def test_the_refitted_model_is_logistic_regression_at_the_choice():
    X, y, s = rows()
    model = LogisticRegressionCV(Cs=5, l1_ratios=(0.0, 1.0), scoring="neg_log_loss", use_legacy_attributes=False)
    model.fit(X, y, sample_weight=s)
    alone = LogisticRegression(C=model.C_, l1_ratio=model.l1_ratio_).fit(X, y, sample_weight=s)
    assert_allclose(model.coef_, alone.coef_, rtol=1e-10)
    assert_allclose(model.intercept_, alone.intercept_, rtol=1e-10)
    assert_allclose(model.predict_proba(X), alone.predict_proba(X), rtol=1e-10)
    assert model.certificate_.converged
    best = np.unravel_index(model.scores_.sum(axis=0).argmax(), (2, 5))
    assert (model.l1_ratios_[best[0]], model.Cs_[best[1]]) == (model.l1_ratio_, model.C_)


def test_without_a_refit_the_folds_best_are_averaged():
    X, y, _ = rows()
    model = LogisticRegressionCV(
        Cs=5, l1_ratios=(0.0,), refit=False, scoring="neg_log_loss", use_legacy_attributes=False
    )
    model.fit(X, y)
    best = model.scores_[:, 0].argmax(axis=1)
    mean = np.mean([model.coefs_paths_[fold, 0, place, 0] for fold, place in enumerate(best)], axis=0)
    assert_allclose(model.coef_[0], mean[:-1])
    assert_allclose(model.intercept_, mean[-1:])
    assert np.mean(model.Cs_[best]) == model.C_


def test_equal_scores_choose_the_stronger_penalty():
    X, y, _ = rows()
    model = LogisticRegressionCV(Cs=[0.1, 1.0], l1_ratios=(0.0,), scoring=lambda model, X, y: 1.0).fit(X, y)
    assert_array_equal(model.C_, [0.1])


@pytest.mark.parametrize("k", [2, 3])
def test_a_class_that_a_fold_never_saw_gets_no_probability_there(k):
    X, y, _ = rows(k)
    order = np.argsort(y, kind="stable")  # blocks of rows, so that a fold leaves out a whole class
    options = {"Cs": [1.0], "cv": KFold(k), "scoring": "neg_log_loss", "use_legacy_attributes": False}
    labels = np.repeat(np.arange(k), 120 // k)
    model = LogisticRegressionCV(**options).fit(X[order], labels)
    assert np.isfinite(model.coefs_paths_).all()
    assert np.all(model.scores_ < -30.0)  # -log of a probability next to zero


def test_labels_of_any_kind_and_balanced_classes():
    X, y, _ = rows(3)
    words = np.array(["left", "middle", "right"])[y]
    options = {"Cs": [0.1, 1.0], "l1_ratios": (0.0,), "class_weight": "balanced"}
    model = LogisticRegressionCV(**options).fit(X, words)
    theirs = Theirs(solver="newton-cholesky", tol=1e-10, use_legacy_attributes=True, scoring=None, **options).fit(
        X, words
    )
    assert list(model.scores_) == ["left", "middle", "right"]
    assert_allclose(model.coef_, theirs.coef_, atol=1e-5)


def test_sparse_is_dense():
    X, y, _ = rows()
    options = {"Cs": 3, "l1_ratios": (0.0, 1.0), "use_legacy_attributes": False}
    dense = LogisticRegressionCV(**options).fit(X, y)
    for hold in (sp.csr_array, sp.csc_array):
        other = LogisticRegressionCV(**options).fit(hold(X), y)
        assert_allclose(other.coefs_paths_, dense.coefs_paths_, atol=1e-6)
        assert_allclose(other.coef_, dense.coef_, atol=1e-8)


def test_penalty_names_still_mean_what_they_meant():
    X, y, _ = rows()
    options = {"Cs": [0.2], "use_legacy_attributes": False}
    named = LogisticRegressionCV(penalty="l1", **options).fit(X, y)
    shared = LogisticRegressionCV(l1_ratios=(1.0,), **options).fit(X, y)
    assert_array_equal(named.coef_, shared.coef_)
    none = LogisticRegressionCV(penalty=None, **options).fit(X, y)
    assert np.inf == none.C_
    assert_allclose(none.coef_, LogisticRegression(C=np.inf).fit(X, y).coef_)


def test_its_log_loss_is_the_one_it_reports():
    X, y, _ = rows()
    model = LogisticRegressionCV(Cs=3, l1_ratios=(0.0,), scoring="neg_log_loss").fit(X, y)
    assert_allclose(model.score(X, y), -log_loss(y, model.predict_proba(X)))


@pytest.mark.parametrize("k, ratio", [(2, 0.0), (2, 1.0), (3, 1.0)])
def test_an_early_stop_chooses_what_the_whole_grid_chooses_without_its_weak_end(k, ratio):
    X, y, _ = rows(k, p=40, n=200)
    options = {"l1_ratios": (ratio,), "cv": 3, "scoring": "neg_log_loss", "use_legacy_attributes": False}
    Cs = np.logspace(-3.0, 3.0, 13)
    whole = LogisticRegressionCV(Cs=Cs[::-1], **options).fit(X, y)
    early = LogisticRegressionCV(Cs=Cs[::-1], stop_early=True, **options).fit(X, y)
    assert early.C_ == whole.C_
    assert_allclose(early.coef_, whole.coef_)
    tried = len(early.Cs_)
    assert 7 <= tried < 13
    assert_array_equal(early.Cs_, Cs[:tried])
    assert_allclose(early.scores_, whole.scores_[:, :, ::-1][:, :, :tried], rtol=1e-5)
    assert early.coefs_paths_.shape[2] == early.n_iter_.shape[2] == tried


def test_an_early_stop_goes_on_where_weaker_penalties_are_better():
    X, y, _ = rows(n=2_000, p=3)
    model = LogisticRegressionCV(
        Cs=5, l1_ratios=(0.0,), scoring="neg_log_loss", stop_early=True, use_legacy_attributes=False
    )
    assert len(model.fit(X, y).Cs_) == 5


def test_unsolved_folds_are_one_warning_with_numbers():
    X, y, _ = rows(p=40)
    model = LogisticRegressionCV(Cs=[0.01, 100.0], l1_ratios=(1.0,), max_iter=1)
    with pytest.warns(NotCertified, match="leave out the largest Cs") as caught:
        model.fit(X, y)
    assert sum("largest Cs" in str(w.message) for w in caught) == 1


@pytest.mark.parametrize(
    "options, message",
    [
        ({"Cs": 0}, r"Cs must be an integer in \[1"),
        ({"Cs": [1.0, -1.0]}, "must be positive"),
        ({"Cs": []}, "at least one"),
        ({"Cs": "many"}, "made of numbers"),
        ({"l1_ratios": (0.0, 1.5)}, r"in \[0, 1\]"),
        ({"l1_ratios": ()}, "at least one"),
        ({"penalty": "l3"}, "penalty is not one of"),
        ({"tol": -1.0}, "tol must be"),
        ({"max_iter": 0}, "max_iter must be"),
        ({"scoring": "beauty"}, "beauty"),
        ({"stop_early": "soon"}, "stop_early is not one of"),
    ],
)
def test_wrong_settings_are_named(options, message):
    X, y, _ = rows()
    with pytest.raises((ValueError, TypeError), match=message):
        LogisticRegressionCV(**options).fit(X, y)


def test_a_score_passes_weights_on_if_the_scorer_asks_for_them():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(80, 3))
    y = (X[:, 0] + rng.normal(size=80) > 0).astype(int)
    s = rng.uniform(0.1, 5.0, 80)
    with config_context(enable_metadata_routing=True):
        for asks in (False, True):
            scorer = get_scorer("accuracy").set_score_request(sample_weight=asks)
            model = LogisticRegressionCV(Cs=3, scoring=scorer).fit(X, y)
            if asks:
                assert model.score(X, y, sample_weight=s) == accuracy_score(y, model.predict(X), sample_weight=s)
            else:
                with pytest.raises(TypeError, match="sample_weight"):
                    model.score(X, y, sample_weight=s)
            assert model.score(X, y) == accuracy_score(y, model.predict(X))
    with pytest.raises(ValueError, match="pass groups to the score"):
        model.score(X, y, groups=y)
    assert model.score(X, y, s) == accuracy_score(y, model.predict(X), sample_weight=s)
