"""The drawn boundary is that of the model: by its coefficients, by its decisions, and with the other columns held."""

from typing import ClassVar

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC

from separatrix import plots
from separatrix.decision import CostSensitiveClassifier
from separatrix.linear_model import LogisticRegression, Ridge
from separatrix.neighbors import KNeighborsClassifier
from separatrix.tables.table import Table


@pytest.fixture(scope="module")
def two():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((120, 3)) * [1.0, 5.0, 2.0] + [0.0, 10.0, 1.0]
    y = np.where(X @ [1.0, 0.3, -0.5] + 0.5 * rng.standard_normal(120) > 2.5, "yes", "no")
    return X, y


def boundary_points(ax):
    """Corners of the boundary lines: of the contour sets that have one level only, at zero."""
    lines = [c for c in ax.collections if getattr(c, "filled", True) is False and list(c.levels) == [0.0]]
    return np.vstack([path.vertices for line in lines for path in line.get_paths()])


def test_the_line_is_where_the_score_is_zero_with_the_rest_at_the_median(two):
    X, y = two
    model = LogisticRegression().fit(X, y)
    points = boundary_points(plots.boundary(model, X, y, columns=(0, 2)))
    full = np.column_stack([points[:, 0], np.full(len(points), np.median(X[:, 1])), points[:, 1]])
    np.testing.assert_allclose(model.predict_proba(full)[:, 1], 0.5, atol=1e-3)  # linear within a cell of the grid


def test_a_column_may_be_held_elsewhere(two):
    X, y = two
    model = LogisticRegression().fit(X, y)
    points = boundary_points(plots.boundary(model, X, y, columns=(0, 2), held={1: 8.0}))
    full = np.column_stack([points[:, 0], np.full(len(points), 8.0), points[:, 1]])
    np.testing.assert_allclose(model.predict_proba(full)[:, 1], 0.5, atol=1e-3)


def test_scores_without_probabilities_and_labels_alone_give_the_same_line(two):
    X, y = two
    X = X[:, :2]
    svm = LinearSVC().fit(X, y)
    points = boundary_points(plots.boundary(svm, X, y))
    np.testing.assert_allclose(svm.decision_function(points), 0.0, atol=1e-9)

    class OnlyLabels(LinearSVC):
        decision_function = property()  # not there

        def predict(self, X):
            return svm.predict(X)

    bare = OnlyLabels()
    bare.classes_ = svm.classes_
    steps = boundary_points(plots.boundary(bare, X, y))
    cell = np.ptp(X, axis=0) * 1.1 / 119
    away = np.abs(svm.decision_function(steps)) / np.abs(svm.coef_ @ cell)
    assert away.max() < 1.5  # within a cell or so


def test_what_is_drawn_is_what_is_decided_when_costs_matter(two):
    """Posteriors would put the boundary elsewhere than these costs do."""
    X, y = two
    X = X[:, :2]
    model = CostSensitiveClassifier(LogisticRegression(), costs=[[0.0, 1.0], [9.0, 0.0]]).fit(X, y)
    ax = plots.boundary(model, X, y)
    points = boundary_points(ax)
    p = model.predict_proba(points)[:, 1]
    assert np.abs(p - 0.1).max() < 0.05
    grid_share = float((model.predict(grid_of(ax)) == "yes").mean())
    assert f"yes {100 * grid_share:.0f} %" in plots.describe(ax)


def grid_of(ax, cells=120):
    across, up = np.meshgrid(np.linspace(*ax.get_xlim(), cells), np.linspace(*ax.get_ylim(), cells))
    return np.column_stack([across.ravel(), up.ravel()])


