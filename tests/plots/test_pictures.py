"""Each picture draws its data, keeps its labels apart, says its numbers, and leaves matplotlib as it was."""

import subprocess
import sys
from itertools import pairwise
from types import SimpleNamespace

import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.text import Text
from scipy.stats import norm, probplot

from separatrix import assess, plots
from separatrix.assess.compare.comparison import Standing
from separatrix.core.solution import Trace
from separatrix.linear_model import Lasso, LogisticRegression, lasso_path
from separatrix.plots import style
from separatrix.plots.labels import apart, number, percent


def overlapping(ax):
    """Pairs of texts of the axes that cover one another once they are drawn."""
    FigureCanvasAgg(ax.get_figure()).draw()
    boxes = [(text.get_text(), Text.get_window_extent(text)) for text in ax.texts]  # of the words, without leaders
    return [(a, b) for k, (a, box) in enumerate(boxes) for b, other in boxes[k + 1 :] if box.overlaps(other)]


# ------------------------------------------------------------------ style


def test_matplotlib_is_loaded_late_its_settings_stay_and_pyplot_is_never_asked():
    code = (
        "import sys; from separatrix import plots; assert 'matplotlib' not in sys.modules\n"
        "import matplotlib; names = [name for name in matplotlib.rcParams if not name.startswith('backend')]\n"
        "before = {name: matplotlib.rcParams[name] for name in names}\n"  # to look at the backend would choose one
        "plots.svg(plots.losses())\n"
        "assert {name: matplotlib.rcParams[name] for name in names} == before\n"
        "assert 'matplotlib.pyplot' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_axes_may_be_given_by_place_or_by_name():
    ax = Figure().add_subplot()
    assert plots.roc([0, 1], [0.1, 0.2], ax) is ax
    assert plots.losses(ax=ax) is ax
    assert "Losses against the margin" in plots.describe(ax)  # the latest


def test_a_figure_says_what_all_its_axes_show():
    figure = Figure()
    left, right = figure.subplots(1, 2)
    plots.roc([0, 1], [0.1, 0.2], left)
    plots.predicted_vs_true([1.0, 2.0], [1.0, 2.0], right)
    assert plots.describe(figure) == f"{plots.describe(left)} {plots.describe(right)}"
    assert plots.describe(Figure().add_subplot()) == ""


def luminance(colour):
    parts = np.array(to_rgb(colour))
    return np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4) @ [0.2126, 0.7152, 0.0722]


@pytest.mark.parametrize("colour", [*style.WRITTEN, style.INK, style.FAINT])
def test_text_can_be_read_on_white(colour):
    assert 1.05 / (luminance(colour) + 0.05) >= 4.5  # WCAG AA


def test_every_colour_has_a_marker_and_a_line_of_its_own():
    assert len(style.COLOURS) == len(style.WRITTEN) == len(set(style.MARKERS)) == len(set(style.LINES))


# ------------------------------------------------------------------ labels


def test_labels_move_as_little_as_keeps_them_apart():
    rng = np.random.default_rng(0)
    wanted = rng.uniform(0.0, 1.0, 8)
    found = apart(wanted, 0.08, 0.0, 1.0)
    order = np.argsort(wanted)
    assert np.diff(found[order]).min() >= 0.08 - 1e-12
    assert found.min() >= 0.0 and found.max() <= 1.0
    from scipy.optimize import minimize

    gaps = [{"type": "ineq", "fun": lambda h, a=a, b=b: h[b] - h[a] - 0.08} for a, b in pairwise(order)]
    best = minimize(lambda h: ((h - wanted) ** 2).sum(), found, constraints=gaps, bounds=[(0, 1)] * 8, tol=1e-12)
    assert ((found - wanted) ** 2).sum() <= best.fun + 1e-6


@pytest.mark.parametrize("x, text", [(0.0, "0"), (12345.6, "12,346"), (0.05, "0.05"), (-3e-7, "−3e−7"), (1.0, "1")])
def test_numbers_read_well(x, text):
    assert number(x) == text


def test_a_share_that_is_not_all_is_not_called_all():
    assert [percent(x) for x in (0.0, 0.0004, 0.5, 0.9996, 1.0)] == ["0 %", "0.0 %", "50 %", "100.0 %", "100 %"]


# ------------------------------------------------------------------ paths and coefficients


def test_a_path_runs_from_strong_to_weak_and_names_its_largest_lines():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((60, 30))
    alphas, coefs, _ = lasso_path(X, X[:, :6] @ [4.0, -3.9, 4.1, 0.1, 3.8, 0.0] + rng.standard_normal(60))
    names = [f"column_{j}" for j in range(30)]
    ax = plots.path(alphas[::-1], coefs[:, ::-1], names, chosen=alphas[40])
    assert ax.xaxis_inverted() and ax.get_xscale() == "log"
    lines = [line for line in ax.lines if len(line.get_xdata()) == len(alphas)]
    assert len(lines) == 30
    heights = {tuple(line.get_ydata()) for line in lines}
    assert heights == {tuple(row) for row in coefs}
    labels = {text.get_text() for text in ax.texts}
    assert {"column_0", "column_1", "column_2", "column_4"} < labels and len(labels) == 8
    assert overlapping(ax) == []
    assert f"{np.count_nonzero(coefs[:, 40])} are not zero" in plots.describe(ax)


