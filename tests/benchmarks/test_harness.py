"""The benchmark judges truly: objectives match a naive formula, references are optimal, a run yields a table."""

import json

import numpy as np
import pytest
from benchmarks.contestant import Answer
from benchmarks.problems import GROUPS, exact_lasso, lasso, problems, ridge, ridge_cv
from benchmarks.problems.base import Data
from benchmarks.problems.storage import load_answer, load_data, save_answer, save_data, tidy
from scipy import sparse

from benchmarks import compare, ours, rivals, run, startup

EVERY_PROBLEM = [problem for group in GROUPS for problem in problems(group)]
TINY = 1e-4
UNSURE = ("sklearn randomized",)  # of principal components that are nearly tied


def named(problem):
    return f"{problem.group} {problem.variant}"


def naive_objective(X, y, beta, b, loss_scale, penalty):
    total = 0.0
    for i in range(len(y)):
        fitted = b + sum(float(X[i, j]) * float(beta[j]) for j in range(X.shape[1]))
        total += (float(y[i]) - fitted) ** 2
    return loss_scale * total + sum(penalty(float(value)) for value in beta)


@pytest.fixture
def small():
    rng = np.random.default_rng(3)
    return rng.standard_normal((20, 6)), rng.standard_normal(20), rng.standard_normal(6), 0.7


def test_the_ridge_objective_is_the_sum_of_squares_plus_alpha_times_the_squared_length(small):
    X, y, beta, b = small
    expected = naive_objective(X, y, beta, b, 1.0, lambda v: 0.3 * v * v)
    assert ridge.objective(X, y, 0.3, beta, b) == pytest.approx(expected, rel=1e-13)


@pytest.mark.parametrize("storage", [np.asfortranarray, sparse.csc_matrix], ids=["dense", "sparse"])
def test_the_lasso_objective_halves_the_mean_square_and_adds_alpha_times_the_l1_norm(small, storage):
    X, y, beta, b = small
    coefs = sparse.csc_matrix(np.column_stack([beta, 2 * beta]))
    got = lasso.objectives(storage(X), y, np.array([0.3, 0.1]), coefs, np.array([b, 0.0]))
    expected = [
        naive_objective(X, y, beta, b, 1 / 40, lambda v: 0.3 * abs(v)),
        naive_objective(X, y, 2 * beta, 0.0, 1 / 40, lambda v: 0.1 * abs(v)),
    ]
    np.testing.assert_allclose(got, expected, rtol=1e-13)


@pytest.mark.parametrize("shape", [(30, 4), (12, 40)], ids=["tall", "wide"])
def test_leave_one_out_errors_are_those_of_leaving_each_row_out(shape):
    rng = np.random.default_rng(1)
    X, alphas = rng.standard_normal(shape), [0.1, 5.0]
    y = X[:, 0] + rng.standard_normal(shape[0])
    judge = ridge_cv.RidgeCVJudge(Data(X, y, {"alphas": alphas}))
    for alpha, got in zip(alphas, judge.errors):
        errors = []
        for i in range(shape[0]):
            kept = np.arange(shape[0]) != i
            Xc, yc = X[kept] - X[kept].mean(axis=0), y[kept] - y[kept].mean()
            beta = np.linalg.solve(Xc.T @ Xc + alpha * np.eye(shape[1]), Xc.T @ yc)
            errors.append((y[i] - y[kept].mean() - (X[i] - X[kept].mean(axis=0)) @ beta) ** 2)
        assert got == pytest.approx(np.mean(errors), rel=1e-9)


@pytest.mark.parametrize("shape", [(40, 5), (15, 60)], ids=["tall", "wide"])
def test_the_exact_ridge_has_no_slope_left(shape):
    rng = np.random.default_rng(2)
    X, y = rng.standard_normal(shape) + 3.0, rng.standard_normal(shape[0])
    beta, b = ridge.exact(X, y, 0.5)
    r = y - X @ beta - b
    np.testing.assert_allclose(X.T @ r - 0.5 * beta, 0.0, atol=1e-11)
    assert abs(r.sum()) < 1e-11


@pytest.mark.parametrize("problem", [p for p in EVERY_PROBLEM if p.group.startswith("lasso")], ids=named)
def test_the_reference_of_a_lasso_proves_itself_by_its_gap(problem):
    judge = problem.judge(problem.make(TINY))
    reference = tidy(judge.reference())
    assert judge.gap(reference) < 1e-12
    worse = Answer(reference.coef * 1.01, reference.intercept)
    assert judge.suboptimality(judge.values(worse), judge.values(reference)) > 1e-9
    assert judge.gap(worse) > judge.suboptimality(judge.values(worse), judge.values(reference))


