"""R's nnet and locfit: the numbers of tests/oracles/local_likelihood.R."""

import json
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose

from separatrix.local import LocalLinearRegression, LocalLogisticRegression

ORACLE = json.loads((Path(__file__).parents[2] / "oracles" / "local_likelihood.json").read_text())
X = np.column_stack([ORACLE["x1"], ORACLE["x2"]])
KERNELS = {"tcub": "tricube", "epan": "epanechnikov", "gauss": "gaussian"}


@pytest.mark.mission("SI-11")
@pytest.mark.parametrize("case", ORACLE["multinom"], ids=lambda case: str(case["x0"]))
def test_local_multinomial_regression_is_nnets(case):
    model = LocalLogisticRegression(bandwidth=0.8, kernel="gaussian").fit(X, ORACLE["three"], ORACLE["s"])
    found = model.local_coefficients([case["x0"]])
    ours = np.column_stack([found.intercept[0], found.slopes[0]])
    # nnet stops where its steps gain nothing: half of the digits of the coefficients
    assert_allclose(ours[1:] - ours[0], np.reshape(case["coef"], (2, 3)), rtol=1e-6, atol=1e-6)
    assert found.certificate[0] < 1e-12


@pytest.mark.mission("SI-11")
@pytest.mark.parametrize("case", ORACLE["gaussian"], ids=lambda case: f"{case['kernel']} {case['degree']}")
def test_local_regression_with_its_errors_and_degrees_of_freedom_is_locfits(case):
    width = 1.1 / 2.5 if case["kernel"] == "gauss" else 1.1  # locfit's Gaussian is exp(-(2.5 u)²/2)
    model = LocalLinearRegression(width, kernel=KERNELS[case["kernel"]], degree=case["degree"])
    model.fit(X[:, :1], ORACLE["y"])
    digits = 1e-12 if case["degree"] < 2 else 1e-7  # locfit cuts small eigenvalues of the larger system
    assert_allclose(model.predict(X[:, :1]), case["fit"], rtol=digits, atol=digits)
    assert_allclose(model.standard_errors(X[:, :1]), case["se"], rtol=digits)
    assert model.effective_degrees_of_freedom_ == pytest.approx(case["df1"], rel=digits)


@pytest.mark.mission("SI-10")
@pytest.mark.parametrize("case", ORACLE["binomial"], ids=lambda case: f"degree {case['degree']}")
def test_local_logistic_regression_with_nearest_neighbour_windows_is_locfits(case):
    model = LocalLogisticRegression(span=0.6, degree=case["degree"]).fit(X[:, :1], ORACLE["two"])
    # locfit stops when its likelihood gains less than 1e-6 or so
    assert_allclose(model.predict_proba(X[:, :1])[:, 1], case["fit"], atol=3e-6)
    if case["degree"] < 2:  # its errors of quadratic fits are not those of the sandwich, which another test proves
        assert_allclose(model.standard_errors(X[:, :1]), case["se"], rtol=1e-5)