def test_a_path_needs_a_column_for_each_strength():
    with pytest.raises(ValueError, match="column of coefficients"):
        plots.path([1.0, 0.1], [[1.0, 2.0, 3.0]])


def test_estimates_have_their_intervals_and_are_filled_where_zero_is_excluded():
    ends = [[0.2, 0.8], [-0.3, 0.1], [-2.0, -1.0]]
    ax = plots.coefficients(["age", "ldl", "sbp"], [0.5, -0.1, -1.5], ends)
    bars, dots = ax.collections
    np.testing.assert_allclose([segment[:, 0] for segment in bars.get_segments()], ends)
    np.testing.assert_allclose(dots.get_offsets(), [[0.5, 0], [-0.1, 1], [-1.5, 2]])
    white = (dots.get_facecolors()[:, :3] == 1.0).all(axis=1)
    assert white.tolist() == [False, True, False]
    assert "age 0.5 (0.2 to 0.8)" in plots.describe(ax) and "zero for age and sbp." in plots.describe(ax)


def test_of_many_estimates_the_clearest_are_drawn_and_none_needs_an_interval():
    ax = plots.coefficients([f"x{j}" for j in range(40)], np.arange(40.0))
    assert [label.get_text() for label in ax.get_yticklabels()] == [f"x{j}" for j in range(15, 40)]
    assert "25 of 40 estimates" in plots.describe(ax)


# ------------------------------------------------------------------ tables of results


def standings():
    rows = [("lasso", 0.95, 0.01, 1), ("ridge", 0.945, 0.012, 1), ("nearest neighbours", 0.91, 0.02, 2)]
    made = [Standing(name, score=score, error=error, group=group) for name, score, error, group in rows]
    return [*made, Standing("baseline", score=0.5, error=0.001, group=3), Standing("broken", reason="too few rows")]


def compared(standings, **more):
    facts = {"score": "area under the ROC curve", "higher_is_better": True, "recommended": "ridge"}
    return SimpleNamespace(standings=standings, **{**facts, **more})


def test_a_leaderboard_has_dots_bars_groups_and_the_recommended_star():
    ax = plots.leaderboard(compared(standings()))
    assert [t.get_text() for t in ax.get_yticklabels()] == ["lasso", "ridge ★", "nearest neighbours", "baseline"]
    bars = [line.get_xdata() for line in ax.lines if len(line.get_xdata()) == 2 and line.get_linestyle() == "-"][:3:2]
    np.testing.assert_allclose(bars[0], [0.94, 0.96])
    dots = [line for line in ax.lines if line.get_marker() in style.MARKERS]
    assert [line.get_marker() for line in dots] == ["o", "o", "s"]
    assert {"group 1", "group 2", "group 3", "← 0.5"} == {text.get_text() for text in ax.texts}
    assert ax.get_xlim()[0] > 0.8  # the baseline is far off and written at the edge
    said = plots.describe(ax)
    assert "lasso 0.95 ± 0.01" in said and "cannot tell apart lasso and ridge" in said and "1 more" in said


def test_lower_is_better_leaves_a_bad_family_off_to_the_right():
    rows = [Standing(f"m{k}", score=s, error=0.1, group=1) for k, s in enumerate((1.0, 1.2, 9.0))]
    ax = plots.leaderboard(compared(rows, higher_is_better=False, score="root-mean-square error"))
    assert "9 →" in {text.get_text() for text in ax.texts}


def test_an_empty_leaderboard_is_refused():
    with pytest.raises(ValueError, match="no family has a score"):
        plots.leaderboard(compared([Standing("broken", reason="too few rows")]))


def test_a_learning_curve_of_assess_is_drawn_as_it_is():
    from sklearn.datasets import load_diabetes

    curve = assess.learning_curve(
        LogisticRegression(), *_two_classes(*load_diabetes(return_X_y=True)), sizes=[40, 100, 250]
    )
    ax = plots.learning_curve(curve)
    for line, name in zip(ax.lines, ("train", "validation"), strict=True):
        np.testing.assert_array_equal(line.get_xydata(), np.column_stack([curve["rows"], curve[name]]))
    assert len(ax.collections) == 2  # the bands
    assert ax.get_ylabel() == curve.facts["measure"]
    assert number(curve["validation"][-1]) in plots.describe(ax)


def _two_classes(X, y):
    return X, y > np.median(y)


def test_a_table_without_a_line_is_refused():
    with pytest.raises(ValueError, match="no line to draw"):
        plots.learning_curve({"rows": [1, 2], "train_error": [0.1, 0.1]})


