"""The way of a row through a tree is the tree's own, and contributions along it add up to the prediction."""

from itertools import pairwise

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn import tree as theirs
from sklearn.base import clone
from sklearn.datasets import load_diabetes, load_iris
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from separatrix.cli.explain import _show
from separatrix.cli.output import console
from separatrix.core.declaration import declaration
from separatrix.core.tree_sum import path_sums
from separatrix.ensemble import (
    AdaBoostClassifier,
    AdaBoostRegressor,
    BaggingClassifier,
    BaggingRegressor,
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
)
from separatrix.estimators.preparation.compose import category_places, pipeline
from separatrix.inference.describe import describe
from separatrix.inference.explain import NOT_LINEAR, explain
from separatrix.inference.tree_path import NOT_MET
from separatrix.tables import Table, target_values, understand
from separatrix.tree import DecisionTreeClassifier, DecisionTreeRegressor, ModelTreeClassifier, ModelTreeRegressor
from separatrix.workflow.explain import ExplainedRow


def people(n=200):
    """Numbers, categories and dates with missing cells; two classes, three classes and a positive number."""
    rng = np.random.default_rng(5)
    age, pay = rng.integers(18, 80, n).astype(float), rng.lognormal(3.0, 1.0, n)
    colour = np.array(["red", "green", "blue"], dtype=object)[rng.integers(0, 3, n)]
    day = np.array([str(np.datetime64("2020-01-01") + int(d)) for d in rng.integers(0, 700, n)], dtype=object)
    eta = 0.06 * (age - 50) + 1.5 * (colour == "red") + 0.2 * rng.standard_normal(n)
    pay[::17], colour[::23] = np.nan, None
    level = np.array(["low", "middle", "high"], dtype=object)[np.digitize(eta, np.quantile(eta, [0.3, 0.6]))]
    bought = np.where(eta > 0.3, "yes", "no").astype(object)
    columns = {"age": age, "pay": pay, "colour": colour, "day": day}
    columns |= {"bought": bought, "level": level, "spent": np.exp(0.3 * eta)}
    return Table(tuple(columns), tuple(columns.values()), "people.csv")


TARGETS = ("bought", "level", "spent")


def fitted(model, target):
    table = people()
    told = understand(table, target, exclude=[name for name in TARGETS if name != target])
    y, _ = target_values(table, told)
    kind = "trees" if "categorical_features" in model.get_params() else "standard"
    if kind == "trees":
        model.set_params(categorical_features=category_places([column.kind for column in told.used]))
    return pipeline(told, kind, model).fit(table, y), table


def raw_sum(model, table):
    """Raw predictions (n, k) by the model's own methods."""
    Z, last = model[:-1].transform(table), model[-1]
    if isinstance(last, DecisionTreeClassifier | BaggingClassifier):
        return last.predict_proba(Z)
    if isinstance(last, DecisionTreeRegressor | BaggingRegressor | GradientBoostingRegressor):
        return last.predict(Z)[:, None]
    if isinstance(last, HistGradientBoostingRegressor):
        values = last.predict(Z)
        return (np.log(values) if last.link_ == "log" else values)[:, None]
    return last.decision_function(Z).reshape(len(Z), -1)


CASES = [
    (DecisionTreeClassifier(min_samples_leaf=3), "level"),
    (DecisionTreeClassifier(split="multiway", n_bins=3), "bought"),
    (DecisionTreeRegressor(max_depth=6), "spent"),
    (HistGradientBoostingClassifier(max_iter=30), "bought"),
    (HistGradientBoostingClassifier(max_iter=10), "level"),
    (HistGradientBoostingRegressor(max_iter=30, loss="absolute_error"), "spent"),
    (HistGradientBoostingRegressor(max_iter=20, loss="poisson"), "spent"),
    (AdaBoostClassifier(n_estimators=40), "bought"),
    (AdaBoostClassifier(n_estimators=20), "level"),
    (GradientBoostingClassifier(n_estimators=10), "level"),
    (GradientBoostingClassifier(n_estimators=10, loss="exponential"), "bought"),
    (GradientBoostingRegressor(n_estimators=10, loss="huber", subsample=0.5, random_state=0), "spent"),
    (BaggingClassifier(n_estimators=4, max_samples=8, random_state=0), "level"),
    (BaggingRegressor(n_estimators=4, max_features=0.5, random_state=0), "spent"),
]


