"""Tables from databases: DuckDB (which also reads files that a query names) and SQLite.

A file from a stranger is opened for reading only, and what it defines cannot reach out of it: names are quoted, views
run only where a query names them, DuckDB has neither other files nor extensions, SQLite nothing but SELECT.
"""

import contextlib
import re
import threading
from pathlib import Path

from separatrix.core.refusal import cannot
from separatrix.tables import limits
from separatrix.tables.frames import table_of
from separatrix.tables.table import shown

ROWS = 65536  # fetched at a time
BYTES = 64  # of a cell as a Python object
_MISSING_MODULE = re.compile(r"Required module '(\w+)' failed to import")  # pytz, for times with a zone
_SQLITE = b"SQLite format 3\0"
_WRITE_AHEAD = b"\2\2"  # bytes 18 and 19 of an SQLite file with a write-ahead log
_CLOSED = {
    "enable_external_access": "false",
    "autoload_known_extensions": "false",
    "autoinstall_known_extensions": "false",
    "lock_configuration": "true",
}


def read_query(source, query, name):
    """The answer to a query as a Table."""
    records, most = [], limits.memory()
    for names, some in _answer(source, query, name, ROWS):
        records += some
        limits.refuse_beyond_memory(BYTES * len(records) * len(names), name, most)
    return _table(names, records, name)


def query_blocks(source, query, name, rows):
    """The answer in Tables of at most so many rows."""
    for names, some in _answer(source, query, name, rows):
        yield _table(names, some, name)


def _table(names, records, source):
    columns = list(zip(*records, strict=True)) if records else [()] * len(names)
    return table_of(dict(zip(names, columns, strict=True)), source)


def _answer(source, query, name, rows):
    """Names of the columns with some rows, once at least."""
    with _connected(source, name) as connection:
        if query is None:
            query = f"SELECT * FROM {'.'.join(map(quoted_name, _only_table(connection, name)))}"
        with _sentences(f"run the query on {name}", "SQL that the database takes", connection):
            cursor = connection.execute(query)
        if cursor.description is None:
            raise cannot(f"read {name}", because="the query gives no table", instead="a SELECT")
        names = _different([column[0] for column in cursor.description], name)
        some = None
        while some or some is None:
            with _sentences(f"read {name}", "another copy of it, or another query", connection):
                more = cursor.fetchmany(rows)
            if more or some is None:
                yield names, more
            some = more


def quoted_name(name):
    """A name as SQL has it, whatever characters are in it.

    >>> print(quoted_name('a "b"'))
    "a ""b\"""
    """
    return '"' + name.replace('"', '""') + '"'


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
    if source is not None and _first_bytes(source).startswith(_SQLITE):
        connection = _sqlite(Path(source), name)
    else:
        connection = _duckdb(source, name)
    try:
        yield connection
    finally:
        connection.close()


@contextlib.contextmanager
def _sentences(what, instead, connection):
    """What a database says about a fault, in a sentence; a query that takes too long is interrupted."""
    late = threading.Event()

    def stop():
        late.set()
        connection.interrupt()

    watch = threading.Timer(limits.PATIENCE, stop)
    watch.daemon = True
    watch.start()
    try:
        yield
    except Exception as fault:  # each database has exceptions of its own
        words = str(fault).split("\n")[0].rstrip(".!") or type(fault).__name__
        module = _MISSING_MODULE.search(words)
        if module is not None:
            words, instead = f"duckdb needs {module[1]}, which is not installed", f"pip install {module[1]}"
        if late.is_set():
            words, instead = f"it gave no rows for {limits.PATIENCE} seconds", "a query that does less"
        raise cannot(what, because=words, instead=instead) from None
    finally:
        watch.cancel()


def _first_bytes(source):
    with open(source, "rb") as stream:
        return stream.read(20)


def _sqlite(path, name):
    """A connection that can SELECT and nothing else.

    A file with a write-ahead log is taken for unchanging where no log lies beside it (nobody has it open): otherwise
    SQLite would make one there. In every other case SQLite locks the file and heeds its log.
    """
    import sqlite3

    log = path.with_name(f"{path.name}-wal")
    frozen = _first_bytes(path).endswith(_WRITE_AHEAD) and not log.exists()
    address = f"{path.resolve().as_uri()}?mode=ro{'&immutable=1' if frozen else ''}"
    connection = sqlite3.connect(address, uri=True, check_same_thread=False)
    with _sentences(f"open {name}", "another copy of it", connection):
        connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, limits.LONGEST_LINE)
        for setting in ("trusted_schema = OFF", "cell_size_check = ON", "mmap_size = 0"):
            connection.execute(f"PRAGMA {setting}")
    allowed = {sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_FUNCTION, sqlite3.SQLITE_RECURSIVE}
    connection.set_authorizer(lambda action, *_: sqlite3.SQLITE_OK if action in allowed else sqlite3.SQLITE_DENY)
    return connection


def _duckdb(source, name):
    """A connection to DuckDB. Only a query of the user's own, without a database, may name files."""
    try:
        import duckdb
    except ImportError:
        raise cannot(
            f"read {name}",
            because="queries need duckdb, which is not installed",
            instead="pip install 'separatrix[duckdb]'",
            kind=ImportError,
        ) from None
    if source is None:
        return duckdb.connect()
    try:
        return duckdb.connect(str(Path(source).resolve()), read_only=True, config=_CLOSED)
    except Exception as fault:  # also of text that is no UTF-8
        words = str(fault).split("\n")[0].rstrip(".")
        raise cannot(f"open {name}", because=words, instead="a database of DuckDB or SQLite") from None


def _only_table(connection, name):
    """Schema and name of the only table of a database. A view is SQL of the file's own: it runs if a query asks for it.

    DuckDB's files may define functions: one that is called without its schema, as by the views of information_schema,
    may be one of the file's.
    """
    if type(connection).__module__.startswith("sqlite3"):
        listed = "SELECT 'main', name, type FROM sqlite_master WHERE type IN ('table', 'view') ORDER BY name"
    else:
        tables = "SELECT schema_name, table_name, 'table' FROM system.main.duckdb_tables() WHERE NOT internal"
        views = "SELECT schema_name, view_name, 'view' FROM system.main.duckdb_views() WHERE NOT internal"
        listed = f"{tables} UNION ALL {views} ORDER BY 2, 1"
    with _sentences(f"read {name}", "another copy of it", connection):
        relations = connection.execute(listed).fetchall()
    if len(relations) == 1 and relations[0][2] != "view":
        return relations[0][:2]
    names = [relation if schema == "main" else f"{schema}.{relation}" for schema, relation, _ in relations]
    because = f"it holds {len(names)} tables: {shown(names)}" if names else "it holds no table"
    if len(names) == 1:
        because = f"it holds no table, only the view {shown(names)}"
    raise cannot(f"read {name} without a query", because=because, instead="query='SELECT * FROM ...'")
