"""Laws of the perceptron, on small random sets of integer points: every number here is exact."""

import warnings
from contextlib import contextmanager

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from separatrix.core.errors import NotSeparated
from separatrix.linear_model import Perceptron

# Integer weights and integer points keep every score exact, so that no mistake hangs on rounding.
points = st.integers(2, 12).flatmap(
    lambda n: st.tuples(
        st.lists(st.tuples(*[st.integers(-6, 6)] * 2), min_size=n, max_size=n), st.integers(0, 2**31), st.integers(1, 4)
    )
)


@contextmanager
def quiet():
    """Points that no line separates are expected here."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NotSeparated)
        yield


def make(drawn, separable):
    """Points of both classes: labelled by a random integer line (points on it left out), or at random."""
    rows, seed, _ = drawn
    X, rng = np.array(rows, dtype=float), np.random.default_rng(seed)
    if not separable:
        return X, np.append([-1, 1], rng.choice([-1, 1], len(X) - 2))
    w = rng.integers(-3, 4, 3)
    score = X @ w[:2] + w[2]
    X, y = X[score != 0], np.sign(score[score != 0]).astype(int)
    return (X, y) if len(np.unique(y)) == 2 else (None, None)


@pytest.mark.mission("PC-06")
@settings(max_examples=150, deadline=None)
@given(points, st.booleans())
def test_mistakes_never_exceed_the_bound(drawn, batch):
    X, y = make(drawn, separable=True)
    if X is None:
        return
    model = Perceptron(tol=None, max_iter=100_000, random_state=drawn[1], updates="batch" if batch else "point")
    model.fit(X, y)
    assert model.converged_
    assert model.mistakes_ <= model.mistake_bound(X, y) * (1 + 1e-9)
    own = (model.coef_[0], model.intercept_[0])
    assert model.mistake_bound(X, y) <= model.mistake_bound(X, y, separator=own) * (1 + 1e-9)


@pytest.mark.mission("PC-12")
@settings(max_examples=60, deadline=None)
@given(points, st.sampled_from([0.125, 0.5, 4.0]), st.booleans())
def test_from_zero_the_step_only_scales_the_weights(drawn, eta, separable):
    X, y = make(drawn, separable)
    if X is None:
        return
    with quiet():
        one = Perceptron(tol=None, max_iter=25, random_state=0).fit(X, y)
        other = Perceptron(tol=None, max_iter=25, random_state=0, eta0=eta).fit(X, y)
    np.testing.assert_array_equal(other.counts_, one.counts_)
    np.testing.assert_array_equal(other.coef_, eta * one.coef_)
    np.testing.assert_array_equal(other.intercept_, eta * one.intercept_)


@pytest.mark.mission("PC-12")
def test_a_tenth_and_one_make_the_same_mistakes_from_zero_but_not_from_elsewhere():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((80, 3))
    y = np.where(X @ [1.0, -1.0, 2.0] > 0.1, 1, -1)
    fits = [Perceptron(tol=None, eta0=eta).fit(X, y) for eta in (0.1, 1.0)]
    np.testing.assert_array_equal(fits[0].counts_, fits[1].counts_)
    np.testing.assert_allclose(10.0 * fits[0].coef_, fits[1].coef_, rtol=1e-10)
    start = {"coef_init": [-1.0, 3.0, 0.5], "intercept_init": 1.0}
    fits = [Perceptron(tol=None, eta0=eta).fit(X, y, **start) for eta in (0.1, 1.0)]
    assert (fits[0].counts_ != fits[1].counts_).any()
    ratios = fits[1].coef_ / fits[0].coef_
    assert np.ptp(ratios) > 1e-3


@pytest.mark.mission("PC-05", "PC-14")
@settings(max_examples=60, deadline=None)
@given(points, st.booleans())
def test_dual_and_stream_are_the_primal_pass(drawn, separable):
    X, y = make(drawn, separable)
    if X is None:
        return
    with quiet():
        model = Perceptron(tol=None, max_iter=drawn[2], shuffle=False).fit(X, y)
    np.testing.assert_array_equal(model.dual_decision_function(X, X), model.decision_function(X))
    np.testing.assert_array_equal(model.coef_[0], (model.counts_ * y) @ X)
    stream = Perceptron()
    for _ in range(model.n_iter_):
        for x, label in zip(X, y):
            stream.partial_fit([x], [label], classes=[-1, 1])
    np.testing.assert_array_equal(stream.coef_, model.coef_)
    assert stream.mistakes_ == model.mistakes_


@pytest.mark.mission("PC-01")
@settings(max_examples=60, deadline=None)
@given(points)
def test_swapping_the_classes_turns_the_weights_round(drawn):
    X, y = make(drawn, separable=False)
    with quiet():
        model = Perceptron(tol=None, max_iter=20).fit(X, y)
        turned = Perceptron(tol=None, max_iter=20).fit(X, -y)
    np.testing.assert_array_equal(turned.coef_, -model.coef_)
    np.testing.assert_array_equal(turned.counts_, model.counts_)
