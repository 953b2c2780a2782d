"""A rule list is read by its rules: the one that decides a row, and all of them in their order."""

import numpy as np
from sklearn.datasets import load_iris
from sklearn.preprocessing import StandardScaler

from separatrix.estimators.preparation.compose import category_places, pipeline
from separatrix.inference.describe import describe
from separatrix.inference.explain import explain
from separatrix.pipeline import make_pipeline
from separatrix.tables import Table, target_values, understand
from separatrix.tree import DecisionTreeClassifier, RuleListClassifier, rules


def holds(rule, row):
    """Whether a rule on numbers holds for a row, counted without the table of cells."""
    return all(any(low < row[c.column] <= high for low, high in c.intervals) for c in rule.conditions)


def test_the_rule_that_decides_a_row_is_the_first_that_holds():
    X, y = load_iris(return_X_y=True)
    model = RuleListClassifier().fit(X, y)
    listed = rules.extract(model)
    for row in X[::7]:
        first = next(r for r, rule in enumerate(listed) if holds(rule, row))
        told = explain(model, row, reference=X)
        assert (told.rule.number, told.rule.count) == (first + 1, len(listed))
        assert (told.rule.prediction, told.rule.support) == (listed[first].prediction, listed[first].support)
        assert told.rule.confidence == listed[first].confidence
        assert told.prediction == model.predict(row[None])[0]
        assert f"rule {first + 1}: if " in told.notes[0] or "the default decides it" in told.notes[0]


def cars(n=120):
    rng = np.random.default_rng(3)
    country = np.array(["Japan", "Korea", "USA", "France"], dtype=object)[rng.integers(0, 4, n)]
    price = rng.integers(50, 300, n) * 100.0
    good = (country == "Japan") | ((country == "Korea") & (price > 15000.0))
    columns = {"country": country, "price": price, "good": np.where(good, "yes", "no").astype(object)}
    return Table(tuple(columns), tuple(columns.values()), "cars.csv")


def prepared_list(table):
    told = understand(table, "good")
    y, _ = target_values(table, told)
    places = category_places([column.kind for column in told.used])
    model = RuleListClassifier(DecisionTreeClassifier(categorical_features=places))
    return pipeline(told, "trees", model).fit(table, y)


def test_categories_of_a_prepared_table_are_called_by_their_names():
    table = cars()
    model = prepared_list(table)
    told = explain(model, table.take([int(np.flatnonzero(table["country"] == "Japan")[0])]))
    assert "country is Japan" in told.notes[0]
    assert told.prediction == "yes"


def test_thresholds_of_scaled_columns_are_in_the_units_of_the_table():
    X = np.array([[10.0], [20.0], [30.0], [40.0]])
    model = make_pipeline(StandardScaler(), RuleListClassifier(estimate=None)).fit(X, ["a", "a", "b", "b"])
    assert "if x0 <= 25 " in explain(model, X[0]).notes[0]


def test_a_description_lists_the_rules_in_their_order():
    table = cars()
    model = prepared_list(table)
    listed = rules.extract(model[-1])
    description = describe(model, [str(name) for name in model[:-1].get_feature_names_out()])
    (shown,) = description.tables
    assert [row[0] for row in shown.rows] == list(range(1, len(listed) + 1))
    assert [row[2:] for row in shown.rows] == [(r.prediction, r.support, r.confidence) for r in listed]
    assert shown.rows[-1][1] == "otherwise"
    assert any("country is Japan" in row[1] for row in shown.rows)
    assert "RuleTable" not in str(description.as_dict())


def test_the_size_of_a_rule_list_grows_with_its_rules():
    X, y = load_iris(return_X_y=True)
    few, many = (RuleListClassifier(DecisionTreeClassifier(max_leaf_nodes=n), estimate=None).fit(X, y) for n in (2, 8))
    assert few.n_parameters_ == 2 * 2 + 3 * 3
    assert many.n_parameters_ > few.n_parameters_
