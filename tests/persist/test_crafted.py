"""Files with right hashes and hostile contents: refused before an object exists, so that using it is safe, too."""

import io
import operator
import sys
from pathlib import Path

import numpy as np
import pytest
from scipy import sparse
from sklearn.compose import ColumnTransformer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

import separatrix
from separatrix.core import registry
from separatrix.discriminant_analysis import FisherDiscriminant, LinearDiscriminantAnalysis, MeanDifference
from separatrix.ensemble import GradientBoostingRegressor
from separatrix.estimators.preparation.compose import pipeline
from separatrix.graphical import ChowLiuTree
from separatrix.linear_model import LogisticRegression, Ridge, SGDClassifier
from separatrix.local import LocalLinearRegression, LocalLogisticRegression
from separatrix.naive_bayes import BernoulliNB, GaussianNB, MixedNB
from separatrix.neighbors import KNeighborsClassifier
from separatrix.persist import CannotLoad, CannotSave, light
from separatrix.persist.attributes import FITTED, PARAMETERS, RECORDS
from separatrix.persist.class_attributes import OWN
from separatrix.persist.files import to_bytes
from separatrix.preprocessing import GaussianBasis, NaturalSpline, PolynomialFeatures
from separatrix.tables.understanding import ColumnFacts, Understanding
from separatrix.tree import RuleListClassifier

sys.path.insert(0, str(Path(__file__).parent))
sys.path.insert(0, str(Path(__file__).parents[1] / "contracts"))
import test_persist
import used
from mutations import closed, load, opened, save

RNG = np.random.default_rng(0)
X = RNG.normal(size=(30, 3))
Y = X @ [1.0, -1.0, 0.5] + RNG.normal(size=30)
TWO = (Y > 0.0).astype(int)
LONGER = [("X", np.zeros((3, 90))), ("y", np.zeros(7)), ("s", np.ones(7)), ("mix", np.eye(9))]
NAME = operator.attrgetter("__class__.__name__")
WORDS = RNG.choice(["a", "b", "c"], size=(30, 2)).astype(object)


def crafted(model, *changes):
    """The file of a model with other values in the place of attributes: (class, attribute, value), in order."""
    manifest, arrays = opened(to_bytes(model))
    kept = [tensor for _, tensor in sorted(load(arrays).items(), key=lambda pair: int(pair[0]))]
    for name, attribute, value in changes:
        state = next(node["state"] for node in manifest["objects"] if node["class"] == name)
        if isinstance(value, np.ndarray):
            kept.append(value)
            value = {"is": "array", "at": len(kept) - 1, "dtype": value.dtype.str, "shape": list(value.shape)}
        state[attribute] = value
    manifest["arrays"]["count"] = len(kept)
    return closed(manifest, save({str(i): tensor for i, tensor in enumerate(kept)}))


def refused(content, match):
    with pytest.raises(CannotLoad, match=match):
        separatrix.load(io.BytesIO(content))


@pytest.mark.parametrize("change", [{"pos": -1}, {"pos": 2**31}, {"pos": 625}, {"key": np.zeros(3, "u4")}])
def test_a_source_of_random_numbers_out_of_its_range_is_refused(change):
    random = np.random.RandomState(0)
    content = to_bytes(SGDClassifier(random_state=random, max_iter=2, tol=None).fit(X, TWO))
    manifest, arrays = opened(content)
    kept = [tensor for _, tensor in sorted(load(arrays).items(), key=lambda pair: int(pair[0]))]
    node = next(n for n in manifest["objects"] if n["class"] == "SGDClassifier")["state"]["random_state"]
    parts = dict(node["state"]["items"])["state"]["items"]
    for pair in parts:
        if pair[0] in change and isinstance(change[pair[0]], int):
            pair[1] = change[pair[0]]
        elif pair[0] in change:
            kept.append(change[pair[0]])
            pair[1].update(at=len(kept) - 1, shape=[3])
    manifest["arrays"]["count"] = len(kept)
    refused(closed(manifest, save({str(i): tensor for i, tensor in enumerate(kept)})), "random numbers")


@pytest.mark.parametrize("bias", [-(2**40), 5, 0.5, "yes", None])
def test_a_bias_that_is_neither_true_nor_false_is_refused(bias):
    content = crafted(PolynomialFeatures(2).fit(X), ("PolynomialFeatures", "include_bias", bias))
    refused(content, "'include_bias' of its PolynomialFeatures")


