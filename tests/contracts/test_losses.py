"""Every loss of the registry: derivatives, convexity, conjugate and extremes."""

import math
from functools import partial

import mpmath as mp
import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import minimize_scalar

from separatrix.core import registry
from separatrix.core.objective import fill_curvatures, fill_slopes, sum_of_conjugates, sum_of_values
from separatrix.core.verbs import (
    conjugate,
    curvature,
    information,
    is_of_residual,
    is_smooth,
    largest_curvature,
    slope,
    value,
)
from separatrix.losses import ComplementaryLogLog, Gamma, Hinge, Logistic, Poisson, Probit, Tweedie

LOSSES = registry.instances("loss")
SIGNS = dict.fromkeys(("Hinge", "SquaredHinge", "ModifiedHuber"), (-1.0, 1.0))
SHARES = dict.fromkeys(("Logistic", "Probit", "ComplementaryLogLog", "Exponential"), (0.0, 0.3, 1.0))
COUNTS = {**dict.fromkeys(("Poisson", "Tweedie"), (0.0, 0.7, 3.0)), "Gamma": (0.2, 0.7, 3.0)}
TARGETS = {**SHARES, **COUNTS, **SIGNS}  # losses of a number are looked at with these:
NUMBERS = (-2.0, 0.0, 0.7, 3.0)
AWAY = (0.037, 0.53, 1.7, 4.2, 11.0)  # from y: no loss has a kink within 0.01 of these

every_loss = pytest.mark.parametrize("loss", LOSSES, ids=str)


def targets(loss):
    return TARGETS.get(type(loss).__name__, NUMBERS)


def points(loss):
    return [(y, y + side * away) for y in targets(loss) for away in AWAY for side in (-1.0, 1.0)]


def derivative(f, x, h=2e-3):
    """Central difference of fourth order: error about h^4 / 30 plus eps / h."""
    return (8.0 * (f(x + h) - f(x - h)) - (f(x + 2.0 * h) - f(x - 2.0 * h))) / (12.0 * h)


def domain(loss, y):
    """The interval of slopes, on which the conjugate is finite."""
    return slope(loss, y, -math.inf), slope(loss, y, math.inf)


@every_loss
def test_slope_is_the_derivative_of_value(loss):
    for y, eta in points(loss):
        numeric = derivative(partial(value, loss, y), eta)
        assert slope(loss, y, eta) == pytest.approx(numeric, rel=1e-10, abs=1e-11)


@every_loss
def test_curvature_is_the_derivative_of_slope(loss):
    for y, eta in points(loss):
        numeric = derivative(partial(slope, loss, y), eta)
        assert curvature(loss, y, eta) == pytest.approx(numeric, rel=1e-9, abs=1e-10)


@every_loss
def test_value_is_convex_and_slope_is_a_subgradient_everywhere(loss):
    for y in targets(loss):
        grid = y + np.concatenate([np.linspace(-6.0, 6.0, 49), [0.1, -0.1, 1.0, -1.0]])  # kinks included
        values = np.array([value(loss, y, e) for e in grid])
        for eta, here in zip(grid, values):
            line = here + slope(loss, y, eta) * (grid - eta)
            assert np.all(values >= line - 1e-13 * (1.0 + np.abs(line)))


@every_loss
def test_value_is_never_negative_and_curvature_neither(loss):
    for y, eta in points(loss):
        assert value(loss, y, eta) >= 0.0
        assert curvature(loss, y, eta) >= 0.0


@every_loss
def test_conjugate_is_the_supremum(loss):
    for y in targets(loss):
        low, high = (max(b, -3.0) if b < 0 else min(b, 3.0) for b in domain(loss, y))
        for share in (0.1, 0.35, 0.5, 0.8):
            u = low + share * (high - low)
            best = minimize_scalar(
                lambda e, y=y, u=u: value(loss, y, e) - u * e,
                bounds=(y - 60.0, y + 60.0),
                method="bounded",
                options={"xatol": 1e-10},
            )
            assert conjugate(loss, y, u) == pytest.approx(-best.fun, rel=1e-7, abs=1e-7)


@every_loss
def test_conjugate_is_infinite_exactly_outside_the_range_of_slopes(loss):
    for y in targets(loss):
        for bound in domain(loss, y):
            if math.isfinite(bound):
                assert math.isfinite(conjugate(loss, y, bound))
                outward = 0.01 if bound >= 0.0 and bound == max(domain(loss, y)) else -0.01
                assert conjugate(loss, y, bound + outward) == math.inf
            else:
                assert math.isfinite(conjugate(loss, y, math.copysign(1e3, bound)))


@every_loss
def test_zero_is_a_dual_point_for_every_target(loss):
    for y in targets(loss):
        assert math.isfinite(conjugate(loss, y, 0.0))


@every_loss
def test_fenchel_and_young_agree_at_the_slope(loss):
    for y, eta in points(loss):
        u = slope(loss, y, eta)
        assert value(loss, y, eta) + conjugate(loss, y, u) == pytest.approx(u * eta, rel=1e-12, abs=1e-12)


