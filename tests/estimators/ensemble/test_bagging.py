"""Bagging: means by hand, samples and answers of scikit-learn's committee of the same members, weights, threads."""

import io
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_diabetes, load_iris
from sklearn.ensemble import BaggingClassifier as TheirClassifier
from sklearn.ensemble import BaggingRegressor as TheirRegressor
from sklearn.neighbors import KNeighborsClassifier as WithoutWeights
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

import separatrix
from separatrix.assess import bias_variance
from separatrix.core.threads import FEW_NUMBERS
from separatrix.ensemble import BaggingClassifier, BaggingRegressor
from separatrix.linear_model import LinearRegression, LogisticRegression, Ridge, RidgeClassifier
from separatrix.neighbors import KNeighborsRegressor
from separatrix.tree import DecisionTreeClassifier, DecisionTreeRegressor

IRIS = load_iris(return_X_y=True)
DIABETES = load_diabetes(return_X_y=True)


# ------------------------------------------------------------------ means


@pytest.mark.mission("EN-01")
def test_the_answer_is_the_mean_of_the_members_answers():
    X, y = DIABETES
    model = BaggingRegressor(n_estimators=7, max_features=0.6, random_state=0).fit(X, y)
    told = [m.predict(X[:, columns]) for m, columns in zip(model.estimators_, model.estimators_features_)]
    assert_allclose(model.predict(X), np.mean(told, axis=0), rtol=1e-15)
    X, y = IRIS
    model = BaggingClassifier(n_estimators=7, random_state=0).fit(X, y)
    shares = np.mean([m.predict_proba(X) for m in model.estimators_], axis=0)
    assert_allclose(model.predict_proba(X), shares, rtol=1e-15)
    assert_array_equal(model.predict(X), model.classes_[shares.argmax(axis=1)])
    assert_allclose(np.exp(model.predict_log_proba(X)), shares, rtol=1e-15)


@pytest.mark.mission("EN-01")
def test_members_without_probabilities_vote():
    X, y = IRIS
    model = BaggingClassifier(LinearSVC(), n_estimators=5, random_state=0).fit(X, y)
    votes = np.array([m.predict(X) for m in model.estimators_])
    counted = np.stack([(votes == c).sum(axis=0) for c in range(3)], axis=1)
    assert_array_equal(model.predict_proba(X), counted / 5)


# ------------------------------------------------------------------ samples


@pytest.mark.mission("EN-02")
def test_a_sample_holds_632_of_1000_rows_and_the_seed_decides_which():
    n, members = 1000, 60
    X, y = np.arange(n, dtype=float)[:, None], np.zeros(n)
    model = BaggingRegressor(Ridge(), n_estimators=members, random_state=5).fit(X, y)
    samples = model.estimators_samples_
    assert {len(rows) for rows in samples} == {n}
    shares = np.array([len(np.unique(rows)) / n for rows in samples])
    expected = 1.0 - (1.0 - 1.0 / n) ** n
    spread = np.sqrt(np.exp(-1.0) * (1.0 - 2.0 * np.exp(-1.0)) / n)  # of the share of one sample, for large n
    assert abs(shares.mean() - expected) < 4.0 * spread / np.sqrt(members)
    again = BaggingRegressor(Ridge(), n_estimators=members, random_state=5).fit(X, y)
    assert_array_equal(again.estimators_samples_, samples)
    other = BaggingRegressor(Ridge(), n_estimators=members, random_state=6).fit(X, y)
    assert not np.array_equal(other.estimators_samples_, samples)


SETTINGS = (
    {},
    {"max_samples": 0.6, "max_features": 0.5},
    {"bootstrap": False, "max_samples": 50, "max_features": 2, "bootstrap_features": True},
)


