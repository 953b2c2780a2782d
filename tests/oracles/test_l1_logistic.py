"""R's glmnet on logistic and multinomial models with L1 and the elastic net (numbers and script beside this file)."""

import csv
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose

from separatrix.core.objective import objective
from separatrix.core.problem import Problem
from separatrix.core.target import Target
from separatrix.designs import as_design
from separatrix.losses import Logistic, Softmax
from separatrix.penalties import ElasticNet
from separatrix.solvers.proximal_newton import proximal_newton

HERE = Path(__file__).parent


def data():
    i = np.arange(1.0, 61.0)
    X = np.sin(1.7 * np.multiply.outer(i, np.arange(1.0, 9.0))) + 0.3 * np.cos(i * i)[:, None]
    score = X[:, 0] - 2.0 * X[:, 2] + np.cos(2.3 * i * i)
    return X, (score > 0.0).astype(float), (score > -0.8).astype(int) + (score > 0.8), 1.0 + i % 3


@pytest.fixture(scope="module")
def oracle():
    with open(HERE / "l1_logistic.csv") as file:
        return list(csv.DictReader(line for line in file if not line.startswith("#")))


@pytest.mark.mission("LG-13")
@pytest.mark.parametrize("weighted", [0, 1])
@pytest.mark.parametrize("ratio", ["1", "0.5"])
@pytest.mark.parametrize("strength", ["0.1", "0.02", "0.005"])
@pytest.mark.parametrize("family", ["binomial", "multinomial"])
def test_coefficients_are_those_of_glmnet(oracle, family, strength, ratio, weighted):
    keys = {"family": family, "weighted": str(weighted), "strength": strength, "ratio": ratio}
    rows = [row for row in oracle if all(row[key] == value for key, value in keys.items())]
    theirs = np.array([float(row["value"]) for row in rows]).reshape(-1, 9)
    X, y, three, s = data()
    penalty = ElasticNet(float(strength) * float(ratio), float(strength) * (1.0 - float(ratio)))
    target = Target(y if family == "binomial" else np.eye(3)[three], s if weighted else None)
    loss = Logistic() if family == "binomial" else Softmax()
    problem = Problem(as_design(X), target, loss, penalty)
    found = proximal_newton(problem, tol=1e-12)
    beta, offset = found.beta.reshape(8, -1).T, np.atleast_1d(found.intercept)
    # glmnet goes from class to class and stops, at thresh = 1e-14, five or six digits before the end
    loose = {"binomial": 2e-7, "multinomial": 2e-6}[family] * max(1.0, np.abs(theirs).max())
    assert_allclose(beta, theirs[:, 1:], atol=loose)
    centre = theirs[:, 0].mean() if len(theirs) > 1 else 0.0  # of classes, only differences of intercepts count
    assert_allclose(offset, theirs[:, 0] - centre, atol=loose)
    assert np.array_equal(beta != 0.0, theirs[:, 1:] != 0.0)
    rival = theirs[:, 1:].T.reshape(found.beta.shape), theirs[:, 0].reshape(np.shape(found.intercept))
    assert objective(problem, found.beta, found.intercept) <= objective(problem, *rival) + 1e-15
