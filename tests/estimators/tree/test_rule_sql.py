"""Rules as SQL: SQLite and DuckDB give for every row what `predict` gives, whatever names, levels and numbers are."""

import sqlite3
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from separatrix.estimators.tree.rule_sql import _conjunction, number_literal
from separatrix.tree import DecisionTreeClassifier, DecisionTreeRegressor, RuleListClassifier, rules

sys.path.insert(0, str(Path(__file__).parent))
from rule_examples import numbers, words

NASTY = ['a "b"', "x; DROP TABLE t", "naïve\n", "\x1b[31m", "'", "\\", "]", "--", "Ω"]


def in_sqlite(sql, names, X):
    connection = sqlite3.connect(":memory:")
    quoted = ['"' + name.replace('"', '""') + '"' for name in names]
    connection.execute(f"CREATE TABLE t ({', '.join(quoted)})")
    rows = [[None if v is None or v != v else v for v in row] for row in X.tolist()]
    connection.executemany(f"INSERT INTO t VALUES ({', '.join('?' * len(names))})", rows)
    return [value for (value,) in connection.execute(f"SELECT {sql} FROM t ORDER BY rowid")]


def in_duckdb(sql, names, X):
    duckdb, pyarrow = pytest.importorskip("duckdb"), pytest.importorskip("pyarrow")
    columns = [pyarrow.array(X[:, j].tolist(), from_pandas=False) for j in range(X.shape[1])]  # NaN stays NaN
    columns.append(pyarrow.array(range(len(X))))
    with duckdb.connect() as connection:
        connection.register("t", pyarrow.table(columns, names=[*names, "its row"]))
        return [value for (value,) in connection.execute(f'SELECT {sql} FROM t ORDER BY "its row"').fetchall()]


def hold_sql(model, X, names):
    sql, expected = rules.to_sql(model, feature_names=names), model.predict(X).tolist()
    assert in_sqlite(sql, names, X) == expected
    assert in_duckdb(sql, names, X) == expected


@pytest.mark.parametrize("split", ["binary", "multiway"])
@pytest.mark.parametrize("make", [DecisionTreeClassifier, lambda **s: RuleListClassifier(DecisionTreeClassifier(**s))])
def test_sql_of_words_equals_predict_on_every_row(split, make):
    X, y = words(1)
    model = make(split=split).fit(X, y)
    new = np.array([[a, b, c] for a in ("red", "new", None) for b in (0.1, None) for c in ("blue", "'")], dtype=object)
    hold_sql(model, np.vstack([X, new]), ['a "b"', "x; DROP TABLE t; --", "naïve\n"])


@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.data())
def test_sql_of_any_tree_equals_predict_on_every_row(data):
    n, p = data.draw(st.integers(2, 14)), data.draw(st.integers(1, 3))
    cell = st.floats(allow_nan=True, allow_infinity=False) | st.sampled_from([0.0, -0.0, 0.1, 1 / 3, 5e-324])
    X = np.array(data.draw(st.lists(st.lists(cell, min_size=p, max_size=p), min_size=n, max_size=n)))
    names = data.draw(st.lists(st.sampled_from(NASTY), min_size=p, max_size=p, unique=True))
    y = np.arange(n) % data.draw(st.integers(2, 3))
    chosen = data.draw(st.sampled_from([{}, {"split": "multiway", "n_bins": 3}]))
    model = DecisionTreeClassifier(**chosen).fit(X, y)
    cuts = model.nodes_.threshold[np.isfinite(model.nodes_.threshold)]
    near = np.concatenate([cuts, np.nextafter(cuts, np.inf), np.nextafter(cuts, -np.inf), [np.nan]])
    near = np.tile(near[np.isfinite(near) | np.isnan(near)][:, None], (1, p))
    hold_sql(model, np.vstack([X, near]), names)


