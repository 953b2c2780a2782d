"""Tables from databases: DuckDB (which also reads files that a query names) and SQLite."""

import contextlib
from pathlib import Path

from separatrix.core.refusal import cannot
from separatrix.tables.frames import table_of
from separatrix.tables.table import shown

ROWS = 65536


def read_query(source, query, name):
    """The answer to a query as a Table."""
    with _answer(source, query, name) as (names, cursor):
        return _table(names, cursor.fetchall(), name)


def query_blocks(source, query, name, rows):
    """The answer in Tables of at most so many rows."""
    with _answer(source, query, name) as (names, cursor):
        some = cursor.fetchmany(rows)
        while True:
            yield _table(names, some, name)
            some = cursor.fetchmany(rows)
            if not some:
                return


def _table(names, records, source):
    columns = list(zip(*records, strict=True)) if records else [()] * len(names)
    return table_of(dict(zip(names, columns, strict=True)), source)


@contextlib.contextmanager
def _answer(source, query, name):
    """Names of the columns, and a cursor on the rows."""
    with _connected(source, name) as connection:
        if query is None:
            query = f'SELECT * FROM "{_only_table(connection, source, name)}"'
        try:
            cursor = connection.execute(query)
        except Exception as fault:  # each database has exceptions of its own
            words = str(fault).split("\n")[0].rstrip(".")
            raise cannot(f"run the query on {name}", because=words, instead="SQL that the database takes") from None
        if cursor.description is None:
            raise cannot(f"read {name}", because="the query gives no table", instead="a SELECT")
        yield _different([column[0] for column in cursor.description], name), cursor


def _different(names, name):
    if len(set(names)) != len(names):
        twice = next(one for one in names if names.count(one) > 1)
        raise cannot(
            f"read {name}",
            because=f"the query gives two columns {twice!r}",
            instead=f'"{twice} AS ..." for one of them',
        )
    return names


@contextlib.contextmanager
def _connected(source, name):
    if source is not None and _first_bytes(source) == b"SQLite format 3\0":
        import sqlite3

        connection = sqlite3.connect(f"{Path(source).resolve().as_uri()}?mode=ro", uri=True)
    else:
        connection = _duckdb(source, name)
    try:
        yield connection
    finally:
        connection.close()


def _first_bytes(source):
    with open(source, "rb") as stream:
        return stream.read(16)


def _duckdb(source, name):
    try:
        import duckdb
    except ImportError:
        raise cannot(
            f"read {name}",
            because="queries need duckdb, which is not installed",
            instead="pip install 'separatrix[duckdb]'",
            kind=ImportError,
        ) from None
    try:
        return duckdb.connect(str(source), read_only=True) if source is not None else duckdb.connect()
    except duckdb.Error as fault:
        words = str(fault).split("\n")[0].rstrip(".")
        raise cannot(f"open {name}", because=words, instead="a database of DuckDB or SQLite") from None


def _only_table(connection, source, name):
    """The name of the only table of a database."""
    if type(connection).__module__.startswith("sqlite3"):
        rows = connection.execute("SELECT name FROM sqlite_master WHERE type IN ('table', 'view') ORDER BY name")
    else:
        rows = connection.execute("SELECT table_name FROM information_schema.tables ORDER BY table_name")
    tables = [row[0] for row in rows.fetchall()]
    if len(tables) != 1:
        listed = f"it holds {len(tables)} tables: {shown(tables)}" if tables else "it holds no table"
        raise cannot(f"read {name} without a query", because=listed, instead="query='SELECT * FROM ...'")
    return tables[0]
