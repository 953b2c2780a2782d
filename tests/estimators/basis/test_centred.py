"""Gaussian bumps and sigmoidal steps around centres."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from separatrix.preprocessing import GaussianBasis, SigmoidBasis

BOTH = pytest.mark.parametrize("Basis", [GaussianBasis, SigmoidBasis])


@pytest.mark.mission("BE-03")
def test_a_gaussian_has_height_one_and_no_normalising_constant():
    out = GaussianBasis([0.0], width=0.5).fit_transform([[-1.0], [0.0], [1.0]])
    assert_allclose(out[:, 0], [0.1353352832366127, 1.0, 0.1353352832366127], rtol=1e-15)


@pytest.mark.mission("BE-04")
def test_a_sigmoid_increases():
    out = SigmoidBasis([0.0], width=0.5).fit_transform([[-1.0], [0.0], [1.0]])
    assert_allclose(out[:, 0], [0.11920292202211755, 0.5, 0.8807970779778823], rtol=1e-15)


@pytest.mark.mission("BE-04")
def test_with_a_constant_the_decreasing_sigmoids_span_the_same_functions():
    x = np.linspace(-2.0, 3.0, 40)[:, None]
    up = SigmoidBasis(5, include_bias=True).fit_transform(x)
    down = np.column_stack([np.ones(40), 1.0 - up[:, 1:]])
    assert np.linalg.matrix_rank(np.hstack([up, down])) == np.linalg.matrix_rank(up) == 6


@pytest.mark.mission("BE-03")
def test_twenty_four_gaussians_of_width_a_tenth_on_the_unit_interval():
    x = np.linspace(0.0, 1.0, 25)
    basis = GaussianBasis(24, width=0.1, include_bias=True).fit(x[:, None])
    out = basis.transform(x[:, None])
    assert out.shape == (25, 25)
    assert_array_equal(out[:, 0], 1.0)
    centers = np.arange(24) / 23
    assert_allclose(basis.centers_, [centers], atol=1e-15)
    assert_allclose(out[:, 1:], np.exp(-((x[:, None] - centers) ** 2) / (2 * 0.1**2)), rtol=1e-12)


@BOTH
def test_centres_and_width_are_learnt_for_each_feature_and_kept_for_new_rows(Basis):
    X = np.array([[0.0, -10.0], [1.0, 30.0], [4.0, 10.0]])
    basis = Basis(5).fit(X)
    assert_allclose(basis.centers_, [[0, 1, 2, 3, 4], [-10, 0, 10, 20, 30]])
    assert_allclose(basis.width_, [1.0, 10.0])
    scaled = basis.transform([[2.0, 10.0], [7.0, 60.0]])
    assert_allclose(scaled[:, :5], scaled[:, 5:], rtol=1e-14)  # both features in units of their own spacing
    assert list(basis.get_feature_names_out(["a", "b"])[[0, 9]]) == [f"a_{Basis._suffix}_0", f"b_{Basis._suffix}_4"]


@BOTH
def test_given_centres_serve_each_feature(Basis):
    basis = Basis([0.0, 1.0, 5.0]).fit([[0.0, 3.0], [1.0, 1.0]])
    assert_array_equal(basis.centers_, [[0, 1, 5], [0, 1, 5]])
    assert_array_equal(basis.width_, [2.5, 2.5])


def test_centres_in_the_plane_make_round_bumps():
    centers = np.array([[0.0, 0.0], [3.0, 4.0], [0.0, 1.0]])
    X = np.array([[0.0, 0.0], [3.0, 4.0], [1.0, -1.0]])
    basis = GaussianBasis(centers, width=2.0, include_bias=True).fit(X)
    squared = ((X[:, None, :] - centers) ** 2).sum(axis=2)
    assert_allclose(basis.transform(X), np.column_stack([np.ones(3), np.exp(-squared / 8.0)]), rtol=1e-15)
    assert list(basis.get_feature_names_out()) == ["1", "gauss_0", "gauss_1", "gauss_2"]
    assert GaussianBasis(centers).fit(X).width_ == pytest.approx((1.0 + 1.0 + np.sqrt(18.0)) / 3.0)
    assert GaussianBasis([[1.0, 2.0]]).fit(X).width_ == 1.0


def test_round_bumps_do_not_cancel_far_from_the_origin():
    shift = 2.0**40
    centers, x = np.array([[0.0, 0.0], [1.0, 1.0]]), np.array([[0.5, 0.25]])
    near = GaussianBasis(centers, width=1.0).fit_transform(x)
    assert_array_equal(near, GaussianBasis(centers + shift, width=1.0).fit_transform(x + shift))


@BOTH
@pytest.mark.filterwarnings("error")
def test_extreme_inputs_reach_the_limits_without_nan_or_warning(Basis):
    big = 1.7e308
    limits = [[0.0], [0.0]] if Basis is GaussianBasis else [[0.0], [1.0]]
    assert_array_equal(Basis([0.0], width=1e-300).fit_transform([[-big], [big]]), limits)
    learnt = Basis(3).fit_transform([[-big], [0.0], [big]])  # the range itself is beyond the greatest number
    assert np.isfinite(learnt).all()


def test_the_tail_of_a_sigmoid_keeps_its_digits():
    out = SigmoidBasis([0.0], width=1.0).fit_transform([[-700.0], [-40.0]])
    assert_allclose(out[:, 0], np.exp([-700.0, -40.0]), rtol=1e-13)


@BOTH
def test_a_constant_feature_gets_finite_columns(Basis):
    assert np.isfinite(Basis(4).fit_transform(np.full((3, 1), 7.0))).all()


@BOTH
@pytest.mark.parametrize(
    ("setting", "kind", "words"),
    [
        ({"centers": 0}, ValueError, "centers=0"),
        ({"centers": 2.5}, TypeError, "centers=2.5"),
        ({"centers": []}, ValueError, "centers"),
        ({"centers": ["a"]}, ValueError, "centers"),
        ({"centers": [0.0, np.nan]}, ValueError, "finite"),
        ({"centers": [[[0.0]]]}, ValueError, "dimension"),
        ({"width": 0.0}, ValueError, "width=0.0"),
        ({"width": "wide"}, TypeError, "width='wide'"),
        ({"include_bias": 1}, ValueError, "include_bias=1"),
    ],
    ids=str,
)
def test_a_bad_parameter_is_named_with_what_to_do_instead(Basis, setting, kind, words):
    with pytest.raises(kind, match=words) as caught:
        Basis(**setting).fit(np.zeros((3, 2)))
    assert "Use " in str(caught.value)


def test_centres_of_another_space_are_refused():
    with pytest.raises(ValueError, match="X has 2 features"):
        GaussianBasis(np.zeros((4, 3))).fit(np.zeros((5, 2)))
    with pytest.raises(ValueError, match="1 dimension"):
        SigmoidBasis(np.zeros((4, 2))).fit(np.zeros((5, 2)))
