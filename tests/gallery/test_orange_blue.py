"""Orange and blue: the page's numbers, the shape of its curves, and the rule by hand."""

import importlib.util
import sys
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose

SCRIPT = Path(__file__).resolve().parents[2] / "docs" / "gallery" / "orange_blue.py"


@pytest.fixture(scope="module")
def orange():
    spec = importlib.util.spec_from_file_location("gallery_orange_blue", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    try:
        return module.compute() | {"sizes": module.SIZES, "ratio": module.likelihood_ratio, "read": module.read}
    except FileNotFoundError as absent:
        pytest.skip(str(absent))


@pytest.mark.mission("EX-12", "KNN-03", "KNN-06")
def test_one_neighbour_has_no_training_error_and_more_have_some(orange):
    assert orange["train"][0] == 0.0
    assert (orange["train"][1:] > 0.1).all()


@pytest.mark.mission("EX-12", "KNN-03", "KNN-06")
def test_the_test_error_has_the_shape_of_a_u(orange):
    best = int(orange["test"].argmin())
    assert 0 < best < len(orange["sizes"]) - 1
    assert orange["test"][0] > orange["test"][best] + 0.04
    assert orange["test"][-1] > orange["test"][best] + 0.08


@pytest.mark.mission("EX-12", "KNN-06")
def test_the_line_errs_alike_on_old_and_new_points_and_more_than_good_neighbours(orange):
    train, test = orange["line_errors"]
    assert train == pytest.approx(0.27)  # 54 of 200
    assert abs(test - train) < 0.03
    assert orange["best"] < orange["test"].min() < test - 0.04


@pytest.mark.mission("EX-12", "EV-20")
def test_the_neighbours_keep_all_points_whatever_their_number(orange):
    assert set(orange["n_parameters"]) == {200 * 3}


@pytest.mark.mission("EX-12")
def test_the_page_says_what_is_computed(orange):
    page = SCRIPT.with_suffix(".md").read_text(encoding="utf-8")
    at_seven = orange["test"][orange["sizes"].tolist().index(7)]
    for value in (*orange["line_errors"], at_seven, orange["best"]):
        assert f"{value:.3f}" in page


@pytest.mark.mission("EX-12")
def test_the_best_rule_is_that_of_the_stored_probabilities(orange):
    grid = orange["read"]("mixture_grid.csv")
    ratio = orange["ratio"](grid[:, :2], orange["means"])
    assert_allclose(ratio / (1.0 + ratio), grid[:, 2], atol=1e-6)


@pytest.mark.mission("EX-12", "KNN-01")
def test_fifteen_neighbours_vote_as_counted_by_hand(orange):
    X, y = orange["X"], orange["y"]
    model = orange["models"][orange["sizes"].tolist().index(15)]
    order = np.argsort(((X[:, None] - X) ** 2).sum(axis=2), axis=1, kind="stable")[:, :15]
    assert_allclose(model.predict_proba(X)[:, 1], y[order].mean(axis=1), rtol=1e-14)
