"""NIST's reference data sets for linear regression, and their kin in exact rational arithmetic.

Digits are those of NIST: the log relative error ``-log10 |ours - certified| / |certified|`` of the worst coefficient.
"""

import csv
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose

import separatrix
from separatrix.linear_model import LinearRegression


def digits(found, certified):
    """The log relative error of the worst number; of the absolute value where the truth is 0. 16 at the most."""
    found, certified = np.asarray(found, dtype=float), np.asarray(certified, dtype=float)
    error = np.abs(found - certified) / np.where(certified != 0.0, np.abs(certified), 1.0)
    return float((-np.log10(np.maximum(error, 1e-16))).min())


def coefficients(model):
    return np.append(model.intercept_, model.coef_) if model.fit_intercept else model.coef_


def errors(model):
    return [row.error for row in model.summary().rows]


# ------------------------------------------------------------------ the files

# name: degree of the polynomial (0: columns as they are), digits asked for
CERTIFIED = {
    "Norris": (1, 13.0),
    "Pontius": (2, 13.0),
    "NoInt1": (1, 13.0),
    "Longley": (0, 13.0),
    "Wampler1": (5, 12.0),
    "Wampler2": (5, 12.0),
}


@pytest.fixture(scope="session")
def nist():
    for parent in Path(__file__).resolve().parents:
        if (parent / "shared" / "data" / "nist").is_dir():
            return parent / "shared" / "data" / "nist"
    pytest.skip("NIST's data are not beside the repository")


@pytest.mark.parametrize("name", CERTIFIED)
def test_certified_values_are_met(nist, name):
    degree, wanted = CERTIFIED[name]
    with open(nist / f"{name}.csv") as file:
        rows = np.array([[float(v) for v in row.values()] for row in csv.DictReader(file)])
    with open(nist / "certified.csv") as file:
        certified = {row["quantity"]: row for row in csv.DictReader(file) if row["dataset"] == name}
    y, X = rows[:, 0], rows[:, 1:]
    X = X ** np.arange(1, degree + 1) if degree else X
    model = LinearRegression(fit_intercept=name != "NoInt1").fit(X, y)
    terms = [certified[f"B{j}"] for j in range(0 if model.fit_intercept else 1, X.shape[1] + 1)]
    assert digits(coefficients(model), [float(t["certified"]) for t in terms]) >= wanted
    summary = model.summary()
    if name.startswith("Wampler"):  # an exact fit: what is left is the rounding of the decimals
        assert summary.statistics["sigma"] < 1e-9 * np.abs(y).max()
    else:
        assert digits(errors(model), [float(t["certified_sd"]) for t in terms]) >= 12.0
        assert digits(summary.statistics["sigma"], float(certified["residual_sd"]["certified"])) >= 12.0
        assert digits(summary.statistics["f"], float(certified["f_statistic"]["certified"])) >= 12.0
    assert digits(summary.statistics["r_squared"], float(certified["r_squared"]["certified"])) >= 13.0
    assert separatrix.verify(model, X, y).converged


# ------------------------------------------------------------------ made here, and solved in fractions


def exact(columns, y):
    """Coefficients and standard errors by normal equations in rational arithmetic, rounded once at the end."""
    columns, y = [[Fraction(v) for v in c] for c in columns], [Fraction(v) for v in y]
    q = len(columns)
    gram = [[sum(a * b for a, b in zip(c, d)) for d in columns] for c in columns]
    inverse = _inverse(gram)
    right = [sum(a * b for a, b in zip(c, y)) for c in columns]
    beta = [sum(w * r for w, r in zip(row, right)) for row in inverse]
    fitted = [sum(b * c[i] for b, c in zip(beta, columns)) for i in range(len(y))]
    variance = sum((a - b) ** 2 for a, b in zip(y, fitted)) / (len(y) - q)
    return [float(b) for b in beta], [float(variance * inverse[j][j]) ** 0.5 for j in range(q)]


