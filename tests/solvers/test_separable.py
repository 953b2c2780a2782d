"""Strengths and bounds for single coefficients: optimality in extended precision, and other people's solvers."""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose
from scipy.optimize import lsq_linear, minimize
from scipy.special import expit

from separatrix.core.certificate import certify
from separatrix.core.problem import Problem
from separatrix.core.target import Target
from separatrix.designs import as_design
from separatrix.losses import Logistic, Softmax, Squared
from separatrix.penalties import L1, Separable
from separatrix.solvers.path import path
from separatrix.solvers.proximal_newton import proximal_newton

INF = np.inf
P = 40
WIDE = np.longdouble


def rows(n=80, seed=0, k=2):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, P)) * (rng.random((n, P)) < 0.8) + 0.2
    eta = X[:, :6] @ np.array([1.0, -2.0, 0.5, 1.0, -0.7, 0.3]) + rng.logistic(size=n)
    return X, eta, rng.integers(1, 4, n).astype(float)


def penalty(kind):
    kink, ridge, low, high = np.full(P, 0.05), np.zeros(P), np.full(P, -INF), np.full(P, INF)
    if kind == "factors":
        kink = 0.05 * np.linspace(0.5, 3.0, P)
    elif kind == "free columns":
        kink[[0, 5, 20]] = 0.0
    elif kind == "bounds":
        low, high = np.full(P, -0.3), np.full(P, 0.2)
        low[1], high[7] = 0.0, 0.0
    elif kind == "ridge and bounds":
        kink, ridge, low, high = np.zeros(P), np.full(P, 0.05), np.full(P, -0.1), np.full(P, 0.4)
    elif kind == "all at once":
        kink[[0, 5]], ridge[3:9], low[10:20], high[:12] = 0.0, 0.1, 0.0, 0.3
    return Separable(kink, ridge, low, high)


KINDS = ["factors", "free columns", "bounds", "ridge and bounds", "all at once"]


def broken(X, u, s, parts, beta):
    """The worst distance of minus the gradient from the slopes of the penalty, in extended precision; and 1's."""
    X, u, s, b = X.astype(WIDE), u.astype(WIDE), s.astype(WIDE), beta.astype(WIDE)
    v = -(X.T @ (s * u)) / s.sum() - parts.ridge * b
    least = np.where(b <= parts.low, -INF, np.where(b == 0, -parts.kink, parts.kink * np.sign(b)))
    most = np.where(b >= parts.high, INF, np.where(b == 0, parts.kink, parts.kink * np.sign(b)))
    return float(np.maximum(least - v, v - most).max()), float(abs((s * u).sum() / s.sum()))


@pytest.mark.parametrize("hold", [np.asarray, sp.csc_array], ids=["dense", "sparse"])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("loss", [Squared(), Logistic()], ids=str)
def test_the_optimality_conditions_hold_and_are_certified(loss, kind, weighted, hold):
    X, eta, s = rows()
    y = eta if isinstance(loss, Squared) else (eta > 0.0).astype(float)
    parts = penalty(kind)
    problem = Problem(as_design(hold(X)), Target(y, s if weighted else None), loss, parts)
    solution = proximal_newton(problem)
    score = X.astype(WIDE) @ solution.beta + solution.intercept
    u = score - y if isinstance(loss, Squared) else 1.0 / (1.0 + np.exp(-score)) - y
    assert np.all((parts.low <= solution.beta) & (solution.beta <= parts.high))
    assert max(broken(X, u, s if weighted else np.ones(len(y)), parts, solution.beta)) < 1e-10
    assert certify(problem, solution, 1e-8).converged


@pytest.mark.parametrize("intercept", [False, True])
def test_bounded_least_squares_is_that_of_scipy(intercept):
    X, y, _ = rows()
    free = np.zeros(P)
    problem = Problem(
        as_design(X), Target(y), Squared(), Separable(free, free, np.full(P, -0.2), np.full(P, 0.3)), intercept
    )
    ours = proximal_newton(problem, tol=1e-12)
    centre = X.mean(axis=0) if intercept else 0.0
    theirs = lsq_linear(X - centre, y - (y.mean() if intercept else 0.0), (-0.2, 0.3), tol=1e-14, method="bvls")
    assert_allclose(ours.beta, theirs.x, atol=1e-9)
    assert certify(problem, ours, 1e-8).converged


