"""Hypotheses, covariances, adjusted p-values, intervals and inflation, beyond what R says of them."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from scipy.stats import studentized_range
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from separatrix.inference import (
    adjust_p_values,
    compare_nested,
    contrasts,
    covariance_matrix,
    drop1,
    influence,
    linear_hypothesis,
    predict_interval,
    vif,
)
from separatrix.inference.hypotheses import read_hypotheses
from separatrix.inference.multiplicity import joint_quantile, single_step
from separatrix.linear_model import LinearRegression, LogisticRegression, PoissonRegressor, Ridge


def data(seed=0, n=60):
    rng = np.random.default_rng(seed)
    X = pd.DataFrame({"a": rng.normal(size=n), "b": rng.normal(size=n), "a:b": rng.normal(size=n)})
    return X, X["a"].to_numpy() - X["b"].to_numpy() + rng.normal(size=n)


# ------------------------------------------------------------------ hypotheses


@pytest.mark.parametrize(
    ("text", "row", "rhs"),
    [
        ("a", [0, 1, 0, 0], 0.0),
        ("a = b", [0, 1, -1, 0], 0.0),
        ("2*a - b/4 = 1", [0, 2, -0.25, 0], 1.0),
        ("2 a + .5*a:b = (Intercept) - 3", [-1, 2, 0, 0.5], -3.0),
        ("1 = -a:b + a", [0, -1, 0, 1], -1.0),
        ("a*3 + 1e-1 b", [0, 3, 0.1, 0], 0.0),
    ],
)
def test_hypotheses_are_read_as_they_are_written(text, row, rhs):
    labels, L, c = read_hypotheses(text, ("intercept", "a", "b", "a:b"))
    assert labels == (text,)
    assert_allclose(L, [row])
    # the sign of a whole equation is free
    assert_allclose(c, [rhs])


@pytest.mark.parametrize("text", ["c = 0", "a b", "a = b = 1", "aa", "1 = 2", "a +"])
def test_what_is_no_hypothesis_is_refused(text):
    with pytest.raises(ValueError, match="Cannot read"):
        read_hypotheses(text, ("intercept", "a", "b"))


def test_texts_mappings_and_arrays_say_the_same():
    X, y = data()
    model = LinearRegression().fit(X, y)
    wanted = contrasts(model, "a - b").columns["t"]
    for same in ({"difference": "a - b"}, {"difference": {"a": 1, "b": -1}}, [[0, 1, -1, 0]]):
        assert contrasts(model, same).columns["t"] == wanted
    assert contrasts(model, [[0, -0.5, 1, 0]]).columns["contrast"] == ("b - 0.5*a",)
    assert contrasts(model, {"difference": "a - b"})["difference"]["estimate"] == pytest.approx(
        model.coef_[0] - model.coef_[1]
    )


def test_one_hypothesis_alone_has_the_square_of_its_t():
    X, y = data()
    model = LinearRegression().fit(X, y)
    alone, joint = contrasts(model, "a = 1"), linear_hypothesis(model, "a = 1")
    assert joint.columns["f"][0] == pytest.approx(alone.columns["t"][0] ** 2)
    assert joint.columns["p"][0] == pytest.approx(alone.columns["p"][0])


def test_hypotheses_that_repeat_each_other_and_aliased_coefficients_are_refused():
    X, y = data()
    model = LinearRegression().fit(X, y)
    with pytest.raises(ValueError, match="follows from the others"):
        linear_hypothesis(model, ["a = 0", "b = 0", "a = b"])
    with pytest.warns(UserWarning, match="rank"):
        aliased = LinearRegression().fit(X.assign(twice=2 * X["a"]), y)
    with pytest.raises(ValueError, match="aliased"):
        contrasts(aliased, "twice")
    with pytest.raises(ValueError, match="aliased"):
        vif(aliased)
    assert len(contrasts(aliased)) == 4


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"adjust": "sidak"}, "adjust='sidak'"),
        ({"level": 95}, "level=95"),
        ({"covariance": "HC4"}, "covariance='HC4'"),
        ({"covariance": "HC3"}, "from the model alone"),
        ({"weights": "sampling"}, "sampling"),
    ],
)
def test_options_that_do_not_exist_are_refused(options, words):
    X, y = data()
    with pytest.raises(ValueError, match=words):
        contrasts(LinearRegression().fit(X, y), **options)
    with pytest.raises(ValueError, match="Ridge"):
        contrasts(Ridge().fit(X, y))


def test_coefficients_of_each_class_can_be_compared():
    X, y = data(1, 200)
    labels = np.digitize(y, [-0.7, 0.7])
    model = LogisticRegression(C=np.inf, tol=1e-12).fit(X, labels)
    V = covariance_matrix(model)
    assert V.names[1] == "1: a" and V.values.shape == (8, 8)
    row = contrasts(model, {"both": {"1: a": 1, "2: a": -1}})["both"]
    summary = model.summary(X, labels)
    assert row["estimate"] == pytest.approx(summary.tables[0]["a"].estimate - summary.tables[1]["a"].estimate)
    with pytest.raises(ValueError, match="two classes"):
        covariance_matrix(model, X, labels, cluster=labels)


def test_tables_come_as_frames_and_text():
    X, y = data()
    model = LinearRegression().fit(X, y)
    V = covariance_matrix(model)
    frame = V.to_frame("pandas").set_index("term")
    assert frame.loc["a", "b"] == V["a", "b"] and "classical" in str(V)
    table = contrasts(model, ["a - b", "a + b"], adjust="holm")
    assert "adjusted p" in str(table) and list(table.to_frame("pandas")["contrast"]) == ["a - b", "a + b"]
    assert list(influence(model, X, y).to_frame("pandas").columns)[-1] == "dfbetas: a:b"


# ------------------------------------------------------------------ clusters


def test_clusters_of_one_row_are_hc0_times_their_factor():
    X, y = data()
    for model, target in ((LinearRegression(), y), (LogisticRegression(C=np.inf, tol=1e-12), y > 0)):
        model.fit(X, target)
        alone = covariance_matrix(model, X, target, covariance="HC0", cluster=np.arange(60))
        robust = covariance_matrix(model, X, target, covariance="HC0")
        assert_allclose(alone.values, robust.values * 60 / 59, rtol=1e-9)


def test_repeated_rows_in_one_cluster_are_weights():
    X, y = data()
    s = np.random.default_rng(2).integers(1, 4, 60)
    again, cluster = np.repeat(np.arange(60), s), np.arange(60) // 3
    for model, target in ((LinearRegression(), y), (LogisticRegression(C=np.inf, tol=1e-12), y > 0)):
        one = covariance_matrix(model.fit(X, target, s), X, target, sample_weight=s, cluster=cluster)
        other = covariance_matrix(
            model.fit(X.iloc[again], target[again]), X.iloc[again], target[again], cluster=cluster[again]
        )
        assert_allclose(one.values, other.values, rtol=1e-6)


def test_labels_of_clusters_may_be_words_and_must_be_several():
    X, y = data()
    model, numbers = LinearRegression().fit(X, y), np.arange(60) % 7
    words = np.array([f"site {g}" for g in numbers], dtype=object)
    wanted = covariance_matrix(model, X, y, cluster=numbers).values
    assert_allclose(covariance_matrix(model, X, y, cluster=words).values, wanted)
    with pytest.raises(ValueError, match="one cluster"):
        covariance_matrix(model, X, y, cluster=np.zeros(60))
    with pytest.raises(ValueError, match="shape"):
        covariance_matrix(model, X, y, cluster=np.zeros(59))
    with pytest.raises(ValueError, match="no label"):
        covariance_matrix(model, X, y, cluster=np.where(numbers == 3, np.nan, numbers))


# ------------------------------------------------------------------ several tests


def test_missing_p_values_stay_missing_and_do_not_count():
    assert_allclose(adjust_p_values([0.01, np.nan, 0.04], "bonferroni"), [0.02, np.nan, 0.08])
    with pytest.raises(ValueError, match="method='sidak'"):
        adjust_p_values([0.1], "sidak")
    with pytest.raises(ValueError, match="probabilities"):
        adjust_p_values([1.2])


@pytest.mark.parametrize("k", [3, 4, 6])
def test_all_pairs_of_equal_groups_have_the_studentised_range(k):
    pairs = np.array([np.eye(k)[i] - np.eye(k)[j] for i in range(k) for j in range(i)])
    correlation = pairs @ pairs.T / 2.0  # singular: k (k - 1) / 2 contrasts of rank k - 1
    t = np.array([0.5, 2.0, 3.0, 6.0, 15.0])
    # Sobol points of 12 bits; the tail keeps its relative accuracy
    assert_allclose(single_step(t, correlation, 12.0), studentized_range.sf(t * 2**0.5, k, 12), rtol=5e-4)
    assert joint_quantile(0.95, correlation, 12.0) == pytest.approx(
        studentized_range.ppf(0.95, k, 12) / 2**0.5, rel=1e-4
    )


def test_independent_contrasts_have_sidak_s_p_values():
    t = np.array([1.0, 2.5, 5.0])
    alone = contrasts_p(t)
    assert_allclose(single_step(t, np.eye(4), np.inf), -np.expm1(4 * np.log1p(-alone)), rtol=1e-6)
    assert single_step([2.0], np.eye(1), np.inf)[0] == pytest.approx(contrasts_p(2.0))


def contrasts_p(t):
    from scipy.stats import norm

    return 2.0 * norm.sf(t)


def test_the_joint_distribution_of_very_many_contrasts_is_refused():
    with pytest.raises(ValueError, match="adjust='holm'"):
        single_step(np.ones(51), np.eye(51), 10.0)


# ------------------------------------------------------------------ intervals and inflation


def test_intervals_keep_their_digits_where_means_are_far_from_zero():
    X, y = data()
    near, far = LinearRegression().fit(X, y), LinearRegression().fit(X + 1e6, y)
    one, other = predict_interval(near, X), predict_interval(far, X + 1e6)
    # 1e6 is 16 bits of the columns' 53, and X + 1e6 is itself rounded to 1e-10
    assert_allclose(other.error, one.error, rtol=1e-7)


def test_prediction_intervals_cover_new_rows():
    rng = np.random.default_rng(3)
    hits = []
    for _ in range(400):
        x = rng.normal(size=(12, 1))
        new = rng.normal(size=(5, 1))
        band = predict_interval(LinearRegression().fit(x, x[:, 0] + rng.normal(size=12)), new, level=0.8)
        truth = new[:, 0] + rng.normal(size=5)
        hits.append((band.low <= truth) & (truth <= band.high))
    # rows of one run share a fit: at worst 400 independent ones
    assert abs(np.mean(hits) - 0.8) < 3.0 * np.sqrt(0.8 * 0.2 / 400)


def test_a_pipeline_predicts_intervals_and_other_models_do_not():
    X, y = data()
    model = make_pipeline(StandardScaler(), LinearRegression()).fit(X, y)
    assert_allclose(predict_interval(model, X).low, predict_interval(LinearRegression().fit(X, y), X).low)
    frame = predict_interval(model, X, interval="confidence").to_frame("pandas")
    assert list(frame.columns) == ["fit", "error", "low", "high"]
    plain = LinearRegression().fit(X, y)
    for call, words in (
        (lambda: predict_interval(Ridge().fit(X, y), X), "Ridge"),
        (lambda: predict_interval(plain, X, interval="tolerance"), "interval='tolerance'"),
        (lambda: predict_interval(plain, X, level=0.0), "level=0.0"),
        (lambda: predict_interval(plain, X, sample_weight=np.ones(60)), "weights='precision'"),
        (lambda: predict_interval(LinearRegression().fit(X[:4], y[:4]), X), "degrees of freedom"),
    ):
        with pytest.raises(ValueError, match=words):
            call()


def test_inflation_is_one_over_one_less_r_squared():
    X, y = data()
    X["c"] = X["a"] + 0.1 * X["b"] + 0.2 * np.random.default_rng(4).normal(size=60)
    table = vif(LinearRegression().fit(X, y))
    for name in X.columns:
        others = X.drop(columns=name)
        r2 = LinearRegression().fit(others, X[name]).score(others, X[name])
        assert table[name]["vif"] == pytest.approx(1.0 / (1.0 - r2), rel=1e-9)
    assert "intercept" in str(vif(LinearRegression(fit_intercept=False).fit(X, y)))


@pytest.mark.parametrize(
    "options", [{}, {"covariance": "HC3"}, {"cluster": np.arange(50) // 5}, {"adjust": "single-step"}]
)
def test_contrasts_of_an_exact_fit_are_not_tested(options):
    rng = np.random.default_rng(3)
    X = rng.standard_normal((50, 3))
    y = X @ [1.0, 2.0, 0.0]
    table = contrasts(LinearRegression().fit(X, y), None, X, y, **options)
    assert set(table.columns["p"]) == {None}, "an estimate of 1e-18 has no p-value of 0"
    assert_allclose(table.columns["std_error"], 0.0)
    assert "exact fit" in str(table)


def test_nested_models_of_an_exact_fit_are_not_tested():
    rng = np.random.default_rng(3)
    X = rng.standard_normal((50, 3))
    y = X @ [1.0, 2.0, 0.0]
    table = compare_nested(LinearRegression().fit(X[:, :2], y), LinearRegression().fit(X, y))
    assert table.columns["f"] == table.columns["p"] == (None, None)
    assert "The fit is exact" in str(table)


def test_tests_by_few_clusters_say_that_they_reject_too_often():
    """Of 5 % by name, 59 % with 2 clusters and 15 % with 10 reject a slope of 0 (400 simulated tables each)."""
    X, y = data(n=200)
    model = LinearRegression().fit(X, y)
    few, many = np.arange(200) % 10, np.arange(200) % 50
    for test in (
        lambda g: contrasts(model, "a", X, y, cluster=g),
        lambda g: linear_hypothesis(model, "a", X, y, cluster=g),
    ):
        assert "few clusters (10)" in str(test(few)).replace("\n", " ")
        assert "few clusters" not in str(test(many))


@pytest.mark.parametrize("text", ["2*hpp - a", "2 hpp = 1", "hpp", "a - 3*hpp"])
def test_a_name_that_is_no_coefficient_is_named_beside_those_that_are(text):
    with pytest.raises(ValueError, match=r"'hpp' is no coefficient. Use names of intercept, a, b, a:b"):
        read_hypotheses(text, ("intercept", "a", "b", "a:b"))


def test_two_signs_of_equality_are_one_as_multcomp_writes_them():
    names = ("intercept", "a", "b")
    _, once, right = read_hypotheses("a - b = 1", names)
    _, twice, also = read_hypotheses("a - b == 1", names)
    assert_allclose((*twice.ravel(), *also), (*once.ravel(), *right))


def test_a_penalised_likelihood_of_counts_is_refused_in_words_that_hold_for_it():
    X, y = data()
    counts = np.round(np.exp(y / 3.0))
    model = PoissonRegressor(alpha=0.5).fit(X, counts)
    with pytest.raises(ValueError, match="generalised linear models, without a penalty"):
        influence(model, X, counts)
    with pytest.raises(ValueError, match="terms are tested in least squares of one output, in logistic regression"):
        drop1(model, X, counts)
    with pytest.raises(ValueError, match="without a penalty"):
        predict_interval(model, X)
    free = PoissonRegressor(alpha=0.0).fit(X, counts)
    with pytest.raises(ValueError, match="not normal about its mean"):
        predict_interval(free, X, interval="prediction")
    with pytest.raises(ValueError, match="their log-likelihood is"):
        influence(free, X, counts + 1.0)
