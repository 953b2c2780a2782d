"""A distribution for each column: the parts add up, frames of every kind are understood, strangers are named."""

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.base import clone

from separatrix.naive_bayes import BernoulliNB, CategoricalNB, GaussianNB, MixedNB, MultinomialNB

FRAMES = {
    "pandas": pd.DataFrame,
    "polars": pl.DataFrame,
    "pyarrow": pa.table,
}


def as_objects(columns):
    """An array of numbers and words, without names."""
    return np.column_stack([np.asarray(list(values), dtype=object) for values in columns.values()])


def people(n=200, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.choice(["no", "yes"], n, p=[0.6, 0.4])
    bought = y == "yes"
    return {
        "age": rng.normal(40.0 + 10.0 * bought, 8.0),
        "city": np.where(rng.random(n) < 0.4 + 0.3 * bought, "Rome", rng.choice(["Oslo", "Bern"], n)).astype(object),
        "member": rng.random(n) < 0.3 + 0.4 * bought,
        "visits": rng.poisson(2.0 + bought, n),
        "clicks": rng.poisson(3.0 + 2.0 * bought, n),
        "sale": rng.integers(0, 2, n),
    }, y


def parts_of(columns):
    """The columns as four arrays of numbers."""
    names = sorted(set(columns["city"]))
    city = np.array([[names.index(v)] for v in columns["city"]], dtype=float)
    switches = np.column_stack([columns["member"], columns["sale"]]).astype(float)
    counts = np.column_stack([columns["visits"], columns["clicks"]]).astype(float)
    return columns["age"][:, None], city, switches, counts


COUNTS = {"visits": "multinomial", "clicks": "multinomial"}


@pytest.mark.parametrize("kind", FRAMES)
def test_the_joint_probability_is_the_product_of_the_parts_with_the_share_once(kind):
    columns, y = people()
    frame = FRAMES[kind](columns)
    model = MixedNB(COUNTS).fit(frame, y)
    assert model.distributions_ == ["gaussian", "categorical", "bernoulli", "multinomial", "multinomial", "bernoulli"]
    assert model.categories_ == {1: ["Bern", "Oslo", "Rome"]}
    models = GaussianNB(), CategoricalNB(), BernoulliNB(), MultinomialNB()
    joints = [m.fit(Z, y).predict_joint_log_proba(Z) for m, Z in zip(models, parts_of(columns), strict=True)]
    wanted = sum(joints) - 3 * np.log(model.class_prior_)
    np.testing.assert_allclose(model.predict_joint_log_proba(frame), wanted, rtol=1e-12)
    np.testing.assert_allclose(model.predict_proba(frame).sum(axis=1), 1.0, rtol=1e-14)
    assert model.feature_names_in_.tolist() == list(columns)
    assert model.n_parameters_ == 2 * 2 + 2 * 2 + 2 * 2 + 2 * 1 + 1
    assert model.certificate_.converged


def test_all_kinds_of_frames_give_the_same_numbers():
    columns, y = people()
    found = [MixedNB(COUNTS).fit(make(columns), y).predict_log_proba(make(columns)) for make in FRAMES.values()]
    np.testing.assert_array_equal(found[0], found[1])
    np.testing.assert_array_equal(found[0], found[2])


def test_an_array_may_mix_numbers_and_words():
    columns, y = people()
    X, named = as_objects(columns), MixedNB(COUNTS).fit(pd.DataFrame(columns), y)
    model = MixedNB({3: "multinomial", 4: "multinomial"}).fit(X, y)
    assert model.distributions_ == named.distributions_ and model.categories_ == named.categories_
    np.testing.assert_allclose(model.predict_log_proba(X), named.predict_log_proba(pd.DataFrame(columns)), rtol=1e-13)
    drawn, _ = model.sample(20, random_state=0)
    assert (
        drawn.dtype == object and set(drawn[:, 1]) <= {"Bern", "Oslo", "Rome"} and model.predict(drawn).shape == (20,)
    )
    assert drawn[:, 2].tolist() == [bool(v) for v in drawn[:, 2]]
    words = np.array([["a", "x"], ["b", "x"], ["a", "y"], ["b", "z"]])
    assert MixedNB().fit(words, [0, 1, 0, 1]).predict(words).tolist() == [0, 1, 0, 1]
    X[3, 1] = None
    with pytest.raises(ValueError, match="column 'x1': some of its values are missing"):
        model.predict(X)
    X[3, 0] = "old"
    with pytest.raises(ValueError, match="column 'x0' for numbers"):
        model.predict(X)


def test_an_array_of_numbers_is_judged_by_its_numbers_and_by_what_the_user_says():
    columns, y = people()
    X = np.column_stack([columns["age"], columns["sale"], columns["visits"]])
    assert MixedNB().fit(X, y).distributions_ == ["gaussian", "bernoulli", "gaussian"]
    assert MixedNB({-1: "categorical"}).fit(X, y).distributions_ == ["gaussian", "bernoulli", "categorical"]
    listed = MixedNB(["gaussian", "categorical", "multinomial"]).fit(X, y)
    assert listed.distributions_ == ["gaussian", "categorical", "multinomial"]
    only = MixedNB(["gaussian"] * 3).fit(X, y)
    np.testing.assert_allclose(only.predict_proba(X), GaussianNB().fit(X, y).predict_proba(X), rtol=1e-12)


@pytest.mark.parametrize("kind", FRAMES)
def test_chunks_in_any_order_give_what_all_rows_give(kind):
    columns, y = people()
    make = FRAMES[kind]
    whole = MixedNB(COUNTS).fit(make(columns), y)
    for seed in (0, 1):
        order = np.random.default_rng(seed).permutation(len(y))
        chunked = MixedNB(COUNTS)
        for rows in [order[:2], *np.array_split(order[2:], 12)]:  # the first lacks a city
            chunk = make({name: values[rows] for name, values in columns.items()})
            chunked.partial_fit(chunk, y[rows], classes=["no", "yes"])
        assert sorted(chunked.categories_[1]) == ["Bern", "Oslo", "Rome"]
        np.testing.assert_allclose(
            chunked.predict_log_proba(make(columns)), whole.predict_log_proba(make(columns)), rtol=1e-9, atol=1e-10
        )


def test_a_chunk_that_is_refused_is_forgotten():
    columns, y = people()
    model = MixedNB(COUNTS).partial_fit(pd.DataFrame(columns), y, classes=["no", "yes"])
    before = model.predict_log_proba(pd.DataFrame(columns))
    bad = pd.DataFrame(columns).assign(city="Ulm", visits=-1)
    with pytest.raises(ValueError, match=r"value -1 of column 'visits'.*Negative values in data"):
        model.partial_fit(bad, y)
    assert model.categories_ == {1: ["Bern", "Oslo", "Rome"]}
    np.testing.assert_array_equal(model.predict_log_proba(pd.DataFrame(columns)), before)


def test_a_word_that_was_never_met_is_refused_by_name_smoothed_or_ignored():
    columns, y = people()
    frame = pd.DataFrame(columns)
    model = MixedNB(COUNTS).fit(frame, y)
    strange = frame[:1].assign(city="Ulm")
    with pytest.raises(ValueError, match=r"category 'Ulm' of column 'city'.*none of the 3.*unseen=\"smooth\""):
        model.predict(strange)
    without = MixedNB(COUNTS).fit(frame.drop(columns="city"), y).predict_joint_log_proba(strange.drop(columns="city"))
    ignored = clone(model).set_params(unseen="ignore").fit(frame, y).predict_joint_log_proba(strange)
    np.testing.assert_allclose(ignored, without, rtol=1e-13)
    smooth = model.set_params(unseen="smooth").predict_joint_log_proba(strange)
    np.testing.assert_allclose(smooth - without, [-np.log(model.class_count_ + 3.0)], rtol=1e-11)


def test_categories_that_a_type_declares_count_even_if_they_never_came():
    columns, y = people()
    declared = ["Rome", "Oslo", "Bern", "Ulm"]
    frames = (
        pd.DataFrame(columns).assign(city=pd.Categorical(columns["city"], declared)),
        pd.DataFrame(columns).assign(city=pd.Categorical(columns["city"], declared, ordered=True)),
        pl.DataFrame(columns).with_columns(pl.col("city").cast(pl.Enum(declared))),
    )
    for frame in frames:
        model = MixedNB(COUNTS).fit(frame, y)
        assert model.categories_ == {1: declared}
        shares = np.exp(model.parts_["categorical"].feature_log_prob_[0])
        np.testing.assert_allclose(shares[:, 3], 1.0 / (model.class_count_ + 4.0), rtol=1e-14)
    met = pl.DataFrame(columns).with_columns(pl.col("city").cast(pl.Categorical))
    assert MixedNB(COUNTS).fit(met, y).categories_ == {1: ["Bern", "Oslo", "Rome"]}


def test_weights_are_repetitions_and_rows_without_weight_are_not_there():
    columns, y = people()
    s = np.random.default_rng(3).integers(1, 4, len(y))
    s[:20] = 0
    columns["city"][:20] = "Ulm"
    columns["sale"][:20] = 7
    frame = pd.DataFrame(columns)
    repeated = np.repeat(np.arange(len(y)), s)
    weighted = MixedNB(COUNTS).fit(frame, y, s)
    written_out = MixedNB(COUNTS).fit(frame.iloc[repeated], y[repeated])
    assert weighted.categories_ == {1: ["Bern", "Oslo", "Rome"]} and weighted.distributions_[5] == "bernoulli"
    np.testing.assert_allclose(
        weighted.predict_log_proba(frame[20:]), written_out.predict_log_proba(frame[20:]), rtol=1e-9, atol=1e-11
    )


@pytest.mark.mission("NB-02")
@pytest.mark.parametrize("kind", FRAMES)
def test_drawn_rows_are_a_frame_that_the_model_understands(kind):
    columns, y = people()
    frame = FRAMES[kind](columns)
    model = MixedNB(COUNTS).fit(frame, y)
    drawn, labels = model.sample(4000, random_state=0)
    assert isinstance(drawn, type(frame))
    assert MixedNB(COUNTS).fit(drawn, labels).distributions_ == model.distributions_
    again, _ = model.sample(4000, random_state=0)
    np.testing.assert_array_equal(model.predict_proba(drawn), model.predict_proba(again))
    city = np.asarray(drawn["city"]).astype(str)
    share = np.exp(model.parts_["categorical"].feature_log_prob_[0]).T @ model.class_prior_
    assert abs((city == "Rome").mean() - share[2]) < 4.5 * np.sqrt(0.25 / 4000)
    assert model.score(drawn, labels) == pytest.approx(model.score(frame, y), abs=0.1)


def test_priors_are_taken_as_given():
    columns, y = people()
    frame = pd.DataFrame(columns)
    as_given, as_met = MixedNB(COUNTS, priors=[0.5, 0.5]).fit(frame, y), MixedNB(COUNTS).fit(frame, y)
    np.testing.assert_allclose(
        as_given.decision_function(frame) - as_met.decision_function(frame),
        -np.log(as_met.class_prior_[1] / as_met.class_prior_[0]),
        rtol=1e-9,
    )


def test_a_fitted_model_is_pickled_whole():
    columns, y = people()
    frame = pl.DataFrame(columns)
    model = MixedNB(COUNTS).fit(frame, y)
    found = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(found.predict_proba(frame), model.predict_proba(frame))
    assert found.sample(3, random_state=0)[0].equals(model.sample(3, random_state=0)[0])


@pytest.mark.parametrize(
    "columns, message",
    [
        ({"town": "gaussian"}, r"column 'town': X has no such column. Use a number from 0 to 5 or one of 'age'"),
        ({9: "gaussian"}, "column 9: X has no such column"),
        ({"age": "poisson"}, r"'poisson' for column 'age'.*'gaussian' or 'bernoulli'"),
        (["gaussian"] * 5, "5 distributions in columns: X has 6 columns"),
        ({"city": "gaussian"}, r"column 'city' for numbers.*\"categorical\""),
        ({"city": "bernoulli"}, r"column 'city' for numbers"),
        ({"age": "bernoulli"}, r"column 'age' for on or off"),
    ],
)
def test_columns_that_make_no_sense_are_refused_by_name(columns, message):
    table, y = people()
    with pytest.raises(ValueError, match=message):
        MixedNB(columns).fit(pd.DataFrame(table), y)
    with pytest.raises(TypeError, match="neither a mapping"):
        MixedNB("gaussian").fit(pd.DataFrame(table), y)


@pytest.mark.parametrize("kind", FRAMES)
@pytest.mark.parametrize("name", ["city", "age", "visits"])
def test_missing_values_are_refused_by_name(kind, name):
    table, y = people()
    table[name] = [None, *list(table[name])[1:]]
    with pytest.raises(ValueError, match=f"column '{name}': some of its values are missing"):
        MixedNB().fit(FRAMES[kind](table), y)


def test_a_stream_that_turns_out_to_be_no_switch_says_how_to_say_so():
    X, y = np.array([[0.0, 1.5], [1.0, 2.5], [0.0, 2.0]]), [0, 1, 1]
    model = MixedNB().partial_fit(X, y, classes=[0, 1])
    with pytest.raises(ValueError, match=r"value 3 of column 'x0' for on or off"):
        model.partial_fit([[3.0, 1.0]], [0])
