"""Tables from frames, dicts, lists and arrays: every kind of cell that people keep in them."""

import datetime
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

from separatrix.tables import Table, as_table

MOMENT = datetime.datetime(2024, 12, 31, 23, 59)


def cells(column):
    return [None if cell is None or cell != cell else cell for cell in column.tolist()]


def check(table):
    """The contract of a table."""
    for column in table.columns:
        assert column.dtype in (np.float64, object)
        if column.dtype == object:
            assert all(cell is None or type(cell) is str for cell in column)
        else:
            assert not np.isinf(column).any()
    return {name: cells(table[name]) for name in table.names}


def test_a_pandas_frame_with_every_kind_of_column():
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(
        {
            "float": [1.5, np.nan, 2],
            "int": [1, 2, 3],
            "nullable": pd.array([1, None, 3], dtype="Int64"),
            "nullable float": pd.array([1.5, None, 3], dtype="Float64"),
            "bool": [True, False, True],
            "maybe": pd.array([True, None, False], dtype="boolean"),
            "words": ["a", None, " b "],
            "string": pd.array(["x", None, "NA"], dtype="string"),
            "category": pd.Categorical(["u", None, "v"]),
            "codes": pd.Categorical([10, 20, 10]),
            "day": pd.to_datetime(["2024-01-01", None, "2024-12-31"]),
            "time": pd.to_datetime(["2024-01-01 10:00", None, "2024-12-31 00:00"]),
            "zoned": pd.to_datetime(["2024-01-01 10:00", None, "2024-12-31 00:00"]).tz_localize("UTC"),
            "decimal": [Decimal("1.25"), None, Decimal(3)],
            "mixed": ["a", 1, 2.5],
            "nothing": [None, None, None],
        }
    )
    assert check(Table.of(frame)) == {
        "float": [1.5, None, 2],
        "int": [1, 2, 3],
        "nullable": [1, None, 3],
        "nullable float": [1.5, None, 3],
        "bool": ["True", "False", "True"],
        "maybe": ["True", None, "False"],
        "words": ["a", None, "b"],
        "string": ["x", None, None],
        "category": ["u", None, "v"],
        "codes": [10, 20, 10],
        "day": ["2024-01-01", None, "2024-12-31"],
        "time": ["2024-01-01T10:00:00", None, "2024-12-31T00:00:00"],
        "zoned": ["2024-01-01T10:00:00+00:00", None, "2024-12-31T00:00:00+00:00"],
        "decimal": [1.25, None, 3],
        "mixed": ["a", "1", "2.5"],
        "nothing": [None, None, None],
    }


def test_a_polars_frame_and_its_arrow_twin_agree():
    pl = pytest.importorskip("polars")
    frame = pl.DataFrame(
        {
            "int": [1, None, 3],
            "float": [1.5, float("nan"), None],
            "bool": [True, None, False],
            "words": ["a", None, "b"],
            "date": [datetime.date(2024, 1, 1), None, datetime.date(2024, 12, 31)],
            "time": [MOMENT, None, MOMENT],
            "decimal": pl.Series([Decimal("1.25"), None, Decimal("3")], dtype=pl.Decimal(10, 2)),
            "category": pl.Series(["u", None, "v"], dtype=pl.Categorical),
            "list": [[1], [2], [3]],
        }
    )
    expected = {
        "int": [1, None, 3],
        "float": [1.5, None, None],
        "bool": ["True", None, "False"],
        "words": ["a", None, "b"],
        "date": ["2024-01-01", None, "2024-12-31"],
        "time": ["2024-12-31T23:59:00", None, "2024-12-31T23:59:00"],
        "decimal": [1.25, None, 3],
        "category": ["u", None, "v"],
    }
    for data in (frame, frame.to_arrow()):
        table = as_table(data, source="memory")
        assert check(table) == expected
        assert table.notes == ("Column 'list' holds lists or bytes and is left out.",)


def test_dicts_lists_and_arrays():
    assert check(Table.of({"a": (1, None), "b": np.array(["x", "y"]), "c": range(2)})) == {
        "a": [1, None],
        "b": ["x", "y"],
        "c": [0, 1],
    }
    assert check(Table.of([{"a": 1}, {"b": "x"}])) == {"a": [1, None], "b": [None, "x"]}
    assert check(Table.of(np.array([[1, 2], [3, 4]]))) == {"x0": [1, 3], "x1": [2, 4]}
    assert check(Table.of(np.array([[1, "a"], [None, "b"]], dtype=object), ["n", "t"])) == {
        "n": [1, None],
        "t": ["a", "b"],
    }
    assert check(Table.of(np.array([(1, "a")], dtype=[("n", int), ("t", "U3")]))) == {"n": [1], "t": ["a"]}
    assert check(Table.of({"f": [Fraction(1, 2), np.float32(2)], "b": [np.True_, np.False_]})) == {
        "f": [0.5, 2],
        "b": ["True", "False"],
    }
    assert check(Table.of({"d": np.array(["2024-01-01", "NaT"], dtype="M8[ns]")})) == {"d": ["2024-01-01", None]}
    assert check(Table.of({"d": np.array(["2024-01-01T05", "NaT"], dtype="M8[ns]")})) == {
        "d": ["2024-01-01T05:00:00", None]
    }


def test_a_series_in_a_dict():
    pd = pytest.importorskip("pandas")
    assert check(Table.of({"a": pd.Series([1, None], dtype="Int64")})) == {"a": [1, None]}


def test_columns_may_be_chosen_and_a_table_is_itself():
    table = Table.of({"a": [1], "b": [2]})
    assert Table.of(table) is table and Table.of(table, ["b"]).names == ("b",)
    assert Table.of({"a": [1], "b": [2]}, ["b"]).names == ("b",)


@pytest.mark.parametrize(
    "data, names, kind, said",
    [
        ({"a": [1, 2], "b": [1]}, None, ValueError, "between 1 and 2 cells"),
        ({"a": "text"}, None, ValueError, "single value"),
        ({1: [1], "1": [2]}, None, ValueError, "the same name"),
        (np.zeros(3), None, ValueError, r"shape \(3,\)"),
        (np.zeros((2, 2)), ["a"], ValueError, "2 different names"),
        (np.zeros((2, 2)), ["a", "a"], ValueError, "1 of them different"),
        ({"a": [1]}, ["z"], KeyError, "there are the columns 'a'"),
        (7, None, TypeError, "it is no frame"),
    ],
)
def test_what_is_no_table_is_refused(data, names, kind, said):
    with pytest.raises(kind, match=said):
        Table.of(data, names)


def test_a_missing_name_suggests_others():
    with pytest.raises(KeyError, match="Use 'height'"):
        Table.of({"height": [1]})["hieght"]


def test_parts_keep_the_notes_and_the_source():
    table = Table.of({"a": [1, np.inf], "b": [1, 2]}, source="here")
    for part in (table.take([0]), table.select(["a"]), table.without("b")):
        assert part.notes == table.notes and part.source == "here"
