"""One contract for all solvers: ``solve(problem, *, tol, max_iter, start, trace) -> Solution``, without a grade.

A loss and penalties of these tests, with field names of their own, go through each.
"""

import ast
import inspect
import warnings
from math import inf
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

import separatrix
from separatrix.core.certificate import certify
from separatrix.core.dispatch import atom, implements
from separatrix.core.problem import Problem
from separatrix.core.solution import Certificate, Solution, Trace
from separatrix.core.target import Target
from separatrix.core.verbs import (
    conjugate,
    curvature,
    is_of_residual,
    is_squared_error,
    kinks,
    largest_curvature,
    slope,
    split,
    value,
)
from separatrix.designs import as_design
from separatrix.linear_model import LogisticRegression
from separatrix.losses import Logistic
from separatrix.penalties import NoPenalty
from separatrix.solvers import choose, linear_program
from separatrix.solvers.conjugate_gradient import conjugate_gradient
from separatrix.solvers.descent import descend
from separatrix.solvers.direct import least_squares
from separatrix.solvers.dual import dual_ridge
from separatrix.solvers.dual_coordinate import dual_coordinate
from separatrix.solvers.dual_coordinate_smooth import dual_coordinate_smooth
from separatrix.solvers.firth import firth
from separatrix.solvers.maximum_likelihood import maximum_likelihood
from separatrix.solvers.near_kinks import near_kinks
from separatrix.solvers.newton_by_blocks import newton_by_blocks
from separatrix.solvers.newton_raphson import newton
from separatrix.solvers.nonnegative import nonnegative_least_squares
from separatrix.solvers.perceptron import Corrections, run_perceptron
from separatrix.solvers.proximal_newton import proximal_newton
from separatrix.solvers.quasi_newton import quasi_newton
from separatrix.solvers.reweighted import reweighted
from separatrix.solvers.row_space import in_row_space
from separatrix.solvers.stochastic import stochastic_descent

ROOM = Path(separatrix.__file__).parent / "solvers"


@atom
class HalfSquare(NamedTuple):
    """½ (eta - y)²."""

    power: float = 2.0


@implements(value, HalfSquare)
def _(loss, y, eta):
    return 0.5 * (eta - y) * (eta - y)


@implements(slope, HalfSquare)
def _(loss, y, eta):
    return eta - y


@implements(curvature, HalfSquare)
def _(loss, y, eta):
    return 1.0


@implements(conjugate, HalfSquare)
def _(loss, y, u):
    return u * y + 0.5 * u * u


@implements(largest_curvature, HalfSquare)
def _(loss):
    return 1.0


@implements(is_of_residual, HalfSquare)
def _(loss):
    return True


@implements(is_squared_error, HalfSquare)
def _(loss):
    return True


@atom
class Tilted(NamedTuple):
    """``above`` times a positive residual y - eta, ``below`` times a negative one."""

    above: float
    below: float


@implements(value, Tilted)
def _(loss, y, eta):
    return loss.above * (y - eta) if y > eta else loss.below * (eta - y)


@implements(slope, Tilted)
def _(loss, y, eta):
    return -loss.above if y > eta else loss.below


@implements(conjugate, Tilted)
def _(loss, y, u):
    return u * y if -loss.above <= u <= loss.below else inf


@implements(is_of_residual, Tilted)
def _(loss):
    return True


@implements(kinks, Tilted)
def _(loss, y):
    return y, y


@atom
class WrongSide(NamedTuple):
    """How far a score is on the wrong side of 0."""

    unit: float = 1.0


@implements(value, WrongSide)
def _(loss, y, eta):
    return max(0.0, -y * eta)


@atom
class Pull(NamedTuple):
    """Half the square of a coefficient, times ``stiffness``; no coefficient below ``floor``."""

    stiffness: float
    floor: float = -inf


@implements(split, Pull)
def _(penalty):
    return 0.0, penalty.stiffness, penalty.floor, inf


@atom
class Toll(NamedTuple):
    """The size of a coefficient, times ``fare``."""

    fare: float


@implements(split, Toll)
def _(penalty):
    return penalty.fare, 0.0, -inf, inf


