"""Values, medians and bounds of nodes: what they must be, and that `verify` finds them changed."""

import numpy as np
import pytest

from separatrix import load, verify
from separatrix.tree import DecisionTreeClassifier, DecisionTreeRegressor


def one_decimal(seed, n=12):
    """Numbers of one decimal, whole weights, and few distinct rows: ties of medians are common."""
    rng = np.random.default_rng(seed)
    return rng.integers(0, 4, (n, 2)).astype(float), rng.integers(0, 100, n) / 10.0, rng.integers(1, 4, n).astype(float)


@pytest.mark.parametrize(
    ("y", "weights", "median"),
    [([1.0, 1e17], [3.0, 1.0], 1.0), ([0.1, 0.7, 0.7], [3.0, 1.0, 1.0], 0.1), ([0.5, 1.5], [2.0, 2.0], 1.0)],
)
def test_a_leaf_predicts_the_median_of_its_rows_to_the_last_bit(y, weights, median):
    X = np.zeros((len(y), 1))
    model = DecisionTreeRegressor(criterion="absolute_error").fit(X, y, weights)
    assert model.predict(X[:1])[0] == median
    assert model.certificate_.converged


@pytest.mark.parametrize("weighted", ["none", "whole", "others"])
def test_every_median_is_a_number_of_its_rows_or_midway_and_is_certified(weighted):
    for seed in range(12):
        X, y, s = one_decimal(seed)
        s = {"none": None, "whole": s, "others": s / 3.0}[weighted]
        model = DecisionTreeRegressor(criterion="absolute_error").fit(X, y, s)
        assert model.certificate_.converged
        assert verify(model, X, y, sample_weight=s).converged
        if weighted != "others":
            repeated = np.repeat(y, 1 if s is None else s.astype(int))
            assert model.nodes_.value[0, 0] == np.median(repeated)
            assert model.nodes_.impurity[0] == pytest.approx(np.abs(repeated - np.median(repeated)).mean(), rel=1e-13)


@pytest.mark.parametrize("part", ["inner value", "leaf value", "impurity"])
def test_changed_medians_are_found(part):
    X, y, s = one_decimal(3)
    model = DecisionTreeRegressor(criterion="absolute_error").fit(X, y, s)
    nodes = model.nodes_
    if part == "impurity":
        nodes.impurity[:] += 0.01
    else:
        nodes.value[(nodes.column >= 0) == (part == "inner value")] *= 1.01
    assert not verify(model, X, y, sample_weight=s).converged


@pytest.mark.parametrize("criterion", ["squared_error", "absolute_error", "poisson"])
def test_values_of_monotone_trees_are_recounted(criterion, tmp_path):
    rng = np.random.default_rng(0)
    X = rng.integers(0, 6, (60, 2)).astype(float)
    y = np.round(5.0 + np.sin(X[:, 0]) - X[:, 1] + rng.normal(size=60), 1).clip(0.0)
    for options in ({"monotonic_cst": [1, 0]}, {"monotonic_cst": [1, -1], "max_leaf_nodes": 9}):
        model = DecisionTreeRegressor(criterion=criterion, **options).fit(X, y)
        assert model.certificate_.converged
        assert verify(model, X, y).converged
        for part in (model.nodes_.value, model.nodes_.impurity):
            kept = part.copy()
            part[-1] += 0.01
            assert not verify(model, X, y).converged
            part[:] = kept
    model.nodes_.value[:] = 1000.0
    model.save(tmp_path / "tree.json")
    assert not verify(load(tmp_path / "tree.json"), X, y).converged


def test_shares_of_monotone_trees_are_recounted():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 6, (60, 2)).astype(float)
    y = X[:, 0] + rng.normal(scale=3.0, size=60) > 2.5
    for criterion in ("gini", "entropy"):
        model = DecisionTreeClassifier(criterion=criterion, monotonic_cst=[1, -1]).fit(X, y)
        assert model.certificate_.converged
        model.nodes_.value[:] = [0.25, 0.75]
        assert not verify(model, X, y).converged


def test_a_bound_clips_the_median_midway_between_two_rows():
    # by hand: the lower medians are 0 and 4, so the bound is 2; the left median, midway between 0 and 10, is above it
    X, y = np.array([[0.0], [0.0], [1.0], [1.0]]), np.array([0.0, 10.0, 4.0, 4.0])
    model = DecisionTreeRegressor(criterion="absolute_error", monotonic_cst=[1]).fit(X, y)
    np.testing.assert_array_equal(model.predict(X), [2.0, 2.0, 4.0, 4.0])
    assert verify(model, X, y).converged
    model.nodes_.value[1] = 5.0
    assert not verify(model, X, y).converged


