"""Grown trees against a search in exact fractions, against scikit-learn, and their laws."""

from fractions import Fraction
from itertools import combinations, pairwise
from math import log2

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris, load_wine
from sklearn.tree import DecisionTreeClassifier as TheirClassifier
from sklearn.tree import DecisionTreeRegressor as TheirRegressor

from separatrix.core import jit
from separatrix.designs import as_design
from separatrix.designs.ranked import rank_columns
from separatrix.solvers.trees import grow as grow_module
from separatrix.solvers.trees.grow import GrowOptions, TreeTarget, grow
from separatrix.solvers.trees.nodes import apply, check_nodes, depths_of, predict_values

CLASSES = ["gini", "entropy", "gain_ratio", "classification_error"]


@pytest.fixture(params=["plain", "compiled"], autouse=True)
def loops(request, monkeypatch):
    """Every test runs on plain loops and on compiled ones: they are one text."""
    if request.param == "compiled":
        jit.load()
    else:
        monkeypatch.setattr(grow_module, "load", lambda: None)
        monkeypatch.setattr(jit, "_worth_compiling", lambda args: False)
        for loop in [each for each in jit._in_use if each.py_func.__module__.startswith("separatrix.solvers.trees")]:
            monkeypatch.setattr(loop, "_compiled", [None, None])


def tree(X, y, criterion, s=None, n_classes=None, categorical=None, rng=0, **options):
    """A grown and checked table."""
    X = np.asarray(X, dtype=float)
    numbers = criterion in ("squared_error", "absolute_error", "poisson")
    y = np.asarray(y, dtype=float if numbers else np.int32).reshape(len(X), -1)
    target = TreeTarget(y, 0 if numbers else (n_classes or int(y.max()) + 1))
    ranked = rank_columns(as_design(X), categorical)
    nodes = grow(ranked, target, s, GrowOptions(criterion=criterion, **options), rng)
    check_nodes(nodes, X.shape[1])
    return nodes


