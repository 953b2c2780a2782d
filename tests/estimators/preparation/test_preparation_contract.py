"""scikit-learn's own checks of every transformer, and what all of them promise."""

import pickle

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.base import clone
from sklearn.utils.estimator_checks import parametrize_with_checks

from separatrix.core.declaration import declaration
from separatrix.estimators import preparation
from separatrix.preprocessing import (
    Categories,
    Codes,
    Counts,
    Curves,
    Dates,
    Numbers,
    TableColumns,
    Thresholds,
    Words,
)

EVERY = [
    TableColumns(),
    Numbers(),
    Numbers(standardise=False, flag_missing=False),
    Categories(),
    Categories(drop=None, sparse=True),
    Codes(),
    Counts(),
    Curves(),
    Dates(),
    Thresholds(),
    Words(),
    Words(weighting="counts"),
]


def test_no_transformer_is_left_out():
    assert {type(one).__name__ for one in EVERY} == set(preparation.__all__)


@parametrize_with_checks(EVERY)
def test_scikit_learn_accepts_it(estimator, check):
    check(estimator)


def rows(estimator, n, seed):
    """Cells that suit the transformer, some of them missing."""
    rng = np.random.default_rng(seed)
    if isinstance(estimator, Categories | Codes | Words):
        words = np.array(["a b", "b", "c d c", "d", None], dtype=object)
        return rng.choice(words, (n, 3))
    X = np.floor(rng.gamma(2.0, 5.0, (n, 3)))
    X[rng.random(X.shape) < 0.2] = np.nan
    return X


def dense(Z):
    return Z if isinstance(Z, np.ndarray) else Z.toarray()


NOT_FIRST = [one for one in EVERY if not isinstance(one, TableColumns)]


@pytest.mark.parametrize("estimator", NOT_FIRST, ids=repr)
def test_a_row_alone_is_prepared_as_among_others(estimator):
    fitted = clone(estimator).fit(rows(estimator, 60, 0))
    X = rows(estimator, 8, 1)
    together = dense(fitted.transform(X))
    for i in range(len(X)):
        assert_array_equal(dense(fitted.transform(X[i : i + 1])), together[i : i + 1])


@pytest.mark.parametrize("estimator", NOT_FIRST, ids=repr)
def test_a_row_without_a_single_value_is_prepared_to_finite_numbers(estimator):
    X = rows(estimator, 60, 0)
    nothing = np.full((1, 3), None if X.dtype == object else np.nan, dtype=X.dtype)
    assert np.isfinite(dense(clone(estimator).fit(X).transform(nothing))).all()
    alone = clone(estimator).fit(nothing)
    assert np.isfinite(dense(alone.transform(X))).all()
    assert alone.transform(X).shape[1] >= 1


@pytest.mark.parametrize("estimator", NOT_FIRST, ids=repr)
def test_a_name_for_each_column(estimator):
    X = rows(estimator, 60, 0)
    fitted = clone(estimator).fit(X)
    names = fitted.get_feature_names_out(["one", "two", "three"])
    assert len(names) == fitted.transform(X).shape[1] == len(set(names))
    assert all(name.startswith(("one", "two", "three")) for name in names)


@pytest.mark.parametrize("estimator", NOT_FIRST, ids=repr)
def test_the_transformer_and_the_function_of_its_state_agree_bit_for_bit(estimator):
    fitted = clone(estimator).fit(rows(estimator, 60, 0))
    X = rows(estimator, 9, 1)
    state = pickle.loads(pickle.dumps(vars(fitted)))
    found = declaration(estimator).prediction.methods["transform"](state, X.astype(object))
    assert type(found) is type(fitted.transform(X))
    assert_array_equal(dense(found), dense(fitted.transform(X)))


@pytest.mark.parametrize("estimator", NOT_FIRST, ids=repr)
def test_a_pickle_prepares_alike(estimator):
    X = rows(estimator, 30, 0)
    fitted = clone(estimator).fit(X)
    assert_array_equal(dense(pickle.loads(pickle.dumps(fitted)).transform(X)), dense(fitted.transform(X)))
