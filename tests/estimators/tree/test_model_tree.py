"""Trees with models in their leaves: against scikit-learn's linear models, known breaks, and laws of trees."""

import io
from functools import partial

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris
from sklearn.linear_model import LogisticRegression as TheirLogistic
from sklearn.linear_model import Ridge as TheirRidge
from sklearn.metrics import log_loss
from sklearn.preprocessing import StandardScaler

import separatrix
from separatrix.core.declaration import declaration
from separatrix.core.errors import NotCertified
from separatrix.ensemble import MixtureOfExpertsRegressor
from separatrix.prediction.forms import Step, can_predict, predict_step
from separatrix.solvers.trees.model_split import ScoredNode, best_split
from separatrix.tree import DecisionTreeRegressor, ModelTreeClassifier, ModelTreeRegressor

ALL = {"min_samples_split": 2, "min_samples_leaf": 1, "pruning": None}


def piecewise(n=400, noise=0.5, seed=0):
    """Two planes that meet at x0 = 0 with a jump."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(-1.0, 1.0, (n, 4))
    y = np.where(X[:, 0] < 0.0, 2.0 * X[:, 1] - X[:, 2] + 1.0, -2.0 * X[:, 1] + 3.0 * X[:, 3])
    return X, y + noise * rng.standard_normal(n)


def changing_sign(n=400, classes=2, seed=0):
    """Classes whose log-odds change their sign at x0 = 0.3."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(-1.0, 1.0, (n, 3))
    score = np.where(X[:, 0] < 0.3, 4.0 * X[:, 1], -4.0 * X[:, 1]) + rng.logistic(size=n)
    return X, np.array(["a", "b", "c"])[np.digitize(score, [0.0] if classes == 2 else [-1.0, 1.0])]


@pytest.mark.mission("TR-17")
@pytest.mark.parametrize("seed", range(3))
def test_linear_leaves_beat_constant_ones_on_piecewise_linear_data(seed):
    X, y = piecewise(seed=seed)
    new, truth = piecewise(2000, 0.0, seed=seed + 100)
    models = ModelTreeRegressor(), DecisionTreeRegressor(ccp_alpha="1se", random_state=0), TheirRidge()
    ours, constant, one = (np.mean((model.fit(X, y).predict(new) - truth) ** 2) for model in models)
    assert ours < 0.1 * constant and ours < 0.1 * one


@pytest.mark.mission("TR-17")
def test_k_leaves_are_k_models():
    X, y = piecewise()
    model = ModelTreeRegressor().fit(X, y)
    assert len(model.leaves_) == 2 == model.get_n_leaves()
    assert model.leaf_coef_.shape == (2, 4) and model.leaf_intercept_.shape == (2,)
    ends = model.apply(X)
    for leaf, w, b in zip(model.leaves_, model.leaf_coef_, model.leaf_intercept_, strict=True):
        assert_allclose(model.predict(X[ends == leaf]), X[ends == leaf] @ w + b, rtol=1e-13)
    assert_array_equal(np.asarray(model.decision_path(X).sum(axis=1)).ravel(), 2)


@pytest.mark.mission("TR-17", "ME-03")
def test_a_mixture_with_a_steep_gate_finds_the_models_of_the_leaves():
    x = np.linspace(-2.0, 2.0, 201)[:, None]
    y = np.abs(x[:, 0])
    tree = ModelTreeRegressor(alpha=1e-6).fit(x, y)
    mixture = MixtureOfExpertsRegressor(alpha=1e-6, gate_alpha=1e-6).fit(x, y)
    assert_allclose(sorted(tree.leaf_coef_[:, 0]), sorted(mixture.expert_coef_[:, 0]), atol=1e-3)


def test_a_known_break_and_its_coefficients_are_found_without_noise():
    X, y = piecewise(300, 0.0)
    model = ModelTreeRegressor(alpha=1e-8).fit(X, y)
    below, above = X[X[:, 0] < 0.0, 0].max(), X[X[:, 0] >= 0.0, 0].min()
    assert_array_equal(model.nodes_.column, [0, -1, -1])
    assert model.nodes_.threshold[0] == below / 2.0 + above / 2.0
    assert_allclose(model.leaf_coef_, [[0.0, 2.0, -1.0, 0.0], [0.0, -2.0, 0.0, 3.0]], atol=1e-6)
    assert_allclose(model.leaf_intercept_, [1.0, 0.0], atol=1e-6)


