"""The confusion matrix and what is read off it: exact fractions, scikit-learn, and the undefined cases by name."""

import warnings
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn import metrics as theirs
from sklearn.exceptions import UndefinedMetricWarning

from separatrix import assess

SICK = ["ill"] * 60 + ["healthy"] * 40
SAID = ["ill"] * 20 + ["healthy"] * 40 + ["ill"] * 30 + ["healthy"] * 10


# ------------------------------------------------------------------ the matrix


@pytest.mark.mission("EV-07")
def test_rows_are_predictions_and_columns_are_truths():
    """G050: columns sum to 60 and 40; the lost second row is 40 and 10."""
    counts = assess.confusion(SICK, SAID, labels=["ill", "healthy"])
    assert counts.matrix.tolist() == [[20, 30], [40, 10]]
    assert counts.actual.tolist() == [60, 40] and counts.predicted.tolist() == [50, 50]
    assert counts.of("ill") == {"tp": 20, "fp": 30, "fn": 40, "tn": 10}


@pytest.mark.mission("EV-07")
def test_the_ideal_matrix_is_diagonal():
    """G050."""
    counts = assess.confusion(SICK, SICK, labels=["ill", "healthy"])
    assert counts.matrix.tolist() == [[60, 0], [0, 40]] and counts.accuracy == 1.0


@pytest.mark.mission("EV-07")
def test_scikit_learn_lays_it_out_transposed():
    labels = ["ill", "healthy"]
    counts = assess.confusion(SICK, SAID, labels=labels)
    assert (counts.transposed == theirs.confusion_matrix(SICK, SAID, labels=labels)).all()
    assert (counts.matrix != theirs.confusion_matrix(SICK, SAID, labels=labels)).any()
    assert "transpose" in assess.confusion.__doc__


def test_the_matrix_is_readable():
    assert str(assess.confusion([0, 1, 1], [1, 1, 0])).splitlines() == [
        "            truth",
        "prediction  0  1",
        "0           0  1",
        "1           1  1",
    ]


def test_labels_keep_the_order_asked_for_and_are_sorted_otherwise():
    assert assess.confusion([2, 1], [2, 2]).labels.tolist() == [1, 2]
    assert assess.confusion([2, 1], [2, 2], labels=[2, 1, 3]).matrix.tolist() == [[1, 1, 0], [0, 0, 0], [0, 0, 0]]


def test_words_in_an_object_array_are_labels():
    counts = assess.confusion(np.array(["a", "b"], dtype=object), ["a", "a"])
    assert counts.labels.tolist() == ["a", "b"]


@pytest.mark.parametrize(
    "y_true, y_pred, options, words",
    [
        ([0, 1], [0], {}, "y_pred of 1 entries"),
        ([], [], {}, "no rows"),
        ([0, 1], ["a", "b"], {}, "y_true holds numbers and y_pred holds words"),
        ([0, 1], [0, 2], {"labels": [0, 1]}, "the label .*2.* of y_pred, row 1"),
        ([[0, 1], [1, 0]], [0, 1], {}, "y_true of shape"),
        ([0.0, np.nan], [0, 1], {}, "NaN in row 1"),
        ([0, 1], [0, 1], {"sample_weight": [1.0, -1.0]}, "weight"),
    ],
)
def test_what_cannot_be_counted_is_refused_in_words(y_true, y_pred, options, words):
    with pytest.raises(ValueError, match=words):
        assess.confusion(y_true, y_pred, **options)


# ------------------------------------------------------------------ accuracy, precision, recall, F1


def exact(tp, fp, fn, tn):
    """The four measures as exact fractions, None where they are 0/0."""
    P = Fraction(tp, tp + fp) if tp + fp else None
    R = Fraction(tp, tp + fn) if tp + fn else None
    both = None not in (P, R)
    F = (2 * P * R / (P + R) if P + R else Fraction(0)) if both else None
    return Fraction(tp + tn, tp + fp + fn + tn), P, R, F


def rows(tp, fp, fn, tn):
    return [1] * tp + [0] * fp + [1] * fn + [0] * tn, [1] * (tp + fp) + [0] * (fn + tn)


