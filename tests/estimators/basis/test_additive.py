"""Additive bases: the map of blocks, degrees of freedom, and what an additive fit recovers."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.interpolate import CubicSpline
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

from separatrix.linear_model import LinearRegression
from separatrix.preprocessing import AdditiveBasis, GaussianBasis, NaturalSpline, PolynomialFeatures

HEART = Path(__file__).parents[4] / "shared" / "data" / "esl" / "SAheart.csv"
CONTINUOUS = ["sbp", "tobacco", "ldl", "obesity", "age", "alcohol"]


def _heart_like():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.gamma(3.0, size=(100, 6)), columns=CONTINUOUS)
    return frame.assign(famhist=(rng.random(100) < 0.4).astype(float))


@pytest.mark.mission("BE-11", "BE-08")
@pytest.mark.parametrize(("continuous", "df"), [(CONTINUOUS, 26), (CONTINUOUS[:5], 22)])
def test_degrees_of_freedom_are_one_and_the_sum_over_features(continuous, df):
    frame = _heart_like()
    basis = AdditiveBasis({**{name: NaturalSpline(df=4) for name in continuous}, "famhist": "linear"})
    H = basis.fit_transform(frame)
    assert basis.df_ == df == 1 + H.shape[1]
    assert np.linalg.matrix_rank(np.column_stack([np.ones(100), H])) == df


@pytest.mark.mission("BE-11")
def test_the_block_map_leads_from_a_feature_to_its_columns():
    frame = _heart_like()
    basis = AdditiveBasis([("famhist", "passthrough"), ("age", NaturalSpline(df=4)), ("ldl", GaussianBasis(3))])
    H = basis.fit_transform(frame)
    assert basis.blocks_ == {"famhist": slice(0, 1), "age": slice(1, 5), "ldl": slice(5, 8)}
    assert_array_equal(H[:, basis.blocks_["famhist"]], frame[["famhist"]])
    assert_array_equal(H[:, basis.blocks_["age"]], NaturalSpline(df=4).fit_transform(frame[["age"]]))
    assert_array_equal(H[:, basis.blocks_["ldl"]], GaussianBasis(3).fit_transform(frame[["ldl"]]))
    assert list(basis.get_feature_names_out()[[0, 1, 7]]) == ["famhist", "age_ns_0", "ldl_gauss_2"]
    assert isinstance(basis.bases_["age"], NaturalSpline)


@pytest.mark.mission("BE-11")
def test_heart_disease_data_make_26_columns_with_the_constant():
    if not HEART.exists():
        pytest.skip("the data folder is not beside the repository")
    frame = pd.read_csv(HEART)
    terms = {name: NaturalSpline(df=4) for name in CONTINUOUS}
    basis = AdditiveBasis({**terms, "famhist": OneHotEncoder(drop="first", sparse_output=False)}).fit(frame)
    assert basis.df_ == 26
    assert basis.blocks_["famhist"] == slice(24, 25)


def test_without_terms_each_feature_gets_a_spline_and_a_binary_one_a_single_column():
    basis = AdditiveBasis().fit(_heart_like())
    assert basis.df_ == 26
    assert basis.blocks_["famhist"] == slice(24, 25)


@pytest.mark.mission("BE-10")
def test_an_additive_fit_recovers_its_two_functions_up_to_constants():
    rng = np.random.default_rng(2)
    X = np.column_stack([rng.uniform(0.0, 10.0, 200), rng.uniform(-1.0, 1.0, 200)])
    X[:2, 0] = 0.0, 10.0
    first = CubicSpline([0.0, 3.0, 7.0, 10.0], [0.0, 2.0, -1.0, 1.0], bc_type="natural")(X[:, 0])
    second = 2.0 * X[:, 1] - X[:, 1] ** 2 + 3.0 * X[:, 1] ** 3
    basis = AdditiveBasis([(0, NaturalSpline(knots=[3.0, 7.0])), (1, PolynomialFeatures(3, include_bias=False))])
    model = make_pipeline(basis, LinearRegression()).fit(X, first + second + 5.0)
    H, coef = model[0].transform(X), model[-1].coef_
    for name, truth in (("x0", first), ("x1", second)):
        block = model[0].blocks_[name]
        found = H[:, block] @ coef[block]
        assert_allclose(found - found.mean(), truth - truth.mean(), atol=1e-12)


@pytest.mark.mission("BE-10")
def test_functions_that_are_no_splines_are_approximated():
    grid = np.linspace(0.0, 1.0, 40)
    X = np.array([(a, b) for a in grid for b in grid])
    truth = {"x0": np.sin(2 * np.pi * X[:, 0]), "x1": np.exp(X[:, 1])}
    basis = AdditiveBasis({0: NaturalSpline(df=12), 1: NaturalSpline(df=12)})
    model = make_pipeline(basis, LinearRegression()).fit(X, truth["x0"] + truth["x1"])
    H = model[0].transform(X)
    for name, block in model[0].blocks_.items():
        found = H[:, block] @ model[-1].coef_[block]
        # natural ends cost h²/8 max|f''| at knots h apart: e/(8 · 12²) for the exponential
        assert_allclose(found - found.mean(), truth[name] - truth[name].mean(), atol=np.e / 12**2 / 8)


def test_arrays_and_frames_give_the_same_numbers():
    frame = _heart_like()
    by_name = AdditiveBasis({"sbp": NaturalSpline(), "famhist": "linear"}).fit_transform(frame)
    by_number = AdditiveBasis({0: NaturalSpline(), -1: "linear"}).fit_transform(frame.to_numpy())
    assert_array_equal(by_name, by_number)


def test_the_terms_of_the_user_are_not_fitted_themselves():
    mine = NaturalSpline()
    AdditiveBasis({0: mine}).fit(np.linspace(0.0, 1.0, 9)[:, None])
    assert not hasattr(mine, "knots_")


@pytest.mark.parametrize(
    ("terms", "kind", "words"),
    [
        ({"height": "linear"}, ValueError, "no such column"),
        ({5: "linear"}, ValueError, "from 0 to 1"),
        ([(0, "linear"), (-2, "linear")], ValueError, "two bases"),
        ([], ValueError, "at least one pair"),
        ([0, 1], ValueError, "pair"),
        ("linear", ValueError, "pair"),
        (3, ValueError, "pair"),
        ({0: "quadratic"}, TypeError, "'quadratic'"),
        ({0: NaturalSpline}, TypeError, "no transformer"),
        ({0: PolynomialFeatures(2)}, ValueError, "include_bias=False"),
    ],
    ids=str,
)
def test_a_bad_term_is_named_with_what_to_do_instead(terms, kind, words):
    with pytest.raises(kind, match=words) as caught:
        AdditiveBasis(terms).fit(np.zeros((4, 2)))
    assert "Use " in str(caught.value)


def test_words_and_missing_numbers_in_a_linear_term_are_refused():
    frame = pd.DataFrame({"a": ["x", "y", "z"], "b": [1.0, np.nan, 2.0]})
    for column in ("a", "b"):
        with pytest.raises(ValueError, match=r"Cannot use column|NaN"):
            AdditiveBasis({column: "linear"}).fit(frame)
