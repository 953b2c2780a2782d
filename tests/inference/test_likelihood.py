"""Likelihood of sequences, of class probabilities and of normal residuals: LG-01, LG-02, LG-03, LG-16."""

import math
import warnings
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.optimize import approx_fprime
from scipy.stats import norm
from sklearn.metrics import log_loss

from separatrix.inference import (
    class_log_likelihood,
    gaussian_log_likelihood,
    gaussian_precision,
    proportion,
    sequence_log_likelihood,
)
from separatrix.linear_model import LinearRegression

DRAWS = ["red", "blue", "blue", "red", "red"]


@pytest.mark.mission("LG-01")
@pytest.mark.parametrize("theta, total", [(0.5, -5.0), (0.6, -4.854752972273343), (0.75, -5.245112497836532)])
def test_five_draws_have_the_golden_log_likelihoods_in_bits(theta, total):
    """G074."""
    model = {"red": theta, "blue": 1.0 - theta}
    assert sequence_log_likelihood(DRAWS, model, base=2) == pytest.approx(total, abs=1e-12)
    assert sequence_log_likelihood(DRAWS, model) == pytest.approx(total * math.log(2), abs=1e-12)
    assert sequence_log_likelihood(["red"], model, base=2) == pytest.approx(math.log2(theta), rel=1e-14)
    assert sequence_log_likelihood(DRAWS, model, base=10) == pytest.approx(total * math.log10(2), abs=1e-12)


@pytest.mark.mission("LG-01")
def test_the_likelihood_of_a_sequence_is_a_product():
    """G074: 27/1024 for theta = 3/4, in exact fractions."""
    product = Fraction(3, 4) ** 3 * Fraction(1, 4) ** 2
    assert product == Fraction(27, 1024)
    found = math.exp(sequence_log_likelihood(DRAWS, {"red": 0.75, "blue": 0.25}))
    assert found == pytest.approx(float(product), rel=1e-14)


@pytest.mark.mission("LG-01")
def test_the_impossible_has_log_likelihood_minus_infinity_and_the_absent_costs_nothing():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert sequence_log_likelihood(DRAWS, {"red": 1.0, "blue": 0.0}) == -math.inf
        assert sequence_log_likelihood(["red"], {"red": 1.0, "blue": 0.0}) == 0.0
        assert sequence_log_likelihood([], {"red": 1.0}) == 0.0


@pytest.mark.mission("LG-02")
def test_three_of_five_is_most_likely_three_fifths():
    """G074."""
    found = proportion(3, 5)
    assert found.estimate == 0.6
    assert found.log_likelihood == pytest.approx(sequence_log_likelihood(DRAWS, {"red": 0.6, "blue": 0.4}), rel=1e-14)
    assert found.error == pytest.approx(math.sqrt(0.6 * 0.4 / 5), rel=1e-14)


