"""Parquet and Arrow files that claim too much: rows without bytes, repeated text, all types, damaged offsets."""

import datetime
import io
import subprocess
import sys
from decimal import Decimal

import numpy as np
import pyarrow
import pytest
from pyarrow import feather, ipc, parquet

from separatrix.tables import Table, as_table, blocks, limits, read

MOMENT = datetime.datetime(2024, 12, 31, 23, 59, 1)
ID = 2**53 + 1


def write(table, path):
    if path.suffix == ".parquet":
        parquet.write_table(table, path)
    else:
        feather.write_feather(table, path)
    return path


def cells(table):
    return {
        name: [None if cell is None or cell != cell else cell for cell in table[name].tolist()] for name in table.names
    }


@pytest.mark.parametrize("suffix", [".parquet", ".arrow"])
def test_every_kind_of_column_that_a_model_can_use(tmp_path, suffix):
    columns = {
        "whole": pyarrow.array([1, None, 3], pyarrow.int8()),
        "half": pyarrow.array(np.array([0.5, 1, 2], np.float16)),
        "real": [1.5, None, float("inf")],
        "decimal": pyarrow.array([Decimal("1.25"), None, Decimal(3)], pyarrow.decimal128(10, 2)),
        "flag": [True, None, False],
        "words": ["a ", None, "NA"],
        "long words": pyarrow.array(["a", None, "b"], pyarrow.large_string()),
        "levels": pyarrow.array(["u", None, "u"]).dictionary_encode(),
        "codes": pyarrow.array([10, None, 20]).dictionary_encode(),
        "day": [datetime.date(2024, 1, 31), None, datetime.date(1800, 1, 1)],
        "moment": pyarrow.array([MOMENT, None, MOMENT], pyarrow.timestamp("ms")),
        "exact": pyarrow.array([MOMENT.replace(microsecond=250_000), None, MOMENT], pyarrow.timestamp("us")),
        "zoned": pyarrow.array([MOMENT, None, MOMENT], pyarrow.timestamp("ms", "UTC")),
        "time": [datetime.time(1, 2), None, datetime.time(3, 4)],
        "none": pyarrow.nulls(3),
        "a.b": ["x", "y", "z"],
        "id": [ID, None, 5],
    }
    unusable = {"list": [[1], None, []], "struct": [{"a": 1}, None, None], "bytes": [b"x", b"\xff", None]}
    path = write(pyarrow.table({**columns, **unusable}), tmp_path / f"t{suffix}")
    table = read(path)
    moment = "2024-12-31T23:59:01"
    assert cells(table) == {
        "whole": [1, None, 3],
        "half": [0.5, 1, 2],
        "real": [1.5, None, None],
        "decimal": [1.25, None, 3],
        "flag": ["True", None, "False"],
        "words": ["a", None, None],
        "long words": ["a", None, "b"],
        "levels": ["u", None, "u"],
        "codes": [10, None, 20],
        "day": ["2024-01-31", None, "1800-01-01"],
        "moment": [moment, None, moment],
        "exact": [f"{moment}.250000", None, f"{moment}.000000"],
        "zoned": [f"{moment}+00:00", None, f"{moment}+00:00"],
        "time": ["01:02:00", None, "03:04:00"],
        "none": [None, None, None],
        "a.b": ["x", "y", "z"],
        "id": [str(ID), None, "5"],
    }
    left_out = [f"Column {name!r} holds lists or bytes and is left out." for name in unusable]
    assert set(left_out) < set(table.notes) and len(table.notes) == 5
    (block,) = blocks(path)
    assert cells(block) == cells(table)


@pytest.mark.parametrize("values", [[ID, ID + 1], np.array([ID, ID + 1]), [Decimal(ID), 1], pyarrow.array([ID, 2])])
def test_identifiers_in_memory_do_not_merge(values):
    expected = [str(int(value)) for value in (values if not isinstance(values, pyarrow.Array) else values.to_pylist())]
    data = pyarrow.table({"id": values}) if isinstance(values, pyarrow.Array) else {"id": values}
    table = as_table(data)
    assert table["id"].tolist() == expected and "beyond 2^53 and is kept as text" in table.notes[0]


@pytest.mark.parametrize("values", [[2**53, 2**60], [ID, 0.5], [1e300, 1], [2**53 - 1, None]])
def test_other_large_numbers_stay_numbers(values):
    table = Table.of({"x": values})
    np.testing.assert_array_equal(table["x"], [np.nan if value is None else float(value) for value in values])
    assert table.notes == ()


def test_a_date_that_python_does_not_have_is_text(tmp_path):
    far = pyarrow.array([10**15, 0], pyarrow.timestamp("s"))
    assert read(write(pyarrow.table({"t": far}), tmp_path / "t.arrow"))["t"].tolist()[1] == "1970-01-01T00:00:00"


