"""The working-set solver on dual problems of one group and of two, against exact answers and an outside optimiser."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import minimize

from separatrix.core.dual_problem import DualProblem, best_offsets, certify_dual, dual_values
from separatrix.core.solution import Solution
from separatrix.designs.gram_rows import GramRows, PrecomputedRows
from separatrix.designs.kernels import Gaussian, Linear, Polynomial, Sigmoid
from separatrix.solvers import bordered_factor, dual_newton
from separatrix.solvers.bordered_factor import BorderedFactor
from separatrix.solvers.dual_decomposition import feasible, solve
from separatrix.solvers.dual_newton import DualNewton

RNG = np.random.default_rng(0)
X = RNG.standard_normal((40, 3))


def two_groups(total):
    """A one-class-like problem: p = 0, each half of the rows sums to `total`."""
    n, group = len(X), np.repeat([0, 1], len(X) // 2)
    signs = np.where(group == 0, 1.0, -1.0)
    box = np.full(n, 1.0)
    return DualProblem(
        GramRows(Gaussian(0.5), X),
        np.zeros(n),
        np.where(signs > 0.0, 0.0, -box),
        np.where(signs > 0.0, box, 0.0),
        np.arange(n),
        group,
        np.array([total, -total]),
    )


def test_two_groups_with_sums_of_their_own_reach_the_optimum():
    problem = two_groups(4.5)
    solution = solve(problem)
    K = problem.gram.block(np.arange(len(X)))
    held = [{"type": "eq", "fun": lambda b, g=g: b[problem.group == g].sum() - problem.totals[g]} for g in (0, 1)]
    oracle = minimize(
        lambda b: 0.5 * b @ K @ b,
        feasible(problem),
        jac=lambda b: K @ b,
        bounds=list(zip(problem.low, problem.high)),
        constraints=held,
        options={"maxiter": 1000, "ftol": 1e-14},
    )
    value = 0.5 * solution.beta @ K @ solution.beta
    assert value <= oracle.fun * (1.0 + 1e-9)
    assert_allclose(value, oracle.fun, rtol=1e-6)
    assert_allclose(np.bincount(problem.group, solution.beta), problem.totals, atol=1e-12)
    assert certify_dual(problem, solution, 1e-8).converged


def test_the_claimed_gap_is_never_below_the_true_one():
    problem = two_groups(4.5)
    K = problem.gram.block(np.arange(len(X)))
    best = solve(problem)
    least = 0.5 * best.beta @ K @ best.beta
    for seed in range(20):
        rng = np.random.default_rng(seed)
        b = best.beta.copy()
        for g in (0, 1):  # pairs of a group exchange something, within their boxes
            mine = rng.permutation(np.flatnonzero(problem.group == g))
            for i, j in zip(mine[::2], mine[1::2]):
                room = min(problem.high[i] - b[i], b[j] - problem.low[j])
                move = rng.uniform(0.0, room) * 10.0 ** -rng.uniform(0, 8)
                b[i], b[j] = b[i] + move, b[j] - move
        values = dual_values(problem, b, best.intercept + 1e-3 * rng.standard_normal(2))
        assert values.gap >= 0.5 * b @ K @ b - least - 1e-15


def test_a_box_that_is_left_certifies_nothing():
    problem = two_groups(4.5)
    best = solve(problem)
    outside = best.beta.copy()
    outside[0] += 2.0
    assert not certify_dual(problem, Solution(outside, best.intercept), 1e-3).converged


@pytest.mark.parametrize(
    "kernel", [Linear(), Polynomial(3, 0.4, 1.0), Polynomial(5, 0.4, 1.0), Gaussian(0.7), Sigmoid(0.3, -0.5)], ids=str
)
def test_rows_of_a_kernel_matrix_are_the_kernel_in_either_precision(kernel):
    import scipy.sparse as sp

    rows, exact = GramRows(kernel, X), kernel.block(X, X)
    some, others = np.array([3, 1, 7]), np.array([0, 5])
    assert_allclose(rows.block(some), exact[some], rtol=1e-12, atol=1e-14)
    assert_allclose(rows.block(some, others), exact[np.ix_(some, others)], rtol=1e-12, atol=1e-14)
    assert_allclose(rows.block(some, None, np.float32), exact[some], rtol=2e-5, atol=2e-5 * np.abs(exact).max())
    assert_allclose(GramRows(kernel, sp.csr_array(X)).block(some), exact[some], rtol=1e-12, atol=1e-14)
    assert_allclose(rows.take(some).block(np.arange(3)), exact[np.ix_(some, some)], rtol=1e-12, atol=1e-14)
    assert_allclose(rows.diagonal, np.diag(exact), rtol=1e-12)
    assert_allclose(PrecomputedRows(exact).take(some).block(np.array([0, 2])), exact[np.ix_([3, 7], some)])


@pytest.mark.parametrize("kernel", [Linear(), Gaussian(0.7), Gaussian(1e5), Polynomial(3, 0.4, 1.0)], ids=str)
@pytest.mark.parametrize("live", [0, 1, 40, 900, 1300])
def test_a_product_with_few_or_many_coefficients_is_that_of_the_whole_matrix(kernel, live):
    import scipy.sparse as sp

    rng = np.random.default_rng(live)
    Z, c = rng.standard_normal((1300, 3)), np.zeros(1300)
    c[rng.permutation(1300)[:live]] = rng.standard_normal(live)
    K = kernel.block(Z, Z)
    size = 1e-14 * np.abs(K).max() * (1.0 + np.abs(c).sum())
    for rows in (GramRows(kernel, Z), GramRows(kernel, sp.csr_array(Z)), PrecomputedRows(K)):
        assert_allclose(rows.times(c), K @ c, rtol=1e-12, atol=size)


def test_single_precision_working_sets_and_shrinking_end_at_the_same_answer():
    rng = np.random.default_rng(1)
    Z = rng.standard_normal((1500, 4))  # more rows than are done in double precision at once
    y = np.where(Z[:, 0] + 0.5 * Z[:, 1] ** 2 + 0.5 * rng.standard_normal(1500) > 0.3, 1.0, -1.0)
    gram = GramRows(Gaussian(0.3), Z)
    none = np.zeros(1500, dtype=np.int64)
    high, low = np.where(y > 0.0, 1.0, 0.0), np.where(y > 0.0, 0.0, -1.0)
    found = []
    for options in ({"shrinking": True}, {"shrinking": False}, {"cache_size": 1e-6}):
        problem = DualProblem(gram, y, low, high, np.arange(1500), none, np.zeros(1))
        solution = solve(problem, **options)
        assert certify_dual(problem, solution, 1e-10).converged
        found.append(solution.theta + solution.intercept[0])
    assert_allclose(found[1], found[0], atol=1e-9)
    assert_allclose(found[2], found[0], atol=1e-9)


def two_a_row(n, sums):
    """Regression within a tube: of each row one coefficient above 0 and one below; one sum, or one of each kind."""
    rng = np.random.default_rng(7)
    Z = rng.standard_normal((n, 2))
    y, none, box = np.sin(2.0 * Z[:, 0]) + 0.2 * rng.standard_normal(n), np.zeros(n), np.full(n, 3.0)
    width, group, totals = (0.1, np.zeros(2 * n, dtype=int), np.zeros(1)) if sums == 1 else (0.0, None, None)
    if sums == 2:
        group, totals = np.repeat([0, 1], n), 0.25 * n * np.array([1.0, -1.0])
    linear, row = np.append(y - width, y + width), np.tile(np.arange(n), 2)
    return DualProblem(
        GramRows(Gaussian(1.0), Z), linear, np.append(none, -box), np.append(box, none), row, group, totals
    )


@pytest.mark.parametrize("sums", [1, 2])
def test_newton_ends_at_rounding_where_each_row_has_two_variables(sums):
    problem = two_a_row(150, sums)
    best = solve(problem).beta
    inside = (best > problem.low) & (best < problem.high)
    b = best.copy()
    mine = np.flatnonzero(inside & (problem.group == 0))
    b[mine[::2][: len(mine) // 2]] += 1e-4
    b[mine[1::2]] -= 1e-4
    need = problem.linear - problem.scores(b)[problem.row]
    better = DualNewton(problem).finish(b, np.arange(len(b)), need, 1e-3, exact=True)
    offsets = best_offsets(problem, better, problem.linear - problem.scores(better)[problem.row])
    assert dual_values(problem, b, offsets).violation > 1e-6
    assert dual_values(problem, better, offsets).violation <= 1e-12
    assert_allclose(better, best, atol=1e-8)


@pytest.mark.parametrize("sums", [1, 2])
def test_newton_in_single_precision_repeats_its_steps_until_rows_in_any_order_agree(monkeypatch, sums):
    problem = two_a_row(150, sums)
    exact = solve(problem)
    monkeypatch.setattr(dual_newton, "MOST_DOUBLE", 0)
    single = solve(problem)
    assert certify_dual(problem, single, 1e-6).converged
    assert_allclose(single.theta + single.intercept.mean(), exact.theta + exact.intercept.mean(), atol=1e-7)


def test_one_factor_solves_with_borders_added_and_rows_left_out():
    rng = np.random.default_rng(3)
    Z = rng.standard_normal((120, 6))
    A = Z @ Z.T + np.eye(120)
    asked = []

    def entries(F, G):
        asked.append((len(F), len(G)))
        return A[np.ix_(F, G)]

    factor, R = BorderedFactor(entries, 120), rng.standard_normal((120, 2))
    for F in (np.arange(100), np.arange(3, 104), np.delete(np.arange(102), [7, 50]), np.arange(100)):
        exact = np.linalg.solve(A[np.ix_(F, F)] + 0.5 * np.eye(len(F)), R[F])
        assert_allclose(factor.solve(F, R[F], 0.5), exact, atol=1e-10)
    assert asked.count((100, 100)) == 1  # the sets above differ in few rows: there was one factor
    assert factor.solve(np.arange(60), R[:60], 0.5).shape == (60, 2)
    assert asked[-1] == (60, 60)
    A[0, 0] = -1e3
    assert BorderedFactor(entries, 120).solve(np.arange(10), R[:10], 0.0) is None


def test_a_factor_by_strips_of_columns_is_the_factor_at_once(monkeypatch):
    rng = np.random.default_rng(4)
    Z = rng.standard_normal((100, 6))
    A, R = Z @ Z.T + np.eye(100), rng.standard_normal((100, 2))
    strips = []
    monkeypatch.setattr(bordered_factor, "AT_ONCE", 0)
    monkeypatch.setattr(bordered_factor, "STRIP", 32)
    at_once = bordered_factor.cholesky
    monkeypatch.setattr(bordered_factor, "cholesky", lambda B, **how: strips.append(len(B)) or at_once(B, **how))
    X = BorderedFactor(lambda F, G: A[np.ix_(F, G)], 100).solve(np.arange(100), R, 0.0)
    assert strips == [32, 32, 32, 4]  # an interrupt waits for one of them
    assert_allclose(X, np.linalg.solve(A, R), atol=1e-12)
    A[99, 99] = -1.0
    assert BorderedFactor(lambda F, G: A[np.ix_(F, G)], 100).solve(np.arange(100), R, 0.0) is None


def test_a_square_that_rounding_leaves_below_0_is_the_unit_of_no_gap():
    gram = PrecomputedRows(np.array([[-1e-40]]))
    gram.is_mercer = True  # of w = 0 the sum b'Kb may be below 0 though K is a kernel's
    zero, one = np.zeros(1), np.ones(1)
    problem = DualProblem(gram, zero, zero, one, np.zeros(1, dtype=int), np.zeros(1, dtype=int), one)
    certificate = certify_dual(problem, Solution(one, zero, theta=gram.matrix @ one), 1e-4)
    assert 0.0 <= certificate.value <= 1e-15
