"""The geometry of a linear decision: LIN-01 to LIN-06."""

import math

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import LinearRegression as Reference
from sklearn.linear_model import LogisticRegression

from separatrix.decision import Hyperplane

try:
    from separatrix.linear_model import LinearRegression
except ImportError:
    LinearRegression = Reference

number = st.floats(-100.0, 100.0).map(lambda v: round(v, 3))


@st.composite
def planes(draw):
    p = draw(st.integers(1, 5))
    normal = draw(arrays(float, p, elements=number).filter(lambda w: np.abs(w).max() >= 0.01))
    return Hyperplane(normal, draw(number)), draw(arrays(float, (4, p), elements=number))


@pytest.mark.mission("LIN-01")
@settings(deadline=None)
@given(planes(), st.floats(-3.0, 3.0), st.floats(-3.0, 3.0))
def test_the_score_of_a_weighted_average_is_the_weighted_average_of_scores(drawn, a, b):
    """Holds for a + b = 1; otherwise it is off by exactly (1 - a - b) w0."""
    plane, X = drawn
    x1, x2 = X[:1], X[1:2]
    size = 1e-12 * (1.0 + (np.abs(X[:2]).sum() * np.abs(plane.normal).max() + abs(plane.offset)) * 10.0)
    f1, f2 = plane.score(x1)[0], plane.score(x2)[0]
    assert plane.score(a * x1 + (1.0 - a) * x2)[0] == pytest.approx(a * f1 + (1.0 - a) * f2, abs=size)
    missed = plane.score(a * x1 + b * x2)[0] - (a * f1 + b * f2)
    assert missed == pytest.approx((1.0 - a - b) * plane.offset, abs=size)


@pytest.mark.mission("LIN-01")
def test_intercept_slope_and_normal_are_those_of_the_affine_function():
    plane = Hyperplane([2.0, -1.0], 3.0)
    assert plane.score([[0.0, 0.0]]) == 3.0
    assert_array_equal(plane.score(np.eye(2)) - 3.0, plane.normal)
    assert plane.score([[1.0, 5.0]]) == 0.0
    assert (2.0 * plane.score([[1.0, 1.0]]) != plane.score([[2.0, 2.0]])).all(), "affine is not linear when w0 is not 0"


@pytest.mark.mission("LIN-02")
def test_the_distance_from_the_origin_is_the_golden_one():
    """G019: x1 + x2 - 0.5 = 0."""
    plane = Hyperplane([1.0, 1.0], -0.5)
    assert plane.distance_from_origin == pytest.approx(0.35355339059327373, abs=1e-15)
    assert plane.signed_distance_from_origin == pytest.approx(0.35355339059327373, abs=1e-15)
    mirrored = Hyperplane([1.0, 1.0], 0.5)
    assert mirrored.signed_distance_from_origin == pytest.approx(-0.35355339059327373, abs=1e-15)
    assert mirrored.distance_from_origin == pytest.approx(0.35355339059327373, abs=1e-15)
    assert np.linalg.norm(plane.foot) == pytest.approx(plane.distance_from_origin, rel=1e-15)
    assert plane.contains([plane.foot]).all()


@pytest.mark.mission("LIN-03")
def test_signed_distances_are_the_golden_ones():
    """G019."""
    plane = Hyperplane([1, 1], -0.5)
    found = plane.signed_distance([[0.4, 0.05], [-0.2, 0.75]])
    assert_allclose(found, [-0.035355339059327376, 0.035355339059327376], rtol=1e-14)
    assert_array_equal(plane.side([[0.4, 0.05], [-0.2, 0.75]]), [-1, 1])


@pytest.mark.mission("LIN-03")
@settings(deadline=None)
@given(planes())
def test_projecting_a_point_gives_score_zero_and_moves_it_by_its_distance(drawn):
    plane, X = drawn
    feet = plane.project(X)
    distances = plane.signed_distance(X)
    size = np.abs(X).max() + plane.distance_from_origin + 1e-9
    assert plane.contains(feet, atol=4e-16 * X.shape[1] * size).all()
    assert_allclose(np.linalg.norm(X - feet, axis=1), np.abs(distances), atol=1e-14 * size * 10)
    assert_allclose(feet + np.outer(distances, plane.unit_normal), X, atol=1e-14 * size * 10)


@pytest.mark.mission("LIN-03")
def test_a_point_very_far_away_is_still_projected_onto_the_surface():
    plane = Hyperplane([0.3, -1.7, 0.9], 0.4)
    feet = plane.project(plane.foot + np.outer([-1e9, 1e6, 1e9], plane.unit_normal))
    assert_allclose(plane.signed_distance(feet), 0.0, atol=1e-14)


@pytest.mark.mission("LIN-03")
def test_no_point_of_the_surface_is_nearer_than_the_projection():
    plane = Hyperplane([1.0, -2.0, 0.5], 3.0)
    x = np.array([[4.0, 1.0, -2.0]])
    others = plane.points(500, spread=5.0, random_state=0)
    assert np.linalg.norm(others - x, axis=1).min() >= abs(plane.signed_distance(x)[0])


def test_distances_do_not_depend_on_the_length_of_the_normal():
    X = np.random.default_rng(0).normal(size=(5, 3))
    plane = Hyperplane([1.0, 2.0, -2.0], 0.7)
    for factor in (1e-200, 1e-3, 1e200):
        scaled = Hyperplane(factor * plane.normal, factor * plane.offset)
        assert_allclose(scaled.signed_distance(X), plane.signed_distance(X), rtol=1e-13)
        assert_allclose(scaled.project(X), plane.project(X), rtol=1e-13, atol=1e-15)


