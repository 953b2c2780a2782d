"""Parquet, Arrow and databases: the same table whatever it is kept in."""

import importlib.util
import sqlite3

import pyarrow
import pytest

from separatrix.tables import Table, blocks, read

PLAIN = {"age": [31, None, 27, 44.5], "name": ["Ann", "Bo", None, "Di"], "member": ["True", "False", "True", None]}


def cells(table):
    return {
        name: [None if cell is None or cell != cell else cell for cell in table[name].tolist()] for name in table.names
    }


@pytest.fixture
def frame():
    return pyarrow.table({**PLAIN, "member": [True, False, True, None]})


def write(frame, path):
    if path.suffix == ".parquet":
        from pyarrow import parquet

        parquet.write_table(frame, path, row_group_size=3)
    else:
        from pyarrow import feather

        feather.write_feather(frame, path)
    return path


@pytest.mark.parametrize("suffix", [".parquet", ".arrow", ".feather"])
def test_columnar_files_are_read_whole_and_in_blocks(frame, tmp_path, suffix):
    path = write(frame, tmp_path / f"t{suffix}")
    assert cells(read(path)) == PLAIN and read(path).source == path.name
    parts = list(blocks(path, rows=3))
    assert [len(part) for part in parts] == [3, 1]
    assert parts[1]["name"].tolist() == ["Di"] and parts[0].columns[0].dtype == float


def test_a_stream_of_arrow_is_read_too(frame, tmp_path):
    path = tmp_path / "t.arrow"
    with pyarrow.ipc.new_stream(path, frame.schema) as out:
        out.write_table(frame, max_chunksize=2)
    assert cells(read(path)) == PLAIN and [len(part) for part in blocks(path, rows=3)] == [2, 2]


def test_an_empty_parquet_file_is_one_empty_block(frame, tmp_path):
    path = write(frame.slice(0, 0), tmp_path / "t.parquet")
    (block,) = blocks(path)
    assert len(block) == 0 and block.names == ("age", "name", "member")


def test_a_damaged_file_is_refused(tmp_path):
    path = tmp_path / "t.parquet"
    path.write_bytes(b"PAR1 no more")
    with pytest.raises(ValueError, match=r"Cannot read t.parquet: it is no whole Parquet file"):
        read(path)


@pytest.fixture
def database(tmp_path):
    duckdb = pytest.importorskip("duckdb")
    path = tmp_path / "people.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.execute("CREATE TABLE people (age DOUBLE, name VARCHAR, member BOOLEAN)")
        rows = zip(PLAIN["age"], PLAIN["name"], [True, False, True, None], strict=True)
        connection.executemany("INSERT INTO people VALUES (?, ?, ?)", list(rows))
    return path


def test_a_database_answers_queries(database):
    assert cells(read(database)) == PLAIN
    answer = read(database, query="SELECT name, age * 2 AS twice, DATE '2024-12-31' AS day FROM people WHERE age > 30")
    assert cells(answer) == {"name": ["Ann", "Di"], "twice": [62, 89], "day": ["2024-12-31"] * 2}
    assert [len(part) for part in blocks(database, rows=3)] == [3, 1]


def test_a_query_may_stand_alone(frame, tmp_path):
    pytest.importorskip("duckdb")
    path = write(frame, tmp_path / "t.parquet")
    assert cells(read(query=f"SELECT count(*) AS n FROM '{path}'")) == {"n": [4]}


@pytest.mark.parametrize(
    "query, said",
    [
        ("SELECT nothing FROM people", "Cannot run the query on people.duckdb: .*nothing"),
        ("SELECT age, age FROM people", "two columns 'age'"),
    ],
)
def test_a_query_that_fails_is_a_sentence(database, query, said):
    with pytest.raises(ValueError, match=said):
        read(database, query=query)


def test_several_tables_need_a_query(database):
    import duckdb

    with duckdb.connect(str(database)) as connection:
        connection.execute("CREATE TABLE other (x INT)")
    with pytest.raises(ValueError, match="it holds 2 tables: 'other', 'people'"):
        read(database)


def test_an_sqlite_file_needs_no_library(tmp_path, monkeypatch):
    path = tmp_path / "t.db"
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE people (age REAL, name TEXT)")
        connection.executemany("INSERT INTO people VALUES (?, ?)", [(31, "Ann"), (None, "Bo")])
    connection.close()
    assert cells(read(path)) == {"age": [31, None], "name": ["Ann", "Bo"]}
    assert cells(read(path, query="SELECT name FROM people WHERE age IS NULL")) == {"name": ["Bo"]}


def test_without_duckdb_the_extra_is_named(monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "duckdb", None)
    with pytest.raises(ImportError, match=r"separatrix\[duckdb\]"):
        read(query="SELECT 1")


def test_queries_are_for_databases_and_something_must_be_asked(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("a,b\n1,2\n")
    with pytest.raises(ValueError, match="a query is for a database"):
        read(path, query="SELECT 1")
    with pytest.raises(ValueError, match="neither a file nor a query"):
        read()


def test_a_file_that_is_no_database_is_refused(tmp_path):
    if importlib.util.find_spec("duckdb") is None:
        pytest.skip("duckdb is not installed")
    path = tmp_path / "t.duckdb"
    path.write_text("not a database, but a long enough text to look at" * 100)
    with pytest.raises(ValueError, match=r"Cannot open t.duckdb"):
        read(path)


def test_the_same_table_from_every_file(frame, tmp_path):
    csv = tmp_path / "t.csv"
    csv.write_text("age,name,member\n31,Ann,True\n,Bo,False\n27,,True\n44.5,Di,\n")
    parquet = write(frame, tmp_path / "t.parquet")
    assert cells(read(csv)) == cells(read(parquet)) == cells(Table.of(frame)) == PLAIN
