"""R's e1071::naiveBayes on a table of mixed columns (numbers and script beside this file)."""

import csv
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose

from separatrix.naive_bayes import MixedNB

HERE = Path(__file__).parent


def data():
    i = np.arange(1, 61)
    code = (i * i) % 7 % 3
    frame = pd.DataFrame(
        {
            "size": np.sin(1.7 * i) + code + 1,
            "weight": 20 * np.cos(0.9 * i * i) + 5 * (code == 1),
            "colour": np.array(["red", "green", "blue", "grey"])[i * (code + 1) % 4],
            "wet": np.array(["no", "yes"])[i // (code + 1) % 2],
        }
    )
    return frame, np.array(["a", "b", "c"])[code]


@pytest.fixture(scope="module")
def oracle():
    with open(HERE / "naive_bayes.csv") as file:
        return list(csv.DictReader(line for line in file if not line.startswith("#")))


def said(oracle, laplace, quantity):
    """Rows by columns, both in the order of the file."""
    rows = [row for row in oracle if row["laplace"] == laplace and row["quantity"] == quantity]
    columns = list(dict.fromkeys(row["column"] for row in rows))
    return columns, np.array([[float(r["value"]) for r in rows if r["column"] == c] for c in columns]).T


@pytest.mark.mission("NB-01", "NB-05", "NB-08", "NB-09")
@pytest.mark.parametrize("laplace", ["0", "1"])
def test_tables_and_posteriors_are_those_of_e1071(oracle, laplace):
    frame, y = data()
    model = MixedNB(alpha=float(laplace), var_smoothing=0.0).fit(frame, y)
    assert model.distributions_ == ["gaussian", "gaussian", "categorical", "categorical"]
    numbers = model.parts_["gaussian"]
    assert_allclose(numbers.theta_, said(oracle, laplace, "mean")[1], rtol=1e-12)
    assert_allclose(np.sqrt(numbers.var_), said(oracle, laplace, "deviation")[1], rtol=1e-12)
    for j, name in enumerate(["colour", "wet"]):
        values, shares = said(oracle, laplace, f"share of {name}")
        ours = np.exp(model.parts_["categorical"].feature_log_prob_[j])
        order = [model.categories_[2 + j].index(value) for value in values]
        assert_allclose(ours[:, order], shares, rtol=1e-13, atol=0)
        assert (shares == 0.0).any() == (laplace == "0" and name == "colour")
    classes, posterior = said(oracle, laplace, "posterior")
    assert classes == model.classes_.tolist()
    assert_allclose(model.predict_proba(frame), posterior, rtol=1e-10, atol=1e-15)