@pytest.mark.mission("LIN-04")
def test_the_bias_is_a_threshold():
    """G100: with w0 = -7 a point is in the first class when w·x >= 7, and 7 itself is."""
    plane = Hyperplane([1.0], -7.0)
    assert plane.threshold == 7.0
    assert_array_equal(plane.side([[6.9], [7.0], [7.1]]) == 1, [False, True, True])


@pytest.mark.mission("LIN-05")
@pytest.mark.parametrize("fit", [LinearDiscriminantAnalysis(), LogisticRegression()], ids=["lda", "logistic"])
def test_the_normal_is_orthogonal_to_every_direction_in_the_surface(fit):
    rng = np.random.default_rng(0)
    X = np.vstack([rng.normal(size=(40, 3)), rng.normal(size=(40, 3)) + np.array([1.0, 2.0, 0.0])])
    plane = Hyperplane.of(fit.fit(X, np.repeat([0, 1], 40)))
    A, B = plane.points(20, random_state=1), plane.points(20, random_state=2)
    assert_allclose(fit.decision_function(A), 0.0, atol=1e-12)
    assert np.abs((A - B) @ plane.normal).max() < 1e-12
    assert np.linalg.norm(A - B, axis=1).min() > 0.01


@pytest.mark.mission("LIN-05")
@settings(deadline=None)
@given(planes())
def test_directions_within_any_surface_are_orthogonal_to_the_unit_normal(drawn):
    plane, X = drawn
    feet = plane.project(X)
    size = 1.0 + np.abs(feet).max()
    assert np.abs((feet[1:] - feet[0]) @ plane.unit_normal).max() < 1e-13 * size


@pytest.mark.mission("LIN-06")
@settings(deadline=None)
@given(planes())
def test_homogeneous_coordinates_give_the_same_scores(drawn):
    plane, X = drawn
    size = np.abs(X).max() * np.abs(plane.normal).sum() + abs(plane.offset) + 1.0
    assert_allclose(plane.augment(X) @ plane.homogeneous, plane.score(X), atol=1e-14 * size)
    again = Hyperplane.from_homogeneous(plane.homogeneous)
    assert_array_equal(again.normal, plane.normal)
    assert again.offset == plane.offset


@pytest.mark.mission("LIN-06")
def test_fitting_with_an_augmented_column_gives_the_same_predictions():
    rng = np.random.default_rng(3)
    X, new = rng.normal(size=(60, 4)), rng.normal(size=(10, 4))
    y = X @ [1.0, -2.0, 0.0, 0.5] + 4.0 + rng.normal(size=60)
    plain = LinearRegression().fit(X, y)
    augmented = LinearRegression(fit_intercept=False).fit(Hyperplane.augment(X), y)
    assert_allclose(augmented.predict(Hyperplane.augment(new)), plain.predict(new), rtol=1e-12)
    assert_allclose(augmented.coef_, Hyperplane.of(plain).homogeneous, rtol=1e-11)


def test_a_point_on_the_surface_counts_as_positive():
    assert_array_equal(Hyperplane([1.0, -1.0]).side([[2.0, 2.0], [0.0, 0.0], [1.0, 1.5]]), [1, 1, -1])


def test_contains_takes_a_distance():
    plane = Hyperplane([0.0, 2.0], -2.0)
    assert_array_equal(plane.contains([[9.0, 1.0], [9.0, 1.05], [9.0, 1.2]], atol=0.1), [True, True, False])
    assert_array_equal(plane.contains([[9.0, 1.0], [9.0, 1.0 + 1e-12]]), [True, False])


def test_sparse_rows_are_measured_without_being_made_dense():
    X = sp.random_array((6, 4), density=0.5, rng=np.random.default_rng(0)).tocsr()
    plane = Hyperplane([1.0, 2.0, 3.0, -4.0], 0.5)
    full = X.toarray()
    assert_allclose(plane.signed_distance(X), plane.signed_distance(full), rtol=1e-14)
    assert_allclose(plane.project(X), plane.project(full), atol=1e-14)
    assert_array_equal(plane.contains(X), plane.contains(full))


@pytest.mark.parametrize("normal, offset", [([0.0, 0.0], 1.0), ([math.nan], 0.0), ([1.0], math.inf), ([[1.0]], 0.0)])
def test_an_impossible_hyperplane_is_refused(normal, offset):
    with pytest.raises(ValueError, match=r"Cannot make a Hyperplane.*non-zero normal.*Use"):
        Hyperplane(normal, offset)


def test_points_of_another_dimension_are_refused():
    with pytest.raises(ValueError, match=r"2 dimensions"):
        Hyperplane([1.0, 2.0]).score([[1.0, 2.0, 3.0]])
    with pytest.raises(ValueError, match=r"2 dimensions"):
        Hyperplane([1.0, 2.0]).score([1.0, 2.0])


def test_a_model_of_several_scores_has_no_single_surface():
    X, y = np.random.default_rng(0).normal(size=(90, 2)), np.repeat([0, 1, 2], 30)
    with pytest.raises(ValueError, match=r"3 raw scores"):
        Hyperplane.of(LogisticRegression().fit(X, y))


def test_a_hyperplane_shows_what_it_is_made_of_and_cannot_be_changed_by_accident():
    plane = Hyperplane([1.0, 2.0], 3.0)
    assert repr(plane) == "Hyperplane([1.0, 2.0], 3.0)"
    with pytest.raises(ValueError, match="read-only"):
        plane.normal[0] = 5.0
