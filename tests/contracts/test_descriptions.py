"""Every registered predictor can be described: in words, in rectangular tables, in JSON."""

import json
import warnings
from functools import partial

import numpy as np
import pandas as pd
import pytest
from sklearn.base import is_classifier
from sklearn.utils import get_tags

from separatrix.core import registry
from separatrix.inference import describe
from separatrix.inference.bootstrap import spread_over_resamples
from separatrix.linear_model import LinearRegression

PREDICTORS = {name: cls for name, cls in registry.members("estimator").items() if hasattr(cls, "predict")}
NAMES = ["<script>alert(1)</script>", "age", "blood pressure"]


def made(cls):
    """An instance; a model around another gets a classifier with probabilities."""
    try:
        return cls()
    except TypeError:
        return cls(registry.members("estimator")["LogisticRegression"]())


def fitted(cls):
    """A model fitted to counts that say something of the target, and its rows."""
    random = np.random.default_rng(0)
    X = random.poisson(2.0, (60, 3)).astype(float)
    y = X[:, 0] - X[:, 1] + random.standard_normal(60)
    model = made(cls)
    if get_tags(model).target_tags.positive_only:
        y = np.exp(0.2 * y)
    if cls.__name__ == "LogisticCalibrator":
        X = X[:, :1]
    if is_classifier(model) or cls.__name__ == "LogisticCalibrator":
        y = np.where(y > 0.0, "yes", "no")
    if cls.__name__ == "Perceptron":
        y = np.where(X[:, 0] - X[:, 1] > 0.5, "yes", "no")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return model.fit(X, y), X, y


@pytest.mark.parametrize("name", sorted(PREDICTORS))
def test_every_predictor_is_described(name, monkeypatch):
    few = partial(spread_over_resamples, refits=5)
    monkeypatch.setattr("separatrix.inference.describe_linear.spread_over_resamples", few)
    model, X, y = fitted(PREDICTORS[name])
    names = NAMES[: X.shape[1]]
    for data in ((X, y), (None, None)):
        found = describe(model, names, *data)
        assert len(found.words) > 40 and found.words.rstrip().endswith(".")
        assert found.tables
        for table in found.tables:
            assert table.title and table.rows
            assert {len(row) for row in table.rows} == {len(table.heads)}
            assert all(0 <= column < len(table.heads) for interval in table.intervals for column in interval)
        again = json.loads(json.dumps(found.as_dict(), allow_nan=False))
        assert again["words"] == found.words


def test_a_class_that_declares_its_own_description_is_asked_for_it():
    from separatrix.core.declaration import Declaration, declare_class
    from separatrix.core.description import Description
    from separatrix.linear_model import Ridge

    class Whisper(Ridge):
        pass

    class Louder(Whisper):
        pass

    def whispered(model, names, X, y):
        return Description(f"psst: {names[0]}")

    declare_class(Whisper, Declaration("regression", description=whispered))

    assert describe(Louder().fit([[0.0], [1.0]], [0.0, 1.0]), ["a"]).words == "psst: a"
    assert describe(Ridge().fit([[0.0], [1.0]], [0.0, 1.0]), ["a"]).words != "psst: a"


def test_a_classical_interval_is_that_of_the_summary():
    from separatrix.linear_model import LinearRegression

    random = np.random.default_rng(1)
    X = random.standard_normal((80, 3)) * [1.0, 5.0, 0.1]
    y = X @ [1.0, 0.5, 0.0] + random.standard_normal(80)
    model = LinearRegression().fit(X, y)
    standard, unit = describe(model, ["a", "b", "c"], X, y).tables
    rows = {row[0]: row for row in unit.rows}
    for name, known in zip("abc", model.summary().rows[1:]):
        assert rows[name][1:4] == pytest.approx((known.estimate, known.low, known.high), rel=1e-12)
    spread = dict(zip("abc", X.std(axis=0)))
    for row in standard.rows:
        assert row[1] == pytest.approx(spread[row[0]], rel=1e-9)
        assert row[2] == pytest.approx(rows[row[0]][1] * spread[row[0]], rel=1e-9)


def test_odds_ratios_of_an_unpenalised_logistic_model_are_those_of_statsmodels():
    sm = pytest.importorskip("statsmodels.api")
    from separatrix.linear_model import LogisticRegression

    random = np.random.default_rng(2)
    X = random.standard_normal((200, 2))
    y = (X[:, 0] - 0.5 * X[:, 1] + random.logistic(size=200) > 0.0).astype(int)
    _, unit = describe(LogisticRegression(C=np.inf).fit(X, y), ["a", "b"], X, y).tables
    reference = sm.Logit(y, sm.add_constant(X)).fit(disp=0)
    odds, ends = np.exp(reference.params), np.exp(reference.conf_int())
    rows = {row[0]: row for row in unit.rows}
    for k, name in enumerate("ab"):
        assert rows[name][4:7] == pytest.approx((odds[k + 1], *ends[k + 1]), rel=1e-5)


