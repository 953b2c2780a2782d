"""A report of a network shows how its training went: the loss, what was held out, the gradients of its layers."""

import re
from html import unescape

import numpy as np
import pytest

from separatrix import plots
from separatrix.linear_model import LogisticRegression
from separatrix.neural_network import MLPClassifier
from separatrix.report import render
from separatrix.tables.table import Table

from .conftest import compared, numbers


def words_of(model):
    a, b, noise = numbers(seed=4)
    y = np.where(a - b + 0.5 * noise > 0.0, "yes", "no").astype(object)
    text = render(
        compared(Table(("a", "b", "y"), (a, b, y), "people.csv"), "y", "classification", model, "accuracy", "m")
    )
    section = re.search(r'<section id="training".*?</section>', text, re.DOTALL)
    return section and " ".join(
        unescape(re.sub(r"<svg.*?</svg>|<[^>]*>", " ", section.group(), flags=re.DOTALL)).split()
    )


@pytest.mark.filterwarnings("ignore")
def test_the_losses_are_told_and_gradients_that_vanish():
    words = words_of(MLPClassifier((6, 6, 6, 6), "logistic", max_iter=15, random_state=0, early_stopping=True))
    assert "In 1" in words and "passes over the rows the loss went from" in words
    assert "Some rows were held out" in words and "it vanishes on its way back" in words
    words = words_of(MLPClassifier((6,), max_iter=15, random_state=0))
    assert "held out" not in words and "vanishes" not in words


def test_other_models_have_no_such_section():
    assert words_of(LogisticRegression()) is None


@pytest.mark.filterwarnings("ignore")
def test_the_trace_of_a_network_has_a_line_for_each_layer():
    X = np.random.default_rng(0).standard_normal((40, 2))
    model = MLPClassifier((4, 3), max_iter=5, random_state=0).fit(X, X[:, 0] > 0.0)
    ax = plots.trace(model)
    names = [line.get_label() for line in ax.lines]
    assert names == ["loss", "gradient of layer 1", "gradient of layer 2", "gradient of layer 3"]
    np.testing.assert_allclose(ax.lines[0].get_ydata(), model.loss_curve_)
    np.testing.assert_allclose(ax.lines[3].get_ydata(), np.array(model.trace_.layer_norms)[:, 2])
    assert ax.get_xlabel() == "epoch"
