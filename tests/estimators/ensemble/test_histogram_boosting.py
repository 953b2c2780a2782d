"""Histogram gradient boosting against scikit-learn's, and its own laws."""

import io

import numpy as np
import pandas as pd
import pytest
import sklearn.ensemble
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris, load_wine
from sklearn.utils.estimator_checks import parametrize_with_checks

import separatrix
from separatrix.core.errors import NotCertified
from separatrix.designs.binned import Bins
from separatrix.ensemble import (
    GradientBoostingRegressor,
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
)
from separatrix.losses import Huber
from separatrix.prediction import boosted_trees as light_trees
from separatrix.tree import DecisionTreeClassifier, DecisionTreeRegressor

X, Y = load_diabetes(return_X_y=True)
RNG = np.random.default_rng(3)
# scikit-learn sums slopes that were rounded to single precision, so that predictions agree to about 2^-24 of them.
SINGLE = 1e-5
WEIGHTS = {
    "check_sample_weight_equivalence_on_dense_data": "min_samples_leaf counts rows, as scikit-learn's does",
    "check_sample_weight_equivalence_on_sparse_data": "it takes no sparse rows",
}


@parametrize_with_checks(
    [
        HistGradientBoostingRegressor(max_iter=5, min_samples_leaf=5),
        HistGradientBoostingClassifier(max_iter=5, min_samples_leaf=5),
    ],
    expected_failed_checks=lambda estimator: WEIGHTS,
)
def test_scikit_learn_checks(estimator, check):
    check(estimator)


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"loss": "poisson"},
        {"loss": "gamma"},
        {"l2_regularization": 3.0, "max_depth": 3, "learning_rate": 0.3},
        {"monotonic_cst": [0, 0, 1, -1, 0, 0, 0, 0, 0, 0], "interaction_cst": "pairwise", "max_iter": 30},
        {"interaction_cst": [[0, 1, 2], [2, 3]], "max_leaf_nodes": None, "max_iter": 20},
        {"max_bins": 10, "min_samples_leaf": 3},
        {"early_stopping": True, "random_state": 4},
        {"early_stopping": True, "random_state": 4, "scoring": "r2", "validation_fraction": None},
    ],
    ids=str,
)
def test_predictions_are_those_of_scikit_learn(settings):
    ours = HistGradientBoostingRegressor(**settings).fit(X, Y)
    theirs = sklearn.ensemble.HistGradientBoostingRegressor(**settings).fit(X, Y)
    assert ours.n_iter_ == theirs.n_iter_
    assert_allclose(ours.predict(X), theirs.predict(X), rtol=SINGLE)
    assert_allclose(ours.validation_score_, theirs.validation_score_, rtol=SINGLE)


def test_missing_numbers_and_categories_go_where_scikit_learn_sends_them():
    rows = np.column_stack([RNG.integers(0, 12, len(Y)), X])
    rows[RNG.random(rows.shape) < 0.15] = np.nan
    y = Y + 40.0 * np.sin(np.nan_to_num(rows[:, 0]))
    ours = HistGradientBoostingRegressor(categorical_features=[0]).fit(rows, y)
    theirs = sklearn.ensemble.HistGradientBoostingRegressor(categorical_features=[0]).fit(rows, y)
    unseen = rows.copy()
    unseen[:, 0] = 77.0  # a category that was never met counts as missing
    for each in (rows, unseen):
        assert_allclose(ours.predict(each), theirs.predict(each), rtol=SINGLE)


@pytest.mark.parametrize("data", [load_breast_cancer, load_iris, load_wine])
def test_probabilities_are_those_of_scikit_learn(data):
    rows, y = data(return_X_y=True)
    ours = HistGradientBoostingClassifier(max_iter=20).fit(rows, y)
    theirs = sklearn.ensemble.HistGradientBoostingClassifier(max_iter=20).fit(rows, y)
    assert_allclose(ours.predict_proba(rows), theirs.predict_proba(rows), atol=1e-3)
    assert_array_equal(ours.predict(rows), theirs.predict(rows))


