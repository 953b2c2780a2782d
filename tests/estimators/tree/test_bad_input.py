"""Trees, rules and committees on data that are extreme, empty, endless or strange: an answer that is right, or an error
that says why there is none."""

import io

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone, is_classifier
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor

import separatrix
from separatrix.ensemble import (
    AdaBoostClassifier,
    AdaBoostRegressor,
    BaggingClassifier,
    BaggingRegressor,
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from separatrix.solvers.trees import grow
from separatrix.tree import (
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    ModelTreeClassifier,
    RuleListClassifier,
    export_text,
    rules,
)

SEEDED = {"random_state": 0}
MODELS = {
    "tree of classes": DecisionTreeClassifier(),
    "multiway tree": DecisionTreeClassifier(split="multiway", n_bins=4),
    "pruned tree": DecisionTreeClassifier(pruning="reduced_error", **SEEDED),
    "tree of numbers": DecisionTreeRegressor(),
    "tree of medians": DecisionTreeRegressor(criterion="absolute_error"),
    "tree of counts": DecisionTreeRegressor(criterion="poisson"),
    "tree pruned by price": DecisionTreeRegressor(ccp_alpha="1se", cv=3, **SEEDED),
    "rules": RuleListClassifier(),
    "rules by validation": RuleListClassifier(estimate="validation", **SEEDED),
    "bagged classes": BaggingClassifier(n_estimators=3, **SEEDED),
    "bagged numbers": BaggingRegressor(n_estimators=3, **SEEDED),
    "AdaBoost of stumps": AdaBoostClassifier(n_estimators=4),
    "AdaBoost of trees": AdaBoostClassifier(DecisionTreeClassifier(max_depth=2), n_estimators=3),
    "AdaBoost of numbers": AdaBoostRegressor(n_estimators=3, **SEEDED),
    "boosted classes": GradientBoostingClassifier(n_estimators=3, **SEEDED),
    "boosted numbers": GradientBoostingRegressor(n_estimators=3, **SEEDED),
    "histogram classes": HistGradientBoostingClassifier(max_iter=3, min_samples_leaf=2, **SEEDED),
    "histogram numbers": HistGradientBoostingRegressor(max_iter=3, min_samples_leaf=2, **SEEDED),
}
RANDOM = np.random.default_rng(0)
N = 40
X = RANDOM.normal(size=(N, 3))
AMOUNT = np.exp(X[:, 0] + 0.3 * RANDOM.normal(size=N))
CLASS = (np.median(AMOUNT) < AMOUNT).astype(int)
TAKE_GAPS = [name for name in MODELS if "AdaBoost of" not in name and "boosted" not in name]


def target(model):
    return CLASS if is_classifier(model) else AMOUNT


def hold(model, X, y, new=None, **weights):
    """Fit; hold predictions to be numbers, the certificate to be right, and a file to predict the same."""
    model = clone(model).fit(X, y, **weights)
    new = X if new is None else new
    answers = model.predict(new)
    if is_classifier(model):
        shares = model.predict_proba(new)
        np.testing.assert_allclose(shares.sum(axis=1), 1.0)
        assert np.isin(answers, model.classes_).all()
    else:
        assert np.isfinite(answers).all()
    certificate = separatrix.verify(model, X, y, **weights)
    assert certificate.converged, certificate
    file = io.BytesIO()
    separatrix.save(model, file)
    file.seek(0)
    np.testing.assert_array_equal(separatrix.load(file).predict(new), answers)
    return model


def refused(model, *given, match="Cannot", **weights):
    with pytest.raises(ValueError, match=match):
        clone(model).fit(*given, **weights)


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize(
    "scale", [1e300, 1e-300, np.array([1e300, 1e-300, 1.0]), np.array([1.7e308, 5e-324, 0.0])], ids=str
)
def test_columns_of_any_scale(name, scale):
    data = (X / np.abs(X).max() if np.max(scale) > 1e307 else X) * scale
    hold(MODELS[name], data, target(MODELS[name]))


@pytest.mark.parametrize("name", [name for name in MODELS if not is_classifier(MODELS[name])])
@pytest.mark.parametrize("scale", [1e-300, 1e-200, 1e140])
def test_targets_of_any_scale(name, scale):
    hold(MODELS[name], X, AMOUNT * scale)
    refused(MODELS[name], X, AMOUNT * 1e200, match="Cannot fit to y with numbers up to")


@pytest.mark.parametrize("name", MODELS)
def test_constant_columns_and_targets(name):
    model = MODELS[name]
    if name.startswith("AdaBoost of") and is_classifier(model):
        refused(model, np.ones((N, 3)), target(model), match="which guessing achieves")
    else:
        hold(model, np.ones((N, 3)), target(model))
    if not is_classifier(model):
        fitted = hold(model, X, np.full(N, 2.5))
        np.testing.assert_allclose(fitted.predict(X), 2.5)


@pytest.mark.parametrize("n", [1, 2])
@pytest.mark.parametrize("name", MODELS)
def test_one_row_and_two_rows(name, n):
    model, y = MODELS[name], np.array([0, 1]) if is_classifier(MODELS[name]) else np.array([1.0, 3.0])
    needs_two = is_classifier(model) and ("oost" in name or "histogram" in name)
    if "validation" in name or "pruned" in name:
        refused(model, X[:n], y[:n])
    elif n == 1 and needs_two:
        refused(model, X[:1], y[:1], match="one class")
    else:
        hold(model, X[:n], y[:n])


@pytest.mark.parametrize("name", MODELS)
def test_weights_of_zero_are_rows_that_are_not_there(name):
    model = MODELS[name]
    y, s = target(model), (np.arange(N) % 3 > 0).astype(float)
    weighted = hold(model, X, y, sample_weight=s)
    if "agged" not in name and "pruned" not in name and "validation" not in name and name != "AdaBoost of numbers":
        fewer = clone(model).fit(X[s > 0], y[s > 0])  # where rows are drawn, others may be
        np.testing.assert_array_equal(weighted.predict(X), fewer.predict(X))
    refused(model, X, y, sample_weight=np.zeros(N), match="all weights are zero")


@pytest.mark.parametrize("name", [name for name in MODELS if is_classifier(MODELS[name])])
def test_a_class_whose_weights_are_all_zero_is_no_fault_of_verification(name):
    three = np.arange(N) % 3
    hold(MODELS[name], X, three, sample_weight=(three < 2).astype(float))


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("size", [1e-300, 1e300, 1e308])
def test_weights_beyond_the_range_of_sums_are_refused(name, size):
    refused(MODELS[name], X, target(MODELS[name]), sample_weight=np.full(N, size), match="Cannot use sample_weight")


@pytest.mark.parametrize("name", MODELS)
def test_weights_that_differ_by_hundreds_of_orders(name):
    s = np.where(np.arange(N) % 2, 1.0, 1e-300)
    hold(MODELS[name], X, target(MODELS[name]), sample_weight=s)


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("columns", [[1], [0, 1, 2]], ids=["one", "all"])
def test_columns_without_a_value(name, columns):
    data = X.copy()
    data[:, columns] = np.nan
    if name in TAKE_GAPS or name == "AdaBoost of numbers":
        hold(MODELS[name], data, target(MODELS[name]))
    else:
        refused(MODELS[name], data, target(MODELS[name]), match="NaN")


@pytest.mark.parametrize("name", [name for name in TAKE_GAPS if "AdaBoost" not in name])
def test_columns_of_words_without_a_value(name):
    for empty in ([None] * N, pd.Categorical([None] * N, categories=["never"])):
        frame = pd.DataFrame({"a": empty, "b": X[:, 0]})
        hold(MODELS[name], frame, target(MODELS[name]))


@pytest.mark.parametrize("gap", [None, float("nan")])
@pytest.mark.parametrize(
    "model", [DecisionTreeClassifier(), RandomForestClassifier(**SEEDED), RuleListClassifier(), ModelTreeClassifier()]
)
def test_a_missing_word_of_an_array_may_be_none_or_nan(model, gap):
    table = np.array([["a", 1.0], ["b", 2.0], [gap, 3.0], ["b", 4.0]] * 5, dtype=object)
    other = table.copy()
    other[2::4, 0] = None
    one, two = (clone(model).fit(rows, [0, 1, 1, 1] * 5).predict_proba(rows) for rows in (table, other))
    assert np.array_equal(one, two)


@pytest.mark.parametrize("name", ["tree of classes", "rules", "histogram classes"])
def test_a_list_in_a_cell_is_refused_in_words(name):
    table = np.array([["a", 1.0], ["b", 2.0]] * 20, dtype=object)
    table[3, 0] = [1, 2]
    told = {"categorical_features": [0]} if name.startswith("histogram") else {}
    refused(clone(MODELS[name]).set_params(**told), table, CLASS, match="is a list")


def test_no_folds_are_no_way_to_choose_a_price():
    refused(DecisionTreeRegressor(ccp_alpha="best", cv=[]), X, AMOUNT, match="no folds")


@pytest.mark.mission("TR-02")
@pytest.mark.parametrize("name", TAKE_GAPS)
def test_a_category_that_training_has_not_met_ends_where_the_docs_say(name):
    model, words = clone(MODELS[name]), np.array(["a", "b", "c", "d"] * 10, dtype=object)
    y = np.isin(words, ["a", "d"]).astype(int) + (0 if is_classifier(model) else 1.0)
    y[:3] = 1
    if name.startswith("histogram"):  # counts as missing, as the documentation of categorical_features says
        frame = pd.DataFrame({"w": pd.Categorical(words)})
        new = pd.DataFrame({"w": pd.Categorical(["never met", "a", None])})
        fitted = hold(model, frame, y, new)
        assert fitted.predict(new)[0] == fitted.predict(new)[2]
        return
    table = np.column_stack([words, np.zeros(N, dtype=object)])
    new = np.array([["never met", 0.0], ["a", 0.0], [None, 0.0]], dtype=object)
    fitted = hold(model, table, y, new)
    if type(fitted) in (DecisionTreeClassifier, DecisionTreeRegressor) and fitted.nodes_.column[0] >= 0:
        root = fitted.nodes_.value[0]  # the default of the node that asks: here the root
        assert fitted.predict(new)[0] == (root.argmax() if is_classifier(fitted) else root[0])


LEVELS = [f"level {i}" for i in range(70_000)]


@pytest.mark.parametrize("split", ["binary", "multiway"])
@pytest.mark.parametrize("n_levels", [1_000, 70_000])
def test_very_many_levels(n_levels, split):
    rows = RANDOM.permutation(2 * n_levels) % n_levels
    table = np.column_stack([np.array(LEVELS, dtype=object)[rows], RANDOM.random(rows.size).astype(object)])
    new = np.array([["never met", 0.5], [LEVELS[0], 0.5], [None, 0.5]], dtype=object)
    y = rows * 7919 % 3
    model = DecisionTreeClassifier(split=split, max_depth=8)
    if split == "multiway" and n_levels > 65_000:
        return refused(model, table, y, match="at most 65,000 children")
    fitted = hold(model, table, y, new)
    assert len(rules.to_sql(fitted)) > n_levels
    listed = RuleListClassifier(DecisionTreeClassifier(split=split, max_depth=3 if n_levels > 1_000 else 8))
    hold(listed, table, y, new)


def test_boosting_by_histograms_refuses_more_levels_than_bins():
    codes = RANDOM.integers(0, 1_000, (4_000, 1)).astype(float)
    model = HistGradientBoostingRegressor(categorical_features=[0])
    refused(model, codes, codes[:, 0], match="Cannot take column 0 for categories: it has .* max_bins=255")


def test_a_tree_whose_routes_fill_the_memory_is_refused(monkeypatch):
    monkeypatch.setattr(grow, "MOST_ROUTES", 100_000)
    rows = np.arange(4_000) % 1_000
    table = np.column_stack([np.array(LEVELS, dtype=object)[rows], np.zeros(4_000, dtype=object)])
    y = RANDOM.normal(size=4_000)
    refused(DecisionTreeRegressor(), table, y, match="each split keeps a place for all of up to 1,000 categories")
    hold(DecisionTreeRegressor(max_leaf_nodes=50), table, y)


@pytest.mark.parametrize("share", [1e-9, 0.02, 0.98])
def test_a_share_too_small_to_prune_on_is_refused(share):
    for make in (DecisionTreeClassifier, DecisionTreeRegressor):
        model = make(pruning="reduced_error", validation_fraction=share)
        refused(model, X, CLASS, match=r"Cannot prune on validation_fraction=.* of n_samples = 40: that leaves \d to")
    listed = RuleListClassifier(estimate="validation", validation_fraction=share)
    refused(listed, X, CLASS, match=r"too few.*estimate='pessimistic'")
    lonely = np.arange(N)
    refused(listed, X, lonely, match="of each class a row is kept to learn from")


DEPTH = 5_500
CHAIN = np.arange(float(DEPTH + 1))[:, None]
TURNS = np.arange(DEPTH + 1) % 2
DEEP = {
    "tree of classes": DecisionTreeClassifier(),
    "tree of numbers": DecisionTreeRegressor(),
    "tree pruned by price": DecisionTreeClassifier(ccp_alpha="best", cv=2),
    "pruned tree": DecisionTreeClassifier(pruning="reduced_error", **SEEDED),
    "rules": RuleListClassifier(),
    "rules of all leaves": RuleListClassifier(estimate=None),
    "bagged classes": BaggingClassifier(n_estimators=2, bootstrap=False, **SEEDED),
    "AdaBoost of trees": AdaBoostClassifier(DecisionTreeClassifier(), n_estimators=2),
    "boosted classes": GradientBoostingClassifier(n_estimators=2, max_depth=None),
    "histogram classes": HistGradientBoostingClassifier(max_iter=2, max_leaf_nodes=None, min_samples_leaf=1),
}


@pytest.mark.parametrize("name", DEEP)
def test_a_chain_of_thousands_of_questions(name):
    hold(DEEP[name], CHAIN, TURNS)


def test_a_tree_deeper_than_calls_may_nest_is_read_pruned_and_written():
    model = DecisionTreeClassifier().fit(CHAIN, TURNS)
    assert model.get_depth() == DEPTH
    assert len(export_text(model)) > 0
    assert len(rules.extract(model)) == len(rules.assess(model, CHAIN, TURNS)) == DEPTH + 1
    assert rules.to_sql(model).count("WHEN") == DEPTH
    path = model.cost_complexity_pruning_path(CHAIN, TURNS)
    pruned = DecisionTreeClassifier(ccp_alpha=path.ccp_alphas[-1]).fit(CHAIN, TURNS)
    assert pruned.get_depth() < DEPTH


@pytest.mark.parametrize("weighted", [False, True])
def test_members_whose_fit_takes_no_weights(weighted):
    weights = {"sample_weight": 0.5 + RANDOM.random(N)} if weighted else {}
    neighbours, of_numbers = KNeighborsClassifier(), KNeighborsRegressor()
    assert BaggingClassifier(neighbours, **SEEDED).fit(X, CLASS, **weights).score(X, CLASS) > 0.7
    assert BaggingRegressor(of_numbers, **SEEDED).fit(X, AMOUNT, **weights).score(X, AMOUNT) > 0.3
    assert AdaBoostRegressor(of_numbers, **SEEDED).fit(X, AMOUNT, **weights).score(X, AMOUNT) > 0.3
    refused(AdaBoostClassifier(neighbours), X, CLASS, match="takes no sample_weight.*BaggingClassifier", **weights)
    from_neighbours = GradientBoostingRegressor(init=of_numbers, n_estimators=2)
    if weighted:
        refused(from_neighbours, X, AMOUNT, match="does not support sample weights", **weights)
    else:
        assert from_neighbours.fit(X, AMOUNT).score(X, AMOUNT) > 0.3


@pytest.mark.parametrize("name", MODELS)
def test_infinite_numbers_are_refused(name):
    data = X.copy()
    data[3, 1] = np.inf
    refused(MODELS[name], data, target(MODELS[name]), match="infinity")


def staff(backend):
    """A frame with a date, a duration and a word in each row."""
    frame = pd.DataFrame(
        {
            "start": pd.to_datetime("2020-01-01") + pd.to_timedelta(np.arange(20), unit="D"),
            "leave": pd.to_timedelta(np.arange(20), unit="D"),
            "town": ["a", "b"] * 10,
        }
    )
    if backend == "pandas":
        return frame
    module = pytest.importorskip(backend)
    return module.from_pandas(frame) if backend == "polars" else module.Table.from_pandas(frame)


@pytest.mark.parametrize("backend", ["pandas", "polars", "pyarrow"])
@pytest.mark.parametrize("model", [DecisionTreeRegressor(), RandomForestRegressor(2, random_state=0)])
def test_dates_and_durations_are_refused_by_name_unless_they_are_asked_for_as_labels(model, backend):
    frame, y = staff(backend), np.arange(20.0)
    for columns in (["start", "town"], ["leave", "town"], ["start"]):
        with pytest.raises(ValueError, match=f"split column '{columns[0]}'.*numbers in its place"):
            clone(model).fit(frame[columns] if backend != "pyarrow" else frame.select(columns), y)
    assert clone(model).set_params(categorical_features=["start", "leave", "town"]).fit(frame, y).n_features_in_ == 3


def test_an_ordered_dictionary_of_pyarrow_is_split_between_neighbouring_levels():
    pyarrow = pytest.importorskip("pyarrow")
    size = pd.Categorical(["S", "M", "L", "XL"] * 5, categories=["S", "M", "L", "XL"], ordered=True)
    frame, y = pd.DataFrame({"size": size, "x": 0.0}), np.array([0.0, 0.0, 1.0, 1.0] * 5)
    ours = DecisionTreeRegressor().fit(pyarrow.Table.from_pandas(frame), y)
    assert ours.nodes_.threshold[0] == 1.5 == DecisionTreeRegressor().fit(frame, y).nodes_.threshold[0]
    plain = frame.assign(size=size.as_unordered())
    assert DecisionTreeRegressor().fit(pyarrow.Table.from_pandas(plain), y).nodes_.offset[0] >= 0


def test_thresholds_are_written_without_the_rounding_of_a_mean():
    X = np.array([[42.3], [42.4]])
    model = DecisionTreeRegressor().fit(X, [1.0, 2.0])
    assert repr(float(model.nodes_.threshold[0])) != "42.35"
    assert rules.to_text(model, feature_names=["age"]).splitlines() == [
        "if age <= 42.35 then 1  (support 1)",
        "if age > 42.35 or missing then 2  (support 1)",
    ]


@pytest.mark.parametrize(
    "name", ["max_depth", "max_leaf_nodes", "min_samples_split", "min_samples_leaf", "min_impurity_decrease"]
)
def test_a_number_beyond_64_bits_asks_for_what_a_large_one_does(name):
    X, y = np.arange(12.0)[:, None], np.arange(12.0) ** 2
    large, beyond = (DecisionTreeRegressor(**{name: number}).fit(X, y) for number in (10**6, 10**20))
    np.testing.assert_array_equal(beyond.predict(X + 0.3), large.predict(X + 0.3))
