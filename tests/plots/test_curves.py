"""What is drawn are scikit-learn's curves, and what is said are its numbers."""

import numpy as np
import pytest
from scipy.stats import binomtest
from sklearn import metrics
from sklearn.calibration import calibration_curve

from separatrix import plots


@pytest.fixture(scope="module")
def scored():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 400)
    return y, 1.0 / (1.0 + np.exp(-(1.5 * (2 * y - 1) + 2.0 * rng.standard_normal(400)).round(1)))  # with ties


@pytest.fixture(scope="module")
def three():
    rng = np.random.default_rng(1)
    y = np.array(["a", "b", "c"])[rng.choice(3, 300, p=[0.2, 0.5, 0.3])]
    P = rng.dirichlet(np.ones(3), 300) + 0.4 * (y[:, None] == np.array(["a", "b", "c"]))
    return y, P / P.sum(axis=1, keepdims=True)


def drawn(ax):
    """The lines that stand for data: those that the legend names, or all but the diagonal."""
    return [line for line in ax.lines if not line.get_label().startswith("_")]


@pytest.mark.parametrize("two_columns", [False, True])
def test_the_roc_curve_is_scikit_learns(scored, two_columns):
    y, p = scored
    ax = plots.roc(y, np.column_stack([1.0 - p, p]) if two_columns else p)
    across, up, _ = metrics.roc_curve(y, p)
    (line,) = drawn(ax)
    np.testing.assert_array_equal(line.get_xdata(), across)
    np.testing.assert_array_equal(line.get_ydata(), up)
    area = metrics.roc_auc_score(y, p)
    assert f"Area under the curve {area:.3f}" in plots.describe(ax)
    assert line.get_label() == f"area {area:.3f}"


def test_the_second_label_is_positive_and_classes_may_say_otherwise(scored):
    y, p = scored
    words = np.array(["no", "yes"])[y]
    assert "0.8" in plots.describe(plots.roc(words, p))
    area = metrics.roc_auc_score(words == "no", p)
    assert f"curve {area:.3f}" in plots.describe(plots.roc(words, p, classes=["yes", "no"]))


def test_each_class_has_its_roc_curve_the_commonest_first(three):
    y, P = three
    ax = plots.roc(y, P)
    for line, label in zip(drawn(ax), "bca", strict=True):
        across, up, _ = metrics.roc_curve(y == label, P[:, "abc".index(label)])
        np.testing.assert_array_equal(line.get_xydata(), np.column_stack([across, up]))
        assert line.get_label() == f"{label}: {metrics.roc_auc_score(y == label, P[:, 'abc'.index(label)]):.3f}"
    assert len({line.get_linestyle() for line in drawn(ax)}) == 3  # told apart without colour


def test_the_precision_recall_curve_is_scikit_learns(scored):
    y, p = scored
    ax = plots.precision_recall(y, p)
    precision, recall, _ = metrics.precision_recall_curve(y, p)
    (line,) = drawn(ax)
    np.testing.assert_array_equal(line.get_xydata(), np.column_stack([recall, precision]))
    assert line.get_drawstyle() == "steps-post"
    assert f"{metrics.average_precision_score(y, p):.3f}" in plots.describe(ax)


def test_a_step_holds_the_precision_of_its_own_threshold():
    """Going left from recall 1, the average precision is the area under what is drawn."""
    y, p = np.array([0, 0, 1, 1]), np.array([0.1, 0.4, 0.35, 0.8])
    (line,) = drawn(plots.precision_recall(y, p))
    x, up = line.get_xydata().T
    area = -np.sum(np.diff(x) * up[:-1])  # "post": the height of a point holds until the next
    assert area == pytest.approx(metrics.average_precision_score(y, p))


def test_precision_and_recall_of_three_classes(three):
    y, P = three
    ax = plots.precision_recall(y, P)
    assert [line.get_label()[0] for line in drawn(ax)] == ["b", "c", "a"]
    assert f"b {metrics.average_precision_score(y == 'b', P[:, 1]):.3f}" in plots.describe(ax)


@pytest.mark.parametrize("bins", [5, 10])
def test_calibration_points_are_scikit_learns(scored, bins):
    y, p = scored
    ax = plots.calibration(y, p, bins)
    observed, claimed = calibration_curve(y, p, n_bins=bins)
    np.testing.assert_allclose(ax.lines[1].get_xydata(), np.column_stack([claimed, observed]), rtol=1e-12)
    (bars,) = ax.collections
    where = np.searchsorted(np.linspace(0, 1, bins + 1)[1:-1], p)
    for segment, b in zip(bars.get_segments(), np.unique(where)):
        interval = binomtest(int(y[where == b].sum()), int((where == b).sum())).proportion_ci(0.95, "wilson")
        np.testing.assert_allclose(segment[:, 1], [interval.low, interval.high], rtol=1e-9, atol=1e-12)


def test_the_histogram_below_has_the_rows_of_each_bin(scored):
    y, p = scored
    ax = plots.calibration(y, p)
    counts = np.bincount(np.searchsorted(np.linspace(0, 1, 11)[1:-1], p), minlength=10)
    heights = np.array([bar.get_height() for bar in ax.patches])
    np.testing.assert_allclose(heights / heights.max(), counts[counts > 0] / counts.max())
    assert f"{counts.max()} rows" in [text.get_text() for text in ax.texts]
    assert all(bar.get_y() + bar.get_height() < 0.0 for bar in ax.patches)


def test_of_three_classes_the_predicted_one_is_held_against_the_truth(three):
    y, P = three
    ax = plots.calibration(y, P)
    right = np.array(list("abc"))[P.argmax(axis=1)] == y
    observed, claimed = calibration_curve(right, P.max(axis=1), n_bins=10)
    np.testing.assert_allclose(ax.lines[1].get_xydata(), np.column_stack([claimed, observed]), rtol=1e-12)
    assert "the predicted class" in ax.get_xlabel()


@pytest.mark.parametrize("draw", [plots.roc, plots.precision_recall])
def test_curves_that_cannot_be_drawn_say_why(draw):
    with pytest.raises(ValueError, match="of one class"):
        draw(["a", "a", "a"], [0.1, 0.2, 0.3], classes=["a", "b"])
    with pytest.raises(ValueError, match="1 of 3 rows have a score that is missing"):
        draw([0, 1, 1], [0.1, np.nan, 0.3])
    with pytest.raises(ValueError, match="shape"):
        draw([0, 1], [0.1, 0.2, 0.3])
    with pytest.raises(ValueError, match="there are 2 labels"):
        draw([0, 1], np.full((2, 3), 0.3))


def test_a_calibration_curve_wants_probabilities():
    with pytest.raises(ValueError, match="probabilities"):
        plots.calibration([0, 1], [-3.0, 2.0])
