"""Decision trees: hand-traced tables, rpart's pruning, files, categories, bad input."""

import io
import json
from pathlib import Path

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import load_diabetes, load_iris

from separatrix import load, verify
from separatrix.core.errors import NotCertified
from separatrix.ensemble import ExtraTreesClassifier
from separatrix.estimators.tree.held_out import divide
from separatrix.solvers.trees.grow import TreeTarget
from separatrix.tree import (
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    ModelTreeClassifier,
    RuleListClassifier,
    export_graphviz,
    export_text,
)

ORACLE = json.loads((Path(__file__).parents[2] / "oracles" / "cost_complexity.json").read_text(encoding="utf-8"))
# Quinlan (1986): outlook, temperature, humidity, wind, play
TENNIS = """sunny hot high weak no|sunny hot high strong no|overcast hot high weak yes|rainy mild high weak yes
rainy cool normal weak yes|rainy cool normal strong no|overcast cool normal strong yes|sunny mild high weak no
sunny cool normal weak yes|rainy mild normal weak yes|sunny mild normal strong yes|overcast mild high strong yes
overcast hot normal weak yes|rainy mild high strong no"""
ROWS = np.array([row.split() for row in TENNIS.replace("\n", "|").split("|")], dtype=object)


@pytest.mark.mission("TR-09")
@pytest.mark.parametrize("criterion", ["information_gain", "gain_ratio"])
def test_play_tennis_by_hand(criterion):
    """Outlook first (gain 0.247 bits); sunny by humidity, rainy by wind, overcast is pure: five leaves."""
    model = DecisionTreeClassifier(criterion=criterion, split="multiway").fit(ROWS[:, :4], ROWS[:, 4])
    nodes = model.nodes_
    assert model.get_n_leaves() == 5
    assert nodes.impurity[0] == pytest.approx(0.9402859586706311, abs=1e-12)  # 9 of 14
    children = np.flatnonzero(nodes.parent == 0)
    gain = nodes.impurity[0] - nodes.weight[children] @ nodes.impurity[children] / 14
    assert gain == pytest.approx(0.24674981977443933, abs=1e-12)
    assert sorted(nodes.column[nodes.column >= 0].tolist()) == [0, 2, 3]
    assert (model.predict(ROWS[:, :4]) == ROWS[:, 4]).all()


@pytest.mark.mission("TR-01", "TR-02")
@pytest.mark.parametrize("criterion", ["entropy", "gini"])
def test_six_rows_by_hand_and_an_empty_child_takes_the_default_of_its_parent(criterion):
    """Colour is asked first (entropy 0.918 - 0.459 bits; size 0.918 - 0.667), of the red rows size; the rest is pure.

    No red row is of medium size: such a row gets the class of most red rows, not that of most rows.
    """
    table = """red small no|red large yes|red large yes|green medium no|blue large no|blue large no"""
    rows = np.array([row.split() for row in table.split("|")], dtype=object)
    model = DecisionTreeClassifier(criterion=criterion, split="multiway").fit(rows[:, :2], rows[:, 2])
    nodes = model.nodes_
    children = np.flatnonzero(nodes.parent == 0)
    (red,) = children[nodes.n_samples[children] == 3]
    assert nodes.column[[0, red]].tolist() == [0, 1]
    assert len(children) == 3 and model.get_n_leaves() == 4 and np.count_nonzero(nodes.parent == red) == 2
    assert (model.predict(rows[:, :2]) == rows[:, 2]).all()
    new = np.array([["red", "medium"], ["grey", "large"]], dtype=object)
    assert model.predict(new).tolist() == ["yes", "no"] and model.apply(new).tolist() == [red, 0]
    assert model.predict_proba(new) == pytest.approx(np.array([[1 / 3, 2 / 3], [2 / 3, 1 / 3]]))


