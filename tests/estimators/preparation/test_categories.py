"""Levels of categories, against scikit-learn's encoders."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder

from separatrix.preprocessing import Categories, Codes


def column(*cells):
    return np.array(cells, dtype=object)[:, None]


def levels(n, seed=0, words=("red", "blue", "green", "black", "white")):
    return np.random.default_rng(seed).choice(np.array(words, dtype=object), (n, 3))


@pytest.mark.parametrize("drop, theirs", [(None, None), ("if_binary", "if_binary")])
def test_one_hot_columns_are_those_of_scikit_learn(drop, theirs):
    X = levels(100)
    X[:, 2] = np.where(X[:, 2] == "red", "yes", "no")
    new = levels(30, 1)
    new[:, 2] = "yes"
    encoder = OneHotEncoder(drop=theirs, sparse_output=False).fit(X)
    ours = Categories(drop=drop)
    assert_array_equal(ours.fit_transform(X)[:, :10], encoder.transform(X)[:, :10])
    assert_array_equal(ours.transform(new)[:, :10], encoder.transform(new)[:, :10])
    assert ours.transform(X).shape[1] == (12 if drop is None else 11)


def test_rare_levels_are_pooled_and_strangers_join_them_as_in_scikit_learn():
    X = column(*["a"] * 5, *["b"] * 4, "c", "d", "d", "e")
    encoder = OneHotEncoder(min_frequency=2, handle_unknown="infrequent_if_exist", sparse_output=False).fit(X)
    new = column("a", "b", "c", "d", "e", "never met")
    assert_array_equal(Categories(drop=None, min_count=2).fit(X).transform(new), encoder.transform(new))


def test_only_the_most_frequent_levels_are_kept_where_there_are_many():
    X = column(*["a"] * 5, *["c"] * 4, *["b"] * 4, *["d"] * 2)
    ours = Categories(drop=None, max_levels=2).fit(X)
    assert ours.levels_ == [["a", "b"]], "of equals, the first by letters"
    assert list(ours.get_feature_names_out(["x"])) == ["x=a", "x=b", "x is other"]


def test_without_a_pool_a_stranger_has_no_column_and_is_not_refused():
    ours = Categories(drop=None).fit(column("a", "a", "b", "b"))
    assert_array_equal(ours.transform(column("new", None)), np.zeros((2, 2)))


def test_missing_is_a_level_where_it_occurs():
    ours = Categories().fit(column("a", "a", "b", "b", None))
    assert list(ours.get_feature_names_out(["x"])) == ["x=b", "x is missing"]
    assert_array_equal(ours.transform(column("a", "b", None, np.nan, "")), [[0, 0], [1, 0], [0, 1], [0, 1], [0, 1]])


def test_the_commonest_level_is_the_one_that_others_are_compared_with():
    ours = Categories().fit(column("b", "b", "b", "a", "a", None, None, None, None))
    assert list(ours.get_feature_names_out(["x"])) == ["x=a", "x is missing"]
    X = np.column_stack([np.ones(100), Categories().fit_transform(levels(100))])
    assert np.linalg.matrix_rank(X) == X.shape[1]


def test_a_flag_has_one_column():
    for drop in ("commonest", "if_binary"):
        assert Categories(drop=drop).fit(column("no", "yes", "no", "yes")).transform(column("yes")).shape == (1, 1)


def test_a_number_is_the_same_level_in_whatever_way_it_is_written():
    ours = Categories(drop=None).fit(np.array([[1.0], [2.5], [1.0], [2.5]]))
    assert ours.levels_ == [["1", "2.5"]]
    for one in (np.array([[1]]), np.array([[1.0]]), np.array([["1.0"]]), column("1"), column(" 1. "), column(1)):
        assert_array_equal(ours.transform(one), [[1.0, 0.0]])


def test_levels_are_sorted_as_people_sort():
    assert Codes(min_count=1).fit(column("10", "9", "b", "a")).levels_ == [["9", "10", "a", "b"]]


def test_wide_results_are_sparse_and_equal():
    X = np.random.default_rng(0).integers(0, 300, (2000, 2))
    wide, narrow = Categories(), Categories(sparse=False)
    found = wide.fit_transform(X)
    assert found.shape[1] > 200 and not isinstance(found, np.ndarray)
    assert found.nnz <= X.size and found.has_canonical_format
    assert_array_equal(found.toarray(), narrow.fit_transform(X))


def test_many_levels_need_no_more_room_than_the_table():
    X = np.arange(50_000).repeat(2)[:, None].astype(object)
    found = Categories(max_levels=100_000).fit_transform(X)
    assert found.shape == (100_000, 49_999)
    assert found.data.nbytes + found.indices.nbytes < 20 * X.size


def test_ten_thousand_columns_are_no_obstacle():
    X = np.random.default_rng(0).choice(np.array(["a", "b", "c"], dtype=object), (20, 10_000))
    found = Categories().fit_transform(X)
    assert isinstance(found, np.ndarray) and found.shape[0] == 20, "a row fills a third of the columns"


def test_codes_are_those_of_scikit_learn():
    X, new = levels(100), levels(20, 1)
    new[0, 0] = "never met"
    theirs = OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=5).fit(X)
    ours = Codes().fit(X)
    assert_array_equal(ours.transform(new), theirs.transform(new))
    assert_array_equal(ours.n_codes_, [5, 5, 5])


@pytest.mark.parametrize("wrong", [{"drop": "first"}, {"min_count": 0}, {"max_levels": 0}, {"sparse": "perhaps"}])
def test_parameters_out_of_range_are_refused(wrong):
    with pytest.raises(ValueError, match=next(iter(wrong))):
        Categories(**wrong).fit(column("a", "b"))


def test_missing_is_a_level_of_the_first_of_columns_that_are_missing_together():
    """Its columns of 0 and 1 would be equal: a model without a penalty would find them determined by each other."""
    rng = np.random.default_rng(0)
    X = rng.choice(np.array(["u", "v", "w"], dtype=object), (90, 3))
    X[:10, :2] = None
    X[20:25, 2] = None
    categories = Categories().fit(X)
    Z = categories.transform(X)
    names = [name for name in categories.get_feature_names_out(["a", "b", "c"]) if "missing" in name]
    assert names == ["a is missing", "c is missing"]
    assert np.linalg.matrix_rank(np.column_stack([np.ones(90), Z])) == 1 + Z.shape[1]


def test_a_column_without_any_value_keeps_its_only_level():
    X = np.full((4, 2), None, dtype=object)
    assert Categories().fit(X).transform(X).shape == (4, 1)