def test_a_break_between_close_values_of_many_rows_is_found_exactly():
    x = np.arange(5000.0)[:, None]
    y = np.where(x[:, 0] < 3217.0, 1.0, 2.0) * x[:, 0]
    assert ModelTreeRegressor(max_depth=1).fit(x, y).nodes_.threshold[0] == 3216.5


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_a_break_is_found_among_values_that_have_little_of_the_weight(sign):
    """Zero holds 98 of 100 rows, so that all quantiles of the rows are zero; of -x it is the largest value."""
    x = sign * np.arange(151.0)[:, None]
    y = np.where(np.abs(x[:, 0]) < 100.0, x[:, 0], 1000.0 - x[:, 0])
    s = np.append(9850.0, np.ones(150))
    model = ModelTreeRegressor(1e-8, max_depth=1, min_samples_leaf=2).fit(x, y, sample_weight=s)
    assert model.nodes_.threshold[0] == sign * 99.5


def test_one_leaf_is_a_ridge_regression():
    X, y = load_diabetes(return_X_y=True)
    model, theirs = ModelTreeRegressor(0.3, max_depth=0).fit(X, y), TheirRidge(0.3).fit(X, y)
    assert_allclose(model.node_coef_[0], theirs.coef_, rtol=1e-9)
    assert_allclose(model.predict(X), theirs.predict(X), rtol=1e-10)


@pytest.mark.parametrize("data", [load_iris, load_breast_cancer])
def test_one_leaf_is_a_logistic_regression(data):
    X, y = data(return_X_y=True)
    X = StandardScaler().fit_transform(X)
    model = ModelTreeClassifier(0.5, max_depth=0).fit(X, y)
    theirs = TheirLogistic(C=0.5, tol=1e-10, max_iter=10_000).fit(X, y)
    assert_allclose(model.predict_proba(X), theirs.predict_proba(X), atol=1e-5)


def test_every_node_is_a_ridge_regression_of_what_the_node_above_leaves():
    X, y = piecewise()
    s = np.random.default_rng(1).integers(1, 4, len(y)).astype(float)
    model = ModelTreeRegressor(2.0, pruning=None).fit(X, y, sample_weight=s)
    assert model.nodes_.column.size == 15
    passed = model.decision_path(X).toarray().astype(bool)
    for node in range(15):
        here, above = passed[:, node], model.nodes_.parent[node]
        w, b = (np.zeros(4), 0.0) if node == 0 else (model.node_coef_[above], model.node_intercept_[above])
        theirs = TheirRidge(2.0).fit(X[here], y[here] - X[here] @ w - b, s[here])
        assert_allclose(model.node_coef_[node], w + theirs.coef_, rtol=1e-8, atol=1e-10)
        assert_allclose(model.node_intercept_[node], b + theirs.intercept_, rtol=1e-8, atol=1e-10)


def test_every_leaf_is_a_logistic_regression_of_its_rows():
    X, y = changing_sign()
    model = ModelTreeClassifier(0.7).fit(X, y)
    assert len(model.leaves_) == 2
    ends = model.apply(X)
    for leaf in model.leaves_:
        here = ends == leaf
        theirs = TheirLogistic(C=0.7, tol=1e-12, max_iter=10_000).fit(X[here], y[here])
        assert_allclose(model.node_coef_[leaf], theirs.coef_[0], rtol=1e-4)
        assert_allclose(model.predict_proba(X[here]), theirs.predict_proba(X[here]), atol=1e-5)


def test_the_split_is_the_best_of_all_by_brute_force():
    X, y = piecewise(60, 1.0, seed=3)
    alpha, least = 0.5, 8
    model = ModelTreeRegressor(alpha, max_depth=1, min_samples_leaf=least, pruning=None).fit(X, y)
    left_by_root = y - TheirRidge(alpha).fit(X, y).predict(X)

    def cost(rows):
        fit = TheirRidge(alpha).fit(X[rows], left_by_root[rows])
        return ((left_by_root[rows] - fit.predict(X[rows])) ** 2).sum() + alpha * (fit.coef_**2).sum()

    costs = {}
    for j in range(4):
        values = np.sort(X[:, j])
        for t in (values[1:] + values[:-1])[least - 1 : -least + 1] / 2.0:
            costs[j, t] = cost(X[:, j] <= t) + cost(X[:, j] > t)
    assert (model.nodes_.column[0], model.nodes_.threshold[0]) == min(costs, key=costs.get)


