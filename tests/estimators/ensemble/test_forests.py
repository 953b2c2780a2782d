"""Random forests and extremely randomised trees."""

import io
import time

import numpy as np
import pandas as pd
import pytest
import sklearn.ensemble
import sklearn.tree
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris, load_wine, make_friedman1
from sklearn.model_selection import StratifiedKFold, cross_val_score, train_test_split

import separatrix
from separatrix.core.packed_tree import PackedTree, fault_of_packed
from separatrix.designs.ranked import RankedDesign
from separatrix.ensemble import (
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    GradientBoostingClassifier,
    RandomForestClassifier,
    RandomForestRegressor,
)
from separatrix.persist.files import to_bytes
from separatrix.solvers.trees.nodes import apply
from separatrix.solvers.trees.packed import ends_of, unpack
from separatrix.tree import DecisionTreeClassifier, DecisionTreeRegressor

CLASSIFIERS = (RandomForestClassifier, ExtraTreesClassifier)
REGRESSORS = (RandomForestRegressor, ExtraTreesRegressor)
FORESTS = CLASSIFIERS + REGRESSORS


def data_for(forest, n=None):
    X, y = load_wine(return_X_y=True) if forest in CLASSIFIERS else load_diabetes(return_X_y=True)
    return X[:n], y[:n]


@pytest.mark.parametrize("forest", FORESTS)
def test_the_prediction_is_the_mean_of_the_trees(forest):
    X, y = data_for(forest)
    model = forest(n_estimators=7, random_state=0).fit(X, y)
    ask = "predict_proba" if forest in CLASSIFIERS else "predict"
    mean = np.mean([getattr(tree, ask)(X) for tree in model.estimators_], axis=0)
    np.testing.assert_allclose(getattr(model, ask)(X), mean, rtol=1e-14, atol=1e-15)


@pytest.mark.parametrize("forest", FORESTS)
def test_the_forest_is_the_same_at_any_number_of_threads(forest, monkeypatch):
    X, y = data_for(forest)
    forests = []
    for threads in ("1", "2", "4"):
        monkeypatch.setenv("SEPARATRIX_THREADS", threads)
        forests.append(forest(n_estimators=9, random_state=3).fit(X, y))
    for other in forests[1:]:
        for mine, its in zip(forests[0]._trees, other._trees, strict=True):
            for a, b in zip(mine, its, strict=True):
                np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("forest", FORESTS)
def test_a_whole_weight_is_a_repetition_given_the_same_samples(forest):
    X, y = data_for(forest, 120)
    s = np.random.default_rng(0).integers(0, 4, len(y)).astype(float)
    weighted = forest(n_estimators=8, random_state=5).fit(X, y, s)
    repeated = forest(n_estimators=8, random_state=5).fit(np.repeat(X, s.astype(int), 0), np.repeat(y, s.astype(int)))
    ask = "predict_proba" if forest in CLASSIFIERS else "predict"
    np.testing.assert_allclose(getattr(weighted, ask)(X), getattr(repeated, ask)(X), rtol=1e-12)


@pytest.mark.parametrize("forest", [ExtraTreesClassifier, ExtraTreesRegressor])
def test_rows_of_weight_zero_move_no_threshold(forest):
    """Thresholds are drawn among whole steps of a column: a far row that does not count must not stretch them."""
    X, y = data_for(forest, 120)
    s = np.ones(len(y) + 1)
    s[-1] = 0.0
    far = forest(n_estimators=8, random_state=5).fit(np.vstack([X, np.full(X.shape[1], 1e6)]), np.append(y, y[0]), s)
    without = forest(n_estimators=8, random_state=5).fit(X, y)
    for mine, its in zip(far._trees, without._trees, strict=True):
        np.testing.assert_array_equal(mine.threshold, its.threshold)


