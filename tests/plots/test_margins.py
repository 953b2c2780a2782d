"""The drawn margin is that of the model: its lines, its rings and the lengths of its slack."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from separatrix import plots
from separatrix.linear_model import LogisticRegression
from separatrix.svm import SVC, SVR, LinearSVC


@pytest.fixture(scope="module")
def overlapping():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(60, 2))
    return X, np.where(X @ [1.0, 1.0] + 0.7 * rng.normal(size=60) > 0.0, "up", "down")


def level_points(ax, level):
    """Corners of the line of one level."""
    lines = [c for c in ax.collections if getattr(c, "filled", True) is False and list(c.levels) == [level]]
    return np.vstack([path.vertices for line in lines for path in line.get_paths()])


def ringed(ax, label):
    """The points within the rings of a label."""
    (rings,) = [c for c in ax.collections if str(c.get_label()).startswith(label)]
    return np.asarray(rings.get_offsets())


@pytest.mark.parametrize("make", [lambda: LinearSVC(loss="hinge"), lambda: SVC(gamma=0.5)])
def test_boundary_and_margins_lie_where_the_score_is_zero_and_one(overlapping, make):
    X, y = overlapping
    model = make().fit(X, y)
    ax = plots.margins(model, X, y)
    for level in (-1.0, 0.0, 1.0):
        # the line is straight within a cell of the grid, where a Gaussian's score bends by 1e-3
        assert_allclose(model.decision_function(level_points(ax, level)), level, atol=5e-3)


@pytest.mark.mission("MM-13")
def test_rings_tell_support_vectors_on_the_margin_from_margin_errors_and_crosses_mistakes(overlapping):
    X, y = overlapping
    model = SVC(gamma=0.5).fit(X, y)
    ax = plots.margins(model, X, y)
    assert_array_equal(ringed(ax, "on the margin"), X[model.on_margin_])
    assert_array_equal(ringed(ax, "margin error"), X[model.margin_errors_])
    (crosses,) = [line for line in ax.lines if line.get_marker() == "x"]
    assert_array_equal(crosses.get_xydata(), X[model.predict(X) != y])
    styles = [c.get_linestyle()[0][1] for c in ax.collections if "margin" in str(c.get_label())]
    assert styles[0] is None and styles[1] is not None  # told apart without colour
    said = plots.describe(ax)
    assert f"{len(model.on_margin_)} are on the margin and {len(model.margin_errors_)} are margin errors" in said


@pytest.mark.mission("MM-21")
@pytest.mark.parametrize("make", [lambda: LinearSVC(loss="hinge"), lambda: SVC(kernel="linear")])
def test_slack_lines_end_on_the_margin_and_are_as_long_as_the_slack_says(overlapping, make):
    X, y = overlapping
    model = make().fit(X, y)
    ax = plots.margins(model, X, y)
    lines = np.array([line.get_xydata() for line in ax.lines if line.get_linestyle() == "-"])
    assert len(lines) == len(model.margin_errors_)
    assert_array_equal(lines[:, 0], X[model.margin_errors_])
    own = np.where(y[model.margin_errors_] == "up", 1.0, -1.0)
    assert_allclose(model.decision_function(lines[:, 1]), own, atol=1e-9)
    lengths = np.linalg.norm(lines[:, 1] - lines[:, 0], axis=1)
    assert_allclose(lengths, model.slack_[model.margin_errors_] * model.margin_, atol=1e-9)


def test_three_classes_have_regions_and_the_support_vectors_of_all_machines(overlapping):
    X, y = overlapping
    y = np.where(X[:, 0] > 0.8, "right", y)
    for model in (SVC().fit(X, y), LinearSVC(loss="hinge").fit(X, y)):
        ax = plots.margins(model, X, y)
        assert_array_equal(ringed(ax, "support vector"), X[model.support_])
        assert "3 machines" in plots.describe(ax) and "their margins are not drawn" in plots.describe(ax)


def test_a_pipeline_is_drawn_in_the_columns_that_it_is_given(overlapping):
    X, y = overlapping
    X = X * [1.0, 100.0] + [0.0, 5.0]
    model = make_pipeline(StandardScaler(), SVC()).fit(X, y)
    ax = plots.margins(model, X, y, names=["age", "pay"])
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("age", "pay")
    assert_allclose(model.decision_function(level_points(ax, 0.0)), 0.0, atol=5e-3)
    assert_array_equal(ringed(ax, "on the margin"), X[model[-1].on_margin_])


def test_a_machine_without_dual_variables_has_its_margin_errors_by_their_slack(overlapping):
    X, y = overlapping
    model = LinearSVC(penalty="l1").fit(X, y).sparsify()
    assert_array_equal(ringed(plots.margins(model, X, y), "margin error"), X[model.slack_ > 1e-5])


def test_what_has_no_margin_to_draw_is_refused(overlapping):
    X, y = overlapping
    model = SVC().fit(X, y)
    for wrong, of, words in (
        (LogisticRegression().fit(X, y), (X, y), "no support vector classifier"),
        (SVR().fit(X, X[:, 0]), (X, X[:, 0]), "no support vector classifier"),
        (SVC().fit(X[:, [0, 1, 1]], y), (X[:, [0, 1, 1]], y), "it has 3 columns"),
        (model, (X[:30], y[:30]), "fitted to other rows than these 30"),
        (model, (X[::-1], y), "the slack of these rows is not that of the fit"),
    ):
        with pytest.raises(ValueError, match=words):
            plots.margins(wrong, *of)
