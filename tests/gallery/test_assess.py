"""The gallery's pages on bias and variance and on screening compute what they say."""

from fractions import Fraction

import numpy as np
import pytest
from scipy.stats import norm

# ------------------------------------------------------------------ 24 Gaussians


@pytest.fixture(scope="module")
def bumps(gallery):
    return gallery("bias_variance")


@pytest.fixture(scope="module")
def trade(bumps):
    return bumps.compute()


@pytest.mark.mission("EX-11", "EV-14")
def test_the_experiment_is_that_of_the_notes(bumps, trade):
    """G042: L = 100, N = 25, 24 Gaussians of width 0.1, noise 0.3."""
    fits = trade[-2.0]
    assert fits.predictions.shape == (100, 25) and list(trade) == [-6, -4, -2, 0, 2, 4]
    X, y = bumps.generate(np.random.default_rng(0))
    assert X.shape == (25, 1) and y.shape == (25,)
    assert bumps.model().fit(X, y)[0].transform(X).shape == (25, 24)
    assert fits.noise == pytest.approx(0.09)


@pytest.mark.mission("EX-11", "EV-14")
def test_bias_rises_and_variance_falls_with_the_penalty_and_the_best_is_in_between(trade):
    """G042."""
    assert (np.diff([each.bias2 for each in trade.values()]) > 0).all()
    assert (np.diff([each.variance for each in trade.values()]) < 0).all()
    assert 0 < np.argmin([each.expected_loss for each in trade.values()]) < 5


@pytest.mark.mission("EX-11", "EV-14")
def test_bias_and_variance_sum_to_the_squared_distance_from_the_truth(trade):
    """G042: exactly."""
    for fits in trade.values():
        assert fits.squared_error == pytest.approx(fits.bias2 + fits.variance, rel=1e-13)
        assert fits.expected_loss == pytest.approx(fits.squared_error + 0.09, rel=1e-13)


@pytest.mark.mission("EX-11", "EV-14", "EV-15")
def test_the_experiment_finds_the_bias_and_variance_of_the_closed_form(trade):
    """At fixed points ridge is linear in y: h = S y, bias² = |Sf - f|²/N, variance = σ² tr SS'/N."""
    x = np.linspace(0.0, 1.0, 25)
    f = np.sin(2.0 * np.pi * x)
    Phi = np.exp(-((x[:, None] - np.linspace(0.0, 1.0, 24)) ** 2) / (2.0 * 0.1**2))
    for log, found in trade.items():
        S = Phi @ np.linalg.solve(Phi.T @ Phi + np.exp(log) * np.eye(24), Phi.T)
        variance = 0.09 * np.trace(S @ S.T) / 25
        spread = 0.09**2 * 2.0 * np.trace(np.linalg.matrix_power(S @ S.T, 2)) / 25**2  # of |S e|²/N for normal e
        assert abs(found.variance - 0.99 * variance) < 3.0 * np.sqrt(spread / 100)
        bias2 = np.mean((S @ f - f) ** 2)
        # the mean of 100 fits is off by noise of variance σ² SS'/100
        error = 2.0 * np.sqrt((S @ f - f) @ S @ S.T @ (S @ f - f) * 0.09 / 100) / 25
        assert abs(found.bias2 - bias2 - variance / 100) < 3.0 * (error + np.sqrt(spread) / 100)


# ------------------------------------------------------------------ cancer screening


@pytest.fixture(scope="module")
def screening(gallery):
    return gallery("cancer_screening").compute()


@pytest.mark.mission("EX-17", "EV-06", "EV-08", "EV-09", "EV-10")
def test_always_no_and_always_yes_have_the_golden_measures(screening):
    """G049: null stands for 0/0."""
    no, yes = screening["answers"]["always no"], screening["answers"]["always yes"]
    assert no["report"].accuracy == 0.99 and no["recall"] == 0.0
    assert np.isnan(no["precision"]) and np.isnan(no["f1"])
    assert (yes["report"].accuracy, yes["precision"], yes["recall"]) == (0.01, 0.01, 1.0)
    assert yes["f1"] == pytest.approx(float(Fraction(2, 101)), rel=1e-15)


@pytest.mark.mission("EX-17", "EV-06")
def test_no_threshold_is_more_accurate_than_no_and_every_one_of_them_is_more_useful(screening):
    for name, answer in screening["answers"].items():
        report = answer["report"]
        assert report.no_information_rate == 0.99 and report.skewed
        assert report.accuracy <= 0.99 and not report.informative
        if name.startswith("value"):
            assert report.balanced_accuracy > 0.52 and answer["precision"] > 5 * 0.01


@pytest.mark.mission("EX-17")
def test_measures_of_the_thresholds_are_near_those_of_the_normal_distributions(screening):
    for t in (1.0, 2.0, 3.0):
        answer, found, alarmed = screening["answers"][f"value > {t:g}"], norm.sf(t - 2.0), norm.sf(t)
        assert abs(answer["recall"] - found) < 3.0 * np.sqrt(found * (1.0 - found) / 100)
        cells = answer["counts"].of(1)
        assert abs(cells["fp"] / 9900 - alarmed) < 3.0 * np.sqrt(alarmed * (1.0 - alarmed) / 9900)
        assert answer["precision"] == cells["tp"] / (cells["tp"] + cells["fp"])
    assert abs(screening["roc"].facts["area"] - norm.cdf(np.sqrt(2.0))) < 3.0 * np.sqrt(0.92 * 0.08 / 100)
