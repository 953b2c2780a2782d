"""Gradient descent by hand-checked numbers, by its limit, and by where it ends."""

import json
import warnings
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp

from separatrix.core.certificate import certify
from separatrix.core.errors import Diverged, NotCertified
from separatrix.core.problem import Problem
from separatrix.core.solution import Trace
from separatrix.core.target import Target
from separatrix.designs import as_design
from separatrix.linear_model import LinearRegression
from separatrix.losses import EpsilonInsensitive, Huber, Logistic, Squared, SquaredEpsilonInsensitive
from separatrix.penalties import L1, L2, NoPenalty
from separatrix.solvers.descent import descend, gradient_descent, steepest_curvature

# Golden case G040: y = 1 + 2 x. The first batch step, one online epoch and the limit were worked out by hand.
X40, Y40, ALPHA40 = np.array([[0.0], [1.0], [2.0], [3.0]]), np.array([1.0, 3.0, 5.0, 7.0]), 0.1
LIMIT40 = 2.0 / np.linalg.eigvalsh([[1.0, 1.5], [1.5, 3.5]]).max()


def problem(X, y, s=None, loss=None, penalty=None, intercept=True):
    return Problem(as_design(X), Target(y, s), loss or Squared(), penalty or NoPenalty(), intercept)


def quietly(*args, **settings):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return descend(*args, **settings)


@pytest.fixture
def data():
    rng = np.random.default_rng(3)
    X = rng.standard_normal((60, 4))
    return X, X @ rng.standard_normal((4, 2)) + rng.standard_normal((60, 2)) + 1.0, rng.uniform(0.5, 2.0, 60)


# ------------------------------------------------------------------ the golden case


def test_the_golden_file_holds_the_same_numbers():
    path = Path(__file__).resolve().parents[3] / "shared" / "golden" / "golden.json"
    if not path.exists():
        pytest.skip("the golden file is not beside the repository")
    found = next(e for e in _entries(json.loads(path.read_text())) if e["id"] == "G040")
    np.testing.assert_allclose(found["correct"]["alpha_max"], LIMIT40, rtol=1e-9)
    assert found["correct"]["w_after_one_batch_step"] == [0.4, 0.85]
    assert found["correct"]["w_after_one_online_epoch"] == [1.0849, 1.9717]


def _entries(golden):
    return golden if isinstance(golden, list) else next(v for v in golden.values() if isinstance(v, list))


@pytest.mark.mission("GD-01")
def test_one_batch_step_moves_intercept_and_slope_at_once():
    found = quietly(problem(X40, Y40), learning_rate=ALPHA40, max_iter=1)
    np.testing.assert_allclose([found.intercept, *found.beta], [0.4, 0.85], rtol=1e-12)


@pytest.mark.mission("GD-03")
def test_one_online_epoch_uses_the_residual_of_one_point_at_a_time():
    found = quietly(problem(X40, Y40), learning_rate=ALPHA40, max_iter=1, batch_size=1, shuffle=False)
    np.testing.assert_allclose([found.intercept, *found.beta], [1.0849, 1.9717], rtol=1e-12)


@pytest.mark.mission("GD-01")
@pytest.mark.parametrize("batch_size", [None, 1, 2, 4])
def test_it_converges_to_the_line_and_certifies_it(batch_size):
    case = problem(X40, Y40)
    found = descend(case, learning_rate=ALPHA40, max_iter=20000, tol=1e-12, batch_size=batch_size)
    np.testing.assert_allclose([found.intercept, *found.beta], [1.0, 2.0], rtol=1e-10)
    certificate = certify(case, found, 1e-12)
    assert certificate.converged and certificate.kind == "gap"


@pytest.mark.mission("GD-04")
def test_below_the_limit_it_converges_and_above_it_diverges():
    case = problem(X40, Y40)
    assert 2.0 / steepest_curvature(case) == pytest.approx(0.4759001296, rel=1e-9)
    below = quietly(case, learning_rate=0.95 * LIMIT40, max_iter=400)
    np.testing.assert_allclose([below.intercept, *below.beta], [1.0, 2.0], atol=1e-3)
    with pytest.warns(Diverged, match=r"below 0\.476") as caught:
        above = descend(case, learning_rate=1.05 * LIMIT40, max_iter=400)
    assert caught[0].message.limit == pytest.approx(LIMIT40, rel=1e-9)
    assert above.details["diverged"] and not certify(case, above, 1e-8).converged
    assert np.isfinite(above.beta).all() and np.isfinite(above.intercept)


@pytest.mark.mission("GD-04")
def test_divergence_is_seen_after_few_steps_too_and_the_best_iterate_is_kept():
    trace = Trace(coefficients=[])
    with pytest.warns(Diverged):
        found = descend(problem(X40, Y40), learning_rate=1.2 * LIMIT40, max_iter=20, trace=trace)
    best = int(np.argmin(trace.objective))
    np.testing.assert_array_equal(found.beta, trace.coefficients[best])
    assert found.intercept == trace.intercepts[best]