def found(y_true, y_pred, **options):
    measures = (assess.precision, assess.recall, assess.f1)
    return assess.accuracy(y_true, y_pred), *(m(y_true, y_pred, **options) for m in measures)


@pytest.mark.mission("EV-08", "EV-09", "EV-10", "EV-07")
def test_the_bad_matrix_has_the_golden_measures():
    """G050."""
    np.testing.assert_allclose(
        found(SICK, SAID, positive="ill"), [0.3, 0.4, 0.3333333333333333, 0.36363636363636365], rtol=1e-15
    )
    assert found(SICK, SICK, positive="ill") == (1.0, 1.0, 1.0, 1.0)


@pytest.mark.mission("EV-06", "EV-08", "EV-10")
def test_always_no_is_99_percent_accurate_finds_nobody_and_has_no_precision():
    """G049: the notes print a precision of 100 %, which is 0/0."""
    truth = [1] * 100 + [0] * 9900
    assert assess.accuracy(truth, [0] * 10_000) == 0.99
    assert assess.recall(truth, [0] * 10_000) == 0.0
    for measure in (assess.precision, assess.f1):
        with pytest.warns(assess.Undefined, match="no row was predicted positive"):
            assert np.isnan(measure(truth, [0] * 10_000))


@pytest.mark.mission("EV-06", "EV-08", "EV-10")
def test_always_yes_has_full_recall_and_little_else():
    """G049."""
    truth = [1] * 100 + [0] * 9900
    np.testing.assert_allclose(found(truth, [1] * 10_000), [0.01, 0.01, 1.0, 0.019801980198019802], rtol=1e-15)


@pytest.mark.mission("EV-08", "EV-09", "EV-10")
@settings(deadline=None, max_examples=60)
@given(st.tuples(*[st.integers(0, 40)] * 4).filter(any))
def test_measures_are_the_exact_fractions(cells):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", assess.Undefined)
        values = found(*rows(*cells))
    for value, fraction in zip(values, exact(*cells)):
        assert np.isnan(value) if fraction is None else abs(value - float(fraction)) <= 2e-16


@pytest.mark.mission("EV-10")
@pytest.mark.parametrize(
    "cells, measure, reason",
    [
        ((0, 0, 3, 5), "precision", "no row was predicted positive (1)"),
        ((0, 2, 0, 5), "recall", "no row is positive (1)"),
        ((0, 0, 3, 5), "f1", "no row was predicted positive (1)"),
        ((0, 2, 0, 5), "f1", "no row is positive (1)"),
        ((0, 0, 0, 5), "f1", "no row was predicted positive (1) and no row is positive (1)"),
    ],
)
def test_each_undefined_case_has_a_name_and_a_value_of_choice(cells, measure, reason):
    y_true, y_pred = rows(*cells)
    with pytest.warns(assess.Undefined) as caught:
        assert np.isnan(getattr(assess, measure)(y_true, y_pred))
    (warning,) = [w.message for w in caught]
    assert warning.reason == reason and reason in str(warning)
    assert isinstance(warning, UndefinedMetricWarning)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert getattr(assess, measure)(y_true, y_pred, undefined=0.5) == 0.5


@pytest.mark.mission("EV-10")
def test_f1_is_zero_and_defined_where_precision_and_recall_are_both_zero():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert assess.f1([1, 0], [0, 1]) == 0.0


@pytest.mark.mission("EV-08", "EV-09", "EV-10")
@pytest.mark.parametrize("average", ["positive", "each", "macro", "weighted", "micro"])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("k", [2, 4])
def test_measures_are_scikit_learns(average, weighted, k):
    if average == "positive" and k > 2:
        pytest.skip("one of many classes has to be named")
    rng = np.random.default_rng(k)
    y, z = rng.integers(0, k, 200), rng.integers(0, k, 200)
    s = rng.uniform(0.1, 3.0, 200) if weighted else None
    name = {"positive": "binary", "each": None}.get(average, average)
    for ours, their in [
        (assess.precision, theirs.precision_score),
        (assess.recall, theirs.recall_score),
        (assess.f1, theirs.f1_score),
    ]:
        a, b = ours(y, z, average=average, sample_weight=s), their(y, z, average=name, sample_weight=s)
        np.testing.assert_allclose(a, b, rtol=1e-13)
    assert assess.accuracy(y, z, sample_weight=s) == pytest.approx(theirs.accuracy_score(y, z, sample_weight=s))
    assert assess.balanced_accuracy(y, z, sample_weight=s) == pytest.approx(
        theirs.balanced_accuracy_score(y, z, sample_weight=s), rel=1e-13
    )