def test_bounded_ridge_logistic_regression_is_that_of_scipy():
    X, eta, _ = rows()
    y, parts = (eta > 0.0).astype(float), penalty("ridge and bounds")

    def objective(w):
        score = X @ w[1:] + w[0]
        u = (expit(score) - y) / len(y)
        value = np.mean(np.logaddexp(0.0, score) - y * score) + 0.025 * w[1:] @ w[1:]
        return value, np.append(u.sum(), X.T @ u + 0.05 * w[1:])

    bounds = [(None, None)] + [(-0.1, 0.4)] * P
    options = {"maxiter": 10_000, "ftol": 1e-16, "gtol": 1e-12}
    theirs = minimize(objective, np.zeros(P + 1), jac=True, bounds=bounds, method="L-BFGS-B", options=options)
    ours = proximal_newton(Problem(as_design(X), Target(y), Logistic(), parts))
    assert_allclose(ours.beta, theirs.x[1:], atol=1e-6)
    assert_allclose(ours.intercept, theirs.x[0], atol=1e-6)


def test_the_adaptive_lasso_is_a_lasso_on_scaled_columns():
    X, y, _ = rows()
    factors = np.linspace(0.5, 3.0, P)
    ours = proximal_newton(Problem(as_design(X), Target(y), Squared(), penalty("factors")))
    scaled = proximal_newton(Problem(as_design(X / factors), Target(y), Squared(), L1(0.05)))
    assert_allclose(ours.beta, scaled.beta / factors, atol=1e-12)


def test_unpenalised_columns_of_three_classes_sum_to_zero():
    X, eta, _ = rows()
    problem = Problem(
        as_design(X), Target(np.eye(3)[np.digitize(eta, [-1.0, 1.0])]), Softmax(), penalty("free columns")
    )
    solution = proximal_newton(problem)
    assert_allclose(solution.beta[[0, 5, 20]].sum(axis=1), 0.0, atol=1e-12)
    assert certify(problem, solution, 1e-8).converged


@pytest.mark.parametrize("loss", [Squared(), Logistic()], ids=str)
@pytest.mark.parametrize("n", [30, 80])  # working sets, and one Gram matrix
def test_a_path_with_unpenalised_and_bounded_columns_ends_where_single_fits_end(loss, n):
    X, eta, _ = rows(n=n)
    y = eta if isinstance(loss, Squared) else (eta > 0.0).astype(float)
    unit = penalty("all at once")
    penalties = [unit._replace(kink=a * unit.kink, ridge=a * unit.ridge) for a in (6.0, 3.0, 1.5)]
    problem = Problem(as_design(X), Target(y), loss, unit)
    coefficients, intercepts, *_ = path(problem, (6.0, 3.0, 1.5), unit.scaled, tol=1e-12)
    for place, each in enumerate(penalties):
        alone = proximal_newton(Problem(as_design(X), Target(y), loss, each), tol=1e-12)
        assert_allclose(coefficients[place], alone.beta, atol=1e-6)
        assert_allclose(intercepts[place], alone.intercept, atol=1e-6)


def test_a_path_with_an_unpenalised_column_of_one_bound_takes_few_sweeps():
    """The conjugate of such a column is infinite on one side: a gap made of it would never fall to the tolerance."""
    X, eta, _ = rows(n=80)
    p = X.shape[1]
    for j in range(8):  # of which sign rounding leaves the gradient of column j is chance
        unit = Separable((np.arange(p) != j).astype(float), np.zeros(p), np.full(p, -0.5), np.full(p, np.inf))
        problem = Problem(as_design(X), Target(eta), Squared(), unit)
        sweeps = path(problem, np.geomspace(3.0, 3e-3, 20), unit.scaled, tol=1e-8, max_iter=10)[3]
        assert sweeps.max() <= 100


def test_a_path_goes_on_while_a_column_left_out_wants_in():
    """Solving a set of columns may make another one want in, although the gap has hardly fallen."""
    for seed in range(40):
        rng = np.random.default_rng(seed)
        X = rng.standard_normal((25, 200)) + 2.0 * rng.standard_normal((25, 1))
        y = (X[:, :5] @ rng.standard_normal(5) + rng.standard_normal(25) > 0.0).astype(float)
        if 0.0 < y.mean() < 1.0:
            strengths = np.geomspace(1.0, 1e-3, 12) * np.abs(X.T @ (y - y.mean())).max() / 25
            for loss in (Logistic(), Squared()):
                problem = Problem(as_design(X), Target(y), loss, L1(1.0))
                gaps = path(problem, strengths, L1, tol=1e-9)[2]
                assert gaps.max() <= 1e-9, (seed, loss)
