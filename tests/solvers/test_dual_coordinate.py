"""Dual coordinate ascent: the answers of the interior point, by another way."""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose

from separatrix.core.certificate import certify
from separatrix.core.problem import Problem
from separatrix.core.target import Target
from separatrix.designs import as_design
from separatrix.losses import EpsilonInsensitive, Hinge, Quantile
from separatrix.penalties import L2, Separable
from separatrix.solvers import choose
from separatrix.solvers.compiled.dual_coordinate import squares_of_rows
from separatrix.solvers.dual_ascent import DualAscent
from separatrix.solvers.dual_coordinate import dual_coordinate
from separatrix.solvers.hinges import Pieces
from separatrix.solvers.near_kinks import near_kinks


def stated(loss, intercept, sparse, n=120, p=30):
    rng = np.random.default_rng(5)
    X = rng.standard_normal((n, p)) * (rng.random((n, p)) < 0.3)
    y = X[:, :5].sum(axis=1) + 0.5 * rng.standard_normal(n) + 0.4
    target = Target(np.where(y > 0.0, 1.0, -1.0) if loss == Hinge() else y, rng.integers(0, 3, n).astype(float))
    return Problem(as_design(sp.csr_array(X) if sparse else X), target, loss, L2(0.02), intercept)


@pytest.mark.mission("MM-19")
@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("intercept", [False, True])
@pytest.mark.parametrize("loss", [Hinge(), EpsilonInsensitive(0.2)], ids=str)
def test_primal_and_dual_end_at_the_same_coefficients(loss, intercept, sparse):
    """Both gaps are below 1e-10 of the null model, so that coefficients differ by less than its root over the ridge."""
    problem = stated(loss, intercept, sparse)
    ours, other = dual_coordinate(problem, tol=1e-11, max_iter=20_000), near_kinks(problem)
    assert certify(problem, ours, 1e-9).converged
    assert_allclose(ours.beta, other.beta, atol=2e-4)
    assert_allclose(ours.intercept, other.intercept, atol=1e-2)


def test_many_columns_are_solved_one_row_at_a_time(monkeypatch):
    monkeypatch.setattr(choose, "NEWTON_COLUMNS", 10)
    problem = stated(Hinge(), True, True)
    solution = choose.solve_kinked(problem)
    assert solution.passes == solution.iterations > 0 and certify(problem, solution, 1e-8).converged


def test_squares_of_rows_are_those_of_numpy():
    X = np.random.default_rng(0).standard_normal((7, 3))
    out = np.empty(7)
    squares_of_rows(as_design(X).rows_atom(), np.zeros(3), out)
    assert_allclose(out, (X**2).sum(axis=1), rtol=1e-13)


def test_ridges_that_differ_are_refused_in_words():
    problem = stated(Hinge(), True, False)
    penalty = Separable(np.zeros(30), np.arange(1.0, 31.0), np.full(30, -np.inf), np.full(30, np.inf))
    with pytest.raises(ValueError, match="ridges of their own"):
        dual_coordinate(Problem(problem.design, problem.target, Hinge(), penalty))


@pytest.mark.parametrize("loss", [Hinge(), EpsilonInsensitive(0.2), Quantile(0.3)], ids=str)
def test_hinges_at_rest_pull_nothing_where_they_can(loss):
    pieces = Pieces.of(stated(loss, True, False))
    assert_allclose(pieces.slopes(pieces.rest), 0.0, atol=1e-16)
    assert (pieces.rest >= 0.0).all() and (pieces.rest <= pieces.weight).all()


def test_a_new_order_holds_every_hinge_once():
    problem = stated(Hinge(), True, False)
    ascent = DualAscent(problem, None, 0.0, np.arange(problem.design.n))
    some = np.flatnonzero(np.arange(problem.design.n) % 7)
    order = ascent.shuffled(some)
    assert (np.sort(order) == some).all() and (order != some).any()