def run_ends():
    return pyarrow.RunEndEncodedArray.from_arrays(pyarrow.array([2**31 - 1], pyarrow.int32()), pyarrow.array([1.5]))


@pytest.mark.parametrize("column", [pyarrow.nulls(2**31 - 1), run_ends()], ids=["null", "run ends"])
def test_rows_without_bytes_are_refused_before_they_are_made(tmp_path, monkeypatch, column):
    monkeypatch.setattr(limits, "memory", lambda: 1 << 30)
    path = tmp_path / "t.arrow"
    with ipc.new_file(path, pyarrow.schema([("n", column.type)])) as out:
        out.write_batch(pyarrow.record_batch([column], ["n"]))
    assert path.stat().st_size < 10_000
    with pytest.raises(ValueError, match="does not fit into 1 GB of memory"):
        read(path)
    assert len(next(blocks(path, rows=10))) == 10


@pytest.mark.parametrize("suffix", [".parquet", ".arrow"])
def test_a_long_text_in_every_row_is_held_once(tmp_path, suffix):
    text = pyarrow.DictionaryArray.from_arrays(pyarrow.array(np.zeros(200_000, np.int32)), ["x" * 1_000_000])
    table = read(write(pyarrow.table({"text": text}), tmp_path / f"t{suffix}"))  # 200 GB otherwise
    assert len(table) == 200_000 and len({id(cell) for cell in table["text"].tolist()}) == 1


@pytest.mark.parametrize("suffix", [".parquet", ".arrow"])
def test_columns_that_cannot_be_told_apart_or_used_are_refused(tmp_path, suffix):
    twice = pyarrow.table([[1], [2]], names=["x", "x"])
    with pytest.raises(ValueError, match=r"Cannot read .*x"):
        read(write_again(twice, tmp_path / f"t{suffix}"))
    with pytest.raises(ValueError, match="no column holds numbers, text or dates"):
        read(write(pyarrow.table({"l": [[1]]}), tmp_path / f"t{suffix}"))
    many = pyarrow.table({f"c{j}": [1.0] for j in range(200)})
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(limits, "MOST_COLUMNS", 100)
        with pytest.raises(ValueError, match="it has 200 columns"):
            read(write(many, tmp_path / f"t{suffix}"))


def write_again(table, path):
    if path.suffix == ".parquet":
        return write(table, path)
    with ipc.new_file(path, table.schema) as out:  # Feather has no equal names
        out.write_table(table)
    return path


@pytest.mark.parametrize("suffix", [".parquet", ".arrow"])
@pytest.mark.parametrize("name", ["a.b", "a.b.c", "l.list.element", "m.key_value.key"])
@pytest.mark.parametrize("last", [True, False])
def test_a_column_may_be_called_like_a_part_of_another(tmp_path, suffix, name, last):
    nested = {
        "a": pyarrow.array([{"b": {"c": 9.0}}] * 2),
        "l": [[7.0], []],
        "m": pyarrow.array([[("k", 1)], None], pyarrow.map_(pyarrow.string(), pyarrow.int64())),
    }
    plain = {name: ["x", "y"]}
    path = write(pyarrow.table({**nested, **plain} if last else {**plain, **nested}), tmp_path / f"t{suffix}")
    for table in (read(path), *blocks(path)):
        assert cells(table) == {name: ["x", "y"]}


@pytest.mark.parametrize("suffix", [".parquet", ".arrow"])
def test_a_column_may_have_any_name(tmp_path, suffix):
    names = ["", ".", "a.", "a\0b", "\u202ea", "=1+1", "<script>", 'a "b"', "x" * 100_000, "A", "a"]
    path = write(pyarrow.table({name: [float(k)] for k, name in enumerate(names)}), tmp_path / f"t{suffix}")
    for table in (read(path), *blocks(path)):
        assert cells(table) == {name: [float(k)] for k, name in enumerate(names)}


def test_offsets_that_point_elsewhere_are_refused_without_a_crash(tmp_path):
    """pyarrow opens the file without a word: the offsets of the text are data to it."""
    out = io.BytesIO()
    table = pyarrow.table({"s": [f"word {i}" for i in range(100)]})
    with ipc.new_file(out, table.schema) as file:
        file.write_table(table)
    offsets = np.cumsum([0] + [len(f"word {i}") for i in range(100)]).astype(np.int32).tobytes()
    spoilt = out.getvalue().replace(offsets, offsets[:40] + b"\xff\xff\xff\x7f" * 4 + offsets[56:])
    path = tmp_path / "t.arrow"
    path.write_bytes(spoilt)
    for reader in ("t.read(p)", "list(t.blocks(p))"):
        code = f"import separatrix.tables as t; p = {str(path)!r}\ntry: {reader}\nexcept ValueError as e: print(e)"
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
        assert done.returncode == 0 and done.stdout.startswith("Cannot read t.arrow: it is no whole Arrow file (")