def test_rows_of_a_confusion_matrix_are_predictions():
    truth, said = ["a", "a", "a", "b"], ["a", "b", "b", "b"]
    found = assess.confusion(truth, said)
    for ax in (plots.confusion(found), plots.confusion(found.matrix, found.labels)):
        cells = {text.get_position(): text.get_text().split("\n")[0] for text in ax.texts}
        assert cells == {(0, 0): "1", (0, 1): "2", (1, 0): "0", (1, 1): "1"}  # (truth, prediction)
        assert (ax.get_xlabel(), ax.get_ylabel()) == ("truth", "prediction")
        assert ax.yaxis_inverted()  # the first row is on top, as in print
        assert "The commonest mistake is a called b, 2 times" in plots.describe(ax)


def test_a_matrix_needs_a_label_for_each_row():
    with pytest.raises(ValueError, match="3 labels"):
        plots.confusion(np.eye(2), ["a", "b", "c"])


# ------------------------------------------------------------------ residuals


@pytest.fixture(scope="module")
def fitted():
    rng = np.random.default_rng(0)
    predicted = rng.uniform(0.0, 10.0, 300)
    return predicted + rng.standard_normal(300), predicted


def test_residuals_are_truth_less_fitted(fitted):
    y, predicted = fitted
    ax = plots.residuals(y, predicted)
    np.testing.assert_array_equal(ax.lines[1].get_xydata(), np.column_stack([predicted, y - predicted]))
    assert np.abs(ax.lines[2].get_ydata()).max() < 0.5
    assert f"standard deviation {number((y - predicted).std())}" in plots.describe(ax)


def test_the_smooth_follows_what_is_left_to_learn():
    x = np.linspace(-1.0, 1.0, 200)
    at, smooth = plots.residuals(x + x**2, x).lines[2].get_data()
    np.testing.assert_allclose(smooth, at**2, atol=0.12)
    at, smooth = plots.residuals(x + 0.5 * x + 3.0, x).lines[2].get_data()
    np.testing.assert_allclose(smooth, 0.5 * at + 3.0, atol=1e-9)  # a line is left as it is, to the ends


def test_a_smooth_of_few_values_is_finite():
    ax = plots.residuals([0.0, 1.0, 1.0, 0.0] * 5, [0.2, 0.7, 0.2, 0.7] * 5)
    assert np.isfinite(ax.lines[2].get_ydata()).all()
    assert np.isfinite(plots.residuals([1.0, 2.0], [1.5, 1.5]).lines[2].get_ydata()).all()


def test_quantiles_are_those_of_a_normal_sample(fitted):
    y, predicted = fitted
    x, up = plots.residual_quantiles(y, predicted).lines[1].get_data()
    np.testing.assert_allclose(up, np.sort((y - predicted - (y - predicted).mean()) / (y - predicted).std()))
    theirs = probplot(y - predicted, fit=False)[0]  # Filliben's positions, a little different
    np.testing.assert_allclose(x, theirs, atol=0.05)
    assert x[0] == pytest.approx(norm.ppf(0.625 / 300.25))


def test_predictions_are_drawn_against_the_truth_and_thinned_when_many(fitted):
    y, predicted = fitted
    ax = plots.predicted_vs_true(y, predicted)
    np.testing.assert_array_equal(ax.lines[1].get_xydata(), np.column_stack([y, predicted]))
    assert f"error is {number(assess.rmse(y, predicted))}" in plots.describe(ax)
    assert len(plots.predicted_vs_true(np.arange(5000.0), np.arange(5000.0)).lines[1].get_xdata()) == 600
    with pytest.raises(ValueError, match="finite"):
        plots.residuals([1.0, np.nan], [1.0, 1.0])


# ------------------------------------------------------------------ traces


def test_a_trace_shows_objective_and_certificate():
    X = np.random.default_rng(0).standard_normal((80, 5))
    model = LogisticRegression(trace=True).fit(X, X[:, 0] + 0.3 * X[:, 1] > 0.1)
    ax = plots.trace(model)
    objective, certificate = ax.lines[:2]
    values = np.array(model.trace_.objective)
    above = values - values.min()
    np.testing.assert_allclose(objective.get_ydata(), above[above > 0.0])
    np.testing.assert_array_equal(objective.get_xdata(), 1 + np.flatnonzero(above > 0.0))
    assert set(certificate.get_ydata()) <= set(model.trace_.certificate)
    assert ax.get_yscale() == "log" and "tolerance" in [text.get_text() for text in ax.texts]
    assert f"{len(model.trace_)} iterations" in plots.describe(ax)


def test_several_traces_are_told_apart_and_none_is_refused():
    ax = plots.trace([Trace([3.0, 2.0, 1.0], [None] * 3), Trace([9.0, 5.0, 4.0], [None] * 3)])
    assert len({line.get_marker() for line in ax.lines}) == 2
    with pytest.raises(ValueError, match="trace=True"):
        plots.trace(Lasso())
