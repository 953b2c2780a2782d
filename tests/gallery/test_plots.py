"""The losses of the gallery have the golden values, and every plot function is on the page that shows them."""

import re
from pathlib import Path

import numpy as np
import pytest

from separatrix import plots

GALLERY = Path(__file__).resolve().parents[2] / "docs" / "gallery"


@pytest.fixture(scope="module")
def losses(gallery):
    return gallery("loss_functions").compute()


# golden case G063, at the margins -1, 0, 0.5, 1, 2
GOLDEN = {
    "0/1": [1.0, 0.0, 0.0, 0.0, 0.0],
    "hinge": [2.0, 1.0, 0.5, 0.0, 0.0],
    "logistic": [1.894636124, 1.0, 0.6839485141, 0.4519410831, 0.1831184121],
    "squared": [4.0, 1.0, 0.25, 0.0, 1.0],
    "exponential": [2.718281828, 1.0, 0.6065306597, 0.3678794412, 0.1353352832],
    "perceptron": [1.0, 0.0, 0.0, 0.0, 0.0],
}


@pytest.mark.mission("EX-24")
@pytest.mark.parametrize("name", GOLDEN)
def test_losses_have_the_golden_values(losses, name):
    np.testing.assert_allclose(losses["losses"][name], GOLDEN[name], atol=1e-9)


@pytest.mark.mission("EX-24")
def test_losses_behave_as_the_page_says(losses):
    assert losses["rises on the right side"] == ["squared"]
    assert all(losses["above mistakes"].values())
    outlier = losses["outlier"]
    assert max(outlier, key=outlier.get) == "exponential"
    assert outlier["modified Huber"] == 40.0 and outlier["squared"] == 121.0


@pytest.mark.mission("EX-24")
def test_the_drawn_lines_are_the_losses():
    lines = {line.get_label(): line.get_xydata() for line in plots.losses().lines}
    for name, drawn in lines.items():
        if name in GOLDEN and name != "0/1":
            at = np.interp([-1.0, 0.0, 0.5, 1.0, 2.0], *drawn.T)
            np.testing.assert_allclose(at, GOLDEN[name], atol=1e-9)
    np.testing.assert_array_equal(lines["0/1"], [[-2, 1], [0, 1], [0, 0], [3, 0]])


def test_every_plot_function_is_shown_and_speaks(gallery):
    module = gallery("every_plot")
    said = module.compute()
    assert all(re.search(r"\d", words) for words in said.values())
    text = (GALLERY / "every_plot.py").read_text()
    silent = {"describe", "margin_losses", "styled", "svg"}
    assert {name for name in plots.__all__ if f"plots.{name}(" in text} >= set(plots.__all__) - silent