@pytest.mark.mission("TR-02")
def test_an_unknown_category_takes_the_default_of_its_node():
    model = DecisionTreeClassifier(criterion="entropy", split="multiway").fit(ROWS[:, :4], ROWS[:, 4])
    strange = np.array([["snow", "hot", "high", "weak"], ["sunny", "hot", "foggy", "weak"]], dtype=object)
    assert model.predict(strange).tolist() == ["yes", "no"]  # 9 of 14 yes; 2 of 5 yes among the sunny
    assert model.predict_proba(strange) == pytest.approx(np.array([[5 / 14, 9 / 14], [3 / 5, 2 / 5]]))


@pytest.mark.parametrize("name", [name for name in ORACLE if name != "made by"])
def test_cost_complexity_is_that_of_rpart(name):
    case = ORACLE[name]
    X, y = np.array(case["X"]), np.array(case["y"])
    model = DecisionTreeRegressor(min_samples_leaf=case["bucket"], min_samples_split=2 * case["bucket"])
    path = model.cost_complexity_pruning_path(X, y)
    root = y.var()
    # rpart has one row for each price, from the root on; trees of equal price share it
    assert path.impurities[::-1][0] == pytest.approx(root, rel=1e-12)
    for cp, error in zip(case["cp"][:-1], case["error"][:-1], strict=True):
        near = np.abs(path.ccp_alphas / root - cp) < 1e-9
        assert near.any(), cp
        assert np.abs(path.impurities[near] / root - error).min() < 1e-9


@pytest.mark.parametrize("criterion", ["gini", "entropy", "gain_ratio", "classification_error"])
def test_a_stored_tree_predicts_the_same(criterion):
    X, y = load_iris(return_X_y=True)
    X[::7, 2] = np.nan
    model = DecisionTreeClassifier(criterion=criterion, categorical_features=[0], min_samples_leaf=2).fit(X, y)
    file = io.BytesIO()
    model.save(file)
    again = load(file)
    assert np.array_equal(again.predict_proba(X), model.predict_proba(X))
    assert model.certificate_.converged


def test_sparse_rows_give_the_tree_of_dense_ones():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 3, (100, 6)).astype(float)
    y = X[:, 0] * X[:, 1] + rng.normal(size=100)
    dense, thin = DecisionTreeRegressor(max_depth=5).fit(X, y), DecisionTreeRegressor(max_depth=5)
    thin.fit(sparse.csr_array(X), y)
    assert np.array_equal(dense.predict(X), thin.predict(sparse.csc_array(X)))


def test_text_of_a_tree_is_that_of_scikit_learn():
    X, y = load_iris(return_X_y=True)
    model = DecisionTreeClassifier(max_depth=2).fit(X, y)
    assert export_text(model).splitlines()[0] == "|--- feature_2 <= 2.45"
    assert "gini" in export_graphviz(model)


def test_odd_columns_are_taken():
    rng = np.random.default_rng(1)
    X = np.stack([rng.integers(0, 1000, 3000), np.full(3000, np.nan), np.zeros(3000)], axis=1)
    y = X[:, 0] % 7 > 3
    model = DecisionTreeClassifier(categorical_features=[0]).fit(X, y)
    assert (model.predict(X) == y).all()
    assert model.feature_importances_[1:].tolist() == [0.0, 0.0]
    assert model.predict([[5000.0, 1.0, np.nan]]).shape == (1,)


@pytest.mark.parametrize(
    ("setting", "words"),
    [
        ({"criterion": "misclassification"}, "criterion"),
        ({"max_depth": 0}, "max_depth"),
        ({"min_samples_leaf": 1.5}, "min_samples_leaf"),
        ({"monotonic_cst": [1]}, "monotonic_cst"),
        ({"categorical_features": [17]}, "categories"),
        ({"max_features": "all"}, "max_features"),
        ({"n_bins": 4}, "n_bins=4 parts with split='binary'"),
    ],
)
def test_wrong_settings_are_refused_in_words(setting, words):
    X, y = load_diabetes(return_X_y=True)
    with pytest.raises(ValueError, match=words):
        DecisionTreeRegressor(**setting).fit(X, y)


