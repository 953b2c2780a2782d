"""What every basis promises: scikit-learn's contract, names, frames, float32, and any linear model on top."""

import subprocess
import sys

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

import separatrix.preprocessing
from separatrix.linear_model import LinearRegression, Ridge
from separatrix.preprocessing import AdditiveBasis, GaussianBasis, NaturalSpline, PolynomialFeatures, SigmoidBasis

BASES = [
    PolynomialFeatures(3, include_bias=False),
    PolynomialFeatures(3, include_bias=False, cross_terms=False),
    GaussianBasis(4),
    SigmoidBasis(3),
    NaturalSpline(df=3),
    AdditiveBasis(),
]
EVERY = pytest.mark.parametrize("basis", BASES, ids=str)


@pytest.fixture
def X():
    return np.random.default_rng(11).uniform(-1.0, 1.0, size=(80, 2))


@parametrize_with_checks(
    [
        *BASES,
        PolynomialFeatures(),
        PolynomialFeatures(kernel_scaling=True, order="F"),
        GaussianBasis(include_bias=True),
        GaussianBasis([-1.0, 1.0]),
        NaturalSpline(),
        NaturalSpline(boundary_knots=(-0.5, 0.5), df=1),
        AdditiveBasis([(0, "linear")]),
    ]
)
def test_scikit_learns_contract_holds(estimator, check):
    check(estimator)


@pytest.mark.mission("BE-01")
@EVERY
@pytest.mark.parametrize("model", [LinearRegression(), Ridge(alpha=0.1)], ids=str)
def test_any_basis_composes_with_any_linear_model(X, basis, model):
    y = np.sin(3.0 * X[:, 0]) + X[:, 1] ** 2
    fitted = make_pipeline(clone(basis), clone(model)).fit(X, y)
    H = clone(basis).fit_transform(X)
    p, alpha = H.shape[1], getattr(model, "alpha", 0.0)
    centred = H - H.mean(axis=0)
    stacked = np.vstack([centred, np.sqrt(alpha) * np.eye(p)])
    beta = np.linalg.lstsq(stacked, np.concatenate([y - y.mean(), np.zeros(p)]), rcond=None)[0]
    assert_allclose(fitted.predict(X), centred @ beta + y.mean(), atol=1e-9)
    assert fitted.score(X, y) > LinearRegression().fit(X, y).score(X, y) + 0.05


@pytest.mark.mission("BE-05")
@pytest.mark.parametrize(
    "identity", [PolynomialFeatures(1, include_bias=False), AdditiveBasis({0: "linear", 1: "linear"})], ids=str
)
def test_the_identity_basis_is_plain_linear_regression(X, identity):
    y = X @ [2.0, -3.0] + 1.0 + np.cos(9.0 * X[:, 0])
    through, plain = make_pipeline(identity, LinearRegression()).fit(X, y), LinearRegression().fit(X, y)
    assert_array_equal(identity.fit_transform(X), X)
    assert_allclose(through[-1].coef_, plain.coef_, rtol=1e-14)
    assert_allclose(through[-1].intercept_, plain.intercept_, rtol=1e-14)


@EVERY
def test_float32_stays_float32_and_agrees_with_float64(X, basis):
    single = X.astype(np.float32)
    out = clone(basis).fit_transform(single)
    assert out.dtype == np.float32
    assert_allclose(out, clone(basis).fit_transform(single.astype(np.float64)), rtol=1e-6, atol=1e-7)


@EVERY
@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_frames_come_out_with_the_names_of_the_columns(X, basis, library):
    frames = pytest.importorskip(library)
    frame = frames.DataFrame({"height": X[:, 0], "weight": X[:, 1]})
    basis = clone(basis).set_output(transform=library)
    out = basis.fit_transform(frame)
    assert isinstance(out, frames.DataFrame)
    names = list(basis.get_feature_names_out())
    assert list(out.columns) == names
    assert len(set(names)) == len(names) == out.shape[1]
    assert all("height" in name or "weight" in name for name in names)
    assert_array_equal(out.to_numpy(), clone(basis).set_output(transform="default").fit_transform(X))


def test_importing_one_basis_does_not_import_the_others():
    code = (
        "import sys; from separatrix.preprocessing import SigmoidBasis; "
        "print([m for m in sys.modules if m == 'numba' or m.endswith(('basis.natural_spline', 'basis.polynomial'))])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="StandardScale"):
        _ = separatrix.preprocessing.StandardScale
    assert "NaturalSpline" in dir(separatrix.preprocessing)
