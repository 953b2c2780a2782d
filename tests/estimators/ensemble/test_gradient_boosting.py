"""Gradient boosting by exact splits against scikit-learn's, and its own laws."""

import io

import numpy as np
import pytest
import sklearn.ensemble
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_matrix
from sklearn.neighbors import KNeighborsRegressor
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor
from sklearn.utils.estimator_checks import parametrize_with_checks

import separatrix
from separatrix import verify
from separatrix.core.errors import NotCertified
from separatrix.ensemble import (
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    HistGradientBoostingRegressor,
)
from separatrix.linear_model import LogisticRegression, Ridge
from separatrix.prediction import boosted_trees as light_trees

RNG = np.random.default_rng(0)
# scikit-learn keeps X in single precision
X = RNG.standard_normal((300, 5)).astype(np.float32).astype(float)
Y = X[:, 0] * X[:, 1] + np.sin(3.0 * X[:, 2]) + 0.3 * RNG.standard_normal(300)
S = RNG.random(300) + 0.2
EVEN = np.ones(300)
CLASSES = np.digitize(Y, [-0.5, 0.5])
ROUNDS = {"n_estimators": 15}


@parametrize_with_checks([GradientBoostingRegressor(n_estimators=5), GradientBoostingClassifier(n_estimators=5)])
def test_scikit_learn_checks(estimator, check):
    check(estimator)


@pytest.mark.parametrize(
    "settings, s",
    [
        ({}, None),
        ({}, S),
        # without weights scikit-learn starts from a median halfway between two values of y
        ({"loss": "huber"}, EVEN),
        ({"loss": "huber", "alpha": 0.6}, S),
        ({"max_leaf_nodes": 6, "max_depth": None}, None),
        ({"min_samples_leaf": 7, "ccp_alpha": 0.01}, S),
        ({"min_weight_fraction_leaf": 0.05, "min_impurity_decrease": 0.01, "max_depth": 5}, S),
        ({"init": "zero", "learning_rate": 0.4}, None),
        ({"init": DecisionTreeRegressor(max_depth=1)}, S),
        ({"n_iter_no_change": 2, "random_state": 1, "learning_rate": 0.8, "min_samples_leaf": 15}, None),
    ],
    ids=lambda value: str(value) if isinstance(value, dict) else "equal" if value is None else "weighted",
)
def test_predictions_are_those_of_scikit_learn(settings, s):
    ours = GradientBoostingRegressor(**ROUNDS, **settings).fit(X, Y, s)
    theirs = sklearn.ensemble.GradientBoostingRegressor(**ROUNDS, **settings).fit(X, Y, s)
    assert ours.n_estimators_ == theirs.n_estimators_
    assert_allclose(ours.predict(X), theirs.predict(X), rtol=1e-8, atol=1e-10)
    assert_allclose(ours.train_score_, theirs.train_score_, rtol=1e-8)
    for mine, its in zip(ours.staged_predict(X), theirs.staged_predict(X), strict=True):
        assert_allclose(mine, its, rtol=1e-8, atol=1e-10)


@pytest.mark.parametrize("settings", [{"loss": "absolute_error"}, {"loss": "quantile", "alpha": 0.8}], ids=str)
def test_losses_with_kinks_agree_with_scikit_learn_s_where_splits_are_unique(settings):
    """Slopes have two values: weights make gains differ, and scikit-learn is kept from splitting nodes of one value."""
    options = {**ROUNDS, "min_impurity_decrease": 1e-9, **settings}
    ours = GradientBoostingRegressor(**options).fit(X, Y, S)
    theirs = sklearn.ensemble.GradientBoostingRegressor(**options).fit(X, Y, S)
    assert_allclose(ours.predict(X), theirs.predict(X), rtol=1e-8)
    assert_allclose(ours.train_score_, theirs.train_score_, rtol=1e-8)


