"""Decisions under a loss matrix: DEC-04, DEC-06, DEC-11, DEC-12."""

import inspect
import re
from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.datasets import make_classification
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression, Perceptron
from sklearn.naive_bayes import GaussianNB
from sklearn.utils.estimator_checks import parametrize_with_checks

from separatrix import linear_model
from separatrix.decision import CostSensitiveClassifier, average_cost, decide, expected_costs, zero_one_costs

CANCER = np.array([[0, 1], [100, 0]])
POSTERIORS = np.array([[0.995, 0.005], [0.985, 0.015], [0.4, 0.6]])


@st.composite
def exact_problems(draw):
    """Posteriors with denominator 60 and whole costs: everything can be compared exactly."""
    k, a, n = draw(st.integers(2, 4)), draw(st.integers(1, 5)), draw(st.integers(1, 4))
    counts = draw(st.lists(st.lists(st.integers(0, 20), min_size=k, max_size=k).filter(any), min_size=n, max_size=n))
    costs = draw(st.lists(st.lists(st.integers(-9, 30), min_size=a, max_size=a), min_size=k, max_size=k))
    return [[Fraction(c, sum(row)) for c in row] for row in counts], costs


@pytest.mark.mission("DEC-04")
def test_the_cancer_decisions_are_the_golden_ones():
    """G039: L[true, predicted]; to miss a cancer costs a hundred false alarms."""
    assert_array_equal(decide(POSTERIORS, CANCER), [0, 1, 1])
    assert_array_equal(decide(POSTERIORS), [0, 0, 1])
    threshold = 0.009900990099009901
    just = np.array([threshold - 1e-12, threshold + 1e-12])
    assert_array_equal(decide(np.column_stack([1.0 - just, just]), CANCER), [0, 1])


@pytest.mark.mission("DEC-04")
def test_the_rows_of_the_matrix_are_the_truth():
    """The transposed matrix decides differently: this is the reading that must not be mixed up."""
    assert_array_equal(decide([[0.4, 0.6]], CANCER.T), [0])
    assert_allclose(expected_costs([[0.4, 0.6]], CANCER), [[60.0, 0.4]])


@pytest.mark.mission("DEC-04")
@settings(deadline=None, max_examples=300)
@given(exact_problems())
def test_no_action_is_cheaper_and_of_equal_ones_the_first_is_taken(problem):
    """Brute force over all actions in exact fractions."""
    posteriors, costs = problem
    found = decide(np.array(posteriors, dtype=float), costs)
    for row, decision in zip(posteriors, found):
        exact = [sum(p * line[g] for p, line in zip(row, costs)) for g in range(len(costs[0]))]
        assert decision == exact.index(min(exact))


@pytest.mark.mission("DEC-04")
@pytest.mark.parametrize(
    "counts, costs",
    [
        ([2, 4, 5], [[4, 0], [5, 7], [6, 6]]),
        ([2, 3, 2], [[0, 9], [7, 1], [8, 8]]),
        ([7, 3, 9], [[3, 3], [4, 7], [-2, -3]]),
        ([6, 9, 3], [[-2, -9], [6, 6], [-9, 5]]),
    ],
)
def test_rounding_breaks_no_tie(counts, costs):
    """Both actions cost the same in fractions, while in floating point the second seems cheaper by a rounding."""
    exact = np.array(counts, dtype=object) @ np.array(costs, dtype=object)
    assert exact[0] == exact[1]
    assert decide([np.array(counts) / sum(counts)], costs).tolist() == [0]


@pytest.mark.mission("DEC-04")
@settings(deadline=None)
@given(exact_problems(), st.integers(1, 1000), st.lists(st.integers(-50, 50), min_size=4, max_size=4))
def test_scaling_the_costs_or_adding_to_a_row_changes_no_decision(problem, factor, added):
    posteriors, costs = problem
    P, L = np.array(posteriors, dtype=float), np.array(costs, dtype=float)
    moved = factor * L + np.array(added[: len(L)])[:, None]
    assert_array_equal(decide(P, L), decide(P, moved))


@pytest.mark.mission("DEC-04")
def test_there_may_be_more_or_fewer_actions_than_classes():
    costs = [[0, 5, 1], [5, 0, 1]]
    P = [[0.9, 0.1], [0.5, 0.5], [0.1, 0.9]]
    assert decide(P, costs, actions=["left", "right", "ask"]).tolist() == ["left", "ask", "right"]
    assert decide(P, [[1], [2]]).tolist() == [0, 0, 0]


@pytest.mark.mission("DEC-06")
def test_the_zero_one_loss_takes_the_most_probable_class_and_costs_the_complement_of_accuracy():
    rng = np.random.default_rng(0)
    P = rng.dirichlet(np.ones(4), 500)
    y = np.array([rng.choice(4, p=row) for row in P])
    decisions = decide(P, zero_one_costs(4))
    assert_array_equal(decisions, P.argmax(axis=1))
    assert_array_equal(decide(P), decisions)
    assert_allclose(expected_costs(P), expected_costs(P, zero_one_costs(4)), atol=1e-15)
    assert average_cost(y, decisions, zero_one_costs(4)) == pytest.approx(1.0 - np.mean(y == decisions), abs=1e-15)


def test_frames_and_lists_are_taken_as_arrays_are():
    for frame in (pd.DataFrame(POSTERIORS), pl.DataFrame(POSTERIORS), pl.DataFrame(POSTERIORS).to_arrow()):
        assert_array_equal(decide(frame, pd.DataFrame(CANCER)), [0, 1, 1])
    assert_array_equal(decide(POSTERIORS.astype(np.float32), CANCER), [0, 1, 1])