@pytest.mark.parametrize(
    ("model", "target"), CASES, ids=[f"{type(m).__name__}-{t}-{k}" for k, (m, t) in enumerate(CASES)]
)
def test_base_and_contributions_along_the_ways_add_up_to_the_raw_prediction(model, target):
    model, table = fitted(model, target)
    raw = raw_sum(model, table)
    trees = declaration(model[-1]).tree_sum(model[-1], model[:-1].transform(table))
    size = np.abs(raw).max() * len(trees.trees)
    for i in range(0, len(table), 7):
        base, parts = path_sums(trees, i)
        assert_allclose(base + parts.sum(axis=0), raw[i], rtol=0.0, atol=8 * np.finfo(float).eps * size)
    row = table.take([34])
    told = explain(model, row, reference=table)
    total = sum(each.contribution for each in told.contributions) + told.mean_score
    assert_allclose(total, told.score, rtol=1e-12, atol=1e-14)
    assert sorted(each.column for each in told.contributions) == ["age", "colour", "day", "pay"]


@pytest.mark.parametrize(("loss", "target"), [("squared_error", "spent"), ("absolute_error", "spent")])
def test_the_base_of_a_boosted_model_is_the_mean_prediction_of_its_training_rows(loss, target):
    model, table = fitted(HistGradientBoostingRegressor(loss=loss, max_iter=25), target)
    told = explain(model, table.take([3]), reference=table)
    assert_allclose(told.mean_score, model.predict(table).mean(), rtol=1e-12)
    assert told.scale == "prediction" and told.score == pytest.approx(model.predict(table.take([3]))[0], rel=1e-14)


def test_the_base_of_exact_boosting_is_the_weighted_mean_of_the_training_rows():
    X, y = load_diabetes(return_X_y=True)
    s = np.arange(len(y)) % 4.0
    model = GradientBoostingRegressor(n_estimators=5).fit(X, y, sample_weight=s)
    assert_allclose(explain(model, X[3]).mean_score, np.average(model.predict(X), weights=s), rtol=1e-12)


def test_trees_whose_values_are_no_sum_are_explained_in_words():
    X, y = load_diabetes(return_X_y=True)
    started = GradientBoostingRegressor(n_estimators=2, init=DecisionTreeRegressor(max_depth=1)).fit(X, y)
    bagged = BaggingRegressor(DecisionTreeRegressor(split="multiway", n_bins=3, max_depth=2), n_estimators=2).fit(X, y)
    for model in (started, bagged):
        told = explain(model, X[0])
        assert told.score is None and told.notes == (NOT_LINEAR,)
    told = explain(AdaBoostRegressor(n_estimators=3, random_state=0).fit(X, y), X[0])
    assert told.score is None and len(told.notes) == 1 and "weighted median" in told.notes[0]


def test_one_round_of_boosting_is_explained():
    """The rows of the nodes of a histogram tree are counted; those of a stump of AdaBoost are not kept."""
    X = np.arange(40.0)[:, None]
    model = HistGradientBoostingRegressor(max_iter=1, min_samples_leaf=10, max_leaf_nodes=2).fit(
        X, np.repeat([0.0, 10.0], [25, 15])
    )
    (step,) = explain(model, X[0]).path
    assert (step.question, step.answer, step.rows) == ("x0 <= 24.5", "yes", 25)
    model = AdaBoostClassifier().fit(X, np.repeat([0, 1], [25, 15]))
    told = explain(model, X[0])
    assert len(model.thresholds_) == 1 and told.path == ()
    assert told.score == told.mean_score + told.contributions[0].contribution == model.decision_function(X[:1])[0]


def test_contributions_are_those_computed_from_the_nodes_of_scikit_learns_tree():
    X, y = load_diabetes(return_X_y=True)
    ours = DecisionTreeRegressor(max_depth=5).fit(X, y)
    other = theirs.DecisionTreeRegressor(max_depth=5, random_state=0).fit(X, y)
    for i in (0, 17, 200, 441):
        way = other.decision_path(X[[i]]).indices
        by_hand = np.zeros(X.shape[1])
        for a, b in pairwise(way):
            by_hand[other.tree_.feature[a]] += other.tree_.value[b, 0, 0] - other.tree_.value[a, 0, 0]
        told = explain(ours, X[i])
        mine = {each.column: each.contribution for each in told.contributions}
        assert_allclose([mine[f"x{j}"] for j in range(10)], by_hand, atol=1e-10)
        assert_allclose(told.mean_score, y.mean(), rtol=1e-14)
        assert [step.rows for step in told.path] == other.tree_.n_node_samples[way[1:]].tolist()


