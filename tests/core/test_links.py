"""The logistic curve, the logit and the softmax: LG-04, LG-19."""

import math
import warnings

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from separatrix.core.links import logistic, logistic_slope, logit, softmax

FAR = np.array([-1e3, -750.0, -37.0, -1.0, 0.0, 1e-9, 2.0, 37.0, 1e3])


@pytest.mark.mission("LG-04")
def test_the_curve_has_the_golden_values():
    """G076: L = 2, k = 1.5, x0 = 2."""
    found = logistic([-1, 0, 2, 3], height=2.0, steepness=1.5, midpoint=2.0)
    assert_allclose(found, [0.02197388526, 0.09485174636, 1.0, 1.635148952], atol=1e-9)
    assert logistic(2.0, 2.0, 1.5, 2.0) == 1.0


@pytest.mark.mission("LG-04")
def test_far_scores_neither_overflow_nor_lose_digits():
    """Against 50 digits; in the lower tail to full relative precision."""
    with warnings.catch_warnings(), mpmath.workdps(50):
        warnings.simplefilter("error")
        exact = [float(1 / (1 + mpmath.exp(-mpmath.mpf(float(a))))) for a in FAR]
        slopes = [float(mpmath.exp(-abs(a)) / (1 + mpmath.exp(-abs(a))) ** 2) for a in map(mpmath.mpf, FAR.tolist())]
        assert_allclose(logistic(FAR), exact, rtol=1e-15)
        assert_allclose(logistic_slope(FAR), slopes, rtol=1e-14)


@pytest.mark.mission("LG-04")
@given(st.floats(-1e3, 1e3))
def test_the_curve_is_symmetric_about_its_midpoint(a):
    assert logistic(-a) == pytest.approx(1.0 - logistic(a), abs=3e-16)
    assert logistic_slope(-a) == logistic_slope(a)


@pytest.mark.mission("LG-04")
@given(st.floats(-5.0, 5.0), st.floats(0.1, 3.0), st.floats(-2.0, 2.0), st.floats(-2.0, 2.0))
def test_the_slope_is_the_derivative_of_the_curve(x, height, steepness, midpoint):
    shape = {"height": height, "steepness": steepness, "midpoint": midpoint}
    step = 1e-5
    numeric = (logistic(x + step, **shape) - logistic(x - step, **shape)) / (2 * step)
    assert logistic_slope(x, **shape) == pytest.approx(numeric, rel=1e-5, abs=1e-9)
    share = logistic(x, **shape) / height
    assert logistic_slope(x, **shape) == pytest.approx(steepness * height * share * (1 - share), rel=1e-9, abs=1e-15)


@pytest.mark.mission("LG-04")
@given(st.floats(-30.0, 30.0))
def test_the_logit_inverts_the_curve(a):
    assert logit(logistic(a)) == pytest.approx(a, abs=1e-2 if a > 25 else 1e-4 if a > 20 else 1e-7)
    assert logit(logistic(-abs(a))) == pytest.approx(-abs(a), rel=1e-13, abs=1e-15)


@pytest.mark.mission("LG-04")
def test_the_logit_is_the_log_odds_and_infinite_at_the_ends():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert logit(0.75) == pytest.approx(math.log(3.0), rel=1e-15)
        assert_array_equal(logit([0.0, 1.0]), [-math.inf, math.inf])


@pytest.mark.parametrize("p", [-0.1, 1.1, math.nan])
def test_what_is_no_probability_has_no_log_odds(p):
    with pytest.raises(ValueError, match="Cannot take the logit of"):
        logit([0.5, p])


@pytest.mark.mission("LG-19")
def test_the_softmax_of_far_scores_sums_to_one():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for scores in ([1e3, -1e3, 0.0], [1e3, 1e3], [-1e3, -1e3, -1e3], [0.0, -1e3], [1e308, -1e308]):
            P = softmax(scores)
            assert P.sum() == pytest.approx(1.0, abs=1e-15)
            assert np.isfinite(P).all()


@pytest.mark.mission("LG-19")
def test_the_score_far_above_the_others_takes_all_and_so_does_an_infinite_one():
    others = np.array([0.3, -1.0])
    for lead in (1.0, 10.0, 40.0, 1e3):
        P = softmax(np.append(others, lead))
        assert P[2] == pytest.approx(1.0 / (1.0 + np.exp(others - lead).sum()), rel=1e-14)
    assert_array_equal(softmax([0.3, -1.0, 1e3]), [0.0, 0.0, 1.0])
    assert_array_equal(softmax([0.3, math.inf, -math.inf]), [0.0, 1.0, 0.0])
    assert_array_equal(softmax([math.inf, math.inf, 0.0]), [0.5, 0.5, 0.0])


@pytest.mark.mission("LG-19")
@given(st.lists(st.floats(-700.0, 700.0), min_size=2, max_size=5), st.floats(-1e3, 1e3))
def test_a_constant_added_to_all_scores_changes_nothing_and_two_classes_are_the_logistic(scores, constant):
    a = np.array(scores)
    assert_allclose(softmax(a + constant), softmax(a), rtol=1e-9, atol=1e-300)
    assert softmax(a[:2])[1] == pytest.approx(float(logistic(a[1] - a[0])), rel=1e-11, abs=1e-300)