@every_loss
def test_fenchel_and_young_never_cross(loss):
    rng = np.random.default_rng(0)
    for y in targets(loss):
        for eta, share in rng.uniform(-5.0, 5.0, size=(50, 2)):
            low, high = (np.clip(b, -4.0, 4.0) for b in domain(loss, y))
            u = low + (share + 5.0) / 10.0 * (high - low)
            assert value(loss, y, eta) + conjugate(loss, y, u) >= u * eta - 1e-12


@every_loss
@pytest.mark.parametrize("eta", [-1e300, -1e3, 1e3, 1e300])
def test_no_extreme_score_gives_nan(loss, eta):
    for y in targets(loss):
        found = value(loss, y, eta)
        assert not any(map(math.isnan, (found, slope(loss, y, eta), curvature(loss, y, eta))))
        if is_smooth(loss) and largest_curvature(loss) == math.inf:  # an exponential may overflow
            continue
        assert math.isfinite(slope(loss, y, eta))
        assert math.isfinite(curvature(loss, y, eta))
        if abs(eta) <= 1e3 or all(map(math.isfinite, domain(loss, y))):  # a square may overflow, a line may not
            assert math.isfinite(found)


@every_loss
def test_compiled_and_plain_loops_agree(loss):
    y, eta = (np.array(column) for column in zip(*points(loss)))
    s = np.linspace(0.5, 2.0, y.size)
    u = np.array([slope(loss, a, b) for a, b in zip(y, eta)])
    for loop, second in ((sum_of_values, eta), (sum_of_conjugates, u)):
        assert loop(loss, y, second, s) == pytest.approx(loop.py_func(loss, y, second, s), rel=1e-13)
    for loop in (fill_slopes, fill_curvatures):
        fast, slow = np.empty(y.size), np.empty(y.size)
        loop(loss, y, eta, fast)
        loop.py_func(loss, y, eta, slow)
        assert_allclose(fast, slow, rtol=1e-14)


@every_loss
def test_a_row_of_no_weight_adds_nothing_whatever_it_holds(loss):
    y = np.array([0.3, 0.3])
    far, s = np.array([0.1, 1e200]), np.array([1.0, 0.0])
    assert sum_of_values(loss, y, far, s) == value(loss, 0.3, 0.1)
    # a compiled sum may fuse a product with an addition
    assert sum_of_conjugates(loss, y, far, s) == pytest.approx(conjugate(loss, 0.3, 0.1), rel=4e-16)


@every_loss
def test_a_loss_of_the_residual_says_so(loss):
    first = targets(loss)[0]
    shifted = all(
        value(loss, y, eta) == pytest.approx(value(loss, first, eta - (y - first)), rel=1e-13)
        and conjugate(loss, y, 0.05) == pytest.approx(conjugate(loss, first, 0.05) + 0.05 * (y - first), rel=1e-13)
        for y, eta in points(loss)
    )
    assert is_of_residual(loss) is shifted


@pytest.mark.mission("PC-11")
def test_the_perceptron_criterion_is_piecewise_linear_and_the_count_of_mistakes_has_no_slope():
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((30, 3)), rng.choice([-1.0, 1.0], 30)

    def criterion(w):
        return sum(value(Hinge(0.0), a, b) for a, b in zip(y, X @ w))

    def mistakes(w):
        return np.sum(y * (X @ w) <= 0.0)

    for w in rng.standard_normal((20, 3)):
        wrong = y * (X @ w) <= 0.0
        assert criterion(w) == pytest.approx(-(y * (X @ w))[wrong].sum(), rel=1e-12)
        g = X.T @ [slope(Hinge(0.0), a, b) for a, b in zip(y, X @ w)]
        h = 0.1 * np.abs(X @ w).min() / np.linalg.norm(X, axis=1).max()  # no score changes its sign within h of w
        for j, axis in enumerate(np.eye(3)):
            difference = (criterion(w + h * axis) - criterion(w - h * axis)) / (2.0 * h)
            assert g[j] == pytest.approx(difference, rel=1e-9, abs=1e-9)
            assert mistakes(w + h * axis) == mistakes(w - h * axis) == wrong.sum()


@pytest.mark.mission("PC-11")
def test_a_score_of_zero_is_a_mistake():
    assert slope(Hinge(0.0), 1.0, 0.0) == -1.0
    assert slope(Hinge(0.0), -1.0, 0.0) == 1.0


@pytest.mark.parametrize("y", [0.0, 0.25, 1.0])
@pytest.mark.parametrize("eta", [-745.0, -40.0, -1e-9, 0.0, 0.3, 40.0, 700.0])
def test_the_logistic_loss_keeps_its_digits_when_it_is_sure(y, eta):
    with mp.workdps(400):
        mu = 1 / (1 + mp.exp(-mp.mpf(eta)))
        true_value = mp.log(1 + mp.exp(mp.mpf(eta))) - mp.mpf(y) * eta
        assert value(Logistic(), y, eta) == pytest.approx(float(true_value), rel=1e-14)
        assert slope(Logistic(), y, eta) == pytest.approx(float(mu - y), rel=1e-14, abs=0.0)
        assert curvature(Logistic(), y, eta) == pytest.approx(float(mu * (1 - mu)), rel=1e-14)


