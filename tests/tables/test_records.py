"""Pyarrow splits the rows of delimited text: its answers are those of Python's own reader and of float()."""

import csv
import io

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from separatrix.tables import blocks, delimited, limits, read
from separatrix.tables.delimited import read_delimited
from separatrix.tables.records import end_of_records

HARD = [
    "0.1",
    "-0",
    "1e-400",
    "5e-324",
    "2.5e-324",
    "2.2250738585072011e-308",
    "1.7976931348623157e308",
    "+4",
    "5.",
    ".5",
]
HARD += ["9007199254740993", "-9007199254740993", "123456789012345678", "18446744073709551617", "1E+5", "00.5"]
HARD += [
    "0.500000000000000166533453693773481063544750213623046875",
    "6929495644600919.5",
    "3.2378839133029012895883e-319",
]


def rows_of(cells):
    """A file of a column of words and a column of these cells, long enough to go beyond the first rows."""
    return "word,x\n" + "".join(f"w{i % 7},{cell}\n" for i, cell in enumerate(cells))


def test_numbers_are_those_of_python_to_the_last_bit(tmp_path):
    bits = np.random.default_rng(0).integers(0, 2**64, 20_000, dtype=np.uint64)
    doubles = bits.view(np.float64)
    cells = HARD * 100 + [repr(float(x)) for x in doubles[np.isfinite(doubles)]]
    path = tmp_path / "t.csv"
    path.write_text(rows_of(cells))
    expected = np.array(list(map(float, cells)))
    table = read(path)
    np.testing.assert_array_equal(table["x"].view(np.uint64), expected.view(np.uint64))
    path.write_text(rows_of(cells).replace(",", ";").replace(".", ","))
    np.testing.assert_array_equal(read(path)["x"].view(np.uint64), expected.view(np.uint64))


@pytest.mark.parametrize("cell", ["nan(1)", "0x10", "1_000", "--inf", "+-1", "1e", "1d5", "1.5.2", "word"])
def test_one_cell_that_is_no_number_far_below_makes_text_of_the_column(tmp_path, cell):
    cells = [str(i) for i in range(200_000)] + [cell]
    path = tmp_path / "t.csv"
    path.write_text(rows_of(cells))
    table = read(path)
    assert table["x"].tolist() == cells and len(table["word"]) == len(cells)
    assert any(f"row 200,001 holds '{cell}'" in note for note in table.notes)


@pytest.mark.parametrize("cell, value", [("1,200", 1200), ("$7", None), ("-", np.nan), ("1e400", np.nan), (" 3 ", 3)])
def test_odd_cells_far_below_are_read_as_at_the_top(tmp_path, cell, value):
    path = tmp_path / "t.csv"
    path.write_text(rows_of([*map(str, range(200_000)), f'"{cell}"']))
    column = read(path)["x"]
    if value is None:  # another unit
        assert column[-1] == cell and column[0] == "0"
    else:
        np.testing.assert_array_equal(column, [*range(200_000), value])


def test_bytes_that_are_no_utf8_far_below_are_read_and_said(tmp_path):
    path = tmp_path / "t.csv"
    path.write_bytes(rows_of(range(200_000)).encode() + "Café,1\n".encode("cp1252"))
    table = read(path)
    assert table["word"][-1] == "Café" and any("Windows-1252" in note for note in table.notes)


def test_a_file_that_changes_between_two_passes_is_refused():
    before = rows_of([*range(200_000), "word"]).encode()
    contents = iter([before, before[:-20]])
    with pytest.raises(ValueError, match=r"Cannot read t.csv: its number of rows changed while it was read"):
        read_delimited(lambda: io.BytesIO(next(contents)), "t.csv")


def test_a_line_without_end_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(limits, "LONGEST_LINE", 1 << 22)
    path = tmp_path / "t.csv"
    path.write_text("a,b\n1,2\n" + "x" * (1 << 24))
    with pytest.raises(ValueError, match="one line is longer than 4 MB"):
        read(path)


def test_a_column_that_begins_with_dashes_is_numbers_all_the_same(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text(rows_of(["-"] * 20_000 + ["5"]))
    assert read(path)["x"][-1] == 5
    path.write_text(rows_of(["-"] * 20_000))
    assert read(path)["x"].tolist() == ["-"] * 20_000


def test_quoted_cells_with_ends_of_lines_across_pieces(tmp_path):
    path = tmp_path / "t.csv"
    cells = [f"one\ntwo, {i}" for i in range(150_000)]
    with open(path, "w", newline="") as file:
        csv.writer(file).writerows([["n", "text"], *enumerate(cells)])
    table = read(path)
    assert table["text"].tolist() == cells and table["n"][-1] == 149_999
    assert sum(map(len, blocks(path, rows=1000))) == 150_000


awkward = st.text(alphabet='a1.,;"\n\r \t-_\ufeffé', max_size=6)
numbers = st.sampled_from(["1", "2.5", "", "NA", "nan", "nan(1)", "+3", "1,5", "x", "-", "$3", "inf", "1e400", " 7 "])


@settings(max_examples=300, deadline=None)
@given(
    st.integers(1, 4).flatmap(
        lambda p: st.lists(st.lists(awkward | numbers, min_size=p, max_size=p), min_size=1, max_size=30)
    ),
    st.sampled_from([",", ";", "\t"]),
    st.sampled_from(["\n", "\r\n", "\r"]),
    st.booleans(),
)
def test_python_and_pyarrow_split_alike(rows, delimiter, end, written):
    if written:
        out = io.StringIO(newline="")
        csv.writer(out, delimiter=delimiter, lineterminator=end).writerows(rows)
        content = out.getvalue().encode()
    else:
        content = end.join(map(delimiter.join, rows)).encode()

    def outcome():
        try:
            table = read_delimited(lambda: io.BytesIO(content), "file", delimiter=delimiter, header=False)
        except ValueError as refusal:
            return str(refusal)
        return table.names, [list(map(repr, column)) for column in table.columns], table.notes

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(delimited, "FIRST", 8)
        by_pyarrow = outcome()
        patch.setattr(delimited, "columns_of", lambda *_: None)
        assert by_pyarrow == outcome()


def test_marks_around_cells_are_told_from_marks_inside():
    assert end_of_records(b'1,"a""b"\r\n"",2\n', ",") == 15
    assert end_of_records(b'1,"a\n2","b\n', ",") == 0
    assert end_of_records(b'x\n1,"a\n2","b\n', ",") == 2
    for misplaced in (b'1,6" pipe 6"\n', b'1,"so" he said\n', b'1, "a"\n', b'1;"a"\n'):
        assert end_of_records(misplaced, ",") is None


def test_a_byte_order_mark_at_the_start_of_a_later_piece_is_part_of_its_cell(monkeypatch):
    monkeypatch.setattr(delimited, "FIRST", 8)
    content = "a,b\nw,1\nw,2\n\ufeffz,3\n".encode()
    table = read_delimited(lambda: io.BytesIO(content), "file", header=True)
    assert table["a"].tolist() == ["w", "w", "\ufeffz"]
