"""The judges of discriminants, naive Bayes, components, neighbours and local fits judge truly, by outside formulas."""

import numpy as np
import pytest
from benchmarks.contestant import Answer, Contestant, predicted, scored_by, trained
from benchmarks.problems import GROUPS, discriminants, local_logistic, naive_bayes, problems
from benchmarks.problems.base import Data
from benchmarks.problems.scores import LabelsJudge, ScoresJudge
from benchmarks.problems.storage import in_single_precision, load_data, save_data, tidy
from benchmarks.table import ratios, show
from scipy import sparse, stats
from scipy.spatial import cKDTree

from benchmarks import measure, rivals, run

FAMILIES = ("discriminants", "naive_bayes", "principal_components", "neighbours", "local_logistic")
EVERY_PROBLEM = [problem for group in GROUPS if GROUPS[group] in FAMILIES for problem in problems(group)]
TINY = 1e-4


def named(problem):
    return f"{problem.group} {problem.variant}"


def the(group, variant):
    return next(problem for problem in problems(group) if problem.variant == variant)


def of_class(data):
    return [data.X[data.y == c] for c in range(data.settings["classes"])]


def log_priors(data):
    return np.log(np.bincount(data.y) / len(data.y))


def normal_scores(data, covariances):
    """By scipy's density, in the textbook's words."""
    columns = [
        stats.multivariate_normal(rows.mean(axis=0), covariance).logpdf(data.X)
        for rows, covariance in zip(of_class(data), covariances)
    ]
    return np.column_stack(columns) + log_priors(data)


def error(judge, scores):
    return judge.values(tidy(Answer(scores)))[0]


def first_rows(scores, data):
    return scores[: data.settings["sample"]]


@pytest.mark.parametrize("less", [0, 1])
def test_qda_scores_are_log_priors_and_normal_densities_with_the_covariance_of_each_class(less):
    data = the("qda", "long").make(TINY)
    expected = normal_scores(data, [np.cov(rows.T, ddof=less) for rows in of_class(data)])
    judge = the("qda", "long").judge(data)
    assert error(judge, first_rows(expected, data)) < 1e-12
    assert error(judge, first_rows(expected, data) * (1.0 + 3e-6)) > discriminants.TARGET


@pytest.mark.parametrize("less", [0, 1])
def test_lda_scores_are_those_of_the_covariance_pooled_over_the_classes(less):
    data = the("lda", "tall").make(TINY)
    residuals = np.vstack([rows - rows.mean(axis=0) for rows in of_class(data)])
    pooled = residuals.T @ residuals / (len(data.y) - less * data.settings["classes"])
    expected = first_rows(normal_scores(data, [pooled] * data.settings["classes"]), data)
    assert error(the("lda", "tall").judge(data), expected) < 1e-12


def test_the_path_of_rda_runs_from_lda_to_qda_and_an_answer_may_name_an_end_of_it():
    problem = the("rda_path", "long")
    data = problem.make(TINY)
    judge, reference = problem.judge(data), tidy(problem.judge(data).reference())
    classes = data.settings["classes"]
    assert len(data.settings["alphas"]) == 20 and reference.coef.shape[1] == 20 * classes
    rows = data.X[: data.settings["sample"]]
    for alpha, columns in ((0.0, slice(classes)), (1.0, slice(-classes, None))):
        end = discriminants.references(data, alpha, rows)[0]
        assert judge.values(tidy(Answer(end, alpha=alpha)))[0] < 1e-12
        assert ScoresJudge([end]).values(tidy(Answer(reference.coef.toarray()[:, columns])))[0] < 1e-12
        assert judge.values(tidy(Answer(end, alpha=1.0 - alpha)))[0] > 1e-3
        assert judge.values(tidy(Answer(end)))[0] == np.inf
    wrong = reference.coef.toarray()
    wrong[0, 7 * classes] += 1.0
    assert judge.values(tidy(Answer(wrong)))[0] > discriminants.TARGET


def test_half_way_the_covariances_of_rda_are_half_of_each():
    data = the("rda_path", "long").make(TINY)
    residuals = np.vstack([rows - rows.mean(axis=0) for rows in of_class(data)])
    pooled = residuals.T @ residuals / (len(data.y) - data.settings["classes"])
    expected = normal_scores(data, [0.5 * np.cov(rows.T) + 0.5 * pooled for rows in of_class(data)])
    assert ScoresJudge(discriminants.references(data, 0.5, data.X)).values(tidy(Answer(expected)))[0] < 1e-12


@pytest.mark.parametrize("less", [0, 1])
def test_gaussian_naive_bayes_scores_sum_the_log_densities_of_the_columns(less):
    data = the("gaussian_nb", "tall").make(TINY)
    columns = [
        stats.norm(rows.mean(axis=0), rows.std(axis=0, ddof=less)).logpdf(data.X).sum(axis=1) for rows in of_class(data)
    ]
    expected = first_rows(np.column_stack(columns) + log_priors(data), data)
    judge = the("gaussian_nb", "tall").judge(data)
    assert error(judge, expected) < 1e-12
    assert error(judge, expected - log_priors(data)) > naive_bayes.TARGET