def test_importances_of_splits_that_gain_nothing_are_not_negative_and_the_forest_is_saved():
    """The first split of an exclusive or gains nothing but a rounding error, here one below 0."""
    random = np.random.default_rng(14)
    X = random.integers(0, 2, (20, 4)).astype(float)
    model = RandomForestClassifier(n_estimators=20, random_state=14).fit(X, X[:, 0] != X[:, 1])
    assert all(np.all(tree.feature_importances_ >= 0.0) for tree in model.estimators_)
    assert separatrix.load(io.BytesIO(to_bytes(model))).predict(X).tolist() == model.predict(X).tolist()


@pytest.mark.mission("EN-02")
def test_samples_hold_two_thirds_of_the_rows_and_can_be_drawn_again():
    X, y = load_breast_cancer(return_X_y=True)
    model = RandomForestClassifier(n_estimators=40, random_state=0).fit(X, y)
    shares = [len(np.unique(rows)) / len(y) for rows in model.estimators_samples_]
    assert abs(np.mean(shares) - (1.0 - np.exp(-1.0))) < 0.01
    tree = model.estimators_[4]
    counts = np.bincount(model.estimators_samples_[4], minlength=len(y))
    assert tree.tree_.weighted_n_node_samples[0] == counts.sum() == len(y)
    assert tree.tree_.n_node_samples[0] == np.count_nonzero(counts)


def test_a_tree_of_all_columns_on_all_rows_is_the_single_tree():
    X, y = load_breast_cancer(return_X_y=True)
    X = X[:, [0, 7, 21]] + 1e-9 * np.arange(len(y))[:, None]  # no two splits are equally good
    model = RandomForestClassifier(n_estimators=1, max_features=None, bootstrap=False, max_depth=3).fit(X, y)
    tree, alone = model.estimators_[0].nodes_, DecisionTreeClassifier(max_depth=3).fit(X, y).nodes_
    for name in ("column", "threshold", "left", "right", "missing", "parent", "weight", "n_samples"):
        np.testing.assert_array_equal(getattr(tree, name), getattr(alone, name), err_msg=name)
    np.testing.assert_allclose(tree.value, alone.value, rtol=1e-14, atol=1e-16)
    np.testing.assert_allclose(tree.impurity, alone.impurity, rtol=1e-12, atol=1e-15)


def test_impurities_of_inner_nodes_are_rebuilt_for_numbers_and_several_outputs():
    X, y = load_diabetes(return_X_y=True)
    X = X[:, [2]]  # no columns that split equally well
    for target in (y, np.column_stack([y, -y, X[:, 0]])):
        for criterion in ("squared_error", "absolute_error"):
            options = {"criterion": criterion, "min_samples_leaf": 9}
            model = RandomForestRegressor(n_estimators=1, bootstrap=False, **options).fit(X, target)
            tree, alone = model.estimators_[0].nodes_, DecisionTreeRegressor(**options).fit(X, target).nodes_
            np.testing.assert_allclose(tree.value, alone.value, rtol=1e-12, atol=1e-12)
            np.testing.assert_allclose(tree.impurity, alone.impurity, rtol=1e-9)


@pytest.mark.mission("EN-05")
@pytest.mark.parametrize("load", [load_breast_cancer, load_wine])
def test_a_random_forest_errs_less_than_one_tree_and_as_scikit_learns(load):
    X, y = load(return_X_y=True)
    apart, lead = [], []
    for seed in range(3):
        folds = StratifiedKFold(5, shuffle=True, random_state=seed)
        ours = cross_val_score(RandomForestClassifier(random_state=seed), X, y, cv=folds)
        theirs = cross_val_score(sklearn.ensemble.RandomForestClassifier(random_state=seed), X, y, cv=folds)
        apart.extend(ours - theirs)
        lead.append(ours.mean() - cross_val_score(DecisionTreeClassifier(), X, y, cv=folds).mean())
    assert min(lead) > 0.01
    # the same folds for both: their differences vary by the seeds alone
    assert abs(np.mean(apart)) < 4.0 * np.std(apart) / np.sqrt(len(apart)) + 0.5 / len(y)


