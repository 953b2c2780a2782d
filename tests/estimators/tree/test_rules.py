"""Rules of trees and rule lists: the predictions of the tree, pruning, intervals, text and pictures, files."""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.stats import beta, binom
from sklearn.datasets import load_breast_cancer, load_iris, load_wine

from separatrix import load, save, verify
from separatrix.estimators.tree import rules as rules_module
from separatrix.estimators.tree.rule_pruning import pessimistic_accuracy
from separatrix.solvers.trees.grow import TreeTarget
from separatrix.tree import DecisionTreeClassifier, DecisionTreeRegressor, RuleListClassifier, rules

sys.path.insert(0, str(Path(__file__).parent))
from rule_examples import numbers, words


@pytest.mark.mission("TR-14")
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("settings", [{}, {"split": "multiway", "n_bins": 4}, {"max_depth": 3}], ids=str)
def test_unpruned_rules_reproduce_the_tree(seed, settings):
    X, y = numbers(seed)
    tree = DecisionTreeClassifier(**settings).fit(X, y)
    new = np.vstack([X, numbers(seed + 10)[0], X + 1e-9])
    listed = RuleListClassifier(DecisionTreeClassifier(**settings), estimate=None).fit(X, y)
    np.testing.assert_array_equal(listed.predict_proba(new), tree.predict_proba(new))
    read = rules.extract(tree)
    assert len(read) >= tree.get_n_leaves()
    np.testing.assert_array_equal([read_by_hand(read, row) for row in new], tree.predict(new))


def read_by_hand(read, row):
    """The prediction of the only rule whose conditions hold, asked one by one in Python."""
    (rule,) = [rule for rule in read if all(passes(each, row[each.column]) for each in rule.conditions)]
    return rule.prediction


def passes(condition, value):
    if value is None or value != value:
        return condition.missing
    if condition.values is None:
        return any(low < value <= high for low, high in condition.intervals)
    return value in condition.values or (condition.others and value not in condition.refused)


@pytest.mark.mission("TR-14")
@pytest.mark.parametrize("split", ["binary", "multiway"])
def test_rules_of_words_missing_and_unseen_values_reproduce_the_tree(split):
    X, y = words(0)
    tree = DecisionTreeClassifier(split=split).fit(X, y)
    new = np.array([[a, 0.3, c] for a in ("red", "never met", None, "") for c in ("blue", "x", None)], dtype=object)
    new = np.vstack([X, new])
    read = rules.extract(tree)
    np.testing.assert_array_equal([read_by_hand(read, row) for row in new], tree.predict(new))
    columns = [sum(each.column == j for each in rule.conditions) for rule in read for j in range(3)]
    assert max(columns) == 1  # conditions on the same column are merged


@pytest.mark.mission("TR-16")
def test_the_text_of_a_small_tree_is_readable():
    data = load_iris()
    tree = DecisionTreeClassifier(max_depth=2).fit(data.data, data.target)
    text = rules.to_text(tree, feature_names=["sl", "sw", "length", "width"], class_names=data.target_names)
    assert text.split("\n")[:3] == [
        "if length <= 2.45 then setosa  (support 50, confidence 1)",
        "if (length > 2.45 or missing) and (width <= 1.75 or missing) then versicolor  (support 54, confidence 0.907)",
        "if (length > 2.45 or missing) and width > 1.75 then virginica  (support 46, confidence 0.978)",
    ]


def test_text_and_pictures_obey_no_escape_of_names():
    X, y = words(2)
    names = ['q"uote\\', "\x1b[31mred", "line\nbreak"]
    for model in (DecisionTreeClassifier(split="multiway").fit(X, y), RuleListClassifier().fit(X, y)):
        text, dot = rules.to_text(model, feature_names=names), rules.to_dot(model, feature_names=names)
        assert "\x1b" not in text + dot
        assert_dot(dot)


def assert_dot(dot):
    """Every line is a statement of the DOT language: a node or an edge with one quoted label."""
    lines = dot.split("\n")
    assert lines[0] == "digraph {" and lines[-1] == "}"
    statement = r'  \w+( -> \w+)? \[label="([^"\\]|\\["\\])*"\];'
    assert all(re.fullmatch(statement, line) for line in lines[2:-1])
    if shutil.which("dot"):
        subprocess.run(["dot", "-Tplain"], input=dot.encode(), check=True, capture_output=True)


