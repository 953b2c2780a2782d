"""Contributions add up, distances and feet lie where geometry says, and what is said to change a decision does."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from separatrix.calibration import CalibratedLinearClassifier
from separatrix.estimators.preparation.compose import pipeline
from separatrix.inference.explain import explain
from separatrix.inference.original_columns import OriginalColumns, Reference
from separatrix.linear_model import LeastSquaresClassifier, LinearRegression, LogisticRegression, Perceptron
from separatrix.neighbors import KNeighborsClassifier
from separatrix.tables import Table, target_values, understand

RNG = np.random.default_rng(7)


def mixed(n=160):
    """A table of every kind of column, some cells missing, with classes and a number to predict."""
    rng = np.random.default_rng(3)
    age, pay = rng.integers(18, 80, n).astype(float), rng.lognormal(3.0, 1.0, n)
    colour = np.array(["red", "green", "blue"], dtype=object)[rng.integers(0, 3, n)]
    day = np.datetime64("2020-01-01") + rng.integers(0, 700, n)
    eta = 0.06 * (age - 50) + 1.5 * (colour == "red") - 0.02 * pay + 0.3 * rng.standard_normal(n)
    pay[::17], colour[::23] = np.nan, None
    columns = {
        "age": age,
        "age group": np.where(age > 40, "old", "young").astype(object),
        "pay": pay,
        "colour": colour,
        "day": np.array([str(d) for d in day], dtype=object),
        "bought": np.where(eta > np.median(eta), "yes", "no").astype(object),
        "spent": eta,
    }
    return Table(tuple(columns), tuple(columns.values()), "mixed.csv")


def fitted(model, target="bought", exclude=("spent",)):
    table = mixed()
    told = understand(table, target, exclude=exclude)
    y, _ = target_values(table, told)
    return pipeline(told, "standard", model).fit(table, y), table


@pytest.fixture(scope="module")
def logistic():
    return fitted(LogisticRegression(C=10.0))


@pytest.mark.parametrize("row", [0, 1, 17, 23, 100])
def test_contributions_add_up_to_the_score_less_the_mean_score(logistic, row):
    model, table = logistic
    found = explain(model, table.take([row]), reference=table)
    scores = model.decision_function(table)
    assert_allclose(found.score, scores[row], rtol=1e-12, atol=1e-12)
    assert_allclose(found.mean_score, scores.mean(), rtol=1e-12, atol=1e-12)
    total = sum(each.contribution for each in found.contributions)
    assert_allclose(total, found.score - found.mean_score, rtol=1e-12, atol=1e-13)
    assert [each.column for each in found.contributions if each.column == "colour"] == ["colour"]
    assert len(found.contributions) == 5


def test_a_category_contributes_the_sum_of_its_columns(logistic):
    model, table = logistic
    Z, names = model[:-1].transform(table), model[:-1].get_feature_names_out().tolist()
    mine = [j for j, name in enumerate(names) if name.startswith("colour")]
    by_hand = (Z[5, mine] - Z[:, mine].mean(axis=0)) @ model[-1].coef_[0, mine]
    found = {c.column: c.contribution for c in explain(model, table.take([5]), reference=table).contributions}
    assert_allclose(found["colour"], by_hand, rtol=1e-12)
    group = [j for j, name in enumerate(names) if name.startswith("age group")]
    by_hand = (Z[5, group] - Z[:, group].mean(axis=0)) @ model[-1].coef_[0, group]
    assert_allclose(found["age group"], by_hand, rtol=1e-12)


@pytest.mark.parametrize("row", [2, 3, 40, 77])
def test_each_change_of_a_single_column_changes_the_decision_and_none_much_smaller_does(logistic, row):
    model, table = logistic
    seen = OriginalColumns(model)
    one = seen.rows(table.take([row]))
    found = explain(model, table.take([row]), reference=table)
    assert found.flips
    for flip in found.flips:
        if flip.column == "day":
            continue
        changed = model.predict(seen.varied(one, flip.column, [flip.to]))[0]
        assert changed == flip.prediction != found.prediction
        if flip.column == "pay":  # not of whole numbers: the boundary itself
            nearer = flip.value + (flip.to - flip.value) * (1 - 1e-6)
            assert model.predict(seen.varied(one, "pay", [nearer]))[0] == found.prediction
        if flip.column == "age":
            assert flip.to == round(flip.to)
            nearer = flip.to - np.sign(flip.to - flip.value)
            assert model.predict(seen.varied(one, "age", [nearer]))[0] == found.prediction


def test_the_nearest_point_of_the_boundary_has_score_zero_and_is_the_foot():
    X, y = load_breast_cancer(return_X_y=True)
    model = make_pipeline(StandardScaler(), LogisticRegression()).fit(X, y)
    found = explain(model, X[3], reference=X)
    point = np.array([[found.boundary[f"x{j}"] for j in range(X.shape[1])]])
    assert_allclose(model.decision_function(point), 0.0, atol=1e-9)
    scale = model[0].transform
    assert_allclose(np.linalg.norm(scale(point) - scale(X[[3]])), abs(found.distance), rtol=1e-9)
    assert_allclose(found.distance, model[-1].signed_distance(scale(X[[3]]))[0], rtol=1e-12)
    assert_allclose(scale(point), model[-1].project(scale(X[[3]])), rtol=1e-7, atol=1e-9)


def test_of_several_classes_the_first_is_held_against_the_second():
    X, y = load_iris(return_X_y=True)
    model = LogisticRegression().fit(X, y)
    found = explain(model, X[70], reference=X)
    scores = model.decision_function(X)
    second, first = np.argsort(scores[70])[-2:]
    assert (found.towards, found.against) == (first, second)
    assert_allclose(found.score, scores[70, first] - scores[70, second], rtol=1e-12)
    assert_allclose(found.mean_score, (scores[:, first] - scores[:, second]).mean(), rtol=1e-12)
    assert_allclose(found.distance, model.signed_distance(X[[70]]).max(), rtol=1e-12)
    flip = found.flips[0]
    assert min(f.size for f in found.flips) == flip.size
    changed = X[[70]].copy()
    changed[0, int(flip.column[1:])] = flip.to
    assert model.predict(changed)[0] == flip.prediction != y[70] or flip.prediction != found.prediction


def test_a_number_has_contributions_and_no_boundary():
    model, table = fitted(LinearRegression(), "spent", ("bought",))
    found = explain(model, table.take([9]), reference=table)
    predicted = model.predict(table)
    assert_allclose(found.prediction, predicted[9])
    assert_allclose(found.mean_score, predicted.mean(), rtol=1e-12, atol=1e-13)
    assert_allclose(sum(c.contribution for c in found.contributions), predicted[9] - predicted.mean(), rtol=1e-11)
    assert (found.distance, found.boundary, found.flips) == (None, None, ())


def test_a_calibrated_model_of_two_classes_is_linear_in_its_log_odds():
    model, table = fitted(CalibratedLinearClassifier(LeastSquaresClassifier()))
    found = explain(model, table.take([4]), reference=table)
    odds = model.decision_function(table)
    assert_allclose([found.score, found.mean_score], [odds[4], odds.mean()], rtol=1e-10)
    chance = found.probabilities["yes"]
    assert_allclose(np.log(chance / (1 - chance)), found.score, rtol=1e-9)


def test_a_model_that_is_not_linear_says_so_and_searches_within_the_training_range():
    model, table = fitted(KNeighborsClassifier(15))
    changed = 0
    for row in range(0, 60, 6):
        found = explain(model, table.take([row]), reference=table)
        assert found.contributions == () and found.distance is None
        assert "not a weighted sum" in found.notes[0]
        seen = OriginalColumns(model)
        one = seen.rows(table.take([row]))
        for flip in found.flips:
            assert not flip.outside
            if flip.column != "day":
                assert model.predict(seen.varied(one, flip.column, [flip.to]))[0] == flip.prediction
            changed += 1
    assert changed > 0


def test_a_reference_survives_json_to_the_last_bit(logistic):
    import json

    model, table = logistic
    kept = json.loads(json.dumps(Reference.of(model, table).as_dict(), allow_nan=False))
    again = Reference(kept["columns"], kept["mean_parts"])
    one = table.take([2])
    assert explain(model, one, reference=again) == explain(model, one, reference=table)


def test_without_the_training_rows_zero_is_the_reference_and_a_note_says_so():
    X = RNG.standard_normal((50, 3))
    model = Perceptron().fit(X, X[:, 0] > 0)
    found = explain(model, X[1])
    assert_allclose(sum(c.contribution for c in found.contributions), found.score - model.intercept_[0], rtol=1e-12)
    assert "row of zeros" in found.notes[0]


def test_a_missing_value_is_explained_too(logistic):
    model, table = logistic
    found = explain(model, table.take([17]), reference=table)
    (pay,) = [each for each in found.contributions if each.column == "pay"]
    assert pay.value is None


def test_several_rows_or_wrong_columns_are_refused(logistic):
    model, table = logistic
    with pytest.raises(ValueError, match="2 rows at once"):
        explain(model, table.take([0, 1]))
    with pytest.raises(ValueError, match="pay"):
        explain(model, table.take([0]).without("pay"))
    with pytest.raises(ValueError, match="3 columns"):
        explain(LinearRegression().fit(RNG.standard_normal((9, 3)), np.arange(9.0)), [1.0, 2.0])
