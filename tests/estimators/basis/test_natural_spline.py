"""Natural cubic splines: R's numbers, the space they span, straight lines outside, and features without a range."""

import json
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.interpolate import CubicSpline

from separatrix.preprocessing import NaturalSpline

ORACLE = json.loads((Path(__file__).parents[2] / "oracles" / "natural_spline.json").read_text())
CASES = {
    "three given knots": {"knots": [2, 4, 6], "boundary_knots": (0, 10)},
    "four columns": {"df": 4},
    "one column": {"df": 1},
    "seven columns inside a narrow boundary": {"df": 7, "boundary_knots": (1, 12)},
}


@pytest.mark.mission("BE-08")
@pytest.mark.parametrize("case", CASES)
def test_knots_and_values_are_those_of_ns_in_r(case):
    x, new = np.array(ORACLE["x"])[:, None], np.array(ORACLE["new"])[:, None]
    expected = ORACLE["cases"][case]
    spline = NaturalSpline(**CASES[case]).fit(x)
    assert_allclose(spline.knots_[0], expected["knots"], rtol=1e-14)
    assert_array_equal(spline.boundary_knots_[0], expected["boundary"])
    # new points lie up to two ranges beyond the boundary, where values are of the order of 10
    assert_allclose(spline.transform(new), expected["values"], atol=2e-14)


@pytest.mark.mission("BE-08")
def test_three_inner_knots_make_four_functions_besides_the_constant():
    x = np.linspace(0.0, 10.0, 50)[:, None]
    H = NaturalSpline(knots=[2.0, 4.0, 6.0], boundary_knots=(0.0, 10.0)).fit_transform(x)
    assert H.shape[1] == 4
    assert np.linalg.matrix_rank(np.column_stack([np.ones(50), H])) == 5


@pytest.mark.mission("BE-08")
def test_beyond_the_boundary_knots_every_function_is_a_straight_line():
    spline = NaturalSpline(df=5).fit(np.linspace(0.0, 10.0, 50)[:, None])
    right, left = spline.transform([[11.0], [12.0], [13.0]]), spline.transform([[-1.0], [-2.0], [-3.0]])
    assert_allclose(right[0] - 2 * right[1] + right[2], 0.0, atol=1e-13)
    assert_allclose(left[0] - 2 * left[1] + left[2], 0.0, atol=1e-13)
    # and it continues the spline without a jump or a kink
    h = 1e-6
    around = spline.transform([[10.0 - h], [10.0], [10.0 + h]])
    assert_allclose(around[1] - around[0], around[2] - around[1], atol=1e-11)


def test_any_natural_cubic_spline_on_the_knots_is_a_combination_of_the_columns():
    knots = np.array([0.0, 2.0, 4.0, 6.0, 10.0])
    truth = CubicSpline(knots, [1.0, -2.0, 0.5, 3.0, -1.0], bc_type="natural")
    x = np.linspace(0.0, 10.0, 80)
    H = np.column_stack([np.ones(80), NaturalSpline(knots=knots[1:-1]).fit_transform(x[:, None])])
    beta = np.linalg.lstsq(H, truth(x), rcond=None)[0]
    assert_allclose(H @ beta, truth(x), atol=1e-13)


def test_each_feature_has_its_own_knots_and_block():
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.normal(size=90), rng.exponential(size=90) * 100.0])
    both = NaturalSpline(df=3).fit(X)
    apart = [NaturalSpline(df=3).fit_transform(X[:, [j]]) for j in range(2)]
    assert_array_equal(both.transform(X), np.hstack(apart))
    assert list(both.get_feature_names_out(["a", "b"])) == ["a_ns_0", "a_ns_1", "a_ns_2", "b_ns_0", "b_ns_1", "b_ns_2"]
    assert_array_equal(both.df_, [3, 3])


@pytest.mark.parametrize("unit", [2.0**-300, 2.0**40, 2.0**600])
def test_a_unit_of_measurement_changes_nothing(unit):
    x = np.random.default_rng(1).exponential(size=(70, 1))
    assert_allclose(NaturalSpline().fit_transform(x * unit), NaturalSpline().fit_transform(x), rtol=1e-12, atol=1e-15)


def test_a_binary_feature_keeps_one_column_and_ties_do_not_make_empty_ones():
    binary = np.array([0.0, 1.0] * 10)[:, None]
    spline = NaturalSpline(df=4).fit(binary)
    assert_array_equal(spline.df_, [1])
    assert np.unique(spline.transform(binary)).size == 2
    many_zeros = np.concatenate([np.zeros(60), np.arange(1.0, 41.0)])[:, None]
    H = NaturalSpline(df=5).fit_transform(many_zeros)
    assert np.linalg.matrix_rank(H) == H.shape[1] < 5


def test_a_constant_feature_keeps_one_column_of_zeros():
    assert_array_equal(NaturalSpline().fit_transform(np.full((5, 1), 3.0)), np.zeros((5, 1)))


def test_far_outside_values_stay_finite():
    out = NaturalSpline().fit(np.linspace(0.0, 1.0, 30)[:, None]).transform([[1e300], [-1e300]])
    assert np.isfinite(out).all()


@pytest.mark.parametrize(
    ("setting", "kind", "words"),
    [
        ({"df": 0}, ValueError, "df=0"),
        ({"df": 2.5}, TypeError, "df=2.5"),
        ({"knots": [0.2, 0.2]}, ValueError, "equal"),
        ({"knots": [0.5, 7.0]}, ValueError, "feature 0 runs from 0 to 1"),
        ({"knots": [0.5], "df": 4}, ValueError, "not both"),
        ({"knots": "middle"}, ValueError, "knots='middle'"),
        ({"boundary_knots": (1.0, 0.0)}, ValueError, "a < b"),
        ({"boundary_knots": (0.0, 0.5, 1.0)}, ValueError, "two numbers"),
        ({"boundary_knots": (5.0, 6.0)}, ValueError, "within boundary_knots"),
    ],
    ids=str,
)
def test_a_bad_parameter_is_named_with_what_to_do_instead(setting, kind, words):
    with pytest.raises(kind, match=words) as caught:
        NaturalSpline(**setting).fit(np.linspace(0.0, 1.0, 20)[:, None])
    assert "Use " in str(caught.value)
