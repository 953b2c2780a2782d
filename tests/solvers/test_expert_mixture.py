"""Slopes and curvatures of a mixture's likelihood are derivatives of its value; steps stay within a trust radius."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from separatrix.designs import as_design
from separatrix.losses import Logistic, Softmax, Squared
from separatrix.solvers.expert_mixture import Experts, Mixture, curvature_of, gradient_of
from separatrix.solvers.trust_region import trusted_step

RNG = np.random.default_rng(0)
TARGETS = {
    "numbers": (4.0 * RNG.standard_normal(50), Squared(), 1),
    "two classes": ((RNG.random(50) < 0.5).astype(float), Logistic(), 1),
    "three classes": (np.eye(3)[RNG.integers(0, 3, 50)], Softmax(), 3),
}


@pytest.mark.parametrize("kind", TARGETS)
def test_slopes_are_derivatives_of_the_value_and_curvatures_of_the_slopes(kind):
    y, loss, o = TARGETS[kind]
    rng, K, p = np.random.default_rng(1), 3, 2
    X, s = 5.0 + 3.0 * rng.standard_normal((50, p)), rng.integers(1, 4, 50).astype(float)
    mixture = Mixture(as_design(X), y, s, loss, 0.3, 0.7)
    V, W = 0.3 * rng.standard_normal((p, K)), 0.3 * rng.standard_normal((p, K, o))
    variances = np.exp(rng.standard_normal(K)) if kind == "numbers" else np.ones(K)
    at = Experts(V, rng.standard_normal(K), W, rng.standard_normal((K, o)), variances)
    point, h = mixture.flat(at), 1e-5

    def differences(of):
        moves = h * np.eye(len(point))
        ends = [[of(mixture.shaped(point + sign * move, at)) for move in moves] for sign in (1, -1)]
        return (np.array(ends[0]) - np.array(ends[1])) / (2.0 * h)

    # central differences err by h² and by rounding over h, each in units of the largest entry
    g, H = gradient_of(mixture, at), curvature_of(mixture, at)
    falling = differences(lambda there: -mixture.expect(there)[1] / mixture.total)
    assert_allclose(g, falling, rtol=0.0, atol=1e-8 * np.abs(g).max())
    assert_allclose(H, differences(lambda there: gradient_of(mixture, there)), rtol=0.0, atol=1e-8 * np.abs(H).max())


@pytest.mark.parametrize("radius", [0.1, 1.0, 10.0])
def test_no_point_within_the_radius_is_lower_than_the_trusted_step(radius):
    rng = np.random.default_rng(2)
    for bends in ([2.0, 0.5, 3.0], [2.0, -1.0, 0.3], [-1.0, -2.0, -0.1]):
        bends, g = np.array(bends), rng.standard_normal(3)
        step, fall = trusted_step(bends, g, radius)
        points = rng.standard_normal((20_000, 3))
        points *= radius * rng.random((20_000, 1)) ** (1 / 3) / np.linalg.norm(points, axis=1, keepdims=True)
        lowest = (points @ g + 0.5 * (points**2) @ bends).min()
        assert np.linalg.norm(step) <= radius * (1.0 + 1e-9)
        assert -fall <= lowest + 1e-9 * radius and -fall == pytest.approx(step @ g + 0.5 * step**2 @ bends)
