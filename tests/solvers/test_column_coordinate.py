"""Models of a loss on sparse columns without a Gram matrix, and steps from rows that are nearly certain."""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose

from separatrix.core.certificate import certify
from separatrix.core.problem import Problem
from separatrix.core.target import Target
from separatrix.designs import as_design
from separatrix.losses import Logistic, Softmax
from separatrix.penalties import L1
from separatrix.solvers import curvature
from separatrix.solvers.proximal_newton import proximal_newton


def words(k, n=300, p=400):
    """Rows of few words, whose frequencies differ by class."""
    rng = np.random.default_rng(5)
    often = np.exp(rng.standard_normal((k, p))) / np.arange(3, p + 3)
    codes = rng.integers(k, size=n)
    X = np.array([rng.multinomial(10, often[c] / often[c].sum()) for c in codes], dtype=np.float64)
    return X / np.linalg.norm(X, axis=1, keepdims=True), codes


def problem(X, codes, k, strength):
    y = (codes == 1).astype(np.float64) if k == 2 else np.eye(k)[codes]
    return Problem(as_design(X), Target(y), Logistic() if k == 2 else Softmax(), L1(strength), True)


@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("strength", [1e-2, 1e-3])
def test_sweeps_over_sparse_columns_find_the_optimum_of_dense_ones(k, strength, monkeypatch):
    monkeypatch.setattr(curvature, "LARGEST_SUPPORT", 0)
    monkeypatch.setattr(curvature, "SWEEPS", 0.0)
    X, codes = words(k)
    sparse, dense = (problem(each, codes, k, strength) for each in (sp.csc_array(X), X))
    made = []
    model = curvature.ColumnModel
    monkeypatch.setattr(curvature, "ColumnModel", type("Counted", (model,), {"begin": counted(model.begin, made)}))
    found, expected = proximal_newton(sparse, tol=1e-7), proximal_newton(dense, tol=1e-12)
    assert made
    assert certify(sparse, found, 1e-7).converged
    # a gap of 1e-7 of the null leaves scores within about its root
    assert_allclose(X @ found.beta + found.intercept, X @ expected.beta + expected.intercept, atol=2e-2)


def counted(method, calls):
    def begin(self, *given):
        calls.append(1)
        return method(self, *given)

    return begin


@pytest.mark.parametrize("hold", [np.asarray, sp.csc_array])
@pytest.mark.parametrize("k", [2, 3])
def test_a_column_of_a_row_that_is_certain_of_the_wrong_class_does_not_stop_the_steps(k, hold):
    X, codes = words(k)
    codes[0] = 1
    rare = np.zeros((len(X), 1))
    rare[0] = 1.0
    given = problem(hold(np.hstack([X, rare])), codes, k, 1e-3)
    beta = np.zeros((X.shape[1] + 1, *given.target.outputs))
    beta[
        -1,
        ...,
    ] = -90.0 if k == 2 else np.array([0.0, -90.0, 0.0])
    intercept = 0.0 if k == 2 else np.zeros(k)
    found = proximal_newton(given, tol=1e-8, start=(beta, intercept))
    assert certify(given, found, 1e-8).converged
