"""The classifier by Chow-Liu trees: Bayes' theorem on tables, scikit-learn's checks, files, comparisons."""

from itertools import product

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from sklearn.utils.estimator_checks import parametrize_with_checks

import separatrix
from separatrix.assess import compare
from separatrix.core.errors import IncompleteRows
from separatrix.graphical import ChowLiuClassifier, ChowLiuTree
from separatrix.naive_bayes import CategoricalNB

# Every number is a category of its own there, and rows of weight zero, or rows of a grid, bring new ones.
NEW_CATEGORIES = "rows to be predicted hold numbers that the fit has not met: no category of the fit"
EXPECTED = {
    "check_sample_weight_equivalence_on_dense_data": NEW_CATEGORIES,
    "check_classifiers_one_label_sample_weights": NEW_CATEGORIES,
    "check_decision_proba_consistency": NEW_CATEGORIES,
}


def failing(estimator):
    tree = isinstance(estimator, ChowLiuTree)
    return {name: why for name, why in EXPECTED.items() if not tree or "equivalence" in name}


@parametrize_with_checks([ChowLiuTree(), ChowLiuClassifier()], expected_failed_checks=failing)
def test_scikit_learns_checks(estimator, check):
    check(estimator)


def exclusive_or(n=200, seed=0):
    """The class is whether two switches differ, nearly always: each switch alone says nothing."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 2, (n, 3))
    return X, np.where(rng.random(n) < 0.95, X[:, 0] ^ X[:, 1], rng.integers(0, 2, n))


def test_posteriors_are_those_of_bayes_theorem_on_the_tables_of_the_trees():
    X, y = exclusive_or()
    model = ChowLiuClassifier(priors=[0.3, 0.7]).fit(X, y)
    trees = [ChowLiuTree(categories=[[0, 1]] * 3).fit(X[y == c]) for c in (0, 1)]
    joint = np.stack([0.3 * trees[0].joint_table(), 0.7 * trees[1].joint_table()])
    expected = (joint / joint.sum(axis=0)).reshape(2, -1).T
    cells = np.array(list(product([0, 1], repeat=3)))
    assert_allclose(model.predict_proba(cells), expected, rtol=1e-12)
    assert_allclose(model.score_samples(cells), np.log(joint.sum(axis=0)).ravel(), rtol=1e-12)
    assert model.n_parameters_ == 2 * (1 + 2 + 2) + 1


def test_a_tree_sees_what_naive_bayes_cannot():
    X, y = exclusive_or(2000)
    assert ChowLiuClassifier().fit(X[1000:], y[1000:]).score(X[:1000], y[:1000]) > 0.94
    assert CategoricalNB().fit(X[1000:], y[1000:]).score(X[:1000], y[:1000]) < 0.6


def test_missing_cells_are_summed_over():
    X, y = exclusive_or()
    model = ChowLiuClassifier().fit(X, y)
    row = np.array([[1.0, np.nan, 0.0]])
    both = [np.exp(model.predict_joint_log_proba([[1, v, 0]])) for v in (0, 1)]
    assert_allclose(np.exp(model.predict_joint_log_proba(row)), both[0] + both[1], rtol=1e-12)


def test_weights_are_repetitions_and_classes_of_no_weight_do_not_exist():
    X, y = exclusive_or()
    s = np.random.default_rng(2).integers(0, 3, len(y))
    weighted = ChowLiuClassifier().fit(X, y, sample_weight=s)
    repeated = ChowLiuClassifier().fit(np.repeat(X, s, axis=0), np.repeat(y, s))
    assert (weighted.predict_proba(X) == repeated.predict_proba(X)).all()
    alone = ChowLiuClassifier().fit(X, y, sample_weight=(y == 0).astype(float))
    assert alone.classes_.tolist() == [0]


def test_the_model_is_verified_and_forged_tables_are_not():
    X, y = exclusive_or()
    model = ChowLiuClassifier().fit(X, y)
    assert separatrix.verify(model, X, y).converged
    tables = model.trees_[1].conditional_tables_
    tables[0] = tables[0] * 1.01
    assert not separatrix.verify(model, X, y).converged


@pytest.mark.parametrize(
    "make", [np.asarray, lambda X: np.array(["no", "yes"], dtype=object)[X]], ids=["numbers", "words"]
)
def test_a_saved_model_answers_alike(tmp_path, make):
    X, y = exclusive_or()
    model = ChowLiuClassifier().fit(make(X), y)
    model.save(tmp_path / "model.sepx")
    assert (separatrix.load(tmp_path / "model.sepx").predict_proba(make(X)) == model.predict_proba(make(X))).all()


def test_incomplete_rows_teach_the_shares_of_the_classes_alone():
    X, y = exclusive_or()
    gaps = X.astype(float)
    gaps[:20, 0] = np.nan
    with pytest.warns(IncompleteRows):
        model = ChowLiuClassifier().fit(gaps, y)
    assert model.class_count_.tolist() == np.bincount(y).tolist()
    for tree, c in zip(model.trees_, (0, 1), strict=True):
        expected = ChowLiuTree(categories=[[0, 1]] * 3).fit(X[20:][y[20:] == c])
        assert (tree.mutual_information_ == expected.mutual_information_).all()
    gaps[y == 1, 2] = np.nan
    with pytest.warns(IncompleteRows), pytest.raises(ValueError, match="learn a tree of the class 1"):
        ChowLiuClassifier().fit(gaps, y)


def test_rows_that_no_class_can_bring_warn_and_have_the_shares():
    model = ChowLiuClassifier(smoothing=0.0).fit([[0, 0], [1, 1], [0, 0], [1, 1]], [0, 1, 0, 0])
    with pytest.warns(UserWarning, match="1 of 1 rows is impossible"):
        assert_allclose(model.predict_proba([[0, 1]]), [[0.75, 0.25]])


def test_samples_are_of_the_kind_that_was_fitted():
    X, y = exclusive_or()
    words, labels = (
        ChowLiuClassifier().fit(np.array(["no", "yes"])[X], np.array(["a", "b"])[y]).sample(50, random_state=0)
    )
    assert set(words.ravel()) == {"no", "yes"} and set(labels) == {"a", "b"}


def test_it_takes_part_in_comparisons_of_categories_and_not_of_numbers():
    X, y = exclusive_or(300)
    table = pd.DataFrame(np.array(["low", "high"])[X], columns=list("abc")).assign(
        label=np.array(["equal", "apart"])[y]
    )
    comparison = compare(table, "label", families=["Chow-Liu trees", "naive Bayes, mixed"])
    assert comparison.recommended == "Chow-Liu trees"
    table["length"] = np.random.default_rng(0).standard_normal(300)
    with pytest.raises(ValueError, match="columns of categories alone"):
        compare(table, "label", families=["Chow-Liu trees"])