def _inverse(A):
    q = len(A)
    A = [list(row) + [Fraction(int(i == j)) for j in range(q)] for i, row in enumerate(A)]
    for j in range(q):
        A[j] = [a / A[j][j] for a in A[j]]
        for i in set(range(q)) - {j}:
            A[i] = [a - A[i][j] * b for a, b in zip(A[i], A[j])]
    return [row[q:] for row in A]


def powers(x, degree):
    """Columns 1, x, ..., x^degree as the floats that a user would pass."""
    return [[float(v) ** k for v in x] for k in range(degree + 1)]


# Wampler (1970): y = 1 + x + ... + x^5 plus ever larger multiples of one residual vector, orthogonal to all powers.
RESIDUAL = [759, -2048, 2048, -2048, 2523, -2048, 2048, -2048, 1838, -2048, 2048,
            -2048, 1838, -2048, 2048, -2048, 2523, -2048, 2048, -2048, 759]  # fmt: skip


@pytest.mark.parametrize(
    "name, multiple, wanted", [("Wampler3", 1, 12.0), ("Wampler4", 100, 12.0), ("Wampler5", 10_000, 9.5)]
)
def test_waves_added_to_a_polynomial_leave_its_coefficients(name, multiple, wanted):
    x = range(21)
    y = [sum(v**k for k in range(6)) + multiple * r for v, r in zip(x, RESIDUAL)]
    columns = powers(x, 5)
    beta, error = exact(columns, y)
    assert beta == [1.0] * 6
    model = LinearRegression().fit(np.array(columns[1:]).T, np.array(y, dtype=float))
    assert digits(coefficients(model), beta) >= wanted
    assert digits(errors(model), error) >= 12.0
    assert separatrix.verify(model, np.array(columns[1:]).T, np.array(y, dtype=float)).converged


def test_three_points_through_the_origin():
    X, y = np.array([[4.0], [5.0], [6.0]]), np.array([3.0, 4.0, 4.0])
    model = LinearRegression(fit_intercept=False).fit(X, y)
    beta, error = exact(X.T, y)
    assert digits(model.coef_, beta) >= 13.0 and digits(model.coef_, [56.0 / 77.0]) >= 13.0
    assert digits(errors(model), error) >= 13.0


@pytest.mark.parametrize("seed", range(3))
def test_a_polynomial_of_degree_ten_keeps_its_digits(seed):
    """As hard as NIST's Filip: 82 decimals in [-9, -3], powers up to the tenth, condition about 1e15 before scaling."""
    rng = np.random.default_rng(seed)
    x = np.sort(np.round(rng.uniform(-8.8, -3.1, 82), 9))
    y = np.round(0.85 + 0.04 * np.sin(2.0 * x) + 0.003 * rng.standard_normal(82), 4)
    columns = powers(x, 10)
    beta, error = exact(columns, y)
    X = np.array(columns[1:]).T
    model = LinearRegression().fit(X, y)
    assert digits(coefficients(model), beta) >= 7.5
    assert digits(errors(model), error) >= 7.0
    assert separatrix.verify(model, X, y).converged


@pytest.mark.parametrize("n", [200, 100_000], ids=["small", "large"])
def test_a_flag_beside_a_huge_column_keeps_its_effect(n):
    """scikit-learn 1.9.1 gives an effect of 0 here."""
    rng = np.random.default_rng(0)
    huge, flag = 5e7 * (1.0 + 0.1 * rng.standard_normal(n)), rng.integers(0, 2, n).astype(float)
    X = np.column_stack([huge, flag, 5e7 * rng.random(n)])
    y = 3.0 + 2.0 * huge + 40.0 * flag
    model = LinearRegression().fit(X, y)
    # y itself is rounded to units of 1.5e-8: an error of that size in n rows is 1e-9 in their mean difference
    assert_allclose(model.coef_[1], 40.0, rtol=1e-9)
    assert_allclose(model.coef_[0], 2.0, rtol=1e-13)
