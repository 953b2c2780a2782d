"""The compiled passes against a perceptron written down plainly, and the bound on its mistakes."""

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.optimize import linprog

from separatrix.core.problem import Problem
from separatrix.core.target import Target
from separatrix.designs import as_design
from separatrix.losses import Hinge, Logistic
from separatrix.penalties import L2, NoPenalty
from separatrix.solvers.compiled.perceptron import correct_all, correct_each
from separatrix.solvers.perceptron import mistake_bound, run_perceptron, widest_separator
from separatrix.solvers.stochastic import Walker


@pytest.fixture
def data():
    rng = np.random.default_rng(2)
    X = sp.random_array((40, 6), density=0.5, rng=rng, format="csr")
    return X, np.where(X @ np.arange(-3.0, 3.0) + rng.standard_normal(40) > 0, 1.0, -1.0), rng.uniform(0.5, 1.5, 40)


def stated(X, y, s=None, intercept=True):
    return Problem(as_design(X), Target(y, s), Hinge(0.0), NoPenalty(), intercept)


def plain(X, y, s, rate, decreasing, batch, passes):
    """The textbook, with the intercept in a column of ones."""
    X = np.column_stack([X, np.ones(len(X))])
    w, alpha, errors, t = np.zeros(X.shape[1]), np.zeros(len(X), dtype=int), [], 1
    for _ in range(passes):
        if batch:
            wrong = np.flatnonzero(y * (X @ w) <= 0)
            w = w + (rate / t if decreasing else rate) * (s * y)[wrong] @ X[wrong]
            alpha[wrong] += 1
            t += 1
            errors.append(len(wrong))
            continue
        errors.append(0)
        for i in range(len(X)):
            if y[i] * (X[i] @ w) <= 0:
                w = w + (rate / t if decreasing else rate) * s[i] * y[i] * X[i]
                alpha[i] += 1
                errors[-1] += 1
                t += 1
    return w[:-1], w[-1], alpha, errors


@pytest.mark.mission("PC-01", "PC-02", "PC-04")
@pytest.mark.parametrize("hold", [np.asarray, sp.csr_array, sp.csc_array, np.float32])
@pytest.mark.parametrize("batch", [False, True])
@pytest.mark.parametrize("decreasing", [False, True])
def test_passes_are_those_of_the_textbook_in_every_storage(data, hold, batch, decreasing):
    X, y, s = data
    dense = X.toarray().astype(np.float32).astype(float)
    stored = dense.astype(np.float32) if hold is np.float32 else hold(dense)
    solution = run_perceptron(stated(stored, y, s), rate=0.3, decreasing=decreasing, batch=batch, max_iter=7)
    beta, intercept, alpha, errors = plain(dense, y, s, 0.3, decreasing, batch, 7)
    np.testing.assert_allclose(solution.beta, beta, rtol=1e-12, atol=1e-14)
    assert solution.intercept == pytest.approx(intercept, rel=1e-12, abs=1e-14)
    run = solution.details["run"]
    np.testing.assert_array_equal(run.counts, alpha)
    assert run.errors == errors and solution.iterations == sum(errors)


@pytest.mark.parametrize("batch", [False, True])
def test_compiled_and_plain_passes_agree(data, batch):
    X, y, s = data
    loop = correct_all if batch else correct_each
    ends = []
    for run in (loop, loop.py_func):
        beta, state = np.zeros(6), np.array([0.0, 1.0])
        counts, steps = np.zeros(40, dtype=np.int64), np.zeros(40)
        last = (np.empty(6),) if batch else (np.empty((40, 7)), np.empty(40, dtype=np.intp))
        rows = as_design(X).rows_atom()
        found = [run(rows, y, s, np.arange(40), 0.3, True, True, beta, state, counts, steps, *last) for _ in range(3)]
        ends.append([np.array(found), beta, state, counts, steps])
    for fast, slow in zip(*ends):
        np.testing.assert_allclose(fast, slow, rtol=1e-12, atol=1e-14)