@pytest.mark.parametrize("s", [None, S], ids=["equal", "weighted"])
@pytest.mark.parametrize("loss, classes", [("log_loss", 2), ("exponential", 2), ("log_loss", 3)])
def test_probabilities_are_those_of_scikit_learn(loss, classes, s):
    y = CLASSES if classes == 3 else Y > 0.0
    ours = GradientBoostingClassifier(loss=loss, **ROUNDS).fit(X, y, s)
    theirs = sklearn.ensemble.GradientBoostingClassifier(loss=loss, **ROUNDS).fit(X, y, s)
    assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), rtol=1e-8)
    assert_allclose(ours.predict_log_proba(X), theirs.predict_log_proba(X), rtol=1e-8, atol=1e-12)
    assert_allclose(ours.decision_function(X), theirs.decision_function(X), rtol=1e-8, atol=1e-10)
    assert_allclose(ours.train_score_, theirs.train_score_, rtol=1e-8)
    assert_array_equal(ours.predict(X), theirs.predict(X))


@pytest.mark.parametrize("y", [Y > 0.0, CLASSES], ids=["two", "three"])
def test_an_initial_classifier_is_the_start(y):
    first = DecisionTreeClassifier(max_depth=2, random_state=0)
    ours = GradientBoostingClassifier(init=first, **ROUNDS).fit(X, y)
    assert "classes_" not in vars(first)  # a copy of it was fitted
    theirs = sklearn.ensemble.GradientBoostingClassifier(init=first, **ROUNDS).fit(X, y)
    assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), rtol=1e-8)


def test_trees_leaves_and_importances_are_those_of_scikit_learn():
    """With leaves of several rows no two columns split a node in the same way."""
    options = {**ROUNDS, "min_samples_leaf": 10}
    ours = GradientBoostingClassifier(**options).fit(X, CLASSES)
    theirs = sklearn.ensemble.GradientBoostingClassifier(**options).fit(X, CLASSES)
    assert_array_equal(ours.apply(X), theirs.apply(X))
    assert_allclose(ours.feature_importances_, theirs.feature_importances_, rtol=1e-8)
    assert ours.estimators_.shape == theirs.estimators_.shape == (15, 3)
    mine, its = ours.estimators_[7, 1].tree_, theirs.estimators_[7, 1].tree_
    for name in ("children_left", "feature", "n_node_samples"):
        assert_array_equal(getattr(mine, name), getattr(its, name))
    for name in ("threshold", "impurity", "weighted_n_node_samples", "value"):
        assert_allclose(getattr(mine, name), getattr(its, name), rtol=1e-8, atol=1e-12)


@pytest.mark.mission("EN-14")
def test_stages_end_at_the_prediction():
    model = GradientBoostingClassifier(**ROUNDS).fit(X, CLASSES)
    for staged, whole in (
        (model.staged_predict(X), model.predict(X)),
        (model.staged_predict_proba(X), model.predict_proba(X)),
        (model.staged_decision_function(X), model.decision_function(X)),
    ):
        *_, last = stages = list(staged)
        assert len(stages) == 15
        assert_array_equal(last, whole)


def test_the_estimators_add_up_to_the_model():
    model = GradientBoostingRegressor(**ROUNDS).fit(X, Y)
    steps = sum(0.1 * tree.predict(X) for tree in model.estimators_[:, 0])
    assert_allclose(Y.mean() + steps, model.predict(X), rtol=1e-12)
    assert model.apply(X).shape == (300, 15)


@pytest.mark.parametrize("loss", ["squared_error", "absolute_error", "huber", "quantile"])
def test_weights_are_repetitions(loss):
    s = RNG.integers(0, 3, 300)
    weighted = GradientBoostingRegressor(loss=loss, **ROUNDS).fit(X, Y, s.astype(float))
    repeated = GradientBoostingRegressor(loss=loss, **ROUNDS).fit(np.repeat(X, s, axis=0), np.repeat(Y, s))
    assert_allclose(weighted.predict(X), repeated.predict(X), rtol=1e-9, atol=1e-10)
    assert_allclose(weighted.train_score_, repeated.train_score_, rtol=1e-9)


@pytest.mark.parametrize("model", [GradientBoostingRegressor, GradientBoostingClassifier])
def test_going_on_is_one_fit(model):
    y = Y if model is GradientBoostingRegressor else CLASSES
    settings = {"max_features": 2, "subsample": 0.6, "random_state": 3}
    whole = model(n_estimators=12, **settings).fit(X, y)
    parts = model(n_estimators=5, warm_start=True, **settings).fit(X, y)
    parts.set_params(n_estimators=12).fit(X, y)
    assert_array_equal(parts.apply(X), whole.apply(X))
    assert_allclose(parts.oob_improvement_, whole.oob_improvement_, rtol=1e-12)
    with pytest.raises(ValueError, match="n_estimators >= 12"):
        parts.set_params(n_estimators=4).fit(X, y)