RIDGE, POSITIVE, LASSO = Pull(0.3), Pull(0.3, 0.0), Toll(0.1)
# file -> (solver, loss, penalty, options)
SOLVERS = {
    "direct": (least_squares, HalfSquare(), RIDGE, {}),
    "conjugate_gradient": (conjugate_gradient, HalfSquare(), RIDGE, {}),
    "dual": (dual_ridge, HalfSquare(), RIDGE, {}),
    "nonnegative": (nonnegative_least_squares, HalfSquare(), POSITIVE, {}),
    "newton_raphson": (newton, HalfSquare(), RIDGE, {}),
    "quasi_newton": (quasi_newton, HalfSquare(), RIDGE, {"tol": 1e-12}),
    "reweighted": (reweighted, HalfSquare(), RIDGE, {}),
    "row_space": (in_row_space, HalfSquare(), RIDGE, {"tol": 1e-12}),
    "descent": (descend, HalfSquare(), RIDGE, {"tol": 1e-10, "max_iter": 20_000}),
    "stochastic": (stochastic_descent, HalfSquare(), RIDGE, {"tol": 1e-9, "adaptive": True, "max_iter": 5000}),
    "proximal_newton": (proximal_newton, HalfSquare(), LASSO, {}),
    "newton_by_blocks": (newton_by_blocks, HalfSquare(), LASSO, {}),
    "choose least squares": (choose.solve_least_squares, HalfSquare(), RIDGE, {}),
    "choose likelihood": (choose.solve_likelihood, HalfSquare(), RIDGE, {"tol": 1e-12}),
    "choose separable": (choose.solve_separable, HalfSquare(), LASSO, {}),
    "near_kinks": (near_kinks, Tilted(0.3, 0.7), RIDGE, {}),
    "dual_coordinate": (dual_coordinate, Tilted(0.3, 0.7), RIDGE, {}),
    "dual_coordinate_smooth": (dual_coordinate_smooth, HalfSquare(), RIDGE, {"tol": 1e-12}),
    "choose kinked": (choose.solve_kinked, Tilted(0.3, 0.7), RIDGE, {}),
    "choose squared margin": (choose.solve_squared_margin, HalfSquare(), RIDGE, {"tol": 1e-12}),
    "linear_program": (linear_program.solve, Tilted(0.3, 0.7), LASSO, {}),
    "perceptron": (run_perceptron, WrongSide(), NoPenalty(), {"max_iter": 30}),
    # these know what the likelihood of two classes is, and nothing else
    "maximum_likelihood": (maximum_likelihood, Logistic(), NoPenalty(), {}),
    "firth": (firth, Logistic(), NoPenalty(), {}),
}
# Functions of no Problem: eigenvectors, all folds at once, many problems at once; and parts of other solvers.
OTHERWISE = {
    "principal_axes",
    "leave_one_out",
    "path",
    "gram_coordinate",
    "column_coordinate",
    "firth_climbs",
    "trust_region",
    "interior_point",
    "on_kinks",
    "dual_decomposition",  # these four: duals and equations of kernels
    "dual_newton",
    "kernel_ridge",
    "falkon",
    "ising_likelihood",  # sums over states
}


def stated(name, intercept=True):
    _, loss, penalty, _ = SOLVERS[name]
    rng = np.random.default_rng(8)
    X = rng.standard_normal((40, 5)) + 0.5
    y = X @ [1.0, -2.0, 0.0, 0.5, 0.0] + 0.5 * rng.standard_normal(40) + 1.0
    if isinstance(loss, Logistic):
        y = (y + 2.0 * rng.standard_normal(40) > 1.0).astype(float)
    elif isinstance(loss, WrongSide):
        y = np.where(y > 1.0, 1.0, -1.0)
    return Problem(as_design(X), Target(y), loss, penalty, intercept)


def test_every_file_that_states_a_problem_is_in_the_table():
    heads = {file.stem: ast.get_docstring(ast.parse(file.read_text(encoding="utf-8"))) for file in ROOM.glob("*.py")}
    stating = {name for name, head in heads.items() if "\nSolves" in (head or "")} | {"row_space", "perceptron"}
    assert stating - OTHERWISE == {name for name in SOLVERS if not name.startswith("choose")}


