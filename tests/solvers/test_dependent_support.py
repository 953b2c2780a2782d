"""A lasso whose support holds dependent columns: its optimum is found in a few steps, not crept up to."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.linear_model import Lasso as Reference

from separatrix.core.separable import as_separable
from separatrix.linear_model import Lasso, lasso_path
from separatrix.penalties import L1
from separatrix.solvers.gram_coordinate import GramProblem
from separatrix.solvers.linalg.support_factor import SupportFactor


@pytest.fixture(scope="module")
def table():
    """Two factors coded in full, a column that repeats a level, and one that is a sum of three others."""
    rng = np.random.default_rng(3)
    one, two = rng.integers(0, 6, 400), rng.integers(0, 5, 400)
    X = np.column_stack([np.eye(6)[one], np.eye(5)[two], np.eye(6)[one][:, 2], rng.standard_normal((400, 8))])
    X = np.column_stack([X, X[:, -3:].sum(axis=1)])
    y = X @ rng.standard_normal(X.shape[1]) + rng.standard_normal(400)
    return X - X.mean(axis=0), y - y.mean()


def test_the_objective_is_that_of_scikit_learn_held_to_a_tight_tolerance(table):
    X, y = table
    for alpha in (0.1, 0.01, 0.001):
        ours = Lasso(alpha, tol=1e-12).fit(X, y)
        reference = Reference(alpha, tol=1e-14, max_iter=1_000_000).fit(X, y)
        mine, theirs = (np.mean((y - m.predict(X)) ** 2) / 2 + alpha * np.abs(m.coef_).sum() for m in (ours, reference))
        assert mine <= theirs * (1.0 + 1e-10)
        assert ours.certificate_.converged


def test_dependent_columns_do_not_make_the_sweeps_creep(table):
    X, y = table
    G, c, null = X.T @ X / len(y), X.T @ y / len(y), 0.5 * float(y @ y) / len(y)
    problem = GramProblem.whole(G, c)
    penalty = as_separable(L1(1e-4), len(c))
    used, _ = problem.solve(penalty, null, 1e-12)
    assert problem.gap(penalty, null) <= 1e-12
    assert used < 200  # sweeps alone take more than ten thousand


def test_the_factor_sets_dependent_columns_apart():
    X = np.random.default_rng(0).standard_normal((30, 4))
    X = np.column_stack([X, X[:, 0] - 2.0 * X[:, 2]])
    G, factor = X.T @ X, SupportFactor()
    factor.update(G, np.arange(5), np.zeros(5))
    assert sorted(factor.order) == [0, 1, 2, 3] and factor.dependent.tolist() == [4]
    assert factor.holds(np.arange(5), np.zeros(5))
    np.testing.assert_allclose(factor.solve(G[factor.order, 4]), [1.0, 0.0, -2.0, 0.0], atol=1e-12)
    factor.update(G, np.array([1, 2, 3, 4]), np.zeros(5))  # without the first column the last one stands on its own
    assert sorted(factor.order) == [1, 2, 3, 4] and not len(factor.dependent)


def test_a_penalty_with_a_ridge_part_needs_no_slide(table):
    X, _ = table
    factor = SupportFactor()
    factor.update(X.T @ X, np.arange(X.shape[1]), np.ones(X.shape[1]))
    assert not len(factor.dependent)


def test_columns_that_depend_on_others_each_on_its_own_slide_together(monkeypatch):
    rng = np.random.default_rng(3)
    A, B = rng.standard_normal((2, 200, 30))
    Z = np.hstack([A, B, -A - B])  # as the scores of three classes
    problem = GramProblem.whole(Z.T @ Z / 200, np.zeros(90))
    problem.begin(np.abs(rng.standard_normal(90)) + 0.1, np.zeros(90))
    updates, update = [], SupportFactor.update
    monkeypatch.setattr(SupportFactor, "update", lambda *given: updates.append(1) or update(*given))
    fitted = Z @ problem.beta
    assert problem._factorise(as_separable(L1(0.1), 90))
    assert np.count_nonzero(problem.beta) == 60  # one of each three has come to 0
    assert_allclose(Z @ problem.beta, fitted, atol=1e-10)
    assert len(updates) == 2


def test_a_step_past_many_edges_is_not_stopped_at_the_first(monkeypatch):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((100, 300))
    y = X[:, :5].sum(axis=1) + rng.standard_normal(100) + 1e3  # without an intercept the support grows to all rows
    steps, finish = [], GramProblem._finish
    monkeypatch.setattr(GramProblem, "_finish", lambda *given: steps.append(1) or finish(*given))
    _, coefs, gaps = lasso_path(X, y, alphas=50)
    assert np.all(gaps <= 1e-8 * 0.5 * np.mean(y**2))
    assert np.count_nonzero(coefs[:, -1]) >= 95
    assert len(steps) <= 5 * 50
