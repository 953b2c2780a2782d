"""Laws of naive Bayes, on tables that are looked for: weights, chunks, scales, names and orders."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from separatrix.naive_bayes import BernoulliNB, CategoricalNB, GaussianNB, MixedNB, MultinomialNB

MODELS = [
    BernoulliNB(),
    BernoulliNB(alpha=0.25, binarize=1.0),
    CategoricalNB(min_categories=5),
    GaussianNB(var_smoothing=0.01),
    MixedNB(["gaussian", "categorical", "bernoulli"], var_smoothing=0.01, unseen="smooth"),
    MultinomialNB(alpha=0.5),
]
each_model = pytest.mark.parametrize("model", MODELS, ids=lambda model: type(model).__name__)
few = settings(max_examples=15, deadline=None)


@st.composite
def tables(draw):
    """Small counts of three columns, the last 0 or 1, with labels of two or three classes."""
    n = draw(st.integers(6, 40))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    X = np.column_stack([rng.integers(0, 5, (n, 2)), rng.integers(0, 2, n)]).astype(float)
    y = np.append(rng.integers(0, draw(st.integers(2, 3)), n - 2), [0, 1])
    return X, y, rng


def close(one, other, X):
    np.testing.assert_allclose(one.predict_joint_log_proba(X), other.predict_joint_log_proba(X), rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(one.class_count_, other.class_count_, rtol=1e-13)


def fresh(model):
    return type(model)(**model.get_params())


@each_model
@few
@given(table=tables())
def test_a_weight_is_a_repetition(model, table):
    X, y, rng = table
    s = rng.integers(0, 4, len(X))
    s[-2:] = 1
    rows = np.repeat(np.arange(len(X)), s)
    met = np.unique(rows)
    close(fresh(model).fit(X, y, s), fresh(model).fit(X[rows], y[rows]), X[met])


@each_model
@few
@given(table=tables(), pieces=st.integers(1, 6))
def test_chunks_in_any_order_give_what_all_rows_give(model, table, pieces):
    X, y, rng = table
    whole, chunked = fresh(model).fit(X, y), fresh(model)
    for rows in np.array_split(rng.permutation(len(X)), pieces):
        chunked.partial_fit(X[rows], y[rows], classes=np.unique(y))
    close(chunked, whole, X)
    if not isinstance(model, MixedNB):
        first, second = fresh(model), fresh(model)
        for rows in (slice(0, 3), slice(3, None)):
            first.partial_fit(X[rows], y[rows], classes=np.unique(y))
        for rows in (slice(3, None), slice(0, 3)):
            second.partial_fit(X[rows], y[rows], classes=np.unique(y))
        close(first, second, X)


@each_model
@few
@given(table=tables())
def test_the_order_of_rows_and_columns_does_not_matter(model, table):
    X, y, rng = table
    rows = rng.permutation(len(X))
    whole = fresh(model).fit(X, y)
    close(fresh(model).fit(X[rows], y[rows]), whole, X)
    if not isinstance(model, MixedNB):
        close(fresh(model).fit(X[:, [2, 0, 1]], y), _columns_moved(whole), X[:, [2, 0, 1]])


def _columns_moved(model):
    """A model that is asked about columns (2, 0, 1) and answers about (0, 1, 2)."""

    class Moved:
        class_count_ = model.class_count_

        @staticmethod
        def predict_joint_log_proba(X):
            return model.predict_joint_log_proba(X[:, [1, 2, 0]])

    return Moved


@each_model
@few
@given(table=tables())
def test_other_names_of_the_classes_change_the_order_of_the_answers_only(model, table):
    X, y, _ = table
    names = np.array(["z", "m", "a"])
    whole, renamed = fresh(model).fit(X, y), fresh(model).fit(X, names[y])
    assert renamed.classes_.tolist() == sorted(names[: y.max() + 1])
    np.testing.assert_allclose(renamed.predict_log_proba(X)[:, ::-1], whole.predict_log_proba(X), rtol=1e-9, atol=1e-9)


@few
@given(table=tables(), scale=st.sampled_from([1e-8, 0.3, 7.0, 1e9]), shift=st.sampled_from([0.0, -3.0, 1e4]))
def test_units_and_origin_of_normal_columns_do_not_change_posteriors(table, scale, shift):
    X, y, rng = table
    X = X + rng.standard_normal(X.shape)
    moved = scale * (X + shift)
    one, other = GaussianNB(var_smoothing=0.01).fit(X, y), GaussianNB(var_smoothing=0.01).fit(moved, y)
    np.testing.assert_allclose(other.predict_log_proba(moved), one.predict_log_proba(X), rtol=1e-6, atol=1e-6)
    np.testing.assert_allclose(other.var_, scale**2 * one.var_, rtol=1e-7)


@few
@given(table=tables(), scale=st.sampled_from([0.5, 3.0]))
def test_counts_in_other_units_with_smoothing_in_those_units_have_the_same_shares(table, scale):
    X, y, _ = table
    one, other = MultinomialNB(alpha=1.0).fit(X, y), MultinomialNB(alpha=scale).fit(scale * X, y)
    np.testing.assert_allclose(other.feature_log_prob_, one.feature_log_prob_, rtol=1e-12)


@few
@given(table=tables())
def test_all_weights_times_a_number_change_only_the_counts(table):
    X, y, _ = table
    for model in (GaussianNB(), BernoulliNB(alpha=0.0), MultinomialNB(alpha=0.0), CategoricalNB(alpha=0.0)):
        one, other = fresh(model).fit(X, y), fresh(model).fit(X, y, np.full(len(y), 0.1))
        np.testing.assert_allclose(other.class_count_, 0.1 * one.class_count_, rtol=1e-12)
        np.testing.assert_allclose(
            other.predict_joint_log_proba(X), one.predict_joint_log_proba(X), rtol=1e-9, atol=1e-9
        )
