"""Every fitted number equals scikit-learn's, whatever holds X, weighted or not, at once or in chunks."""

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
import sklearn.naive_bayes as reference
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.model_selection import train_test_split

from separatrix.naive_bayes import BernoulliNB, CategoricalNB, GaussianNB, MultinomialNB

MESSAGES = Path(__file__).resolve().parents[4] / "shared" / "data" / "tables" / "sms_spam.tsv"
STORAGES = {
    "dense": lambda X: X,
    "columns": np.asfortranarray,
    "csr": sp.csr_array,
    "csc": sp.csc_array,
    "coo": sp.coo_array,
}
CLOSE = {"rtol": 1e-12, "atol": 1e-12}
COUNTED = [
    (BernoulliNB, {}),
    (BernoulliNB, {"alpha": 0.3, "binarize": 1.0}),
    (BernoulliNB, {"alpha": 1e-12, "force_alpha": False, "fit_prior": False}),
    (MultinomialNB, {}),
    (MultinomialNB, {"alpha": 0.01, "class_prior": [0.2, 0.5, 0.3]}),
    (MultinomialNB, {"alpha": np.linspace(0.1, 2.0, 12)}),
    (CategoricalNB, {}),
    (CategoricalNB, {"alpha": 0.5, "min_categories": 9, "fit_prior": False}),
    (CategoricalNB, {"min_categories": np.arange(1, 13)}),
]


def data(n=400, p=12, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.choice(["b", "a", "c"], n, p=[0.5, 0.3, 0.2])
    rates = {"a": 0.4, "b": 0.9, "c": 1.7}
    return rng.poisson(np.array([rates[label] for label in y])[:, None], (n, p)).astype(float), y


def weights(n):
    return np.random.default_rng(5).choice([0.5, 1.0, 2.25], n)


def same(ours, theirs, X, attributes):
    for name in attributes:
        a, b = getattr(ours, name), getattr(theirs, name)
        for mine, other in zip(a, b, strict=True) if isinstance(b, list) else [(a, b)]:
            np.testing.assert_allclose(mine, other, **CLOSE, err_msg=name)
    np.testing.assert_array_equal(ours.classes_, theirs.classes_)
    np.testing.assert_allclose(
        ours.predict_joint_log_proba(X), theirs.predict_joint_log_proba(X), rtol=1e-11, atol=1e-11
    )
    np.testing.assert_allclose(ours.predict_log_proba(X), theirs.predict_log_proba(X), rtol=1e-10, atol=1e-10)
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), rtol=1e-10, atol=1e-15)
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))


def attributes(cls):
    counted = ["category_count_", "n_categories_"] if cls is CategoricalNB else ["feature_count_"]
    return ["class_count_", "class_log_prior_", "feature_log_prob_", *counted]


@pytest.mark.filterwarnings("ignore:alpha")
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("storage", STORAGES)
@pytest.mark.parametrize("cls, options", COUNTED, ids=lambda v: getattr(v, "__name__", None))
def test_models_of_counts_have_scikit_learns_numbers(cls, options, storage, weighted):
    if cls is CategoricalNB and storage not in ("dense", "columns"):
        pytest.skip("categories are dense, as in scikit-learn")
    X, y = data()
    s = weights(len(X)) if weighted else None
    held = STORAGES[storage](X)
    ours = cls(**options).fit(held, y, s)
    theirs = getattr(reference, cls.__name__)(**options).fit(held, y, s)
    same(ours, theirs, held, attributes(cls))


@pytest.mark.parametrize("options", [{}, {"var_smoothing": 0.1}, {"priors": [0.2, 0.2, 0.6]}])
def test_gaussian_has_scikit_learns_numbers(options):
    X, y = data()
    X = X + np.random.default_rng(1).standard_normal(X.shape) + 10.0
    ours, theirs = GaussianNB(**options).fit(X, y), reference.GaussianNB(**options).fit(X, y)
    same(ours, theirs, X, ["theta_", "var_", "class_count_", "class_prior_"])
    np.testing.assert_allclose(ours.epsilon_, theirs.epsilon_, rtol=1e-12)
    single = X.astype(np.float32)
    ours, theirs = GaussianNB(**options).fit(single, y), reference.GaussianNB(**options).fit(single.astype(float), y)
    for name in ("theta_", "var_"):  # sums of float64, rounded once
        np.testing.assert_allclose(getattr(ours, name), getattr(theirs, name), rtol=np.finfo(np.float32).eps)