@pytest.mark.mission("EN-02", "EN-03")
@pytest.mark.parametrize("settings", SETTINGS, ids=str)
def test_samples_and_answers_are_those_of_scikit_learn(settings):
    X, y = IRIS
    options = {"n_estimators": 25, "random_state": 3, **settings, "oob_score": settings.get("bootstrap", True)}
    ours = BaggingClassifier(DecisionTreeClassifier(), **options).fit(X, y)
    theirs = TheirClassifier(DecisionTreeClassifier(), **options).fit(X, y)
    assert_array_equal(ours.estimators_samples_, theirs.estimators_samples_)
    assert_array_equal(ours.estimators_features_, theirs.estimators_features_)
    assert_array_equal(ours.predict_proba(X), theirs.predict_proba(X))
    if options["oob_score"]:
        assert ours.oob_score_ == pytest.approx(theirs.oob_score_, abs=1e-15)
        assert_allclose(ours.oob_decision_function_, theirs.oob_decision_function_, rtol=1e-15)
    X, y = DIABETES
    ours = BaggingRegressor(DecisionTreeRegressor(), **options).fit(X, y)
    theirs = TheirRegressor(DecisionTreeRegressor(), **options).fit(X, y)
    assert_allclose(ours.predict(X), theirs.predict(X), rtol=1e-14)


def test_a_base_model_without_weights_gets_copies_of_the_rows():
    X, y = IRIS
    ours = BaggingClassifier(WithoutWeights(1), n_estimators=6, random_state=1).fit(X, y)
    for member, rows in zip(ours.estimators_, ours.estimators_samples_):
        assert_array_equal(member.predict(X), WithoutWeights(1).fit(X[rows], y[rows]).predict(X))
    theirs = TheirClassifier(WithoutWeights(1), n_estimators=6, random_state=1).fit(X, y)
    assert_array_equal(ours.predict_proba(X), theirs.predict_proba(X))


def test_a_warm_start_ends_where_one_fit_does():
    X, y = IRIS
    whole = BaggingClassifier(n_estimators=9, random_state=4).fit(X, y)
    parts = BaggingClassifier(n_estimators=4, random_state=4, warm_start=True).fit(X, y)
    kept = list(parts.estimators_)
    parts.set_params(n_estimators=9).fit(X, y)
    assert all(a is b for a, b in zip(kept, parts.estimators_))
    assert_array_equal(parts.estimators_samples_, whole.estimators_samples_)
    assert_array_equal(parts.predict_proba(X), whole.predict_proba(X))
    with pytest.raises(ValueError, match="has 9 members already"):
        parts.set_params(n_estimators=3).fit(X, y)


def test_out_of_bag_answers_are_those_of_members_that_have_not_seen_a_row():
    X, y = IRIS
    with pytest.warns(UserWarning, match="no out-of-bag answer"):
        model = BaggingClassifier(n_estimators=5, oob_score=True, random_state=0).fit(X, y)
    for i in range(0, len(y), 7):
        told = [
            m.predict_proba(X[i : i + 1])[0]
            for m, rows in zip(model.estimators_, model.estimators_samples_)
            if i not in rows
        ]
        if told:
            assert_allclose(model.oob_decision_function_[i], np.mean(told, axis=0), rtol=1e-15)
        else:
            assert np.isnan(model.oob_decision_function_[i]).all()
    answered = ~np.isnan(model.oob_decision_function_[:, 0])
    right = model.oob_decision_function_[answered].argmax(axis=1) == y[answered]
    assert model.oob_score_ == pytest.approx(right.mean(), abs=1e-15)


# ------------------------------------------------------------------ weights


@pytest.mark.mission("EN-03")
@pytest.mark.parametrize("settings", [{}, {"max_samples": 0.5}, {"bootstrap": False, "max_samples": 0.7}], ids=str)
@pytest.mark.parametrize("base", [None, WithoutWeights(3)], ids=["tree", "without weights"])
def test_a_weight_is_a_repetition_by_the_same_random_numbers(base, settings):
    X, y = IRIS
    s = np.random.default_rng(0).integers(0, 4, len(y))
    options = {"n_estimators": 6, "random_state": 2, **settings}
    weighted = BaggingClassifier(base, **options).fit(X, y, sample_weight=s)
    repeated = BaggingClassifier(base, **options).fit(X.repeat(s, axis=0), y.repeat(s))
    assert_array_equal(weighted.predict_proba(X), repeated.predict_proba(X))
    origin = np.arange(len(y)).repeat(s)
    for ours, theirs in zip(weighted.estimators_samples_, repeated.estimators_samples_):
        assert_array_equal(ours, origin[theirs])
    assert weighted.predict_proba(X).tolist() != BaggingClassifier(base, **options).fit(X, y).predict_proba(X).tolist()