@pytest.mark.mission("EN-11")
def test_scores_of_the_exponential_loss_tend_to_half_the_log_odds():
    """On rows of two kinds the minimiser is ½ ln P/(1-P) of each, by Friedman, Hastie and Tibshirani (2000)."""
    rows, y = np.repeat([[0.0], [1.0]], [10, 8], axis=0), np.repeat([1, 0, 1, 0], [7, 3, 2, 6])
    model = GradientBoostingClassifier(loss="exponential", learning_rate=1.0, n_estimators=8).fit(rows, y)
    assert_allclose(model.decision_function([[0.0], [1.0]]), [0.5 * np.log(7 / 3), 0.5 * np.log(2 / 6)], rtol=1e-12)
    assert_allclose(model.predict_proba([[0.0], [1.0]])[:, 1], [0.7, 0.25], rtol=1e-12)


def test_drawn_rows_leave_the_others_to_score_with():
    model = GradientBoostingRegressor(n_estimators=30, subsample=0.5, random_state=0).fit(X, Y)
    assert_allclose(model.oob_improvement_[1:], -np.diff(model.oob_scores_), rtol=1e-12)
    assert model.oob_score_ == model.oob_scores_[-1] < 0.8 * model.oob_scores_[0]
    drawn = model._draw(29, 300)
    assert drawn.sum() == 150
    left_out = (Y - model.predict(X))[~drawn]
    assert_allclose(model.oob_score_, np.mean(left_out**2), rtol=1e-12)
    whole = GradientBoostingRegressor(n_estimators=3).fit(X, Y)
    assert "oob_scores_" not in vars(whole)


def test_the_least_weight_of_a_leaf_is_a_share_of_the_weight_that_is_drawn():
    """With 0.3 of the weight of all rows in each leaf no half of them could be split."""
    settings = {"subsample": 0.5, "min_weight_fraction_leaf": 0.3, "n_estimators": 4, "random_state": 0}
    model = GradientBoostingRegressor(**settings).fit(X, Y, S)
    for i, tree in enumerate(model.estimators_[:, 0]):
        drawn = S[model._draw(i, len(Y))].sum()
        leaves = tree.tree_.weighted_n_node_samples[tree.tree_.children_left < 0]
        assert len(leaves) > 1
        assert 0.3 * drawn <= leaves.min() < 0.3 * S.sum()


@pytest.mark.parametrize("settings", [{}, {"loss": "huber", "subsample": 0.6}, {"init": Ridge()}], ids=str)
def test_the_certificate_holds_the_trees_to_the_scores_of_the_rounds(settings, monkeypatch):
    model = GradientBoostingRegressor(**ROUNDS, **settings).fit(X, Y)
    assert model.certificate_.converged and "no optimum to prove" in model.certificate_.message
    keep = GradientBoostingRegressor._keep

    def spoilt(self, tables, rate):
        keep(self, tables, rate)
        self._trees.value[self._trees.roots[-1] :] *= 1.001

    monkeypatch.setattr(GradientBoostingRegressor, "_keep", spoilt)
    with pytest.warns(NotCertified):
        assert not GradientBoostingRegressor(**ROUNDS, **settings).fit(X, Y).certificate_.converged


def test_a_small_rate_never_raises_the_training_loss():
    model = GradientBoostingClassifier(n_estimators=60, learning_rate=0.05).fit(X, CLASSES)
    assert (np.diff(model.train_score_) < 0.0).all()


def test_the_model_is_the_same_on_every_number_of_threads(monkeypatch):
    many, columns = np.repeat(X, 40, axis=0), RNG.standard_normal((12_000, 5))
    rows, y = many + 0.1 * columns, np.repeat(CLASSES, 40)
    answers = []
    for threads in (1, 2):
        monkeypatch.setenv("SEPARATRIX_THREADS", str(threads))
        answers.append(GradientBoostingClassifier(n_estimators=3, subsample=0.7, random_state=0).fit(rows, y))
    assert_array_equal(answers[0].decision_function(rows), answers[1].decision_function(rows))
    assert_array_equal(answers[0].train_score_, answers[1].train_score_)


