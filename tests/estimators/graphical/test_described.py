"""Graphical models are described by their edges, and a report draws the trees of the classes."""

import re
from html import unescape

import numpy as np
import pytest
from sklearn.metrics import mutual_info_score

from separatrix.assess.compare import compare
from separatrix.graphical import ChowLiuClassifier, ChowLiuTree, IsingModel
from separatrix.inference import describe
from separatrix.report import render

rng = np.random.default_rng(0)
A = rng.integers(0, 2, 300)
B = A ^ (rng.random(300) < 0.1)
C = B ^ (rng.random(300) < 0.3)
ROWS, NAMES = np.c_[A, B, C].astype(int), ["rain", "road", "crash"]


def test_a_tree_is_described_by_its_edges_most_information_first():
    description = describe(ChowLiuTree(smoothing=0.0).fit(ROWS), NAMES)
    first, second = description.tables[0].rows
    assert (first[:2], second[:2]) == (("rain", "road"), ("road", "crash"))
    np.testing.assert_allclose([first[2], second[2]], [mutual_info_score(A, B), mutual_info_score(B, C)], rtol=1e-12)
    assert "a tree of 2 edges, with 5 free probabilities" in description.words
    assert "'rain' and 'road' say most" in description.words


def test_a_single_column_has_no_edges_to_tell():
    assert "a tree of 0 edges, with 1 free probability." in describe(ChowLiuTree().fit(ROWS[:, :1]), ["rain"]).words


def test_trees_of_classes_name_the_class_of_each_edge():
    label = np.where(np.arange(300) < 150, "dry", "wet")
    X = np.where((label == "dry")[:, None], ROWS, rng.integers(0, 2, (300, 3)))
    description = describe(ChowLiuClassifier(smoothing=0.0).fit(X, label), NAMES)
    edges, shares = description.tables
    assert edges.rows[0][:3] == ("dry", "rain", "road") and len(edges.rows) == 4
    assert shares.rows == (("dry", 0.5), ("wet", 0.5))
    assert "'rain' and 'road', within the class dry" in description.words


def test_an_ising_model_is_described_by_odds_ratios():
    description = describe(IsingModel(edges=[(0, 1)], alpha=0.0).fit(ROWS), NAMES)
    cells = [np.sum((a == A) & (b == B)) for a, b in ((0, 0), (1, 1), (0, 1), (1, 0))]
    ((one, other, coupling, odds),) = description.tables[0].rows
    assert (one, other) == ("rain", "road")
    np.testing.assert_allclose(odds, cells[0] * cells[1] / (cells[2] * cells[3]), rtol=1e-6)
    np.testing.assert_allclose(coupling, np.log(odds), rtol=1e-12)
    assert "3 nodes that are 0 or 1, and 1 edge." in description.words


@pytest.mark.mission("GM-05")
def test_a_report_draws_the_tree_of_each_class():
    words = np.array(["no", "yes"], dtype=object)
    table = {name: words[column] for name, column in zip(NAMES, ROWS.T, strict=True)}
    table["y"] = np.where(A ^ C == 1, "odd", "even").astype(object)
    page = render(compare(table, "y", families=["Chow-Liu trees"], folds=3, repeats=1, seed=0))
    section = re.search(r'<section id="model".*?</section>', page, re.DOTALL).group()
    assert section.count("<svg") == 2
    said = unescape(section)
    assert "within the class even" in said and "within the class odd" in said and "Edges of the trees" in said