@pytest.mark.mission("EV-10")
def test_undefined_zero_is_scikit_learns_zero_division_zero_with_a_class_never_predicted():
    y, z = [0, 1, 2, 2, 0], [0, 1, 1, 1, 0]
    for average in ("macro", "weighted"):
        ours = assess.f1(y, z, average=average, undefined=0.0)
        assert ours == pytest.approx(theirs.f1_score(y, z, average=average, zero_division=0.0), rel=1e-14)
    with pytest.warns(assess.Undefined, match="no row was predicted 2"):
        assert np.isnan(assess.f1(y, z, average="macro"))


def test_the_positive_class_is_the_greater_one_or_the_one_named():
    assert assess.recall(["no", "yes", "yes"], ["no", "no", "yes"]) == 0.5
    assert assess.recall(["no", "yes", "yes"], ["no", "no", "yes"], positive="no") == 1.0
    assert assess.recall([-1, -1], [-1, 1], undefined=7.0) == 7.0
    assert assess.precision([True, False], [True, True]) == 0.5


def test_a_positive_class_that_cannot_be_known_is_asked_for():
    with pytest.raises(ValueError, match="which of the 3 classes"):
        assess.precision([1, 2, 3], [1, 2, 3])
    with pytest.raises(ValueError, match="which of the 1 classes"):
        assess.precision(["no"], ["no"])
    assert assess.recall(["no"], ["no"], positive="yes", undefined=0.0) == 0.0
    with pytest.raises(ValueError, match="no such average"):
        assess.f1([0, 1], [0, 1], average="mean")
    with pytest.raises(ValueError, match="over all classes"):
        assess.f1([0, 1], [0, 1], average="macro", positive=1)
    with pytest.raises(ValueError, match="the classes are"):
        assess.confusion([0, 1], [0, 1]).of(5)


def test_weights_are_repetitions():
    y, z, s = [1, 1, 0, 0], [1, 0, 1, 0], np.array([3, 1, 2, 5])
    for measure in (assess.precision, assess.recall, assess.f1, assess.accuracy, assess.balanced_accuracy):
        assert measure(y, z, sample_weight=s) == measure(np.repeat(y, s), np.repeat(z, s))


# ------------------------------------------------------------------ accuracy on skewed classes


@pytest.mark.mission("EV-06")
@pytest.mark.parametrize("ill, n, accuracy", [(100, 10_000, 0.99), (1, 1000, 0.999)])
def test_the_report_sets_accuracy_beside_that_of_a_constant_answer(ill, n, accuracy):
    """G049 and G060: 99 % and 99.9 % for nothing."""
    report = assess.accuracy_report([1] * ill + [0] * (n - ill), [0] * n)
    assert report.accuracy == report.no_information_rate == accuracy
    assert report.skewed and not report.informative and report.missed == [1]
    assert report.balanced_accuracy == 0.5 and report.majority == 0
    assert "No row was predicted rightly of: 1" in str(report)


@pytest.mark.mission("EV-06")
def test_a_model_that_sees_something_is_told_from_one_that_does_not():
    report = assess.accuracy_report([0] * 50 + [1] * 50, [0] * 45 + [1] * 55)
    assert report.informative and not report.skewed and not report.missed
    assert "Right more often" in str(report)


def test_the_p_value_is_that_of_the_exact_binomial():
    report = assess.accuracy_report([0, 0, 0, 1], [0, 0, 0, 1])
    assert report.p_value == pytest.approx((3 / 4) ** 4, rel=1e-14)
