"""The judges of the classification problems judge truly, and scikit-learn reaches their targets on tiny data."""

import math

import numpy as np
import pytest
from benchmarks.contestant import Answer, Contestant
from benchmarks.problems import (
    exact_logistic,
    likelihood,
    linear_svm,
    logistic,
    logistic_l1,
    multinomial,
    one_pass,
    problems,
)
from benchmarks.problems.storage import by_columns, by_rows, load_answer, load_data, save_answer, save_data, tidy
from scipy import sparse

from benchmarks import rivals, run

GROUPS = ("logistic", "multinomial", "logistic_l1", "likelihood", "one_pass", "linear_svm", "linear_svm_squared")
EVERY_PROBLEM = [problem for group in GROUPS for problem in problems(group)]
TINY = 1e-4


def named(problem):
    return f"{problem.group} {problem.variant}"


@pytest.fixture
def small():
    rng = np.random.default_rng(5)
    return rng.standard_normal((20, 4)), (np.arange(20) % 2), rng.standard_normal(4)


def naive_loss(X, y, w, b=0.0):
    """-log of the probability that the logistic function gives each label, summed one by one."""
    total = 0.0
    for i in range(len(y)):
        eta = b + sum(float(X[i, j]) * float(w[j]) for j in range(X.shape[1]))
        p = 1.0 / (1.0 + math.exp(-eta))
        total -= math.log(p if y[i] == 1 else 1.0 - p)
    return total


def settings_of(data):
    """What a measured process adds to the settings."""
    return {**data.settings, "sparse": sparse.issparse(data.X), "threads": 1, "shape": data.X.shape}


@pytest.mark.parametrize("storage", [np.ascontiguousarray, sparse.csr_matrix], ids=["dense", "sparse"])
def test_the_l2_objective_is_minus_the_log_likelihood_plus_the_squared_length_over_two_c(small, storage):
    X, y, w = small
    expected = naive_loss(X, y, w) + sum(float(v) ** 2 for v in w) / (2 * 0.3)
    assert logistic.objective(storage(X), y, 0.3, w) == pytest.approx(expected, rel=1e-13)


@pytest.mark.parametrize("storage", [np.asfortranarray, sparse.csc_matrix], ids=["dense", "sparse"])
def test_the_l1_objective_is_minus_the_mean_log_likelihood_plus_lambda_times_the_l1_norm(small, storage):
    X, y, w = small
    expected = naive_loss(X, y, w) / 20 + 0.3 * sum(abs(float(v)) for v in w)
    assert logistic_l1.objective(storage(X), y, 0.3, w) == pytest.approx(expected, rel=1e-13)


@pytest.mark.parametrize("power", [1, 2])
def test_the_margin_objective_is_the_price_of_slack_plus_half_the_squared_length(small, power):
    X, y, w = small
    slack = [max(0.0, 1.0 - (1.0 if y[i] else -1.0) * float(X[i] @ w)) for i in range(len(y))]
    expected = 0.3 * sum(each**power for each in slack) + 0.5 * sum(float(v) ** 2 for v in w)
    assert linear_svm.objective(X, y, 0.3, power, w) == pytest.approx(expected, rel=1e-13)


def test_the_deviance_is_twice_minus_the_log_likelihood(small):
    X, y, w = small
    assert likelihood.deviance(X, y, w, 0.7) == pytest.approx(2 * naive_loss(X, y, w, 0.7), rel=1e-13)


def test_the_multinomial_objective_is_minus_the_log_of_the_softmax_plus_the_penalty_without_intercepts(small):
    X, _, _ = small
    rng = np.random.default_rng(6)
    y, W, b = rng.integers(3, size=20), rng.standard_normal((4, 3)), rng.standard_normal(3)
    expected = sum(float(v) ** 2 for v in W.ravel()) / (2 * 0.3)
    for i in range(20):
        odds = [math.exp(b[c] + sum(X[i, j] * W[j, c] for j in range(4))) for c in range(3)]
        expected -= math.log(odds[y[i]] / sum(odds))
    assert multinomial.objective(X, y, 0.3, W, b) == pytest.approx(expected, rel=1e-13)


def test_no_loss_overflows_at_scores_of_a_thousand():
    X, y = np.array([[1e3], [-1e3]]), np.array([0, 0])
    np.testing.assert_allclose(exact_logistic.losses(X, y, np.ones(1)), [1e3, 0.0])


@pytest.mark.parametrize(
    "problem", [p for p in EVERY_PROBLEM if p.group in ("logistic", "multinomial", "logistic_l1")], ids=named
)
def test_the_reference_proves_itself_by_its_duality_gap(problem):
    judge = problem.judge(problem.make(TINY))
    reference = tidy(judge.reference())
    assert judge.gap(reference) < 1e-12
    worse = Answer(reference.coef * 1.05, reference.intercept)
    excess = judge.suboptimality(judge.values(worse), judge.values(reference))
    assert 1e-9 < excess <= judge.gap(worse)


def test_the_reference_of_the_likelihood_agrees_with_statsmodels():
    api = pytest.importorskip("statsmodels.api")
    data = problems("likelihood")[0].make(TINY)
    judge = likelihood.LikelihoodJudge(data)
    theirs = api.Logit(data.y, api.add_constant(data.X)).fit(disp=False, tol=1e-12)
    np.testing.assert_allclose(judge.beta, theirs.params, rtol=1e-7)
    np.testing.assert_allclose(judge.errors, theirs.bse, rtol=1e-7)


