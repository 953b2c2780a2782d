"""The staircase of the gallery: a tree learns it and a line does not; of a slanted line it is the other way round."""

import re

import numpy as np
import pytest


@pytest.fixture(scope="module")
def page(gallery):
    return gallery("staircase")


@pytest.fixture(scope="module")
def panels(page):
    return {(each.border, each.name): each for each in page.compute()}


@pytest.mark.mission("TR-18")
def test_the_tree_learns_the_staircase_and_the_line_the_slanted_line(panels):
    error = {key: each.error for key, each in panels.items()}
    assert error["staircase", "tree"] < 0.5 * error["staircase", "line"]
    assert error["slanted line", "line"] < 0.5 * error["slanted line", "tree"]
    assert error["slanted line", "forest"] < error["slanted line", "tree"]


@pytest.mark.mission("TR-18")
def test_a_diagonal_through_three_steps_is_wrong_about_a_twelfth_of_the_square(page):
    """Each step of width 1 lies 1/4 from the diagonal on average, in a square of height 3."""
    X, y = page.points("staircase", 200_000, seed=2)
    wrong = np.mean((X[:, 1] > X[:, 0]) != y)
    assert wrong == pytest.approx(1 / 12, abs=4 * np.sqrt(1 / 12 * 11 / 12 / len(y)))


@pytest.mark.mission("TR-18")
def test_the_thresholds_of_the_tree_are_the_edges_of_the_stairs(panels):
    nodes = panels["staircase", "tree"].model.nodes_
    edges = {0: [1.0, 2.0], 1: [0.5, 1.5, 2.5]}
    for column, known in edges.items():
        asked = nodes.threshold[nodes.column == column]
        assert all(np.abs(asked - edge).min() < 0.1 for edge in known)
    assert panels["staircase", "tree"].model.get_n_leaves() < 0.6 * panels["slanted line", "tree"].model.get_n_leaves()


def test_the_page_says_what_is_computed_and_the_picture_is_drawn(page, panels, tmp_path):
    text = page.__spec__.loader.path.replace(".py", ".md")
    with open(text, encoding="utf-8") as file:
        said = file.read()
    shown = {(m[0], m[1]): float(m[2]) for m in re.findall(r"^\| (\w[\w ]*) \| (\w+) \| ([\d.]+) %", said, flags=re.M)}
    assert shown == {key: round(100.0 * each.error, 1) for key, each in panels.items()}
    page.draw(tmp_path / "staircase.png")
    assert (tmp_path / "staircase.png").stat().st_size > 10_000
