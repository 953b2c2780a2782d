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