def test_equal_columns_are_split_by_the_first():
    model = GradientBoostingRegressor(**ROUNDS).fit(np.column_stack([X, X]), Y)
    assert model.feature_importances_[5:].max() == 0.0


def test_sparse_rows_are_the_same_rows():
    rows = np.where(X > 0.5, X, 0.0)
    dense, sparse = (GradientBoostingRegressor(**ROUNDS).fit(each, Y) for each in (rows, csr_matrix(rows)))
    assert_array_equal(dense.predict(rows), sparse.predict(csr_matrix(rows)))


@pytest.mark.parametrize(
    "model, y",
    [
        (GradientBoostingRegressor(loss="huber", **ROUNDS), Y),
        (GradientBoostingRegressor(init=Ridge(), n_iter_no_change=3, random_state=2, **ROUNDS), Y),
        (GradientBoostingClassifier(loss="exponential", subsample=0.5, random_state=2, **ROUNDS), Y > 0.0),
        (GradientBoostingClassifier(init=LogisticRegression(), **ROUNDS), CLASSES),
    ],
    ids=["Huber", "from a ridge", "exponential", "from a regression"],
)
def test_a_file_predicts_the_same_and_is_verified(model, y):
    model.fit(X, y)
    file = io.BytesIO()
    model.save(file)
    file.seek(0)
    read = separatrix.load(file)
    assert_array_equal(read.predict(X), model.predict(X))
    assert_array_equal(read.estimators_[3, 0].tree_.value, model.estimators_[3, 0].tree_.value)
    assert separatrix.verify(read, X, y).converged
    read._trees.value[-1] += 0.1
    assert not separatrix.verify(read, X, y).converged


def test_light_prediction_is_the_prediction():
    classes = GradientBoostingClassifier(loss="exponential", **ROUNDS).fit(X, Y > 0.0)
    assert_array_equal(light_trees.class_probabilities(vars(classes), X), classes.predict_proba(X))
    number = GradientBoostingRegressor(**ROUNDS).fit(X, Y)
    assert_array_equal(light_trees.number(vars(number), X), number.predict(X))


def test_a_patience_that_cannot_run_out_is_like_none():
    settings = {**ROUNDS, "random_state": 1}
    patient = GradientBoostingRegressor(n_iter_no_change=10**20, **settings).fit(X, Y)
    assert len(patient.estimators_) == ROUNDS["n_estimators"]


def test_a_monitor_ends_the_fit():
    seen = []

    def monitor(i, model, state):
        seen.append(np.abs(state["raw_predictions"][:, 0] - model.predict(X)).max())
        return i == 4

    model = GradientBoostingRegressor(**ROUNDS).fit(X, Y, monitor=monitor)
    assert model.n_estimators_ == len(model.train_score_) == 5
    assert max(seen) < 1e-12


def test_what_cannot_be_fitted_says_why():
    with pytest.raises(ValueError, match="binary"):
        GradientBoostingClassifier(loss="exponential").fit(X, CLASSES)
    with pytest.raises(ValueError, match="sample weights"):
        GradientBoostingRegressor(init=KNeighborsRegressor()).fit(X, Y, sample_weight=S)
    with pytest.raises(ValueError, match="subsample"):
        GradientBoostingRegressor(subsample=0.0).fit(X, Y)


def test_verification_says_which_numbers_it_does_not_look_at():
    X, y = np.arange(20.0)[:, None], np.arange(20.0) ** 2
    exact = GradientBoostingRegressor(n_estimators=2, subsample=0.5, random_state=0).fit(X, y)
    unseen = verify(exact, X, y).message.split("not looked at: ")[1]
    for name in ("feature_importances_", "nodes of estimators_", "oob_improvement_", "oob_score_", "train_score_"):
        assert name in unseen
    binned = HistGradientBoostingRegressor(max_iter=2, min_samples_leaf=2).fit(X, y)
    assert "feature_importances_" in verify(binned, X, y).message.split("not looked at: ")[1]