@pytest.mark.mission("LG-02")
@settings(deadline=None)
@given(st.integers(1, 50).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_no_other_proportion_is_more_likely_and_the_error_is_the_curvature(drawn):
    m, n = drawn
    found = proportion(m, n)

    def loglik(t):
        return sequence_log_likelihood(["+"] * m + ["-"] * (n - m), {"+": t, "-": 1.0 - t})

    assert found.log_likelihood == pytest.approx(loglik(found.estimate), abs=1e-10)
    for t in np.linspace(0.0, 1.0, 41):
        assert loglik(t) <= found.log_likelihood + 1e-10
    if 0 < m < n:
        step = 1e-3 * min(found.estimate, 1 - found.estimate)
        bend = (loglik(found.estimate + step) - 2 * found.log_likelihood + loglik(found.estimate - step)) / step**2
        assert found.error == pytest.approx(1.0 / math.sqrt(-bend), rel=1e-2)
    else:
        assert found.error is None


@pytest.mark.mission("LG-03")
def test_six_rows_of_three_classes_have_the_golden_log_likelihood():
    """G075: -log2 27 bits; class frequencies for each x as predictions."""
    rows = [(1, "green"), (1, "yellow"), (2, "green"), (2, "green"), (2, "blue"), (3, "blue")]
    predictions = {1: [0.5, 0, 0.5], 2: [2 / 3, 1 / 3, 0], 3: [0, 1, 0]}
    P, y = [predictions[x] for x, _ in rows], [label for _, label in rows]
    classes = ["green", "blue", "yellow"]
    bits = [-1, -1, -0.5849625007211563, -0.5849625007211563, -1.584962500721156, 0]
    assert class_log_likelihood(y, P, classes=classes, base=2) == pytest.approx(-4.754887502163468, abs=1e-12)
    assert class_log_likelihood(y, P, classes=classes) == pytest.approx(-3.295836866004329, abs=1e-12)
    for label, row, bit in zip(y, P, bits):
        assert class_log_likelihood([label], [row], classes=classes, base=2) == pytest.approx(bit, abs=1e-12)


@pytest.mark.mission("LG-03")
def test_a_class_of_probability_zero_that_happens_makes_it_minus_infinity_without_a_warning():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert class_log_likelihood([0, 1], [[0.5, 0.5], [1.0, 0.0]]) == -math.inf
        assert class_log_likelihood([0, 1], [[0.5, 0.5], [1.0, 0.0]], sample_weight=[1, 0]) == math.log(0.5)


@pytest.mark.mission("LG-03")
def test_it_is_minus_the_log_loss_of_scikit_learn_and_weights_are_repetitions():
    rng = np.random.default_rng(0)
    P, y, s = rng.dirichlet(np.ones(3), 40), rng.integers(0, 3, 40), rng.integers(0, 4, 40)
    found = class_log_likelihood(y, P, sample_weight=s)
    assert found == pytest.approx(-log_loss(y, P, sample_weight=s, normalize=False), rel=1e-12)
    assert found == pytest.approx(class_log_likelihood(y.repeat(s), P.repeat(s, axis=0)), rel=1e-12)


# ------------------------------------------------------------------ normal residuals

X = np.array([[1.0, 0.0], [1.0, 1.0], [1.0, 2.0], [1.0, 3.0]])
T = np.array([1.0, 2.0, 2.0, 4.0])
W = np.array([0.8, 0.9])


@pytest.mark.mission("LG-16")
def test_the_gaussian_log_likelihood_is_the_golden_one():
    """G059, and the sum of log-densities of scipy."""
    r = T - X @ W
    found = gaussian_log_likelihood(r, 2.5)
    assert found == pytest.approx(-2.768172669, abs=1e-9)
    assert found == pytest.approx(norm.logpdf(r, scale=2.5**-0.5).sum(), rel=1e-13)


@pytest.mark.mission("LG-16")
def test_its_gradient_carries_the_precision():
    """G059: beta X'r = (1, 1.5), not X'r = (0.4, 0.6)."""
    slope = approx_fprime(W, lambda w: gaussian_log_likelihood(T - X @ w, 2.5), 1e-7)
    assert_allclose(slope, [1.0, 1.5], atol=1e-5)
    assert_allclose(2.5 * X.T @ (T - X @ W), [1.0, 1.5], rtol=1e-13)


@pytest.mark.mission("LG-16")
def test_least_squares_is_most_likely_whatever_the_precision_and_its_precision_is_one_over_the_mean_square():
    """G059: beta_ML = 1 / mean r² of the least-squares fit."""
    model = LinearRegression().fit(X[:, 1:], T)
    r = T - model.predict(X[:, 1:])
    rng = np.random.default_rng(0)
    for precision in (0.1, 2.5, 40.0):
        best = gaussian_log_likelihood(r, precision)
        others = [gaussian_log_likelihood(r - X @ move, precision) for move in 0.1 * rng.standard_normal((50, 2))]
        assert max(others) < best
    assert gaussian_precision(T - X @ W) == pytest.approx(1 / np.mean((T - X @ W) ** 2), rel=1e-14)
    beta = gaussian_precision(r)
    assert beta == pytest.approx(5.714285714, abs=1e-8)
    assert beta == pytest.approx(4.0 / np.linalg.lstsq(X, T)[1][0], rel=1e-12)
    most = gaussian_log_likelihood(r)
    assert all(gaussian_log_likelihood(r, beta * f) < most for f in (0.9, 0.999, 1.001, 1.1))


@pytest.mark.mission("LG-16")
def test_weights_of_residuals_are_repetitions():
    r, s = np.array([0.1, -0.4, 0.3]), np.array([2, 0, 3])
    assert gaussian_precision(r, sample_weight=s) == pytest.approx(gaussian_precision(r.repeat(s)), rel=1e-14)
    assert gaussian_log_likelihood(r, sample_weight=s) == pytest.approx(gaussian_log_likelihood(r.repeat(s)), rel=1e-13)


@pytest.mark.parametrize(
    "call, said",
    [
        (lambda: sequence_log_likelihood(["green"], {"red": 0.5, "blue": 0.5}), "probability of 'green'"),
        (lambda: sequence_log_likelihood(["red"], {"red": 0.5, "blue": 0.6}), "sum to 1.1"),
        (lambda: sequence_log_likelihood(["red"], {"red": 1.0}, base=1), "base is above 1"),
        (lambda: proportion(6, 5), "no more successes than draws"),
        (lambda: proportion(0, 0), "there must be draws"),
        (lambda: proportion(-1, 5), "0 <= successes"),
        (lambda: gaussian_log_likelihood([0.0, 0.0]), "residuals that are not all 0"),
        (lambda: gaussian_log_likelihood([1.0], -2.0), "precision=-2.0"),
        (lambda: gaussian_log_likelihood([[1.0]]), r"shape \(1, 1\)"),
        (lambda: gaussian_precision([np.nan]), "finite residuals"),
    ],
)
def test_what_has_no_likelihood_is_refused(call, said):
    with pytest.raises(ValueError, match=said):
        call()


def test_a_perfect_fit_is_infinitely_precise():
    assert gaussian_precision([0.0, 0.0]) == math.inf