def test_rows_of_no_weight_are_never_a_mistake(data):
    X, y, s = data
    s = np.where(np.arange(40) % 3, s, 0.0)
    whole = run_perceptron(stated(X, y, s), max_iter=5)
    some = run_perceptron(stated(X[s > 0], y[s > 0], s[s > 0]), max_iter=5)
    np.testing.assert_array_equal(whole.beta, some.beta)
    assert whole.details["run"].counts[s == 0].sum() == 0


@pytest.mark.mission("PC-04")
def test_the_steps_of_the_schedule_sum_as_they_should():
    # golden case G024; every correction of one row that can never be right takes the next step c/t
    n = 100_000
    walker = Walker(np.zeros(1))
    problem = stated(np.zeros((1, 1)), np.ones(1), intercept=False)
    run = run_perceptron(problem, start=walker, decreasing=True, max_iter=n).details["run"]
    assert run.steps[0] == pytest.approx(12.09014613, abs=1e-6)
    assert run.counts[0] == n and walker.clock == n + 1
    assert np.sum(1.0 / np.arange(1, n + 1) ** 2) == pytest.approx(1.644924067, abs=1e-6)


@pytest.mark.mission("PC-06")
def test_the_bound_is_that_of_the_golden_case_and_not_the_printed_one():
    # golden case G025
    X, y, w = np.array([[1.0, 2, 1], [-1, 2, 1], [-1, -2, 1]]), np.array([-1.0, -1, 1]), np.array([0, -0.5, 0])
    a, b = (y * (X @ w)).min(), np.linalg.norm(X, axis=1).max()
    assert (a, b) == (1.0, pytest.approx(2.449489742783178))
    assert mistake_bound(X, y, w) == pytest.approx(1.5, rel=1e-14)
    printed = b * (w @ w) / a**2
    mistakes = run_perceptron(stated(X, y, intercept=False)).iterations
    assert printed < mistakes == 1 <= 1.5
    np.testing.assert_allclose(widest_separator(X, y), w, atol=1e-12)


@pytest.mark.mission("PC-06")
def test_the_widest_separator_separates_as_far_as_the_dual_problem_allows():
    rng = np.random.default_rng(0)
    verdicts = set()
    for _ in range(60):
        X = rng.standard_normal((int(rng.integers(3, 12)), 3))
        y = rng.choice([-1.0, 1.0], len(X))
        A = y[:, None] * X
        w = widest_separator(X, y)
        # an LP says whether any separator exists
        lp = linprog(np.zeros(3), A_ub=-A, b_ub=-np.ones(len(X)), bounds=(None, None))
        assert (w is not None) == (lp.status == 0)
        verdicts.add(w is not None)
        if w is not None:
            # the shortest w with A w >= 1: it is a non-negative sum of the rows it touches
            touched = A @ w < 1 + 1e-9
            assert (A @ w).min() == pytest.approx(1.0, rel=1e-9)
            combination = linprog(np.zeros(touched.sum()), A_eq=A[touched].T, b_eq=w, bounds=(0, None))
            assert combination.status == 0
    assert verdicts == {True, False}


def test_no_bound_without_separation():
    X, y = np.array([[1.0], [2.0]]), np.array([1.0, -1.0])
    assert mistake_bound(X, y, np.array([1.0])) == np.inf
    assert widest_separator(X, y) is None
    assert widest_separator(np.zeros((2, 1)), y) is None


def test_weights_that_overflow_are_refused():
    X, y = np.array([[1e308], [1e308]]), np.array([1.0, 1.0])
    with pytest.raises(ValueError, match="overflow"):
        run_perceptron(stated(X, y), rate=10.0)


@pytest.mark.parametrize(("loss", "penalty"), [(Hinge(1.0), NoPenalty()), (Hinge(0.0), L2(0.1)), (Logistic(), L2(0.1))])
def test_other_problems_are_refused(loss, penalty):
    with pytest.raises(ValueError, match=r"max\(0, -y eta\)"):
        run_perceptron(Problem(as_design(np.eye(2)), Target(np.array([1.0, -1.0])), loss, penalty, True))
