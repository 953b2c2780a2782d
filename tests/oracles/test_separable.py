"""R's glmnet with penalty.factor, lower.limits and upper.limits (numbers and script beside this file)."""

import csv
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose

from separatrix import verify
from separatrix.linear_model import ElasticNet, LogisticRegression

HERE = Path(__file__).parent
INF = np.inf
CASES = {
    "factors": ([1, 2, 0.5, 1, 3, 1, 0.25, 1], None),
    "free": ([1, 0, 1, 1, 0, 1, 1, 1], None),
    "bounds": (None, (-0.4, 0.3)),
    "all": (
        [0, 2, 0.5, 1, 3, 0, 0.25, 1],
        ([0, -0.1, -1, 0, -0.2, -INF, -INF, 0], [0.5, INF, 0.5, 0.2, 0.1, INF, 0.05, INF]),
    ),
}


def data():
    i = np.arange(1.0, 61.0)
    X = np.sin(1.7 * np.multiply.outer(i, np.arange(1.0, 9.0))) + 0.3 * np.cos(i * i)[:, None]
    return X, X[:, 0] - 2.0 * X[:, 2] + np.cos(2.3 * i * i)


@pytest.fixture(scope="module")
def oracle():
    with open(HERE / "separable.csv") as file:
        return list(csv.DictReader(line for line in file if not line.startswith("#")))


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("ratio", ["1", "0.5"])
@pytest.mark.parametrize("family", ["gaussian", "binomial"])
def test_coefficients_are_those_of_glmnet(oracle, family, ratio, case):
    keys = {"family": family, "case": case, "ratio": ratio}
    theirs = np.array([float(row["value"]) for row in oracle if all(row[k] == v for k, v in keys.items())])
    X, score = data()
    factors, bounds = CASES[case]
    options = {"l1_ratio": float(ratio), "penalty_factor": factors, "bounds": bounds, "tol": 1e-12}
    if family == "gaussian":
        model, y = ElasticNet(0.02, **options), score / score.std()  # as in the script
    else:
        model, y = LogisticRegression(C=1.0 / (60 * 0.02), **options), (score > 0.0).astype(int)
    model.fit(X, y)
    # glmnet stops, at thresh = 1e-16, six or seven digits before the end
    assert_allclose(np.ravel(model.coef_), theirs[1:], atol=1e-6)
    assert_allclose(np.ravel(model.intercept_), theirs[:1], atol=1e-6)
    assert np.array_equal(np.ravel(model.coef_) != 0.0, theirs[1:] != 0.0)
    assert model.certificate_.converged
    assert verify(model, X, y).converged