def test_bernoulli_and_multinomial_scores_are_smoothed_by_one():
    data = the("bernoulli_nb", "tall").make(TINY)
    columns = [
        stats.bernoulli((rows.sum(axis=0) + 1) / (len(rows) + 2)).logpmf(data.X).sum(axis=1) for rows in of_class(data)
    ]
    expected = first_rows(np.column_stack(columns) + log_priors(data), data)
    assert error(the("bernoulli_nb", "tall").judge(data), expected) < 1e-12

    data = the("multinomial_nb", "sparse").make(TINY)
    counts = data.X.toarray().astype(np.int64)
    columns = []
    for c in range(data.settings["classes"]):
        totals = counts[data.y == c].sum(axis=0) + 1.0
        columns.append(stats.multinomial.logpmf(counts, counts.sum(axis=1), totals / totals.sum()))
    expected = first_rows(np.column_stack(columns) + log_priors(data), data)
    assert error(the("multinomial_nb", "sparse").judge(data), expected) < 1e-11


def test_a_number_added_to_all_scores_of_a_row_changes_nothing_and_a_missing_score_counts_as_wrong():
    rng = np.random.default_rng(0)
    exact = rng.standard_normal((30, 4))
    judge = ScoresJudge([exact])
    assert error(judge, exact + rng.standard_normal((30, 1))) < 1e-14
    off = exact.copy()
    off[3, 1] += 1e-3
    centred = exact - exact.mean(axis=1, keepdims=True)
    assert error(judge, off) == pytest.approx(0.75e-3 / np.sqrt(np.mean(centred**2)), rel=1e-6)
    off[3, 1] = -np.inf
    assert error(judge, off) == error(judge, exact[:, :3]) == np.inf


def test_a_label_is_judged_by_what_its_exact_score_lacks():
    exact = np.array([[0.0, 2.0, 1.0], [3.0, 3.0, 0.0]])
    unit = np.sqrt(np.mean((exact - exact.mean(axis=1, keepdims=True)) ** 2))
    judge = LabelsJudge([exact])
    assert error(judge, [1, 0]) == error(judge, [1, 1]) == 0.0
    assert error(judge, [2, 0]) == pytest.approx(1.0 / unit)
    assert error(judge, [1, 3]) == error(judge, [1]) == np.inf


def test_components_are_judged_by_the_variance_that_they_miss_whatever_their_basis():
    problem = the("pca", "tall")
    data = problem.make(0.003)
    judge = problem.judge(data)
    variances, vectors = np.linalg.eigh(np.cov(data.X.T))
    V = vectors[:, :-11:-1]
    rotation = np.linalg.qr(np.random.default_rng(0).standard_normal((10, 10)))[0]
    assert abs(error(judge, V)) < 1e-13 and abs(error(judge, V @ rotation)) < 1e-13
    swapped = np.column_stack([V[:, :9], vectors[:, -11]])
    missed = (variances[-10] - variances[-11]) / variances[-10:].sum()
    assert error(judge, swapped) == pytest.approx(missed, rel=1e-9)
    assert error(judge, 2.0 * V) == error(judge, V[:, :9]) == error(judge, np.full_like(V, np.nan)) == np.inf


@pytest.mark.parametrize("problem", problems("knn"), ids=named)
def test_neighbours_are_judged_by_their_distances_in_any_order(problem):
    data = problem.make(TINY)
    judge = problem.judge(data)
    found, indices = cKDTree(data.X).query(data.queries[: data.settings["sample"]], k=11)
    assert abs(error(judge, indices[:, 9::-1])) < 1e-12
    worse = indices[:, :10].copy()
    worse[0, 9] = indices[0, 10]
    assert error(judge, worse) == pytest.approx(found[0, 10] / found[0, 9] - 1.0, rel=1e-9)
    worse[0, 9] = worse[0, 0]
    assert error(judge, worse) == np.inf
    worse[0, 9] = len(data.X)
    assert error(judge, worse) == np.inf


def test_equal_neighbours_may_be_either():
    X = np.array([[0.0], [1.0], [-1.0], [5.0]])
    data = Data(X, np.zeros(4), {"neighbours": 2, "sample": 1}, queries=np.array([[0.0]]))
    judge = problems("knn")[0].judge(data)
    assert error(judge, np.array([[0, 1]])) == error(judge, np.array([[2, 0]])) == 0.0
    assert error(judge, np.array([[0, 3]])) == pytest.approx(4.0)
    assert error(judge, np.array([[1, 2]])) > 1e100  # a distance of 1 where 0 was to be had


def test_the_local_log_odds_agree_with_a_weighted_fit_of_statsmodels():
    api = pytest.importorskip("statsmodels.api")
    data = problems("local_logistic")[0].make(0.01)
    exact = local_logistic.log_odds(data.X, data.y, data.queries, data.settings["bandwidth"])
    for query, got in list(zip(data.queries, exact))[:5]:
        away = data.X - query
        weights = np.exp(-np.sum(away**2, axis=1) / (2 * data.settings["bandwidth"] ** 2))
        model = api.GLM(data.y, api.add_constant(away), api.families.Binomial(), freq_weights=weights)
        assert got == pytest.approx(model.fit(tol=1e-13).params[0], rel=1e-9)