def test_the_split_of_classes_is_near_the_best_by_brute_force():
    X, y = changing_sign(120, seed=2)
    model = ModelTreeClassifier(max_depth=1, min_samples_leaf=15, pruning=None).fit(X, y)

    def cost(rows):
        fit = TheirLogistic(C=1.0, max_iter=1000).fit(X[rows], y[rows])
        return rows.sum() * log_loss(y[rows], fit.predict_proba(X[rows])) + 0.5 * (fit.coef_**2).sum()

    costs = {}
    for j in range(3):
        values = np.sort(X[:, j])
        for t in values[14:-15]:
            costs[j, t] = cost(X[:, j] <= t) + cost(X[:, j] > t)
    best, (column, threshold) = min(costs.values()), (model.nodes_.column[0], model.nodes_.threshold[0])
    chosen = cost(X[:, column] <= threshold) + cost(X[:, column] > threshold)
    whole = cost(np.ones(len(y), dtype=bool))
    assert whole - chosen > 0.9 * (whole - best)  # one Newton step is not the whole fit


def test_a_split_that_does_not_pay_is_not_kept():
    rng = np.random.default_rng(0)
    leaves = []
    for _ in range(20):
        X = rng.standard_normal((200, 3))
        leaves.append(len(ModelTreeRegressor().fit(X, X[:, 0] + rng.standard_normal(200)).leaves_))
    assert np.mean(np.array(leaves) == 1) >= 0.9
    kept = ModelTreeRegressor(pruning=None).fit(X, X[:, 0] + rng.standard_normal(200))
    assert len(kept.leaves_) > 4


@pytest.mark.parametrize("pruning", ["bic", "aic"])
def test_a_pruned_tree_has_the_least_criterion_of_its_subtrees(pruning):
    X, y = piecewise(noise=1.0)
    whole = ModelTreeRegressor(pruning=None, max_depth=2).fit(X, y)
    pruned = ModelTreeRegressor(pruning=pruning, max_depth=2).fit(X, y)
    nodes, passed = whole.nodes_, whole.decision_path(X).toarray().astype(bool)
    free = []
    for here in passed.T:
        Z = np.column_stack([np.ones(here.sum()), X[here]])
        free.append(np.trace(np.linalg.solve(Z.T @ Z + np.diag([0.0, 1, 1, 1, 1]), Z.T @ Z)) + 1.0)
    squares, leaves = nodes.impurity * nodes.weight, np.flatnonzero(nodes.column < 0)
    scale = squares[leaves].sum() / (len(y) - np.sum(np.array(free)[leaves]))
    price = np.log(len(y)) if pruning == "bic" else 2.0
    cost = squares / scale + price * np.array(free)
    subtrees = {1: cost[0], 2: cost[1] + cost[2]}
    for kept, cut in ((1, 2), (2, 1)):
        below = np.flatnonzero(nodes.parent == kept)
        subtrees[3, kept] = cost[below].sum() + cost[cut]
    subtrees[4] = cost[leaves].sum()
    best = min(subtrees, key=subtrees.get)
    assert len(pruned.leaves_) == (best if isinstance(best, int) else 3)


@pytest.mark.parametrize(
    ("model", "data"),
    [
        (ModelTreeRegressor(), piecewise),
        (ModelTreeClassifier(), changing_sign),
        (ModelTreeClassifier(), partial(changing_sign, classes=3)),
        (ModelTreeRegressor(pruning=None), piecewise),
    ],
)
def test_a_weight_is_a_repetition(model, data):
    X, y = data(300)
    s = np.random.default_rng(0).integers(0, 4, 300)
    weighted = model.fit(X, y, sample_weight=s).nodes_, model.node_coef_, model.node_intercept_
    model.fit(np.repeat(X, s, axis=0), np.repeat(y, s))
    assert_array_equal(model.nodes_.column, weighted[0].column)
    assert_allclose(model.nodes_.threshold, weighted[0].threshold, rtol=1e-12)
    assert_allclose(model.node_coef_, weighted[1], rtol=1e-6, atol=1e-8)
    assert_allclose(model.node_intercept_, weighted[2], rtol=1e-6, atol=1e-8)


