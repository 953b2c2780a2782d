"""Names and labels of strangers in the report of a winner of every kind: shown, and obeyed by no browser."""

import re
from functools import cache
from html.parser import HTMLParser

import numpy as np
import pytest

from separatrix.core.family import DataFacts, families
from separatrix.report import render
from separatrix.tables.table import Table

ROWS = 150  # as the comparisons of conftest.py have
RUN = "document.title='run'"
SCRIPT = f"<script>{RUN}</script>"
NAMES = (
    SCRIPT,
    f'"><img src=x onerror="{RUN}">',
    f"'</style></svg><svg onload={RUN}>",
    f"\u202e$\\frac{{{SCRIPT}$\u2066",
)
LONG = "x" * 10_000 + SCRIPT
TARGET = f"</title>{SCRIPT}"
LEVELS = (f"<b onmouseover={RUN}>c", f"]]>-->{SCRIPT}", "{{7 * 7}}\u202e" + "y" * 9_000)
LABELS = (SCRIPT, f"\u202e</text></svg>{SCRIPT}" + "z" * 3_000)
WINNERS = {
    "classification": (
        "logistic regression, L1",
        "linear support vector machine",
        "naive Bayes, mixed",
        "quadratic discriminant",
        "additive curves",
        "decision tree",
        "rule list",
        "AdaBoost",
        "random forest",
        "gradient boosting",
        "support vector machine, Gaussian kernel",
    ),
    "regression": ("lasso", "decision tree", "model tree", "gradient boosting"),
}


class Elements(HTMLParser):
    """The elements of a page with their attributes, as a browser would make them."""

    def __init__(self, text):
        super().__init__()
        self.found = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.found.append((tag, attrs))


@cache
def table(task):
    rng = np.random.default_rng(0)
    columns = rng.standard_normal((4, ROWS))
    level = rng.integers(0, 3, ROWS)
    y = columns[0] + columns[1] + (level == 1) + 0.5 * rng.standard_normal(ROWS)
    if task == "classification":
        y = np.array(LABELS, dtype=object)[(y > 0.0).astype(int)]
    return Table((*NAMES, LONG, TARGET), (*columns, np.array(LEVELS, dtype=object)[level], y), f"{SCRIPT}.csv")


def page(task, name, by_hand):
    (family,) = [family for family in families(task) if family.name == name]
    classes = len(LABELS) if task == "classification" else 0
    score = "accuracy" if classes else "root-mean-square error"
    model = family.make(DataFacts(rows=ROWS, columns=6, classes=classes))
    comparison = by_hand(table(task), TARGET, task, model, score, name, preparation=family.preparation)
    return render(comparison, seconds=0.0)


@pytest.mark.parametrize("task, name", [(task, name) for task, names in WINNERS.items() for name in names])
def test_no_name_of_a_table_is_markup_whichever_model_wins(task, name, by_hand):
    text = page(task, name, by_hand)
    found = Elements(text).found
    assert not {tag for tag, _ in found} & {"script", "img", "b", "iframe", "object", "embed", "base", "form", "link"}
    assert not [attrs for _, attrs in found if any(attribute.startswith("on") for attribute, _ in attrs)]
    assert not re.search("[\u202e\u2066]", text)
    assert "49\\u202e" not in text  # levels are no templates
    assert SCRIPT.replace("<", "&lt;").replace(">", "&gt;").replace("'", "&#39;") in text
    assert len(text.encode()) < 1_000_000