@pytest.mark.parametrize("change", [("degree", 10**6), ("n_output_features_", 3), ("n_features_in_", 1000)])
def test_a_polynomial_that_expands_to_other_columns_than_it_says_is_refused(change):
    refused(crafted(PolynomialFeatures(2).fit(X), ("PolynomialFeatures", *change)), "PolynomialFeatures")


ENDLESS = [
    {"n_features_in_": 1, "degree": 2**19, "n_output_features_": 1 + 2**19},  # names of 2^37 factors
    {"n_features_in_": 19, "degree": 2**20, "interaction_only": True, "n_output_features_": 2**19},  # as many sizes
    {"n_features_in_": 2**62, "degree": [2**20, 2**20], "n_output_features_": 7},  # a number of columns of 2^25 digits
]


@pytest.mark.parametrize("changes", ENDLESS, ids=["names", "sizes", "count"])
def test_a_polynomial_whose_columns_take_forever_to_name_or_to_count_is_refused(changes):
    changes = [("PolynomialFeatures", name, value) for name, value in changes.items()]
    refused(crafted(PolynomialFeatures(2).fit(X), *changes), "PolynomialFeatures")


@pytest.mark.parametrize("model", [LinearDiscriminantAnalysis(), FisherDiscriminant(), MeanDifference()], ids=NAME)
@pytest.mark.parametrize("columns", [-1, 4, 2**20, 2**40])
def test_a_discriminant_that_makes_more_columns_than_it_has_axes_is_refused(model, columns):
    refused(crafted(model.fit(X, TWO), (NAME(model), "_n_features_out", columns)), NAME(model))


def test_a_spline_that_makes_more_columns_than_its_knots_is_refused():
    model = NaturalSpline().fit(X)
    for widths in (model.df_ + 1, np.full(3, 2**40)):
        refused(crafted(model, ("NaturalSpline", "df_", widths)), "NaturalSpline")


def test_a_model_that_claims_very_many_columns_without_numbers_for_them_is_refused():
    plain = StandardScaler(with_mean=False, with_std=False)
    for step in (plain, ColumnTransformer([("a", plain, [0])])):
        model = make_pipeline(step, Ridge()).fit(X, Y)
        refused(crafted(model, (f"sklearn:{NAME(step)}", "n_features_in_", 2**40)), "more columns than it has numbers")
    sparsified = LogisticRegression().fit(X, TWO).sparsify()
    manifest, arrays = opened(to_bytes(sparsified))
    state = next(node["state"] for node in manifest["objects"] if node["class"] == "LogisticRegression")
    state["coef_"]["shape"], state["n_features_in_"] = [1, 2**40], 2**40
    refused(closed(manifest, arrays), "more columns than it has numbers for")


def test_an_array_without_numbers_has_no_endless_axis():
    model = GaussianBasis(X[:4]).fit(X)
    manifest, arrays = opened(to_bytes(model))
    kept = [
        *(tensor for _, tensor in sorted(load(arrays).items(), key=lambda pair: int(pair[0]))),
        np.empty((2**40, 0)),
    ]
    state = manifest["objects"][-1]["state"]
    state["n_features_in_"] = 0
    state["centers_"] = {"is": "array", "at": len(kept) - 1, "dtype": "<f8", "shape": [2**40, 0]}
    manifest["arrays"]["count"] = len(kept)
    refused(closed(manifest, save({str(i): tensor for i, tensor in enumerate(kept)})), "shape")


@pytest.mark.parametrize("model", [LocalLinearRegression(), LocalLogisticRegression()], ids=lambda m: type(m).__name__)
@pytest.mark.parametrize("change", LONGER)
def test_rows_of_a_local_model_that_are_more_than_its_targets_are_refused(model, change):
    content = crafted(model.fit(X, TWO), ("LocalData", *change))
    refused(content, "do not fit together" if change[0] == "mix" else "of its LocalData is not")


def test_classes_of_a_local_model_that_it_does_not_have_are_refused():
    model = LocalLogisticRegression().fit(X, RNG.integers(0, 3, 30))
    refused(crafted(model, ("LocalData", "y", np.full(30, 1e9))), "LocalData")


def test_coefficients_of_another_length_are_refused():
    for model in (Ridge().fit(X, Y), LogisticRegression().fit(X, TWO)):
        name = type(model).__name__
        refused(crafted(model, (name, "coef_", np.zeros((1, 2)))), "'coef_'")
        refused(crafted(model, (name, "coef_", np.full((1, 3), np.nan))), "'coef_'")
        refused(crafted(model, (name, "n_features_in_", 4)), "'coef_'")


