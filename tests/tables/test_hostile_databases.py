"""Databases from strangers: what they define neither runs unasked nor reaches out of the file, and damage is said."""

import os
import sqlite3
import sys
import time

import numpy as np
import pytest

from separatrix.tables import blocks, limits, read

ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT {} AS x FROM n"


def in_quotes(name):
    return '"' + name.replace('"', '""') + '"'


@pytest.fixture
def made(tmp_path):
    """Make a database of DuckDB or SQLite, by the ending of its name, with some statements."""

    def make(name, *statements):
        path = tmp_path / name
        if path.suffix == ".duckdb":
            connection = pytest.importorskip("duckdb").connect(str(path))
        else:
            connection = sqlite3.connect(path)
        for statement in statements:
            connection.execute(statement)
        if path.suffix != ".duckdb":
            connection.commit()
        connection.close()
        return path

    return make


@pytest.fixture
def victim(tmp_path):
    path = tmp_path / "victim.csv"
    path.write_text("secret\n42\n")
    return path


@pytest.mark.parametrize("suffix", [".duckdb", ".db"])
@pytest.mark.parametrize("name", ['a "b" c', '"', "x; DROP TABLE y", "--", "'", "a\nb", "é", "select"])
def test_a_table_may_have_any_name(made, suffix, name):
    path = made(
        f"t{suffix}", f"CREATE TABLE {in_quotes(name)} (a INTEGER)", f"INSERT INTO {in_quotes(name)} VALUES (7)"
    )
    assert read(path)["a"].tolist() == [7]
    assert [block["a"].tolist() for block in blocks(path)] == [[7]]


@pytest.mark.parametrize("suffix", [".duckdb", ".db"])
def test_a_column_may_have_any_name(made, suffix):
    names = ['a "b"', '"', "'; DROP TABLE t; --", "\u202ex", "x" * 100_000, "a.b", "=1+1", "\x1b[31m", "a\nb", "%s{0}"]
    columns = ", ".join(f"{in_quotes(name)} INTEGER" for name in names)
    values = ", ".join(map(str, range(len(names))))
    path = made(f"t{suffix}", f"CREATE TABLE t ({columns})", f"INSERT INTO t VALUES ({values})")
    for table in (read(path), *blocks(path)):
        assert [(name, table[name].tolist()) for name in table.names] == [(name, [k]) for k, name in enumerate(names)]


@pytest.mark.parametrize("value", ["[1, 2]", "{'a': 1}", "MAP {'k': 1}", "'x'::BLOB", "[[['x']]]", "[{'a': [1]}]"])
def test_nested_columns_are_left_out_by_name(made, value):
    path = made("t.duckdb", f"CREATE TABLE t AS SELECT {value} AS v, 1 AS x")
    for table in (read(path), *blocks(path)):
        assert (table.names, table.notes) == (("x",), ("Column 'v' holds lists or bytes and is left out.",))


def test_the_name_of_a_table_neither_writes_nor_reads_a_file(made, victim):
    catalogue = 'information_schema"."tables"'
    names = [
        f"""{catalogue}; COPY (SELECT 1 AS hacked) TO '{victim}'; SELECT 1 AS "a""",
        f"""{catalogue} LIMIT 0; SELECT content AS "a" FROM read_text('{victim}'); --""",
    ]
    for place, name in enumerate(names):
        path = made(f"{place}.duckdb", f"CREATE TABLE {in_quotes(name)} (a INTEGER)")
        assert len(read(path)) == 0
        assert victim.read_text() == "secret\n42\n"


def test_the_name_of_an_sqlite_table_chooses_no_other_table(made):
    name = 'main"."sqlite_master" --'
    assert len(read(made("t.db", f"CREATE TABLE {in_quotes(name)} (a INTEGER)"))) == 0


@pytest.mark.parametrize("suffix", [".duckdb", ".db"])
def test_a_view_does_not_run_unasked(made, suffix):
    path = made(f"t{suffix}", "CREATE VIEW v AS SELECT 1 AS x")
    with pytest.raises(ValueError, match="it holds no table, only the view 'v'"):
        read(path)
    assert read(path, query="SELECT * FROM v")["x"].tolist() == [1]


@pytest.mark.parametrize(
    "macro",
    [
        "lower(x) AS 'base table'",
        "duckdb_tables() AS TABLE SELECT 'main' AS schema_name, 'v' AS table_name, false AS internal",
        "duckdb_views() AS TABLE SELECT 'main' AS schema_name, 'v' AS view_name, false AS internal WHERE false",
    ],
)
def test_a_view_does_not_run_where_functions_of_the_file_hide_what_it_is(made, macro):
    path = made("t.duckdb", f"CREATE MACRO {macro}", "CREATE VIEW v AS SELECT 1 AS x")
    with pytest.raises(ValueError, match="it holds no table, only the view 'v'"):
        read(path)


def test_a_table_may_be_in_any_schema(made):
    schema = in_quotes('s".main')
    path = made("t.duckdb", f"CREATE SCHEMA {schema}", f"CREATE TABLE {schema}.t AS SELECT 9 AS a")
    assert read(path)["a"].tolist() == [9]
    with pytest.raises(ValueError, match=r"it holds 2 tables: 'a\.t', 't'"):
        read(made("u.duckdb", "CREATE SCHEMA a", "CREATE TABLE a.t (x INT)", "CREATE TABLE t (x INT)"))


def test_a_database_may_be_called_as_the_catalogue(made):
    path = made("information_schema.duckdb", "CREATE TABLE tables AS SELECT 9 AS a")
    assert read(path)["a"].tolist() == [9]