def test_weighted_gaussian_has_scikit_learns_numbers_but_for_epsilon():
    """Theirs is of the rows without their weights."""
    X, y = data()
    X, s = X + np.random.default_rng(1).standard_normal(X.shape), weights(len(X))
    ours, theirs = GaussianNB(var_smoothing=0.0).fit(X, y, s), reference.GaussianNB(var_smoothing=0.0).fit(X, y, s)
    same(ours, theirs, X, ["theta_", "var_", "class_count_", "class_prior_"])
    smoothed = GaussianNB(var_smoothing=0.5).fit(X, y, s)
    spread = np.average((X - np.average(X, axis=0, weights=s)) ** 2, axis=0, weights=s)
    np.testing.assert_allclose(smoothed.epsilon_, 0.5 * spread.max(), rtol=1e-12)


@pytest.mark.parametrize("chunks", [[0, 100, 101, 400], [0, 7, 200, 399, 400], [0, 400]])
@pytest.mark.parametrize("cls, options", COUNTED[:1] + COUNTED[3:], ids=lambda v: getattr(v, "__name__", None))
def test_chunks_of_counts_give_scikit_learns_numbers(cls, options, chunks):
    X, y = data()
    s = weights(len(X))
    ours, theirs = cls(**options), getattr(reference, cls.__name__)(**options)
    for a, b in pairwise(chunks):
        for model in (ours, theirs):
            model.partial_fit(X[a:b], y[a:b], classes=["a", "b", "c"] if a == 0 else None, sample_weight=s[a:b])
    names = [name for name in attributes(cls) if name != "n_categories_"]  # theirs are those of the last chunk
    same(ours, theirs, X, names)
    if cls is CategoricalNB:
        assert ours.n_categories_.tolist() == [table.shape[1] for table in theirs.category_count_]


def test_chunks_of_normal_columns_give_scikit_learns_numbers_of_all_rows():
    X, y = data()
    X = X + np.random.default_rng(1).standard_normal(X.shape)
    theirs, ours = reference.GaussianNB(var_smoothing=0.01).fit(X, y), GaussianNB(var_smoothing=0.01)
    for rows in np.array_split(np.random.default_rng(2).permutation(len(X)), 9):
        ours.partial_fit(X[rows], y[rows], classes=["c", "b", "a"])
    same(ours, theirs, X, ["theta_", "var_", "class_count_", "class_prior_"])


def test_a_stream_goes_on_where_a_fit_ended():
    X, y = data()
    for cls in (BernoulliNB, CategoricalNB, GaussianNB, MultinomialNB):
        went_on = cls().fit(X[:200], y[:200]).partial_fit(X[200:], y[200:])
        np.testing.assert_allclose(went_on.predict_log_proba(X), cls().fit(X, y).predict_log_proba(X), rtol=1e-9)


@pytest.mark.mission("NB-07", "EX-20")
@pytest.mark.skipif(not MESSAGES.exists(), reason="the table of messages is not here")
@pytest.mark.parametrize("format", ["csr", "csc"])
@pytest.mark.parametrize("cls", [BernoulliNB, MultinomialNB])
def test_spam_is_found_exactly_as_often_as_by_scikit_learn(cls, format):
    lines = MESSAGES.read_text(encoding="utf-8").splitlines()
    labels, texts = zip(*(line.split("\t", 1) for line in lines), strict=True)
    X = CountVectorizer().fit_transform(texts).asformat(format)
    train, test, y_train, y_test = train_test_split(X, np.array(labels), test_size=0.25, random_state=0)
    ours, theirs = cls().fit(train, y_train), getattr(reference, cls.__name__)().fit(train, y_train)
    assert ours.score(test, y_test) == theirs.score(test, y_test) > 0.97
    np.testing.assert_array_equal(ours.predict(test), theirs.predict(test))
    same(ours, theirs, test, attributes(cls))
