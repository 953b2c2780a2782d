"""Losses that are not convex or not finite for every score: derivatives, ranges, and known terms of the scores."""

import math
from functools import partial

import mpmath as mp
import numpy as np
import pytest
from numpy.testing import assert_allclose

from separatrix.core.objective import deviances_at, fill_slopes, informations_at, slopes_at, sum_of_values
from separatrix.core.verbs import conjugate, curvature, information, link, side, slope, value
from separatrix.losses import Cauchit, Gamma, GaussianLog, KnownTerm, LogChance, Logistic, Poisson, PowerLink, Tweedie

POWERS = [
    (PowerLink(Poisson(), 1.0), 1.0),
    (PowerLink(Poisson(), 0.5), 1.0),
    (PowerLink(Gamma(), -1.0), 2.0),
    (PowerLink(Gamma(), 1.0), 2.0),
    (PowerLink(Tweedie(3.0), -2.0), 3.0),
    (PowerLink(Tweedie(3.0), 1.0), 3.0),
    (PowerLink(Tweedie(1.5), 1.0), 1.5),
    (PowerLink(GaussianLog(), -1.0), 0.0),
    (GaussianLog(), 0.0),
]
SHARES = [Cauchit(), LogChance()]
SCORES = {LogChance: (-9.0, -2.3, -0.4, -0.01), Cauchit: (-40.0, -1.3, 0.2, 7.0), GaussianLog: (-1.5, 0.3, 1.2)}
every_loss = pytest.mark.parametrize("loss", [*(loss for loss, _ in POWERS), *SHARES], ids=str)


def points(loss):
    targets = (0.0, 0.3, 1.0) if type(loss) in (Cauchit, LogChance) else (0.4, 1.0, 3.5)
    return [(y, eta) for y in targets for eta in SCORES.get(type(loss), (0.2, 0.9, 2.5))]


def mean(loss, eta):
    """The mean by the definition of the link, in the precision of mpmath."""
    match loss:
        case Cauchit():
            return mp.mpf(1) / 2 + mp.atan(eta) / mp.pi
        case PowerLink():
            return mp.mpf(eta) ** (1 / mp.mpf(loss.exponent))
    return mp.exp(eta)


def half_deviance(y, mu, power):
    y, p = mp.mpf(y), mp.mpf(power)
    if power == 1.0:
        return mu - y - y * mp.log(mu / y)
    if power == 2.0:
        return y / mu - 1 - mp.log(y / mu)
    return y ** (2 - p) / ((1 - p) * (2 - p)) - y * mu ** (1 - p) / (1 - p) + mu ** (2 - p) / (2 - p)


@pytest.mark.parametrize("loss, power", POWERS, ids=str)
def test_the_loss_is_half_the_deviance_of_its_family_at_the_mean_of_its_link(loss, power):
    for y, eta in points(loss):
        true = half_deviance(y, mean(loss, mp.mpf(eta)), power)
        assert value(loss, y, eta) == pytest.approx(float(true), rel=1e-13, abs=1e-15)
        assert link(loss, y) == pytest.approx(
            float(mp.findroot(lambda e, y=y: mean(loss, e) - y, link(loss, y))), 1e-12
        )


@pytest.mark.parametrize("loss", SHARES, ids=str)
def test_the_loss_of_a_share_is_minus_its_log_likelihood(loss):
    for y, eta in points(loss):
        mu = mean(loss, mp.mpf(eta))
        true = -sum(share * mp.log(p) for share, p in ((mp.mpf(y), mu), (1 - mp.mpf(y), 1 - mu)) if share)
        assert value(loss, y, eta) == pytest.approx(float(true), rel=1e-13)


