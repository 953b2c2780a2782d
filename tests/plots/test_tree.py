"""A drawn tree shows its questions, branches and leaves, in words that the table uses, none over another."""

import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.text import Text
from numpy.testing import assert_allclose
from sklearn.datasets import load_iris

from separatrix import plots
from separatrix.ensemble import HistGradientBoostingClassifier
from separatrix.estimators.preparation.compose import pipeline
from separatrix.inference.tree_words import TreeWords
from separatrix.tables import Table, understand
from separatrix.tree import DecisionTreeClassifier, DecisionTreeRegressor, export_graphviz, export_text, plot_tree


def cheats():
    """The eleven rows of a small table of nominal and continuous columns."""
    refund = np.array(["yes", "no", "no", "yes", "no", "no", "yes", "no", "no", "no", "no"], dtype=object)
    status = ["single", "married", "single", "married", "divorced", "married", "divorced", "single", "married"]
    status = np.array([*status, "single", "divorced"], dtype=object)
    income = np.array([125.0, 100, 70, 120, 95, 60, 220, 85, 75, 90, 80])
    cheat = np.array(["no", "no", "no", "no", "yes", "no", "no", "yes", "no", "yes", "yes"], dtype=object)
    return Table(("refund", "status", "income", "cheat"), (refund, status, income, cheat), "cheats")


def drawn(model, **options):
    ax = plots.tree(model, **options)
    return [text.get_text() for text in ax.texts], ax


@pytest.mark.mission("TR-16")
def test_a_tree_of_a_table_is_drawn_in_the_words_of_the_table():
    table = cheats()
    tree = DecisionTreeClassifier(categorical_features=[0, 1])
    model = pipeline(understand(table, "cheat"), "trees", tree).fit(table, table["cheat"])
    texts, ax = drawn(model)
    assert "status is married" in texts and texts.count("yes") == texts.count("no") == 3
    assert any(text.startswith("income <= ") for text in texts) and "refund is yes" in texts
    assert "no: 100 %\n4 rows" in texts and "yes: 100 %\n4 rows" in texts
    rows = [int(text.split("\n")[1].split()[0]) for text in texts if "\n" in text and "row" in text]
    assert sum(rows) == 11
    words = plots.describe(ax)
    assert words.startswith("Decision tree of 4 leaves.") and "status is married: yes: no: 100 %, 4 rows" in words


def test_what_is_deeper_is_counted_and_every_row_is_in_one_of_the_boxes():
    X, y = np.random.default_rng(0).random((400, 3)), np.random.default_rng(1).random(400)
    model = DecisionTreeRegressor().fit(X, y)
    texts, _ = drawn(model)
    ends = [text for text in texts if "row" in text]
    inside = [int(text.split(" in ")[1].split()[0].replace(",", "")) if " in " in text else 1 for text in ends]
    assert len(ends) <= 8 and sum(inside) == model.get_n_leaves()
    assert sum(int(text.split("\n")[1].split()[0]) for text in ends) == 400
    assert len([t for t in drawn(model, max_depth=1)[0] if "row" in t]) == 2


@pytest.mark.parametrize("depth", [3, 6])
def test_boxes_do_not_cover_one_another(depth):
    X, y = np.arange(24.0)[:, None], np.arange(24.0) ** 2
    ax = plots.tree(DecisionTreeRegressor().fit(X, y), max_depth=depth)
    FigureCanvasAgg(ax.get_figure()).draw()
    boxes = [Text.get_window_extent(text) for text in ax.texts]
    assert not any(a.overlaps(b) for k, a in enumerate(boxes) for b in boxes[k + 1 :])


def test_names_that_are_formulas_or_escapes_stay_text():
    table = Table(
        ("$x$", "y"), (np.array(["\x1b[1ma", "$b$", "c"] * 10, dtype=object), np.arange(30.0) % 3 + np.arange(30.0) % 4)
    )
    tree = DecisionTreeRegressor(categorical_features=[0], split="multiway")
    texts, ax = drawn(pipeline(understand(table, "y"), "trees", tree).fit(table, table["y"]))
    assert "which $x$?" in texts and "$b$" in texts and not any("\x1b" in text for text in texts)
    assert not any(text.get_parse_math() for text in ax.texts)
    assert "\x1b" not in plots.describe(ax) and "\x1b" not in plots.svg(ax)


def test_many_categories_are_cut_and_a_model_that_is_no_tree_is_refused():
    levels = np.array([f"L{k}" for k in range(40)] * 30, dtype=object)
    table = Table(("place", "y"), (levels, np.tile(np.arange(40.0), 30) + np.arange(1200) / 1e4))
    tree = DecisionTreeRegressor(categorical_features=[0], split="multiway")
    texts, _ = drawn(pipeline(understand(table, "y"), "trees", tree).fit(table, table["y"]))
    assert len([text for text in texts if "rows" in text]) == 10
    boosted = HistGradientBoostingClassifier(max_iter=2).fit(*load_iris(return_X_y=True))
    with pytest.raises(ValueError, match="Cannot draw HistGradientBoostingClassifier as a tree"):
        plots.tree(boosted)


def test_scikit_learns_pictures_and_texts_take_our_trees():
    X, y = load_iris(return_X_y=True)
    model = DecisionTreeClassifier(max_depth=2).fit(X, y)
    ax = FigureCanvasAgg(Figure()).figure.add_subplot()
    texts = [note.get_text() for note in plot_tree(model, ax=ax, feature_names=load_iris().feature_names)]
    assert texts[0].startswith("petal length (cm) <= 2.45\ngini = 0.667\nsamples = 150")
    assert export_text(model).splitlines()[0] == "|--- feature_2 <= 2.45"
    assert export_graphviz(model).startswith("digraph Tree")


def test_a_dependence_draws_its_numbers_and_says_where_they_are_lowest_and_highest():
    ax = plots.dependence([1.0, 2.0, 4.0], [[0.2, 0.7, 0.4], [0.8, 0.3, 0.6]], name="age", outputs=("a", "b"))
    assert_allclose([line.get_ydata() for line in ax.lines], [[0.2, 0.7, 0.4], [0.8, 0.3, 0.6]])
    assert plots.describe(ax) == "mean prediction over age: a from 0.2 at 1 to 0.7 at 2; b from 0.3 at 2 to 0.8 at 1."
    words = plots.dependence(np.array(["red", "blue"], dtype=object), [1.0, 3.0], name="colour", range=(0.0, 4.0))
    assert [tick.get_text() for tick in words.get_xticklabels()] == ["red", "blue"] and words.get_ylim() == (0.0, 4.0)
    with pytest.raises(ValueError, match="an array of shape \\(1, 2\\)"):
        plots.dependence([1.0, 2.0], [0.1, 0.2, 0.3])


def test_a_question_about_a_column_with_an_enormous_name_is_short():
    model = DecisionTreeRegressor().fit([[0.0], [1.0]], [2.0, 5.0])
    words = TreeWords(model)
    words.names[0] = "\x07" + "x" * 1_000_000
    question = words.question(model.nodes_._asdict(), 0)
    assert len(question) < 100 and question.startswith("\\x07xxx") and question.endswith("x <= 0.5")