def test_sql_of_numbers_regressors_and_rule_lists_equals_predict():
    X, y = numbers(5)
    names = [f"c{j}" for j in range(4)]
    hold_sql(DecisionTreeRegressor(max_depth=5).fit(X, y / 3.0), X, names)
    hold_sql(RuleListClassifier().fit(X, y), X, names)
    whole = np.random.default_rng(0).integers(-5, 5, (60, 2))
    hold_sql(DecisionTreeClassifier(categorical_features=[0]).fit(whole, whole[:, 0] % 3), whole, ["i", "k"])
    large = 2**53 + np.arange(8)[:, None]  # integers that a double does not hold
    hold_sql(DecisionTreeClassifier().fit(large, np.arange(8) // 4), large, ["big"])
    single = X.astype(np.float32)
    hold_sql(DecisionTreeClassifier().fit(single, y), single, names)


@settings(max_examples=200, deadline=None)
@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_number_in_sql_is_the_same_number(x):
    value = sqlite3.connect(":memory:").execute(f"SELECT {number_literal(x)}").fetchone()[0]
    assert isinstance(value, float) and value == x


@pytest.mark.parametrize("names", [["a", "A"], ["", "b"], ["a\0", "b"], ["\ud800", "b"], ["a"]], ids=ascii)
def test_names_that_no_database_takes_are_refused(names):
    X, y = numbers(0, p=2)
    with pytest.raises(ValueError, match="Cannot"):
        rules.to_sql(DecisionTreeClassifier().fit(X, y), feature_names=names)


def table_in_duckdb(sql, frame):
    duckdb = pytest.importorskip("duckdb")
    with duckdb.connect() as connection:
        connection.register("t", frame.assign(**{"its row": range(len(frame))}))
        return [value for (value,) in connection.execute(f'SELECT {sql} FROM t ORDER BY "its row"').fetchall()]


def hold_frame(model, frame):
    """The columns keep the types of the frame in DuckDB."""
    sql, expected = rules.to_sql(model), model.predict(frame).tolist()
    assert in_sqlite(sql, list(frame.columns), frame.astype(object).to_numpy()) == expected
    assert table_in_duckdb(sql, frame) == expected


RANDOM = np.random.default_rng(0)
TYPED = pd.DataFrame(
    {
        "select": RANDOM.random(150) < 0.5,
        "ORDER": RANDOM.integers(-3, 4, 150).astype(np.int8),
        "group by": RANDOM.normal(size=150).astype(np.float32),
        "0": RANDOM.normal(size=150) * 1e-300,
    }
)


@pytest.mark.parametrize(
    "chosen", [{}, {"categorical_features": ["select", "ORDER"]}, {"split": "multiway", "n_bins": 3}], ids=str
)
def test_columns_of_any_type_and_names_that_are_words_of_sql(chosen):
    y = (TYPED["select"] ^ (TYPED["ORDER"] > 0) ^ (TYPED["group by"] > 0.3)).to_numpy()
    hold_frame(DecisionTreeClassifier(**chosen).fit(TYPED, y), TYPED)
    hold_frame(RuleListClassifier(DecisionTreeClassifier(**chosen)).fit(TYPED, y), TYPED)
    hold_frame(DecisionTreeRegressor(**chosen).fit(TYPED, TYPED["0"] * 1e300 / 3.0), TYPED)


@pytest.mark.parametrize("split", ["binary", "multiway"])
@pytest.mark.parametrize("make", [DecisionTreeClassifier, lambda **s: RuleListClassifier(DecisionTreeClassifier(**s))])
def test_a_level_without_a_place_in_its_order_is_missing_in_sql_too(split, make):
    levels = ["small", "middle", "large", "huge"]
    codes = RANDOM.integers(0, 4, 80)
    size = pd.Categorical.from_codes(codes, levels, ordered=True)
    model = make(split=split).fit(pd.DataFrame({"size": size, "x": 0.0}), codes % 2)
    new = pd.DataFrame({"size": [*levels, "never stated", None], "x": 0.0})
    hold_frame(model, new)
    assert model.predict(new)[4] == model.predict(new)[5]


def test_missing_words_and_dates_of_pandas_are_missing():
    y = np.tile([0, 1, 1, 0], 10)
    for column in (
        pd.array(["a", None, "b", "a"], dtype="string"),
        pd.to_datetime(["2020-01-01", None, "2020-01-03", "2020-01-01"]),
    ):
        frame = pd.DataFrame({"w": list(column) * 10, "k": ["u", "v"] * 20})
        model = DecisionTreeClassifier(categorical_features=["w", "k"]).fit(frame, y)
        assert len(model.categories_[0]) == 2
        assert model.predict(frame).tolist() == y.tolist()


@pytest.mark.parametrize("split", ["binary", "multiway"])
def test_a_thousand_hostile_levels(split):
    levels = np.array(
        [f"{mark}{i}" for i in range(100) for mark in ("'", '"', "\\", "\n", "%", "Ω", "🌲", "A", "a", " ")]
    )
    chosen = levels[RANDOM.permutation(3000) % 1000]
    y = np.array([sum(map(ord, level)) % 3 for level in chosen])
    frame = pd.DataFrame({"a": chosen, "b": RANDOM.normal(size=3000)})
    hold_frame(DecisionTreeClassifier(split=split).fit(frame, y), frame)


def test_infinite_numbers_are_compared_and_nan_is_null():
    duckdb = pytest.importorskip("duckdb")
    X = np.array([[-1.0], [0.0], [1.0], [np.nan]])
    sql = rules.to_sql(DecisionTreeClassifier().fit(X, [0, 1, 2, 1]))
    values = "('-inf'::DOUBLE), ('inf'::DOUBLE), ('nan'::DOUBLE), ('nan'::FLOAT), (NULL)"
    answers = [row[0] for row in duckdb.sql(f"SELECT {sql} FROM (VALUES {values}) t(x0)").fetchall()]
    assert answers == [0, 2, 1, 1, 1]
    rows = "SELECT -9e999 AS x0 UNION ALL SELECT 9e999 UNION ALL SELECT NULL"
    assert [row[0] for row in sqlite3.connect(":memory:").execute(f"SELECT {sql} FROM ({rows})")] == [0, 2, 1]


def test_a_chain_of_thousands_of_questions_is_one_flat_expression():
    n = 3000
    X = np.arange(float(n))[:, None]
    model = DecisionTreeClassifier().fit(X, np.arange(n) % 2)
    assert model.get_depth() > 2000
    hold_sql(model, X, ["x0"])


def test_very_many_conditions_of_one_rule_are_no_deep_expression():
    many = [f"{j} >= 0" for j in range(3000)]
    flat = sqlite3.connect(":memory:")
    with pytest.raises(sqlite3.OperationalError, match="depth"):
        flat.execute(f"SELECT {' AND '.join(many)}")
    for conditions, holds in ((many, 1), ([*many[:1234], "0 > 1", *many[1234:]], 0)):
        assert flat.execute(f"SELECT {_conjunction(conditions)}").fetchall()[0][0] == holds
        assert pytest.importorskip("duckdb").sql(f"SELECT {_conjunction(conditions)}").fetchall()[0][0] == holds


@pytest.mark.parametrize(
    "column, why",
    [
        (["a", 1.0], "neither all words nor all numbers"),
        ([2**60, 2**60 + 1], "a double does not hold"),
        (list(pd.to_datetime(["2020-01-01", "2021-01-01"])), "neither all words nor all numbers"),
        (["a\0", "b"], "no database"),
        (["\ud800", "b"], "no database"),
    ],
    ids=ascii,
)
def test_categories_that_sql_cannot_compare_are_refused(column, why):
    X = np.empty((20, 2), dtype=object)
    X[:, 0], X[:, 1] = column * 10, "word"
    model = DecisionTreeClassifier(categorical_features=[0, 1]).fit(X, [0, 1] * 10)
    with pytest.raises(ValueError, match=f"Cannot write.*{why}"):
        rules.to_sql(model)