def test_the_average_cost_counts_weights_as_repetitions():
    y, done, s = np.array(["b", "a", "b"]), np.array(["a", "a", "b"]), np.array([2, 1, 0])
    weighted = average_cost(y, done, CANCER, classes=["a", "b"], sample_weight=s)
    assert weighted == average_cost(y.repeat(s), done.repeat(s), CANCER, classes=["a", "b"])
    assert weighted == pytest.approx(200.0 / 3.0)
    assert average_cost([0, 1], ["ask", "go"], [[1, 0], [2, 7]], actions=["ask", "go"]) == 4.0


# ------------------------------------------------------------------ with any model


@pytest.fixture(scope="module")
def data():
    return make_classification(400, 5, n_informative=3, weights=[0.8], flip_y=0.1, random_state=3)


@pytest.mark.mission("DEC-11")
def test_one_fitted_model_serves_two_loss_matrices(data):
    X, y = data
    model = CostSensitiveClassifier(LogisticRegression()).fit(X, y)
    fitted = model.estimator_
    cheap = model.set_params(costs=[[0, 1], [1, 0]]).predict(X)
    dear = model.set_params(costs=[[0, 1], [20, 0]]).predict(X)
    assert model.estimator_ is fitted
    p = LogisticRegression().fit(X, y).predict_proba(X)[:, 1]
    assert_array_equal(cheap, p > 0.5)
    assert_array_equal(dear, p > 1.0 / 21.0)
    assert (dear > cheap).any()
    assert model.mean_cost(X, y) < average_cost(y, cheap, model.costs)


@pytest.mark.mission("DEC-12")
@pytest.mark.parametrize(
    "classifier",
    [linear_model.LogisticRegression(), LogisticRegression(), GaussianNB(), LinearDiscriminantAnalysis()],
    ids=["ours", "logistic", "naive_bayes", "lda"],
)
def test_any_model_with_posteriors_can_be_decided_with_and_a_fitted_one_needs_no_fit(classifier, data):
    X, y = data
    names = np.array(["no", "yes"])[y]
    classifier = clone(classifier).fit(X, names)
    costs = np.array([[-2.0, 1.0, 0.0], [7.0, 0.0, 0.5]])
    model = CostSensitiveClassifier(classifier, costs, actions=["leave", "act", "look"])
    P = classifier.predict_proba(X)
    by_hand = P[:, :1] * costs[0] + P[:, 1:] * costs[1]
    assert_array_equal(model.predict(X), np.array(["leave", "act", "look"])[by_hand.argmin(axis=1)])
    assert_allclose(model.expected_costs(X), by_hand, atol=1e-13)
    assert_array_equal(model.predict_proba(X), P)
    assert_array_equal(model.classes_, ["no", "yes"])
    fitted_here = clone(model).fit(X, names)
    assert_array_equal(fitted_here.predict(X), model.predict(X))


def test_weights_reach_the_model_inside(data):
    X, y = data
    s = np.where(y == 1, 3.0, 1.0)
    inside = CostSensitiveClassifier(LogisticRegression()).fit(X, y, sample_weight=s)
    assert_array_equal(inside.estimator_.coef_, LogisticRegression().fit(X, y, sample_weight=s).coef_)


@parametrize_with_checks([CostSensitiveClassifier(LogisticRegression()), CostSensitiveClassifier(GaussianNB())])
def test_scikit_learn_accepts_it(estimator, check):
    check(estimator)


def test_every_parameter_is_documented():
    doc = inspect.getdoc(CostSensitiveClassifier)
    for name in inspect.signature(CostSensitiveClassifier).parameters:
        assert re.search(rf"^{name} : ", doc, flags=re.M)


# ------------------------------------------------------------------ what cannot be done


@pytest.mark.parametrize(
    "costs, said",
    [
        (np.zeros((3, 2)), r"costs of shape \(3, 2\): there are 2 classes"),
        (np.zeros(2), r"costs of shape \(2,\)"),
        (np.zeros((2, 0)), r"costs of shape \(2, 0\)"),
        ([[0, np.inf], [1, 0]], "infinite or not a number"),
        ([[0, np.nan], [1, 0]], "infinite or not a number"),
    ],
)
def test_a_wrong_loss_matrix_is_refused(costs, said, data):
    with pytest.raises(ValueError, match=said):
        decide(POSTERIORS, costs)
    with pytest.raises(ValueError, match=said):
        CostSensitiveClassifier(GaussianNB(), costs).fit(*data)


def test_costs_that_are_words_are_refused():
    with pytest.raises(TypeError, match="not an array of numbers"):
        decide(POSTERIORS, [["a", "b"], ["c", "d"]])


def test_actions_must_be_named_where_they_are_not_classes(data):
    X, y = data
    with pytest.raises(ValueError, match="3 actions and 2 classes"):
        CostSensitiveClassifier(GaussianNB(), np.ones((2, 3))).fit(X, y)
    with pytest.raises(ValueError, match="need 3 different labels"):
        CostSensitiveClassifier(GaussianNB(), np.ones((2, 3)), actions=["a", "b", "a"]).fit(X, y)


def test_a_model_without_posteriors_is_refused(data):
    with pytest.raises(AttributeError, match="no predict_proba"):
        CostSensitiveClassifier(Perceptron()).fit(*data)


def test_a_model_that_was_never_fitted_is_refused(data):
    with pytest.raises(NotFittedError, match="not fitted yet"):
        CostSensitiveClassifier(GaussianNB()).predict(data[0])


def test_labels_out_of_nowhere_are_refused():
    with pytest.raises(ValueError, match=r"label 2: the classes are \[0, 1\]"):
        average_cost([0, 2], [0, 1], CANCER)
    with pytest.raises(ValueError, match="decisions of 1 entries"):
        average_cost([0, 1], [0], CANCER)