def test_a_model_that_does_not_say_how_many_columns_it_has_is_refused():
    manifest, arrays = opened(to_bytes(Ridge().fit(X, Y)))
    del next(node["state"] for node in manifest["objects"] if node["class"] == "Ridge")["n_features_in_"]
    refused(closed(manifest, arrays), "how many columns")


def test_a_walker_of_another_length_is_refused():
    model = SGDClassifier(random_state=0, average=True).fit(X, TWO)
    for name in ("beta", "averaged"):
        refused(crafted(model, ("Walker", name, np.zeros(2))), "_walkers|Walker")


def test_a_tally_of_another_size_is_refused():
    refused(crafted(GaussianNB().fit(X, TWO), ("ClassMoments", "means", np.zeros((2, 9)))), "_tally|ClassMoments")


def test_rows_that_are_not_those_of_the_targets_are_refused():
    model = KNeighborsClassifier().fit(X, TWO)
    refused(crafted(model, ("KNeighborsClassifier", "_y", np.zeros(3, "i8"))), "'_y'")
    refused(crafted(model, ("Index", "X", np.zeros((3, 3)))), "'_index'")


@pytest.mark.parametrize("layout", [np.asarray, sparse.csr_array], ids=["dense", "sparse"])
def test_neighbours_by_given_distances_survive_their_file_and_spoilt_ones_are_refused(layout):
    distances = np.abs(X[:, :1] - X[:, 0])
    model = KNeighborsClassifier(metric="precomputed").fit(layout(distances), TWO)
    again = separatrix.load(io.BytesIO(to_bytes(model)))
    assert (again.predict(layout(distances[:5])) == model.predict(layout(distances[:5]))).all()
    for other in (np.zeros((30, 3)), np.zeros((3, 30)), -np.ones((30, 30)), np.full((30, 30), np.nan)):
        refused(crafted(model, ("Precomputed", "X", other)), "Precomputed|'_index'|KNeighborsClassifier")


@pytest.mark.parametrize("codes", [np.full(30, 2), np.full(30, 2**40), np.full(30, 0.5)])
def test_labels_of_stored_rows_that_are_no_places_in_the_classes_are_refused(codes):
    model = KNeighborsClassifier().fit(X, TWO)
    refused(crafted(model, ("KNeighborsClassifier", "_y", codes)), "KNeighborsClassifier")


def test_a_mixed_model_without_a_part_for_each_distribution_is_refused():
    model = MixedNB().fit(np.column_stack([X, TWO]), TWO)
    words = [{"gaussian": "bernoulli"}.get(kind, kind) for kind in model.distributions_]
    refused(crafted(model, ("MixedNB", "distributions_", words)), "MixedNB")
    refused(crafted(model, ("MixedNB", "distributions_", ["strange"] * 4)), "MixedNB")


def test_a_reader_without_classes_refuses_what_does_not_fit_together():
    facts = (ColumnFacts("a", "number", 0, 30), ColumnFacts("b", "number", 0, 30))
    known = Understanding("t.csv", 30, 0, "y", "classification", facts)
    table = {"a": X[:, 0], "b": X[:, 1]}
    for model, attribute, value in (
        (KNeighborsClassifier(), "_y", np.full(30, 2**40)),
        (GaussianNB(), "theta_", np.zeros((2, 3))),
        (BernoulliNB(), "_log_absent", np.zeros((3, 2))),
    ):
        whole = pipeline(known, "standard", model).fit(table, TWO)
        assert light(io.BytesIO(to_bytes(whole))) is not None
        with pytest.raises(CannotLoad):
            light(io.BytesIO(crafted(whole, (type(model).__name__, attribute, value))))


@pytest.mark.parametrize("part, value", [(1, [0, 0, 9]), (1, [-1, 0, 1]), (2, [0, 3, 2, 3]), (2, [0, 1, 2, 9])])
def test_a_sparse_array_with_a_place_outside_of_it_is_refused(part, value):
    model = Ridge()
    model.extra_ = sparse.csr_array(np.eye(3))
    manifest, arrays = opened(to_bytes(model))
    kept = [tensor.copy() for _, tensor in sorted(load(arrays).items(), key=lambda pair: int(pair[0]))]
    node = manifest["objects"][0]["state"]["extra_"]["parts"][part]
    kept[node["at"]][:] = value
    refused(closed(manifest, save({str(i): tensor for i, tensor in enumerate(kept)})), "sparse")


def test_an_encoder_that_makes_other_columns_than_its_categories_is_refused():
    model = make_pipeline(OneHotEncoder(), Ridge()).fit(WORDS, Y)
    refused(crafted(model, ("sklearn:OneHotEncoder", "_n_features_outs", [3, 1])), "OneHotEncoder")
    refused(crafted(model, ("sklearn:OneHotEncoder", "_n_features_outs", [3, 2**40])), "OneHotEncoder")


