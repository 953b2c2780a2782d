"""What rounding does to estimates: to float64, to the last recorded digit, and on an essentially perfect fit."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from separatrix.datasets import load_longley
from separatrix.linear_model import LinearRegression


def jittered(X, y, half, h_y, draws, seed=0):
    """Coefficients of least squares on data moved at random within half a unit, by numpy alone."""
    rng = np.random.default_rng(seed)
    slopes = []
    for _ in range(draws):
        Z = np.column_stack([np.ones(len(X)), X + half * rng.uniform(-1.0, 1.0, X.shape)])
        slopes.append(np.linalg.lstsq(Z, y + h_y * rng.uniform(-1.0, 1.0, len(y)), rcond=None)[0])
    return np.array(slopes)


def test_rounding_as_recorded_spreads_coefficients_as_jittered_data_do():
    rng = np.random.default_rng(1)
    X = np.column_stack([rng.normal(50.0, 10.0, 40).round(1), rng.normal(0.0, 3.0, 40).round(), rng.random(40) < 0.5])
    y = (X @ [0.3, -1.0, 2.0] + rng.standard_normal(40)).round(2)
    read = LinearRegression().fit(X, y).summary(X, y)
    draws = 4000
    spread = 2.0 * jittered(X, y, np.array([0.05, 0.5, 0.0]), 0.005, draws).std(axis=0)
    # the formula is of first order: half a unit of a column of spread 3 leaves a relative 1/36 to the second;
    # a standard deviation of 4,000 draws is right to 1/sqrt(2 draws), three times that in the worst of four
    assert_allclose([row.recorded for row in read.rows], spread, rtol=1.0 / 36.0 + 3.0 / np.sqrt(2.0 * draws))


def test_deflator_of_longley_is_known_to_ten_digits_of_float64_and_to_none_as_recorded():
    data = load_longley()
    X, y = data.X, data.y
    read = LinearRegression().fit(X, y).summary(X, y)
    row = read.rows[1]
    assert row.estimate == pytest.approx(15.0618722713733, rel=1e-9)  # NIST
    assert row.digits > 8.0
    half = np.array([0.05, 0.5, 0.5, 0.5, 0.5, 0.0])
    draws = jittered(X, y, half, 0.5, 2000)[:, 1]
    assert row.recorded == pytest.approx(2.0 * draws.std(), rel=0.1)
    assert row.recorded > 0.1 * row.estimate
    page = " ".join(str(read).split())
    assert "recorded ±" in page and "Digits are those that rounding to float64 cannot change" in page


def test_numbers_that_nobody_rounded_have_no_spread_as_recorded():
    rng = np.random.default_rng(2)
    X = rng.standard_normal((30, 2))
    y = X[:, 0] + rng.standard_normal(30)
    read = LinearRegression().fit(X, y).summary(X, y)
    assert all(row.recorded is None for row in read.rows) and "recorded" not in str(read)


@pytest.mark.parametrize("weights", [(2.0, 0.0, 0.0), (0.1, 0.0, 7.0)])
def test_coefficients_that_are_zero_to_rounding_are_not_significant_on_a_perfect_fit(weights):
    X = np.random.default_rng(0).standard_normal((30, 3))
    read = LinearRegression().fit(X, 3.0 + X @ weights).summary()
    for name, weight in zip(("x0", "x1", "x2"), weights):
        row = read[name]
        assert (row.p is None and row.t is None) if weight == 0.0 else row.p < 1e-16
        assert row.estimate == pytest.approx(weight, abs=1e-12)
    assert "essentially perfect" in str(read) and "?" in str(read)


def test_rounding_as_recorded_is_seen_in_single_precision_too():
    rng = np.random.default_rng(3)
    X = rng.normal(50.0, 10.0, (60, 3)).round(1)
    y = (X @ [1.0, 0.5, 0.0] + rng.normal(0.0, 3.0, 60)).round(1)
    single = X.astype(np.float32), y.astype(np.float32)
    expected = [row.recorded for row in LinearRegression().fit(X, y).summary(X, y).rows]
    read = LinearRegression().fit(*single).summary(*single)
    assert_allclose([row.recorded for row in read.rows], expected, rtol=1e-4)
    computed = rng.standard_normal((60, 3)).astype(np.float32), rng.standard_normal(60).astype(np.float32)
    assert all(row.recorded is None for row in LinearRegression().fit(*computed).summary(*computed).rows)
