"""One function shows text; what prints names from data goes through it."""

import json
import unicodedata
import warnings
from io import BytesIO

import numpy as np
import pytest

from separatrix.core.errors import RankDeficient, cannot
from separatrix.core.printable import json_printable, printable
from separatrix.linear_model import LinearRegression

HOSTILE = "a\x1b[31m\r\b\u202e\u2066\x9b\u200b\u2028\n"


def hidden(text):
    return {c for c in text if c != "\n" and unicodedata.category(c) in ("Cc", "Cf", "Cs", "Zl", "Zp")}


def test_every_character_that_does_not_show_becomes_an_escape():
    letters = "\u034f\u115f\u1160\u17b4\u17b5\u3164\uffa0"  # default ignorable in Unicode, though of kinds that show
    for code in [*range(0x3200), *range(0xD7F0, 0xE010), 0xFEFF, 0xFFA0, *range(0xE0000, 0xE0080)]:
        char = chr(code)
        shown = printable(char)
        if hidden(char) or char in letters or char == "\n":
            assert shown.isascii()
            assert shown.isprintable()
            assert shown.encode().decode("unicode_escape") == char
        else:
            assert shown == char


def test_text_that_shows_is_not_changed():
    for text in ("", "petal width (cm)", "größer", "Ж → 中文 עברית", "non\xa0breaking", "\\x1b", "👍"):
        assert printable(text) == text


def test_a_json_document_stays_the_same_document():
    document = {HOSTILE: ["\x7f", "é", "\U000e0041", "\ud800", "a\nb"]}
    text = json_printable(json.dumps(document, ensure_ascii=False, indent=1))
    assert hidden(text) == set()
    assert json.loads(text) == document


def test_exceptions_and_warnings_are_safe_to_print():
    assert hidden(str(cannot(f"find {HOSTILE}", because=HOSTILE, instead=HOSTILE))) == set()
    assert hidden(str(RankDeficient(1, 2, [HOSTILE]))) == set()


@pytest.fixture(scope="module")
def frame():
    pandas = pytest.importorskip("pandas")
    draw = np.random.default_rng(0)
    frame = pandas.DataFrame(draw.normal(size=(40, 3)), columns=[HOSTILE, "[bold]b[/bold]", "$\\frac$"])
    return frame, frame.sum(axis=1) + draw.normal(size=40)


def test_a_summary_is_safe_to_print(frame):
    X, y = frame
    summary = LinearRegression().fit(X, y).summary()
    assert hidden(str(summary)) == set()
    assert hidden(summary._repr_html_()) == set()
    assert "[bold]b[/bold]" in str(summary)
    assert "a\\x1b[31m\\r\\x08\\u202e" in str(summary)


def test_tables_of_terms_are_safe_to_print(frame):
    from separatrix.inference import anova, covariance_matrix, stepwise

    X, y = frame
    model = LinearRegression().fit(X, y)
    for listed in (anova(model, X, y), covariance_matrix(model, X, y), stepwise(model, X, y)):
        assert hidden(str(listed)) == set()


def test_a_confusion_matrix_is_safe_to_print():
    from separatrix.assess import confusion

    assert hidden(str(confusion([HOSTILE, "b"], ["b", HOSTILE]))) == set()


def test_separated_classes_are_safe_to_print(frame):
    from separatrix.core.errors import Separated
    from separatrix.linear_model import LogisticRegression

    X, _ = frame
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model = LogisticRegression(C=np.inf).fit(X, X.iloc[:, 0] > 0)
    assert any(isinstance(each.message, Separated) for each in caught)
    assert all(hidden(str(each.message)) == set() for each in caught)
    assert hidden(str(model.separation_)) == set()


@pytest.mark.parametrize("own_axes", [True, False])
def test_a_name_with_dollars_is_no_formula_in_a_picture(own_axes):
    from matplotlib.figure import Figure

    from separatrix import plots

    names = ["$\\frac$", "$x_1$", HOSTILE]
    ax = Figure().add_subplot() if own_axes else None
    if ax is not None:
        ax.set_title("$y^2$")
    ax = plots.coefficients(names, [1.0, 2.0, 3.0], [[0, 2], [1, 3], [2, 4]], ax=ax, unit="$\\frac$")
    drawn = plots.svg(ax)  # draws it
    ax.get_figure().savefig(BytesIO(), format="png")
    assert "$\\frac$" in drawn
    assert "$x_1$" in drawn
    assert hidden(drawn) == set()
    assert ("$y^2$" in drawn) is False  # a title of the caller's stays a formula


def test_a_confusion_of_odd_labels_can_be_drawn():
    from separatrix import plots

    ax = plots.confusion(np.array([[3, 1], [1, 4]]), labels=["$\\frac$", HOSTILE])
    assert hidden(plots.svg(ax)) == set()
