"""Every solver, on every problem it says it solves: certified by code that is not its own, whatever the storage."""

import ast
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp

import separatrix
from separatrix.core.certificate import duality_gap
from separatrix.core.objective import null_objective
from separatrix.core.problem import Problem
from separatrix.core.separable import as_separable
from separatrix.core.target import Target
from separatrix.designs import as_design
from separatrix.linear_model import SGDRegressor
from separatrix.losses import Logistic, Quantile, Squared
from separatrix.penalties import L1, L2, ElasticNet
from separatrix.solvers import linear_program
from separatrix.solvers.conjugate_gradient import conjugate_gradient
from separatrix.solvers.descent import descend
from separatrix.solvers.direct import least_squares
from separatrix.solvers.dual import dual_ridge
from separatrix.solvers.dual_coordinate import dual_coordinate
from separatrix.solvers.dual_coordinate_smooth import dual_coordinate_smooth
from separatrix.solvers.near_kinks import near_kinks
from separatrix.solvers.newton_by_blocks import newton_by_blocks
from separatrix.solvers.newton_raphson import newton
from separatrix.solvers.nonnegative import nonnegative_least_squares
from separatrix.solvers.path import path
from separatrix.solvers.proximal_newton import proximal_newton
from separatrix.solvers.quasi_newton import quasi_newton
from separatrix.solvers.reweighted import reweighted

ROOM = Path(separatrix.__file__).parent / "solvers"


def at_the_end_of_a_path(problem):
    unit = as_separable(problem.penalty, problem.design.p)

    def penalty_at(strength):
        return unit._replace(kink=strength * unit.kink, ridge=strength * unit.ridge)

    coefficients, intercepts, gaps, _ = path(problem, (4.0, 2.0, 1.0), penalty_at)
    assert gaps.max() <= 1e-8
    return type("Answer", (), {"beta": coefficients[-1], "intercept": intercepts[-1], "theta": None})


def walked_by_its_estimator(problem):
    model = SGDRegressor(
        alpha=problem.penalty.lam,
        fit_intercept=problem.intercept,
        learning_rate="adaptive",
        eta0=0.05,
        max_iter=2000,
        tol=1e-9,
        random_state=0,
    ).fit(problem.design.X, problem.target.y)
    return type("Answer", (), {"beta": model.coef_, "intercept": float(np.ravel(model.intercept_)[0]), "theta": None})


NETS = [ElasticNet(0.05, 0.0), ElasticNet(0.05, 0.1), ElasticNet(0.05, 0.1, True)]
# file -> (how it is called, loss, penalties it takes, the relative gap it owes)
SOLVERS = {
    "direct": (least_squares, Squared(), [L2(0.01), L2(2.0)], 1e-13),
    "conjugate_gradient": (conjugate_gradient, Squared(), [L2(0.01), L2(2.0)], 1e-13),
    "dual": (dual_ridge, Squared(), [L2(0.01), L2(2.0)], 1e-13),
    "nonnegative": (nonnegative_least_squares, Squared(), [ElasticNet(0.0, 0.5, True)], 1e-12),
    "path": (at_the_end_of_a_path, Squared(), NETS, 1e-8),
    "newton_raphson": (newton, Logistic(), [L2(0.05)], 1e-10),
    "quasi_newton": (quasi_newton, Logistic(), [L2(0.05), L2(2.0)], 1e-8),
    "reweighted": (reweighted, Logistic(), [L2(0.05), L2(2.0)], 1e-8),
    "descent": (lambda p: descend(p, learning_rate=None, max_iter=5000, tol=1e-10), Squared(), [L2(0.5)], 1e-8),
    "proximal_newton": (proximal_newton, Logistic(), [L1(0.03), *NETS], 1e-8),
    "newton_by_blocks": (newton_by_blocks, Logistic(), [L1(0.03), L2(0.05), *NETS], 1e-8),
    "linear_program": (linear_program.solve, Quantile(0.3), [L1(0.05)], 1e-8),
    "near_kinks": (near_kinks, Quantile(0.3), [L2(0.05), L2(2.0)], 1e-11),
    "dual_coordinate": (dual_coordinate, Quantile(0.3), [L2(0.05), L2(2.0)], 1e-7),
    "dual_coordinate_smooth": (dual_coordinate_smooth, Logistic(), [L2(0.05), L2(2.0)], 1e-8),
    "stochastic": (walked_by_its_estimator, Squared(), [L2(0.5)], 1e-4),  # it halts when a pass gains little
}
# Likelihoods with no penalty, or with one that is no sum over coefficients, have no gap: tested in files of their own.
NO_GAP = {"firth", "maximum_likelihood"}
# These state no Problem of one design and one target: eigenvectors, a likelihood for every query, all folds at once,
# duals and equations of kernels.
OTHERWISE = {
    "leave_one_out",
    "leading",
    "local_likelihood",
    "principal_axes",
    "dual_decomposition",
    "dual_newton",
    "kernel_ridge",
    "falkon",
    "ising_likelihood",  # sums over states
}
# These are parts of solvers, not solvers: what they say they keep or solve is tested beside their masters.
PARTS = {
    "column_coordinate",
    "firth_climbs",
    "gram_coordinate",
    "interior_point",
    "on_kinks",
    "support_factor",
    "trust_region",
}
STORAGES = {"dense": np.asarray, "fortran": np.asfortranarray, "csr": sp.csr_array, "csc": sp.csc_array}


def data(loss, n=80, p=12):
    rng = np.random.default_rng(3)
    X = rng.standard_normal((n, p)) * (rng.random((n, p)) < 0.7) + 0.3
    eta = X[:, :4] @ [1.0, -2.0, 0.5, 1.0]
    y = (rng.random(n) < 1 / (1 + np.exp(-eta))).astype(float) if isinstance(loss, Logistic) else 1 + eta
    noise = 0.0 if isinstance(loss, Logistic) else rng.standard_normal(n)
    return X, y + noise, rng.integers(1, 4, n).astype(float)


def test_every_solver_that_states_its_problem_is_in_the_table():
    stating = set()
    for file in ROOM.glob("*.py"):
        head = ast.get_docstring(ast.parse(file.read_text(encoding="utf-8"))) or ""
        if "\nSolves" in head:
            stating.add(file.stem)
    assert stating - PARTS - NO_GAP - OTHERWISE == set(SOLVERS)


@pytest.mark.parametrize("storage", STORAGES)
@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("name", SOLVERS)
def test_a_solver_is_certified_on_every_problem_it_takes(name, weighted, intercept, storage):
    solve, loss, penalties, owed = SOLVERS[name]
    X, y, s = data(loss)
    if name == "stochastic" and weighted:
        pytest.skip("one example at a time: a weight scales a step, which is another problem than repeating a row")
    design, target = as_design(STORAGES[storage](X)), Target(y, s if weighted else None)
    for penalty in penalties:
        problem = Problem(design, target, loss, penalty, intercept)
        found = solve(problem)
        gap = duality_gap(problem, found.beta, found.intercept, getattr(found, "theta", None))
        assert gap <= owed * null_objective(problem), penalty
