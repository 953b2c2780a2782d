"""The certified gap is never below the true one, to the last digit; and it is tight where it should be."""

import sys
from functools import cache
from pathlib import Path

import mpmath as mp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from separatrix.core.certificate import certify, duality_gap
from separatrix.core.objective import null_objective, objective
from separatrix.core.problem import Problem
from separatrix.core.solution import Solution
from separatrix.core.target import Target
from separatrix.designs import DenseDesign, as_design
from separatrix.losses import Huber, Logistic, Quantile, Squared
from separatrix.penalties import L1, L2, Bounded, ElasticNet, NoPenalty

sys.path.insert(0, str(Path(__file__).parent))
from exact_problems import DIGITS, exact_objective, optimum, random_problem

COMBINATIONS = {
    "lasso": (Squared(), L1(0.2)),
    "ridge": (Squared(), L2(0.3)),
    "elastic net": (Squared(), ElasticNet(0.2, 0.1)),
    "positive lasso": (Squared(), ElasticNet(0.2, 0.0, True)),
    "positive elastic net": (Squared(), ElasticNet(0.1, 0.1, True)),
    "non-negative least squares": (Squared(), ElasticNet(0.0, 0.0, True)),
    "least squares": (Squared(), NoPenalty()),
    "logistic lasso": (Logistic(), L1(0.05)),
    "logistic ridge": (Logistic(), L2(0.1)),
    "median lasso": (Quantile(0.5), L1(0.05)),
    "decile lasso": (Quantile(0.9), L1(0.02)),
    "median": (Quantile(0.5), NoPenalty()),
    "quantile ridge at zero": (Quantile(0.3), L2(0.0)),
}
PLACES = {"near zero": (0.0, 0.0), "y far": (0.0, 1e7), "X far": (1e5, 0.0), "both far": (-3e4, 1e6)}


@cache
def solved(name, place, intercept, weighted, seed):
    x_mean, y_mean = PLACES[place]
    problem = random_problem(
        seed, *COMBINATIONS[name], intercept=intercept, x_mean=x_mean, y_mean=y_mean, weighted=weighted, n=7
    )
    with mp.workdps(DIGITS):
        return problem, optimum(problem)


def gaps(problem, best, beta, intercept, u=None):
    """(certified gap, true gap) at floats beta, intercept."""
    with mp.workdps(DIGITS):
        true = exact_objective(problem, [mp.mpf(float(b)) for b in beta], mp.mpf(float(intercept))) - best[0]
        assert true >= -(mp.mpf(10) ** -40), "the exact optimum is one"
        return duality_gap(problem, beta, intercept, u), true


@pytest.mark.parametrize("name", COMBINATIONS)
@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("weighted", [True, False])
def test_the_certified_gap_is_never_below_the_true_gap(name, place, intercept, weighted):
    rng = np.random.default_rng(17)
    for seed in range(2):
        problem, best = solved(name, place, intercept, weighted, seed)
        top = np.array([float(b) for b in best[1]])
        height = float(best[2])
        for distance in (0.0, 1e-12, 1e-9, 1e-7, 1e-5, 1e-2, 3.0):
            for _ in range(4):
                beta = top + distance * rng.normal(size=2)
                b0 = height + distance * rng.normal() if intercept else 0.0
                if getattr(problem.penalty, "positive", False):
                    beta = np.maximum(beta, 0.0)
                certified, true = gaps(problem, best, beta, b0)
                assert certified >= true


TIGHT = [n for n in COMBINATIONS if isinstance(COMBINATIONS[n][0], Squared)]


@pytest.mark.parametrize("name", TIGHT)
@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("weighted", [True, False])
def test_the_gap_vanishes_at_the_optimum_of_a_smooth_loss(name, intercept, weighted):
    for seed in range(2):
        problem, best = solved(name, "near zero", intercept, weighted, seed)
        beta = np.array([float(b) for b in best[1]])
        gap = duality_gap(problem, beta, float(best[2]))
        # part of the gap is the bound on its own rounding, some hundred units in the last place
        assert gap <= 1e-12 * null_objective(problem)


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("name", TIGHT)
def test_a_far_mean_does_not_keep_a_good_answer_from_its_certificate(name, place):
    problem, best = solved(name, place, True, False, 0)
    beta = np.array([float(b) for b in best[1]])
    certificate = certify(problem, Solution(beta, float(best[2])), 1e-8)
    assert certificate.converged


