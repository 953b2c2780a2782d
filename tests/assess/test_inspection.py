"""Permutation importance and partial dependence of models of tables agree with what is computed by hand."""

from types import SimpleNamespace

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.datasets import load_diabetes, load_iris
from sklearn.inspection import partial_dependence, permutation_importance
from sklearn.metrics import roc_auc_score

from separatrix.assess import inspection
from separatrix.assess.inspection import dependence, importances
from separatrix.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from separatrix.estimators.preparation.compose import category_places, pipeline
from separatrix.tables import Table, target_values, understand
from separatrix.tree import DecisionTreeClassifier, DecisionTreeRegressor


def bought(n=160):
    rng = np.random.default_rng(2)
    age, noise = rng.integers(18, 80, n).astype(float), rng.random(n)
    colour = np.array(["red", "green", "blue", None], dtype=object)[rng.integers(0, 4, n)]
    y = np.where(0.05 * (age - 45) + 1.2 * (colour == "red") + rng.normal(0, 0.4, n) > 0.3, "yes", "no").astype(object)
    age[::13] = np.nan
    return Table(("age", "colour", "noise", "y"), (age, colour, noise, y), "bought")


@pytest.fixture(scope="module")
def boosted():
    table = bought()
    told = understand(table, "y")
    places = category_places([column.kind for column in told.used])
    model = HistGradientBoostingClassifier(max_iter=30, categorical_features=places)
    return pipeline(told, "trees", model).fit(table, target_values(table, told)[0]), table


def with_column(table, name, values):
    return Table(table.names, tuple(values if n == name else c for n, c in zip(table.names, table.columns)))


def test_an_importance_is_the_score_less_that_with_the_column_shuffled(boosted):
    model, table = boosted
    losses = {each.column: each for each in importances(model, table, table["y"], "roc_auc", repeats=3, seed=4)}
    whole = roc_auc_score(table["y"] == "yes", model.predict_proba(table)[:, 1])
    seed = np.random.RandomState(4).randint(np.iinfo(np.int32).max + 1)
    for name in ("age", "colour", "noise"):
        random, order, values, drops = np.random.RandomState(seed), np.arange(len(table)), table[name].copy(), []
        for _ in range(3):  # shuffles add up, as scikit-learn's do
            random.shuffle(order)
            values = values[order]
            moved = model.predict_proba(with_column(table, name, values))[:, 1]
            drops.append(whole - roc_auc_score(table["y"] == "yes", moved))
        assert_allclose([losses[name].loss, losses[name].deviation], [np.mean(drops), np.std(drops)], atol=1e-12)
    assert next(iter(losses)) == "age" and losses["age"].loss > 0.1


def test_an_error_counts_as_lost_where_it_grows():
    X, y = load_diabetes(return_X_y=True)
    table = Table((*(f"c{j}" for j in range(10)), "y"), (*X.T, y))
    model = pipeline(understand(table, "y"), "trees", DecisionTreeRegressor(max_depth=4)).fit(table, y)
    first, *_ = importances(model, table, y, "rmse")
    assert first.column in ("c2", "c8") and first.loss > 5.0


def test_losses_and_gains_that_cancel_leave_no_rounding(boosted, monkeypatch):
    """0.1 + 0.2 - 0.3 is 5.6e-17 in floats."""
    single = np.array([[0.1, 0.2, -0.3], [0.1, 0.2, 0.3], [0.0, 0.0, 0.0]])
    results = SimpleNamespace(
        importances=single, importances_mean=single.mean(axis=1), importances_std=single.std(axis=1)
    )
    monkeypatch.setattr(inspection, "permutation_importance", lambda *args, **settings: results)
    model, table = boosted
    losses = {each.column: each.loss for each in importances(model, table, table.columns[-1], "accuracy")}
    assert sorted(losses.values()) == pytest.approx([0.0, 0.0, 0.2], abs=0.0, rel=1e-15)


def test_a_dependence_is_the_mean_prediction_with_the_column_held(boosted):
    model, table = boosted
    ages = dependence(model, table, "age", points=6)
    known = table.take(np.flatnonzero(np.isfinite(table["age"])))
    assert len(ages.values) == 6
    for value, mean in zip(ages.values, ages.average[0]):
        held = with_column(known, "age", np.full(len(known), value))
        assert_allclose(model.predict_proba(held)[:, 1].mean(), mean, rtol=1e-12)
    colours = dependence(model, table, "colour")
    assert colours.values.tolist() == ["blue", "green", "red"]
    known = table.take([i for i, colour in enumerate(table["colour"]) if colour is not None])
    for value, mean in zip(colours.values, colours.average[0]):
        held = with_column(known, "colour", np.full(len(known), value, dtype=object))
        assert_allclose(model.predict_proba(held)[:, 1].mean(), mean, rtol=1e-12)


@pytest.mark.parametrize("model", [DecisionTreeClassifier(max_depth=3), HistGradientBoostingClassifier(max_iter=10)])
def test_scikit_learns_functions_take_our_classifiers(model):
    X, y = load_iris(return_X_y=True)
    model.fit(X, y)
    curve = partial_dependence(model, X, [2], grid_resolution=5, response_method="predict_proba")
    for value, means in zip(curve["grid_values"][0], curve["average"].T):
        held = X.copy()
        held[:, 2] = value
        assert_allclose(model.predict_proba(held).mean(axis=0), means, rtol=1e-12)
    shuffled = permutation_importance(model, X, y, n_repeats=3, random_state=0)
    assert shuffled.importances_mean[2:].max() > 0.1


def test_scikit_learns_functions_take_our_regressors():
    X, y = load_diabetes(return_X_y=True)
    for model in (DecisionTreeRegressor(max_depth=3).fit(X, y), HistGradientBoostingRegressor(max_iter=10).fit(X, y)):
        curve = partial_dependence(model, X, [8], grid_resolution=4)
        held = X.copy()
        held[:, 8] = curve["grid_values"][0][-1]
        assert_allclose(curve["average"][0, -1], model.predict(held).mean(), rtol=1e-12)
        assert np.argmax(permutation_importance(model, X, y, random_state=0).importances_mean) in (2, 8)
