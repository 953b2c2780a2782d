"""scikit-learn's stacks and votes with our models in them: who sees which row, what CV is for, files, verification."""

import io
import sys
from pathlib import Path
from typing import ClassVar

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import load_diabetes, load_iris

import separatrix
from separatrix.compose import ColumnTransformer
from separatrix.ensemble import (
    BaggingClassifier,
    StackingClassifier,
    StackingRegressor,
    VotingClassifier,
    VotingRegressor,
)
from separatrix.estimators.verify import NothingToVerify
from separatrix.linear_model import LogisticRegression, Perceptron, Ridge, SGDClassifier
from separatrix.model_selection import KFold, StratifiedKFold
from separatrix.naive_bayes import GaussianNB
from separatrix.neighbors import KNeighborsClassifier
from separatrix.persist import CannotLoad
from separatrix.persist.files import to_bytes
from separatrix.pipeline import make_pipeline
from separatrix.preprocessing import StandardScaler
from separatrix.tree import DecisionTreeClassifier, DecisionTreeRegressor

sys.path.insert(0, str(Path(__file__).parents[2] / "persist"))
from mutations import closed, opened

IRIS = load_iris(return_X_y=True, as_frame=True)
DIABETES = load_diabetes(return_X_y=True)
CLASSIFIERS = [("line", LogisticRegression()), ("bayes", GaussianNB()), ("tree", DecisionTreeClassifier(max_depth=3))]
REGRESSORS = [("line", Ridge()), ("tree", DecisionTreeRegressor(max_depth=3))]


# ------------------------------------------------------------------ stacking