@pytest.mark.mission("EN-05")
def test_the_normalised_information_gain_chooses_among_fewer_columns_than_there_are():
    X, y = load_iris(return_X_y=True)
    model = RandomForestClassifier(criterion="gain_ratio", random_state=0, oob_score=True).fit(X, y)
    assert model.max_features_ == 2 < X.shape[1]
    assert model.oob_score_ > 0.92
    by_gini = RandomForestClassifier(random_state=0).fit(X, y)
    assert [t.column.size for t in model._trees] != [t.column.size for t in by_gini._trees]
    # with all rows and all columns each tree begins with the split of the largest gain ratio, which is no other's
    plain = RandomForestClassifier(2, criterion="gain_ratio", bootstrap=False, max_features=None, max_depth=3)
    alone = DecisionTreeClassifier(criterion="gain_ratio", max_depth=3).fit(X, y).nodes_
    assert not np.array_equal(alone.weight, DecisionTreeClassifier(max_depth=3).fit(X, y).nodes_.weight)
    for tree in plain.fit(X, y).estimators_:
        np.testing.assert_array_equal(tree.nodes_.weight, alone.weight)


@pytest.mark.mission("EN-05")
def test_a_forest_by_gain_ratio_errs_less_than_one_such_tree():
    X, y = load_wine(return_X_y=True)
    forest = RandomForestClassifier(30, criterion="gain_ratio", random_state=0)
    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    one = cross_val_score(DecisionTreeClassifier(criterion="gain_ratio"), X, y, cv=folds).mean()
    assert cross_val_score(forest, X, y, cv=folds).mean() > one + 0.01


@pytest.mark.mission("EN-06")
def test_extra_trees_draw_thresholds_and_see_all_rows():
    X, y = load_breast_cancer(return_X_y=True)
    model = ExtraTreesClassifier(n_estimators=10, random_state=0).fit(X, y)
    tree = model.estimators_[0].tree_
    assert all(len(np.unique(rows)) == len(y) for rows in model.estimators_samples_)
    assert tree.n_node_samples[0] == len(y)
    inner = np.flatnonzero(tree.children_left >= 0)
    middles = 0
    for node in inner[:40]:
        x = np.unique(X[:, tree.feature[node]])
        middles += np.any(np.isclose(tree.threshold[node], (x[1:] + x[:-1]) / 2.0, rtol=0, atol=1e-12))
    assert middles < 10  # of a searched tree all are
    assert cross_val_score(ExtraTreesClassifier(random_state=0), X, y, cv=5).mean() > 0.95


def test_the_thresholds_of_extra_trees_are_uniform_between_the_ends():
    x = np.concatenate([np.zeros(50), np.full(50, 1.0)])[:, None]
    y = np.repeat([0.0, 1.0], 50)
    model = ExtraTreesRegressor(n_estimators=2000, random_state=0).fit(x, y)
    cuts = np.array([tree.threshold[0] for tree in model._trees])
    # Kolmogorov's distance from the uniform distribution; 1.95 / sqrt(n) is exceeded once in a thousand times
    ordered = np.sort(cuts)
    distance = np.abs(ordered - (np.arange(cuts.size) + 0.5) / cuts.size).max()
    assert distance < 1.95 / np.sqrt(cuts.size)


@pytest.mark.mission("EN-07")
def test_fewer_columns_make_trees_differ_more_and_small_leaves_lower_the_bias():
    X, y = make_friedman1(600, n_features=10, noise=1.0, random_state=0)
    X, X_test, y, _ = train_test_split(X, y, test_size=300, random_state=0)

    def correlation(m):
        model = RandomForestRegressor(60, max_features=m, min_samples_leaf=5, random_state=0).fit(X, y)
        answers = np.stack([tree.predict(X_test) for tree in model.estimators_])
        return np.corrcoef(answers)[np.triu_indices(60, 1)].mean()

    few, some, all_columns = correlation(1), correlation(4), correlation(10)
    assert few < some < all_columns

    def bias(least):
        model = ExtraTreesRegressor(100, min_samples_leaf=least, random_state=0).fit(X, y)
        return np.mean((model.predict(X) - y) ** 2)

    assert bias(1) < bias(10) < bias(60)


