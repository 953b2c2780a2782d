"""Delimited text as people save it: every odd thing is read, or refused with the file, the line and the column."""

import gzip
import io
import os
import sys

import numpy as np
import pytest

from separatrix.tables import blocks, encoding, read
from separatrix.tables import delimited as reading_text


@pytest.fixture
def written(tmp_path):
    """Write a file and give its path."""

    def write(content, name="table.csv"):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode("utf-8"))
        return path

    return write


def values(column):
    return [None if cell is None or cell != cell else cell for cell in column.tolist()]


def as_dict(table):
    return {name: values(table[name]) for name in table.names}


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|", " "])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_the_delimiter_and_the_ends_of_lines_are_seen(written, delimiter, end):
    lines = [("age", "sex", "height"), ("31", "f", "1.71"), ("44", "m", "1.8"), ("27", "f", "1.65")]
    table = read(written(end.join(map(delimiter.join, lines)) + end, "table.txt"))
    assert as_dict(table) == {"age": [31, 44, 27], "sex": ["f", "m", "f"], "height": [1.71, 1.8, 1.65]}
    assert table.notes == ()


def test_runs_of_blanks_separate_and_tabs_among_them_do_too(written):
    table = read(written("  x   y \t label\n  1.5  2    a\n 10    3 \t b\n"))
    assert as_dict(table) == {"x": [1.5, 10], "y": [2, 3], "label": ["a", "b"]}


def test_delimiters_inside_quotation_marks_do_not_count(written):
    table = read(written('name,note\n"Braund, Mr. Owen","a;b;c"\n"Heikkinen, Miss. Laina","d;e;f"\n'))
    assert as_dict(table) == {
        "name": ["Braund, Mr. Owen", "Heikkinen, Miss. Laina"],
        "note": ["a;b;c", "d;e;f"],
    }


def test_a_quoted_cell_may_hold_ends_of_lines_and_doubled_marks(written):
    table = read(written('id,text\n7,"one\ntwo ""three"""\n9,"four\r\nfive"\n'))
    assert as_dict(table) == {"id": [7, 9], "text": ['one\ntwo "three"', "four\r\nfive"]}


def test_marks_that_are_not_paired_belong_to_the_cells(written):
    table = read(written('label\ttext\nham\t"Happy day" he said\nham\tthe 6" pipe\nspam\t"win\nham\tno\n', "t.tsv"))
    assert table["text"].tolist() == ['"Happy day" he said', 'the 6" pipe', '"win', "no"]
    assert "Quotation marks are taken as they stand" in table.notes[0]


def test_marks_that_turn_out_unpaired_later_make_the_reader_begin_again(written, monkeypatch):
    monkeypatch.setattr(encoding.Pieces.__init__, "__defaults__", (64,))
    rows = [f"{i}\tfine" for i in range(50)] + ['50\t"so" he said', "51\tend"]
    table = read(written("n\ttext\n" + "\n".join(rows) + "\n", "t.tsv"))
    assert table["text"][50] == '"so" he said' and len(table) == 52
    assert any("Quotation marks" in note for note in table.notes)


def test_a_mark_that_is_never_closed_is_refused_with_its_line(written):
    path = written('a,b\n1,"x, y"\n2,"open, never\n3,z\n')
    with pytest.raises(ValueError, match=r"Cannot read line \d of table.csv: a quotation mark in it is not paired"):
        read(path)


@pytest.mark.parametrize(
    "content, encoded",
    [
        ("stadt,n\nKöln,1\nŁódź,2\n", "utf-8-sig"),
        ("stadt,n\nKöln,1\nŁódź,2\n", "utf-8"),
        ("stadt,n\nKöln,1\nŁódź,2\n", "utf-16"),
    ],
)
def test_unicode_with_and_without_a_mark(written, content, encoded):
    table = read(written(content.encode(encoded)))
    assert as_dict(table) == {"stadt": ["Köln", "Łódź"], "n": [1, 2]}
    assert table.notes == ()


def test_utf_16_big_endian_in_pieces_that_cut_characters(written, monkeypatch):
    monkeypatch.setattr(encoding.Pieces.__init__, "__defaults__", (7,))
    content = "stadt,n\n" + "".join(f"Köln😀,{i}\n" for i in range(20))
    table = read(written(b"\xfe\xff" + content.encode("utf-16-be")))
    assert table["stadt"].tolist() == ["Köln😀"] * 20 and table["n"].tolist() == list(range(20))


def test_windows_1252_is_read_and_said(written):
    table = read(written("name,price\nCafé,5\n“quoted”,6\n".encode("cp1252")))
    assert table["name"].tolist() == ["Café", "“quoted”"]
    assert any("Windows-1252" in note for note in table.notes)