def test_the_order_of_rows_and_the_units_of_y_do_not_matter():
    X, y = piecewise()
    model = ModelTreeRegressor().fit(X, y)
    order = np.random.default_rng(0).permutation(len(y))
    other = ModelTreeRegressor().fit(X[order], 1e6 * y[order] + 1e3)
    assert_array_equal(other.nodes_.threshold, model.nodes_.threshold)
    assert_allclose(other.predict(X), 1e6 * model.predict(X) + 1e3, rtol=1e-9, atol=1e-3)


def test_threads_do_not_show(monkeypatch):
    X, y = piecewise()
    answers = []
    for threads in ("1", "2"):
        monkeypatch.setenv("SEPARATRIX_THREADS", threads)
        answers.append(ModelTreeRegressor().fit(X, y).predict(X))
    assert_array_equal(*answers)


def test_within_a_leaf_predictions_are_affine():
    X, y = piecewise()
    model = ModelTreeRegressor().fit(X, y)
    a, b = X[X[:, 0] > 0.0][:50], X[X[:, 0] > 0.0][50:100]  # leaves are boxes: the middle of two rows is in theirs
    assert_allclose(model.predict((a + b) / 2.0), (model.predict(a) + model.predict(b)) / 2.0, rtol=1e-12)


@pytest.mark.parametrize(
    ("model", "data"),
    [
        (ModelTreeRegressor(), piecewise),
        (ModelTreeClassifier(), changing_sign),
        (ModelTreeClassifier(), partial(changing_sign, classes=3)),
    ],
)
def test_files_and_light_prediction_agree_with_the_model(model, data):
    X, y = data()
    X = X.copy()
    X[::7, 1] = np.nan
    model.fit(X, y)
    file = io.BytesIO()
    model.save(file)
    loaded, form = separatrix.load(file), declaration(model).prediction
    plain = Step(form, vars(model) | {"nodes_": Step(None, model.nodes_._asdict())})
    assert can_predict(plain) and {"predict"} <= set(form.methods)
    for method in form.methods:
        expected = getattr(model, method)(X)
        assert_array_equal(getattr(loaded, method)(X), expected)
        assert_array_equal(predict_step(plain, method, X), expected)


@pytest.mark.parametrize(
    ("model", "data"),
    [
        (ModelTreeRegressor(), piecewise),
        (ModelTreeClassifier(), changing_sign),
        (ModelTreeClassifier(), partial(changing_sign, classes=3)),
        (ModelTreeClassifier(class_weight="balanced", **ALL), partial(changing_sign, classes=3)),
        (ModelTreeRegressor(**ALL), piecewise),
    ],
)
def test_verify_finds_every_changed_number(model, data):
    X, y = data()
    X = X.copy()
    X[::9, 2] = np.nan
    assert model.fit(X, y).certificate_.converged
    assert separatrix.verify(model, X, y).converged
    for name in ("node_coef_", "node_intercept_", "node_mean_", "node_spread_"):
        kept = vars(model)[name]
        changed = kept.copy()
        changed.flat[np.argmax(np.abs(changed))] *= 1.01
        setattr(model, name, changed)
        assert not separatrix.verify(model, X, y).converged, name
        setattr(model, name, kept)
    for name in ("threshold", "weight", "impurity", "value"):
        kept = model.nodes_
        changed = getattr(kept, name).copy()
        changed.flat[0] *= 1.01
        model.nodes_ = kept._replace(**{name: changed})
        assert not separatrix.verify(model, X, y).converged, name
        model.nodes_ = kept