def cost(y, criterion):
    """Rows times impurity, exact but for entropies."""
    n = len(y)
    if criterion == "squared_error":
        mean = Fraction(int(sum(y)), n)
        return sum((int(v) - mean) ** 2 for v in y)
    if criterion == "absolute_error":
        middle = sorted(y)[n // 2]
        return Fraction(int(sum(abs(v - middle) for v in y)))
    counts = [int(c) for c in np.bincount(y) if c]
    if criterion == "gini":
        return n - Fraction(sum(c * c for c in counts), n)
    if criterion == "classification_error":
        return Fraction(n - max(counts))
    return n * log2(n) - sum(c * log2(c) for c in counts)


def worth(parts, criterion):
    """What a split into these parts is ranked by."""
    whole = np.concatenate(parts)
    gain = cost(whole, criterion) - sum(cost(part, criterion) for part in parts)
    if criterion != "gain_ratio":
        return gain
    n = len(whole)
    return gain / (n * log2(n) - sum(len(part) * log2(len(part)) for part in parts))


def first_best(X, y, criterion, least):
    """The best threshold by exact comparison: lowest column, then lowest cut. (column, last left value, next value)"""
    best, chosen = None, None
    for j in range(X.shape[1]):
        values = np.unique(X[:, j])
        for low, high in pairwise(values):
            left = X[:, j] <= low
            if min(left.sum(), (~left).sum()) < least:
                continue
            value = worth([y[left], y[~left]], criterion)
            margin = 0 if isinstance(value, Fraction) else 1e-9
            if best is None or value > best + margin:
                best, chosen = value, (j, low, high)
    return chosen


@pytest.mark.mission("TR-01")
@pytest.mark.parametrize("criterion", [*CLASSES, "squared_error", "absolute_error"])
@pytest.mark.parametrize("seed", range(6))
def test_every_split_is_the_first_best_of_its_node(criterion, seed):
    rng = np.random.default_rng(seed)
    n, p, k, least = 40, 3, 2 + seed % 3, 1 + seed % 2
    X = rng.integers(0, 6, (n, p)).astype(float)
    y = rng.integers(0, k, n) if criterion in CLASSES else rng.integers(0, 30, n)
    nodes = tree(X, y, criterion, min_samples_leaf=least, n_classes=k)
    rows = {0: np.arange(n)}
    for t in range(nodes.column.size):
        here, j = rows[t], nodes.column[t]
        assert nodes.n_samples[t] == len(here)
        assert nodes.impurity[t] == pytest.approx(float(cost(y[here], criterion)) / len(here), abs=1e-12)
        chosen = first_best(X[here], y[here], criterion, least)
        if j < 0:
            assert chosen is None or len(set(y[here])) == 1 or len(here) < 2
            continue
        assert chosen is not None
        assert (j, nodes.threshold[t]) == (chosen[0], (chosen[1] + chosen[2]) / 2)
        left = X[here, j] <= nodes.threshold[t]
        rows[nodes.left[t]], rows[nodes.right[t]] = here[left], here[~left]


@pytest.mark.mission("TR-07")
@pytest.mark.parametrize("criterion", [*CLASSES, "squared_error"])
@pytest.mark.parametrize("k", [2, 3])
def test_the_grouping_of_categories_is_the_best_of_all(criterion, k):
    for seed in range(5):
        rng = np.random.default_rng(seed)
        x = rng.integers(0, 7, 60)
        y = rng.integers(0, k, 60) if criterion in CLASSES else rng.integers(0, 40, 60)
        nodes = tree(x[:, None], y, criterion, categorical=[True], max_depth=1)
        present = np.unique(x)
        groups = [g for size in range(1, len(present)) for g in combinations(present, size)]
        best = max(float(worth([y[np.isin(x, g)], y[~np.isin(x, g)]], criterion)) for g in groups)
        left = apply(nodes, x[:, None].astype(float)) == nodes.left[0]
        assert float(worth([y[left], y[~left]], criterion)) == pytest.approx(best, rel=1e-12)


@pytest.mark.parametrize("criterion", CLASSES)
def test_a_multiway_split_has_a_child_for_each_category(criterion):
    x = np.array([0, 0, 2, 2, 3, 3, 3])[:, None]
    y = np.array([0, 0, 1, 1, 0, 1, 1])
    nodes = tree(x, y, criterion, categorical=[True], multiway=np.array([True]))
    assert nodes.column.tolist() == [0, -1, -1, -1]
    assert nodes.routes.tolist() == [1, -1, 2, 3]
    assert apply(nodes, np.array([[0.0], [1.0], [2.0], [3.0], [4.0], [np.nan]])).tolist() == [1, 0, 2, 3, 0, 0]


DATA = {
    "iris": (load_iris, CLASSES[:2], 3),
    "wine": (load_wine, CLASSES[:2], 3),
    "breast cancer": (load_breast_cancer, CLASSES[:2], 2),
    "diabetes": (load_diabetes, ["squared_error", "poisson", "absolute_error"], 0),
}


@pytest.mark.parametrize("name", DATA)
def test_no_split_of_scikit_learn_gains_more_and_unique_ones_are_equal(name):
    """At every node of its tree: the same split, or another of the same gain (in a lower column)."""
    load, criteria, k = DATA[name]
    X, y = load(return_X_y=True)
    X = X.astype(np.float32).astype(float)  # what scikit-learn works on
    theirs, same = TheirClassifier if k else TheirRegressor, 0
    for criterion in criteria:
        other = theirs(criterion=criterion, random_state=0, max_depth=5, min_samples_leaf=3).fit(X, y)
        at = other.decision_path(X.astype(np.float32)).toarray().astype(bool)
        for t in np.flatnonzero(other.tree_.feature >= 0):
            here = at[:, t]
            ours = tree(X[here], y[here], criterion, n_classes=k, max_depth=1, min_samples_leaf=3)
            a, b = other.tree_.children_left[t], other.tree_.children_right[t]
            left = other.tree_.weighted_n_node_samples[[a, b]] @ other.tree_.impurity[[a, b]]
            assert ours.impurity[0] == pytest.approx(other.tree_.impurity[t], rel=1e-9)
            assert ours.weight[1:] @ ours.impurity[1:] == pytest.approx(left, rel=1e-9, abs=1e-12)
            assert ours.column[0] <= other.tree_.feature[t]
            if ours.column[0] == other.tree_.feature[t]:
                same += ours.threshold[0] == pytest.approx(other.tree_.threshold[t], rel=1e-12)
    assert same >= 5


@pytest.mark.parametrize("options", [{"max_depth": 3}, {"max_leaf_nodes": 8}], ids=str)
@pytest.mark.parametrize("criterion", DATA["diabetes"][1])
def test_a_tree_without_ties_is_that_of_scikit_learn(criterion, options):
    X, y = load_diabetes(return_X_y=True)
    X = X.astype(np.float32).astype(float)
    nodes = tree(X, y, criterion, **options)
    other = TheirRegressor(criterion=criterion, random_state=0, **options).fit(X, y).tree_
    assert np.array_equal(np.where(nodes.column < 0, -2, nodes.column), other.feature)
    assert np.array_equal(nodes.left, other.children_left)
    assert np.allclose(nodes.threshold[nodes.column >= 0], other.threshold[other.feature >= 0], rtol=1e-12)
    assert np.allclose(nodes.impurity, other.impurity, rtol=1e-9, atol=1e-12)
    assert np.allclose(nodes.value[:, 0], other.value[:, 0, 0], rtol=1e-12)


@pytest.mark.parametrize("criterion", [*CLASSES, "squared_error", "absolute_error", "poisson"])
def test_weights_are_repetitions(criterion):
    rng = np.random.default_rng(1)
    n = 60
    X = rng.integers(0, 9, (n, 4)).astype(float)
    X[rng.random((n, 4)) < 0.1] = np.nan
    X[:, 3] = rng.integers(0, 5, n)
    y = rng.integers(0, 3, n) + (criterion == "poisson")
    times = rng.integers(0, 4, n)
    options = {"categorical": [False, False, False, True], "n_classes": 3, "max_depth": 6}
    weighted = tree(X, y, criterion, times.astype(float), **options)
    repeated = tree(np.repeat(X, times, axis=0), np.repeat(y, times), criterion, **options)
    for name in ("column", "left", "right", "missing", "offset", "width", "routes", "parent"):
        assert np.array_equal(getattr(weighted, name), getattr(repeated, name)), name
    assert np.array_equal(weighted.threshold, repeated.threshold, equal_nan=True)
    assert np.array_equal(weighted.weight, repeated.weight)
    assert np.allclose(weighted.value, repeated.value, rtol=1e-13)


@pytest.mark.parametrize("criterion", ["gini", "squared_error"])
def test_neither_seed_nor_order_of_rows_shows(criterion):
    rng = np.random.default_rng(2)
    X, y = rng.integers(0, 8, (80, 5)).astype(float), rng.integers(0, 3, 80)
    nodes = tree(X, y, criterion, rng=0)
    shuffled = rng.permutation(80)
    for other in (tree(X, y, criterion, rng=7), tree(X[shuffled], y[shuffled], criterion)):
        assert np.array_equal(nodes.column, other.column)
        assert np.array_equal(nodes.threshold, other.threshold, equal_nan=True)


@pytest.mark.parametrize("criterion", [*CLASSES, "squared_error", "absolute_error", "poisson"])
@pytest.mark.parametrize("random_cuts", [False, True])
def test_drawn_columns_depend_on_the_generator_alone(criterion, random_cuts):
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(90, 12)), rng.integers(0, 3, 90) + 1
    X[rng.random(X.shape) < 0.1] = np.nan
    options = {"max_features": 2, "random_cuts": random_cuts, "n_classes": 4}
    first, again, other = (tree(X, y, criterion, rng=seed, **options) for seed in (5, 5, 6))
    assert np.array_equal(first.column, again.column)
    assert not np.array_equal(first.column[:20], other.column[:20])
    if criterion != "poisson":
        assert np.array_equal(predict_values(first, X).argmax(1) if first.value.shape[1] > 1 else y, y)


