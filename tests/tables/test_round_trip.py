"""Laws of the reader: what a writer wrote is read back, with any delimiter and quoting, in pieces of any size."""

import csv
import io
import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from separatrix.tables import blocks, read
from separatrix.tables.cells import MISSING, clean
from separatrix.tables.delimited import delimited_blocks, read_delimited
from separatrix.tables.encoding import Pieces

DELIMITERS = [",", ";", "\t", "|"]
# Any text, the awkward part of it often; a lone surrogate cannot be written as UTF-8.
awkward = st.text(alphabet=",;\t|\"\n\r' .-_%$?1aäNA\u2028\x0b\x1c\u00a0", max_size=8)
words = st.text(alphabet=st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=8)
cells = st.one_of(awkward, words, st.sampled_from(["NA", "", "?", "None", "1,234", "0,5", "-"]))


def tables(cell):
    return st.integers(1, 5).flatmap(lambda width: st.lists(st.lists(cell, min_size=width, max_size=width), min_size=1))


def written(rows, **how):
    """A file with a row of names, as Python's writer has it."""
    out = io.StringIO(newline="")
    writer = csv.writer(out, **how)
    writer.writerow([f"name {j}" for j in range(len(rows[0]))])
    writer.writerows(rows)
    return out.getvalue().encode("utf-8")


def taken(content, **given_):
    """All cells that the blocks of a file hold, by rows."""
    found = list(delimited_blocks(io.BytesIO(content), "file", 7, **given_))
    columns = [np.concatenate([block.columns[j] for block in found]).tolist() for j in range(len(found[0].names))]
    return list(map(list, zip(*columns, strict=True)))


@settings(max_examples=300, deadline=None)
@given(tables(cells), st.sampled_from(DELIMITERS), st.sampled_from(["\n", "\r\n"]), st.booleans())
def test_a_written_table_is_read_back(rows, delimiter, end, quote_all):
    # Python's writer leaves a lone carriage return bare, where any reader takes it for the end of a line
    bare = "\r" in "".join(map("".join, rows))
    blank = len(rows[0]) == 1 and not all(row[0].strip() for row in rows)  # a blank line is no row
    quoting = csv.QUOTE_ALL if quote_all or bare or blank else csv.QUOTE_MINIMAL
    content = written(rows, delimiter=delimiter, lineterminator=end, quoting=quoting)
    expected = [[clean(cell) for cell in row] for row in rows]
    # decimal commas are rewritten with points where they are the rule of the file: not part of this law
    if delimiter == ",":
        assert taken(content, delimiter=delimiter, header=True) == expected
    else:
        found = taken(content, delimiter=delimiter, header=True)
        assert [[plain(cell) for cell in row] for row in found] == [[plain(cell) for cell in row] for row in expected]


def plain(cell):
    """A cell without what tells a decimal comma from a point and a mark of thousands."""
    return (
        cell
        if cell is None or not any(c.isdigit() for c in cell)
        else cell.translate(str.maketrans("", "", ",. \u00a0'"))
    )


@settings(max_examples=200, deadline=None)
@given(
    st.integers(2, 5).flatmap(
        lambda width: st.lists(st.lists(awkward, min_size=width, max_size=width), min_size=2, max_size=20)
    ),
    st.sampled_from(DELIMITERS),
)
def test_where_every_cell_is_quoted_the_delimiter_is_found(rows, delimiter):
    content = written(rows, delimiter=delimiter, quoting=csv.QUOTE_ALL)
    assert len(taken(content, header=True)[0]) == len(rows[0])


@settings(max_examples=200, deadline=None)
@given(
    st.lists(
        st.tuples(st.floats(allow_nan=False, allow_infinity=False), st.sampled_from(["a", "b c", "d"])), min_size=2
    ),
    st.sampled_from([*DELIMITERS, " "]),
)
def test_numbers_are_read_back_to_the_last_bit(rows, delimiter):
    text = delimiter.join(["x", "kind"]) + "\n"
    text += "".join(f'{x!r}{delimiter}"{kind}"\n' for x, kind in rows)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "t.csv"
        path.write_text(text)
        table = read(path)
    np.testing.assert_array_equal(table["x"], [x for x, _ in rows])
    assert table["kind"].tolist() == [kind for _, kind in rows]


@settings(max_examples=100, deadline=None)
@given(tables(cells), st.integers(1, 40), st.sampled_from(DELIMITERS))
def test_the_size_of_pieces_does_not_show(rows, size, delimiter):
    content = written(rows, delimiter=delimiter, quoting=csv.QUOTE_ALL)
    pieces = list(Pieces(io.BytesIO(content), size))
    assert b"".join(pieces) == content
    assert all(piece.endswith((b"\n", b"\r")) for piece in pieces[:-1])


@settings(max_examples=300, deadline=None)
@given(st.binary(max_size=200), st.booleans())
def test_any_bytes_are_a_table_or_a_sentence(content, textual):
    if textual:
        content = content.translate(bytes.maketrans(bytes(range(0, 48)), b',;\n"\t|\r 1a.' * 4 + b",,,,"))
    try:
        table = read_delimited(lambda: io.BytesIO(content), "file")
    except ValueError as refusal:
        assert str(refusal).startswith("Cannot ")
        return
    assert len(set(table.names)) == len(table.names) == len(table.columns)
    assert len({len(column) for column in table.columns}) == 1
    for column in table.columns:
        if column.dtype == object:
            assert all(cell is None or (cell and cell not in MISSING) for cell in column)
        else:
            assert column.dtype == np.float64 and not np.isinf(column).any()


@settings(max_examples=100, deadline=None)
@given(tables(st.sampled_from(["1", "2.5", "", "NA", "x", "1,000", "-", "$3", "7%", "nan", "inf"])))
def test_blocks_and_the_whole_agree(rows):
    content = written(rows, quoting=csv.QUOTE_ALL)
    from separatrix.tables import numbers

    whole = read_delimited(lambda: io.BytesIO(content), "file", header=True)
    parts = list(delimited_blocks(io.BytesIO(content), "file", 3, header=True))
    for j, column in enumerate(whole.columns):
        text = np.concatenate([part.columns[j] for part in parts])
        if column.dtype == object:
            assert text.tolist() == column.tolist()
        else:
            np.testing.assert_array_equal(numbers(text), column)


def test_blocks_are_found_lazily(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("a,b\n" + "1,2\n" * 10)
    found = blocks(path, rows=4)
    assert len(next(found)) == 4


@pytest.mark.parametrize("rows", [0, -1])
def test_a_block_has_rows(tmp_path, rows):
    with pytest.raises(ValueError, match="rows >= 1"):
        blocks(tmp_path / "t.csv", rows=rows)
