"""R's lm and glmnet on two data sets (numbers and script beside this file), and a printed table of a textbook."""

import csv
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose

from separatrix.linear_model import ElasticNet, Lasso, LinearRegression, enet_path

HERE = Path(__file__).parent
PREDICTORS = ["lcavol", "lweight", "age", "lbph", "svi", "lcp", "gleason", "pgg45"]


@pytest.fixture(scope="module")
def oracle():
    with open(HERE / "linear_models.csv") as file:
        return list(csv.DictReader(line for line in file if not line.startswith("#")))


def numbers(oracle, set, model, quantity, strength="0", ratio="0"):
    keys = {"set": set, "model": model, "quantity": quantity, "strength": strength, "ratio": ratio}
    found = [row for row in oracle if all(row[key] == value for key, value in keys.items())]
    return [row["term"] for row in found], np.array([float(row["value"]) for row in found])


@pytest.fixture(scope="module")
def sets():
    folders = (parent / "shared" / "data" for parent in HERE.resolve().parents)
    folder = next((f for f in folders if f.is_dir()), None)
    if folder is None:
        pytest.skip("the data sets are not beside the repository")
    diabetes = read(folder / "regression" / "diabetes.csv")
    prostate = read(folder / "esl" / "prostate.csv")
    X = np.column_stack([np.array(prostate[name], dtype=float) for name in PREDICTORS])
    X = (X - X.mean(axis=0)) / X.std(axis=0, ddof=1)
    train = np.array(prostate["train"]) == "T"
    names = [name for name in diabetes if name != "target"]
    return {
        "diabetes": (np.array([diabetes[n] for n in names], dtype=float).T, np.array(diabetes["target"], dtype=float)),
        "prostate": (X[train], np.array(prostate["lpsa"], dtype=float)[train]),
    }


def read(path):
    with open(path) as file:
        rows = list(csv.DictReader(file))
    return {name: [row[name] for row in rows] for name in rows[0]}


@pytest.mark.parametrize("name", ["diabetes", "prostate"])
def test_estimates_and_standard_errors_are_those_of_lm(sets, oracle, name):
    X, y = sets[name]
    model = LinearRegression().fit(X, y)
    _, estimates = numbers(oracle, name, "lm", "estimate")
    _, errors = numbers(oracle, name, "lm", "error")
    # lm works by QR in double precision: eps times the condition of the raw columns, below 1e4
    assert_allclose([model.intercept_, *model.coef_], estimates, rtol=1e-10)
    assert_allclose([row.error for row in model.summary().rows], errors, rtol=1e-10)


@pytest.mark.parametrize("strength", ["0.3", "0.1", "0.01"])
@pytest.mark.parametrize("ratio", ["1", "0.5"])
@pytest.mark.parametrize("name", ["diabetes", "prostate"])
def test_coefficients_are_those_of_glmnet(sets, oracle, name, ratio, strength):
    X, y = sets[name]
    Z, z = (X - X.mean(axis=0)) / X.std(axis=0), (y - y.mean()) / y.std()
    _, theirs = numbers(oracle, name, "glmnet", "estimate", strength, ratio)
    assert len(theirs) == X.shape[1]
    alpha, mixture = float(strength), float(ratio)
    model = Lasso(alpha, tol=1e-12) if mixture == 1.0 else ElasticNet(alpha, l1_ratio=mixture, tol=1e-12)
    ours = model.fit(Z, z).coef_
    # glmnet stops where a sweep moves the fit by less than 1e-20 of the variance: 1e-10 in each coefficient, times
    # the number of sweeps still missing, about the condition of the columns
    assert_allclose(ours, theirs, rtol=0.0, atol=1e-8)
    assert np.array_equal(ours == 0.0, theirs == 0.0)
    _, path, _ = enet_path(Z, z, l1_ratio=mixture, alphas=[1.0, alpha], tol=1e-12)
    assert_allclose(path[:, 1], theirs, rtol=0.0, atol=1e-8)


def test_the_table_of_the_prostate_cancer_data(sets):
    """Hastie, Tibshirani and Friedman (2009), The Elements of Statistical Learning, table 3.2."""
    table = {
        "intercept": (2.46, 0.09, 27.60),
        "lcavol": (0.68, 0.13, 5.37),
        "lweight": (0.26, 0.10, 2.75),
        "age": (-0.14, 0.10, -1.40),
        "lbph": (0.21, 0.10, 2.06),
        "svi": (0.31, 0.12, 2.47),
        "lcp": (-0.29, 0.15, -1.87),
        "gleason": (-0.02, 0.15, -0.15),
        "pgg45": (0.27, 0.15, 1.74),
    }
    found = LinearRegression().fit(*sets["prostate"]).summary()
    for row, (name, (estimate, error, z)) in zip(found.rows, table.items()):
        assert_allclose(row.estimate, estimate, atol=0.0051, err_msg=name)
        assert_allclose(row.error, error, atol=0.0051, err_msg=name)
        assert_allclose(row.t, z, atol=0.0051, err_msg=name)
