"""L1 and elastic-net likelihoods: optimality recomputed in numpy, other people's solvers, and what must not matter."""

import warnings
from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose
from scipy.special import expit, logit, softmax
from sklearn.linear_model import ElasticNet as TheirElasticNet
from sklearn.linear_model import LogisticRegression as TheirLogisticRegression

from separatrix.core.certificate import certify, duality_gap
from separatrix.core.errors import NotCertified
from separatrix.core.problem import Problem
from separatrix.core.solution import Trace
from separatrix.core.target import Target
from separatrix.designs import as_design
from separatrix.designs.working import working_columns
from separatrix.linear_model import LogisticRegression
from separatrix.losses import Logistic, Quantile, Softmax, Squared
from separatrix.penalties import L1, L2, ElasticNet, NoPenalty
from separatrix.solvers.choose import solve_likelihood
from separatrix.solvers.compiled.curvature import look
from separatrix.solvers.newton_raphson import newton
from separatrix.solvers.path import path
from separatrix.solvers.proximal_newton import proximal_newton, solve_at
from separatrix.solvers.working_set import WorkingSet


def solved(stated, tol=1e-8, **options):
    """The solver's answer with the judge's certificate beside it."""
    solution = proximal_newton(stated, tol=tol, **options)
    solution.details["certificate"] = certify(stated, solution, max(tol, 1e-14))
    return solution