@pytest.mark.parametrize("settings", [{"loss": "absolute_error"}, {"loss": "quantile", "quantile": 0.8}], ids=str)
def test_losses_with_kinks_are_as_low_as_scikit_learn_s(settings):
    """Slopes have two values only, so that many splits are equally good, and others may be chosen."""
    q = settings.get("quantile", 0.5)
    ours = HistGradientBoostingRegressor(max_iter=40, **settings).fit(X, Y).predict(X)
    theirs = sklearn.ensemble.HistGradientBoostingRegressor(max_iter=40, **settings).fit(X, Y).predict(X)
    pinball = [np.mean(np.maximum(q * (Y - p), (q - 1.0) * (Y - p))) for p in (ours, theirs)]
    assert pinball[0] < 1.05 * pinball[1]


def test_weights_are_repetitions_where_no_leaf_is_too_small():
    s = RNG.integers(0, 3, len(Y))
    settings = {"min_samples_leaf": 1, "max_leaf_nodes": 8, "max_iter": 30}
    weighted = HistGradientBoostingRegressor(**settings).fit(X, Y, sample_weight=s.astype(float))
    repeated = HistGradientBoostingRegressor(**settings).fit(np.repeat(X, s, axis=0), np.repeat(Y, s))
    assert_allclose(weighted.predict(X), repeated.predict(X), rtol=1e-9)


def test_going_on_is_one_fit():
    settings = {"max_features": 0.5, "random_state": 0}
    whole = HistGradientBoostingRegressor(max_iter=20, **settings).fit(X, Y)
    parts = HistGradientBoostingRegressor(max_iter=8, warm_start=True, **settings).fit(X, Y)
    parts.set_params(max_iter=20).fit(X, Y)
    assert_array_equal(parts.predict(X), whole.predict(X))


def test_stages_end_at_the_prediction():
    model = HistGradientBoostingClassifier(max_iter=6).fit(X, np.digitize(Y, [100.0, 200.0]))
    stages = list(model.staged_predict_proba(X))
    assert len(stages) == 6
    assert_array_equal(stages[-1], model.predict_proba(X))


@pytest.mark.parametrize("direction", [1, -1])
@pytest.mark.parametrize("loss", ["squared_error", "absolute_error"])
def test_monotonic_constraints_hold(direction, loss):
    constraint = [0, 0, direction, *[0] * 7]
    model = HistGradientBoostingRegressor(loss=loss, monotonic_cst=constraint, max_iter=40).fit(X, Y)
    rows = np.repeat(X[:20], 50, axis=0)
    rows[:, 2] = np.tile(np.linspace(-0.1, 0.2, 50), 20)
    steps = np.diff(model.predict(rows).reshape(20, 50), axis=1)
    assert (direction * steps >= -1e-10).all()


def test_a_loss_of_the_library_is_boosted_as_it_is():
    model = HistGradientBoostingRegressor(loss=Huber(20.0)).fit(X, Y)
    start, end = model.training_loss_
    assert end < 0.5 * start


def test_columns_of_categories_come_from_a_frame():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"town": pd.Categorical(rng.choice(["a", "b", "c"], 300)), "x": rng.standard_normal(300)})
    y = (frame["town"] == "b") * 3.0 + frame["x"]
    model = HistGradientBoostingRegressor(max_iter=5).fit(frame, y)
    assert model.is_categorical_.tolist() == [True, False]
    assert model.feature_importances_.min() > 0.1
    theirs = sklearn.ensemble.HistGradientBoostingRegressor(max_iter=5).fit(frame, y)
    assert_allclose(model.predict(frame), theirs.predict(frame), rtol=SINGLE, atol=SINGLE)
    file = io.BytesIO()
    model.save(file)
    file.seek(0)
    assert_array_equal(separatrix.load(file).predict(frame), model.predict(frame))
    assert separatrix.verify(model, frame, y).converged


@pytest.mark.parametrize("kind", ["pandas", "polars", "pyarrow"])
@pytest.mark.parametrize("model", [HistGradientBoostingRegressor(max_iter=3), DecisionTreeRegressor(max_depth=3)])
def test_a_column_of_words_is_asked_for_by_its_name_in_any_frame(kind, model):
    town, x = np.array(["a", "b", "c"])[np.arange(60) % 3], np.arange(60.0)
    y = (town == "b") * 3.0 + x / 60.0
    library = pytest.importorskip(kind)
    frame = (library.table if kind == "pyarrow" else library.DataFrame)({"x": x, "town": town})
    asked = clone(model).set_params(categorical_features=["town"]).fit(frame, y)
    codes = np.column_stack([x, np.arange(60.0) % 3])
    coded = clone(model).set_params(categorical_features=[1]).fit(codes, y)
    assert_array_equal(asked.predict(frame), coded.predict(codes))