def test_a_scaler_of_another_length_is_refused():
    model = make_pipeline(StandardScaler(), Ridge()).fit(X, Y)
    refused(crafted(model, ("sklearn:StandardScaler", "scale_", np.ones(2))), "'scale_'")


def test_trees_of_a_committee_that_overlap_are_refused():
    model = GradientBoostingRegressor(n_estimators=3).fit(X, Y)
    first, second, _ = model._trees.roots
    left = model._trees.left.copy()
    left[0] = second + 1  # a node of the next tree
    twice = np.where(model._trees.column >= 0, model._trees.left, model._trees.right)
    for name, value in (
        ("roots", np.zeros(3, np.int64)),
        ("roots", np.array([first, first, second])),
        ("roots", np.array([first + 1, second])),
        ("left", left),
        ("right", twice),
    ):
        refused(crafted(model, ("Trees", name, value)), "Trees")
    left[0] = second  # the next tree in the place of a child
    missing = np.where(np.arange(len(left)) == 0, model._trees.right, model._trees.missing)
    refused(crafted(model, ("Trees", "left", left), ("Trees", "missing", missing)), "Trees")


@pytest.mark.parametrize("name, change", [
    ("bounds", lambda array: array + 100),
    ("bounds", lambda array: array - 1),
    ("bounds", lambda array: array[::-1].copy()),
    ("bounds", lambda array: array[:-1]),
    ("offset", lambda array: array + 1),
    ("offset", lambda array: np.append(array[:-2], array[-1:])),
    ("start", lambda array: array + 1),
    ("column", lambda array: array + 3),
    ("value", lambda array: array[:, :1]),
    ("value", lambda array: -array),
    ("weight", lambda array: array[1:]),
    ("estimate", lambda array: array * np.nan),
])  # fmt: skip
def test_rules_whose_numbers_do_not_fit_together_are_refused(name, change):
    model = RuleListClassifier().fit(X, TWO)
    assert len(model.rules_.column) > 1
    refused(crafted(model, ("RuleTable", name, change(getattr(model.rules_, name)))), "RuleTable|RuleListClassifier")


def test_what_no_reader_would_take_is_not_written():
    model = Ridge().fit(X, Y)
    model.coef_ = np.full(3, np.inf)
    with pytest.raises(CannotSave, match="'coef_'"):
        to_bytes(model)


@pytest.mark.parametrize("name, cls", sorted(registry.members("estimator").items()))
def test_every_array_and_record_that_an_estimator_holds_has_a_kind(name, cls):
    known = {**PARAMETERS, **FITTED, **OWN.get(name, {}), **dict.fromkeys(READ_BY_PYTHON)}
    for _, _, model in test_persist.fits(cls):
        held = test_persist.stored(model)
        unknown = {n for n, v in held.items() if isinstance(v, np.ndarray) or type(v).__name__ in RECORDS} - set(known)
        assert not unknown, f"state their kinds in persist/attributes.py: {unknown}"


# Arrays that numpy alone reads, in reports of a fit.
READ_BY_PYTHON = {
    "alphas_", "mse_path_", "scores_", "mean_scores_", "n_iter_", "C_", "Cs_", "l1_ratio_", "l1_ratios_", "df_",
    "eigenvalues_", "explained_variance_ratio_", "error_history_", "_sphered", "width_", "threshold_",
}  # fmt: skip


def test_crafted_files_can_be_used_without_a_crash():
    failures, loaded = used.run(480, seed=1)
    assert failures == {}
    assert loaded > 90


def test_no_loop_reads_beyond_an_array_of_a_crafted_file():
    failures, loaded = used.run(480, seed=3, look=used.look_at_checked)
    assert failures == {}
    assert loaded > 90


@pytest.mark.slow
def test_twenty_thousand_crafted_files_can_be_used_without_a_crash():
    failures, loaded = used.run(20_000, seed=2)
    assert failures == {}
    assert loaded > 2_000


@pytest.mark.parametrize("parents", [[1, 2, 0], [0, 1, 2], [-1, -1, 0], [-1, 2, 1]], ids=str)
def test_parents_that_make_no_tree_are_refused(parents):
    model = ChowLiuTree().fit(np.sign(X) > 0.0)
    with pytest.raises(CannotLoad):
        separatrix.load(io.BytesIO(crafted(model, ("ChowLiuTree", "parents_", np.array(parents)))))
