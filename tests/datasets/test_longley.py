"""The bundled data are NIST's, and the answers that come with them are right."""

from fractions import Fraction

import numpy as np
import pytest

from separatrix.datasets import load_longley
from separatrix.linear_model import LinearRegression


def exact_least_squares(X, y):
    """Normal equations in rational arithmetic: no rounding at all."""
    rows = [[Fraction(1), *map(Fraction, row)] for row in X.tolist()]
    q = len(rows[0])
    A = [[sum(r[i] * r[j] for r in rows) for j in range(q)] for i in range(q)]
    b = [sum(r[i] * Fraction(t) for r, t in zip(rows, y.tolist())) for i in range(q)]
    for i in range(q):
        for k in range(i + 1, q):
            f = A[k][i] / A[i][i]
            A[k] = [a - f * c for a, c in zip(A[k], A[i])]
            b[k] -= f * b[i]
    x = [Fraction(0)] * q
    for i in reversed(range(q)):
        x[i] = (b[i] - sum(A[i][j] * x[j] for j in range(i + 1, q))) / A[i][i]
    return x


def test_certified_values_are_those_of_exact_arithmetic():
    data = load_longley()
    X = np.array([[Fraction(str(v)) for v in row] for row in data.X], dtype=object)  # 83.0 as written, not as stored
    exact = exact_least_squares(X, data.y)
    for found, (estimate, _) in zip(exact, data.certified.values()):
        assert float(found) == pytest.approx(estimate, rel=1e-14)


def test_least_squares_agrees_with_the_certified_values_to_thirteen_digits():
    data = load_longley()
    model = LinearRegression().fit(data.X, data.y)
    rows = model.summary().rows
    estimates, errors = zip(*data.certified.values())
    assert data.correct_digits([row.estimate for row in rows], estimates).min() >= 13.0
    assert data.correct_digits([row.error for row in rows], errors).min() >= 12.0


def test_names_belong_to_columns():
    data = load_longley()
    assert list(data.certified) == ["intercept", *data.feature_names]
    assert data.target_name == "employment"
    np.testing.assert_array_equal(data.X[:, data.feature_names.index("year")], np.arange(1947, 1963))


def test_correct_digits_are_counted():
    digits = load_longley().correct_digits([1.0, 1.001, 5.0], [1.0, 1.0, 1.0])
    np.testing.assert_allclose(digits, [15.0, 3.0, 0.0], atol=1e-9)
