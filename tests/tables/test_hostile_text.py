"""Delimited text that is damaged, endless or enormous: a right answer or a sentence, in seconds and little memory."""

import csv
import gzip
import io
import os
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import numpy as np
import pytest

from separatrix.tables import blocks, limits, read

pytestmark = pytest.mark.filterwarnings("error")


@pytest.fixture
def written(tmp_path):
    def write(content, name="table.csv"):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode("utf-8"))
        return path

    return write


def quickly(task, seconds=20):
    """What a task returns or raises; it fails if that takes longer than seconds, whatever machine this is."""
    start = time.process_time()
    try:
        return task()
    finally:
        assert time.process_time() - start < seconds


def test_gzip_that_is_damaged_anywhere_is_a_table_or_a_sentence(written):
    whole = gzip.compress(b"a,b\n" + b"".join(b"%d,%d\n" % (i * 7919 % 1000, i) for i in range(5000)))
    rng, refused = np.random.default_rng(0), 0
    for _ in range(150):
        spoilt = bytearray(whole)
        place = int(rng.integers(0, len(spoilt)))
        spoilt[place : place + 3] = bytes(rng.integers(0, 256, 3).astype(np.uint8))
        try:
            read(written(bytes(spoilt), "t.csv.gz"))
        except ValueError as refusal:
            refused += 1
            assert str(refusal).startswith("Cannot ")
    assert refused > 100


