"""Models of a loss on its columns, without a Gram matrix or before one, and steps from rows that are nearly certain."""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose

from separatrix.core.certificate import certify
from separatrix.core.problem import Problem
from separatrix.core.separable import as_separable
from separatrix.core.target import Target
from separatrix.designs import as_design
from separatrix.losses import Logistic, Softmax
from separatrix.penalties import L1
from separatrix.solvers import curvature
from separatrix.solvers.gram_coordinate import GramProblem
from separatrix.solvers.proximal_newton import proximal_newton
from separatrix.solvers.working_set import WorkingSet


def words(k, n=300, p=400):
    """Rows of few words, whose frequencies differ by class."""
    rng = np.random.default_rng(5)
    often = np.exp(rng.standard_normal((k, p))) / np.arange(3, p + 3)
    codes = rng.integers(k, size=n)
    X = np.array([rng.multinomial(10, often[c] / often[c].sum()) for c in codes], dtype=np.float64)
    return X / np.linalg.norm(X, axis=1, keepdims=True), codes


def problem(X, codes, k, strength):
    y = (codes == 1).astype(np.float64) if k == 2 else np.eye(k)[codes]
    return Problem(as_design(X), Target(y), Logistic() if k == 2 else Softmax(), L1(strength), True)


@pytest.mark.parametrize("hold", [np.asarray, np.asfortranarray, sp.csc_array])
@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("strength", [1e-2, 1e-3])
def test_sweeps_over_columns_find_the_optimum_of_gram_matrices(k, strength, hold, monkeypatch):
    X, codes = words(k)
    expected = proximal_newton(problem(X, codes, k, strength), tol=1e-12)
    monkeypatch.setattr(curvature, "LARGEST_SUPPORT", 0)
    monkeypatch.setattr(curvature, "SWEEPS", 0.0)
    made = []
    model = curvature.ColumnModel
    monkeypatch.setattr(curvature, "ColumnModel", type("Counted", (model,), {"begin": counted(model.begin, made)}))
    monkeypatch.setattr(curvature, "GramProblem", type("Refused", (curvature.GramProblem,), {"whole": None}))
    stated = problem(hold(X), codes, k, strength)
    found = proximal_newton(stated, tol=1e-7)
    assert made
    assert certify(stated, found, 1e-7).converged
    # a gap of 1e-7 of the null leaves scores within about its root
    assert_allclose(X @ found.beta + found.intercept, X @ expected.beta + expected.intercept, atol=2e-2)


@pytest.mark.parametrize("hold", [np.asarray, sp.csc_array])
@pytest.mark.parametrize("k", [2, 3])
def test_a_gram_matrix_is_made_of_busy_columns_once_sweeps_have_taken_as_long(k, hold, monkeypatch):
    monkeypatch.setattr(curvature, "SWEEPS", 0.0)
    rng = np.random.default_rng(2)
    X = rng.standard_normal((200, 500))
    codes = np.argmax(X[:, :k] + rng.standard_normal((200, k)), axis=1)
    stated = problem(hold(X), codes, k, 2e-3)
    sizes, whole = [], GramProblem.whole
    monkeypatch.setattr(GramProblem, "whole", classmethod(lambda cls, G, c: sizes.append(len(c)) or whole(G, c)))
    found = proximal_newton(stated, tol=1e-10)
    assert certify(stated, found, 1e-10).converged
    live = np.count_nonzero(found.beta if k == 2 else found.beta.any(axis=1)) * (1 if k == 2 else k)
    assert live <= sizes[-1] <= 1.25 * live  # a fifth of the columns may be idle


def test_a_factor_of_the_support_solves_for_another_gradient_without_a_sweep():
    rng = np.random.default_rng(7)
    Z = rng.standard_normal((400, 200))
    model = GramProblem.whole(Z.T @ Z / 400, np.zeros(200))
    model.begin(np.zeros(200), Z.T @ rng.standard_normal(400) / 400)
    penalty = as_separable(L1(1e-3), 200)
    model.solve_within(penalty, 1e-8)
    before = model.sweeps
    model.begin(model.beta, model.q + 1e-9 * rng.standard_normal(200))
    model.solve_within(penalty, 0.0)
    assert model.sweeps == before
    assert model.violation(penalty) <= 1e-16


def counted(method, calls):
    def begin(self, *given):
        calls.append(1)
        return method(self, *given)

    return begin


@pytest.mark.parametrize("hold", [np.asarray, sp.csc_array])
@pytest.mark.parametrize("k", [2, 3])
def test_a_column_of_a_row_that_is_certain_of_the_wrong_class_does_not_stop_the_steps(k, hold):
    X, codes = words(k)
    codes[0] = 1
    rare = np.zeros((len(X), 1))
    rare[0] = 1.0
    given = problem(hold(np.hstack([X, rare])), codes, k, 1e-3)
    beta = np.zeros((X.shape[1] + 1, *given.target.outputs))
    beta[
        -1,
        ...,
    ] = -90.0 if k == 2 else np.array([0.0, -90.0, 0.0])
    intercept = 0.0 if k == 2 else np.zeros(k)
    found = proximal_newton(given, tol=1e-8, start=(beta, intercept))
    assert certify(given, found, 1e-8).converged


@pytest.mark.parametrize("k", [2, 3])
def test_a_model_is_swept_until_its_conditions_hold_and_not_only_in_turn(k):
    X, codes = words(k)
    stated = problem(sp.csc_array(X), codes, k, 1e-4)
    state = WorkingSet(stated)
    state.add(np.arange(100))
    model = state.curvature.model(state.w, "sweep", state.played.free)
    q = state.curvature.centred(state.v[state.index], state.share @ state.u)
    model.begin(state.beta.T.ravel(), q)
    penalty = state.played.repeat(1 if k == 2 else k)
    limit = 1e-2 * model.violation(penalty)
    model.solve_within(penalty, limit)
    assert model.violation(penalty) <= limit
