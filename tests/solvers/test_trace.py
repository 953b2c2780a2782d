"""A trace, on request, shows the objective falling to where the certificate says it is."""

from itertools import pairwise

import numpy as np
import pytest

from separatrix import plots
from separatrix.core.certificate import certify
from separatrix.core.errors import NotCertified
from separatrix.core.fenchel import duality_gap
from separatrix.core.objective import gap_unit
from separatrix.core.problem import Problem
from separatrix.core.solution import Solution, Trace
from separatrix.core.target import Target
from separatrix.designs import as_design
from separatrix.linear_model import ElasticNet, Lasso, LinearRegression, Ridge
from separatrix.losses import Logistic, Squared
from separatrix.penalties import L1, L2, NoPenalty, Separable
from separatrix.solvers.conjugate_gradient import conjugate_gradient
from separatrix.solvers.direct import least_squares
from separatrix.solvers.newton_by_blocks import newton_by_blocks
from separatrix.solvers.newton_raphson import newton
from separatrix.solvers.proximal_newton import proximal_newton
from separatrix.solvers.quasi_newton import quasi_newton

INF = np.full(4, np.inf)


def correlated(n, p, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, p)) + 0.5 * rng.standard_normal((n, 1))
    return X, X[:, :4] @ [3.0, -2.0, 1.0, 0.5] + rng.standard_normal(n)


def objective(model, X, y, l1, l2):
    r = y - model.predict(X)
    return r @ r / (2 * len(y)) + l1 * np.abs(model.coef_).sum() + 0.5 * l2 * model.coef_ @ model.coef_


@pytest.mark.parametrize(
    "model, l1, l2",
    [
        (Lasso(alpha=0.05, trace=True), 0.05, 0.0),
        (ElasticNet(alpha=0.1, l1_ratio=0.3, trace=True), 0.03, 0.07),
        (Ridge(alpha=4.0, trace=True), 0.0, 4.0 / 300),
    ],
    ids=["lasso", "elastic net", "ridge"],
)
def test_the_last_objective_of_a_trace_is_that_of_the_model(model, l1, l2):
    X, y = correlated(300, 600 if l1 else 20)
    model.fit(X, y)
    assert len(model.trace_) >= 1
    assert model.trace_.objective[-1] == pytest.approx(objective(model, X, y, l1, l2), rel=1e-9)
    falling = model.trace_.objective
    assert all(after <= before * (1 + 1e-12) for before, after in pairwise(falling))


def test_conjugate_gradients_leave_a_trace_of_falling_gaps():
    X, y = correlated(400, 30_000)
    model = Ridge(alpha=1.0, trace=True).fit(X, y)
    gaps = model.trace_.certificate
    assert len(gaps) > 3
    assert gaps[-1] <= model.tol < gaps[0]


def test_two_strengths_leave_the_objectives_of_both_in_one_trace():
    """y in thousands: the null model of each output has the objective mean(y²) / 2 about its mean."""
    X, y = correlated(400, 30_000)
    Y = np.column_stack([1000.0 * y, 500.0 * y])
    trace = Ridge([1.0, 2.0], trace=True).fit(X, Y).trace_
    alone = Ridge(1.0, trace=True).fit(X, Y[:, 0]).trace_
    np.testing.assert_allclose(trace.objective[: len(alone)], alone.objective, rtol=1e-9)
    for null, column in zip((trace.objective[0], trace.objective[len(alone)]), Y.T):
        assert null == pytest.approx(column.var() / 2.0, rel=1e-9)


SOLVED = {
    "quasi_newton": (quasi_newton, Logistic(), L2(0.1)),
    "quasi_newton without a penalty": (quasi_newton, Logistic(), NoPenalty()),
    "newton": (newton, Logistic(), L2(0.1)),
    "newton_by_blocks": (newton_by_blocks, Logistic(), L1(0.01)),
    "proximal_newton": (proximal_newton, Logistic(), L1(0.01)),
    "least_squares": (least_squares, Squared(), L2(0.1)),
    "conjugate_gradient": (conjugate_gradient, Squared(), Separable(np.zeros(4), np.arange(4.0), -INF, INF)),
}


@pytest.mark.parametrize("name", SOLVED)
def test_the_certificates_of_a_trace_are_those_that_certify_gives(name):
    solve, loss, penalty = SOLVED[name]
    X, y = correlated(80, 4)
    problem = Problem(as_design(X), Target(y if loss == Squared() else (y > 0.0).astype(float)), loss, penalty)
    trace = Trace(coefficients=[])
    solve(problem, tol=1e-9, trace=trace)
    assert len(trace) > 1
    for beta, intercept, value in zip(trace.coefficients, trace.intercepts, trace.certificate, strict=True):
        assert value == certify(problem, Solution(beta, float(intercept)), 1e-9).value


def test_descents_leave_no_certificates_in_a_trace():
    X, y = correlated(80, 4)
    model = LinearRegression(solver="gradient", trace=True, max_iter=5, learning_rate=1e-3)
    with pytest.warns(NotCertified):
        model.fit(X, y)
    assert model.trace_.certificate == [None] * 6
    assert [line.get_label() for line in plots.trace(model).lines if not line.get_label().startswith("_")] == [
        "objective above its lowest"
    ]


@pytest.mark.parametrize("model", [Lasso(), ElasticNet(), Ridge(), LinearRegression()], ids=lambda m: type(m).__name__)
def test_no_trace_is_kept_unasked(model):
    X, y = correlated(50, 5)
    assert not hasattr(model.fit(X, y), "trace_")


@pytest.mark.parametrize("tol", [1e-3, 1e-5])
@pytest.mark.parametrize("intercept", [False, True])
def test_l2_iterations_end_soon_after_the_gap_is_within_a_loose_tolerance(tol, intercept):
    rng = np.random.default_rng(4)
    X = rng.standard_normal((20_000, 60)) @ np.diag(np.linspace(0.2, 3.0, 60))
    y = (X[:, 0] + X[:, 1] + rng.standard_normal(20_000) > 0.0).astype(np.float64)
    problem = Problem(as_design(X), Target(y), Logistic(), L2(1e-4), intercept)
    trace = Trace(coefficients=[])
    solution = quasi_newton(problem, tol=tol, trace=trace)
    assert certify(problem, solution, tol).converged
    # the solver stops by Fenchel's bound; the certificate may know a tighter one, sooner
    points = zip(trace.coefficients, trace.intercepts, strict=True)
    gaps = np.array([duality_gap(problem, beta, at) for beta, at in points]) / gap_unit(problem)
    assert len(gaps) - 1 - int(np.argmax(gaps <= tol)) <= 1
