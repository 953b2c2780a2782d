"""Newton's method by blocks ends at a minimum, whatever the units and tails of the columns."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from separatrix.core.certificate import certify
from separatrix.core.problem import Problem
from separatrix.core.target import Target
from separatrix.designs import as_design
from separatrix.losses import Logistic, Softmax
from separatrix.penalties import L2, ElasticNet
from separatrix.solvers.newton_by_blocks import newton_by_blocks


def heavy_tailed(seed):
    """Three classes that columns of Cauchy-like tails, in units from 1e-3 to 1e3, say nothing about."""
    rng = np.random.default_rng(seed)
    n, p = int(rng.integers(30, 150)), int(rng.integers(2, 7))
    return rng.standard_t(1.2, (n, p)) * 10.0 ** rng.integers(-3, 4, p), np.eye(3)[rng.integers(0, 3, n)]


def softmax_gradient(X, Y, solution):
    """``X'(softmax(X beta + intercept) - Y) / n`` by its formula, and the same for the intercept."""
    eta = X @ solution.beta + solution.intercept
    mu = np.exp(eta - eta.max(axis=1, keepdims=True))
    mu = mu / mu.sum(axis=1, keepdims=True) - Y
    return X.T @ mu / len(X), mu.mean(axis=0)


@pytest.mark.parametrize("seed", range(12))
def test_a_faint_elastic_net_of_heavy_tailed_columns_is_solved(seed):
    X, Y = heavy_tailed(seed)
    kink, ridge = 1e-4, 1e-6
    problem = Problem(as_design(X), Target(Y), Softmax(), ElasticNet(kink, ridge))
    solution = newton_by_blocks(problem)
    assert certify(problem, solution, 1e-8).converged
    g, g_intercept = softmax_gradient(X, Y, solution)
    # 0 is in g + ridge beta + kink sign(beta), sign(0) being [-1, 1]; v is scaled into |v| <= kink for a gap, at a
    # price of the excess over kink relative to it, times Σ kink |beta| < P: so much may be left of tol
    excess = np.where(
        solution.beta == 0.0, np.abs(g) - kink, np.abs(g + ridge * solution.beta + kink * np.sign(solution.beta))
    )
    assert excess.max() <= 1e-3 * kink
    assert np.abs(g_intercept).max() <= 1e-8


def test_a_start_where_rows_are_saturated_leads_to_the_minimum():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((60, 2))
    y = (X[:, 0] + rng.standard_normal(60) > 0.0).astype(float)
    problem = Problem(as_design(X), Target(y), Logistic(), L2(1e-3))
    far = newton_by_blocks(problem, start=(np.array([-300.0, 200.0]), 500.0))
    assert certify(problem, far, 1e-8).converged
    near = newton_by_blocks(problem)
    assert_allclose(far.beta, near.beta, rtol=1e-7)


@pytest.mark.parametrize("tol", [0.0, 1e-14])
def test_a_tolerance_below_rounding_ends_the_iterations(tol):
    X, Y = heavy_tailed(0)
    solution = newton_by_blocks(Problem(as_design(X), Target(Y), Softmax(), L2(1e-2)), tol=tol)
    assert solution.iterations < 30