def test_units_turn_coefficients_of_scaled_columns_into_those_of_the_table():
    from separatrix.linear_model import LinearRegression

    random = np.random.default_rng(3)
    raw = random.standard_normal((60, 2)) * [10.0, 0.01]
    y = raw @ [0.3, 40.0] + 0.1 * random.standard_normal(60)
    scaled = (raw - raw.mean(axis=0)) / raw.std(axis=0)
    names, direct = ["a", "b"], LinearRegression().fit(raw, y)
    _, unit = describe(LinearRegression().fit(scaled, y), names, scaled, y, units=raw.std(axis=0)).tables
    found = {row[0]: row[1] for row in unit.rows}
    assert [found[name] for name in names] == pytest.approx(direct.coef_.tolist(), rel=1e-9)
    _, some = describe(LinearRegression().fit(scaled, y), names, scaled, y, units=[np.nan, 0.5]).tables
    assert [row[0] for row in some.rows] == ["b"]


def test_the_bootstrap_agrees_with_the_classical_interval_where_both_hold():
    from separatrix.linear_model import LinearRegression, Ridge

    random = np.random.default_rng(6)
    X = random.standard_normal((300, 2))
    y = X @ [1.0, -2.0] + random.standard_normal(300)
    low, high, said = spread_over_resamples(Ridge(1e-9).fit(X, y), X, y, seconds=60.0)
    assert said == "200 refits"
    for j, known in enumerate(LinearRegression().fit(X, y).summary().rows[1:]):
        assert high[0, j] - low[0, j] == pytest.approx(known.high - known.low, rel=0.25)
        assert (high[0, j] + low[0, j]) / 2.0 == pytest.approx(known.estimate, abs=0.05)


@pytest.mark.slow
def test_the_bootstrap_covers_as_often_as_it_says():
    """Least squares, where the truth is known: 95 % intervals of 200 draws cover it in 90 to 99 of 100 samples."""
    from separatrix.linear_model import Ridge

    random, covered = np.random.default_rng(4), 0
    for seed in range(100):
        X = random.standard_normal((60, 1))
        y = 2.0 * X[:, 0] + random.standard_normal(60)
        low, high, _ = spread_over_resamples(Ridge(1e-6).fit(X, y), X, y, refits=100, seconds=60.0, seed=seed)
        covered += bool(low[0, 0] <= 2.0 <= high[0, 0])
    assert 88 <= covered <= 99


def test_the_bootstrap_is_seeded_and_bounded_in_time():
    from separatrix.linear_model import Ridge

    X = np.random.default_rng(5).standard_normal((50, 2))
    model = Ridge().fit(X, X[:, 0])
    once, again = (spread_over_resamples(model, X, X[:, 0], refits=40, seed=7) for _ in range(2))
    assert np.array_equal(once[0], again[0]) and np.array_equal(once[1], again[1])
    low, high, said = spread_over_resamples(model, X, X[:, 0], seconds=0.0)
    assert low is None and high is None and said == "only 0 refits were possible in 0 seconds"


@pytest.mark.parametrize("name", ["LassoCV", "ElasticNetCV", "RidgeCV", "LogisticRegressionCV", "RidgeClassifierCV"])
def test_a_search_at_its_choice_gives_the_coefficients_of_the_search(name):
    from separatrix.inference.bootstrap import at_choice

    model, X, y = fitted(PREDICTORS[name])
    again = at_choice(model).fit(X, y)
    assert np.ravel(again.coef_) == pytest.approx(np.ravel(model.coef_), rel=1e-6, abs=1e-9)


def test_names_that_do_not_match_the_columns_are_refused():
    from separatrix.linear_model import Ridge

    with pytest.raises(ValueError, match="Cannot describe Ridge with 3 names: 1 columns reach it"):
        describe(Ridge().fit([[0.0], [1.0]], [0.0, 1.0]), ["a", "b", "c"])


def test_the_largest_effect_is_named_in_the_unit_that_it_is_measured_in():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.standard_normal((50, 2)) * [10.0, 1.0], columns=["wide", "narrow"])
    y = 2.0 * frame.wide + 0.5 * frame.narrow
    model = LinearRegression().fit(frame, y)
    names = list(frame.columns)
    assert "one unit more of 'wide' changes the prediction by +2" in describe(model, names).words
    changed = 2.0 * frame.wide.std(ddof=0)
    assert f"one standard deviation more of 'wide' ({0.5 * changed:.3g})" in describe(model, names, frame, y).words
    assert f"changes the prediction by +{changed:.3g}." in describe(model, names, frame, y).words