def test_too_many_categories_are_refused():
    with pytest.raises(ValueError, match="max_bins=255"):
        HistGradientBoostingRegressor(categorical_features=[0]).fit(np.arange(300.0)[:, None], np.arange(300.0))


def test_a_column_of_nothing_but_missing_numbers_is_never_split():
    rows = np.column_stack([np.full(len(Y), np.nan), X])
    model = HistGradientBoostingRegressor(max_iter=10).fit(rows, Y)
    assert model.feature_importances_[0] == 0.0
    assert_array_equal(model.predict(rows), HistGradientBoostingRegressor(max_iter=10).fit(X, Y).predict(X))


@pytest.mark.parametrize("early", [False, True])
def test_the_training_loss_is_recomputed_and_a_changed_leaf_is_noticed(early):
    model = HistGradientBoostingClassifier(max_iter=10, early_stopping=early, random_state=1).fit(X, Y > 150)
    assert separatrix.verify(model, X, Y > 150).converged
    model._trees.value[-1] += 0.1
    assert not separatrix.verify(model, X, Y > 150).converged


@pytest.mark.parametrize("classes", [0, 2, 3])
def test_the_certificate_holds_thresholds_to_the_bins_that_the_rows_were_sent_by(classes, monkeypatch):
    rows, y = X.copy(), Y
    rows[RNG.random(X.shape) < 0.1] = np.nan
    make = HistGradientBoostingClassifier if classes else HistGradientBoostingRegressor
    if classes:
        y = np.digitize(Y, np.quantile(Y, np.arange(1, classes) / classes))
    model = make(max_iter=5).fit(rows, y)
    assert model.certificate_.converged and "no optimum to prove" in model.certificate_.message
    bound = Bins.bound
    monkeypatch.setattr(Bins, "bound", lambda self, j, b: bound(self, j, max(b - 40, 0)))
    with pytest.warns(NotCertified):
        assert not make(max_iter=5).fit(rows, y).certificate_.converged


def test_light_prediction_is_the_prediction():
    rows = X.copy()
    rows[RNG.random(X.shape) < 0.1] = np.nan
    model = HistGradientBoostingClassifier(max_iter=10).fit(rows, np.digitize(Y, [100.0, 200.0]))
    assert_array_equal(light_trees.class_probabilities(vars(model), rows), model.predict_proba(rows))
    number = HistGradientBoostingRegressor(loss="poisson", max_iter=10).fit(rows, Y)
    assert_array_equal(light_trees.number(vars(number), rows), number.predict(rows))


def _broken(model, name, place, value):
    array = getattr(model._trees, name).copy()
    array[place] = value
    object.__setattr__(model._trees, name, array)


@pytest.mark.parametrize(
    "name, place, value",
    [
        ("left", 0, 0),  # a node that is its own child: the walk would never end
        ("right", 0, 10**6),
        ("missing", 0, -1),
        ("column", 0, 99),
        ("roots", 0, 10**6),
        ("offset", 0, 5),
        ("width", 0, 3),
        ("value", 0, np.nan),
    ],
)
def test_a_file_whose_trees_lead_astray_is_refused(name, place, value):
    model = HistGradientBoostingRegressor(max_iter=3).fit(X, Y)
    _broken(model, name, place, value)
    with pytest.raises(ValueError, match="Cannot save"):
        model.save(io.BytesIO())


def test_routes_that_lead_back_are_refused():
    rows = np.repeat(np.arange(6.0), 40)[:, None]
    model = HistGradientBoostingRegressor(max_iter=2, categorical_features=[0]).fit(rows, np.sin(rows[:, 0]))
    assert len(model._trees.routes)
    _broken(model, "routes", 0, 0)
    with pytest.raises(ValueError, match="Cannot save"):
        model.save(io.BytesIO())


