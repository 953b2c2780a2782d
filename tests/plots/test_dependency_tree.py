"""A drawn tree of dependences names its columns and the information of each edge, and joins nothing else."""

import numpy as np
import pandas as pd
import pytest

from separatrix import plots
from separatrix.graphical import ChowLiuTree
from separatrix.linear_model import Ridge


def weather():
    rng = np.random.default_rng(0)
    rain = rng.random(300) < 0.4
    wet, late = rain ^ (rng.random(300) < 0.1), rain ^ (rng.random(300) < 0.3)
    return pd.DataFrame({"wet": wet, "rain": rain, "late": late})


def test_names_and_informations_are_those_of_the_model():
    model = ChowLiuTree(root="rain").fit(weather())
    ax = plots.dependency_tree(model)
    texts = [text.get_text() for text in ax.texts]
    informations = [f"{model.mutual_information_[1, j]:.3g}" for j in (0, 2)]
    assert texts == [*informations, "wet", "rain", "late"]
    assert len(ax.lines) == 2
    widths = [line.get_linewidth() for line in ax.lines]
    assert widths[0] == pytest.approx(6.5) and 0.5 < widths[1] < widths[0]
    words = plots.describe(ax)
    assert words == (
        "Tree of 3 columns from rain. Mutual information in nats, most first: "
        f"rain and wet: {informations[0]}; rain and late: {informations[1]}."
    )


def test_no_two_columns_stand_at_one_place():
    model = ChowLiuTree().fit(np.random.default_rng(1).integers(0, 2, (60, 25)))
    ax = plots.dependency_tree(model)
    places = [text.get_position() for text in ax.texts[24:]]
    assert len(set(places)) == len(places) == 25


def test_columns_are_called_as_one_says():
    ax = plots.dependency_tree(ChowLiuTree().fit(weather()), names=["wet street", "rain", "late train"])
    assert {text.get_text() for text in ax.texts} >= {"wet street", "rain", "late train"}


def test_one_column_is_a_tree_and_a_line_is_none():
    assert [text.get_text() for text in plots.dependency_tree(ChowLiuTree().fit([[0], [1]])).texts] == ["x0"]
    with pytest.raises(ValueError, match="Cannot draw Ridge as a tree of dependences"):
        plots.dependency_tree(Ridge().fit([[0.0], [1.0]], [0.0, 1.0]))