def test_decimal_commas_in_a_file_with_semicolons(written):
    table = read(written("x;y;z;label\n0,5;1.234,5;7;a\n-1,25;12.345.678,9;8;b\n;0,1;NA;c\n"))
    assert as_dict(table) == {
        "x": [0.5, -1.25, None],
        "y": [1234.5, 12345678.9, 0.1],
        "z": [7, 8, None],
        "label": ["a", "b", "c"],
    }


def test_decimal_points_in_a_file_with_semicolons(written):
    assert as_dict(read(written("x;y\n0.5;1,2,3\n1.25;4,5\n")))["x"] == [0.5, 1.25]


def test_blocks_of_a_file_with_decimal_commas_hold_points(written):
    (block,) = blocks(written("x;y\n0,5;1.234,5\n1,5;n/a\n"))
    assert as_dict(block) == {"x": ["0.5", "1.5"], "y": ["1234.5", None]}


@pytest.mark.parametrize(
    "cells, expected",
    [
        (["1,234", "12", "-1,234,567.5"], [1234, 12, -1234567.5]),
        (["12%", "3.5 %", ""], [12, 3.5, None]),
        (["$1,200.50", "-$3", "$ 4"], [1200.5, -3, 4]),
        (["5 €", "6€", "NA"], [5, 6, None]),
        (["1'234", "5"], [1234, 5]),
        (["+1", "1e3", ".5", "5.", "1E-2"], [1, 1000, 0.5, 5, 0.01]),
        (["−5", "3"], [-5, 3]),
        ([" 7 ", "8"], [7, 8]),
        (["12", "-", "3"], [12, None, 3]),
        (["12", ".", "3"], [12, None, 3]),
        (["12", "None", "3"], [12, None, 3]),
        (["12", "?", "3"], [12, None, 3]),
        (["12", "#DIV/0!", "3"], [12, None, 3]),
    ],
)
def test_a_column_is_numbers_if_all_its_cells_are(written, cells, expected):
    quoted = "".join(f'r{i},"{cell}"\n' for i, cell in enumerate(cells))
    assert as_dict(read(written("name,x\n" + quoted)))["x"] == expected


@pytest.mark.parametrize(
    "cells",
    [
        ["1,23", "4"],
        ["5", "$5"],
        ["5%", "0.05"],
        ["1_000", "2"],
        ["12a", "13b"],
        ["$5", "€5"],
        ["0x10", "1"],
        ["1 2", "3"],
        ["None", "None", "Stone"],
        ["-", "a"],
        ["1.2.3", "4"],
        ["--5", "4"],
    ],
)
def test_a_column_is_text_if_some_cell_is_no_number(written, cells):
    quoted = "".join(f'r{i},"{cell}"\n' for i, cell in enumerate(cells))
    assert as_dict(read(written("name,x\n" + quoted)))["x"] == cells


def test_missing_markers_in_words_and_levels_that_look_like_them(written):
    cells = ["None", "NA", "none", "", "?", "Stone", "NULL", "nan", "why?"]
    table = read(written("x,y\n" + "".join(f"{i},{cell}\n" for i, cell in enumerate(cells))))
    assert values(table["y"]) == ["None", None, "none", None, None, "Stone", None, None, "why?"]


def test_infinite_cells_are_missing_and_said(written):
    table = read(written("x,y\n1,2\ninf,3\n-Infinity,4\n1e999,5\n"))
    assert values(table["x"]) == [1, None, None, None]
    assert table.notes == ("Column 'x' has 3 cells that are infinite or beyond 1.8e308, read as missing.",)


def test_a_slip_in_a_column_of_numbers_is_named_with_its_row(written):
    rows = [f"{i},{i * 0.5}" for i in range(40)]
    rows[16] = "16,1o.5"
    table = read(written("i,x\n" + "\n".join(rows)))
    assert table["x"].dtype == object
    assert "Column 'x': row 17 holds '1o.5'; 39 cells are numbers." in table.notes


def test_words_after_pieces_of_numbers_bring_the_words_of_all_cells_back(written, monkeypatch):
    monkeypatch.setattr(encoding.Pieces.__init__, "__defaults__", (100,))
    cells = [f"{i:03d}" for i in range(200)] + ["A7"]
    table = read(written("code,n\n" + "".join(f"{cell},1\n" for cell in cells)))
    assert table["code"].tolist() == cells and table["n"].sum() == 201


def test_a_unit_that_comes_later_makes_text_of_all(written, monkeypatch):
    monkeypatch.setattr(encoding.Pieces.__init__, "__defaults__", (100,))
    cells = ["5"] * 99 + ["$5"] * 100  # the first unit ends with a piece
    assert read(written("n,x\n" + "".join(f"1,{cell}\n" for cell in cells)))["x"].tolist() == cells


