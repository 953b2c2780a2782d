"""Trees as text and pictures: hostile names, categories, and depths beyond the limit of recursion."""

import re
import shutil
import subprocess

import numpy as np
import pytest

from separatrix import plots
from separatrix.tree import DecisionTreeClassifier, export_graphviz, export_text, plot_tree, rules

HOSTILE = ['quote"', "back\\", 'both\\"; x [label="', "line\nbreak", "\x1b[31m", "<b>&", "$\\frac$", "{}|", ""]


def fitted(p):
    X = np.random.default_rng(0).normal(size=(60, p))
    return DecisionTreeClassifier(random_state=0).fit(X, np.arange(60) % 3)


@pytest.mark.mission("TR-16")
@pytest.mark.parametrize("special", [False, True])
def test_names_do_not_break_out_of_the_labels_of_a_picture(special):
    names, classes = HOSTILE, ['c"', "d\\", "<e>"]
    model = fitted(len(names))
    options = {"feature_names": names, "class_names": classes, "special_characters": special}
    dot = export_graphviz(model, **options)
    assert "\x1b" not in dot
    label = r"<.*>" if special else r'"([^"\\]|\\.)*"'
    nodes = [line for line in dot.split("\n") if re.match(r"\d+ \[", line)]
    assert len(nodes) == model.tree_.node_count
    assert all(re.fullmatch(rf'\d+ \[label={label}(, fillcolor="#\w+")?\] ;', line) for line in nodes)
    if special:
        assert not re.search(r"<b>|<e>", dot)
    if shutil.which("dot"):
        subprocess.run(["dot", "-Tplain"], input=dot.encode(), check=True, capture_output=True)


@pytest.mark.mission("TR-16")
def test_names_are_shown_as_text_and_not_as_formulas():
    model = fitted(len(HOSTILE))
    text = export_text(model, feature_names=HOSTILE)
    assert "\x1b" not in text and "line\\nbreak" in text
    classes = np.array(["a\x1b[31m", "b\u202e", "c"])[np.arange(60) % 3]
    text = export_text(DecisionTreeClassifier(random_state=0).fit(np.arange(60.0)[:, None], classes))
    assert "class: a\\x1b[31m" in text and "\x1b" not in text and "\u202e" not in text
    notes = plot_tree(model, feature_names=HOSTILE, max_depth=2)
    notes[0].figure.canvas.draw()  # a formula that is none would be refused here


def test_a_tree_that_divides_categories_is_not_shown_by_thresholds():
    X = np.array([["a"], ["b"], ["c"]] * 5, dtype=object)
    for split in ("binary", "multiway"):
        model = DecisionTreeClassifier(split=split).fit(X, [0, 1, 0] * 5)
        for show in (export_text, export_graphviz, plot_tree):
            with pytest.raises(ValueError, match="Cannot"):
                show(model)
        assert "x0 is a or c" in rules.to_text(model) or split == "multiway"


@pytest.mark.mission("TR-16")
def test_a_tree_of_thousands_of_levels_is_shown():
    n = 3000
    model = DecisionTreeClassifier().fit(np.arange(float(n))[:, None], np.arange(n) % 2)
    assert model.get_depth() == n - 1
    assert len(export_text(model, max_depth=10 * n).splitlines()) == 3 * n - 2
    assert export_graphviz(model).count("->") == 2 * n - 2
    assert rules.to_dot(model).count("->") == 2 * n - 2
    assert len(rules.to_text(model).splitlines()) == n + 1
    assert len(plot_tree(model, max_depth=3)) > 3
    assert plots.tree(model, max_depth=n) is not None
