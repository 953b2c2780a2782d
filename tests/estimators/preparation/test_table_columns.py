"""The columns of a table are found by name and read as what they are, whatever holds them."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from numpy.testing import assert_array_equal
from sklearn.base import clone

from separatrix.preprocessing import TableColumns
from separatrix.tables.table import Table

NAMES = ("age", "sex", "grade", "signup", "note")
KINDS = ("number", "flag", "category", "date", "text")
FRAME = pd.DataFrame(
    {
        "extra": [0, 0, 0],
        "note": ["came back", None, "new"],
        "signup": pd.to_datetime(["1970-01-02", None, "2024-02-29"]),
        "grade": [1, 2, 1],
        "sex": ["f", "m", None],
        "age": [31.0, np.nan, 54.5],
    }
)
EXPECTED = np.array(
    [
        [31.0, "f", "1", 1.0, "came back"],
        [np.nan, "m", "2", np.nan, None],
        [54.5, None, "1", 19782.0, "new"],
    ],
    dtype=object,
)
AS_TEXT = {
    "age": ["31", "NA", "54.5"],
    "sex": ["f", "m", ""],
    "grade": ["1", "2", "1.0"],
    "signup": ["1970-01-02", None, "2024-02-29"],
    "note": ["came back", "", "new"],
}


def objects(cells):
    out = np.empty(len(cells), dtype=object)
    out[:] = cells
    return out


HOLDERS = {
    "pandas": FRAME,
    "pandas, nullable": FRAME.convert_dtypes(),
    "pandas, categorical": FRAME.astype({"sex": "category", "grade": "category"}),
    "polars": pl.from_pandas(FRAME),
    "pyarrow": pa.Table.from_pandas(FRAME),
    "dict": FRAME.to_dict(orient="list"),
    "dict of text": AS_TEXT,
    "list of dicts": pl.from_pandas(FRAME).to_dicts(),
    "table": Table(tuple(AS_TEXT), tuple(map(objects, AS_TEXT.values())), "people.csv"),
    "array": np.array([AS_TEXT[name] for name in NAMES], dtype=object).T,
    "list of rows": np.array([AS_TEXT[name] for name in NAMES], dtype=object).T.tolist(),
}


def same(found, expected):
    assert found.shape == expected.shape and found.dtype == expected.dtype
    for ours, theirs in zip(found.ravel(), expected.ravel()):
        assert type(ours) is type(theirs) and (ours == theirs or (ours != ours and theirs != theirs)), (ours, theirs)


@pytest.mark.parametrize("holder", HOLDERS, ids=str)
def test_the_same_columns_come_out_of_every_holder(holder):
    same(TableColumns(NAMES, KINDS).fit(FRAME).transform(HOLDERS[holder]), EXPECTED)


def test_without_text_the_columns_are_an_array_of_numbers():
    found = TableColumns(["signup", "age"], ["date", "number"]).fit(FRAME).transform(FRAME)
    assert found.dtype == np.float64
    assert_array_equal(found, [[1.0, 31.0], [np.nan, np.nan], [19782.0, 54.5]])


def test_lacking_columns_are_named():
    columns = TableColumns(NAMES, KINDS).fit(FRAME)
    with pytest.raises(ValueError, match=r"find the columns 'age', 'signup': people\.csv has the columns 'sex'"):
        columns.transform(HOLDERS["table"].without("age", "signup"))
    with pytest.raises(ValueError, match="find the column 'age': the table has the columns"):
        columns.transform(FRAME.drop(columns="age"))


def test_a_cell_that_is_no_number_or_date_is_named_with_its_row_and_column():
    columns = TableColumns(NAMES, KINDS).fit(FRAME)
    with pytest.raises(ValueError, match=r"'age'.*row 2 holds 'old'"):
        columns.transform({**AS_TEXT, "age": ["31", "old", "5"]})
    with pytest.raises(ValueError, match=r"'soon' in row 3 of the column 'signup'"):
        columns.transform({**AS_TEXT, "signup": ["1970-01-01", None, "soon"]})


def test_dates_are_read_as_the_file_writes_them_or_as_frames_have_them():
    columns = TableColumns(["when"], ["date"], ["dmy"]).fit(None)
    assert_array_equal(columns.transform({"when": ["02/01/1970", None]}), [[1.0], [np.nan]])
    assert_array_equal(columns.transform({"when": pd.Series(pd.to_datetime(["1970-01-02"]))}), [[1.0]])
    with pytest.raises(ValueError, match=r"'31/31/1970' in row 1.*31/12/2024"):
        columns.transform({"when": ["31/31/1970"]})


def test_two_numbers_are_the_same_flag_read_as_numbers_or_as_text():
    columns = TableColumns(["paid"], ["flag"]).fit(None)
    for cells in ([0.0, 1.0], [0, 1], ["00", "01"], ["$0", "$1"], ["0.0", " 1 "]):
        assert columns.transform({"paid": cells}).ravel().tolist() == ["0", "1"]


def test_an_array_must_have_these_columns_and_columns_one_length():
    columns = TableColumns(NAMES, KINDS).fit(FRAME)
    with pytest.raises(ValueError, match=r"array of shape \(2, 3\).*\(n, 5\)"):
        columns.transform(np.zeros((2, 3)))
    with pytest.raises(ValueError, match="between 1 and 3 cells"):
        columns.transform({**AS_TEXT, "age": ["31"]})


def test_names_and_kinds_are_checked():
    with pytest.raises(ValueError, match="'colour' is not known"):
        TableColumns(["a"], ["colour"]).fit(None)
    with pytest.raises(ValueError, match="each name has one of them"):
        TableColumns(["a", "b"], ["number"]).fit(None)


def test_it_can_be_cloned_and_names_its_columns():
    columns = clone(TableColumns(NAMES, KINDS)).fit(FRAME)
    assert columns.get_feature_names_out().tolist() == list(NAMES)
    assert columns.n_features_in_ == 5


def test_a_table_without_rows_gives_none():
    assert TableColumns(NAMES, KINDS).fit(FRAME).transform(HOLDERS["table"].take(slice(0, 0))).shape == (0, 5)