def test_three_classes_have_a_region_a_marker_and_a_legend_each():
    X, y = load_iris(return_X_y=True)
    names = np.array(load_iris().target_names)
    model = make_pipeline(StandardScaler(), LogisticRegression()).fit(X[:, 2:], names[y])
    ax = plots.boundary(model, X[:, 2:], names[y], names=load_iris().feature_names[2:])
    assert [text.get_text() for text in ax.get_legend().get_texts()] == names.tolist()
    assert len({line.get_marker() for line in ax.lines}) == 3
    shares = [(model.predict(grid_of(ax)) == name).mean() for name in names]
    for name, share in zip(names, shares):
        assert f"{name} {100 * share:.0f} %" in plots.describe(ax)
    points = boundary_points(ax)
    top = np.sort(model.predict_proba(points), axis=1)
    assert np.quantile(top[:, -1] - top[:, -2], 0.99) < 0.05
    right = (model.predict(X[:, 2:]) == names[y]).mean()
    assert f"{100 * right:.0f} % of the 150 points" in plots.describe(ax)


def test_one_against_one_scores_do_not_mislead():
    X, y = load_iris(return_X_y=True)
    model = SVC(decision_function_shape="ovo").fit(X[:, :2], y)
    model.classes_ = np.append(model.classes_, 3)  # three pairs, four classes: scores are of no use
    assert "Regions of SVC" in plots.describe(plots.boundary(model, X[:, :2], y))


def test_many_points_are_thinned_the_same_way_each_time():
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((2000, 2)), rng.integers(0, 2, 2000)
    model = KNeighborsClassifier(15).fit(X, y)
    first, second = (plots.boundary(model, X, y) for _ in range(2))
    assert sum(len(line.get_xdata()) for line in first.lines) == 300
    for a, b in zip(first.lines, second.lines):
        np.testing.assert_array_equal(a.get_xydata(), b.get_xydata())


class OfColumns(LogisticRegression):
    """A model of a Table or a frame, as pipelines of tables are: it looks columns up by name."""

    seen: ClassVar[list] = []

    def _numbers(self, X):
        OfColumns.seen.append(X)
        return np.column_stack([np.asarray(X["age"], dtype=float), np.asarray(X["ldl"], dtype=float)])

    def predict(self, X):
        return super().predict(self._numbers(X))

    def predict_proba(self, X):
        return super().predict_proba(self._numbers(X))


@pytest.mark.parametrize("kind", ["table", "pandas", "polars"])
def test_a_model_is_given_what_x_is(two, kind):
    X, y = two
    columns = {"age": X[:, 0], "famhist": np.array(["a", "b", "b"] * 40, dtype=object), "ldl": X[:, 2]}
    given = {
        "table": lambda: Table(tuple(columns), tuple(columns.values())),
        "pandas": lambda: pytest.importorskip("pandas").DataFrame(columns),
        "polars": lambda: pytest.importorskip("polars").DataFrame(columns),
    }[kind]()
    model = OfColumns().fit(X[:, [0, 2]], y)
    OfColumns.seen.clear()
    ax = plots.boundary(model, given, y, columns=("age", "ldl"))
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("age", "ldl")
    assert all(type(seen) is type(given) for seen in OfColumns.seen)
    assert set(np.asarray(OfColumns.seen[0]["famhist"])) == {"b"}  # the commonest
    assert "1 other column is held" in plots.describe(ax)


def test_a_regressor_has_contours_at_its_predictions():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((80, 2))
    model = Ridge().fit(X, X @ [2.0, -1.0])
    ax = plots.boundary(model, X, X @ [2.0, -1.0])
    (lines,) = [c for c in ax.collections if getattr(c, "filled", True) is False]
    drawn = 0
    for level, path in zip(lines.levels, lines.get_paths()):
        if len(path.vertices):
            np.testing.assert_allclose(model.predict(path.vertices), level, atol=1e-9)
            drawn += 1
    assert drawn >= 5
    assert "Contours of Ridge" in plots.describe(ax)


@pytest.mark.parametrize(
    "X, options, words",
    [
        (np.zeros((4, 1)), {}, "a plane needs two columns"),
        (np.eye(4), {"columns": (1, 1)}, "two different columns"),
        (Table(("a", "b"), (np.zeros(4), np.array(list("uvwx"), dtype=object))), {}, "columns of numbers"),
        (np.eye(4), {"columns": ("age", "ldl")}, "find the column 'age'"),
    ],
)
def test_what_has_no_plane_is_refused(X, options, words):
    with pytest.raises(ValueError, match=words):
        plots.boundary(LogisticRegression(), X, np.arange(4) % 2, **options)