@pytest.mark.mission("EN-15")
@pytest.mark.parametrize("forest", REGRESSORS)
def test_forests_of_numbers_predict_means_and_are_as_good_as_scikit_learns(forest):
    X, y = make_friedman1(500, noise=1.0, random_state=1)
    theirs = getattr(sklearn.ensemble, forest.__name__)
    ours = cross_val_score(forest(60, random_state=0), X, y, cv=5).mean()
    assert abs(ours - cross_val_score(theirs(60, random_state=0), X, y, cv=5).mean()) < 0.03
    assert ours > cross_val_score(DecisionTreeRegressor(), X, y, cv=5).mean() + 0.1
    predicted = forest(20, random_state=0).fit(X, y).predict(X * 100.0)
    assert y.min() <= predicted.min() and predicted.max() <= y.max()


def test_the_out_of_bag_score_is_near_that_of_other_rows_and_is_recomputed_by_hand():
    X, y = load_breast_cancer(return_X_y=True)
    X, X_test, y, y_test = train_test_split(X, y, test_size=0.4, random_state=0)
    model = RandomForestClassifier(200, oob_score=True, random_state=0).fit(X, y)
    assert abs(model.oob_score_ - model.score(X_test, y_test)) < 0.03
    total, counts = np.zeros((len(y), 2)), np.zeros(len(y))
    for tree, rows in zip(model.estimators_, model.estimators_samples_, strict=True):
        out = np.setdiff1d(np.arange(len(y)), rows)
        total[out] += tree.predict_proba(X[out])
        counts[out] += 1
    np.testing.assert_allclose(model.oob_decision_function_, total / counts[:, None], rtol=1e-12)
    by_measure = RandomForestClassifier(200, oob_score=lambda a, b: 7.0, random_state=0).fit(X, y)
    assert by_measure.oob_score_ == 7.0


@pytest.mark.parametrize("forest", FORESTS)
def test_a_warm_start_ends_where_one_fit_ends(forest):
    X, y = data_for(forest)
    model = forest(n_estimators=4, warm_start=True, random_state=1).fit(X, y)
    model.set_params(n_estimators=9).fit(X, y)
    at_once = forest(n_estimators=9, random_state=1).fit(X, y)
    np.testing.assert_array_equal(model.predict(X), at_once.predict(X))
    np.testing.assert_array_equal(model.feature_importances_, at_once.feature_importances_)


@pytest.mark.parametrize("forest", FORESTS)
def test_every_forest_verifies_and_a_changed_leaf_does_not(forest):
    X, y = data_for(forest)
    model = forest(n_estimators=5, random_state=0).fit(X, y)
    assert model.certificate_.converged and separatrix.verify(model, X, y).converged
    tree = model._trees[2]
    tree.value[3] *= 1.01
    assert not separatrix.verify(model, X, y).converged


@pytest.mark.parametrize("forest", FORESTS)
def test_words_missing_cells_and_new_categories(forest, tmp_path):
    rng = np.random.default_rng(0)
    n = 300
    frame = pd.DataFrame(
        {
            "size": np.where(rng.random(n) < 0.1, np.nan, rng.standard_normal(n)),
            "town": rng.choice(["a", "b", "c", None], n),
            "rank": pd.Categorical(rng.choice(["low", "mid", "high"], n), ["low", "mid", "high"], ordered=True),
        }
    )
    score = frame["size"].fillna(0.5) + (frame["town"] == "a") * 2.0
    y = np.where(score > 0.8, "yes", "no") if forest in CLASSIFIERS else score
    model = forest(n_estimators=12, random_state=0, max_features=2).fit(frame, y)
    assert model.score(frame, y) > 0.8
    assert separatrix.verify(model, frame, y).converged
    strangers = frame.assign(town="zzz")
    assert np.isfinite(model.predict_proba(strangers) if forest in CLASSIFIERS else model.predict(strangers)).all()
    path = tmp_path / "forest.sepx"
    model.save(path)
    np.testing.assert_array_equal(separatrix.load(path).predict(strangers), model.predict(strangers))


