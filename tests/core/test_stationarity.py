"""The gradient certificate is a number without units, recomputed from problem and solution alone."""

import numpy as np
import pytest

from separatrix.core.problem import Problem
from separatrix.core.solution import Solution
from separatrix.core.stationarity import relative_gradient
from separatrix.core.target import Target
from separatrix.core.verbs import link
from separatrix.designs import as_design
from separatrix.losses import Logistic, Poisson, Squared, Tweedie
from separatrix.penalties import L1, L2, NoPenalty


@pytest.fixture
def data():
    rng = np.random.default_rng(4)
    X = rng.standard_normal((50, 3))
    return X, X @ [1.0, -1.0, 2.0] + 3.0 + rng.standard_normal(50), rng.uniform(0.5, 2.0, 50)


def grade(X, y, s, beta, intercept, penalty=None):
    problem = Problem(as_design(X), Target(y, s), Squared(), penalty or NoPenalty())
    return relative_gradient(problem, Solution(np.asarray(beta), intercept))


def test_it_is_the_largest_weighted_cosine_with_the_null_residual(data):
    X, y, s = data
    beta, root = np.array([0.5, -1.0, 1.0]), np.sqrt(s)
    r, null = root * (X @ beta + 3.0 - y), root * (y - s @ y / s.sum())
    Z = root[:, None] * np.c_[np.ones(50), X]
    expected = np.abs(Z.T @ r / np.linalg.norm(Z, axis=0)).max() / np.linalg.norm(null)
    assert grade(X, y, s, beta, 3.0) == pytest.approx(expected, rel=1e-12)


def test_units_of_columns_and_target_do_not_matter(data):
    X, y, s = data
    beta, units = np.array([0.5, -1.0, 1.0]), np.array([1e-6, 1.0, 1e6])
    found = grade(X * units, 1e4 * y, s, 1e4 * beta / units, 3e4)
    assert found == pytest.approx(grade(X, y, s, beta, 3.0), rel=1e-9)


def test_it_vanishes_at_the_exact_optimum_and_only_there(data):
    X, y, s = data
    root = np.sqrt(s)[:, None]
    w = np.linalg.lstsq(root * np.c_[np.ones(50), X], root[:, 0] * y, rcond=None)[0]
    assert grade(X, y, s, w[1:], w[0]) < 1e-14
    assert grade(X, y, s, w[1:] + np.array([0.0, 1e-6, 0.0]), w[0]) > 1e-8


def test_a_penalty_enters_by_its_prox(data):
    X, y, _ = data
    Xc, yc = X - X.mean(axis=0), y - y.mean()
    ridge = np.linalg.solve(Xc.T @ Xc / 50 + 0.3 * np.eye(3), Xc.T @ yc / 50)
    assert grade(Xc, y, None, ridge, y.mean(), L2(0.3)) < 1e-14
    strong = 1.01 * np.abs(Xc.T @ yc / 50).max()
    assert grade(Xc, y, None, np.zeros(3), y.mean(), L1(strong)) < 1e-14
    assert grade(Xc, y, None, np.zeros(3), y.mean(), L1(0.9 * strong)) > 1e-3


def test_numbers_that_overflow_are_never_certified(data):
    X, y, _ = data
    assert grade(1e200 * X, y, None, np.zeros(3), 0.0) == np.inf
    assert grade(X, y, None, np.full(3, np.nan), 0.0) == np.inf


def test_a_constant_target_is_measured_in_units_of_its_size(data):
    X, _, _ = data
    assert grade(X, np.full(50, 1 / 3), None, np.zeros(3), 1 / 3) < 1e-14
    assert grade(X, np.full(50, 1 / 3), None, np.zeros(3), 0.0) == pytest.approx(1.0)


@pytest.mark.parametrize("unit", [1e-13, 1e-100, 1e13])
@pytest.mark.parametrize("loss", [Poisson(), Tweedie(1.5)], ids=str)
def test_the_unit_of_counts_does_not_matter(data, loss, unit):
    X, y, s = data
    y, beta = np.exp(0.1 * y), np.array([0.2, 0.0, 0.1])

    def found(unit):
        problem = Problem(as_design(X), Target(unit * y, s), loss, NoPenalty())
        return relative_gradient(problem, Solution(beta, np.log(unit)))

    assert found(unit) == pytest.approx(found(1.0), rel=1e-9)


@pytest.mark.parametrize("mean", [1e-100, 1e-13, 0.3, 1.0 + 1e-10, 1e13])
@pytest.mark.parametrize("loss", [Poisson(), Tweedie(1.5), Tweedie(3.0), Logistic()], ids=str)
def test_a_constant_y_is_solved_by_the_intercept(data, loss, mean):
    if isinstance(loss, Logistic) and mean >= 1.0:
        pytest.skip("no share")
    X, _, s = data
    problem = Problem(as_design(X), Target(np.full(50, mean), s), loss, NoPenalty())
    score = float(link(loss, problem.target.mean()))
    assert relative_gradient(problem, Solution(np.zeros(3), score)) < 1e-13
    assert relative_gradient(problem, Solution(np.array([0.1, 0.0, 0.0]), score)) > 1e-5