def test_a_file_without_names(written):
    table = read(written("1,2.5\n3,4.5\n"))
    assert table.names == ("column_1", "column_2") and len(table) == 2
    assert table.notes == ("table.csv has no row of names: its columns are called column_1 and column_2.",)
    assert read(written("ham\tgo on\nspam\twin\nham\tok\nspam\tprize\nham\tyes\n", "t.tsv")).names[0] == "column_1"


@pytest.mark.parametrize(
    "content, names",
    [
        ("2019,2020,2021\n5.5,6,7\n1,2,2\n", ("2019", "2020", "2021")),
        ("0,1,2\n5.5,6,7\n", ("0", "1", "2")),
        ("A,B\na,b\nb,a\na,a\n", ("A", "B")),
        ("x\n1\n2\n", ("x",)),
        ("name,city\nAnn,Rome\n", ("name", "city")),
        ("id,2019,2020\n7,1.5,2\n", ("id", "2019", "2020")),
    ],
)
def test_names_that_look_like_data(written, content, names):
    assert read(written(content)).names == names


def test_the_guess_about_names_can_be_overruled(written):
    assert read(written("1,2\n3,4\n"), header=True).names == ("1", "2")
    assert len(read(written("a,b\nc,d\n"), header=False)) == 2


def test_names_that_occur_twice_or_not_at_all(written):
    table = read(written("age,age,,age_2,age\n1,2,3,4,5\n6,7,8,9,0\n"))
    assert table.names == ("age", "age_3", "column_3", "age_2", "age_4")
    assert "'age' is now 'age_3'" in " ".join(table.notes) and "'column_3'" in " ".join(table.notes)


def test_two_columns_of_one_name_count_on(written):
    assert read(written("age,age\n1,2\n3,4\n")).names == ("age", "age_2")


@pytest.mark.parametrize("content", ["a,b,\n1,2,\n3,4,\n", "a,b\n1,2,\n3,4,\n", "a,b,\n1,2\n3,4\n", "a,b\n1,2,\n3,4\n"])
def test_a_delimiter_at_the_end_of_rows_is_ignored(written, content):
    assert as_dict(read(written(content))) == {"a": [1, 3], "b": [2, 4]}


def test_a_cell_under_no_name_is_refused_even_late(written):
    with pytest.raises(ValueError, match=r"line 4 of table.csv: it has 3 cells where there are 2 columns"):
        read(written("a,b\n1,2,\n3,4,\n5,6,7\n"))


def test_row_names_without_a_name_of_their_own(written):
    table = read(written('"x" "y"\n"r1" 1 2\n"r2" 3 4\n', "t.txt"))
    assert as_dict(table) == {"rownames": ["r1", "r2"], "x": [1, 3], "y": [2, 4]}


def test_blank_lines_are_skipped(written):
    assert as_dict(read(written("\n\na,b\n1,2\n\n   \n3,4\n\n"))) == {"a": [1, 3], "b": [2, 4]}


def test_the_line_that_spreadsheets_begin_with(written):
    assert as_dict(read(written("sep=;\na;b\n1;2\n"))) == {"a": [1], "b": [2]}


@pytest.mark.parametrize(
    "content, said",
    [
        ("a,b,c\n1,2,3\n4,5\n", "line 3 of table.csv: it has 2 cells where there are 3 columns"),
        ("a,b,c\n1,2,3\n4,5,6,7\n", "line 3 of table.csv: it has 4 cells where there are 3 columns"),
        ("a,b\n1,2\n\n\n3\n", "line 5 of table.csv: it has 1 cell where there are 2 columns"),
        ('a,b\n"x\ny",2\n3,4,5\n', "line 4 of table.csv: it has 3 cells where there are 2 columns"),
        ("a,b\n1,2,3,4\n1,2,3,4\n", "its first row has 2 cells and most others have 4"),
        ("a;b\n1;2\n3\n", "line 3 of table.csv: it has 1 cell .* a cell that holds a semicolon"),
    ],
)
def test_ragged_rows_are_refused_with_line_and_counts(written, content, said):
    with pytest.raises(ValueError, match=said):
        read(written(content))


def test_the_line_of_a_ragged_row_is_right_far_into_a_file(written, monkeypatch):
    monkeypatch.setattr(encoding.Pieces.__init__, "__defaults__", (1000,))
    rows = ["1,2"] * 5000
    rows[4321] = "1,2,3"
    with pytest.raises(ValueError, match="line 4,323 "):
        read(written("a,b\n" + "\n".join(rows)))
    monkeypatch.setattr(reading_text, "CELLS", 100)
    with pytest.raises(ValueError, match="line 4,324 "):
        read(written('a,"b\nc"\n' + "\n".join(rows).replace("1,2", '"1",2')))


