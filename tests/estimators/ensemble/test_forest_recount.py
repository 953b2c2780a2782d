"""Forests: what `verify` finds changed, what it must not, and scores of no rows."""

import warnings

import numpy as np
import pytest

from separatrix import load, verify
from separatrix.ensemble import (
    BaggingRegressor,
    ExtraTreesRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)


def data(n=60):
    rng = np.random.default_rng(0)
    X = np.round(rng.normal(size=(n, 3)), 1)
    return X, np.round(np.exp(X[:, 0]) + rng.uniform(size=n), 1)


@pytest.mark.parametrize(
    ("forest", "options"),
    [
        (RandomForestRegressor, {"criterion": "absolute_error"}),
        (RandomForestRegressor, {"criterion": "poisson"}),
        (RandomForestRegressor, {"monotonic_cst": [1, 0, 0]}),
        (ExtraTreesRegressor, {"criterion": "absolute_error"}),
        (RandomForestClassifier, {"monotonic_cst": [1, 0, 0]}),
    ],
)
def test_changed_values_are_found_where_inner_nodes_keep_theirs(forest, options, tmp_path):
    X, y = data()
    y = y > 1.5 if forest is RandomForestClassifier else y
    model = forest(n_estimators=3, random_state=0, **options).fit(X, y)
    assert model.certificate_.converged
    assert verify(model, X, y).converged
    for tree in model._trees:
        tree.value[:] = 1000.0
    assert not verify(model, X, y).converged
    for tree in model._trees:  # in both places
        tree.inner[tree.column < 0, :-1] = 1000.0
    assert not verify(model, X, y).converged
    model.save(tmp_path / "forest.json")
    assert not verify(load(tmp_path / "forest.json"), X, y).converged


def test_a_forest_whose_ends_and_inner_nodes_disagree_is_not_saved(tmp_path):
    X, y = data()
    model = RandomForestRegressor(n_estimators=2, criterion="poisson", random_state=0).fit(X, y)
    model._trees[1].value[:] = 1000.0
    with pytest.raises(ValueError, match="do not fit together"):
        model.save(tmp_path / "forest.json")


@pytest.mark.parametrize("offset", [0.0, 1e8, 1e12])
def test_an_offset_of_y_does_not_refute_a_forest(offset):
    X, y = data()
    y = y + offset
    model = RandomForestRegressor(n_estimators=4, random_state=0).fit(X, y)
    assert verify(model, X, y).converged
    model._importances[2] = model._importances[2][[1, 0, 2]]
    assert not verify(model, X, y).converged


@pytest.mark.parametrize("score", [True, lambda truth, answers: float(len(truth))])
def test_the_score_of_rows_without_weight_is_not_a_number(score):
    X, y = data(12)
    s = np.zeros(12)
    s[0] = 1.0
    for forest, target in ((RandomForestRegressor, y), (RandomForestClassifier, y > 1.5)):
        model = forest(n_estimators=1, oob_score=score, random_state=0)
        with pytest.warns(UserWarning, match="no out-of-bag answer"):
            model.fit(X, target, s)
        assert np.isnan(model.oob_score_)


def committees():
    X, y = data(30)
    options = {"n_estimators": 2, "oob_score": True, "random_state": 0}
    for model in (RandomForestRegressor(**options), BaggingRegressor(**options)):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # some rows are in both samples
            yield model.fit(X, y, np.arange(30.0) % 3), X, y


def test_an_out_of_bag_answer_that_no_member_gave_is_found():
    for model, X, y in committees():
        assert verify(model, X, y, np.arange(30.0) % 3).converged
        model.oob_prediction_[np.isnan(model.oob_prediction_)] = -1.0
        assert not verify(model, X, y, np.arange(30.0) % 3).converged


def test_an_out_of_bag_answer_that_is_left_out_is_found():
    for model, X, y in committees():
        model.oob_prediction_[np.flatnonzero(np.isfinite(model.oob_prediction_))[0]] = np.nan
        assert not verify(model, X, y, np.arange(30.0) % 3).converged


def test_changed_weights_that_samples_are_drawn_from_are_found():
    for model, X, y in committees():
        model._bags.weights[:2] = model._bags.weights[:2][::-1].copy()
        assert not verify(model, X, y, np.arange(30.0) % 3).converged
