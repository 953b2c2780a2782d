"""Residual sums after a small step, from the sums before it and X'X: as exact as a new read of X."""

import numpy as np
import pytest

from separatrix.core.extended import Pair
from separatrix.core.target import Target
from separatrix.designs import as_design
from separatrix.designs.residual_sums import moved_sums, residual_sums


def pair(values):
    return Pair(np.asarray(values, dtype=np.float64), np.zeros(np.shape(values)))


@pytest.fixture
def data():
    rng = np.random.default_rng(5)
    X = rng.standard_normal((200, 4)) + np.array([0.0, 3.0, -20.0, 0.0])
    Y = rng.standard_normal((200, 2)) + X[:, :2]
    return as_design(X), Target(Y, rng.uniform(0.1, 2.0, 200)), rng


@pytest.mark.parametrize("about_mean", [True, False])
@pytest.mark.parametrize("unit", [1.0, 4.0])
def test_a_small_step_gives_the_sums_of_a_new_read(data, about_mean, unit):
    design, target, rng = data
    beta, b0 = rng.standard_normal((4, 2)), rng.standard_normal(2) * about_mean
    step, step0 = 1e-6 * rng.standard_normal((4, 2)), 1e-6 * rng.standard_normal(2) * about_mean
    before = residual_sums(design, target, pair(beta), pair(b0), doubled=True)
    wanted = residual_sums(
        design, target, pair((beta + step) / unit), pair((b0 + step0) / unit), doubled=True, unit=unit
    )
    m = design.moments(target, about_mean=about_mean)
    moved = moved_sums(
        m, pair(beta), pair(b0), 1.0, before, pair((beta + step) / unit), pair((b0 + step0) / unit), unit
    )
    # the step is a millionth, and so are the errors of X'SX d beside the rounding of g itself
    np.testing.assert_allclose(moved.g, wanted.g, rtol=0, atol=8.0 * 2.2e-16 * np.abs(before.g).max() / unit)
    np.testing.assert_allclose(moved.rss, wanted.rss, rtol=1e-13)
    if about_mean:
        np.testing.assert_allclose(moved.g0, wanted.g0, rtol=0, atol=1e-13 * np.abs(wanted.g).max())


def test_a_large_step_and_unknown_products_need_a_read(data):
    design, target, rng = data
    beta, b0 = rng.standard_normal((4, 2)), np.zeros(2)
    sums = residual_sums(design, target, pair(beta), pair(b0), doubled=False)
    far, near = pair(beta + 1.0), pair(beta + 1e-9)
    assert moved_sums(design.moments(target), pair(beta), pair(b0), 1.0, sums, far, pair(b0), 1.0) is None
    squares = design.moments(target, gram=False)
    assert moved_sums(squares, pair(beta), pair(b0), 1.0, sums, near, pair(b0), 1.0) is None


def test_the_certificate_of_least_squares_costs_no_read_of_x(monkeypatch):
    from separatrix.designs.dense import DenseDesign
    from separatrix.linear_model import LinearRegression

    rng = np.random.default_rng(0)
    X = rng.standard_normal((20_000, 8))
    y = X @ np.ones(8) + rng.standard_normal(20_000)
    passes, reduce = [], DenseDesign.reduce

    def counted(self, *args, **kwargs):
        passes.append(1)
        return reduce(self, *args, **kwargs)

    monkeypatch.setattr(DenseDesign, "reduce", counted)
    certificate = LinearRegression().fit(X, y).certificate_
    assert len(passes) == 2  # moments, and one refinement
    assert 0.0 < certificate.value < 1e-20