def test_fractions_of_weights_are_drawn_as_often_as_they_weigh():
    X, y = np.arange(4.0)[:, None], np.array([0.0, 1.0, 2.0, 3.0])
    s = np.array([0.5, 1.5, 0.0, 2.0]) * 1000.5
    model = BaggingRegressor(n_estimators=20, random_state=0).fit(X, y, sample_weight=s)
    counts = np.array([np.bincount(rows, minlength=4) for rows in model.estimators_samples_])
    assert (counts.sum(axis=1) == 4002).all() and (counts[:, 2] == 0).all()
    p = s / s.sum()
    assert_allclose(counts.mean(axis=0), 4002 * p, atol=4.0 * np.sqrt(4002 / 4 / 20))


def test_out_of_bag_scores_are_weighted():
    X, y = DIABETES
    s = np.random.default_rng(0).integers(1, 3, len(y))
    model = BaggingRegressor(n_estimators=60, oob_score=True, random_state=0).fit(X, y, sample_weight=s)
    told, rows = model.oob_prediction_.repeat(s), y.repeat(s)
    assert model.oob_score_ == pytest.approx(
        1.0 - ((told - rows) ** 2).sum() / ((rows - rows.mean()) ** 2).sum(), abs=1e-12
    )


# ------------------------------------------------------------------ what a committee is for


def sine(X):
    return np.sin(2.0 * np.pi * X[:, 0])


def noisy_sine(rng):
    X = rng.uniform(size=(60, 1))
    return X, sine(X) + 0.4 * rng.standard_normal(60)


@pytest.mark.mission("EN-03")
def test_bagging_lowers_the_variance_of_trees_and_their_error():
    points = np.linspace(0.02, 0.98, 49)[:, None]
    tree = bias_variance(DecisionTreeRegressor(), noisy_sine, sine, points, datasets=25)
    committee = BaggingRegressor(n_estimators=25, random_state=0)
    bagged = bias_variance(committee, noisy_sine, sine, points, datasets=25)
    assert bagged.variance < 0.6 * tree.variance
    assert bagged.squared_error < 0.7 * tree.squared_error


@pytest.mark.mission("EN-03")
def test_bagging_takes_linear_models_of_numbers_and_of_classes():
    X, y = DIABETES
    line, bagged = LinearRegression().fit(X, y), BaggingRegressor(LinearRegression(), 30, random_state=0).fit(X, y)
    assert np.corrcoef(line.predict(X), bagged.predict(X))[0, 1] > 0.995
    for member, rows in zip(bagged.estimators_, bagged.estimators_samples_):
        assert_allclose(member.coef_, LinearRegression().fit(X[rows], y[rows]).coef_, rtol=1e-8)
    X, y = IRIS
    classes = BaggingClassifier(LogisticRegression(), 10, random_state=0).fit(X, y)
    assert classes.score(X, y) > 0.94
    mean = np.mean([m.decision_function(X) for m in classes.estimators_], axis=0)
    assert_allclose(classes.decision_function(X), mean, rtol=1e-13, atol=1e-13)


@pytest.mark.mission("LIN-08")
@pytest.mark.parametrize("name", ["diabetes", "sine"])
def test_a_line_varies_less_over_bootstrap_samples_than_a_tree(name):
    X, y = DIABETES if name == "diabetes" else noisy_sine(np.random.default_rng(0))
    variances = []
    for base in (LinearRegression(), DecisionTreeRegressor()):
        model = BaggingRegressor(base, 50, random_state=0).fit(X, y)
        variances.append(np.var([m.predict(X) for m in model.estimators_], axis=0).mean())
    assert variances[0] < 0.25 * variances[1]


