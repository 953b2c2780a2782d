"""verify() of classifiers: confirmed from data and published coefficients, and refuted when these are tampered with."""

import tracemalloc
import warnings
from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp

import separatrix
from separatrix.core.errors import Separated
from separatrix.linear_model import (
    LeastSquaresClassifier,
    LogisticRegression,
    LogisticRegressionCV,
    Perceptron,
    Ridge,
    RidgeClassifier,
    RidgeClassifierCV,
    SGDClassifier,
)
from separatrix.naive_bayes import BernoulliNB, MultinomialNB

MODELS = [
    LeastSquaresClassifier(),
    LeastSquaresClassifier(coding="one_of_k"),
    LeastSquaresClassifier(coding="zero_one"),
    LeastSquaresClassifier(fit_intercept=False, class_weight="balanced"),
    RidgeClassifier(2.0, class_weight={"a": 2.0, "b": 1.0}),
    RidgeClassifierCV(),
    LogisticRegression(class_weight="balanced"),
    LogisticRegressionCV(Cs=3, cv=3),
]


def data(k, n=120):
    rng = np.random.default_rng(8)
    codes = rng.integers(0, k, size=n)
    X = rng.standard_normal((n, 4)) + 1.5 * rng.standard_normal((k, 4))[codes]
    return X, np.array(["a", "b", "c"])[codes], rng.integers(1, 3, size=n).astype(float)


@pytest.mark.parametrize("hold", [np.asarray, sp.csr_array], ids=["dense", "sparse"])
@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("model", MODELS, ids=str)
def test_a_classifier_is_confirmed_and_a_forged_one_is_not(model, k, hold):
    X, y, s = data(k)
    if getattr(model, "coding", "") == "zero_one" and k == 3:
        pytest.skip("0/1 targets are for two classes")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(hold(X), y, sample_weight=s)
    assert separatrix.verify(model, hold(X), y, sample_weight=s).converged
    for name in ("target_coef_", "coef_"):
        if hasattr(model, name):
            setattr(model, name, getattr(model, name) * 1.001)
    assert not separatrix.verify(model, hold(X), y, sample_weight=s).converged


@pytest.mark.parametrize("loss", ["log_loss", "hinge", "squared_hinge"])
@pytest.mark.parametrize("k", [2, 3])
def test_the_gap_of_a_stochastic_descent_is_what_its_certificate_says(loss, k):
    X, y, s = data(k)
    model = SGDClassifier(loss, random_state=0, alpha=0.01, max_iter=200, tol=1e-6).fit(X, y, sample_weight=s)
    again = separatrix.verify(model, X, y, sample_weight=s)
    assert again.value == pytest.approx(model.certificate_.value, rel=1e-6, abs=0.0)


def test_the_mistakes_of_a_perceptron_are_counted_again():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((60, 3))
    y = X @ [1.0, -2.0, 0.5] > 0.0
    X += 0.3 * np.where(y, 1.0, -1.0)[:, None] * np.array([1.0, -2.0, 0.5]) / np.sqrt(5.25)
    model = Perceptron(random_state=0, tol=None).fit(X, y)
    assert separatrix.verify(model, X, y).converged
    model.coef_ = -model.coef_
    assert separatrix.verify(model, X, y).value > 0


@pytest.mark.parametrize("factor", [[0.0, 1.0], [0.0, 0.0]])
def test_unpenalised_columns_that_separate_the_classes_leave_no_maximum(factor):
    X, y = np.array([[-2.0, 0.3], [-1.0, -0.1], [1.0, 0.2], [2.0, -0.4]]), [0, 0, 1, 1]
    with pytest.warns(Separated):
        model = LogisticRegression(penalty_factor=factor).fit(X, y)
    for certificate in (model.certificate_, separatrix.verify(model, X, y)):
        assert not certificate.converged and "no maximum exists" in str(certificate)


def test_unpenalised_columns_that_do_not_separate_leave_a_maximum():
    X, y = np.array([[-2.0, 0.3], [-1.0, -0.1], [1.0, 0.2], [2.0, -0.4]]), [0, 0, 1, 1]
    model = LogisticRegression(penalty_factor=[1.0, 0.0]).fit(X, y)
    assert model.certificate_.converged and separatrix.verify(model, X, y).converged


@pytest.mark.parametrize("y", [[0, 0, 0, 0, 1, 1, 1, 1], [0, 1, 2, 0, 1, 2, 0, 1]])
def test_verify_proves_that_separated_classes_have_no_maximum(y):
    X = np.eye(3)[np.array(y)] + 0.01 * np.arange(8)[:, None]
    with pytest.warns(Separated):
        model = LogisticRegression(C=np.inf).fit(X, y)
    assert "no maximum exists" in str(separatrix.verify(model, X, y))


def test_the_kind_of_a_certificate_does_not_tell_verify_what_to_compute():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((50, 3))
    y = X @ [1.0, 2.0, 0.0] + 10.0
    model = Ridge().fit(X, y)
    model.coef_ = np.full(3, 0.1)
    model.certificate_ = replace(model.certificate_, kind="mistakes")  # of which there would be none
    assert not separatrix.verify(model, X, y).converged


@pytest.mark.parametrize("model", [MultinomialNB(), BernoulliNB(), BernoulliNB(binarize=0.5)], ids=str)
def test_words_of_many_texts_are_counted_again_without_an_array_of_all_cells(model):
    rng = np.random.default_rng(2)
    n, p = 2_000, 5_000
    X = sp.csr_array(
        (rng.integers(1, 4, 20 * n).astype(float), rng.integers(0, p, 20 * n), np.arange(0, 20 * n + 1, 20))
    )
    X.resize((n, p))
    y, s = rng.integers(0, 3, n), rng.integers(1, 3, n).astype(float)
    model.fit(X, y, sample_weight=s)
    tracemalloc.start()
    again = separatrix.verify(model, X, y, sample_weight=s)
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert again.converged and most < n * p * 8 / 4  # bytes of an array of doubles
    model.feature_count_[1, 7] *= 1.01
    assert not separatrix.verify(model, X, y, sample_weight=s).converged