def test_a_split_into_more_children_than_there_is_room_for_is_not_made():
    """Three kinds; of `a` the second column makes three leaves, of `b` the third one two."""
    rows = ["apu0", "aqu10", "aru20", "bpu100", "bpv101", "cpu200", "cpu200"]
    X, y = np.array([list(row[:3]) for row in rows], dtype=object), np.array([float(row[3:]) for row in rows])
    model = DecisionTreeRegressor(split="multiway", max_leaf_nodes=4).fit(X, y)
    assert model.get_n_leaves() == 4
    assert model.predict(X).tolist() == [10.0, 10.0, 10.0, 100.0, 101.0, 200.0, 200.0]
    assert clone(model).set_params(max_leaf_nodes=2).fit(X, y).get_n_leaves() == 1
    assert clone(model).set_params(max_leaf_nodes=6).fit(X, y).get_n_leaves() == 6


LABELS = np.array(["a", "b"])[np.arange(40) // 20]
CLASSIFIERS = [
    DecisionTreeClassifier(max_depth=2),
    ExtraTreesClassifier(n_estimators=2, random_state=0),
    ModelTreeClassifier(),
    RuleListClassifier(),
    RuleListClassifier(estimate="validation", validation_fraction=0.5, random_state=0),
]


@pytest.mark.parametrize("model", CLASSIFIERS, ids=str)
def test_the_label_of_a_row_of_weight_zero_makes_no_class(model):
    X, y, s = np.arange(41.0)[:, None], np.append(LABELS, "z"), np.append(np.ones(40), 0.0)
    weighted, without = clone(model).fit(X, y, sample_weight=s), clone(model).fit(X[:40], LABELS)
    assert weighted.classes_.tolist() == ["a", "b"]
    np.testing.assert_allclose(weighted.predict_proba(X), without.predict_proba(X), rtol=1e-12)
    assert verify(weighted, X, y, s).converged


def test_a_label_of_several_outputs_that_training_has_not_met_is_refused():
    X, Y = np.arange(40.0)[:, None], np.column_stack([LABELS, LABELS[::-1]])
    s = np.append(np.ones(39), 0.0)
    Y[39] = "z"
    model = DecisionTreeClassifier().fit(X, Y, sample_weight=s)
    assert [each.tolist() for each in model.classes_] == [["a", "b"], ["a", "b"]]
    assert verify(model, X, Y, s).converged
    with pytest.raises(ValueError, match="Cannot use the label 'z'"):
        verify(model, X, Y)
    with pytest.raises(ValueError, match="Cannot use y of 1 columns"):
        verify(model, X, Y[:, 0], s)


def test_a_class_is_never_held_out_whole():
    """Of two rows of the second class a share of 3/4 would take both."""
    held = divide(TreeTarget(np.repeat([[0], [1]], [8, 2], axis=0), 2), None, 0.75, 0)
    assert np.count_nonzero(held >= 8) == 1


@pytest.mark.parametrize(
    ("model", "residual"),
    [(DecisionTreeClassifier(), "base.count_residual"), (RuleListClassifier(), "rule_list.decided_residual")],
    ids=str,
)
def test_a_fit_is_held_to_what_verify_holds_it_to_and_says_where_it_fails(monkeypatch, model, residual):
    X = np.arange(40.0)[:, None]
    assert model.fit(X, LABELS).certificate_.tolerance == verify(model, X, LABELS).tolerance
    monkeypatch.setattr(f"separatrix.estimators.tree.{residual}", lambda *args, **options: 1e-13)
    with pytest.warns(NotCertified) as warned:
        model.fit(X, LABELS)
    assert warned[0].filename == __file__
    assert not model.certificate_.converged


def test_a_weight_is_a_repetition_for_the_edges_of_bins_too():
    rng = np.random.default_rng(3)
    X, y, s = rng.normal(size=(80, 2)), rng.integers(0, 2, 80), rng.integers(0, 5, 80)
    model = DecisionTreeClassifier(split="multiway", n_bins=4)
    weighted = clone(model).fit(X, y, sample_weight=s)
    repeated = clone(model).fit(np.repeat(X, s, axis=0), np.repeat(y, s))
    for a, b in zip(weighted._edges, repeated._edges, strict=True):
        np.testing.assert_array_equal(a, b)
    np.testing.assert_array_equal(weighted.predict(X), repeated.predict(X))