@pytest.mark.mission("LIN-08")
def test_a_line_has_two_numbers_whatever_the_rows_and_may_underfit():
    """The best line through a period of a sine leaves 1/2 - 3/pi² = 0.196 of its variance of 1/2, whatever the rows."""
    errors = []
    for n in (100, 3000):
        rng = np.random.default_rng(1)
        x = rng.random((n, 1))
        y = np.sin(2.0 * np.pi * x[:, 0]) + 0.1 * rng.standard_normal(n)
        line, tree = LinearRegression().fit(x, y), DecisionTreeRegressor(min_samples_leaf=5).fit(x, y)
        assert line.coef_.size + np.size(line.intercept_) == 2
        new = np.linspace(0.005, 0.995, 200)[:, None]
        errors.append([np.mean((m.predict(new) - np.sin(2.0 * np.pi * new[:, 0])) ** 2) for m in (line, tree)])
    # the variance 1/2 less that of the line: covariance -1/(2 pi), squared, over the variance 1/12 of x
    left = 0.5 - 3.0 / np.pi**2
    assert errors[0][0] == pytest.approx(left, rel=0.2) and errors[1][0] == pytest.approx(left, rel=0.05)
    assert errors[1][1] < 0.01 < errors[1][0]


# ------------------------------------------------------------------ threads, tables, files


def test_the_answer_is_the_same_at_any_number_of_threads_and_jobs(monkeypatch):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(FEW_NUMBERS // 8, 8))
    y = (X[:, 0] + X[:, 1] * X[:, 2] + rng.normal(size=len(X)) > 0).astype(int)
    answers = []
    for threads, jobs in (("1", None), ("2", 2), ("5", -1)):
        monkeypatch.setenv("SEPARATRIX_THREADS", threads)
        tree = DecisionTreeClassifier(max_depth=4, max_features=3)
        model = BaggingClassifier(tree, 6, oob_score=True, n_jobs=jobs, random_state=0)
        with pytest.warns(UserWarning, match="no out-of-bag answer"):
            model.fit(X, y)
        answers.append((model.predict_proba(X).tobytes(), model.oob_decision_function_.tobytes()))
    assert len(set(answers)) == 1


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame], ids=["pandas", "polars"])
def test_tables_with_words_reach_the_members_as_they_are(frame):
    rng = np.random.default_rng(0)
    size, colour = rng.normal(size=80), rng.choice(["red", "green", "blue"], 80)
    y = np.where((colour == "red") ^ (size > 0), "in", "out")
    table = frame({"size": size, "colour": colour})
    model = BaggingClassifier(n_estimators=15, random_state=0).fit(table, y)
    assert list(model.feature_names_in_) == ["size", "colour"] and model.score(table, y) > 0.95
    some = BaggingClassifier(n_estimators=15, max_features=1, oob_score=True, random_state=0).fit(table, y)
    assert {tuple(m.feature_names_in_) for m in some.estimators_} == {("size",), ("colour",)}
    assert separatrix.verify(model, table, y).converged


def test_sparse_rows_give_the_answers_of_dense_ones():
    rng = np.random.default_rng(0)
    X = rng.poisson(0.5, (90, 6)).astype(float)
    y = (X @ rng.normal(size=6) > 0).astype(int)
    for base in (DecisionTreeClassifier(), make_pipeline(StandardScaler(with_mean=False), LogisticRegression())):
        dense = BaggingClassifier(base, 4, random_state=0).fit(X, y)
        for made in (sp.csr_array, sp.csc_array):
            sparse = BaggingClassifier(base, 4, random_state=0).fit(made(X), y)
            assert_allclose(sparse.predict_proba(made(X)), dense.predict_proba(X), rtol=1e-9)


def test_missing_numbers_reach_trees_and_are_refused_for_models_that_take_none():
    X, y = (part.copy() for part in DIABETES)
    X[::5, 0] = np.nan
    assert np.isfinite(BaggingRegressor(random_state=0).fit(X, y).predict(X)).all()
    with pytest.raises(ValueError, match="NaN"):
        BaggingRegressor(Ridge()).fit(X, y)


BASES = (None, LogisticRegression(), RidgeClassifier(), make_pipeline(StandardScaler(), LogisticRegression()))


@pytest.mark.parametrize("base", BASES, ids=lambda base: type(base).__name__)
def test_a_file_keeps_the_committee_and_its_samples(base):
    X, y = IRIS
    y = np.array(["a", "b", "c"])[y]
    model = BaggingClassifier(base, 5, max_features=3, random_state=0).fit(X, y)
    file = io.BytesIO()
    model.save(file)
    again = separatrix.load(file)
    assert_array_equal(again.predict_proba(X), model.predict_proba(X))
    assert_array_equal(again.estimators_samples_, model.estimators_samples_)
    assert separatrix.verify(again, X, y).converged


