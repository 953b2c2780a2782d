"""Curves over thresholds and probabilities: against scikit-learn, statsmodels and by hand."""

import sys

import numpy as np
import pytest
from sklearn import metrics as theirs
from sklearn.calibration import calibration_curve

from separatrix import assess


@pytest.fixture(scope="module")
def scored():
    rng = np.random.default_rng(0)
    p = rng.beta(0.7, 1.5, 400).round(2)
    return (rng.uniform(size=400) < p).astype(int), p, rng.uniform(0.2, 2.0, 400)


def test_the_roc_curve_is_scikit_learns(scored):
    y, p, s = scored
    curve = assess.roc_curve(y, p, sample_weight=s)
    for column, their in zip(
        ("false_positive_rate", "true_positive_rate", "threshold"), theirs.roc_curve(y, p, sample_weight=s)
    ):
        np.testing.assert_allclose(curve[column], their)
    assert curve.facts["area"] == pytest.approx(assess.roc_auc(y, p, sample_weight=s), rel=1e-12)


def test_words_and_two_columns_of_probabilities_give_the_same_curve(scored):
    y, p, _ = scored
    names = np.array(["yes", "no"])[y]
    curve = assess.roc_curve(names, np.column_stack([1 - p, p]), classes=["yes", "no"])
    np.testing.assert_allclose(curve["true_positive_rate"], assess.roc_curve(y, p)["true_positive_rate"])


def test_the_precision_recall_curve_is_scikit_learns(scored):
    y, p, s = scored
    curve = assess.precision_recall_curve(y, p, sample_weight=s)
    precision, recall, threshold = theirs.precision_recall_curve(y, p, sample_weight=s)
    np.testing.assert_allclose(curve["precision"], precision)
    np.testing.assert_allclose(curve["recall"], recall)
    np.testing.assert_allclose(curve["threshold"][:-1], threshold)
    assert curve.facts["base_rate"] == pytest.approx(s @ y / s.sum())


def test_a_point_of_the_curve_is_the_precision_at_its_threshold(scored):
    y, p, _ = scored
    curve = assess.precision_recall_curve(y, p)
    for i in (0, 20, 60):
        error_text = (p >= curve["threshold"][i]).astype(int)
        assert curve["precision"][i] == pytest.approx(assess.precision(y, error_text))
        assert curve["recall"][i] == pytest.approx(assess.recall(y, error_text))


def test_the_calibration_curve_is_scikit_learns_with_wilsons_intervals(scored):
    proportion = pytest.importorskip("statsmodels.stats.proportion")
    y, p, _ = scored
    curve = assess.calibration_curve(y, p, bins=8)
    observed, claimed = calibration_curve(y, p, n_bins=8)
    np.testing.assert_allclose(curve["observed"], observed)
    np.testing.assert_allclose(curve["claimed"], claimed)
    hits = np.round(curve["observed"] * curve["rows"])
    lower, upper = proportion.proportion_confint(hits, curve["rows"], method="wilson")
    np.testing.assert_allclose(curve["lower"], lower, atol=1e-12)
    np.testing.assert_allclose(curve["upper"], upper, atol=1e-12)
    assert curve.facts["error"] == pytest.approx(assess.calibration_error(y, p, bins=8), rel=1e-12)
    assert curve["rows"].sum() == 400


def test_empty_bins_are_left_out_and_equal_weights_change_nothing(scored):
    curve = assess.calibration_curve([0, 1, 1], [0.05, 0.95, 1.0])
    assert curve["low"].tolist() == [0.0, 0.9] and curve["rows"].tolist() == [1, 2]
    y, p, _ = scored
    a, b = assess.calibration_curve(y, p), assess.calibration_curve(y, p, sample_weight=np.full(400, 3.0))
    np.testing.assert_allclose(a["lower"], b["lower"])


@pytest.mark.parametrize("y, words", [([1, 1], "all rows are of one class"), (["a", "b", "c"], "second class")])
def test_a_curve_over_thresholds_needs_two_classes(y, words):
    for draw in (assess.roc_curve, assess.precision_recall_curve):
        with pytest.raises(ValueError, match=words):
            draw(y, np.linspace(0, 1, len(y)))


def test_a_curve_of_three_columns_of_probabilities_is_refused():
    with pytest.raises(ValueError, match="more than two classes"):
        assess.roc_curve([0, 1, 2], np.eye(3))


def test_curves_are_tables(monkeypatch):
    curve = assess.roc_curve([0, 1, 1], [0.2, 0.1, 0.9])
    assert dict(curve).keys() == {"threshold", "false_positive_rate", "true_positive_rate"}
    assert curve.rows == len(curve["threshold"]) and "roc" in repr(curve) and "area 0.5" in str(curve)
    pytest.importorskip("pandas")
    assert list(curve.frame().columns) == list(curve)
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ImportError, match=r"separatrix\[frames\]"):
        curve.frame()