def test_missing_values_are_routed_and_count_as_the_mean_of_their_node():
    X, y = piecewise(600, 0.1)
    gone = np.random.default_rng(0).random(len(y)) < 0.2
    X[gone & (X[:, 0] < 0.0), 0] = np.nan  # a missing x0 is a small one
    X[::10, 1] = np.nan
    model = ModelTreeRegressor(max_depth=1).fit(X, y)
    assert model.nodes_.column[0] == 0 and model.nodes_.missing[0] == model.nodes_.left[0]
    ends = model.apply(X)
    for leaf in model.leaves_:
        here = X[ends == leaf]
        assert_allclose(model.node_mean_[leaf], np.nanmean(here, axis=0), rtol=1e-12)
        full = np.where(np.isnan(here), np.nanmean(here, axis=0), here)
        assert_allclose(model.predict(here), full @ model.node_coef_[leaf] + model.node_intercept_[leaf], rtol=1e-12)


def test_a_row_without_any_value_is_predicted():
    X, y = piecewise()
    model = ModelTreeRegressor().fit(X, y)
    assert np.isfinite(model.predict(np.full((1, 4), np.nan))).all()


def test_columns_without_a_value_have_no_part():
    X, y = piecewise()
    empty = np.column_stack([X, np.full(len(y), np.nan)])
    model = ModelTreeRegressor().fit(empty, y)
    assert not model.node_coef_[:, 4].any() and not (model.nodes_.column == 4).any()
    assert_allclose(model.predict(empty), ModelTreeRegressor().fit(X, y).predict(X), rtol=1e-9)


def categories(n=600, levels=6, seed=0):
    """The slope of x depends on the group."""
    rng = np.random.default_rng(seed)
    group, x = rng.integers(0, levels, n), rng.uniform(-1.0, 1.0, n)
    y = np.where(group % 2 == 0, 3.0 + x, -x) + 0.1 * rng.standard_normal(n)
    return pd.DataFrame({"group": pd.Categorical([f"g{g}" for g in group]), "x": x}), y


def test_categories_are_asked_about_and_are_not_in_the_models():
    frame, y = categories()
    model = ModelTreeRegressor(alpha=0.01).fit(frame, y)
    assert_array_equal(model.nodes_.column, [0, -1, -1])
    assert not model.node_coef_[:, 0].any()
    assert_allclose(sorted(model.leaf_coef_[:, 1]), [-1.0, 1.0], atol=0.05)
    even = [frame.group.cat.categories.get_loc(f"g{g}") for g in (0, 2, 4)]
    assert len({int(model.nodes_.routes[code]) for code in even}) == 1
    assert separatrix.verify(model, frame, y).converged
    assert "group is g" in model.to_text()


def test_an_unseen_category_is_predicted_by_the_node_that_asks():
    frame, y = categories()
    model = ModelTreeRegressor().fit(frame, y)
    new = pd.DataFrame({"group": ["never met", None], "x": [0.5, 0.5]})
    assert_array_equal(model.apply(new), [0, 0])
    assert_allclose(model.predict(new), model.node_intercept_[0] + 0.5 * model.node_coef_[0, 1], rtol=1e-12)


def test_a_thousand_levels_are_parted():
    rng = np.random.default_rng(0)
    group, x = rng.integers(0, 1000, 5000), rng.uniform(size=5000)
    y = np.where(group < 500, 5.0, 0.0) + x
    model = ModelTreeRegressor(max_depth=1, categorical_features=[0]).fit(np.column_stack([group, x]), y)
    routes = model.nodes_.routes[np.unique(group)[: len(model.categories_[0])].searchsorted(np.unique(group))]
    low = np.unique(group) < 500
    assert len(set(routes[low])) == len(set(routes[~low])) == 1
    assert model.score(np.column_stack([group, x]), y) > 0.999


def test_ordered_levels_are_asked_by_threshold_and_are_not_in_the_models():
    frame, y = categories()
    frame["group"] = frame["group"].cat.set_categories([f"g{g}" for g in (0, 2, 4, 1, 3, 5)], ordered=True)
    model = ModelTreeRegressor(alpha=0.01).fit(frame, y)
    assert model.nodes_.threshold[0] == 2.5 and not model.node_coef_[:, 0].any()