@pytest.mark.mission("GD-04")
def test_a_step_that_is_too_small_is_slow_and_says_so():
    slow = Trace()
    descend(problem(X40, Y40), learning_rate=1e-4, max_iter=200, trace=slow)
    with pytest.warns(NotCertified, match="max_iter"):
        LinearRegression(solver="gradient", learning_rate=1e-4, max_iter=200).fit(X40, Y40)
    fast = Trace()
    quietly(problem(X40, Y40), learning_rate=0.1, max_iter=200, trace=fast)
    assert (np.diff(slow.objective) < 0).all() and slow.objective[-1] > 100 * fast.objective[-1]


@pytest.mark.mission("GD-04")
@pytest.mark.parametrize("size", [1e3, 1e160])
def test_overflow_is_divergence_and_never_nan(size):
    with pytest.warns(Diverged):
        found = descend(problem(size * X40, Y40), learning_rate=0.1, max_iter=1000)
    assert np.isfinite(found.beta).all()


# ------------------------------------------------------------------ any function


@pytest.mark.mission("GD-02")
def test_the_history_of_a_small_step_never_rises():
    trace = Trace(coefficients=[])
    found = gradient_descent(
        lambda w: np.array([2.0 * w[0], 20.0 * w[1]]),
        [3.0, -1.0],
        learning_rate=0.02,
        max_iter=2000,
        objective=lambda w: w[0] ** 2 + 10.0 * w[1] ** 2,
        trace=trace,
    )
    assert found.details["gradient"] <= 1e-8 and found.trace is trace
    assert len(trace) == found.iterations + 1 == len(trace.coefficients)
    assert (np.diff(trace.objective) <= 0.0).all()
    np.testing.assert_allclose(found.beta, 0.0, atol=1e-6)
    # each coordinate shrinks by its own factor 1 - alpha * curvature
    np.testing.assert_allclose(trace.coefficients[5], [3.0 * 0.96**5, -(0.6**5)], rtol=1e-12)


@pytest.mark.mission("GD-02", "GD-04")
@pytest.mark.parametrize("objective", [None, lambda w: float(w @ w)])
def test_any_function_can_be_seen_to_diverge(objective):
    with pytest.warns(Diverged):
        found = gradient_descent(lambda w: 2.0 * w, [1.0, 2.0], learning_rate=1.1, objective=objective)
    np.testing.assert_array_equal(found.beta, [1.0, 2.0])


@pytest.mark.mission("GD-02")
def test_running_out_of_steps_is_reported():
    found = gradient_descent(lambda w: 2.0 * w, 1.0, learning_rate=1e-3, max_iter=10)
    assert found.details["gradient"] == pytest.approx(0.998**10) and found.iterations == 10


@pytest.mark.mission("GD-10")
def test_noise_leaves_a_shallow_basin_where_exact_steps_stay():
    # f(w) = w^4/4 - w^2/2 + 0.2 w: a shallow minimum near 0.88, a ridge near 0.21, a deep minimum near -1.09
    def gradient(w):
        return w**3 - w + 0.2

    def objective(w):
        return float(w**4 / 4 - w**2 / 2 + 0.2 * w)

    exact = gradient_descent(gradient, 1.5, learning_rate=0.05, objective=objective)
    assert float(exact.beta) == pytest.approx(0.8794, abs=1e-3)
    ends = [
        float(gradient_descent(gradient, 1.5, learning_rate=0.05, noise=2.0, random_state=seed).beta)
        for seed in range(20)
    ]
    escaped = sum(end < 0.0 for end in ends)
    assert escaped > 0
    again = float(gradient_descent(gradient, 1.5, learning_rate=0.05, noise=2.0, random_state=7).beta)
    assert again == ends[7]


# ------------------------------------------------------------------ problems


@pytest.mark.mission("GD-05")
def test_all_random_starts_end_at_the_same_place(data):
    X, Y, s = data
    exact = np.linalg.lstsq(np.sqrt(s)[:, None] * np.c_[np.ones(60), X], np.sqrt(s) * Y[:, 0], rcond=None)[0]
    rng = np.random.default_rng(0)
    for _ in range(8):
        start = (10.0 * rng.standard_normal(4), 10.0 * rng.standard_normal())
        found = descend(problem(X, Y[:, 0], s), start=start, max_iter=5000, tol=1e-11)
        np.testing.assert_allclose([found.intercept, *found.beta], exact, rtol=1e-8)


@pytest.mark.mission("GD-07")
def test_a_batch_of_all_rows_is_the_full_batch(data):
    X, Y, s = data
    full = quietly(problem(X, Y[:, 0], s), learning_rate=0.1, max_iter=5)
    for size in (60, 1000):
        found = quietly(problem(X, Y[:, 0], s), learning_rate=0.1, max_iter=5, batch_size=size)
        np.testing.assert_allclose(found.beta, full.beta, rtol=1e-12)


