"""Words of free text, against scikit-learn's vectorizers."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer

from separatrix.prediction.words import WORD
from separatrix.preprocessing import Words

TEXTS = [
    "Free entry: WIN a prize now, win!",
    "don't be late; I'll be there",
    "u win 2 prizes",
    "Größe zählt, naïve café café",
    "a_b under_score 100 100",
    "free free free entry",
    "be there or be square",
    "",
]


def column(texts):
    return np.array(texts, dtype=object)[:, None]


@pytest.mark.parametrize("min_texts", [1, 2])
def test_weights_are_those_of_scikit_learn(min_texts):
    theirs = TfidfVectorizer(token_pattern=WORD.pattern, min_df=min_texts).fit(TEXTS)
    ours = Words(min_texts=min_texts).fit(column(TEXTS))
    assert ours.vocabulary_ == [theirs.get_feature_names_out().tolist()]
    new = ["win free entry entry", "nothing known here at all", TEXTS[0]]
    assert_allclose(ours.transform(column(new)).toarray(), theirs.transform(new).toarray(), atol=1e-15)


@pytest.mark.parametrize("weighting, binary", [("counts", False), ("presence", True)])
def test_counts_are_those_of_scikit_learn(weighting, binary):
    theirs = CountVectorizer(token_pattern=WORD.pattern, binary=binary)
    ours = Words(weighting=weighting, min_texts=1)
    assert_array_equal(ours.fit_transform(column(TEXTS)).toarray(), theirs.fit_transform(TEXTS).toarray())


def test_the_vocabulary_is_capped_by_the_number_of_texts_then_by_letters():
    ours = Words(max_words=3, min_texts=1).fit(column(["b a", "b a", "c", "d d d d", "c"]))
    assert ours.vocabulary_ == [["a", "b", "c"]]


def test_columns_have_vocabularies_of_their_own():
    X = np.array([["a b", "x"], ["a b", "x"], [None, "x"]], dtype=object)
    ours = Words().fit(X)
    assert list(ours.get_feature_names_out(["note", "subject"])) == ["note: a", "note: b", "subject: x"]
    assert_allclose(ours.transform(X).toarray()[1], [np.sqrt(0.5), np.sqrt(0.5), 1.0])


def test_a_text_without_words_and_a_column_without_any_are_columns_of_zeros():
    ours = Words().fit(column(["?", None, "--"]))
    found = ours.transform(column(["some words", None]))
    assert found.shape == (2, 1) and found.nnz == 0


def test_where_no_word_comes_twice_all_of_them_are_kept():
    assert Words().fit(column(["one", "two"])).vocabulary_ == [["one", "two"]]


def test_rows_are_in_canonical_form():
    assert Words().fit(column(TEXTS)).transform(column(TEXTS)).has_canonical_format


def test_few_words_come_out_as_an_array_where_the_storage_is_chosen():
    few, many = column(TEXTS), column([f"w{i} w{i // 2}" for i in range(500)])
    assert isinstance(Words(sparse="auto").fit_transform(few), np.ndarray)
    assert_array_equal(Words(sparse="auto").fit_transform(few), Words().fit_transform(few).toarray())
    assert not isinstance(Words(sparse="auto").fit_transform(many), np.ndarray)