@pytest.mark.parametrize(
    "statement",
    [
        "SELECT * FROM v",
        "SELECT * FROM '{victim}'",
        "COPY (SELECT 1) TO '{victim}'",
        "ATTACH '{victim}.new'",
        "SET enable_external_access = true",
        "LOAD httpfs",
        "INSTALL httpfs",
        "CREATE TABLE z (a INTEGER)",
    ],
)
def test_a_duckdb_file_gives_no_way_to_other_files(made, victim, statement):
    path = made("t.duckdb", f"CREATE VIEW v AS SELECT * FROM read_text('{victim}')")
    with pytest.raises(ValueError, match=r"Cannot (run the query on|read) t\.duckdb"):
        read(path, query=statement.format(victim=victim))
    assert victim.read_text() == "secret\n42\n" and sorted(os.listdir(path.parent)) == ["t.duckdb", "victim.csv"]


@pytest.mark.parametrize(
    "statement",
    [
        "SELECT load_extension('nothing')",
        "ATTACH '{folder}/new.db' AS n",
        "CREATE TABLE z (a)",
        "INSERT INTO t VALUES (1)",
        "DELETE FROM t",
        "PRAGMA journal_mode = WAL",
        "PRAGMA writable_schema = ON",
        "VACUUM INTO '{folder}/copy.db'",
    ],
)
def test_an_sqlite_file_is_asked_by_select_only(made, statement):
    path = made("t.db", "CREATE TABLE t (a)")
    with pytest.raises(ValueError, match=r"Cannot run the query on t\.db"):
        read(path, query=statement.format(folder=path.parent))
    assert os.listdir(path.parent) == ["t.db"]


@pytest.mark.parametrize("name", ["t.db", "t.duckdb"])
def test_a_query_that_gives_no_rows_is_stopped(made, monkeypatch, name):
    monkeypatch.setattr(limits, "PATIENCE", 0.3)
    sql = ENDLESS.format("sum(i)") if name == "t.db" else "SELECT sum(i * i) AS x FROM range(1000000000000) t(i)"
    path = made(name, f"CREATE VIEW v AS {sql}")
    start = time.monotonic()
    with pytest.raises(ValueError, match=r"it gave no rows for 0\.3 seconds"):
        read(path, query="SELECT * FROM v")
    assert time.monotonic() - start < 20


@pytest.mark.parametrize("name", ["t.db", "t.duckdb"])
def test_a_view_of_endless_rows_is_refused_whole_and_comes_in_blocks(made, monkeypatch, name):
    monkeypatch.setattr(limits, "memory", lambda: 1 << 24)
    sql = ENDLESS.format("i") if name == "t.db" else "SELECT i AS x FROM range(1000000000000) t(i)"
    path = made(name, f"CREATE VIEW v AS {sql}")
    with pytest.raises(ValueError, match=r"does not fit into 0\.0156 GB of memory"):
        read(path, query="SELECT * FROM v")
    assert len(next(blocks(path, query="SELECT * FROM v", rows=10))) == 10


def test_a_generated_column_cannot_ask_for_a_gigabyte(made):
    path = made("t.db", "CREATE TABLE t (a, b AS (zeroblob(1000000000)))", "INSERT INTO t VALUES (1)")
    with pytest.raises(ValueError, match="too big"):
        read(path)


def test_a_file_with_a_log_is_read_without_a_trace_and_a_pending_log_is_heeded(made):
    path = made("t.db", "PRAGMA journal_mode = WAL", "CREATE TABLE t (a)", "INSERT INTO t VALUES (1)")
    assert read(path)["a"].tolist() == [1] and os.listdir(path.parent) == ["t.db"]
    writer = sqlite3.connect(path)
    writer.execute("INSERT INTO t VALUES (2)")
    writer.commit()
    assert read(path)["a"].tolist() == [1, 2]
    writer.close()


def test_a_path_may_hold_marks_that_addresses_use(made):
    path = made("a b?c#d%41&mode=rwc.db", "CREATE TABLE t (a)", "INSERT INTO t VALUES (1)")
    assert read(path)["a"].tolist() == [1] and os.listdir(path.parent) == [path.name]


@pytest.mark.parametrize("suffix", [".db", ".duckdb"])
def test_a_damaged_database_is_a_table_or_a_sentence(made, suffix):
    words = ", ".join(f"({i}, 'word {i % 7}')" for i in range(2000))
    path = made(f"t{suffix}", "CREATE TABLE t (a INTEGER, b VARCHAR)", f"INSERT INTO t VALUES {words}")
    whole, rng, refused = path.read_bytes(), np.random.default_rng(3), 0
    for _ in range(60):
        spoilt = bytearray(whole)
        # half of the damage among the first pages, where the schema is
        for place in rng.integers(0, len(whole) if rng.random() < 0.5 else min(len(whole), 12_288), 4).tolist():
            spoilt[place : place + 4] = bytes(rng.integers(0, 256, 4).astype(np.uint8))
        path.write_bytes(spoilt)
        try:
            read(path)
        except ValueError as refusal:
            refused += 1
            assert str(refusal).startswith("Cannot ")
    assert refused > 5


def test_times_with_a_zone_name_the_module_that_duckdb_needs_for_them(made, monkeypatch):
    path = made("t.duckdb", "CREATE TABLE t AS SELECT TIMESTAMPTZ '2024-01-31 12:00:00+00' AS moment")
    monkeypatch.setitem(sys.modules, "pytz", None)
    with pytest.raises(ValueError, match=r"duckdb needs pytz, which is not installed. Use pip install pytz"):
        read(path)
