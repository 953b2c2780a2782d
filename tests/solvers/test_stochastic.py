"""The compiled pass against a plain loop, and the conductor's decisions."""

import math

import numpy as np
import pytest
import scipy.sparse as sp

from separatrix.core.objective import objective
from separatrix.core.problem import Problem
from separatrix.core.target import Target
from separatrix.core.verbs import row_add, row_ahead, row_dot, row_entry, row_span, slope, value
from separatrix.designs import as_design
from separatrix.losses import EpsilonInsensitive, Huber, Squared, SquaredEpsilonInsensitive
from separatrix.penalties import L1, L2, ElasticNet, NoPenalty
from separatrix.solvers.compiled.stochastic import epoch
from separatrix.solvers.stochastic import Walker, schedule, stochastic_descent, strengths


@pytest.fixture
def data():
    rng = np.random.default_rng(2)
    X = sp.random_array((40, 6), density=0.5, rng=rng, format="csr")
    return X, X @ np.arange(6.0) + 0.1 * rng.standard_normal(40), rng.uniform(0.5, 1.5, 40)


def plain_pass(X, y, s, loss, steps, l1, l2, beta, intercept):
    """The pass with nothing lazy: full shrinkage and full thresholding after each example."""
    total, owed, paid = 0.0, 0.0, np.zeros(X.shape[1])
    for t, (x, y_i, s_i) in enumerate(zip(X, y, s), start=1):
        eta = x @ beta + intercept
        total += value(loss, y_i, eta) + l1 * np.abs(beta).sum() + l2 * beta @ beta / 2
        step = steps.rate / t**steps.power
        update = -step * s_i * slope(loss, y_i, eta)
        beta = (1 - step * l2) * beta + update * x
        intercept += update
        owed += step * l1
        for j, z in enumerate(beta):
            if l1 and z:
                beta[j] = math.copysign(max(0.0, abs(z) - owed - math.copysign(1.0, z) * paid[j]), z)
                paid[j] += beta[j] - z
    return beta, intercept, total / len(y)


@pytest.mark.parametrize("dense", [True, False])
@pytest.mark.parametrize("strength", [(0.0, 0.0), (0.0, 0.3), (0.05, 0.0), (0.02, 0.1)])
@pytest.mark.parametrize("loss", [Squared(), Huber(0.5), EpsilonInsensitive(0.1), SquaredEpsilonInsensitive(0.1)])
def test_the_lazy_pass_is_the_plain_pass(data, loss, strength, dense):
    X, y, s = data
    if not dense and all(strength):
        pytest.skip("between two visits of a sparse column ridge and lasso are applied one after the other")
    steps, (l1, l2) = schedule("invscaling", loss, eta0=0.1, power_t=0.25, alpha=1.0), strength
    expected = plain_pass(X.toarray(), y, s, loss, steps, l1, l2, np.zeros(6), 0.0)
    beta, paid, state = np.zeros(6), np.zeros(6), np.array([0.0, 1.0, 0.0, 0.0])
    atom = as_design(X.toarray() if dense else X).rows_atom()
    found = epoch(atom, loss, y, s, np.arange(40), steps, l1, l2, True, 0, beta, np.empty(0), paid, state)
    np.testing.assert_allclose(beta, expected[0], rtol=1e-10, atol=1e-14)
    assert state[0] == pytest.approx(expected[1], rel=1e-11)
    if dense or l1 == 0.0:  # between visits a sparse column has not paid yet, and counts with its old size
        assert found == pytest.approx(expected[2], rel=1e-11)


@pytest.mark.parametrize("storage", [np.asarray, np.asfortranarray, sp.csr_array, sp.csc_array])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_row_verbs_agree_with_a_dense_copy(data, storage, dtype):
    full = data[0].toarray().astype(dtype)
    rows = as_design(storage(full)).rows_atom()
    beta = np.arange(6.0)
    for i in (0, 7, 39):
        dot, square = row_dot(rows, i, beta)
        x = full[i].astype(float)
        assert (dot, square) == pytest.approx((x @ beta, x @ x), rel=1e-12)
        out, again = np.ones(6), np.ones(6)
        row_add(rows, i, 2.5, out)
        for k in range(*row_span(rows, i)):
            j, entry = row_entry(rows, i, k)
            again[j] += 2.5 * entry
        np.testing.assert_allclose(out, 1.0 + 2.5 * x, rtol=1e-12)
        np.testing.assert_allclose(again, out, rtol=1e-12)
        assert row_ahead(rows, i) is None


def test_strengths_of_penalties():
    assert strengths(NoPenalty(), 3) == (0.0, 0.0)
    assert strengths(L2(0.3), 3) == (0.0, 0.3)
    assert strengths(L1(0.3), 3) == (0.3, 0.0)
    assert strengths(ElasticNet(0.3, 0.2), 3) == (0.3, 0.2)
    with pytest.raises(ValueError, match="L1, L2"):
        strengths(ElasticNet(0.3, 0.2, True), 3)


@pytest.mark.mission("GD-03")
def test_one_epoch_of_the_golden_line():
    # golden case G040
    X, y = np.array([[0.0], [1.0], [2.0], [3.0]]), np.array([1.0, 3.0, 5.0, 7.0])
    walker = Walker(np.zeros(1))
    steps = schedule("constant", Squared(), eta0=0.1, power_t=0.0, alpha=0.0)
    problem = Problem(as_design(X), Target(y), Squared(), NoPenalty())
    solution = stochastic_descent(problem, start=walker, steps=steps, max_iter=1, shuffle=False)
    assert (solution.iterations, solution.details["diverged"], walker.clock) == (1, False, 5.0)
    assert solution.details["walker"] is walker
    np.testing.assert_allclose([walker.intercept, *walker.beta], [1.0849, 1.9717], rtol=1e-12)


@pytest.mark.mission("GD-04")
def test_a_walk_that_runs_away_goes_on_with_smaller_steps(data):
    X, y, _ = data
    walker = Walker(np.full(6, 0.5), 0.25)
    steps = schedule("constant", Squared(), eta0=1e3, power_t=0.0, alpha=0.0)
    problem = Problem(as_design(X), Target(y), Squared(), NoPenalty())
    solution = stochastic_descent(problem, start=walker, steps=steps, max_iter=50, random_state=0)
    assert not solution.details["diverged"]
    assert solution.details["divisor"] > 1e3  # a step is stable below 2 / |x|², and |x|² is about 6
    assert objective(problem, walker.beta, walker.intercept) < objective(problem, np.full(6, 0.5), 0.25)


@pytest.mark.mission("GD-05")
def test_walks_from_random_starts_meet(data):
    X, y, _ = data
    problem = Problem(as_design(X), Target(y), Squared(), L2(0.1))
    ends = []
    for seed in range(5):
        start = 5.0 * np.random.default_rng(seed).standard_normal(6), 0.0
        steps = schedule("constant", Squared(), eta0=0.1, power_t=0.0, alpha=0.0)
        settings = {"steps": steps, "adaptive": True, "tol": 1e-10, "max_iter": 5000, "random_state": 0}
        ends.append(stochastic_descent(problem, start=start, **settings).beta)
    np.testing.assert_allclose(ends, np.broadcast_to(ends[0], (5, 6)), atol=1e-3)