def test_sorting_drawn_columns_finds_what_sorted_columns_find():
    """All columns, drawn in any order, give the canonical tree again."""
    rng = np.random.default_rng(4)
    X, y = rng.integers(0, 300, (500, 3)).astype(float), rng.integers(0, 2, 500)
    kept = tree(X, y, "gini")
    rule = grow_module._rule

    def unsorted(*args):
        return rule(*args)._replace(presorted=False)

    grow_module._rule = unsorted
    try:
        drawn = tree(X, y, "gini")
    finally:
        grow_module._rule = rule
    assert np.array_equal(kept.column, drawn.column)
    assert np.array_equal(kept.threshold, drawn.threshold, equal_nan=True)


def test_missing_values_go_where_the_gain_is_larger():
    x = np.array([1.0, 2.0, 3.0, 4.0, np.nan, np.nan])
    for y, side in (([0, 0, 1, 1, 0, 0], "left"), ([0, 0, 1, 1, 1, 1], "right")):
        nodes = tree(x[:, None], y, "gini")
        assert nodes.column.size == 3
        assert nodes.missing[0] == getattr(nodes, side)[0]
    nodes = tree(x[:, None], [0, 0, 0, 0, 1, 1], "gini")  # missing or not is the whole difference
    assert nodes.threshold[0] == np.inf
    assert apply(nodes, np.array([[1e300], [np.nan]])).tolist() == [nodes.left[0], nodes.right[0]]
    nodes = tree([[1.0], [2.0], [3.0]], [0, 1, 1], "gini")  # none in training: where most rows went
    assert nodes.missing[0] == nodes.right[0]