@pytest.mark.parametrize("name", SOLVERS)
def test_the_signature_is_that_of_the_contract(name):
    signature = inspect.signature(SOLVERS[name][0])
    first, *options = signature.parameters.values()
    assert first.name == "problem" and first.default is first.empty
    assert all(option.kind is option.KEYWORD_ONLY and option.default is not option.empty for option in options)
    assert [option.name for option in options][:4] == ["tol", "max_iter", "start", "trace"]
    assert all(option.default is None for option in options if option.name in ("start", "trace"))
    assert signature.return_annotation is Solution


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("name", SOLVERS)
def test_a_solution_comes_back_without_grade_and_without_warning(name, intercept):
    solve, _, _, options = SOLVERS[name]
    problem = stated(name, intercept)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        solution = solve(problem, **options)
    assert type(solution) is Solution
    assert solution.beta.shape == (5,) and solution.beta.dtype == np.float64
    assert isinstance(solution.intercept, float) and (intercept or solution.intercept == 0.0)
    held = [*vars(solution).values(), *solution.details.values()]
    assert not any(isinstance(each, Certificate) for each in held)
    assert not hasattr(solution, "certificate") and solution.passes >= 0 and solution.iterations >= 0


@pytest.mark.parametrize("name", SOLVERS)
def test_too_few_iterations_are_no_warning_of_the_solver(name):
    solve = SOLVERS[name][0]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert type(solve(stated(name), max_iter=1)) is Solution


@pytest.mark.parametrize("name", [name for name in SOLVERS if isinstance(SOLVERS[name][1], HalfSquare | Tilted)])
def test_losses_and_penalties_of_these_tests_are_solved_and_certified(name):
    solve, _, penalty, options = SOLVERS[name]
    problem = stated(name)
    solution = solve(problem, **options)
    assert certify(problem, solution, 1e-4 if name == "stochastic" else 1e-8).converged
    if penalty is RIDGE and isinstance(problem.loss, HalfSquare) and name != "stochastic":
        X, y = problem.design.columns(np.arange(5)), problem.target.y
        X, y = X - X.mean(axis=0), y - y.mean()
        exact = np.linalg.solve(X.T @ X / 40 + 0.3 * np.eye(5), X.T @ y / 40)
        # a relative gap of 1e-8 leaves errors of its root
        np.testing.assert_allclose(solution.beta, exact, atol=1e-4 if name == "descent" else 1e-5)


KEEPING = {
    "newton_raphson",
    "quasi_newton",
    "reweighted",
    "descent",
    "stochastic",
    "newton_by_blocks",
    "choose likelihood",
}


@pytest.mark.parametrize("name", sorted(KEEPING))
def test_a_trace_keeps_coefficients_and_intercepts_apart(name):
    solve, _, _, options = SOLVERS[name]
    trace = Trace(coefficients=[])
    solution = solve(stated(name), trace=trace, **options)
    assert solution.trace is trace and len(trace) == len(trace.coefficients) == len(trace.intercepts) > 0
    assert {beta.shape for beta in trace.coefficients} == {(5,)} and {np.shape(b) for b in trace.intercepts} == {()}


def test_a_perceptron_keeps_weights_and_intercepts_apart():
    corrections = Corrections()
    solution = run_perceptron(stated("perceptron"), max_iter=30, trace=corrections)
    assert len(corrections.weights) == len(corrections.intercepts) == 1 + len(corrections) == 1 + solution.iterations
    np.testing.assert_array_equal(corrections.weights[-1], solution.beta)
    assert corrections.intercepts[-1] == solution.intercept


def test_a_certificate_that_the_stopping_rule_has_computed_is_not_computed_again(monkeypatch):
    """Newton's method stops by the certificate; what is published has the same numbers, and X is not read for it."""
    problem = stated("maximum_likelihood")
    X, y = problem.design.columns(np.arange(5)), problem.target.y
    made = []
    from separatrix.core import certificate

    judge = certificate._judged
    monkeypatch.setattr(certificate, "_judged", lambda *question: made.append(1) or judge(*question))
    model = LogisticRegression(solver="newton").fit(X, y)
    assert len(made) == model.n_iter_[0] + 1
    made.clear()
    LogisticRegression(C=np.inf).fit(X, y)
    assert len(made) == 1
    # other numbers are judged anew
    model.coef_ = model.coef_ + 1.0
    made.clear()
    assert not separatrix.verify(model, X, y).converged and len(made) == 1