@pytest.mark.parametrize("unit", [b"1,2\n", b"x", b"\0"])
def test_a_gzip_bomb_is_refused_before_it_is_unpacked(written, monkeypatch, unit):
    monkeypatch.setattr(limits, "UNPACKED", 1 << 23)
    path = written(gzip.compress(b"a,b\n" + unit * ((1 << 27) // len(unit))), "t.csv.gz")
    with pytest.raises(ValueError, match=r"200 times its size|longer than 16 MB|zero bytes"):
        quickly(lambda: read(path))
    honest = gzip.compress(b"a,b\n" + b"".join(b"%d,%d\n" % (i * 7919 % 1000, i) for i in range(1_000_000)))
    assert len(read(written(honest, "t.csv.gz"))) == 1_000_000


def test_a_row_that_ends_in_a_delimiter_too_early_is_refused(written):
    with pytest.raises(ValueError, match=r"its first row has 4 cells and most others have 2"):
        read(written("a,b,c,\n1,\n"))
    assert read(written("a,b,\n1,\n3,\n"))["a"].tolist() == [1, 3]


LONG = [
    ([["text", "x"], ["a " * 140_000, 1], ["b", 2]], " "),
    ([["text", "x"], ["a\n" * 140_000, 1], *([f"line\nline {i}", i] for i in range(250_000))], ","),
    ([["a", "b" * 150_000], [1, 2], [3, 4]], "\t"),
]


@pytest.mark.parametrize("rows, delimiter", LONG, ids=["blanks", "lines", "a name"])
def test_a_quoted_cell_may_be_longer_than_the_limit_of_the_csv_module(tmp_path, rows, delimiter):
    path = tmp_path / "t.csv"
    with open(path, "w", newline="") as stream:
        csv.writer(stream, delimiter=delimiter, quoting=csv.QUOTE_ALL).writerows(rows)
    limit = csv.field_size_limit()
    for table in (read(path), next(blocks(path))):
        assert table.names == tuple(rows[0]) and table.columns[0][0] in (rows[1][0], str(rows[1][0]).strip())
    assert read(path).columns[1].tolist() == [row[1] for row in rows[1:]]
    assert csv.field_size_limit() == limit


def test_a_quoted_cell_that_never_ends_is_refused_early(written):
    path = written(b'a,b\n1,"' + b"x, y\n" * (8 << 20))
    with pytest.raises(ValueError, match="goes on for more than 16 MB: a quotation mark before it may not be paired"):
        quickly(lambda: read(path))


@pytest.mark.parametrize("header", [0, 1, 2, "no", "False", [0]])
def test_header_is_yes_no_or_none(written, header):
    path = written("a,b\n1,2\n3,4\n")
    for reader in (read, blocks):
        with pytest.raises(ValueError, match=r"Cannot take header=.* Use True, False or None"):
            reader(path, header=header)


@pytest.mark.parametrize(
    "content, values, said",
    [
        ('x,y\n"1,234",a\n"2,345",b\n', [1234, 2345], "the comma marks thousands ('1,234' is read as 1234)"),
        ("x\ty\n1,234\ta\n2,345\tb\n", [1234, 2345], "the comma marks thousands ('1,234' is read as 1234)"),
        ("x;y\n1,234;a\n2,345;b\n", [1.234, 2.345], "decimal mark ('1,234' is read as 1.234), as in most files that"),
        ("x;y\n1,234;a\n0,5;b\n", [1.234, 0.5], "decimal mark ('1,234' is read as 1.234), as in '0,5'"),
        ("x;y\n1.234;0,5\n2.345;1,5\n", [1234, 2345], "the point marks thousands ('1.234' is read as 1234)"),
    ],
)
def test_which_reading_of_a_comma_was_chosen_is_said(written, content, values, said):
    table = read(written(content))
    assert table["x"].tolist() == values and said in " ".join(table.notes)


def test_nothing_is_said_of_commas_that_are_not_there(written):
    assert read(written("x;y\n1.234;a\n2.5;b\n")).notes == ()


IDS = [2**53 + i for i in range(-3, 4)]


def test_whole_numbers_that_float64_would_make_equal_are_text(written):
    table = read(written("id,x\n" + "".join(f"{cell},1\n" for cell in IDS)))
    assert table["id"].tolist() == list(map(str, IDS))
    assert table.notes[0].startswith("Column 'id' holds whole numbers beyond 2^53 and is kept as text")


def test_such_a_number_far_below_makes_text_of_the_column(written):
    cells = [*range(200_000), 1234567890123456789]
    table = read(written("id,x\n" + "".join(f"{cell},1\n" for cell in cells)))
    assert table["id"].tolist() == list(map(str, cells)) and len(table.notes) == 1


@pytest.mark.parametrize(
    "cells",
    [
        ["9007199254740993", "0.5"],
        ["9007199254740993", "1e20"],
        ["9007199254740992", "18446744073709551616"],
        ["9007199254740993.5", "12"],
    ],
)
def test_measurements_and_exact_numbers_stay_numbers(written, cells):
    table = read(written("x,y\n" + "".join(f"{cell},a\n" for cell in cells)))
    assert table["x"].tolist() == list(map(float, cells)) and table.notes == ()


def test_a_number_beyond_the_largest_float_is_missing_and_said(written):
    table = read(written("x,y\n1e400,1\n2,2\n"))
    assert np.isnan(table["x"][0])
    assert table.notes == ("Column 'x' has 1 cell that is infinite or beyond 1.8e308, read as missing.",)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes with a name here")
def test_a_pipe_is_read_once_though_the_reader_needs_two_passes(tmp_path):
    path = tmp_path / "pipe.csv"
    os.mkfifo(path)
    rows = "".join(f"{i},2\n" for i in range(100_000))
    writer = threading.Thread(target=lambda: path.write_text(f"a,b\n{rows}word,3\n"), daemon=True)
    writer.start()
    table = read(path)
    assert len(table) == 100_001 and table["a"][-1] == "word"
    writer.join(20)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes with a name here")
def test_an_endless_pipe_is_refused_whole_and_comes_in_blocks(tmp_path, monkeypatch):
    monkeypatch.setattr(limits, "MOST_STREAMED", 1 << 24)
    path = tmp_path / "pipe.csv"
    os.mkfifo(path)
    endless = [sys.executable, "-c", f"f = open({str(path)!r}, 'wb')\nwhile True: f.write(b'1,2\\n' * 10000)"]
    for reader, said in [(read, "it goes on for more than"), (lambda p: next(blocks(p, rows=10)), None)]:
        with subprocess.Popen(endless, stderr=subprocess.DEVNULL) as writer:
            if said:
                with pytest.raises(ValueError, match=said):
                    reader(path)
            else:
                assert len(reader(path)) == 10
            writer.kill()


@pytest.mark.skipif(not os.path.exists("/dev/zero"), reason="no such devices here")
@pytest.mark.parametrize("device", ["/dev/zero", "/dev/urandom"])
def test_a_device_is_no_text(device):
    with pytest.raises(ValueError, match="it holds zero bytes"):
        quickly(lambda: read(device))


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes with a name here")
@pytest.mark.parametrize("name", ["pipe.parquet", "pipe.arrow", "pipe.db"])
def test_a_pipe_is_no_columnar_file_and_no_database(tmp_path, name):
    os.mkfifo(tmp_path / name)
    with pytest.raises(ValueError, match="a pipe or a device"):
        read(tmp_path / name)


@pytest.mark.parametrize("start", ["", "a,b\n1,2\n"])
def test_half_a_gigabyte_without_an_end_of_line_is_refused(tmp_path, start):
    path = tmp_path / "t.csv"
    with open(path, "wb") as stream:
        stream.write(start.encode())
        for _ in range(64):
            stream.write(b"1," * (1 << 19))
        stream.truncate(500 << 20)  # the rest is a hole
    with pytest.raises(ValueError, match="one line is longer than 16 MB"):
        quickly(lambda: read(path))


def test_thirty_thousand_equal_names(written):
    path = written(",".join(["age"] * 30_000) + "\n" + ",".join(["1"] * 30_000) + "\n")
    table = quickly(lambda: read(path))
    assert len(set(table.names)) == 30_000 and table.names[-1] == "age_30000"


def test_a_million_columns_are_refused(written):
    path = written(",".join(map(str, range(10**6))) + "\n" + ",".join(["1"] * 10**6) + "\n")
    with pytest.raises(ValueError, match="it has 1,000,000 columns"):
        quickly(lambda: read(path))


def test_a_table_that_does_not_fit_is_refused(written, monkeypatch):
    monkeypatch.setattr(limits, "memory", lambda: 1 << 24)
    path = written("a,b\n" + "1,2\n" * 2_000_000)
    with pytest.raises(ValueError, match=r"does not fit into 0\.0156 GB of memory"):
        read(path)
    assert sum(map(len, blocks(path))) == 2_000_000


def test_many_digits_are_a_number(written):
    digits = "7" * 5000
    assert read(written(f"{digits},{digits},{digits}\n1,2,3\n")).names[0] in (digits, "column_1")


def test_the_memory_of_a_table_is_less_than_that_of_the_machine():
    assert 1 << 20 < limits.memory() <= os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2


def test_the_first_record_may_be_longer_than_the_first_piece(written):
    text = "line\n" * 1_000_000
    table = read(written(f'"{text}","x"\n"{text}","1"\n"c","2"\n'), header=True)
    assert table.names == (text.strip(), "x") and table["x"].tolist() == [1, 2]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no device that is always full")
def test_a_full_disk_under_the_copy_of_a_stream_is_a_sentence(monkeypatch):
    monkeypatch.setattr(tempfile, "TemporaryFile", lambda **_: open("/dev/full", "r+b", buffering=0))  # noqa: SIM115
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"a,b\n1,x\n2,y\n")))
    with pytest.raises(ValueError, match="Cannot keep standard input in a temporary file, to read it twice: no space"):
        read("-")