def test_the_exact_lasso_agrees_with_scikit_learn():
    from sklearn.linear_model import Lasso

    data = problems("lasso")[0].make(TINY)
    coefs, intercepts = exact_lasso.exact_lasso(data.X, data.y, [data.settings["alpha"]])
    theirs = Lasso(alpha=data.settings["alpha"], tol=1e-12, max_iter=100_000).fit(data.X, data.y)
    np.testing.assert_allclose(coefs.toarray()[:, 0], theirs.coef_, atol=1e-6)
    np.testing.assert_allclose(intercepts[0], theirs.intercept_, atol=1e-6)


def test_the_exact_lasso_survives_equal_columns():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((30, 8))
    X = np.hstack([X, X, -X])
    y = X[:, 0] - X[:, 1] + 0.1 * rng.standard_normal(30)
    alphas = lasso.largest_alpha(X, y) * np.array([1.0, 0.3, 0.01])
    coefs, b = exact_lasso.exact_lasso(X, y, alphas, intercept=False)
    assert lasso.duality_gaps(X, y, alphas, coefs, b).max() < 1e-12 * np.mean(y * y)


def test_an_answer_of_nan_is_the_worst_of_all():
    judge = problems("ols")[0].judge(problems("ols")[0].make(TINY))
    assert judge.suboptimality(np.array([np.nan]), judge.null) == np.inf


@pytest.mark.parametrize("problem", EVERY_PROBLEM, ids=named)
def test_the_same_seed_makes_the_same_data_and_files_keep_it(problem, tmp_path):
    first, second = problem.make(TINY), problem.make(TINY)
    save_data(tmp_path, first)
    read = load_data(tmp_path)
    for other in (second, read):
        assert abs(first.X - other.X).max() == 0.0
        np.testing.assert_array_equal(first.y, other.y)
    if not sparse.issparse(first.X):
        assert read.X.flags.f_contiguous == first.X.flags.f_contiguous


def test_answers_keep_their_numbers_in_a_file(tmp_path):
    save_answer(tmp_path / "a.npz", Answer(np.array([0.0, 1.5, -2.0]), 0.25, alpha=3.0))
    read = load_answer(tmp_path / "a.npz")
    np.testing.assert_array_equal(read.coef.toarray()[:, 0], [0.0, 1.5, -2.0])
    assert (read.intercept[0], read.alpha) == (0.25, 3.0)


@pytest.mark.parametrize("group", GROUPS)
def test_every_contestant_of_a_group_has_its_own_name(group):
    names = [contestant.name for contestant in [*ours.contestants(group), *rivals.contestants(group)]]
    assert len(names) == len(set(names)) > 1


def test_a_row_counts_only_if_it_reached_the_target():
    row = run.Row("ols", "long", (10, 2), 1, "rivals", "sklearn", target=1e-10, suboptimality=2e-10)
    assert not row.reached
    row.suboptimality = 5e-11
    assert row.reached and row.record()["reached"]


def test_a_program_that_fails_at_start_up_has_no_time():
    result = startup.measure(1, {"good": "print(0.5)", "bad": "raise SystemExit(1)"}, rounds=1)
    assert result["rows"] == {"good": {"best": 0.5, "median": 0.5}, "bad": {"best": None, "median": None}}


ROOMS = {
    "discriminants": "discriminant_analysis",
    "naive_bayes": "naive_bayes",
    "principal_components": "decomposition",
    "chow_liu": "graphical",
    "neighbours": "neighbors",
    "local_logistic": "local",
}


@pytest.mark.slow
@pytest.mark.parametrize("group", GROUPS)
def test_a_tiny_run_yields_a_table_with_ours_and_scikit_learn(group, tmp_path, capsys):
    if GROUPS[group] in ROOMS:
        pytest.importorskip(f"separatrix.{ROOMS[GROUPS[group]]}")
    path = tmp_path / "result.json"
    options = f"{group} --scale {TINY} --threads 1 --repeat 2 --rivals sklearn --output {path}"
    run.main(options.split())
    table = capsys.readouterr().out
    assert "ratio to best rival (sklearn" in table
    rows = json.loads(path.read_text())["rows"]
    assert {row["variant"] for row in rows} == {problem.variant for problem in problems(group)}
    certified = group != "one_pass" and GROUPS[group] not in ROOMS
    for row in rows:
        assert row["reached"] or row["yardstick"] or row["contestant"] in UNSURE, row
        assert row["seconds"] > 0.0 and row["extra_mb"] >= 0.0, row
        assert (row["certificate"] is not None) == (row["side"] == "ours" and certified)
    compare.main([str(path), str(path)])
    assert "1.00" in capsys.readouterr().out