def test_the_likelihood_counts_standard_errors_at_a_hundredth_and_asks_for_them():
    judge = likelihood.LikelihoodJudge(problems("likelihood")[0].make(TINY))
    reference = tidy(judge.reference())
    best = judge.values(reference)
    off = Answer(reference.coef, reference.intercept, errors=reference.errors * (1.0 + 2e-6))
    assert judge.suboptimality(judge.values(off), best) == pytest.approx(2e-8, rel=1e-4)
    without = Answer(reference.coef, reference.intercept)
    assert judge.suboptimality(judge.values(without), best) > 1.0


@pytest.mark.parametrize(
    "problem", [p for p in problems("one_pass") if not p.make(TINY).settings["shuffle"]], ids=named
)
def test_one_pass_by_the_formula_is_that_of_scikit_learn(problem):
    data = problem.make(TINY)
    data.X, data.y = data.X[:300], data.y[:300]  # steps of size ten double a rounding error every fifty rows
    w, b = one_pass.one_pass(data.X, data.y, data.settings["model"], np.arange(len(data.y)))
    theirs = rivals.contestants("one_pass", ["sklearn"])[0].fit(data, settings_of(data))
    np.testing.assert_allclose(theirs.coef, w, rtol=1e-6, atol=1e-9)
    np.testing.assert_allclose(theirs.intercept, b, rtol=1e-6)


def test_two_passes_are_not_one():
    judge = problems("one_pass")[0].judge(problems("one_pass")[0].make(TINY))
    answer = tidy(judge.reference())
    answer.passes = 2
    assert judge.values(answer)[0] == np.inf


def test_an_intercept_where_none_was_asked_for_does_not_count():
    for group in ("logistic", "logistic_l1"):
        judge = problems(group)[0].judge(problems(group)[0].make(TINY))
        assert judge.values(tidy(Answer(np.zeros(judge.X.shape[1]), 0.1)))[0] == np.inf


@pytest.mark.parametrize("problem", EVERY_PROBLEM, ids=named)
def test_scikit_learn_reaches_the_target_on_a_tiny_instance(problem):
    data = problem.make(TINY)
    judge = problem.judge(data)
    best = judge.values(tidy(judge.reference()))
    settings = settings_of(data)
    for contestant in rivals.contestants(problem.group, ["sklearn"]):
        if not contestant.suits(settings) or contestant.slow(settings):
            continue
        for tolerance in contestant.tolerances:
            answer = contestant.fit(contestant.prepare(data), {**settings, "tolerance": tolerance})
            reached = judge.suboptimality(judge.values(tidy(answer)), best)
            if reached <= problem.target:
                break
        assert reached <= problem.target, contestant.name
        assert reached > -1e-12 or problem.group == "one_pass", "better than the optimum"


def test_the_strength_sets_lambda_as_a_part_of_the_largest():
    problem = problems("logistic_l1")[0]
    usual, weak = problem.make(TINY), problem.make(TINY, strength=0.01)
    assert usual.settings["alpha"] == pytest.approx(0.1 * logistic_l1.largest_lam(usual.X, usual.y))
    assert weak.settings["alpha"] == pytest.approx(0.1 * usual.settings["alpha"])
    assert weak.settings["C"] * weak.settings["alpha"] * len(weak.y) == pytest.approx(1.0)
    at_the_top = problem.judge(problem.make(TINY, strength=1.0 + 1e-9))
    assert tidy(at_the_top.reference()).coef.nnz == 0


def test_the_ill_conditioned_columns_span_six_decades_and_correlate_by_ninety_nine_hundredths():
    X = next(p for p in problems("logistic") if p.variant == "ill").make(0.01).X
    spread = X.std(axis=0)
    assert spread.max() / spread.min() == pytest.approx(1e6, rel=0.05)
    np.testing.assert_allclose(np.corrcoef(X.T)[np.triu_indices(X.shape[1], 1)], 0.99, atol=2e-3)


def test_a_file_keeps_rows_compressed_by_rows_and_answers_their_errors_and_passes(tmp_path):
    data = next(p for p in problems("logistic") if p.variant == "sparse").make(TINY)
    save_data(tmp_path, data)
    assert load_data(tmp_path).X.format == data.X.format == "csr"
    save_answer(tmp_path / "a.npz", Answer(np.ones(2), 0.5, errors=[1.0, 2.0, 3.0], passes=np.array([1])))
    read = load_answer(tmp_path / "a.npz")
    np.testing.assert_array_equal(read.errors, [1.0, 2.0, 3.0])
    assert read.passes == 1


def test_data_are_arranged_by_rows_or_by_columns_without_changing_them():
    data = problems("logistic")[0].make(TINY)
    before = data.X.copy()
    assert by_columns(data).X.flags.f_contiguous and by_rows(data).X.flags.c_contiguous
    np.testing.assert_array_equal(data.X, before)


def test_a_slow_rival_runs_only_if_it_is_named():
    settings = {"variant": "long", "sparse": False}

    def entrants(*options):
        chosen, slow = run.line_up("logistic", settings, run.parse(["logistic", "--without-ours", *options]))
        return [contestant.name for _, contestant in chosen], slow

    usual, slow = entrants()
    assert "sklearn lbfgs" in usual and "sklearn saga" in slow and not set(usual) & set(slow)
    assert entrants("--rivals", "sklearn saga,glum")[0][0] == "sklearn saga"
    assert "sklearn saga" in entrants("--rivals", "sklearn")[1]
    with pytest.raises(SystemExit, match="Cannot run the rival 'nobody'"):
        entrants("--rivals", "nobody")


def test_an_unknown_contestant_is_by_default_quick_and_suits_everything():
    contestant = Contestant("someone", "numpy", lambda data, settings: None)
    assert contestant.suits({}) and not contestant.slow({})
