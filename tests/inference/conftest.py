"""A slow regressor whose evidence is exact: normal equations solved in fractions, rounded once at the end."""

from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from separatrix.core.solution import Certificate
from separatrix.core.statistics import LeastSquaresStatistics
from separatrix.estimators.base import LinearRegressor
from separatrix.estimators.validation import enter


class ExactLeastSquares(LinearRegressor):
    def __init__(self, fit_intercept=True, alpha=0):
        self.fit_intercept = fit_intercept
        self.alpha = alpha

    def fit(self, X, y, sample_weight=None):
        design, target = enter(self, X, y, sample_weight)
        dense = design.block(slice(None))
        dense = dense.toarray() if hasattr(dense, "toarray") else dense
        exact_y = target.y.reshape(target.n, -1)
        self.evidence_ = exact_evidence(dense, exact_y, target.weights, self.fit_intercept, self.alpha)
        first = int(self.fit_intercept)
        beta = self.evidence_.coefficients
        self._publish(
            beta[first:] if target.y.ndim > 1 else beta[first:, 0],
            beta[0] if target.y.ndim > 1 else beta[0, 0],
        )
        self.certificate_ = Certificate("residual", 0.0, 1e-10)
        return self


def exact_evidence(X, Y, s, intercept, alpha=0):
    """LeastSquaresStatistics of least squares (alpha = 0) or ridge, every number the correctly rounded one."""
    first = int(intercept)
    rows = [[Fraction(1)] * first + [_fraction(v) for v in row] for row in X]
    Y = [[_fraction(v) for v in row] for row in Y]
    s = [Fraction(float(v)) for v in s]
    q, k = len(rows[0]), len(Y[0])
    gram = [[sum(w * r[i] * r[j] for w, r in zip(s, rows)) for j in range(q)] for i in range(q)]
    right = [[sum(w * r[i] * v[o] for w, r, v in zip(s, rows, Y)) for o in range(k)] for i in range(q)]
    penalised = [[g + (Fraction(alpha) if i == j and i >= first else 0) for j, g in enumerate(row)]
                 for i, row in enumerate(gram)]  # fmt: skip
    kept = _independent(penalised)
    W = _inverse([[penalised[i][j] for j in kept] for i in kept])
    C = [[Fraction(0)] * k for _ in range(q)]
    for a, i in enumerate(kept):
        C[i] = [sum(W[a][b] * right[j][o] for b, j in enumerate(kept)) for o in range(k)]
    G = [[gram[i][j] for j in kept] for i in kept]
    WG = _product(W, G)
    U = _product(WG, W)
    unscaled = np.full((q, q), np.nan)
    unscaled[np.ix_(kept, kept)] = [[float(v) for v in row] for row in U]
    total = sum(s)
    mean = [sum(w * v[o] for w, v in zip(s, Y)) / total if intercept else Fraction(0) for o in range(k)]
    residuals = [[v[o] - sum(c[o] * x for c, x in zip(C, r)) for o in range(k)] for r, v in zip(rows, Y)]
    return LeastSquaresStatistics(
        n=sum(w > 0 for w in s),
        total=float(total),
        p=q - first,
        rank=len(kept) - first,
        intercept=intercept,
        rss=np.array([float(sum(w * r[o] ** 2 for w, r in zip(s, residuals))) for o in range(k)]),
        tss=np.array([float(sum(w * (v[o] - mean[o]) ** 2 for w, v in zip(s, Y))) for o in range(k)]),
        coefficients=np.array([[float(v) for v in row] for row in C]),
        unscaled=unscaled,
        edf=float(sum(WG[i][i] for i in range(len(kept)))),
        condition=1.0,
        digits=np.full((q, k), 15.0),
        aliased=tuple(j - first for j in range(q) if j not in kept),
        penalised=alpha > 0,
    )


def _fraction(value):
    """Decimal strings are taken as written, floats as the binary numbers they are."""
    return Fraction(value) if isinstance(value, str) else Fraction(float(value))


def _product(A, B):
    return [[sum(a * b for a, b in zip(row, column)) for column in zip(*B)] for row in A]


def _independent(gram):
    """Indices of columns that are not combinations of earlier ones: nonzero pivots of elimination."""
    A, kept = [list(row) for row in gram], []
    for j in range(len(A)):
        if A[j][j] == 0:
            continue
        kept.append(j)
        for i in range(j + 1, len(A)):
            factor = A[i][j] / A[j][j]
            A[i] = [a - factor * b for a, b in zip(A[i], A[j])]
    return kept


def _inverse(A):
    q = len(A)
    A = [list(row) + [Fraction(int(i == j)) for j in range(q)] for i, row in enumerate(A)]
    for j in range(q):
        pivot = A[j][j]
        A[j] = [a / pivot for a in A[j]]
        for i in range(q):
            if i != j:
                A[i] = [a - A[i][j] * b for a, b in zip(A[i], A[j])]
    return [row[q:] for row in A]


@pytest.fixture(scope="session")
def exact():
    """The class of the slow regressor."""
    return ExactLeastSquares


@pytest.fixture(scope="session")
def evidence_of():
    return exact_evidence


@pytest.fixture(scope="session")
def nist():
    """The folder of NIST's data sets, beside the repository or above it."""
    root = Path(__file__).resolve().parents[2]
    for parent in root.parents:
        if (parent / "shared" / "data" / "nist").is_dir():
            return parent / "shared" / "data" / "nist"
    pytest.skip("NIST data are not beside the repository")