@pytest.mark.mission("GD-07")
@pytest.mark.parametrize("storage", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("batch_size", [1, 7, 59])
def test_mini_batches_are_what_a_plain_loop_gives(data, batch_size, storage):
    X, Y, s = data
    Z, w, weights = np.c_[np.ones(60), X], np.zeros((5, 2)), s * 60 / s.sum()
    for _ in range(3):
        for start in range(0, 60, batch_size):
            B = slice(start, start + batch_size)
            w = w - 0.05 * (Z[B].T @ (weights[B, None] * (Z[B] @ w - Y[B])) / len(Z[B]) + 0.3 * np.r_[[[0, 0]], w[1:]])
    settings = {"learning_rate": 0.05, "max_iter": 3, "batch_size": batch_size, "shuffle": False}
    found = quietly(problem(storage(X), Y, s, penalty=L2(0.3)), **settings)
    np.testing.assert_allclose(np.vstack([found.intercept, found.beta]), w, rtol=1e-11)


@pytest.mark.mission("GD-03")
def test_a_seed_fixes_the_order_of_examples(data):
    X, Y, _ = data
    settings = {"learning_rate": 0.05, "max_iter": 2, "batch_size": 1}
    one, same, other = (quietly(problem(X, Y[:, 0]), random_state=i, **settings).beta for i in (1, 1, 2))
    np.testing.assert_array_equal(one, same)
    assert not np.array_equal(one, other)


@pytest.mark.mission("GD-01")
@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("storage", [np.asarray, sp.csr_array, sp.csc_array])
def test_many_outputs_and_weights_reach_least_squares(data, intercept, storage):
    X, Y, s = data
    Z = np.c_[np.ones(60), X] if intercept else X
    exact = np.linalg.lstsq(np.sqrt(s)[:, None] * Z, np.sqrt(s)[:, None] * Y, rcond=None)[0]
    trace = Trace(coefficients=[])
    found = descend(problem(storage(X), Y, s, intercept=intercept), max_iter=5000, tol=1e-11, trace=trace)
    np.testing.assert_allclose(found.beta, exact[1:] if intercept else exact, rtol=1e-8)
    np.testing.assert_allclose(found.intercept, exact[0] if intercept else [0.0, 0.0], rtol=1e-8)
    assert trace.coefficients[-1].shape == found.beta.shape and trace.intercepts[-1].shape == (2,)
    expected = s @ ((X @ trace.coefficients[3] + trace.intercepts[3] - Y) ** 2).sum(axis=1) / 2 / s.sum()
    assert trace.objective[3] == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("loss", [Squared(), Huber(0.5), SquaredEpsilonInsensitive(0.1), Logistic()])
def test_the_default_rate_descends_on_every_smooth_loss(data, loss):
    X, Y, s = data
    y = (Y[:, 0] > 0).astype(float) if isinstance(loss, Logistic) else Y[:, 0]
    trace = Trace()
    case = problem(X, y, s, loss=loss, penalty=L2(0.1))
    assert certify(case, descend(case, max_iter=5000, tol=1e-9, trace=trace), 1e-9).converged
    assert (np.diff(trace.objective) <= 1e-12).all()


def test_the_default_rate_of_single_examples_does_not_diverge(data):
    X, Y, _ = data
    X = X * np.array([1.0, 30.0, 0.1, 5.0])
    found = quietly(problem(X, Y[:, 0]), batch_size=1, max_iter=20, random_state=0)
    assert not found.details["diverged"]


def test_weight_two_is_the_row_twice(data):
    X, Y, _ = data
    s = np.ones(60)
    s[:5] = 2.0
    repeated = quietly(problem(np.vstack([X, X[:5]]), np.append(Y[:, 0], Y[:5, 0])), learning_rate=0.1, max_iter=9)
    weighted = quietly(problem(X, Y[:, 0], s), learning_rate=0.1, max_iter=9)
    np.testing.assert_allclose(weighted.beta, repeated.beta, rtol=1e-12)


def test_a_constant_target_is_certified():
    case = problem(np.random.default_rng(0).standard_normal((30, 2)), np.full(30, 1 / 3))
    found = descend(case, max_iter=5000)
    assert certify(case, found, 1e-8).converged and found.intercept == pytest.approx(1 / 3)


def test_what_cannot_be_descended_is_refused():
    with pytest.raises(ValueError, match="kink at 0 has no gradient there"):
        descend(problem(X40, Y40, penalty=L1(0.1)))
    with pytest.raises(ValueError, match="learning_rate of your own"):
        descend(problem(X40, Y40, loss=EpsilonInsensitive(0.1)))


def test_an_interrupt_passes_through():
    def interrupted(w):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        gradient_descent(interrupted, 0.0, learning_rate=0.1)