def three_kinds(n, seed):
    """Classes whose log-odds are a line in two columns, a difference of variances in one, and stripes in another."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(-2.0, 2.0, (n, 4))
    scores = 1.5 * (X[:, 0] + X[:, 1]) + 2.0 * (X[:, 2] ** 2 - 4.0 / 3.0) + 3.0 * np.sign(np.sin(3.0 * X[:, 3]))
    return X, (rng.random(n) < 1.0 / (1.0 + np.exp(-2.0 * scores))).astype(int)


def of_columns(places, model):
    return make_pipeline(ColumnTransformer([("kept", "passthrough", places)]), model)


@pytest.mark.mission("ST-01")
@pytest.mark.parametrize(
    "last", [LogisticRegression(), Perceptron(max_iter=200, random_state=0)], ids=["logistic", "perceptron"]
)
def test_a_stack_of_bayes_margin_and_neighbours_beats_the_best_of_them(last):
    X, y = three_kinds(1200, 0)
    X_new, y_new = three_kinds(3000, 1)
    bases = [
        ("margin", of_columns([0, 1], SGDClassifier(loss="hinge", alpha=1e-3, random_state=0))),
        ("bayes", of_columns([2], GaussianNB())),
        ("neighbours", of_columns([3], KNeighborsClassifier(15))),
    ]
    if isinstance(last, Perceptron):
        last = make_pipeline(StandardScaler(), last)
    stack = StackingClassifier(bases, last, cv=5).fit(X, y)
    best = max(base.fit(X, y).score(X_new, y_new) for _, base in bases)
    assert stack.score(X_new, y_new) > best + 0.05


class Spy(ClassifierMixin, BaseEstimator):
    """Notes which rows, by the number in their first column, it is fitted to and asked about."""

    log: ClassVar[list] = []

    def fit(self, X, y):
        self.classes_, self.seen_ = np.unique(y), set(X[:, 0].astype(int))
        return self

    def predict_proba(self, X):
        Spy.log.append((frozenset(self.seen_), frozenset(X[:, 0].astype(int))))
        return np.full((len(X), len(self.classes_)), 1.0 / len(self.classes_))

    def predict(self, X):
        return self.classes_[self.predict_proba(X).argmax(axis=1)]


@pytest.mark.mission("ST-02")
@pytest.mark.parametrize("cv", [None, 4, StratifiedKFold(3, shuffle=True, random_state=0)], ids=str)
def test_no_row_is_predicted_by_a_base_model_that_was_trained_on_it(cv):
    n, Spy.log = 60, []
    X, y = np.column_stack([np.arange(n), np.random.default_rng(0).normal(size=n)]), np.tile([0, 1], n // 2)
    StackingClassifier([("spy", Spy())], LogisticRegression(), cv=cv).fit(X, y)
    asked = [rows for _, rows in Spy.log]
    assert len(asked) == (3 if isinstance(cv, StratifiedKFold) else cv or 5)
    assert sorted(i for rows in asked for i in rows) == list(range(n))  # each row once
    for seen, rows in Spy.log:
        assert not seen & rows
        assert seen | rows == set(range(n))


@pytest.mark.mission("ST-02")
def test_the_last_model_is_fitted_to_predictions_out_of_fold():
    X, y = DIABETES
    folds = KFold(4, shuffle=True, random_state=2)
    stack = StackingRegressor(REGRESSORS, Ridge(alpha=1e-3), cv=folds).fit(X, y)
    meta = np.empty((len(y), 2))
    for train, held in folds.split(X):
        for j, base in enumerate((Ridge(), DecisionTreeRegressor(max_depth=3))):
            meta[held, j] = base.fit(X[train], y[train]).predict(X[held])
    assert_allclose(stack.final_estimator_.coef_, Ridge(alpha=1e-3).fit(meta, y).coef_, rtol=1e-9)


@pytest.mark.mission("ST-03")
def test_without_folds_the_nearest_neighbour_would_rule():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 5))
    y = (X @ [1.0, -1.0, 0.5, 0.0, 0.0] + 1.5 * rng.normal(size=400) > 0).astype(int)
    bases = [("nearest", KNeighborsClassifier(1)), ("line", LogisticRegression())]
    fitted = [(name, base.fit(X, y)) for name, base in bases]
    naive = StackingClassifier(fitted, LogisticRegression(), cv="prefit").fit(X, y).final_estimator_.coef_[0]
    held_out = StackingClassifier(bases, LogisticRegression(), cv=5).fit(X, y).final_estimator_.coef_[0]
    assert naive[0] > 5.0 * abs(naive[1])  # one neighbour is right about every row that it has seen
    assert held_out[0] < 0.3 * held_out[1]


# ------------------------------------------------------------------ voting


def test_a_soft_vote_is_a_weighted_mean_and_a_hard_one_the_commonest_class():
    X, y = IRIS
    soft = VotingClassifier(CLASSIFIERS, voting="soft", weights=[1, 2, 3]).fit(X, y)
    shares = np.average([m.predict_proba(X) for m in soft.estimators_], axis=0, weights=[1, 2, 3])
    assert_allclose(soft.predict_proba(X), shares, rtol=1e-14)
    hard = VotingClassifier(CLASSIFIERS).fit(X, y)
    votes = np.array([m.predict(X) for m in hard.estimators_])
    assert_array_equal(hard.predict(X), [np.bincount(column, minlength=3).argmax() for column in votes.T])


def test_a_vote_of_regressors_is_their_mean():
    X, y = DIABETES
    model = VotingRegressor(REGRESSORS).fit(X, y)
    assert_allclose(model.predict(X), np.mean([m.predict(X) for m in model.estimators_], axis=0), rtol=1e-14)


# ------------------------------------------------------------------ files and verification


def committees():
    bagged = [*CLASSIFIERS, ("bagged", BaggingClassifier(n_estimators=3, random_state=0))]
    return {
        "stack of classes": (StackingClassifier(bagged, LogisticRegression(), cv=3), IRIS),
        "stack with columns": (StackingClassifier(CLASSIFIERS, LogisticRegression(), passthrough=True), IRIS),
        "vote": (VotingClassifier(CLASSIFIERS), IRIS),
        "soft vote": (VotingClassifier(CLASSIFIERS, voting="soft", weights=[1, 2, 1]), IRIS),
        "stack of numbers": (StackingRegressor(REGRESSORS, Ridge(), cv=KFold(3)), DIABETES),
        "mean of numbers": (VotingRegressor(REGRESSORS), DIABETES),
    }


@pytest.mark.parametrize("name", committees())
def test_a_file_keeps_a_committee_its_names_and_its_answers(name):
    model, (X, y) = committees()[name]
    model.fit(X, y)
    file, second = io.BytesIO(), io.BytesIO()
    separatrix.save(model, file)
    again = separatrix.load(file)
    for method in ("predict", "predict_proba", "transform"):
        if hasattr(model, method):
            assert_array_equal(getattr(again, method)(X), getattr(model, method)(X))
    assert list(again.named_estimators_) == list(model.named_estimators_)
    assert again.named_estimators_.line is again.estimators_[0]
    assert list(vars(again).get("feature_names_in_", ())) == list(vars(model).get("feature_names_in_", ()))
    separatrix.save(again, second)
    assert second.getvalue() == file.getvalue()
    assert separatrix.verify(again, X, y).converged
    again.fit(X, y)


def test_a_stack_on_folds_that_are_given_is_verified():
    X, y = IRIS
    folds = list(StratifiedKFold(3).split(X, y))
    model = StackingClassifier(CLASSIFIERS, LogisticRegression(), cv=folds).fit(X, y)
    assert separatrix.verify(model, X, y).converged
    drawn = StratifiedKFold(3, shuffle=True, random_state=np.random.RandomState(0))
    for cv in (iter(folds), drawn):
        with pytest.raises(NothingToVerify, match="its folds cannot be made again"):
            separatrix.verify(model.set_params(cv=cv), X, y)


@pytest.mark.parametrize("name", committees())
def test_verification_notices_a_changed_member(name):
    model, (X, y) = committees()[name]
    model.fit(X, y)
    line = model.estimators_[0]
    line.coef_ = line.coef_ * 1.01
    assert not separatrix.verify(model, X, y).converged


def test_verification_notices_a_last_model_that_was_fitted_to_rows_it_had_seen():
    X, y = IRIS
    model = StackingClassifier(CLASSIFIERS, LogisticRegression(), cv=3).fit(X, y)
    model.final_estimator_ = LogisticRegression().fit(model.transform(X), y)
    assert not separatrix.verify(model, X, y).converged


@pytest.mark.parametrize("method", ["save", "fit", "__init__", "get_params", None, 3])
def test_a_file_cannot_name_another_method_for_the_members_to_run(method):
    X, y = IRIS
    manifest, arrays = opened(to_bytes(StackingClassifier(CLASSIFIERS, LogisticRegression(), cv=3).fit(X, y)))
    state = next(node["state"] for node in manifest["objects"] if node["class"] == "sklearn:StackingClassifier")
    state["stack_method_"][1] = method
    with pytest.raises(CannotLoad, match="stack_method_"):
        separatrix.load(io.BytesIO(closed(manifest, arrays)))
    state["stack_method_"][1], state["stack_method"] = "predict_proba", method
    with pytest.raises(CannotLoad, match="stack_method"):
        separatrix.load(io.BytesIO(closed(manifest, arrays)))


def test_a_name_in_a_file_is_a_word():
    X, y = DIABETES
    manifest, arrays = opened(to_bytes(VotingRegressor(REGRESSORS).fit(X, y)))
    state = next(node["state"] for node in manifest["objects"] if node["class"] == "sklearn:VotingRegressor")
    state["named_estimators_"]["items"][0][0] = 3
    with pytest.raises(CannotLoad, match="a name is not a word"):
        separatrix.load(io.BytesIO(closed(manifest, arrays)))