def test_each_step_says_question_value_answer_and_the_share_that_is_left():
    """Worked by hand: 8 rows; the income question parts 5 no from 1 no and 2 yes, the colour parts those."""
    rows = [(10.0, "red", "no")] * 3 + [(20.0, "blue", "no")] * 2
    rows += [(90.0, "red", "no"), (90.0, "blue", "yes"), (95.0, "blue", "yes")]
    table = Table.of({name: [row[k] for row in rows] for k, name in enumerate(("income", "colour", "cheats"))})
    told = understand(table, "cheats")
    tree = DecisionTreeClassifier(categorical_features=[0])
    model = pipeline(told, "trees", tree).fit(table, [row[2] for row in rows])
    why = explain(model, table.take([6]), reference=table)
    first, second = why.path
    assert (first.question, first.value, first.answer, first.rows) == ("income <= 55", 90.0, "no", 3)
    assert (first.before, first.after) == (0.25, 2 / 3)
    assert (second.question, second.value, second.answer, second.rows) == ("colour is red", "blue", "no", 2)
    assert (second.before, second.after) == (2 / 3, 1.0)
    adds = {each.column: each.contribution for each in why.contributions}
    assert_allclose([adds["income"], adds["colour"]], [2 / 3 - 1 / 4, 1 / 3])
    assert (why.towards, why.against, why.scale) == ("yes", None, "probability")
    assert (why.mean_score, why.score) == (0.25, 1.0)


def test_a_missing_cell_and_a_category_never_met_are_said_to_be_so():
    colour = np.array(["red", "green", "blue"], dtype=object)[np.arange(60) % 3]
    table = Table(("colour", "y"), (colour, np.where(colour == "red", "yes", "no").astype(object)))
    tree = DecisionTreeClassifier(split="multiway", categorical_features=[0])
    model = pipeline(understand(table, "y"), "trees", tree).fit(table, table["y"])
    why = explain(model, Table(("colour",), (np.array(["ultraviolet"], dtype=object),)), reference=table)
    (step,) = why.path
    assert (step.value, step.answer, step.rows, step.before) == ("ultraviolet", NOT_MET, 60, step.after)
    assert why.score == why.mean_score and not any(each.contribution for each in why.contributions)
    colour[::7] = None
    table = Table(table.names, (colour, table["y"]))
    model = clone(model).set_params(model__split="binary").fit(table, table["y"])
    step, *_ = explain(model, Table(("colour",), (np.array([None], dtype=object),)), reference=table).path
    assert step.value is None and step.answer in ("missing, goes with yes", "missing, goes with no")


def test_a_row_of_a_bare_tree_stops_at_a_category_without_a_way():
    X = np.array([["a", "x"], ["b", "x"], ["a", "y"], ["b", "y"]] * 3, dtype=object)
    tree = DecisionTreeClassifier(split="multiway").fit(X, np.where(X[:, 0] == "a", 1, 0))
    trees = declaration(tree).tree_sum(tree, np.array([["new", "x"]], dtype=object))
    base, parts = path_sums(trees)
    assert_allclose(base, [0.5, 0.5])
    assert not parts.any()


def test_what_is_printed_is_plain_whatever_columns_and_categories_are_called(capsys):
    hostile = "\x1b[31mred\x1b[0m"
    rng = np.random.default_rng(0)
    colour = np.array([hostile, "[bold]b[/bold]", "c"], dtype=object)[np.arange(90) % 3]
    y = np.where((np.arange(90) % 3 == 0) ^ (rng.random(90) < 0.1), "ye\x1b]0;s", "no").astype(object)
    table = Table(("co\x07lour", "x", "y"), (colour, rng.random(90), y), "t")
    told = understand(table, "y")
    tree = DecisionTreeClassifier(categorical_features=[0], max_depth=2)
    model = pipeline(told, "trees", tree).fit(table, target_values(table, told)[0])
    why = explain(model, table.take([0]), reference=table)
    _show(console(), ExplainedRow("m", "t", 1, "y", why), 12)
    printed = capsys.readouterr().out
    assert "\x1b" not in printed and "\x07" not in printed
    assert "\\x1b[31mred" in printed and "The way through the tree" in printed


def test_three_classes_of_boosting_are_told_by_the_difference_of_two_scores():
    X, y = load_iris(return_X_y=True)
    model = HistGradientBoostingClassifier(max_iter=15).fit(X, y)
    told = explain(model, X[75])
    scores = model.decision_function(X[[75]])[0]
    first, second = np.argsort(-scores)[:2]
    assert (told.towards, told.against) == (first, second)
    assert_allclose(told.score, scores[first] - scores[second], rtol=1e-12)


@pytest.mark.parametrize("classes", [0, 2, 3])
def test_parts_of_a_model_tree_add_up_to_its_score(classes):
    rng = np.random.default_rng(0)
    X = rng.uniform(-1.0, 1.0, (400, 3))
    score = np.where(X[:, 0] < 0.3, 4.0 * X[:, 1], -4.0 * X[:, 1] + 1.0)
    y = np.digitize(score + rng.logistic(size=400), np.arange(classes - 1.0)) if classes else score
    model = (ModelTreeClassifier() if classes else ModelTreeRegressor(1e-6)).fit(X, y)
    row = np.array([0.8, 0.5, np.nan])
    told = explain(model, row, reference=X)
    expected = model.decision_function(row[None])[0] if classes else model.predict(row[None])[0]
    if classes == 3:
        first, second = np.sort(expected)[:-3:-1]
        expected = first - second
    assert np.isclose(told.score, expected, rtol=1e-12)
    parts = sum(each.contribution for each in told.contributions)
    assert np.isclose(told.mean_score + parts, told.score, rtol=1e-12)
    assert [step.question for step in told.path] == [f"x0 <= {model.nodes_.threshold[0]:.6g}"]
    if not classes:
        leaf = model.apply(row[None])[0]
        assert np.isclose(told.path[-1].after, model.nodes_.value[leaf, 0], rtol=1e-12)  # the mean of y there
        assert np.isclose(told.mean_score, y.mean(), rtol=1e-12)