@pytest.mark.mission("TR-13")
@pytest.mark.parametrize("data", [load_iris, load_wine, load_breast_cancer], ids=lambda each: each.__name__)
@pytest.mark.parametrize("seed", range(3))
def test_a_pruned_list_is_at_least_as_accurate_as_the_tree_on_validation_rows(data, seed):
    X, y = data(return_X_y=True)
    random = np.random.default_rng(seed)
    y = np.where(random.random(len(y)) < 0.1, random.integers(0, y.max() + 1, len(y)), y)  # noise to overfit
    model = RuleListClassifier(estimate="validation", random_state=seed).fit(X, y)
    held = model._estimating(TreeTarget(y[:, None], y.max() + 1), np.ones(len(y)))
    s = np.ones(len(y))
    s[held] = 0.0
    tree = DecisionTreeClassifier().fit(X, y, sample_weight=s)
    assert model.score(X[held], y[held]) >= tree.score(X[held], y[held])
    if model.is_pruned_:
        assert len(rules.extract(model)) < tree.get_n_leaves()
    assert np.all(np.diff(model.rules_.estimate[:-1]) <= 0.0)


@pytest.mark.mission("TR-13")
def test_pessimistic_pruning_shortens_and_orders_the_rules_of_an_overgrown_tree():
    X, y = load_breast_cancer(return_X_y=True)
    random = np.random.default_rng(1)
    noisy = np.where(random.random(len(y)) < 0.15, 1 - y, y)
    train, test = np.arange(len(y)) % 2 == 0, np.arange(len(y)) % 2 == 1
    tree = DecisionTreeClassifier().fit(X[train], noisy[train])
    model = RuleListClassifier().fit(X[train], noisy[train])
    assert np.all(np.diff(model.rules_.estimate[:-1]) <= 0.0)
    n_conditions = sum(len(rule.conditions) for rule in rules.extract(tree))
    assert len(model.rules_.column) < 0.5 * n_conditions
    assert model.score(X[test], y[test]) > tree.score(X[test], y[test])


def test_the_pessimistic_estimate_is_the_binomial_limit():
    for right, n in ((6, 6), (15, 16), (1, 1), (40, 100)):
        upper = beta.ppf(0.75, n - right + 1, right)
        assert pessimistic_accuracy(float(right), float(n)) == pytest.approx(1 - upper)
        assert binom.cdf(n - right, n, upper) == pytest.approx(0.25)
    # Quinlan (1993): U25%(0, 6) = 0.206, U25%(0, 9) = 0.143, U25%(0, 1) = 0.750
    quinlan = {(6.0, 6.0): 0.206, (9.0, 9.0): 0.143, (1.0, 1.0): 0.750}
    for (right, n), limit in quinlan.items():
        assert 1 - float(pessimistic_accuracy(right, n)) == pytest.approx(limit, abs=6e-4)


def test_intervals_on_fresh_rows_cover_as_often_as_they_say():
    random = np.random.default_rng(0)

    def draw(n):
        X = random.random((n, 2))
        return X, (random.random(n) < np.where(X[:, 0] < 0.5, 0.15, 0.8)).astype(int)

    covered, optimistic = [], []
    for _ in range(60):
        X, y = draw(200)
        model = DecisionTreeClassifier(max_depth=4, min_samples_leaf=8).fit(X, y)
        truth = rules.assess(model, *draw(40_000))
        fresh = rules.assess(model, *draw(400))
        for was, now, true in zip(rules.extract(model), fresh, truth, strict=True):
            covered.append(now.interval[0] <= true.confidence <= now.interval[1])
            optimistic.append(was.interval[0] <= true.confidence <= was.interval[1])
    assert 0.93 < np.mean(covered) < 0.975
    assert np.mean(optimistic) < 0.92  # rows that chose the rule do not keep 95 %


def test_weights_are_repetitions():
    X, y = numbers(3, missing=0.0)
    weights = np.random.default_rng(3).integers(0, 4, len(y))
    weighted = RuleListClassifier().fit(X, y, sample_weight=weights)
    repeated = RuleListClassifier().fit(np.repeat(X, weights, axis=0), np.repeat(y, weights))
    for a, b in zip(weighted.rules_, repeated.rules_, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-12)


@pytest.mark.parametrize("estimate", ["pessimistic", "validation", None])
def test_a_saved_list_predicts_and_verifies_and_a_changed_one_does_not(tmp_path, estimate):
    X, y = words(4)
    model = RuleListClassifier(estimate=estimate, random_state=0).fit(X, y)
    save(model, tmp_path / "rules.sepx")
    again = load(tmp_path / "rules.sepx")
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))
    assert verify(again, X, y).converged
    again.rules_.weight[0] += 1.0
    assert not verify(again, X, y).converged
    again.rules_.weight[0] -= 1.0
    assert verify(again, X, y).converged
    again.rules_.estimate[0] += 0.01
    assert not verify(again, X, y).converged
    again.rules_.estimate[0] = model.rules_.estimate[0]
    again.estimator_.nodes_.value[0] *= 1.01
    assert not verify(again, X, y).converged
    again.estimator_.nodes_.value[0] = model.estimator_.nodes_.value[0]
    again.rules_.value[0] = again.rules_.value[0][::-1] + 0.1
    assert not verify(again, X, y).converged