@pytest.mark.parametrize(
    "content, said",
    [
        ("", "Cannot read table.csv: it is empty"),
        ("\n\n  \n", "Cannot read table.csv: it is empty"),
        ("a,b,c\n", "a row of names and nothing below it"),
        (b"PK\x03\x04 workbook", "save the sheet as CSV"),
        (b"PAR1....", "a Parquet file"),
        (b"\x00\x01\x02\x03", "not text: it holds zero bytes"),
        (b"%PDF-1.7", "a PDF"),
        (b"\x1f\x8b\x08\x00broken", "Cannot unpack table.csv: it is damaged or cut short"),
    ],
)
def test_what_is_no_table_is_refused_in_a_sentence(written, content, said):
    with pytest.raises(ValueError, match=said):
        read(written(content))


def test_a_file_that_is_not_there_and_what_was_meant(written):
    path = written("a,b\n1,2\n", "heart.csv")
    with pytest.raises(FileNotFoundError, match=r"there is no such file. Use 'heart.csv'"):
        read(path.with_name("haert.csv"))
    with pytest.raises(FileNotFoundError, match="there is no folder"):
        read(path.parent / "nowhere" / "heart.csv")
    with pytest.raises(IsADirectoryError, match=r"it is a folder. Use a file in it: 'heart.csv'"):
        read(path.parent)


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="everything may be read here")
def test_a_file_that_may_not_be_read(written):
    path = written("a,b\n1,2\n")
    path.chmod(0)
    with pytest.raises(PermissionError, match="not allowed"):
        read(path)


def test_leave_to_read_is_asked_of_the_system(written, monkeypatch):
    path = written("a,b\n1,2\n")
    monkeypatch.setattr(os, "access", lambda *_: False)
    with pytest.raises(PermissionError, match="this user is not allowed to"):
        read(path)


def test_gzip_is_unpacked_whatever_the_name(written):
    packed = gzip.compress(b"a,b\n1,2\n")
    for name in ("table.csv.gz", "table.csv"):
        assert as_dict(read(written(packed, name))) == {"a": [1], "b": [2]}
    assert [len(block) for block in blocks(written(packed, "t.tsv.gz"))] == [1]


def test_standard_input_whole_and_in_blocks(monkeypatch):
    for give in (read, lambda source: next(blocks(source))):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"a,b\n1,x\n2,y\n")))
        table = give("-")
        assert table.names == ("a", "b") and len(table) == 2 and table.source == "standard input"


def test_ten_thousand_columns(written):
    names = [f"x{j}" for j in range(10_000)]
    rows = [",".join(str(i + j) for j in range(10_000)) for i in range(5)]
    table = read(written(",".join(names) + "\n" + "\n".join(rows)))
    assert len(table.names) == 10_000 and table["x9999"].tolist() == [9999, 10000, 10001, 10002, 10003]


def test_a_cell_may_be_long_and_one_that_never_ends_is_refused(written):
    assert len(read(written(f'a,b\n1,"{"x, " * 30_000}"\n2,y\n'))["b"][0]) > 80_000
    with pytest.raises(ValueError, match="a quotation mark in it is not paired"):
        read(written('a,b\n1,"open\n' + "3,w, v\n" * 40_000))


def test_blocks_hold_text_and_no_more_rows_than_asked_for(written, monkeypatch):
    monkeypatch.setattr(encoding.Pieces.__init__, "__defaults__", (500,))
    path = written("a,b\n" + "".join(f"{i},NA\n" for i in range(1000)))
    found = list(blocks(path, rows=17))
    assert max(map(len, found)) == 17 and sum(map(len, found)) == 1000
    assert [cell for block in found for cell in block["a"]] == [str(i) for i in range(1000)]
    assert all(cell is None for block in found for cell in block["b"])


def test_a_file_without_rows_is_one_empty_block(written):
    (block,) = blocks(written("a,b\n"))
    assert len(block) == 0 and block.names == ("a", "b")


@pytest.mark.parametrize("delimiter", ["", ",,", '"', "\n"])
def test_a_delimiter_is_one_character(written, delimiter):
    with pytest.raises(ValueError, match="a delimiter is one character"):
        read(written("a,b\n1,2\n"), delimiter=delimiter)


def test_a_column_of_lines_with_commas_in_them(written):
    table = read(written("text\nwell, then\nno\none, two, three\nyes\nfine\n", "t.txt"))
    assert table["text"].tolist() == ["well, then", "no", "one, two, three", "yes", "fine"]


def test_numbers_stay_float64_and_levels_are_held_once(written):
    table = read(written("x,c\n" + "".join(f"{i},level {i % 3}\n" for i in range(3000))))
    assert table["x"].dtype == np.float64
    assert len({id(cell) for cell in table["c"].tolist()}) == 3
