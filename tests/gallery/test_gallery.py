"""Every script of the gallery computes what its page says, and draws its picture."""

from pathlib import Path

import numpy as np
import pytest

GALLERY = Path(__file__).resolve().parents[2] / "docs" / "gallery"
SCRIPTS = sorted(GALLERY.glob("*.py"))


# ------------------------------------------------------------------ ten points and the pseudoinverse


@pytest.fixture(scope="module")
def ten_points(gallery):
    return gallery("ten_points")


@pytest.mark.mission("EX-01", "LS-03")
def test_ten_points_have_the_weights_of_the_normal_equations(ten_points):
    X = np.column_stack([ten_points.POINTS, np.ones(10)])
    np.testing.assert_allclose(X.T @ X, [[2.8, 2.24, 4.8], [2.24, 2.41, 4.7], [4.8, 4.7, 10.0]], rtol=1e-14)
    np.testing.assert_allclose(X.T @ ten_points.LABELS, [-1.6, 0.1, 0.0], atol=1e-14)
    # Cramer's rule by hand: det X'X = 0.9944
    by_hand = np.array([-3.2, 0.24, 1.4232]) / 0.9944
    np.testing.assert_allclose(ten_points.compute()["weights"], by_hand, rtol=1e-13)


@pytest.mark.mission("EX-01")
def test_ten_points_leave_two_on_the_wrong_side_and_no_better_weights_exist(ten_points):
    found = ten_points.compute()
    assert found["misclassified"] == [1, 5]
    assert found["squared_error"] == pytest.approx(4.827031376, abs=1e-9)
    assert found["certificate"].converged
    X = np.column_stack([ten_points.POINTS, np.ones(10)])
    nearby = found["weights"] + np.array([0.088, 0.0, -0.091])  # a rounded vector sometimes printed for these points
    assert np.sum((ten_points.LABELS - X @ nearby) ** 2) > found["squared_error"]


@pytest.mark.mission("LS-03")
def test_the_pseudoinverse_of_a_square_matrix_is_its_inverse():
    from separatrix.linear_model import LinearRegression

    X = np.array([[2.0, 1.0], [1.0, 1.0]])
    pseudoinverse = LinearRegression(fit_intercept=False).fit(X, np.eye(2)).coef_.T
    np.testing.assert_allclose(pseudoinverse, [[1.0, -1.0], [-1.0, 2.0]], atol=1e-14)


# ------------------------------------------------------------------ polynomials through a sine


@pytest.fixture(scope="module")
def sine(gallery):
    return gallery("sine_polynomials").compute()


@pytest.mark.mission("EX-10", "BE-02")
def test_nine_degrees_pass_through_ten_points_and_the_training_error_never_rises(sine):
    assert sine["train_rms"][9] < 1e-9
    assert (np.diff(sine["train_rms"]) <= 1e-12).all()


@pytest.mark.mission("EX-10")
def test_the_third_degree_generalises_better_than_the_first_and_the_ninth(sine):
    assert sine["test_rms"][3] < min(sine["test_rms"][1], sine["test_rms"][9])


@pytest.mark.mission("EX-10")
def test_coefficients_blow_up_with_the_degree(sine):
    assert sine["largest_weight"][9] > 100.0 * sine["largest_weight"][3]


@pytest.mark.mission("EX-10")
def test_more_data_cure_the_ninth_degree(sine):
    assert sine["test_rms_of_100_points"] < 0.6 * sine["test_rms"][9]


@pytest.mark.mission("EX-10")
def test_some_strength_between_none_and_all_is_best(sine):
    errors = sine["ridge_test_rms"]
    best = int(np.argmin(errors))
    assert 0 < best < len(errors) - 1
    assert errors[best] < 0.9 * min(errors[0], errors[-1])


@pytest.mark.mission("BE-02")
def test_polynomial_columns_are_powers(gallery):
    module = gallery("sine_polynomials")
    np.testing.assert_allclose(module.powers(np.array([0.5, -2.0]), 3), [[1, 0.5, 0.25, 0.125], [1, -2, 4, -8]])


# ------------------------------------------------------------------ house prices


@pytest.fixture(scope="module")
def houses(gallery):
    return gallery("house_prices").compute()


@pytest.mark.mission("EX-16", "LS-24")
def test_the_parabola_has_a_lower_training_error_than_the_line(houses):
    assert houses["parabola"]["mse"] < houses["line"]["mse"]
    coefficients = np.polyfit(houses["size"], houses["price"], 2)
    residuals = houses["price"] - np.polyval(coefficients, houses["size"])
    assert houses["parabola"]["mse"] == pytest.approx(np.mean(residuals**2), rel=1e-9)
    assert houses["parabola"]["prediction"] == pytest.approx(np.polyval(coefficients, 150.0), rel=1e-9)


@pytest.mark.mission("EX-16")
def test_the_average_rests_on_two_sales_and_no_house_has_exactly_the_size(houses):
    assert houses["used"] == 2
    assert 150.0 not in houses["size"]
    assert houses["average"] == houses["price"][np.abs(houses["size"] - 150.0) <= 6.0].mean()
    assert houses["used"] < 0.1 * len(houses["size"])


@pytest.mark.mission("LS-24")
def test_least_squares_takes_real_targets(houses):
    predictions = [houses["line"]["prediction"], houses["parabola"]["prediction"]]
    assert all(300.0 < price < 450.0 for price in predictions)


# ------------------------------------------------------------------ pictures


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.stem)
def test_every_script_draws_a_picture(gallery, script, tmp_path):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    picture = tmp_path / "picture.png"
    gallery(script.stem).draw(picture)
    assert picture.read_bytes()[:8] == b"\x89PNG\r\n\x1a\n"
    assert picture.stat().st_size > 10_000


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.stem)
def test_every_script_has_a_page(script):
    page = script.with_suffix(".md").read_text(encoding="utf-8")
    assert f"pictures/{script.stem}.png" in page
    assert script.name in page
