"""Dual coordinate ascent of smooth losses: scikit-learn's coefficients, and the way to gradients where it is slow."""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose
from scipy.optimize import brentq
from scipy.special import expit
from sklearn.linear_model import LogisticRegression

from separatrix.core.certificate import certify
from separatrix.core.problem import Problem
from separatrix.core.solution import Trace
from separatrix.core.target import Target
from separatrix.designs import as_design
from separatrix.losses import Hinge, Huber, Logistic, SquaredHinge
from separatrix.penalties import L2, Separable
from separatrix.solvers import choose
from separatrix.solvers import dual_coordinate_smooth as room
from separatrix.solvers.compiled.dual_coordinate import best_slope
from separatrix.solvers.dual_coordinate_smooth import dual_coordinate_smooth
from separatrix.solvers.quasi_newton import quasi_newton


def stated(loss, intercept=True, lam=0.02, n=120, p=30, order=None):
    rng = np.random.default_rng(5)
    X = rng.standard_normal((n, p)) * (rng.random((n, p)) < 0.3)
    y = X[:, :5].sum(axis=1) + 0.5 * rng.standard_normal(n) + 0.4
    y = {"Logistic": np.where(y > 0.0, 1.0, 0.0), "SquaredHinge": np.where(y > 0.0, 1.0, -1.0)}.get(
        type(loss).__name__, y
    )
    s = rng.integers(0, 3, n).astype(float)
    order = np.arange(n) if order is None else order
    return Problem(as_design(sp.csr_array(X[order])), Target(y[order], s[order]), loss, L2(lam), intercept)


@pytest.mark.parametrize("intercept", [False, True])
def test_logistic_coefficients_are_those_of_scikit_learn(intercept):
    """Newton's method, run until rounding; C is 1 / (lam Σs)."""
    problem = stated(Logistic(), intercept)
    design, target = problem.design, problem.target
    C = 1.0 / (0.02 * target.total)
    theirs = LogisticRegression(C=C, tol=1e-13, solver="newton-cholesky", fit_intercept=intercept, max_iter=1000)
    theirs.fit(design.X.toarray(), target.y, sample_weight=target.weights)
    ours = dual_coordinate_smooth(problem)
    assert ours.details["reached"] and certify(problem, ours, 1e-10).converged
    assert_allclose(ours.beta, theirs.coef_[0], atol=1e-9)
    assert_allclose(ours.intercept, np.ravel(theirs.intercept_)[0], atol=1e-9)


@pytest.mark.parametrize("loss", [SquaredHinge(), Huber(0.5)], ids=str)
def test_other_smooth_losses_end_where_gradients_do(loss):
    problem = stated(loss)
    ours, other = dual_coordinate_smooth(problem), quasi_newton(problem, tol=1e-11, max_iter=1000)
    assert certify(problem, ours, 1e-10).converged
    assert_allclose(ours.beta, other.beta, atol=1e-8)


def test_the_order_of_the_rows_does_not_show():
    """Below 1e-7 passes go on until the square of the distance is tol^2.5."""
    order = np.random.default_rng(0).permutation(120)
    one, other = (dual_coordinate_smooth(stated(Logistic(), order=o)) for o in (None, order))
    assert_allclose(one.beta, other.beta, atol=1e-9)


@pytest.mark.parametrize("step", [1e-6, 1.0, 1e3, 1e6])
@pytest.mark.parametrize("goal", [-800.0, -3.0, 0.2, 40.0, 3000.0])
def test_a_step_solves_its_equation(step, goal):
    """As brentq of scipy does: ``e + step (expit(e) - y) = goal``, from a score on either side."""
    root = brentq(lambda e: e + step * (expit(e) - 1.0) - goal, goal - 1.0, goal + step + 1.0, xtol=1e-12, rtol=1e-14)
    for eta in (goal - 5.0, goal + 7.0):
        place, slope = best_slope(Logistic(), 1.0, eta, step, goal)
        assert abs(place - root) <= 2e-6 * abs(eta + step * (expit(eta) - 1.0) - goal) + 1e-9 * abs(goal)
        assert_allclose(slope, expit(place) - 1.0, atol=1e-15)


def sparse_and_large(monkeypatch):
    monkeypatch.setattr(choose, "NEWTON_COLUMNS", 10)
    monkeypatch.setattr(choose, "ALL", 10)


def test_sparse_rows_with_many_columns_are_solved_in_turn(monkeypatch):
    sparse_and_large(monkeypatch)
    problem = stated(Logistic())
    solution = choose.solve_likelihood(problem)
    assert solution.details["reached"] and certify(problem, solution, 1e-8).converged


def test_where_passes_are_slow_gradients_take_their_place(monkeypatch):
    sparse_and_large(monkeypatch)
    monkeypatch.setattr(choose, "SLOWEST", np.inf)
    monkeypatch.setattr(room, "NEAR", 0.0)
    problem = stated(Logistic())
    solution, alone = choose.solve_likelihood(problem), quasi_newton(problem)
    assert solution.iterations - alone.iterations == 1 + room.PACED
    assert_allclose(solution.beta, alone.beta, rtol=1e-13)


def test_passes_that_are_near_go_on_however_slow():
    assert dual_coordinate_smooth(stated(Logistic()), slowest=2.0).details["reached"]


def test_max_iter_counts_passes_and_each_is_traced():
    trace = Trace()
    solution = dual_coordinate_smooth(stated(Logistic()), max_iter=3, trace=trace)
    assert solution.iterations == solution.passes == len(trace.objective) == 3
    assert not solution.details["reached"] and trace.certificate[2] < trace.certificate[0]


@pytest.mark.parametrize(
    ("loss", "ridge", "words"),
    [
        (Hinge(), np.full(30, 0.02), "curvature of Hinge has no bound"),
        (Logistic(), np.arange(1.0, 31.0), "ridges of their own"),
        (Logistic(), np.arange(30.0), "a coefficient is not penalised"),
    ],
)
def test_what_it_cannot_solve_is_refused_in_words(loss, ridge, words):
    problem = stated(Logistic())
    penalty = Separable(np.zeros(30), ridge, np.full(30, -np.inf), np.full(30, np.inf))
    with pytest.raises(ValueError, match=words):
        dual_coordinate_smooth(Problem(problem.design, problem.target, loss, penalty))
