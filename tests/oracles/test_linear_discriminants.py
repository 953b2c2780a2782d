"""Linear discriminants against MASS::lda; numbers, data and script beside this file."""

import csv
import json
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.datasets import load_iris

from separatrix.discriminant_analysis import LinearDiscriminantAnalysis

HERE = Path(__file__).resolve().parent
CASES = json.loads((HERE / "linear_discriminants.json").read_text())["cases"]
OPTIONS = {
    "iris, priors": {"priors": [0.5, 0.3, 0.2]},
    "iris, unequal, maximum likelihood": {"denominator": "N"},
    "crabs, priors": {"priors": [0.1, 0.2, 0.3, 0.4]},
}
RISKS = ["sbp", "tobacco", "ldl", "obesity", "alcohol", "age"]


def shared(name):
    found = [folder / "shared" / "data" / "esl" / name for folder in HERE.parents]
    found = next((place for place in found if place.is_file()), None)
    if found is None:
        pytest.skip(f"{name} is not here")
    return read(found)


def read(path):
    with open(path) as file:
        return list(csv.DictReader(file))


def data(name):
    """X, y and the rows that were predicted."""
    if name.startswith("iris"):
        X, y = load_iris(return_X_y=True)
        rows = np.arange(150)
        if "unequal" in name:
            rows = np.r_[0:40, 50:80, 100:150]
        elif "two" in name:
            rows = rows[50:]
        return X[rows], y[rows], X[rows]
    if name.startswith("crabs"):
        table = read(HERE / "crabs.csv")
        X = np.array([[float(row[c]) for c in ("FL", "RW", "CL", "CW", "BD")] for row in table])
        return X, np.array([row["kind"] for row in table]), X
    if name == "heart":
        table = shared("SAheart.csv")
        X = np.array([[*(float(row[c]) for c in RISKS), float(row["famhist"] == "Present")] for row in table])
        return X, np.array([int(row["chd"]) for row in table]), X
    (X, y), (new, _) = (vowels(name) for name in ("vowel.train.csv", "vowel.test.csv"))
    return X, y, new


def vowels(name):
    table = shared(name)
    return np.array([[float(row[f"x.{j}"]) for j in range(1, 11)] for row in table]), np.array(
        [int(row["y"]) for row in table]
    )


@pytest.mark.mission("DA-02", "DA-03", "DA-11", "PR-06")
@pytest.mark.parametrize("name", CASES)
def test_variates_posteriors_and_classes_are_those_of_r(name):
    X, y, new = data(name)
    said = {key: np.array(value) for key, value in CASES[name].items()}
    model = LinearDiscriminantAnalysis(**{"denominator": "N-K", **OPTIONS.get(name, {})}).fit(X, y)
    k, n = len(model.classes_), len(X)
    assert_allclose(model.priors_, said["prior"], rtol=1e-14)
    assert_allclose(model.means_, said["means"], rtol=1e-12)
    # R's singular values are standard deviations of the means, times sqrt(N), over K - 1, or over K by method "mle"
    means = k if "likelihood" in name else k - 1
    assert_allclose(np.sqrt(model.eigenvalues_ * n / means), said["svd"], rtol=1e-9)
    signs = np.sign((model.scalings_ * said["scaling"]).sum(axis=0))
    assert_allclose(model.scalings_ * signs, said["scaling"], rtol=1e-8, atol=1e-9 * np.abs(said["scaling"]).max())
    shown = new[: len(said["posterior"])]
    assert_allclose(model.transform(shown) * signs, said["variates"], rtol=1e-8, atol=1e-8)
    assert_allclose(model.predict_proba(shown), said["posterior"], rtol=1e-8, atol=1e-12)
    assert (model.predict(new) == model.classes_[said["class"].astype(int) - 1]).all()