@settings(max_examples=60, deadline=None)
@given(st.lists(st.floats(-1.0, 1.0), min_size=7, max_size=7), st.sampled_from(["median lasso", "median", "lasso"]))
def test_any_dual_point_gives_a_true_bound(numbers, name):
    """A solver may hand over any u, even a bad one: the bound gets loose, never false."""
    problem, best = solved(name, "near zero", True, False, 0)
    certified, true = gaps(problem, best, [0.9, -0.4], 0.1, np.array(numbers))
    assert certified >= true


def test_a_dual_point_on_the_edge_of_the_domain_is_not_lost_to_rounding():
    """u_i = -q or 1 - q in most rows of a quantile fit; centring must not push them over the edge."""
    y = np.array([0.1, 0.2, 0.7, 1.1, 5.3, 6.0, 7.7])
    problem = Problem(DenseDesign(np.zeros((7, 1))), Target(y), Quantile(0.3), L1(1.0), True)
    u = np.where(y > 0.7, -0.3, 0.7)
    u[2] = -(u.sum() - u[2])
    gap = duality_gap(problem, np.zeros(1), 0.7, u)
    assert gap <= 1e-14 * 7.7


@pytest.mark.parametrize("slope", [1e-2, 1e-5, 1e-8])
def test_a_small_slope_is_not_taken_for_rounding(slope):
    """Least squares at beta = 0 where the optimum is `slope`: the gap is slope² Σx² / 2n, however small."""
    x = np.array([1.0, -1.0, 2.0, -2.0])
    y = slope * x + np.array([1.0, 1.0, -1.0, -1.0])  # the second part is orthogonal to x
    problem = Problem(DenseDesign(x[:, None]), Target(y), Squared(), NoPenalty(), False)
    assert duality_gap(problem, np.zeros(1), 0.0) >= slope * slope * 10.0 / 8.0


def test_a_row_of_no_weight_does_not_spoil_the_bound():
    X, y = np.array([[1.0], [2.0], [3.0]]), np.array([1.0, 2.0, 1e9])
    for loss in (Quantile(0.5), Huber(1.0), Squared()):
        with_row = Problem(DenseDesign(X), Target(y, np.array([1.0, 1.0, 0.0])), loss, L1(0.1), False)
        without = Problem(DenseDesign(X[:2]), Target(y[:2]), loss, L1(0.1), False)
        assert duality_gap(with_row, np.array([0.5]), 0.0) == pytest.approx(duality_gap(without, np.array([0.5]), 0.0))


def test_the_gap_of_a_forbidden_point_is_infinite():
    problem = random_problem(0, Squared(), ElasticNet(0.1, 0.1, True), intercept=True)
    assert duality_gap(problem, np.array([-1.0, 1.0]), 0.0) == np.inf


@pytest.mark.parametrize("penalty", [L1(0.01), L2(0.1), ElasticNet(0.01, 0.1)], ids=str)
@pytest.mark.parametrize("loss", [Logistic(), Huber(0.5)], ids=str)
def test_the_gap_bounds_what_a_long_descent_still_gains(loss, penalty):
    """For losses without a closed optimum: proximal gradient steps from beta never gain more than the gap."""
    from separatrix.core.objective import fill_slopes
    from separatrix.core.verbs import prox

    rng = np.random.default_rng(5)
    X = rng.normal(size=(40, 3))
    y = (X @ [1.0, -1.0, 0.0] + rng.normal(size=40) > 0).astype(float)
    problem = Problem(DenseDesign(X), Target(y), loss, penalty, True)
    beta, intercept, g = np.zeros(3), 0.0, np.empty(40)
    step = 1.0 / (np.linalg.norm(X, 2) ** 2 / 40 + 1.0)
    seen = []
    for pass_ in range(2001):
        if pass_ % 50 == 0:
            seen.append((objective(problem, beta, intercept), duality_gap(problem, beta, intercept)))
        fill_slopes(loss, y, X @ beta + intercept, g)
        beta = np.array([prox(penalty, b, step) for b in beta - step * X.T @ g / 40])
        intercept -= step * g.mean()
    last = objective(problem, beta, intercept)
    assert all(gap >= here - last for here, gap in seen)
    assert seen[-1][1] <= 1e-6


@pytest.mark.parametrize("parts", [(-1.0, 0.0), (0.1, -5.0), (np.nan, 0.0), (0.1, 0.0, 0.5), (0.1, 0.0, -1.0, np.nan)])
def test_a_penalty_that_is_not_convex_is_not_certified(parts):
    problem = Problem(as_design(np.eye(3)), Target(np.arange(3.0)), Squared(), Bounded(*parts))
    with pytest.raises(ValueError, match="not convex, or its bounds leave 0 out"):
        certify(problem, Solution(np.zeros(3), 0.0), 1e-8)