@pytest.mark.parametrize("forest", FORESTS)
def test_best_first_trees_and_pruned_trees_are_packed_as_well(forest):
    X, y = data_for(forest)
    for options in ({"max_leaf_nodes": 6}, {"ccp_alpha": 0.01}, {"monotonic_cst": None, "max_depth": 2}):
        model = forest(n_estimators=4, random_state=0, **options).fit(X, y)
        for tree in model.estimators_:
            assert tree.get_n_leaves() <= 6 or "max_leaf_nodes" not in options
            ends = tree.apply(X)
            assert set(ends) <= set(np.flatnonzero(tree.nodes_.column < 0))
        np.testing.assert_array_equal(model.apply(X), np.stack([t.apply(X) for t in model.estimators_], axis=1))


def test_proximity_is_the_share_of_trees_with_a_common_leaf():
    X, y = load_iris(return_X_y=True)
    model = RandomForestClassifier(n_estimators=20, random_state=0).fit(X, y)
    ends = model.apply(X)
    np.testing.assert_allclose(model.proximity(X), (ends[:, None] == ends[None]).mean(axis=2))
    np.testing.assert_allclose(model.proximity(X[:3], X[5:9]), (ends[:3, None] == ends[None, 5:9]).mean(axis=2))
    indicator, starts = model.decision_path(X)
    assert indicator.shape[1] == starts[-1] == sum(t.column.size for t in model._trees)
    assert (indicator.sum(axis=1) >= 20).all()


def test_class_weights_are_factors_of_what_was_drawn():
    X, y = load_breast_cancer(return_X_y=True)
    plain = RandomForestClassifier(20, random_state=0, min_samples_leaf=20).fit(X, y)
    heavy = RandomForestClassifier(20, random_state=0, min_samples_leaf=20, class_weight={0: 10.0, 1: 1.0}).fit(X, y)
    assert (heavy.predict_proba(X)[:, 0] > plain.predict_proba(X)[:, 0]).mean() > 0.9
    for weights in ("balanced", "balanced_subsample"):
        model = RandomForestClassifier(5, random_state=0, class_weight=weights).fit(X, y)
        for tree in model.estimators_:
            root = tree.nodes_.value[0]
            assert abs(root[0] - 0.5) < (1e-12 if weights == "balanced_subsample" else 0.1)


def test_labels_of_several_columns():
    X, y = load_iris(return_X_y=True)
    both = np.column_stack([y, y == 1])
    model = RandomForestClassifier(15, random_state=0, oob_score=True).fit(X, both)
    shares = model.predict_proba(X)
    assert [each.shape for each in shares] == [(150, 3), (150, 2)]
    assert (model.predict(X) == both).mean() > 0.95
    assert model.oob_decision_function_.shape == (150, 3, 2) and model.oob_score_ > 0.9


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"oob_score": True, "bootstrap": False}, "bootstrap=True"),
        ({"max_samples": 5, "bootstrap": False}, "bootstrap=True"),
        ({"n_estimators": 0}, "n_estimators"),
        ({"class_weight": "even"}, "class_weight"),
        ({"criterion": "squared_error"}, "criterion"),
        ({"max_features": 0}, "max_features"),
    ],
)
def test_bad_parameters_are_refused(options, words):
    X, y = load_iris(return_X_y=True)
    with pytest.raises(ValueError, match=words):
        RandomForestClassifier(**options).fit(X, y)