@every_loss
def test_slope_and_curvature_are_derivatives(loss):
    h = 1e-4
    for y, eta in points(loss):
        h = 1e-4 * min(abs(eta), 1.0)
        for f, derivative in ((value, slope), (slope, curvature)):
            at = partial(f, loss, y)
            numeric = (8 * (at(eta + h) - at(eta - h)) - (at(eta + 2 * h) - at(eta - 2 * h))) / (12 * h)
            size = max(abs(at(eta)), abs(at(eta + h)), 1.0)
            assert derivative(loss, y, eta) == pytest.approx(numeric, rel=1e-7, abs=4e-16 * size / h)


@every_loss
def test_information_is_the_curvature_expected_of_the_mean(loss):
    """The curvature is affine in y, and so its expectation is that of the mean."""
    for _, eta in points(loss):
        mu = float(mean(loss, mp.mpf(eta)))
        assert information(loss, 0.5, eta) == pytest.approx(curvature(loss, mu, eta), rel=1e-8)


@every_loss
def test_zero_is_the_least_deviance(loss):
    for y, _ in points(loss):
        if 0.0 < y < 1.0 or type(loss) not in (Cauchit, LogChance):
            best = np.array([link(loss, y)])
            assert deviances_at(loss, np.array([y]), best)[0] <= 1e-14
            assert -conjugate(loss, y, 0.0) <= value(loss, y, float(best[0])) + 1e-15


@every_loss
def test_compiled_and_plain_loops_agree(loss):
    y, eta = (np.array(column) for column in zip(*points(loss)))
    ones = np.ones(len(y))
    assert sum_of_values(loss, y, eta, ones) == pytest.approx(sum_of_values.py_func(loss, y, eta, ones), rel=1e-13)
    slow = np.empty(len(y))
    fill_slopes.py_func(loss, y, eta, slow)
    assert_allclose(slopes_at(loss, y, eta), slow, rtol=1e-13)


def test_scores_outside_of_the_range_of_a_link_have_an_infinite_loss():
    for loss, _ in POWERS[:8]:
        assert value(loss, 1.0, 0.0) == value(loss, 1.0, -2.0) == math.inf
        assert not math.isnan(slope(loss, 1.0, -2.0))
        assert not math.isnan(curvature(loss, 1.0, -2.0))
    assert value(LogChance(), 0.0, 0.0) == value(LogChance(), 1.0, 0.5) == math.inf


@pytest.mark.parametrize("eta", [-1e300, -1e160, -1e8, 1e8, 1e160, 1e300])
def test_the_tails_of_the_cauchy_distribution_keep_their_digits(eta):
    for y in (0.0, 0.4, 1.0):
        with mp.workdps(700):
            lower = mp.atan(1 / mp.mpf(abs(eta))) / mp.pi
            p = lower if eta < 0 else 1 - lower
            true = -sum(share * mp.log(q) for share, q in ((mp.mpf(y), p), (1 - mp.mpf(y), 1 - p)) if share)
        assert value(Cauchit(), y, eta) == pytest.approx(float(true), rel=1e-7, abs=1e-15)
        assert math.isfinite(slope(Cauchit(), y, eta))
        assert math.isfinite(curvature(Cauchit(), y, eta))


def test_a_known_term_moves_the_score_of_its_own_row():
    y, known, eta = np.array([1.0, 0.0, 0.3]), np.array([2.0, -1.0, 0.5]), np.array([0.1, 0.2, 0.3])
    loss, rows = KnownTerm(Logistic(), y, known), np.array([2.0, 0.0, 1.0])
    places = rows.astype(int)
    for verb in (slopes_at, informations_at, deviances_at):
        assert_allclose(verb(loss, rows, eta), verb(Logistic(), y[places], eta + known[places]), rtol=1e-15)
    u = -0.2
    best = max(u * e - value(loss, 0.0, e) for e in np.linspace(-9.0, 5.0, 200_001))
    assert conjugate(loss, 0.0, u) == pytest.approx(best, abs=1e-8)
    assert [side(loss, float(i)) for i in range(3)] == [1.0, 0.0, 0.5]
