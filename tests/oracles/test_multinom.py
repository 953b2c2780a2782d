"""R's nnet::multinom on unpenalised multinomial models (numbers and script beside this file)."""

import csv
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose

from separatrix.linear_model import LogisticRegression

HERE = Path(__file__).parent


def data(name):
    """X, classes and weights, by the formulas of the script."""
    i = np.arange(1.0, 241.0)
    X = np.sin(1.7 * np.multiply.outer(i, np.arange(1.0, 5.0))) + 0.3 * np.cos(i * i)[:, None]
    score = X[:, 0] - 2.0 * X[:, 2] + 1.5 * np.cos(2.3 * i * i)
    g = (score > -0.8).astype(int) + (score > 0.8)
    if name == "four":
        return X[:, :2], ((i + (X[:, 0] > 0.0)) % 4).astype(int), np.ones(240)
    return X, g, 1.0 + i % 3 if name == "weighted" else np.ones(240)


@pytest.fixture(scope="module")
def oracle():
    with open(HERE / "multinom.csv") as file:
        rows = list(csv.DictReader(line for line in file if not line.startswith("#")))

    def find(name, what):
        found = {
            (int(r["class"]), int(r["term"])): float(r["value"]) for r in rows if r["set"] == name and r["what"] == what
        }
        classes, terms = zip(*found, strict=True)
        table = np.full((max(classes), max(terms) + 1), np.nan) if what != "deviance" else np.full((1, 1), np.nan)
        for (c, t), value in found.items():
            table[max(c - 1, 0), t] = value
        return table

    return find


@pytest.mark.mission("LG-09")
@pytest.mark.parametrize(("name", "digits"), [("waves", 1e-7), ("weighted", 1e-7), ("four", 1e-6)])
def test_multinomial_coefficients_are_those_of_multinom(oracle, name, digits):
    X, g, w = data(name)
    model = LogisticRegression(C=np.inf, tol=1e-12).fit(X, g, sample_weight=w)
    beta = np.column_stack([model.intercept_, model.coef_])
    found = (beta - beta[0])[1:]
    assert_allclose(found, oracle(name, "coefficient"), rtol=digits, atol=digits)
    assert_allclose(found, oracle(name, "polished"), rtol=1e-8, atol=1e-10)
    summary = model.summary(X, g, sample_weight=w, reference=model.classes_[0])
    errors = np.array([[row.error for row in table.rows] for table in summary.tables])
    assert_allclose(errors, oracle(name, "error"), rtol=10 * digits)
    assert_allclose(summary.tables[0].statistics["deviance"], oracle(name, "deviance")[0, 0], rtol=1e-9)