@pytest.mark.parametrize("y, u", [(1.0, -1e-17), (0.0, 1e-17), (1.0, -0.3), (0.25, 0.5), (1.0, -1.0), (0.0, 0.0)])
def test_the_logistic_conjugate_keeps_its_digits_near_the_ends(y, u):
    with mp.workdps(60):
        mu = mp.mpf(y) + mp.mpf(u)
        true = sum(t * mp.log(t) for t in (mu, 1 - mu) if t > 0)
        assert conjugate(Logistic(), y, u) == pytest.approx(float(true), rel=1e-13, abs=0.0)


def true_loss(loss, y, eta):
    """The losses of means and probabilities by their textbook formulas, in the precision of mpmath."""
    y, eta = mp.mpf(y), mp.mpf(eta)
    mu = mp.exp(eta)
    if isinstance(loss, Poisson):
        return mu - y * eta - y + (y * mp.log(y) if y else 0)
    if isinstance(loss, Gamma):
        return y / mu - 1 - mp.log(y / mu)
    if isinstance(loss, Tweedie):
        p = mp.mpf(loss.power)
        least = y ** (2 - p) / ((1 - p) * (2 - p)) if y else 0
        return mu ** (2 - p) / (2 - p) - y * mu ** (1 - p) / (1 - p) + least
    chance = mp.ncdf(eta) if isinstance(loss, Probit) else -mp.expm1(-mu)
    other = mp.ncdf(-eta) if isinstance(loss, Probit) else mp.exp(-mu)
    return -sum(share * mp.log(p) for share, p in ((y, chance), (1 - y, other)) if share)


OF_MEANS = [Poisson(), Gamma(), Tweedie(1.5), Tweedie(1.1), Tweedie(3.0), Probit(), ComplementaryLogLog()]


@pytest.mark.parametrize("loss", OF_MEANS, ids=str)
def test_losses_of_means_are_the_textbook_formulas_to_the_last_digits(loss):
    near = [(y, math.log(y) + d) for y in (0.3, 1.0, 1e6) for d in (1e-9, -1e-5, 0.1, -2.0)]
    shares = [(y, eta) for y in (0.0, 0.25, 1.0) for eta in (-30.0, -7.3, -5.1, -4.9, -1e-9, 0.4, 3.0, 6.0)]
    for y, eta in shares if isinstance(loss, Probit | ComplementaryLogLog) else near:
        if isinstance(loss, ComplementaryLogLog) and y < 1.0 and eta > 5.0:
            continue
        with mp.workdps(400):
            true = true_loss(loss, y, eta)
            step = mp.mpf(10) ** -80
            slopes = [(true_loss(loss, y, mp.mpf(eta) + s * step) - true) / (s * step) for s in (1, -1)]
            # eta - log y is rounded: the loss moves by its slope times that
            rounding = abs(slopes[0]) * 4e-16 * (abs(eta) + abs(math.log(y) if y else 0.0))
        assert abs(value(loss, y, eta) - true) <= 4e-15 * abs(true) + rounding
        size = abs(slopes[0]) + (mp.exp((2 - mp.mpf(getattr(loss, "power", 1.0))) * eta) if y > 1.0 else 1)
        assert abs(slope(loss, y, eta) - sum(slopes) / 2) <= 1e-14 * size * (1 + abs(eta))


@pytest.mark.parametrize("loss", OF_MEANS, ids=str)
def test_information_is_the_expected_curvature(loss):
    binary = isinstance(loss, Probit | ComplementaryLogLog)
    for eta in (-8.0, -1.0, -0.2, 0.3, 1.1):
        if binary:
            chance = float(mp.ncdf(eta)) if isinstance(loss, Probit) else -math.expm1(-math.exp(eta))
            expected = chance * curvature(loss, 1.0, eta) + (1.0 - chance) * curvature(loss, 0.0, eta)
        else:  # the curvature is affine in y
            expected = curvature(loss, math.exp(eta), eta)
        assert information(loss, 0.5, eta) == pytest.approx(expected, rel=1e-10)


@pytest.mark.parametrize("loss", [Tweedie(1.5), Probit(), ComplementaryLogLog()], ids=str)
def test_a_conjugate_that_is_searched_for_is_never_below_the_supremum(loss):
    rng = np.random.default_rng(0)
    for y in targets(loss):
        for eta in rng.uniform(-6.0, 3.0, 20):
            u = slope(loss, y, eta)
            with mp.workdps(60):
                best = mp.findroot(lambda e, y=y, u=u: mp.diff(lambda v: true_loss(loss, y, v), e) - u, eta)
                true = u * best - true_loss(loss, y, best)
            assert conjugate(loss, y, u) >= float(true) - 4e-16 * (abs(u * eta) + value(loss, y, eta))