@pytest.mark.parametrize("estimate", ["pessimistic", "validation", None])
def test_a_list_that_calls_its_classes_by_other_names_does_not_verify(estimate):
    X, y = load_iris(return_X_y=True)
    model = RuleListClassifier(estimate=estimate, random_state=0).fit(X, y)
    assert verify(model, X, y).converged
    model.classes_ = np.array([0, 1, 3])
    assert not verify(model, X, y).converged


@pytest.mark.parametrize("estimate", ["pessimistic", "validation"])
def test_the_shares_of_a_rule_that_no_row_reached_are_looked_at(estimate):
    X = np.arange(40.0)[:, None]
    y = np.where(X[:, 0] < 17.0, "a", "b")
    model = RuleListClassifier(estimate=estimate, random_state=0).fit(X, y)
    assert verify(model, X, y).converged
    assert model.rules_.weight[-1] == 0.0
    np.testing.assert_allclose(model.rules_.value[-1], [17 / 40, 23 / 40], rtol=1e-15)
    model.rules_.value[-1] = [0.999, 0.001]
    assert not verify(model, X, y).converged


def test_rules_are_plain_data():
    X, y = load_iris(return_X_y=True)
    first = rules.extract(DecisionTreeClassifier(max_depth=1).fit(X, y))[0]
    assert json.dumps([first.prediction, first.support, first.confidence, first.interval])


def test_other_models_are_refused():
    with pytest.raises(ValueError, match="Cannot make rules of"):
        RuleListClassifier(DecisionTreeRegressor()).fit([[0.0], [1.0]], [0, 1])
    with pytest.raises(ValueError, match=r"too few.*estimate='pessimistic'"):
        RuleListClassifier(estimate="validation", validation_fraction=0.01).fit([[0.0], [1.0]], [0, 1])


@pytest.mark.parametrize("estimate", ["pessimistic", "validation", None])
@pytest.mark.parametrize(
    "chosen",
    [
        {"pruning": "reduced_error"},
        {"monotonic_cst": [1, 0, 0, -1]},
        {"ccp_alpha": 0.01},
        {"class_weight": "balanced"},
        {"split": "multiway", "n_bins": 4},
    ],
    ids=str,
)
def test_lists_of_trees_that_are_pruned_constrained_weighted_or_binned_verify(estimate, chosen):
    X, _ = numbers(6, missing=0.0)
    y = (X[:, 0] > 0).astype(int) | (np.random.default_rng(0).random(len(X)) < 0.2)
    tree = DecisionTreeClassifier(random_state=0, **chosen)
    model = RuleListClassifier(tree, estimate=estimate, random_state=0).fit(X, y)
    assert model.certificate_.converged
    assert verify(model, X, y).converged
    if estimate is None:
        np.testing.assert_array_equal(model.predict(X), model.estimator_.predict(X))


def test_a_list_that_cannot_be_fitted_again_stays_as_it_was():
    X, y = numbers(6)
    model = RuleListClassifier(estimate="validation").fit(X, y).set_params(validation_fraction=1e-9)
    before = dict(vars(model))
    with pytest.raises(ValueError, match="too few"):
        model.fit(X, y)
    assert vars(model).keys() == before.keys() and all(vars(model)[name] is kept for name, kept in before.items())


def test_other_rows_are_counted_without_the_weights_of_classes():
    X, y = load_iris(return_X_y=True)
    weighted = DecisionTreeClassifier(max_depth=2, class_weight={0: 10.0, 1: 1.0, 2: 0.1}).fit(X, y)
    assert sum(rule.support for rule in rules.assess(weighted, X, y)) == 150.0
    assert sum(rule.support for rule in rules.assess(weighted, X, y, np.full(150, 2.0))) == 300.0


@pytest.mark.parametrize("n", [1e-300, 1e-3, 1e300])
@pytest.mark.parametrize("share", [0.0, 0.3, 1.0, 1.0 + 2e-16])
def test_intervals_of_extreme_weights_are_intervals(n, share):
    low, high = rules_module.wilson(share, n)
    assert 0.0 <= low <= high <= 1.0
    assert low <= share + 1e-12 and high >= min(share, 1.0) - 1e-12


def test_names_of_columns_of_an_earlier_fit_are_forgotten():
    frame = pd.DataFrame({"a": [0.0, 1.0], "b": [1.0, 1.0]})
    model = RuleListClassifier().fit(frame, [0, 1])
    assert list(model.fit(frame.to_numpy(), [0, 1]).predict(frame.to_numpy())) == [0, 1]
    assert "feature_names_in_" not in vars(model)