def test_classes_have_unequal_shares_and_the_best_rule_makes_some_errors():
    for problem in (the("lda", "long"), the("qda", "long"), the("gaussian_nb", "tall"), the("bernoulli_nb", "sparse")):
        data = problem.make(0.01)
        shares = np.bincount(data.y) / len(data.y)
        assert shares.max() > 2.0 * shares.min() > 0.0
    for problem in (the("lda", "long"), the("qda", "long")):
        data = problem.make(0.01)
        exact = discriminants.references(data, 1.0, data.X)[0]
        assert 0.02 < np.mean(np.argmax(exact, axis=1) != data.y) < 0.5


def test_only_the_classes_of_qda_differ_in_covariance():
    for group, differs in (("lda", False), ("qda", True), ("rda_path", True)):
        data = the(group, "long").make(0.01)
        neighbouring = [np.corrcoef(rows[:, 0], rows[:, 1])[0, 1] for rows in of_class(data)]
        assert (np.ptp(neighbouring) > 0.3) == differs, group


def test_files_keep_queries_and_data_without_queries_have_none(tmp_path):
    data = problems("knn")[0].make(TINY)
    save_data(tmp_path / "with", data)
    np.testing.assert_array_equal(load_data(tmp_path / "with").queries, data.queries)
    save_data(tmp_path / "without", the("lda", "long").make(TINY))
    assert load_data(tmp_path / "without").queries is None
    assert in_single_precision(data).X.dtype == data.queries.dtype == np.float32


@pytest.mark.parametrize("problem", EVERY_PROBLEM, ids=named)
def test_every_installed_rival_reaches_the_target_on_a_tiny_instance(problem):
    data = problem.make(TINY)
    judge = problem.judge(data)
    data.settings.update(sparse=sparse.issparse(data.X), threads=1)
    best = judge.values(tidy(judge.reference()))
    ran = 0
    for contestant in rivals.contestants(problem.group, ["sklearn", "statsmodels", "by_hand"]):
        if contestant.yardstick or not contestant.suits(data.settings) or "randomized" in contestant.name:
            continue
        ready = contestant.prepare(Data(data.X, data.y, data.settings, data.queries))
        for tolerance in contestant.tolerances:
            answer = contestant.answer(contestant.fit(ready, {**data.settings, "tolerance": tolerance}), ready)
            reached = judge.suboptimality(judge.values(tidy(answer)), best)
            if reached <= problem.target:
                break
        assert reached <= problem.target, contestant.name
        ran += 1
    assert ran > 0


def test_the_answer_is_asked_for_after_the_clock_has_stopped(monkeypatch):
    events = []
    monkeypatch.setattr(measure.time, "perf_counter", lambda: events.append("clock") or float(len(events)))

    def fit(data, settings):
        events.append("fit")
        return "model"

    def answer(fitted, data):
        events.append(f"answer of {fitted}")
        return Answer(np.ones(1))

    contestant = Contestant("someone", "numpy", fit, answer=answer)
    _, measured = measure.measure(contestant, Data(None, None, {}), repeat=1, patience=100.0)
    assert events == ["clock", "fit", "clock", "answer of model"]
    assert measured["seconds"] == [2.0]


def test_prediction_alone_is_timed_where_the_fit_comes_before():
    class Model:
        def predict(self, X):
            return X[:, 0]

        def decision_function(self, X):
            return 2.0 * X

    data = Data(np.arange(6.0).reshape(3, 2), None, {"sample": 2})
    prepared = trained(lambda data, settings: Model())(data)
    np.testing.assert_array_equal(predicted(prepared, {}).coef, [0.0, 2.0, 4.0])
    scores = scored_by("decision_function")(prepared.model, data).coef
    np.testing.assert_array_equal(scores, [[0.0, 2.0], [4.0, 6.0]])


def test_a_yardstick_is_shown_beside_the_ratios_and_never_as_the_best_rival(capsys):
    place = ("lda", "long", (10, 2), 1)
    rows = [
        run.Row(*place, "ours", "separatrix", 1e-6, seconds=3.0, suboptimality=0.0, extra_mb=0.0, extra_percent=0.0),
        run.Row(*place, "ours", "our Gram pass", 1e-6, seconds=2.0, yardstick=True, extra_mb=0.0, extra_percent=0.0),
        run.Row(*place, "rivals", "slow", 1e-6, seconds=6.0, suboptimality=0.0, extra_mb=0.0, extra_percent=0.0),
    ]
    assert ratios(rows) == [
        "ratio to our Gram pass (2.0000 s): 1.500",
        "ratio to best rival (slow, 6.0000 s): 0.500",
    ]
    assert ratios(rows[:2])[-1] == "ratio to best rival: no rival reached the target"
    assert ratios(rows[1:])[-1].endswith("ours was not run")
    assert not rows[1].record()["reached"] and rows[1].record()["yardstick"]
    show(rows, 1.0)
    assert "(2.0000)" not in capsys.readouterr().out.split("ratio to")[0]
