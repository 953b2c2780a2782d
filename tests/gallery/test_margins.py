"""The gallery's pages on margins say what is true."""

import numpy as np
import pytest


@pytest.mark.mission("EX-21")
@pytest.mark.mission("MM-22")
def test_of_five_lines_least_squares_errs_and_logistic_is_near_the_widest_margin(gallery):
    page = gallery("separating_hyperplanes")
    lines = page.compute()
    (X, y), best = page.points(), lines["widest margin"]
    assert page.mistakes(lines["least squares"]) >= 1
    assert all(page.mistakes(model) == 0 for name, model in lines.items() if name != "least squares")
    assert page.angle(lines["logistic"], best) < 5.0
    first, second = lines["perceptron, from zero"], lines["perceptron, from another start"]
    assert page.angle(first, second) > 1.0
    for model in (first, second, lines["logistic"]):
        assert model.margins(X, y).min() <= best.margin_ + 1e-9


@pytest.mark.mission("EX-09")
def test_the_margin_narrows_as_its_price_rises(gallery):
    page = gallery("price_of_slack")
    widths = [model.margin_width_ for model in page.compute().values()]
    assert np.all(np.diff(widths) < 0.0) and list(page.PRICES) == sorted(page.PRICES)


@pytest.mark.mission("EX-05")
@pytest.mark.parametrize(  # golden cases G006 and G007
    ("n", "alpha", "w", "margin", "functional"),
    [
        (3, [0, 1 / 8, 1 / 8], [0, -1 / 2], 2, [1, 1, 1]),
        (4, [1 / 2, 0, 1 / 10, 2 / 5], [3 / 5, -4 / 5], 1, [1, 2.2, 1, 1]),
    ],
)
def test_the_widest_margins_of_three_and_four_points_are_those_by_hand(gallery, n, alpha, w, margin, functional):
    found = gallery("widest_margins").compute()[n]
    for name, known in (("alpha", alpha), ("w", w), ("t", 0), ("margin", margin), ("functional margins", functional)):
        np.testing.assert_allclose(found[name], known, atol=1e-8)
    gram = np.array([[5, 3, 5, -5], [3, 5, 3, 1], [5, 3, 5, -5], [-5, 1, -5, 10]])  # y_i y_j x_i·x_j by hand
    np.testing.assert_array_equal(found["labelled Gram matrix"], gram[:n, :n])


@pytest.mark.mission("MM-10")
def test_the_bias_is_the_middle_of_what_the_support_vectors_ask_not_of_what_all_points_ask(gallery):
    page = gallery("widest_margins")  # golden case G095
    found = page.compute()[4]
    asked = page.LABELS - page.POINTS @ found["w"]
    np.testing.assert_allclose(asked, [0.0, 1.2, 0.0, 0.0], atol=1e-8)
    assert abs(found["t"] - asked[found["alpha"] > 0.0].mean()) < 1e-8 < abs(found["t"] - asked.mean())
    for bias in ("mean", "median"):
        model = type(found["model"])(kernel="linear", C=np.inf, bias=bias).fit(page.POINTS, page.LABELS)
        assert abs(model.intercept_[0]) < 1e-8


@pytest.mark.mission("MM-08")
def test_a_ring_takes_a_kernel_and_its_support_vectors_are_enough(gallery):
    page = gallery("ring")
    found, (X, y) = page.compute(), page.points()
    assert set(found["straight"].predict(X)) == {"ring"}
    cheap, dear = found["C = 0.1"], found["C = 3"]
    assert (dear.predict(X) != y).sum() <= 3 and cheap.margin_ > 2.0 * dear.margin_
    assert len(cheap.support_) > 0.5 * len(y) and len(dear.support_) <= 0.25 * len(y)
    alone = found["support vectors alone"]
    np.testing.assert_allclose(alone.decision_function(X), dear.decision_function(X), atol=1e-8)
