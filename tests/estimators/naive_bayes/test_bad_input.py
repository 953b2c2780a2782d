"""What naive Bayes refuses, and that it says which column, class or parameter, and what to do."""

import warnings

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

from separatrix.core.errors import NotWhole
from separatrix.estimators.validation import UNREAD
from separatrix.naive_bayes import BernoulliNB, CategoricalNB, GaussianNB, MixedNB, MultinomialNB

X = np.array([[0, 1], [1, 2], [2, 0], [1, 1]])
Y = [0, 0, 1, 1]
ALL = (BernoulliNB, CategoricalNB, GaussianNB, MixedNB, MultinomialNB)
COUNTED = (BernoulliNB, CategoricalNB, MultinomialNB)


@pytest.mark.parametrize("hold", [np.asarray, sp.csr_array, sp.csc_array, lambda X: np.asarray(X, dtype=np.float32)])
def test_negative_counts_are_refused_by_column(hold):
    bad = hold(np.array([[0, 1, 0], [1, 2, -3], [2, 0, 0], [1, 1, 5]]))
    with pytest.raises(ValueError, match=r"value -3 of column 2.*Negative values in data cannot be counts"):
        MultinomialNB().fit(bad, Y)
    with pytest.raises(ValueError, match="value -3 of column 2"):
        MultinomialNB().fit(abs(bad), Y).predict(bad)


def test_a_column_of_a_frame_is_called_by_its_name():
    frame = pd.DataFrame({"a": [1, 2, 3, 4], "b": [1, -1, 2, 2]})
    for model in (MultinomialNB(), CategoricalNB()):
        with pytest.raises(ValueError, match="value -1 of column 'b'"):
            model.fit(frame, Y)


@pytest.mark.parametrize("value, message", [(-1.0, "Negative values in data"), (1e12, "fits nowhere")])
def test_what_is_no_category_is_refused(value, message):
    bad = X.astype(float)
    bad[2, 1] = value
    with pytest.raises(ValueError, match=f"of column 1 as a category: .*{message}.*OrdinalEncoder"):
        CategoricalNB().fit(bad, Y)
    with pytest.raises(ValueError, match=message):
        CategoricalNB(unseen="ignore").fit(X, Y).predict(bad)


def test_fractions_of_categories_are_cut_off_with_a_warning_that_names_the_column():
    broken = X + np.array([0.0, 0.4])
    with pytest.warns(NotWhole, match="Column 1 holds numbers that are not whole"):
        model = CategoricalNB().fit(broken, Y)
    whole = CategoricalNB().fit(X, Y)
    np.testing.assert_array_equal(model.feature_log_prob_[1], whole.feature_log_prob_[1])
    with pytest.warns(NotWhole):
        np.testing.assert_array_equal(model.predict_proba(broken), whole.predict_proba(X))


@pytest.mark.parametrize("cls", COUNTED)
def test_smoothing_must_not_be_negative(cls):
    with pytest.raises(ValueError, match=r"alpha=-1.*\[0, inf\)"):
        cls(alpha=-1).fit(X, Y)
    with pytest.raises(ValueError, match="alpha with the value -2 for column 1"):
        cls(alpha=[1.0, -2.0]).fit(X, Y)
    with pytest.raises(ValueError, match=r"alpha of shape \(3,\): X has 2 columns"):
        cls(alpha=[1.0, 1.0, 1.0]).fit(X, Y)
    with pytest.raises(TypeError, match="alpha"):
        cls(alpha="much").fit(X, Y)
    with pytest.warns(UserWarning, match="raised to 1e-10"):
        found = cls(alpha=0.0, force_alpha=False).fit(X, Y).predict_joint_log_proba(X)
    assert np.isfinite(found).all()


@pytest.mark.parametrize("cls", ALL)
@pytest.mark.parametrize(
    "priors, message",
    [([0.5, 0.3, 0.2], "there are 2 classes"), ([0.5, 0.6], r"sum to 1.1"), ([1.5, -0.5], r"lies in \[0, 1\]")],
)
def test_priors_that_are_no_probabilities_of_the_classes_are_refused(cls, priors, message):
    name = "class_prior" if cls in COUNTED else "priors"
    if "sum" in message and cls is not GaussianNB:
        pytest.skip("divided by their sum, with a warning: tests/estimators/test_migration.py")
    with pytest.raises(ValueError, match=f"{name}.*{message}"):
        cls(**{name: priors}).fit(X, Y)


@pytest.mark.parametrize("cls", ALL)
def test_a_label_that_was_not_announced_is_named(cls):
    with pytest.raises(ValueError, match=r"label 1.*classes \[0, 2\]"):
        cls().partial_fit(X, Y, classes=[0, 2])
    model = cls().partial_fit(X, Y, classes=[0, 1])
    with pytest.raises(ValueError, match=r"label 7"):
        model.partial_fit(X, [0, 1, 7, 1])
    with pytest.raises(ValueError, match=r"classes=None.*all_labels"):
        cls().partial_fit(X, Y)


