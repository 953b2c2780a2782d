"""Tables from files: delimited text, Parquet, Arrow, databases; whole, or in blocks of rows."""

import contextlib
import gzip
import io
import os
import sys
import zlib
from pathlib import Path

from separatrix.core.refusal import cannot
from separatrix.tables import limits
from separatrix.tables.encoding import kind_of_bytes
from separatrix.tables.table import meant, shown

PARQUET = (".parquet", ".pq")
ARROW = (".arrow", ".feather", ".ipc")
DATABASE = (".duckdb", ".ddb", ".db", ".sqlite", ".sqlite3")
ROWS = 65536
_GZIP = b"\x1f\x8b"


def read(source=None, *, query=None, delimiter=None, header=None):
    """Read a table from a file.

    Of delimited text (.csv, .tsv, .txt or any other name; also compressed by gzip) the delimiter, the encoding, decimal
    commas and whether the first row holds names are seen from the file. A column is numbers if every cell that is not
    missing is one; else it is text. What was odd is in the table's ``notes``.

    Parameters
    ----------
    source : str or path or None, default None.  A file of delimited text, Parquet (.parquet, .pq), Arrow (.arrow,
        .feather, .ipc), SQLite (.db, .sqlite) or DuckDB (.duckdb, which needs duckdb); "-" is standard input.
    query : str or None, default None.  SQL for a database; without a source, for DuckDB itself, which reads files that
        the query names.  A database that holds one table only needs none.
    delimiter : str or None, default None.  One character, " " for runs of blanks; None looks for it.
    header : bool or None, default None.  Whether the first row holds names; None looks for it.

    Returns
    -------
    Table.

    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "people.csv"
    >>> _ = path.write_text("name;height;born\\nAnn;1,71;1980-02-01\\nBo;NA;1975-12-24\\n")
    >>> table = read(path)
    >>> table.names, table["height"], table["born"]
    (('name', 'height', 'born'), array([1.71,  nan]), array(['1980-02-01', '1975-12-24'], dtype=object))
    """
    name, kind = _known(source, query)
    if kind == "text":
        from separatrix.tables.delimited import read_delimited

        _refuse_delimiter(delimiter)
        _refuse_header(header)
        with _bytes_again(source, name) as open_again:
            return read_delimited(open_again, name, delimiter=delimiter, header=header)
    if kind == "database":
        from separatrix.tables.database import read_query

        return read_query(source, query, name)
    from separatrix.tables.columnar import read_columnar

    return read_columnar(Path(source), kind, name)


def blocks(source=None, *, rows=ROWS, query=None, delimiter=None, header=None):
    """Read a table in blocks of rows, in constant memory.

    Columns of delimited text stay text, None where missing: a block cannot know what the other blocks hold, a model
    does (:func:`separatrix.tables.numbers` turns them into numbers). Other files give numbers and text as
    :func:`read` does.

    Parameters
    ----------
    source, query, delimiter, header : as for :func:`read`.
    rows : int, >= 1, default 65536.  Rows of a block at most.

    Yields
    ------
    Table.  At least one, which is empty if the file has no rows.

    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "people.csv"
    >>> _ = path.write_text("name,height\\nAnn,1.71\\nBo,NA\\nCy,1.8\\n")
    >>> [block["height"].tolist() for block in blocks(path, rows=2)]
    [['1.71', None], ['1.8']]
    """
    if rows < 1:
        raise cannot(f"read blocks of {rows} rows", because="a block holds at least one", instead="rows >= 1")
    name, kind = _known(source, query)
    if kind == "text":
        from separatrix.tables.delimited import delimited_blocks

        _refuse_delimiter(delimiter)
        _refuse_header(header)
        if _is_stdin(source):
            return delimited_blocks(sys.stdin.buffer, name, rows, delimiter=delimiter, header=header)
        stream = _opened(source, name)
        return _to_the_end(stream, delimited_blocks(stream, name, rows, delimiter=delimiter, header=header))
    if kind == "database":
        from separatrix.tables.database import query_blocks

        return query_blocks(source, query, name, rows)
    from separatrix.tables.columnar import columnar_blocks

    return columnar_blocks(Path(source), kind, name, rows)


def _to_the_end(stream, tables):
    """Tables from a stream, which is closed behind the last one."""
    with stream:
        yield from tables


def _known(source, query):
    """What to call a source, and how to read it; a file that cannot be read is refused here."""
    if source is None:
        if query is None:
            raise cannot("read a table", because="neither a file nor a query is given", instead="one of them")
        return "the query", "database"
    if _is_stdin(source):
        name, kind = "standard input", "text"
    else:
        path = Path(source)
        _refuse_unreadable(path)
        name, suffix = path.name, path.suffix.lower()
        kind = "parquet" if suffix in PARQUET else "arrow" if suffix in ARROW else "text"
        kind = "database" if suffix in DATABASE else kind
        if kind != "text" and not path.is_file():
            raise cannot(
                f"read {path}", because="it is a pipe or a device, which can be read once only", instead="a file"
            )
    if query is not None and kind != "database":
        raise cannot(
            f"run a query on {name}",
            because="a query is for a database (.duckdb, .db)",
            instead="the query alone, naming the file in it: SELECT * FROM 'table.parquet'",
        )
    return name, kind