@pytest.mark.parametrize("criterion", ["gini", "entropy", "squared_error", "absolute_error", "poisson"])
def test_monotone_columns_give_monotone_predictions(criterion):
    rng = np.random.default_rng(5)
    X = rng.normal(size=(300, 2))
    noisy = X[:, 0] + rng.normal(size=300)
    y = (noisy > 0).astype(int) if criterion in CLASSES else noisy - noisy.min() + 1.0
    free = tree(X, y, criterion, max_depth=6)
    held = tree(X, y, criterion, max_depth=6, monotonic=np.array([1, 0]))
    grid = np.stack([np.linspace(-3, 3, 200), np.zeros(200)], axis=1)
    assert np.diff(predict_values(held, grid)[:, -1]).min() >= 0.0
    assert np.diff(predict_values(free, grid)[:, -1]).min() < 0.0
    assert held.column.size > 3


def test_several_outputs_are_split_for_their_mean_impurity():
    X, y = load_diabetes(return_X_y=True)
    X = X.astype(np.float32).astype(float)
    Y = np.stack([y, X[:, 2] * 1000.0], axis=1)
    nodes = tree(X, Y, "squared_error", max_depth=4)
    other = TheirRegressor(max_depth=4, random_state=0).fit(X, Y).tree_
    assert np.array_equal(np.where(nodes.column < 0, -2, nodes.column), other.feature)
    assert np.allclose(nodes.value, other.value[:, :, 0], rtol=1e-12)
    assert np.allclose(nodes.impurity, other.impurity, rtol=1e-9)


def test_a_chain_of_hundreds_of_splits():
    n = 1000
    nodes = tree(np.arange(n)[:, None], 2.0 ** (np.arange(n) - 500.0), "squared_error")
    assert depths_of(nodes).max() > 450


def test_far_means_do_not_hide_the_best_split():
    rng = np.random.default_rng(6)
    X, noise = rng.normal(size=(200, 3)), rng.normal(size=200)
    y = (X[:, 1] > 0.3) + 0.1 * noise
    near, far = (tree(X, y + shift, "squared_error", max_depth=3) for shift in (0.0, 1e8))
    assert np.array_equal(near.column, far.column)
    assert np.array_equal(near.threshold, far.threshold, equal_nan=True)