@pytest.mark.parametrize("cls", ALL)
def test_a_chunk_that_is_refused_is_not_learnt(cls):
    model = cls().partial_fit(X, Y, classes=[0, 1])
    before = model.predict_log_proba(X)
    with pytest.raises(ValueError):
        model.partial_fit(np.where(X == 2, np.nan, X), Y)
    name = "class_prior" if cls in COUNTED else "priors"
    with pytest.raises(ValueError):
        model.set_params(**{name: [1.0]}).partial_fit(X, Y)
    model.set_params(**{name: None}).partial_fit(X, Y)
    np.testing.assert_array_equal(model.class_count_, [4.0, 4.0])
    if cls is GaussianNB:
        np.testing.assert_allclose(model.predict_log_proba(X), before, rtol=1e-12)


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize(
    "model", [BernoulliNB(), BernoulliNB(binarize=None), CategoricalNB(), GaussianNB(), MultinomialNB()], ids=str
)
def test_a_single_number_that_is_not_finite_is_found_in_a_large_table(model, dtype, order, bad):
    rng = np.random.default_rng(0)
    large = rng.integers(0, 2, (UNREAD // 8 + 1, 8)).astype(dtype, order=order)
    y = rng.integers(0, 3, len(large))
    for row, column in ((0, 0), (77_777, 7), (len(large) - 1, 3)):
        before, large[row, column] = large[row, column], bad
        with warnings.catch_warnings(), pytest.raises(ValueError, match="Input X contains"):
            warnings.simplefilter("error")
            model.fit(large, y)
        large[row, column] = before


def test_without_a_threshold_switches_must_lie_between_zero_and_one():
    with pytest.raises(ValueError, match=r"value 2 of column 0 for on or off.*binarize=0.0"):
        BernoulliNB(binarize=None).fit(X, Y)
    with pytest.raises(ValueError, match=r"value 2 of column 0"):
        BernoulliNB(binarize=None).fit(X > 0, Y).predict(sp.csr_array(X))
    with pytest.raises(ValueError, match="binarize=-1"):
        BernoulliNB(binarize=-1).fit(X, Y)
    half = BernoulliNB(binarize=None).fit(X / 2, Y)
    np.testing.assert_array_equal(half.feature_count_, [[0.5, 1.5], [1.5, 0.5]])


@pytest.mark.parametrize("given", [0, 2.5, [3], [1, 2, 3], "many"])
def test_declared_numbers_of_categories_must_be_whole_and_one_for_each_column(given):
    with pytest.raises((ValueError, TypeError), match="min_categories"):
        CategoricalNB(min_categories=given).fit(X, Y)


def test_parameters_outside_their_range_are_named():
    for model, message in (
        (GaussianNB(var_smoothing=-1.0), "var_smoothing=-1"),
        (CategoricalNB(unseen="guess"), "unseen='guess'"),
        (MixedNB(unseen="guess"), "unseen='guess'"),
        (MixedNB(alpha=-0.5), "alpha=-0.5"),
        (BernoulliNB(fit_prior="yes"), "fit_prior='yes'"),
        (MultinomialNB(force_alpha=3), "force_alpha=3"),
    ):
        with pytest.raises((ValueError, TypeError), match=message):
            model.fit(X, Y)


def test_multinomial_has_no_decision_function_and_says_what_to_use():
    model = MultinomialNB().fit(X, Y)
    assert not hasattr(model, "decision_function")
    with pytest.raises(AttributeError, match="predict_log_proba"):
        model.decision_function(X)


def test_sparse_numbers_are_refused_where_zeros_are_not_special():
    for model in (GaussianNB(), CategoricalNB(), MixedNB()):
        with pytest.raises(TypeError, match=r"[Ss]parse"):
            model.fit(sp.csr_array(X), Y)


def test_a_refused_fit_leaves_the_earlier_one_as_it_was():
    model = CategoricalNB().fit([[1, 4], [2, 5]], ["a", "b"])
    before = model.predict_proba([[2, 5]])
    with pytest.raises(ValueError, match="Negative values"):
        model.fit([[0, -1, 3]], ["c"])
    np.testing.assert_array_equal(model.predict_proba([[2, 5]]), before)
    np.testing.assert_array_equal(model.classes_, ["a", "b"])


def test_a_refused_first_chunk_leaves_a_model_that_is_not_fitted():
    model = CategoricalNB()
    with pytest.raises(ValueError, match="Negative values"):
        model.partial_fit([[0, -1]], [1], classes=[1, 2])
    assert vars(model) == vars(CategoricalNB())