@pytest.mark.parametrize("criterion", ["squared_error", "absolute_error", "poisson"])
def test_rounding_decides_neither_where_half_the_weight_lies_nor_what_is_monotone(criterion):
    for seed in range(12):
        X, y, s = one_decimal(seed, 14)
        order = np.random.default_rng(seed).permutation(14)
        model = DecisionTreeRegressor(criterion=criterion, monotonic_cst=[1, -1])
        trees = [
            model.fit(X, y, s).nodes_,
            model.fit(X, y, s / 3.0).nodes_,
            model.fit(X[order], y[order], s[order]).nodes_,
            model.fit(np.repeat(X, s.astype(int), axis=0), np.repeat(y, s.astype(int))).nodes_,
        ]
        for nodes in trees[1:]:
            np.testing.assert_array_equal(nodes.column, trees[0].column)
            np.testing.assert_array_equal(nodes.threshold, trees[0].threshold)
            np.testing.assert_allclose(nodes.value, trees[0].value, rtol=1e-13)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("options", [{}, {"pruning": "reduced_error", "random_state": 0}])
def test_changed_edges_of_bins_are_found(weighted, options):
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.normal(size=(60, 2)), rng.integers(0, 3, 60)])
    y, s = X[:, 0] + X[:, 2], rng.uniform(0.1, 2.0, size=60) if weighted else None
    bins = {"split": "multiway", "n_bins": 3, "categorical_features": [2]}
    model = DecisionTreeRegressor(**bins, **options).fit(X, y, s)
    assert verify(model, X, y, sample_weight=s).converged
    edges = model._edges[0]
    edges[1] = (edges[1] + X[X[:, 0] > edges[1], 0].min()) / 2.0  # no row of the fit is in another bin
    assert not verify(model, X, y, sample_weight=s).converged


def test_the_label_of_a_single_class_takes_a_sign():
    model = DecisionTreeClassifier(monotonic_cst=[1]).fit([[0.0], [1.0]], ["a", "a"])
    assert model.predict_proba([[0.0]]).tolist() == [[1.0]]


@pytest.mark.parametrize("criterion", ["absolute_error", "squared_error", "poisson"])
def test_a_split_without_gain_is_made_in_every_order_of_the_rows(criterion):
    # both halves have the median 6.6 (6.95 and 5.75 midway): the gain of the only split is 0 in exact arithmetic
    X = np.array([[0.0]] * 4 + [[1.0]] * 4)
    y = np.array([3.8, 7.3, 6.6, 7.8, 3.5, 8.8, 8.0, 1.9])
    if criterion != "absolute_error":
        y = np.concatenate([y[:4], y[[2, 0, 3, 1]]])  # equal means, summed in another order
    for order in (slice(None), slice(None, None, -1), [2, 0, 5, 7, 1, 3, 6, 4]):
        model = DecisionTreeRegressor(criterion=criterion).fit(X[order], y[order])
        assert model.get_n_leaves() == 2
        model = DecisionTreeRegressor(criterion=criterion, max_leaf_nodes=5).fit(X[order], y[order])
        assert model.get_n_leaves() == 2
        model = DecisionTreeRegressor(criterion=criterion, min_impurity_decrease=1e-9).fit(X[order], y[order])
        assert model.get_n_leaves() == 1


def test_a_gain_as_large_as_asked_for_is_enough_in_every_order_of_the_rows():
    # 4 rows at .1 and 4 at .3 beside one another: the variance falls by .01 exactly
    X, y = np.repeat([[0.0], [1.0]], 4, axis=0), np.repeat([0.1, 0.3], 4)
    for offset in (0.0, 0.7):
        for order in (slice(None), slice(None, None, -1), [0, 4, 1, 5, 2, 6, 3, 7]):
            model = DecisionTreeRegressor(min_impurity_decrease=0.01).fit(X[order], y[order] + offset)
            assert model.get_n_leaves() == 2


def test_whether_a_mean_is_zero_does_not_depend_on_the_order_of_the_rows():
    # the only split leaves the row with y = 0 by itself, which Poisson's criterion forbids
    X, y = np.array([[1.0], [1.0], [1.0], [1.0], [2.0]]), np.array([1.0, 0.0, 2.0, 0.0, 0.0])
    for order in ([0, 1, 2, 3, 4], [2, 0, 1, 3, 4], [4, 3, 2, 1, 0]):
        model = DecisionTreeRegressor(criterion="poisson").fit(X[order], y[order])
        assert model.get_n_leaves() == 1
        np.testing.assert_allclose(model.predict([[1.0], [2.0]]), 0.6, rtol=1e-15)


def test_of_equal_splits_missing_values_go_right_before_a_lower_threshold():
    X, y = np.array([[1.0], [1.0], [2.0], [np.nan]]), np.array([0.0, 0.0, 1.0, -1.0])
    nodes = DecisionTreeRegressor(max_depth=1).fit(X, y).nodes_
    # by hand, the mean is 0: the missing value by itself gains 1² · 4/3, and so does 2 by itself
    assert np.isposinf(nodes.threshold[0])
    assert nodes.missing[0] == nodes.right[0]
