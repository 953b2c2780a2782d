"""Rows near a kink by an interior point, the others by their sum."""

import time

import numpy as np
import pytest
from numpy.testing import assert_allclose

from separatrix.core.certificate import certify
from separatrix.core.objective import objective
from separatrix.core.problem import Problem
from separatrix.core.target import Target
from separatrix.core.time_limit import ending_when
from separatrix.designs import as_design
from separatrix.losses import EpsilonInsensitive, Hinge, Logistic, Quantile
from separatrix.losses.rounded import Rounded
from separatrix.penalties import L2, NoPenalty
from separatrix.solvers import near_kinks as room
from separatrix.solvers.choose import solve_kinked
from separatrix.solvers.interior_point import interior_point, weighted_gram
from separatrix.solvers.near_kinks import near_kinks
from separatrix.solvers.on_kinks import on_kinks


def classes(n=400, p=4, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, p))
    return X, np.where(X @ np.arange(1.0, p + 1) + 2.0 * rng.standard_normal(n) > 0.5, 1.0, -1.0)


def stated(X, y, loss=None, C=1.0, s=None, intercept=True):
    target = Target(y, s)
    return Problem(as_design(X), target, loss or Hinge(), L2(1.0 / (C * target.total)), intercept)


def test_rows_far_from_every_kink_may_be_left_out(monkeypatch):
    """By rounds that begin with few rows the same answer is found as by all rows at once."""
    X, y = classes(3000)
    for loss, target in ((Hinge(), y), (EpsilonInsensitive(0.3), X[:, 0] + y)):
        problem = stated(X, target, loss, C=0.1)
        whole = near_kinks(problem)
        monkeypatch.setattr(room, "SMALL", 0)
        for near in (0.3, 0.003):  # too few at first: other rows cross a kink and come into play
            monkeypatch.setattr(room, "NEAR", near)
            parts = near_kinks(problem)
            assert_allclose(parts.beta, whole.beta, atol=1e-11)
            assert_allclose(parts.intercept, whole.intercept, atol=1e-11)
        monkeypatch.undo()


@pytest.mark.mission("MM-19")
def test_few_rows_are_solved_in_their_own_space_with_the_same_answer():
    X, y = classes(30, 80)
    problem = stated(X, y, C=0.05)
    rows, columns = solve_kinked(problem), near_kinks(problem)
    assert_allclose(rows.beta, columns.beta, atol=1e-9)
    assert certify(problem, rows, 1e-10).converged


@pytest.mark.parametrize("loss", [Hinge(), EpsilonInsensitive(0.2), Quantile(0.3)], ids=str)
@pytest.mark.parametrize("C", [1e-6, 1e-2, 1.0, 1e6])
@pytest.mark.parametrize("intercept", [True, False])
def test_gap_and_row_order_vanish_at_every_strength(loss, C, intercept):
    X, y = classes()
    y = y if loss == Hinge() else X[:, 0] + 0.3 * y
    order = np.random.default_rng(1).permutation(len(y))
    solution = near_kinks(stated(X, y, loss, C, intercept=intercept))
    moved = near_kinks(stated(X[order], y[order], loss, C, intercept=intercept))
    assert certify(stated(X, y, loss, C, intercept=intercept), solution, 1e-9).converged
    scores = X @ solution.beta + solution.intercept
    assert_allclose(X @ moved.beta + moved.intercept, scores, atol=1e-8 * np.abs(scores).max())


def test_a_weight_is_a_repetition():
    X, y = classes(120)
    s = np.random.default_rng(2).integers(0, 4, len(y)).astype(float)
    again = np.repeat(np.arange(len(y)), s.astype(int))
    weighted, repeated = near_kinks(stated(X, y, s=s)), near_kinks(stated(X[again], y[again]))
    assert_allclose(weighted.beta, repeated.beta, atol=1e-10)
    assert_allclose(weighted.intercept, repeated.intercept, atol=1e-10)


def test_doubled_rows_on_their_kinks_are_solved_exactly():
    """Rows that are copies leave their dual variables open, and nothing else."""
    X, y = classes(60)
    X, y = np.vstack([X] * 5), np.tile(y, 5)
    solution = near_kinks(stated(X, y, C=0.2))
    assert certify(stated(X, y, C=0.2), solution, 1e-12).converged


def test_the_dual_point_balances_and_gives_the_coefficients():
    X, y = classes()
    solution = near_kinks(stated(X, y))
    assert abs(solution.theta.sum()) < 1e-10
    assert_allclose(-X.T @ solution.theta, solution.beta, atol=1e-9)


def test_a_rounded_loss_is_above_its_loss_by_the_width_at_most():
    y = np.repeat([-1.0, 1.0], 41)
    eta = np.tile(np.linspace(-3.0, 3.0, 41), 2)
    for loss in (Hinge(), EpsilonInsensitive(0.4), Quantile(0.2)):
        for width in (0.1, 1.0):
            sharp, soft = stated(eta[:, None], y, loss), stated(eta[:, None], y, Rounded(loss, width))
            excess = objective(soft, np.ones(1), 0.0) - objective(sharp, np.ones(1), 0.0)
            assert 0.0 < excess <= width / 2.0


def test_time_that_is_over_ends_with_the_best_so_far():
    problem = stated(*classes())
    with ending_when(lambda: True):
        early = near_kinks(problem)
    assert early.iterations == 0 and not certify(problem, early, 1e-8).converged
    start = time.perf_counter()
    with ending_when(lambda: time.perf_counter() > start + 60.0):
        assert certify(problem, near_kinks(problem), 1e-8).converged


@pytest.mark.parametrize("loss, penalty", [(Logistic(), L2(0.1)), (Hinge(), NoPenalty())])
def test_what_it_cannot_solve_is_refused_in_words(loss, penalty):
    X, y = classes(20)
    with pytest.raises(ValueError, match="Cannot solve with near_kinks"):
        near_kinks(Problem(as_design(X), Target(y), loss, penalty))


def test_the_interior_point_ends_at_the_optimum_of_one_row():
    """½ x² + (2 - x)_+ is least at x = 1, where the row pulls with all its weight, and at 2 with a weight of 3."""
    for weight, x in ((1.0, 1.0), (3.0, 2.0)):
        given = np.array([[-1.0]]), np.array([-2.0]), np.array([weight]), np.zeros(1), np.ones(1)
        point, z, _ = interior_point(*given, np.zeros(1), width=1.0, gap=1e-14)
        assert_allclose(point, x, atol=1e-6)
        assert_allclose(z, min(weight, 2.0), atol=1e-6)
        assert_allclose(np.concatenate(on_kinks(*given, point, z)), [x, min(weight, 2.0)], rtol=1e-15)


def test_a_gram_matrix_by_blocks_is_that_of_the_whole():
    rng = np.random.default_rng(3)
    A, theta = rng.standard_normal((70_000, 3)), rng.random(70_000)
    assert_allclose(weighted_gram(A, theta), A.T @ (theta[:, None] * A), rtol=1e-12)
