"""Risk and empirical risk: DEC-01, DEC-02, DEC-06."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_array_equal
from sklearn.metrics import accuracy_score, log_loss, mean_absolute_error, mean_pinball_loss, mean_squared_error

from separatrix.core import registry
from separatrix.core.verbs import value
from separatrix.decision import best_constant, empirical_risk, zero_one, zero_one_margin
from separatrix.losses import EpsilonInsensitive, Gamma, Huber, Logistic, Quantile, Squared, Tweedie

sample = arrays(float, st.integers(1, 8), elements=st.integers(-40, 40).map(float))


@pytest.mark.mission("DEC-01", "DEC-03")
def test_squares_lead_to_the_mean_and_absolute_values_to_the_median():
    """G038."""
    y = [0, 1, 2, 10, 100]
    assert best_constant(Squared(), y) == pytest.approx(22.6, abs=1e-12)
    assert best_constant(Quantile(0.5), y) == pytest.approx(2.0, abs=1e-12)
    assert best_constant(lambda y, c: (y - c) ** 2, y) == pytest.approx(22.6, abs=1e-5)
    assert best_constant(lambda y, c: np.abs(y - c), y) == pytest.approx(2.0, abs=1e-5)


@pytest.mark.mission("DEC-01")
@settings(deadline=None)
@given(sample)
def test_the_best_constant_for_squares_is_the_mean(y):
    assert best_constant(Squared(), y) == pytest.approx(y.mean(), abs=1e-12)


@pytest.mark.mission("DEC-01")
def test_the_conditional_mean_minimises_the_expected_square_at_every_x():
    """A known law of Y given x: of all functions of x the conditional mean has the least risk."""
    values = np.array([[0.0, 1.0, 5.0], [2.0, -3.0, 4.0]])  # of Y at two points x
    law = np.array([[0.2, 0.5, 0.3], [0.6, 0.3, 0.1]])
    means = (values * law).sum(axis=1)
    for x in range(2):
        assert best_constant(Squared(), values[x], law[x]) == pytest.approx(means[x], abs=1e-13)
        best = empirical_risk(Squared(), values[x], np.full(3, means[x]), law[x])
        assert best == pytest.approx(0.5 * np.sum(law[x] * (values[x] - means[x]) ** 2), rel=1e-14)
        for other in np.linspace(-5.0, 6.0, 56):
            assert empirical_risk(Squared(), values[x], np.full(3, other), law[x]) >= best


@pytest.mark.mission("DEC-02", "DEC-03")
@settings(deadline=None)
@given(sample, st.sampled_from([Quantile(0.5), Quantile(0.2), Huber(1.5), EpsilonInsensitive(0.5), Squared()]))
def test_nothing_on_a_fine_grid_beats_the_best_constant(y, loss):
    best = empirical_risk(loss, y, np.full(len(y), best_constant(loss, y)))
    for c in np.append(np.linspace(y.min(), y.max(), 60), y):
        assert best <= empirical_risk(loss, y, np.full(len(y), c)) + 1e-12


def test_the_best_score_for_the_logistic_loss_is_the_log_odds():
    assert best_constant(Logistic(), [1.0, 0.0, 0.0, 0.0]) == pytest.approx(math.log(1 / 3), abs=1e-12)
    assert best_constant(Logistic(), [0.9999, 0.9999]) == pytest.approx(math.log(9999), rel=1e-10)
    assert best_constant(Logistic(), [1.0, 1.0]) == math.inf
    assert best_constant(Logistic(), [0.0]) == -math.inf


@pytest.mark.mission("DEC-02")
@pytest.mark.parametrize("loss", registry.instances("loss"), ids=str)
def test_the_empirical_risk_of_every_loss_is_the_mean_of_its_values(loss):
    positive = isinstance(loss, Gamma | Tweedie)  # of which y may not be 0
    y, eta = np.array([0.5 if positive else 0.0, 1.0, 1.0]), np.array([-1, 0.5, 3.0])
    s = np.array([1.0, 2.0, 0.5])
    by_hand = math.fsum(w * value(loss, float(a), float(b)) for w, a, b in zip(s, y, eta)) / s.sum()
    assert empirical_risk(loss, y, eta, s) == pytest.approx(by_hand, rel=1e-14)


@pytest.mark.mission("DEC-02")
def test_empirical_risks_are_the_scores_of_scikit_learn():
    rng = np.random.default_rng(0)
    y, f, s = rng.standard_normal(50), rng.standard_normal(50), rng.random(50)
    assert empirical_risk(Squared(), y, f, s) == pytest.approx(mean_squared_error(y, f, sample_weight=s) / 2)
    assert empirical_risk(Quantile(0.3), y, f) == pytest.approx(mean_pinball_loss(y, f, alpha=0.3))
    assert empirical_risk(lambda y, f: abs(y - f), y, f, s) == pytest.approx(mean_absolute_error(y, f, sample_weight=s))
    codes = (y > 0).astype(float)
    assert empirical_risk(Logistic(), codes, f) == pytest.approx(log_loss(codes, 1 / (1 + np.exp(-f))))


@pytest.mark.mission("DEC-02")
def test_the_empirical_risk_approaches_the_risk():
    """E (Y - f)²/2 of Y = x + noise, f = x: half the variance of the noise."""
    rng = np.random.default_rng(1)
    f = rng.random(200_000)
    assert empirical_risk(Squared(), f + 0.3 * rng.standard_normal(200_000), f) == pytest.approx(0.045, rel=0.02)


@pytest.mark.mission("DEC-06")
def test_the_zero_one_loss_is_the_complement_of_accuracy():
    rng = np.random.default_rng(0)
    y, f = rng.choice(["a", "b", "c"], (2, 100))
    s = rng.random(100)
    found = empirical_risk(zero_one, y, f, sample_weight=s)
    assert found == pytest.approx(1.0 - accuracy_score(y, f, sample_weight=s), abs=1e-14)


@pytest.mark.mission("DEC-06")
def test_as_a_margin_loss_it_counts_the_points_on_the_wrong_side():
    y, score = np.array([1, -1, 1, -1]), np.array([0.5, 0.5, -2.0, -0.1])
    assert_array_equal(zero_one_margin(y * score), zero_one(y, np.sign(score)))
    assert empirical_risk(lambda y, f: zero_one_margin(y * f), y, score) == 0.5
    assert_array_equal(zero_one_margin([-1e-300, 0.0, 1e-300]), [1.0, 0.0, 0.0])


def test_a_row_of_weight_zero_adds_nothing_even_if_its_loss_is_infinite():
    assert empirical_risk(lambda y, f: np.array([1.0, np.inf]), [0, 1], [0, 1], [1.0, 0.0]) == 1.0


@pytest.mark.parametrize(
    "call, said",
    [
        (lambda: empirical_risk(Squared(), [1.0, 2.0], [1.0]), "prediction of 1 entries"),
        (lambda: empirical_risk(Squared(), [], []), "over no rows"),
        (lambda: empirical_risk(Squared(), [1.0, 2.0], [[1.0], [2.0]]), "function of two numbers"),
        (lambda: empirical_risk(mean_squared_error, [1.0, 2.0], [1.0, 2.0]), "one loss for each row, not their mean"),
        (lambda: empirical_risk(Squared(), [1.0], [1.0], [-1.0]), "Negative weights"),
        (lambda: best_constant(Squared(), []), "finite values of one variable"),
        (lambda: best_constant(Squared(), [np.nan]), "finite values of one variable"),
    ],
)
def test_what_has_no_risk_is_refused(call, said):
    with pytest.raises(ValueError, match=said):
        call()