def test_a_leaf_of_one_class_predicts_it_from_no_column():
    x = np.linspace(0.0, 1.0, 100)[:, None]
    y = np.where(x[:, 0] > 0.5, "c", np.array(["a", "b"])[np.arange(100) % 2])
    model = ModelTreeClassifier().fit(x, y)
    pure = [leaf for leaf in model.leaves_ if model.nodes_.value[leaf].max() == 1.0]
    assert pure and not model.node_coef_[pure].any()
    here = x[np.isin(model.apply(x), pure)]
    assert set(model.predict(here)) == {"c"}
    n = int(model.nodes_.n_samples[pure[0]])
    assert_allclose(model.predict_proba(here)[0], np.array([0.5, 0.5, n]) / (n + 1.0), rtol=1e-12)
    assert separatrix.verify(model, x, y).converged


@pytest.mark.parametrize("kind", [ModelTreeRegressor, ModelTreeClassifier])
def test_more_columns_than_rows_in_the_leaves(kind):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((60, 90))
    y = X[:, 0] if kind is ModelTreeRegressor else X[:, 0] > 0.0
    model = kind(pruning=None, max_depth=2).fit(X, y)
    assert np.isfinite(model.node_coef_).all() and model.certificate_.converged
    assert separatrix.verify(model, X, y).converged


def test_a_wide_table_is_split_by_intercepts():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((400, 210))
    y = np.where(X[:, 7] < 0.0, 5.0, -5.0) + X[:, 3] + 0.1 * rng.standard_normal(400)
    model = ModelTreeRegressor(max_depth=1, pruning=None).fit(X, y)
    assert model.nodes_.column[0] == 7


def test_a_constant_target_is_one_leaf():
    X, _ = piecewise()
    model = ModelTreeRegressor().fit(X, np.full(len(X), 3.0))
    assert len(model.leaves_) == 1
    assert_allclose(model.predict(X), 3.0, rtol=1e-14)


def test_one_row_is_a_constant():
    model = ModelTreeRegressor().fit([[1.0, 2.0]], [5.0])
    assert_allclose(model.predict([[1.0, 2.0], [9.0, 9.0]]), 5.0)


def test_duplicate_and_constant_columns_do_no_harm():
    X, y = piecewise()
    doubled = np.column_stack([X, X, np.ones(len(y))])
    model = ModelTreeRegressor().fit(doubled, y)
    assert model.nodes_.column[0] == 0 and model.certificate_.converged


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"alpha": 0.0}, "alpha"),
        ({"max_depth": -1}, "max_depth"),
        ({"pruning": "luck"}, "pruning"),
        ({"min_samples_leaf": 0}, "min_samples_leaf"),
    ],
)
def test_wrong_parameters_are_named(wrong, words):
    with pytest.raises(ValueError, match=words):
        ModelTreeRegressor(**wrong).fit(*piecewise())


def test_one_class_and_infinite_strength_are_refused():
    X, y = changing_sign()
    with pytest.raises(ValueError, match="class"):
        ModelTreeClassifier().fit(X, np.full(len(X), "a"))
    with pytest.raises(ValueError, match="C"):
        ModelTreeClassifier(C=np.inf).fit(X, y)
    with pytest.raises(ValueError, match=r"[Ii]nf"):
        ModelTreeClassifier().fit(np.where(X > 0.99, np.inf, X), y)


def test_too_few_iterations_are_said_once():
    X, y = changing_sign()
    with pytest.warns(NotCertified) as said:
        model = ModelTreeClassifier(max_iter=1, pruning=None).fit(100.0 * X, y)
    assert len(said) == 1 and not model.certificate_.converged


def test_the_text_has_a_line_for_each_leaf():
    x = np.arange(-20.0, 20.0)[:, None]
    model = ModelTreeRegressor(alpha=1e-6).fit(x, np.where(x[:, 0] < 3.0, 1.0 - x[:, 0], 4.0 + 2.0 * x[:, 0]))
    assert model.to_text(feature_names=["age"]).splitlines() == [
        "if age <= 2.5 or missing then y = 1 - 1 age  (23 rows)",
        "if age > 2.5 then y = 4 + 2 age  (17 rows)",
    ]