def test_verification_notices_another_member_other_rows_and_other_answers():
    X, y = DIABETES
    s = np.random.default_rng(0).integers(1, 4, len(y))
    with pytest.warns(UserWarning, match="71 of 442 rows"):
        model = BaggingRegressor(n_estimators=20, oob_score=True, random_state=0).fit(X, y, s)
    proof = separatrix.verify(model, X, y, s)
    assert proof.converged and "not looked at" not in proof.message
    assert not separatrix.verify(model, X, y).converged
    assert not separatrix.verify(model, X[::-1], y[::-1], s[::-1]).converged
    model.oob_score_ += 1e-6
    assert not separatrix.verify(model, X, y, s).converged
    model.oob_score_ -= 1e-6
    model.estimators_[3] = DecisionTreeRegressor(max_depth=2).fit(X, y)
    assert not separatrix.verify(model, X, y, s).converged


def test_the_certificate_is_the_worst_of_the_members():
    X, y = DIABETES
    model = BaggingRegressor(Ridge(), 5, random_state=0).fit(X, y)
    assert model.certificate_.value == max(m.certificate_.value for m in model.estimators_)
    model.set_params(estimator=KNeighborsRegressor()).fit(X, y)
    assert "certificate_" not in vars(model)  # neighbours solve nothing


# ------------------------------------------------------------------ bad input


@pytest.mark.parametrize(
    "settings, match",
    [
        ({"n_estimators": 0}, "n_estimators"),
        ({"max_samples": 1.5}, "max_samples"),
        ({"max_samples": 0}, "max_samples"),
        ({"max_features": 11}, "max_features"),
        ({"bootstrap": False, "max_samples": 1000}, "442 rows, and none is drawn twice"),
        ({"bootstrap": False, "oob_score": True}, "bootstrap=True"),
        ({"warm_start": True, "oob_score": True}, "warm_start=False"),
        ({"max_samples": 1 << 28}, "may have 134217728 rows"),
        ({"estimator": 5}, "committee of 5: it is no estimator"),
    ],
    ids=str,
)
def test_settings_that_mean_nothing_are_refused(settings, match):
    with pytest.raises((ValueError, TypeError), match=match):
        BaggingRegressor(**settings).fit(*DIABETES)


def test_weights_that_are_no_repetitions_are_refused():
    X, y = DIABETES
    with pytest.raises(ValueError, match="number of repetitions"):
        BaggingRegressor().fit(X, y, sample_weight=np.full(len(y), 0.4 / len(y)))
    with pytest.raises(ValueError, match="whole number"):
        BaggingRegressor(bootstrap=False).fit(X, y, sample_weight=np.full(len(y), 0.7))
    with pytest.raises(ValueError, match="Negative weights"):
        BaggingRegressor().fit(X, y, sample_weight=np.full(len(y), -1.0))


def test_small_samples_of_small_weights_are_warned_of():
    X, y = DIABETES
    s = np.full(len(y), 1.0 / len(y))
    with pytest.warns(UserWarning, match="Each sample has 1 of 442 rows"):
        BaggingRegressor(Ridge(), 2, random_state=0).fit(X, y, s)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        BaggingRegressor(Ridge(), 2, max_samples=60, random_state=0).fit(X, y, s)  # as many as are asked for
        BaggingRegressor(Ridge(), 2, random_state=0).fit(X, y, s * len(y))


def test_scores_of_a_class_that_a_member_has_not_met_are_not_averaged():
    X, y = np.arange(30.0)[:, None], np.repeat([0, 1, 2], [14, 14, 2])
    model = BaggingClassifier(LogisticRegression(), 20, random_state=0).fit(X, y)
    assert min(len(m.classes_) for m in model.estimators_) == 2
    assert_allclose(model.predict_proba(X).sum(axis=1), 1.0)
    with pytest.raises(ValueError, match="2 of 3 classes"):
        model.decision_function(X)