def staff(n=300):
    """A slope of the years that turns where the salary reaches 100,000, and a raise on the first of January 2012."""
    rng = np.random.default_rng(0)
    salary, years = rng.uniform(2e4, 2e5, n).round(), rng.integers(0, 40, n).astype(float)
    day = np.datetime64("2000-01-01") + rng.integers(0, 9000, n)
    table = Table(
        ("salary", "years", "start"), (salary, years, np.array([str(each) for each in day], dtype=object)), "staff.csv"
    )
    return table, np.where(salary < 1e5, years, 80.0 - 2.0 * years), np.where(day < np.datetime64("2012-01-01"), 0, 50)


def test_the_way_through_a_model_tree_is_told_in_the_units_of_the_table():
    table, y, raised = staff()
    for target, column in ((y, "salary"), (raised + 0.1 * np.arange(300) % 7, "start")):
        told = understand(Table((*table.names, "y"), (*table.columns, target)), "y")
        model = pipeline(told, "standard", ModelTreeRegressor(1e-3, max_depth=1, pruning=None)).fit(table, target)
        (step,) = explain(model, table.take([1]), reference=table).path
        name, threshold = step.question.split(" <= ")
        if column == "salary":
            known = table["salary"]
            assert name == "salary" and known[known < 1e5].max() <= float(threshold) < known[known >= 1e5].min()
        else:
            assert name == "start" and "2011-12-01" < threshold < "2012-02-01"


def test_the_leaves_of_a_model_tree_are_described_in_the_units_of_the_table():
    table, y, _ = staff()
    told = understand(Table((*table.names, "y"), (*table.columns, y)), "y")
    model = pipeline(told, "standard", ModelTreeRegressor(1e-6, max_depth=1)).fit(table, y)
    names = model[:-1].get_feature_names_out()
    coefficients = {row[0]: row[1:] for row in describe(model, names).tables[1].rows}
    assert_allclose(coefficients["years"], [1.0, -2.0], atol=1e-6)
    assert_allclose(coefficients["(intercept)"], [0.0, 80.0], atol=1e-5)
    assert list(coefficients)[1] == "years"


def test_thresholds_behind_a_scaler_of_scikit_learn_are_told_in_the_units_of_the_table():
    X = np.repeat([100.0, 300.0], 10)[:, None]
    model = make_pipeline(StandardScaler(), DecisionTreeRegressor()).fit(X, X[:, 0])
    (step,) = explain(model, X[0]).path
    assert (step.question, step.value) == ("x0 <= 200", 100.0)


def test_the_size_of_a_change_says_its_unit():
    """The 40 numbers 0, 1, ..., 39 have the variance (40^2 - 1)/12, and the class changes at 20."""
    table = Table.of({"x": np.arange(40.0), "y": np.repeat(["low", "high"], 20).tolist()})
    model = pipeline(understand(table, "y"), "trees", DecisionTreeClassifier()).fit(table, table["y"])
    (flip,) = explain(model, table.take([5]), reference=table).flips
    assert (flip.to, flip.unit) == (20.0, "standard deviations")
    assert_allclose(flip.size, 15.0 / np.sqrt(1599.0 / 12.0), rtol=1e-12)


def test_a_tree_of_medians_is_explained_by_medians():
    """The numbers 0, 1, 2, 3, 100 have the median 2 and the mean 21.2."""
    X, y = np.arange(5.0)[:, None], np.array([0.0, 1.0, 2.0, 3.0, 100.0])
    told = explain(DecisionTreeRegressor(criterion="absolute_error", max_depth=1).fit(X, y), X[4])
    assert told.mean_score == 2.0 and told.reference == "the median of the training rows"
    assert "changes the median of the training rows" in " ".join(told.notes)
    assert told.path[0].before == 2.0
    committee = BaggingRegressor(DecisionTreeRegressor(criterion="absolute_error"), 3, random_state=0).fit(X, y)
    told = explain(committee, X[4])
    assert "median" in told.reference and "medians at its questions" in " ".join(told.notes)
    assert explain(DecisionTreeRegressor(max_depth=1).fit(X, y), X[4]).reference == "the mean of the training rows"