def test_a_model_with_validation_rows_of_its_own_is_verified_on_all_training_rows():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((300, 3))
    y = X[:, 0] + rng.standard_normal(300)
    model = HistGradientBoostingRegressor(max_iter=20, early_stopping=True, random_state=0)
    model.fit(X[:200], y[:200], X_val=X[200:], y_val=y[200:])
    assert separatrix.verify(model, X[:200], y[:200]).converged
    assert not separatrix.verify(model, X[:180], y[:180]).converged


def test_missing_numbers_that_training_had_not_go_with_the_heavier_child():
    """The child of one row and weight 5, not that of two rows and weight 2: as for repeated rows."""
    settings = {"max_iter": 1, "min_samples_leaf": 1, "learning_rate": 1.0}
    rows, y, s = np.array([[0.0], [1.0], [2.0]]), np.array([0, 1, 1]), np.array([5, 1, 1])
    for cls in (HistGradientBoostingClassifier, HistGradientBoostingRegressor):
        weighted = cls(**settings).fit(rows, y, sample_weight=s.astype(float))
        repeated = cls(**settings).fit(np.repeat(rows, s, axis=0), np.repeat(y, s))
        assert weighted.predict([[np.nan]]) == pytest.approx(weighted.predict([[0.0]]))
        assert weighted.predict([[np.nan]]) == pytest.approx(repeated.predict([[np.nan]]))


@pytest.mark.parametrize("way", ["array", "objects", "frame", "new"])
def test_whole_numbers_that_floats_would_merge_are_refused_as_categories(way):
    codes = np.array([2**53, 2**53 + 1] * 20)
    if way == "new":
        model = HistGradientBoostingClassifier(categorical_features=[0], min_samples_leaf=2)
        model.fit(codes[:, None] % 7, codes % 2)
        with pytest.raises(ValueError, match="2\\^53"):
            model.predict(codes[:, None])
        return
    table = {
        "array": codes[:, None],
        "objects": codes[:, None].astype(object),
        "frame": pd.DataFrame({"a": codes}),
    }[way]
    for model in (
        HistGradientBoostingClassifier(categorical_features=[0]),
        DecisionTreeClassifier(categorical_features=[0]),
    ):
        with pytest.raises(ValueError, match="2\\^53"):
            model.fit(table, codes % 2)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("classes", [0, 2, 3])
def test_given_validation_rows_weights_and_classes_are_verified_and_changed_numbers_are_not(classes, weighted):
    rng = np.random.default_rng(1)
    X = rng.standard_normal((300, 3))
    y = X[:, 0] + rng.standard_normal(300)
    settings = {"max_iter": 15, "early_stopping": True, "random_state": 0}
    model = HistGradientBoostingRegressor(**settings)
    if classes:
        y = np.array(["a", "b", "c"])[np.digitize(y, np.quantile(y, np.arange(1, classes) / classes))]
        model = HistGradientBoostingClassifier(class_weight="balanced", **settings)
    s = rng.integers(0, 3, 200).astype(float) if weighted else None
    model.fit(X[:200], y[:200], s, X_val=X[200:], y_val=y[200:])
    assert separatrix.verify(model, X[:200], y[:200], s).converged
    model._baseline = model._baseline + 0.01
    assert not separatrix.verify(model, X[:200], y[:200], s).converged


@pytest.mark.parametrize("make", [HistGradientBoostingRegressor, GradientBoostingRegressor])
@pytest.mark.parametrize("later", ["same", "fewer", "held out"])
def test_a_fit_that_goes_on_is_verified_on_its_own_rows(make, later):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((300, 3))
    y = X[:, 0] + rng.standard_normal(300)
    rounds = "max_iter" if make is HistGradientBoostingRegressor else "n_estimators"
    stop = {"early_stopping": True} if make is HistGradientBoostingRegressor else {"n_iter_no_change": 20}
    model = make(warm_start=True, random_state=0, **{rounds: 5}).fit(X, y)
    rows = slice(0, 100) if later == "fewer" else slice(None)
    model.set_params(**{rounds: 9}, **(stop if later == "held out" else {})).fit(X[rows], y[rows])
    certificate = separatrix.verify(model, X[rows], y[rows])
    assert certificate.converged
    assert ("an earlier fit found on other rows" in certificate.message) == (later != "same")
    model.training_loss_ = model.training_loss_ * 1.01
    assert not separatrix.verify(model, X[rows], y[rows]).converged