def test_the_plain_grower_grows_the_tree_of_the_general_one():
    from separatrix.designs import as_design
    from separatrix.designs.ranked import rank_columns
    from separatrix.solvers.trees import grow as growing

    rng = np.random.default_rng(0)
    X = np.column_stack([rng.standard_normal((1500, 4)), rng.integers(0, 5, (1500, 2))])
    eta = X[:, 0] + np.sign(X[:, 1] * X[:, 2]) + 0.5 * rng.standard_normal(1500)
    ranked = rank_columns(as_design(X))
    rule = growing._rule

    def general(*arguments):
        return rule(*arguments)._replace(plain=False)

    for classes in (0, 2, 4):
        y = np.searchsorted(np.quantile(eta, np.arange(1, classes) / classes), eta) if classes else eta
        target = growing.TreeTarget(y.astype(np.int32)[:, None] if classes else y[:, None], classes)
        for s in (None, rng.integers(0, 4, 1500).astype(float)):
            for settings in (
                {},
                {"max_features": 2},
                {"min_samples_leaf": 7},
            ):
                options = growing.GrowOptions(criterion="gini" if classes else "squared_error", **settings)
                plain = growing.grow(ranked, target, s, options, 3)
                growing._rule = general
                try:
                    other = growing.grow(ranked, target, s, options, 3)
                finally:
                    growing._rule = rule
                for name in ("column", "threshold", "left", "right", "missing", "n_samples"):
                    np.testing.assert_array_equal(getattr(plain, name), getattr(other, name), err_msg=name)
                np.testing.assert_allclose(plain.value, other.value, rtol=1e-12, atol=1e-14)
                np.testing.assert_allclose(plain.impurity, other.impurity, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("least", [500, 600])
@pytest.mark.parametrize("of_classes", [False, True])
def test_the_only_allowed_split_is_found_where_most_rows_share_two_values(least, of_classes):
    x = np.concatenate([np.zeros(850), np.ones(850), 2.0 + np.arange(300.0)])[:, None]
    y = (x[:, 0] > 0) + 0.1 * np.random.default_rng(0).standard_normal(2000)
    y, ours, theirs = (
        (y > 0.5, DecisionTreeClassifier, sklearn.tree.DecisionTreeClassifier)
        if of_classes
        else (
            y,
            DecisionTreeRegressor,
            sklearn.tree.DecisionTreeRegressor,
        )
    )
    ours, theirs = (each(min_samples_leaf=least).fit(x, y) for each in (ours, theirs))
    np.testing.assert_allclose(ours.predict(x), theirs.predict(x), rtol=1e-12)
    assert ours.get_n_leaves() == theirs.get_n_leaves() > 1


def test_random_groupings_of_categories_leave_no_side_empty():
    rng = np.random.default_rng(0)
    X = np.array(["a", "b"], dtype=object)[rng.integers(0, 2, (300, 5))]
    y = rng.normal(size=300)
    model = ExtraTreesRegressor(10, max_features=1, random_state=0).fit(X, y)
    distinct = len({tuple(row) for row in X})
    assert [tree.get_n_leaves() for tree in model.estimators_] == [distinct] * 10
    leaves = [
        DecisionTreeRegressor(splitter="random", random_state=i).fit(X[:, :1], y).get_n_leaves() for i in range(9)
    ]
    assert leaves == [2] * 9


@pytest.mark.parametrize("forest", REGRESSORS)
def test_columns_of_noise_have_equal_importance_wherever_they_stand(forest):
    rng = np.random.default_rng(0)
    runs = [
        forest(60, random_state=r).fit(rng.normal(size=(40, 4)), rng.normal(size=40)).feature_importances_
        for r in range(25)
    ]
    means, errors = np.mean(runs, axis=0), np.std(runs, axis=0, ddof=1) / 5.0
    assert np.all(np.abs(means - 0.25) < 4.0 * errors)


def test_shares_of_rows_are_shares_of_all_rows():
    X, y = load_diabetes(return_X_y=True)
    model = RandomForestRegressor(5, min_samples_leaf=0.1, random_state=0).fit(X, y)
    least = min(tree.n_samples.min() for tree in model._trees)
    assert least >= np.ceil(0.1 * len(y))


@pytest.mark.parametrize("forest", FORESTS)
def test_a_refused_or_interrupted_fit_leaves_the_model_as_it_was(forest, monkeypatch):
    X, y = data_for(forest)
    model = forest(4, random_state=0).fit(X, y)
    before = model.predict(X)
    with pytest.raises(ValueError):
        model.fit(X[:, :3], y, sample_weight=np.full(len(y), -1.0))

    def interrupted(*_, **__):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("separatrix.estimators.ensemble.forest.grow", interrupted)
        with pytest.raises(KeyboardInterrupt):
            model.fit(X[:, :3], y)
        with pytest.raises(KeyboardInterrupt):
            forest().fit(X, y)
    assert model.n_features_in_ == X.shape[1]
    np.testing.assert_array_equal(model.predict(X), before)
    with pytest.raises(ValueError, match="features"):
        model.predict(X[:, :3])


@pytest.mark.parametrize("forest", FORESTS)
def test_a_warm_start_on_other_data_is_refused(forest):
    X, y = data_for(forest)
    model = forest(3, warm_start=True, random_state=0).fit(X, y)
    model.set_params(n_estimators=5)
    for rows, target in ((X[:, :3], y), (X[:90], y[:90])):
        with pytest.raises(ValueError, match="go on with"):
            model.fit(rows, target)
    if forest in CLASSIFIERS:
        with pytest.raises(ValueError, match="go on with classes"):
            model.fit(X, np.array(["u", "v", "w"])[y])
    model.fit(X, y)
    assert len(model) == 5


@pytest.mark.parametrize(
    "model, name",
    [
        (RandomForestRegressor(6, max_features=1.0, random_state=0), "codes_by_row"),
        (RandomForestRegressor(6, max_leaf_nodes=9, random_state=0), "sorted_keys"),
        (ExtraTreesRegressor(6, random_state=0), "places_by_row"),
        (GradientBoostingClassifier(n_estimators=1, max_leaf_nodes=4), "sorted_keys"),
    ],
    ids=["codes", "keys", "places", "boosting"],
)
def test_arrays_that_trees_share_are_made_once(model, name, monkeypatch):
    shared, calls = vars(RankedDesign)[name], []
    make = shared.func

    def slow(ranked):
        calls.append(name)
        time.sleep(0.1)  # long enough for the other threads to ask as well
        return make(ranked)

    monkeypatch.setattr(shared, "func", slow)
    monkeypatch.setenv("SEPARATRIX_THREADS", "4")
    monkeypatch.setattr("separatrix.core.threads.FEW_NUMBERS", 0)
    X, y = load_diabetes(return_X_y=True)
    model.fit(X, np.digitize(y, [100.0, 150.0, 200.0]))
    assert calls == [name]


def test_missing_values_go_the_same_way_in_a_packed_tree():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((400, 3))
    y = X[:, 0] + X[:, 1]
    hole = X.copy()
    hole[rng.random(X.shape) < 0.2] = np.nan
    for rows in (X, hole):
        model = RandomForestRegressor(6, random_state=0).fit(rows, y)
        ends = np.stack([tree.apply(hole) for tree in model.estimators_], axis=1)
        np.testing.assert_array_equal(model.apply(hole), ends)


@pytest.mark.parametrize("centre", [1.0, -1e9, 1e-300, 1e300])
def test_numbers_that_float32_cannot_tell_apart_go_their_own_ways(centre):
    """Ends by the packed tree, which compares in float32 first, and by the table of its nodes, which does not."""
    x = centre * (1.0 + np.arange(-40, 41) * np.finfo(float).eps)
    y = np.random.default_rng(0).standard_normal(len(x))
    model = RandomForestRegressor(3, bootstrap=False, random_state=0).fit(x[:, None], y)
    np.testing.assert_allclose(model.predict(x[:, None]), y, rtol=1e-15)  # each row has a leaf of its own
    rows = np.concatenate([x, [np.nan, np.inf, -np.inf, 3.5e38, 0.0]])[:, None]
    for tree in model._trees:
        table = unpack(tree)
        ends = np.cumsum(table.column < 0) - 1
        np.testing.assert_array_equal(ends_of(tree, rows), ends[apply(table, rows)])


def test_monotone_forests_and_prices_of_leaves():
    X, y = load_diabetes(return_X_y=True)
    model = RandomForestRegressor(10, monotonic_cst=[0, 0, 1] + [0] * 7, random_state=0, min_samples_leaf=5).fit(X, y)
    rows = np.repeat(X[:5], 50, axis=0)
    rows[:, 2] = np.tile(np.linspace(X[:, 2].min(), X[:, 2].max(), 50), 5)
    assert np.all(np.diff(model.predict(rows).reshape(5, 50), axis=1) >= 0.0)
    assert separatrix.verify(model, X, y).converged
    sizes = []
    for price in (0.0, 50.0):
        pruned = RandomForestRegressor(4, ccp_alpha=price, random_state=0).fit(X, y)
        sizes.append(sum(tree.weight.size for tree in pruned._trees))
    assert sizes[1] < 0.8 * sizes[0]


def test_weights_and_impurities_are_kept_only_where_they_say_more_than_the_counts():
    """Files of before hold them in any case: such a tree is the same."""
    X, y = load_wine(return_X_y=True)
    kept = [
        model.fit(X, y)._trees[0]
        for model in (ExtraTreesClassifier(1, random_state=0), RandomForestClassifier(1, random_state=0))
    ]
    kept.append(ExtraTreesClassifier(1, max_depth=2, random_state=0).fit(X, y)._trees[0])
    assert [(tree.weight.size > 0, tree.impurity.size > 0) for tree in kept] == [
        (False, False),
        (True, False),
        (False, True),
    ]
    full = kept[0]._replace(weight=kept[0].n_samples.astype(float), impurity=np.zeros(kept[0].n_samples.size))
    assert fault_of_packed(kept[0], 13, 3) == fault_of_packed(full, 13, 3) == ""
    assert "ends" in fault_of_packed(full._replace(weight=full.weight[1:]), 13, 3)
    assert "ends" in fault_of_packed(full._replace(impurity=full.impurity[1:]), 13, 3)
    for mine, its in zip(unpack(kept[0]), unpack(full), strict=True):
        np.testing.assert_array_equal(mine, its)
    assert unpack(full).weight[0] == len(y)


def test_a_tree_with_shared_children_is_refused():
    n = 12
    column, right = np.zeros(n, np.int32), np.arange(2, n + 2, dtype=np.int32)
    column[-2:], right[-2:] = -1, [0, 1]
    nothing = np.empty((0, 4), np.int32)
    tree = PackedTree(
        column, np.zeros(n), right, np.ones((2, 1)), np.ones(2), np.zeros(2), np.ones(2, np.int32), np.empty((0, 2)),
        nothing, np.empty(0, np.int32),
    )  # fmt: skip
    assert "child" in fault_of_packed(tree, 1, 1)
    X, y = load_diabetes(return_X_y=True)
    for good in RandomForestRegressor(3, random_state=0).fit(X, y)._trees:
        assert fault_of_packed(good, 10, 1) == ""


def test_tiny_targets_have_importances():
    X, y = load_diabetes(return_X_y=True)
    assert np.isfinite(RandomForestRegressor(4, random_state=0).fit(X, y * 1e-200).feature_importances_).all()