def test_a_small_coefficient_of_a_large_column_is_written_with_its_digits():
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.uniform(0.0, 0.2, 200), rng.uniform(2e4, 2e5, 200)])
    model = ModelTreeRegressor(1e-8, max_depth=0).fit(X, 50.0 * X[:, 0] + 1e-3 * X[:, 1] + 7.0)
    assert model.to_text(feature_names=["rate", "salary"]) == "always y = 7 + 50 rate + 0.001 salary  (200 rows)"


def test_the_terms_that_are_written_are_those_that_differ_most_among_the_rows():
    """Of nine columns in nine units the one whose term spreads least is left out, though its coefficient is large."""
    X = np.random.default_rng(0).standard_normal((300, 9)) * 10.0 ** np.arange(9)
    coef = np.array([1.0, 20.0, 3.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0]) * 10.0 ** -np.arange(9)
    model = ModelTreeRegressor(1e-9, max_depth=0).fit(X, X @ (coef * [0.1, *[1.0] * 8]))
    text = model.to_text()
    assert "x0" not in text and "+ 2 x1" in text and "+ 1e-08 x8 + 1 more" in text


def test_of_equal_splits_the_lowest_column_and_threshold_win():
    x = np.arange(8.0)
    node = ScoredNode(
        np.ones((8, 1)), np.tile([[1.0], [-1.0]], (4, 1)), np.ones((8, 1)), np.ones(8), np.zeros(1), np.zeros((1, 1))
    )
    split = best_split(node, np.column_stack([x, x]), np.zeros(2, dtype=int), 1.0)
    assert (split.column, split.threshold) == (0, 0.5)


def test_gains_are_those_of_newton_steps():
    """Of two scores, with a penalty that pulls, and missing values: against every split, one at a time."""
    rng = np.random.default_rng(0)
    n, q, k = 50, 3, 2
    Z = np.column_stack([np.ones(n), rng.standard_normal((n, q - 1))])
    s, slopes = rng.uniform(0.5, 2.0, n), rng.standard_normal((n, k))
    node = ScoredNode(Z, slopes, rng.uniform(0.1, 1.0, (n, k)), s, np.array([0.0, 2.0, 5.0]), 3.0 * rng.random((q, k)))
    X = rng.standard_normal((n, 3))
    X[::6, 1] = np.nan

    def gain(rows):
        total = 0.0
        for c in range(k):
            g = Z[rows].T @ slopes[rows, c] - node.pull[:, c]
            H = Z[rows].T @ np.diag(node.curvatures[rows, c]) @ Z[rows] + np.diag(node.ridge)
            total += 0.5 * g @ np.linalg.inv(H) @ g
        return total

    gains = {}
    for j in range(3):
        x, missing = X[:, j], np.isnan(X[:, j])
        values = np.unique(x[~missing])
        for t in np.append((values[1:] + values[:-1]) / 2.0, np.inf):
            for side in (False, True) if missing.any() else (None,):
                left = np.where(missing, bool(side), x <= t)
                if min(s[left].sum(), s[~left].sum()) >= 8.0:
                    gains[j, t, side] = gain(left) + gain(~left)
    split = best_split(node, X, np.zeros(3, dtype=int), 8.0)
    best = max(gains, key=gains.get)
    assert (split.column, split.threshold, split.missing_left) == best
    assert_allclose(split.gain, gains[best], rtol=1e-9)


def test_missing_values_may_have_a_model_of_their_own():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((300, 2))
    X[::3, 1] = np.nan
    y = np.where(np.isnan(X[:, 1]), 3.0 * X[:, 0], -X[:, 0]) + 0.1 * rng.standard_normal(300)
    nodes = ModelTreeRegressor().fit(X, y).nodes_
    assert_array_equal(nodes.column, [1, -1, -1])
    assert (
        nodes.threshold[0] == np.inf and nodes.missing[0] == nodes.right[0] and nodes.n_samples[nodes.right[0]] == 100
    )


def test_a_slope_that_turns_is_found_among_many_columns():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((600, 20))
    y = np.where(X[:, 13] < 0.5, X[:, 4], -X[:, 4]) + 0.3 * rng.standard_normal(600)
    nodes = ModelTreeRegressor().fit(X, y).nodes_
    assert_array_equal(nodes.column, [13, -1, -1])
    assert abs(nodes.threshold[0] - 0.5) < 0.02
