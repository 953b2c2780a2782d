"""Views of a table, from its columns to a model."""

import pickle
import warnings

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal
from sklearn.base import clone
from sklearn.model_selection import cross_val_predict

from separatrix.core.family import DataFacts, families
from separatrix.ensemble import HistGradientBoostingClassifier
from separatrix.estimators.preparation.compose import (
    PREPARATIONS,
    category_places,
    distributions,
    feature_names,
    pipeline,
    preparation,
    why_unpreparable,
)
from separatrix.linear_model import LogisticRegression
from separatrix.naive_bayes import BernoulliNB, MixedNB, MultinomialNB
from separatrix.tables.table import Table
from separatrix.tables.understanding import ColumnFacts, Understanding

KINDS = {
    "age": "number",
    "sex": "flag",
    "visits": "number",
    "city": "category",
    "signup": "date",
    "note": "text",
    "code": "category",
}


def people(n=120, seed=0, without=()):
    """A table of all kinds with gaps, and labels that depend on it."""
    rng = np.random.default_rng(seed)
    pick = lambda *words: rng.choice(np.array(words, dtype=object), n)  # noqa: E731
    columns = {
        "age": np.where(rng.random(n) < 0.1, np.nan, rng.normal(40.0, 10.0, n)),
        "sex": pick("f", "m"),
        "visits": np.floor(rng.gamma(2.0, 2.0, n)),
        "city": pick("Rome", "Rome", "Oslo", "Bari", None),
        "signup": pick("2020-01-31", "2021-06-15", "2022-11-02", None),
        "note": pick("came back", "new here", "came twice", None),
        "code": rng.integers(0, 4, n).astype(np.float64),
    }
    columns = {name: column for name, column in columns.items() if name not in without}
    facts = tuple(ColumnFacts(name, KINDS[name], 0, 0) for name in columns)
    y = np.where(rng.random(n) < np.where(columns["sex"] == "f", 0.8, 0.2), "yes", "no")
    understanding = Understanding("people.csv", n, 0, "bought", "classification", facts)
    return Table(tuple(columns), tuple(columns.values()), "people.csv"), y, understanding


WITHOUT = {"counts": ("age", "signup")}
MODELS = {"binary": BernoulliNB(), "counts": MultinomialNB(), "codes": MixedNB(unseen="smooth")}
MODELS["trees"] = HistGradientBoostingClassifier(max_iter=20)


def fitted(preparation, **options):
    table, y, understanding = people(without=WITHOUT.get(preparation, ()), **options)
    model = clone(MODELS.get(preparation, LogisticRegression()))
    if preparation == "trees":
        model.set_params(categorical_features=category_places([facts.kind for facts in understanding.used]))
    if preparation == "codes":
        model.set_params(columns=distributions([facts.kind for facts in understanding.used]))
    return pipeline(understanding, preparation, model).fit(table, y), table, y


def prepared(model, table):
    Z = model[:-1].transform(table)
    return Z if isinstance(Z, np.ndarray) else Z.toarray()


@pytest.mark.parametrize("preparation", PREPARATIONS)
def test_every_preparation_reaches_its_model_and_learns(preparation):
    model, table, y = fitted(preparation)
    Z = prepared(model, table)
    assert Z.shape == (120, len(feature_names(model)))
    assert preparation == "trees" or np.isfinite(Z).all()
    assert (model.predict(table) == y).mean() > 0.7


@pytest.mark.parametrize("preparation", PREPARATIONS)
def test_strangers_gaps_and_single_rows_are_predicted(preparation):
    model, table, _ = fitted(preparation)
    strange = {name: [None] if KINDS[name] in ("number", "date") else ["never met"] for name in table.names}
    nothing = {name: [None] for name in table.names}
    for rows in (strange, nothing, table.take([3]), table.take(slice(0, 1))):
        P = model.predict_proba(rows)
        assert P.shape == (1, 2) and np.isfinite(P).all()


@pytest.mark.parametrize("preparation", PREPARATIONS)
def test_levels_that_a_fold_has_not_met_are_no_obstacle(preparation):
    table, y, _ = people(40, without=WITHOUT.get(preparation, ()))
    rare = table["city"].copy()
    rare[[0, 1, 39]] = ["Lima", "Lima", "Cork"]
    frame = pd.DataFrame({name: rare if name == "city" else table[name] for name in table.names})
    P = cross_val_predict(clone(fitted(preparation)[0]), frame, y, cv=8, method="predict_proba")
    assert P.shape == (40, 2) and np.isfinite(P).all()


def test_the_standard_preparation_is_readable():
    model, _, _ = fitted("standard")
    assert feature_names(model) == [
        "age",
        "visits",
        "age is missing",
        "sex=f",
        "city=Bari",
        "city=Oslo",
        "city is missing",
        "code=0",
        "code=2",
        "code=3",
        "signup",
        "signup: season sine",
        "signup: season cosine",
        "signup: weekday sine",
        "signup: weekday cosine",
        "signup is missing",
        "note: back",
        "note: came",
        "note: here",
        "note: new",
        "note: twice",
    ]
    assert model[:-1].get_feature_names_out().tolist() == feature_names(model)


def test_binary_is_zero_or_one_and_counts_are_whole():
    model, table, _ = fitted("binary")
    assert set(np.unique(prepared(model, table))) == {0.0, 1.0}
    model, table, _ = fitted("counts")
    Z = prepared(model, table)
    assert (Z >= 0.0).all() and (np.floor(Z) == Z).all()
    assert "sex=f" in feature_names(model) and "sex=m" in feature_names(model)