def _is_stdin(source):
    return isinstance(source, str) and source == "-"


def _refuse_unreadable(path):
    """A sentence for each of the ways in which a file is not there."""
    if path.is_dir():
        inside = sorted(child.name for child in path.iterdir() if child.is_file())
        raise cannot(
            f"read {path}",
            because="it is a folder",
            instead=f"a file in it: {shown(inside, 5)}" if inside else "a file",
            kind=IsADirectoryError,
        )
    if not path.exists():
        beside = []
        with contextlib.suppress(OSError):
            beside = [child.name for child in path.parent.iterdir() if child.is_file()]
        near = meant(path.name, beside)
        because = "there is no such file" if path.parent.is_dir() else f"there is no folder {path.parent}"
        raise cannot(f"read {path}", because=because, instead=near or "the path of a table", kind=FileNotFoundError)
    if not os.access(path, os.R_OK):
        raise _not_allowed(path)


def _not_allowed(path):
    return cannot(
        f"read {path}",
        because="this user is not allowed to",
        instead="a copy, or ask its owner for leave to read it",
        kind=PermissionError,
    )


def _refuse_delimiter(delimiter):
    if delimiter is not None and (len(delimiter) != 1 or delimiter in '"\r\n'):
        raise cannot(
            f"split cells at delimiter={delimiter!r}",
            because="a delimiter is one character, no quotation mark and no end of a line",
            instead="',', ';', '|', '\\t' or ' '",
        )


def _refuse_header(header):
    if header is not None and not isinstance(header, bool):
        raise cannot(
            f"take header={header!r}",
            because="it says whether the first row holds names, not which row does",
            instead="True, False or None, which looks for it",
        )


def _opened(source, name):
    """The bytes of a file, unpacked if gzip packed them."""
    try:
        stream = open(source, "rb")  # noqa: SIM115  closed by the reader that gets it
    except PermissionError:
        raise _not_allowed(source) from None
    except OSError as fault:
        raise cannot(f"read {source}", because=f"it cannot be opened ({fault.strerror})", instead="a file") from None
    return _unpacked(stream, name)


def _unpacked(stream, name):
    return _Unpacked(stream, name) if stream.peek(2).startswith(_GZIP) else stream


class _Unpacked(io.RawIOBase):
    """A gzip stream whose faults are sentences."""

    def __init__(self, stream, name):
        self._packed, self._stream, self._name = gzip.GzipFile(fileobj=stream), stream, name
        self._given = 0

    def read(self, size=-1):
        try:
            piece = self._packed.read(size)
        except (EOFError, OSError, zlib.error) as fault:
            raise cannot(
                f"unpack {self._name}", because=f"it is damaged or cut short ({fault})", instead="a whole file"
            ) from None
        self._given += len(piece)
        if self._given > limits.UNPACKED and self._given > limits.MOST_PACKED * self._stream.tell():
            raise cannot(
                f"unpack {self._name}",
                because=f"it unpacks to more than {limits.MOST_PACKED} times its size",
                instead="the file unpacked, if that is meant",
            )
        return piece

    def close(self):
        self._stream.close()
        super().close()


@contextlib.contextmanager
def _bytes_again(source, name):
    """A function that opens the bytes of a source from the start, as often as it is asked.

    What is no file, a pipe or a device, gives its bytes once: they are kept.
    """
    if not _is_stdin(source) and Path(source).is_file():
        yield lambda: _opened(source, name)
        return
    with _temporary_file(name) as kept:
        if _is_stdin(source):
            _keep(sys.stdin.buffer, kept, name)
        else:
            with open(source, "rb") as stream:
                _keep(stream, kept, name)

        def again():
            stream = open(os.dup(kept.fileno()), "rb")  # noqa: SIM115  closed by the reader that gets it
            stream.seek(0)
            return _unpacked(stream, name)

        yield again


@contextlib.contextmanager
def _kept_on_disk(name):
    """A fault of the temporary file in a sentence."""
    try:
        yield
    except OSError as fault:
        raise cannot(
            f"keep {name} in a temporary file, to read it twice",
            because=(fault.strerror or str(fault)).lower(),
            instead="a file instead of the stream, or TMPDIR, the environment variable, for a disk with more room",
        ) from None


def _temporary_file(name):
    """A file without a name; it is not buffered, so that closing it writes nothing more."""
    import tempfile

    with _kept_on_disk(name):
        return tempfile.TemporaryFile(buffering=0)


def _keep(stream, kept, name):
    """Copy a stream, as far as it is a table."""
    size = 0
    while piece := stream.read(1 << 20):
        if not size and not piece.startswith(_GZIP) and kind_of_bytes(piece[:4096]):
            piece = piece[:4096]  # the reader refuses it by these
            stream = io.BytesIO()
        with _kept_on_disk(name):
            size += _written(kept, piece)
        if size > limits.MOST_STREAMED:
            raise cannot(
                f"read {name} whole",
                because=f"it goes on for more than {limits.MOST_STREAMED >> 30} GB",
                instead="a file, or separatrix.tables.blocks, which holds some rows at a time",
            )


def _written(file, piece):
    """Write a piece to an unbuffered file, which may take a part of it at a time; return its length."""
    rest = memoryview(piece)
    while rest:
        rest = rest[file.write(rest) :]
    return len(piece)
