"""Warm starts: what a further fit must have in common with the first, of forests, bagging and boosted trees."""

import warnings

import numpy as np
import pandas as pd
import pytest

from separatrix.ensemble import (
    BaggingClassifier,
    BaggingRegressor,
    ExtraTreesRegressor,
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
)
from separatrix.linear_model import Ridge
from separatrix.losses import Huber
from separatrix.solvers.trees.committee import add_trees

RNG = np.random.default_rng(0)
X = RNG.standard_normal((120, 4))
Y = X[:, 0] + 0.3 * RNG.standard_normal(120)
TWO, THREE = (Y > 0.0).astype(int), np.digitize(Y, [-0.5, 0.5])
S = RNG.integers(1, 4, 120).astype(float)
ROUNDS = {
    HistGradientBoostingClassifier: "max_iter",
    HistGradientBoostingRegressor: "max_iter",
}


def started(make, y=None, **settings):
    """A model of two rounds that is to go on."""
    rounds = ROUNDS.get(make, "n_estimators")
    if y is None:
        y = TWO if "Classifier" in make.__name__ else Y
    model = make(**{rounds: 2}, warm_start=True, random_state=0, **settings).fit(X, y)
    return model.set_params(**{rounds: 4}), y


MODELS = (
    RandomForestClassifier,
    ExtraTreesRegressor,
    BaggingClassifier,
    BaggingRegressor,
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
)


@pytest.mark.parametrize("make", MODELS)
def test_other_columns_are_refused_and_the_model_stays_as_it_was(make):
    model, y = started(make)
    before = dict(vars(model))
    with pytest.raises(ValueError, match=r"Cannot go on with n_features=2: the \w+ that are kept .* with 4"):
        model.fit(X[:, :2], y)
    assert all(vars(model)[name] is value for name, value in before.items()) and len(vars(model)) == len(before)
    model.fit(X, y)


@pytest.mark.parametrize("make", [make for make in MODELS if "Classifier" in make.__name__])
@pytest.mark.parametrize("labels", [THREE, np.array(["no", "yes"])[TWO]], ids=["more", "others"])
def test_other_classes_are_refused(make, labels):
    model, _ = started(make)
    with pytest.raises(ValueError, match=r"go on with classes=.* with \[0, 1\]"):
        model.fit(X, labels)


@pytest.mark.parametrize("make", MODELS)
def test_columns_in_another_order_are_refused_where_they_have_names(make):
    model, y = started(make)
    frame = pd.DataFrame(X, columns=list("abcd"))
    rounds = ROUNDS.get(make, "n_estimators")
    model = model.set_params(warm_start=False).fit(frame, y).set_params(warm_start=True, **{rounds: 6})
    with pytest.raises(ValueError, match=r"go on with feature_names=\['b', 'a', 'c', 'd'\]"):
        model.fit(frame[list("bacd")], y)


@pytest.mark.parametrize("make", [HistGradientBoostingRegressor, ExtraTreesRegressor])
def test_other_categories_are_refused(make):
    rounds = ROUNDS.get(make, "n_estimators")
    rows = np.column_stack([X, RNG.integers(0, 3, 120)])
    model = make(**{rounds: 2}, warm_start=True, categorical_features=[4], random_state=0).fit(rows, Y)
    rows[:, 4] += 1.0
    with pytest.raises(ValueError, match="go on with categories"):
        model.set_params(**{rounds: 4}).fit(rows, Y)


@pytest.mark.parametrize(
    "make, first, later",
    [
        (GradientBoostingRegressor, {}, {"loss": "absolute_error"}),
        (GradientBoostingRegressor, {"loss": "quantile"}, {"alpha": 0.5}),
        (GradientBoostingClassifier, {}, {"loss": "exponential"}),
        (HistGradientBoostingRegressor, {}, {"loss": Huber(1.0)}),
        (HistGradientBoostingRegressor, {"loss": "quantile", "quantile": 0.5}, {"quantile": 0.9}),
    ],
    ids=str,
)
def test_another_loss_is_refused(make, first, later):
    model, y = started(make, **first)
    with pytest.raises(ValueError, match="go on with loss="):
        model.set_params(**later).fit(X, y)


@pytest.mark.parametrize(
    "changed",
    [
        {"max_samples": 0.5},
        {"bootstrap": False},
        {"max_features": 2},
        {"bootstrap_features": True},
        {"estimator": Ridge()},
    ],
    ids=str,
)
def test_samples_that_are_drawn_in_another_way_are_refused(changed):
    model, y = started(BaggingRegressor)
    with pytest.raises(ValueError, match="Cannot go on with"):
        model.set_params(**changed).fit(X, y)


@pytest.mark.parametrize("make", [BaggingRegressor, RandomForestClassifier])
@pytest.mark.parametrize("other", ["rows", "weights"])
def test_other_rows_and_weights_of_samples_are_refused(make, other):
    model, y = started(make)
    given = (X[:90], y[:90]) if other == "rows" else (X, y, S)
    with pytest.raises(ValueError, match="go on with rows=90" if other == "rows" else "go on with sample_weight="):
        model.fit(*given)


@pytest.mark.parametrize("make", [BaggingRegressor, ExtraTreesRegressor])
def test_a_warm_start_that_adds_nothing_says_so_and_checks_the_data(make):
    model, y = started(make)
    model.set_params(n_estimators=2)
    with pytest.warns(UserWarning, match=r"has 2 (member|tree)s already: no (member|tree) is added"):
        model.fit(X, y)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        with pytest.raises(ValueError, match="go on with n_features"):
            model.fit(X[:, :2], y)


def test_rows_of_another_width_do_not_walk_through_trees():
    model = GradientBoostingRegressor(n_estimators=2).fit(X, Y)
    with pytest.raises(ValueError, match="Cannot walk rows of 3 columns"):
        add_trees(model._trees, X[:, :3].copy(), np.zeros((120, 1)))