def rows(n=120, p=30, seed=0, k=2):
    """X with shifted and partly zero columns, labels with signal in four of them."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, p)) * (rng.random((n, p)) < 0.8) + 0.2
    eta = X[:, :4] @ np.array([1.0, -2.0, 0.5, 1.0]) + 0.5 * rng.logistic(size=n)
    codes = (eta > 0.3).astype(int) if k == 2 else np.digitize(eta, [-1.0, 1.0])
    return X, codes, rng.integers(1, 4, n).astype(float)


def problem(X, codes, penalty, s=None, intercept=True):
    k = codes.max() + 1
    if k == 2:
        return Problem(as_design(X), Target(codes.astype(float), s), Logistic(), penalty, intercept)
    return Problem(as_design(X), Target(np.eye(k)[codes], s), Softmax(), penalty, intercept)


def broken_conditions(X, codes, s, l1, l2, beta, intercept):
    """How far coefficients are from the optimality conditions, with nothing of ours: (intercept, worst column)."""
    s = np.ones(len(codes)) if s is None else s
    eta = X @ beta + intercept
    u = expit(eta) - codes if beta.ndim == 1 else softmax(eta, axis=1) - np.eye(beta.shape[1])[codes]
    g = X.T @ (s * u.T).T / s.sum() + l2 * beta
    zero = beta == 0.0
    broken = np.where(zero, np.maximum(np.abs(g) - l1, 0.0), np.abs(g + l1 * np.sign(beta)))
    return np.abs(s @ u / s.sum()).max(), broken.max()


@pytest.mark.mission("LG-13")
@pytest.mark.parametrize("penalty", [L1(0.02), ElasticNet(0.02, 0.0), ElasticNet(0.02, 0.1), L1(0.001)], ids=str)
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("k", [2, 3])
def test_the_optimality_conditions_hold(penalty, weighted, k):
    X, codes, s = rows(k=k)
    s = s if weighted else None
    found = solved(problem(X, codes, penalty, s))
    l1, l2 = (penalty.lam, 0.0) if isinstance(penalty, L1) else (penalty.l1, penalty.l2)
    at_intercept, at_columns = broken_conditions(X, codes, s, l1, l2, found.beta, found.intercept)
    assert at_intercept < 1e-12
    assert at_columns < 1e-10
    assert found.details["certificate"].converged


@pytest.mark.mission("LG-13")
@pytest.mark.parametrize("k", [2, 3])
def test_a_large_strength_leaves_the_intercept_alone(k):
    X, codes, s = rows(k=k)
    share = s @ np.eye(k)[codes] / s.sum()
    found = solved(problem(X, codes, L1(10.0), s))
    assert not found.beta.any()
    logs = np.log(share) - np.log(share).mean()
    assert_allclose(found.intercept, logit(share[1]) if k == 2 else logs, rtol=1e-13)


@pytest.mark.mission("LG-13")
def test_the_first_column_comes_in_just_below_the_largest_gradient():
    X, codes, _ = rows()
    largest = np.abs(X.T @ (codes - codes.mean())).max() / len(codes)
    assert not solved(problem(X, codes, L1(1.001 * largest))).beta.any()
    assert np.count_nonzero(solved(problem(X, codes, L1(0.999 * largest))).beta) == 1


@pytest.mark.mission("LG-13")
def test_a_vanishing_strength_approaches_maximum_likelihood():
    X, codes, _ = rows(n=400, p=5, seed=3)
    codes = np.where(np.arange(400) % 7 == 0, 1 - codes, codes)  # classes that overlap
    plain = newton(problem(X, codes, NoPenalty()), tol=1e-12)
    for strength in (1e-3, 1e-5, 1e-7):
        found = solved(problem(X, codes, L1(strength)))
        # first-order: the coefficients move by H^-1 sign(beta) times the strength, and H is about 0.2 here
        assert np.abs(found.beta - plain.beta).max() < 20.0 * strength


@pytest.mark.parametrize("ratio", [1.0, 0.5])
@pytest.mark.parametrize("k", [2, 3])
def test_saga_finds_the_same(ratio, k):
    X, codes, s = rows(k=k)
    X = X - X.mean(axis=0)  # or saga crawls
    C = 0.05  # weaker penalties of three classes take it beyond a million passes
    theirs = TheirLogisticRegression(C=C, l1_ratio=ratio, solver="saga", tol=1e-9, max_iter=20_000).fit(X, codes, s)
    strength = 1.0 / (C * s.sum())
    ours = solved(problem(X, codes, ElasticNet(strength * ratio, strength * (1.0 - ratio)), s))
    assert_allclose(ours.beta.reshape(X.shape[1], -1).T, theirs.coef_, atol=1e-6)
    assert_allclose(np.atleast_1d(ours.intercept), theirs.intercept_, atol=1e-6)


def test_liblinear_finds_the_same_without_an_intercept():
    X, codes, _ = rows()
    options = {"solver": "liblinear", "fit_intercept": False, "tol": 1e-10, "max_iter": 100_000, "random_state": 0}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)
        theirs = TheirLogisticRegression(C=0.5, l1_ratio=1.0, **options).fit(X, codes)
    ours = solved(problem(X, codes, L1(1.0 / (0.5 * len(codes))), intercept=False))
    assert ours.intercept == 0.0
    assert_allclose(ours.beta, theirs.coef_[0], atol=1e-6)


@pytest.mark.parametrize("ratio", [1.0, 0.5])
@pytest.mark.parametrize("positive", [False, True])
def test_with_the_squared_loss_it_is_the_elastic_net(ratio, positive):
    X, codes, s = rows()
    target = Target(X[:, 0] - 2.0 * X[:, 1] + 0.1 * codes, s)
    penalty = ElasticNet(0.05 * ratio, 0.05 * (1.0 - ratio), positive)
    ours = solved(Problem(as_design(X), target, Squared(), penalty))
    theirs = TheirElasticNet(0.05, l1_ratio=ratio, positive=positive, tol=1e-14, max_iter=100_000)
    theirs.fit(X, target.y, sample_weight=s)
    assert_allclose(ours.beta, theirs.coef_, atol=1e-9)
    assert_allclose(ours.intercept, theirs.intercept_, atol=1e-9)


@pytest.mark.parametrize("k", [2, 3])
def test_a_weight_is_a_repetition(k):
    X, codes, s = rows(k=k)
    times = s.astype(int)
    weighted = solved(problem(X, codes, L1(0.02), s))
    repeated = solved(problem(np.repeat(X, times, axis=0), np.repeat(codes, times), L1(0.02)))
    assert_allclose(weighted.beta, repeated.beta, atol=1e-11)
    assert_allclose(weighted.intercept, repeated.intercept, atol=1e-11)


def test_a_row_of_weight_zero_is_not_there():
    X, codes, s = rows()
    s[:20] = 0.0
    X[:20] *= 1e3
    with_them = solved(problem(X, codes, L1(0.02), s))
    without = solved(problem(X[20:], codes[20:], L1(0.02), s[20:]))
    assert_allclose(with_them.beta, without.beta, atol=1e-11)


@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("strength", [0.03, 0.003])
def test_the_order_of_the_rows_does_not_show(k, strength):
    X, codes, _ = rows(p=200, k=k)
    order = np.random.default_rng(5).permutation(len(codes))
    one = solved(problem(X, codes, L1(strength)))
    other = solved(problem(X[order], codes[order], L1(strength)))
    assert np.abs(one.beta - other.beta).max() < 1e-9
    assert np.abs(np.asarray(one.intercept) - other.intercept).max() < 1e-9


@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("density", [0.05, 0.8])
def test_storage_does_not_matter(k, density):
    rng = np.random.default_rng(1)
    X, codes, s = rows(p=60, k=k)
    X = np.where(rng.random(X.shape) < density, X, 0.0)
    dense = solved(problem(X, codes, L1(0.01), s))
    assert dense.beta.any()
    for hold in (np.asfortranarray, sp.csr_array, sp.csc_array):
        other = solved(problem(hold(X), codes, L1(0.01), s))
        assert_allclose(other.beta, dense.beta, atol=1e-10)
        assert_allclose(other.intercept, dense.intercept, atol=1e-10)


def test_columns_far_from_zero_are_no_harder():
    X, codes, _ = rows()
    near = solved(problem(X, codes, L1(0.02)))
    far = solved(problem(X + 1e5, codes, L1(0.02)))
    assert_allclose(far.beta, near.beta, atol=1e-7)
    assert far.details["certificate"].converged


@pytest.mark.parametrize("k", [2, 3])
def test_separable_classes_have_finite_coefficients(k):
    X, codes, _ = rows(n=40, p=100, k=k)  # more columns than rows: any labels can be separated
    found = solved(problem(X, codes, L1(1e-3)))
    assert found.details["certificate"].converged
    assert np.isfinite(found.beta).all()
    assert max(broken_conditions(X, codes, None, 1e-3, 0.0, found.beta, found.intercept)) < 1e-9


def test_columns_of_zeros_and_columns_given_twice_do_no_harm():
    X, codes, _ = rows()
    alone = solved(problem(X, codes, L1(0.02)))
    with_zeros = solved(problem(np.column_stack([np.zeros(len(X)), X]), codes, L1(0.02)))
    assert_allclose(with_zeros.beta, np.concatenate([[0.0], alone.beta]), atol=1e-11)
    twice = solved(problem(np.column_stack([X, X]), codes, L1(0.02)))
    assert twice.details["certificate"].converged
    assert_allclose(twice.beta[:30] + twice.beta[30:], alone.beta, atol=1e-7)


def test_many_columns_are_proved_away_in_a_few_reads():
    rng = np.random.default_rng(2)
    X = rng.standard_normal((150, 3000))
    codes = (X[:, :3].sum(axis=1) + rng.logistic(size=150) > 0.0).astype(int)
    strength = 0.2 * np.abs(X.T @ (codes - codes.mean())).max() / 150
    found = solved(problem(X, codes, L1(strength)))
    assert found.details["certificate"].converged
    assert found.passes <= 11
    assert max(broken_conditions(X, codes, None, strength, 0.0, found.beta, found.intercept)) < 1e-10


@pytest.mark.parametrize("k", [2, 3])
def test_a_start_at_the_solution_is_a_proof_and_nothing_else(k):
    X, codes, _ = rows(k=k)
    stated = problem(X, codes, ElasticNet(0.02, 0.01))
    cold = solved(stated)
    warm = solved(stated, start=(cold.beta, cold.intercept))
    assert warm.iterations == 0
    assert warm.passes == 1
    assert_allclose(warm.beta, cold.beta, atol=1e-11)


@pytest.mark.parametrize("k", [2, 3])
def test_a_path_ends_where_single_fits_end_whatever_its_order(k):
    X, codes, s = rows(k=k)
    strengths = (0.005, 0.3, 0.05, 1.0)
    penalties = [ElasticNet(0.8 * a, 0.2 * a) for a in strengths]
    stated = problem(X, codes, penalties[0], s)
    coefs, offsets, gaps, rounds = path(stated, strengths, lambda a: ElasticNet(0.8 * a, 0.2 * a), tol=1e-12)
    assert gaps.max() <= 1e-12 and rounds.min() >= 1
    for place, penalty in enumerate(penalties):
        alone = solved(replace(stated, penalty=penalty), tol=1e-12)
        assert_allclose(coefs[place], alone.beta, atol=1e-6)
        assert_allclose(offsets[place], alone.intercept, atol=1e-6)


def test_a_path_without_an_l1_part_is_solved_by_newton():
    X, codes, _ = rows()
    penalties = [L2(0.01), L2(1.0)]
    coefs, offsets, _, _ = path(problem(X, codes, penalties[0]), (0.01, 1.0), L2, tol=1e-12)
    for place, penalty in enumerate(penalties):
        alone = newton(problem(X, codes, penalty), tol=1e-12)
        # a gap of 1e-12 leaves an error of its square root
        assert_allclose(coefs[place], alone.beta, atol=1e-5)
        assert_allclose(offsets[place], alone.intercept, atol=1e-5)


def test_a_likelihood_goes_to_the_solver_of_its_penalty():
    X, codes, _ = rows()
    assert np.count_nonzero(solve_likelihood(problem(X, codes, L1(0.05))).beta) < 30
    assert np.count_nonzero(solve_likelihood(problem(X, codes, L2(0.05))).beta) == 30
    with_none = solve_likelihood(problem(X, codes, ElasticNet(0.05, 0.0)))
    assert_allclose(with_none.beta, solve_likelihood(problem(X, codes, L1(0.05))).beta, atol=1e-11)


def test_the_trace_tells_a_falling_objective():
    X, codes, _ = rows(p=400)
    trace = Trace()
    solved(problem(X, codes, L1(0.01)), trace=trace)
    assert len(trace) >= 3
    assert np.all(np.diff(trace.objective) <= 1e-15)
    assert trace.certificate[-1] <= 1e-8


def test_too_few_growths_are_a_warning_with_numbers():
    X, codes, _ = rows(p=400)
    with pytest.warns(NotCertified, match="Raise max_iter") as caught:
        model = LogisticRegression(C=1.0 / (0.003 * len(X)), l1_ratio=1.0, max_iter=1).fit(X, codes)
    assert caught[0].message.value > 1e-8
    assert not model.certificate_.converged


@pytest.mark.parametrize(
    "loss, y, penalty, because",
    [
        (Quantile(0.5), np.zeros(4), L1(0.1), "slope of the loss Quantile jumps"),
        (Logistic(), np.zeros((4, 2)), L1(0.1), r"shape \(2,\) in each row"),
        (Softmax(), np.zeros(4), L1(0.1), r"shape \(\) in each row"),
    ],
)
def test_what_it_cannot_solve_is_refused(loss, y, penalty, because):
    with pytest.raises(ValueError, match=because):
        solved(Problem(as_design(np.eye(4)), Target(y), loss, penalty))


@pytest.mark.parametrize("density", [0.02, 0.5])
def test_weighted_products_of_working_columns_are_those_of_the_textbook(density):
    rng = np.random.default_rng(4)
    X = np.where(rng.random((70, 40)) < density, rng.standard_normal((70, 40)), 0.0)
    w, share = rng.random(70), np.full(70, 1 / 70)
    first, second = np.array([3, 1, 20]), np.array([30, 7])
    for hold, centre in ((np.asarray, True), (np.asarray, False), (sp.csc_array, True), (sp.csr_array, False)):
        columns = working_columns(as_design(hold(X)), share, centre=centre)
        columns.add(first)
        columns.add(second)
        Z = X[:, np.concatenate([first, second])] - columns.means
        assert_allclose(columns.products(w), Z.T @ (w[:, None] * Z), atol=1e-13)
        assert_allclose(columns.products(w, 3), Z.T @ (w[:, None] * Z[:, 3:]), atol=1e-13)
        assert_allclose(columns.correlate(w), Z.T @ w, atol=1e-13)
        assert_allclose(columns.fitted(np.arange(5.0)), Z @ np.arange(5.0), atol=1e-13)
        assert_allclose(columns.fitted(np.eye(5)[:, :2]), Z[:, :2], atol=1e-13)


def test_one_look_gives_value_slope_and_curvature():
    rng = np.random.default_rng(6)
    y, eta, share = rng.random(3000), rng.normal(0.0, 3.0, 3000), rng.random(3000)
    for loop in (look, look.py_func):
        u, w = np.empty(3000), np.empty(3000)
        total = loop(Logistic(), y, eta, share, u, w)
        mu = expit(eta)
        assert_allclose(total, share @ (np.logaddexp(0.0, eta) - y * eta), rtol=1e-13)
        assert_allclose(u, mu - y, atol=1e-15)
        assert_allclose(w, share * mu * (1.0 - mu), atol=1e-15)


@pytest.mark.parametrize("hold", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("intercept", [True, False])
def test_its_gap_is_the_certificates_gap(hold, intercept):
    """What stops the solver and what certifies its answer are one number, or fits would end above their tolerance."""
    X, codes, _ = rows(n=200, p=50, seed=8)
    codes = np.where(np.arange(200) % 3 == 0, 1 - codes, codes)
    stated = problem(hold(X), codes, L1(0.001), intercept=intercept)
    state = WorkingSet(stated)
    solve_at(state, 1e-3)
    recomputed = duality_gap(stated, state.coefficients(), state.intercept()) / state.null
    assert_allclose(state.gap(), recomputed, rtol=1e-6)


def test_a_coarse_path_does_not_bring_every_column_into_play():
    """After a step by more than a half the strong rule excludes nothing: the largest columns come first instead."""
    rng = np.random.default_rng(5)
    X = rng.standard_normal((60, 1500))
    y = (X[:, 0] + X[:, 1] > 0.0).astype(float)
    problem = Problem(as_design(X), Target(y), Logistic(), L1(0.2))
    state = WorkingSet(problem)
    solve_at(state, 1e-8)
    state.penalise(L1(0.02))
    solve_at(state, 1e-8, before=np.full(1500, 0.2))
    assert state.gap() <= 1e-8
    assert state.inside.sum() < 300