def test_codes_come_first_and_mixed_naive_bayes_takes_them_for_what_they_are():
    model, table, _ = fitted("codes")
    assert feature_names(model)[:7] == ["sex", "city", "code", "age", "visits", "signup", "age is missing"]
    assert isinstance(model[:-1].transform(table), np.ndarray)
    assert model[-1].distributions_[:7] == ["categorical"] * 3 + ["gaussian"] * 3 + ["bernoulli"]


def test_a_preparation_says_what_it_cannot_serve():
    table, _, understanding = people()
    assert why_unpreparable(understanding.used, "counts") == "'signup' is a date, which this preparation cannot use"
    with pytest.raises(ValueError, match="prepare columns as 'counts': 'signup' is a date"):
        preparation(understanding.used, "counts")
    table, y, understanding = people(without=("signup",))
    assert why_unpreparable(understanding.used, "counts") == ""
    said = why_unpreparable(understanding.used, "counts", table)
    assert said.startswith("'age' holds ") and said.endswith(", which is no count")
    with pytest.raises(ValueError, match="a fraction was measured, not counted"):
        pipeline(understanding, "counts", MultinomialNB()).fit(table, y)
    assert why_unpreparable(people(without=WITHOUT["counts"])[2].used, "counts", table) == ""
    assert why_unpreparable(understanding.used, "binary", table) == ""
    with pytest.raises(ValueError, match="there is no such preparation"):
        why_unpreparable(understanding.used, "sideways")


def test_a_table_of_which_nothing_is_left_is_refused():
    understanding = Understanding("t.csv", 9, 0, "y", "regression", (ColumnFacts("id", "identifier", 0, 9, "unique"),))
    with pytest.raises(ValueError, match="learn 'y': no column is left"):
        pipeline(understanding, "standard", LogisticRegression())


@pytest.mark.parametrize("preparation", PREPARATIONS)
def test_a_pickled_pipeline_predicts_the_same(preparation):
    model, table, _ = fitted(preparation)
    again = pickle.loads(pickle.dumps(model))
    assert_array_equal(again.predict_proba(table), model.predict_proba(table))


def test_a_table_read_in_blocks_of_text_is_prepared_as_the_whole(tmp_path):
    from separatrix.tables import blocks, read

    model, table, _ = fitted("standard")
    cells = [["" if cell is None or cell != cell else str(cell) for cell in column] for column in table.columns]
    lines = [",".join(table.names), *(",".join(row) for row in zip(*cells))]
    path = tmp_path / "people.csv"
    path.write_text("\n".join(lines) + "\n")
    whole = prepared(model, read(path))
    parts = [prepared(model, block) for block in blocks(path, rows=50)]
    assert len(parts) == 3
    assert_array_equal(np.vstack(parts), whole)
    assert_array_equal(whole, prepared(model, table))


def test_numbers_alone_and_words_alone_are_tables_too():
    for kept in (("age", "visits", "sex"), ("note", "sex")):
        table, y, understanding = people(without=set(KINDS) - set(kept))
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            model = pipeline(understanding, "standard", LogisticRegression()).fit(table, y)
        assert (model.predict(table) == y).mean() > 0.7


def test_trees_get_codes_of_levels_numbers_as_they_are_and_gaps_as_gaps():
    model, table, _ = fitted("trees")
    Z = prepared(model, table)
    assert feature_names(model)[:6] == ["sex", "city", "code", "age", "visits", "signup"]
    levels = {"Bari": 0.0, "Oslo": 1.0, "Rome": 2.0, None: np.nan}
    assert_array_equal(Z[:, 1], [levels[city] for city in table["city"]])
    assert_array_equal(Z[:, 3], table["age"])
    assert np.isnan(Z[:, 3]).any() and np.isnan(Z[:, 1]).any()
    days = [np.nan if day is None else float(np.datetime64(day).astype(int)) for day in table["signup"]]
    assert_array_equal(Z[:, 5], days)


def test_boosting_inside_a_comparison_is_boosting_on_a_frame_that_says_what_its_categories_are():
    table, y, understanding = people(300, without=("note", "signup"))
    facts = DataFacts(rows=300, columns=5, classes=2, kinds=tuple(c.kind for c in understanding.used))
    family = next(each for each in families("classification") if each.name == "gradient boosting")
    model = pipeline(understanding, family.preparation, family.make(facts)).fit(table, y)
    frame = pd.DataFrame({name: table[name] for name in ("sex", "city", "code", "age", "visits")})
    frame = frame.astype(dict.fromkeys(("sex", "city", "code"), "category"))
    theirs = HistGradientBoostingClassifier(random_state=0).fit(frame, y)
    assert theirs.is_categorical_.tolist() == model[-1].is_categorical_.tolist() == [True, True, True, False, False]
    assert_array_equal(model.predict_proba(table), theirs.predict_proba(frame))


@pytest.mark.parametrize("task", ["classification", "regression"])
@pytest.mark.parametrize("name", ["decision tree", "gradient boosting"])
def test_every_family_of_trees_takes_categories_as_categories(task, name):
    family = next(each for each in families(task) if each.name == name)
    made = family.make(
        DataFacts(rows=90, columns=3, classes=2, smallest_class=40, kinds=("number", "flag", "category"))
    )
    tree = made.get_params().get("estimator", made)
    assert family.preparation == "trees" and tree.categorical_features == [0, 1]
