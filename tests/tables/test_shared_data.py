"""Real tables: read as pandas and polars read them, and understood as a statistician would."""

from pathlib import Path

import numpy as np
import pytest

from separatrix.tables import Understanding, blocks, numbers, read, target_values, understand

DATA = Path(__file__).resolve().parents[2].parent / "shared" / "data"
pytestmark = pytest.mark.skipif(not DATA.exists(), reason="the shared data sets are not here")

FILES = sorted(path.relative_to(DATA).as_posix() for path in DATA.glob("*/*.csv") if path.stat().st_size < 1_500_000)
NAMELESS = [name for name in FILES if "debd_" in name]
# pandas takes "None" for a missing value and "inf" for a number; here they are a level and a missing value
MISSING = ["NA", "", "?"]


@pytest.mark.parametrize("name", FILES)
def test_a_file_is_read_as_pandas_reads_it(name):
    pandas = pytest.importorskip("pandas")
    header = None if name in NAMELESS else 0
    frame = pandas.read_csv(DATA / name, na_values=MISSING, keep_default_na=False, header=header)
    table = read(DATA / name)
    assert len(table) == len(frame) and len(table.names) == frame.shape[1]
    if header == 0 and not any(str(column).startswith("Unnamed") for column in frame.columns):
        assert list(table.names) == list(frame.columns)
    for ours, theirs in zip(table.columns, (frame.iloc[:, j] for j in range(frame.shape[1])), strict=True):
        if pandas.api.types.is_numeric_dtype(theirs) and not pandas.api.types.is_bool_dtype(theirs):
            expected = theirs.to_numpy(dtype=float)
            np.testing.assert_allclose(ours, np.where(np.isinf(expected), np.nan, expected), rtol=1e-15)
        else:
            assert ours.tolist() == [None if pandas.isna(cell) else str(cell).strip() for cell in theirs]


@pytest.mark.parametrize("name", ["esl/SAheart.csv", "tables/titanic_train.csv", "regression/islr_Hitters.csv"])
def test_a_file_is_read_as_polars_reads_it(name):
    polars = pytest.importorskip("polars")
    frame = polars.read_csv(DATA / name, null_values=["NA", "", "?"], infer_schema_length=None)
    table = read(DATA / name)
    for column, series in zip(table.columns, frame, strict=True):
        expected = [cell.strip() if isinstance(cell, str) else cell for cell in series.to_list()]
        found = [None if cell is None or cell != cell else cell for cell in column.tolist()]
        assert found == expected


@pytest.mark.parametrize("name", ["tables/titanic_train.csv", "regression/islr_Hitters.csv", "regression/ames.csv"])
def test_blocks_hold_the_same_cells_as_the_whole(name):
    whole = read(DATA / name)
    parts = list(blocks(DATA / name, rows=100))
    assert all(0 < len(part) <= 100 for part in parts)  # a block also ends where a piece of the file does
    for j, column in enumerate(whole.columns):
        text = np.concatenate([part.columns[j] for part in parts])
        if column.dtype == object:
            assert text.tolist() == column.tolist()
        else:
            np.testing.assert_array_equal(numbers(text), column)


def kinds(told):
    return {column.name: column.kind for column in told.columns}


def test_heart():
    told = understand(read(DATA / "esl/SAheart.csv"), "chd")
    assert (told.task, told.classes, told.counts, told.notes) == ("classification", (0, 1), (302, 160), ())
    assert kinds(told)["famhist"] == "flag" and len(told.used) == 9


def test_titanic():
    table = read(DATA / "tables/titanic_train.csv")
    told = understand(table, "Survived")
    found = kinds(told)
    assert {name for name, kind in found.items() if kind == "identifier"} == {"PassengerId", "Name", "Ticket", "Cabin"}
    assert (found["Sex"], found["Embarked"], found["Age"]) == ("flag", "category", "number")
    assert next(column.missing for column in told.columns if column.name == "Age") == 177
    assert "PassengerId (it counts the rows)" in " ".join(told.lines())
    y, rows = target_values(table, told)
    assert y.dtype == np.int64 and y.sum() == 342 and len(rows) == 891


def test_ames_keeps_none_as_a_level():
    table = read(DATA / "regression/ames.csv")
    told = understand(table, "Sale_Price")
    assert told.task == "regression" and kinds(told)["rownames"] == "identifier" and len(told.used) == 73
    facts = next(column for column in told.columns if column.name == "Mas_Vnr_Type")
    assert "None" in facts.levels and facts.missing == 0


def test_car():
    told = understand(read(DATA / "tables/car.csv"), "class")
    assert told.classes == ("acc", "good", "unacc", "vgood") and told.counts == (384, 69, 1210, 65)
    assert set(kinds(told).values()) == {"category"}


def test_mushroom_has_a_constant_column_and_question_marks_for_missing():
    told = understand(read(DATA / "tables/mushroom.csv"), "class")
    assert kinds(told)["veil-type"] == "constant" and told.classes == ("e", "p")
    assert next(column.missing for column in told.columns if column.name == "stalk-root") == 2480


def test_spam_warns_of_its_column_test():
    told = understand(read(DATA / "esl/spam.csv"), "spam")
    assert told.task == "classification" and any("test may mark which rows" in note for note in told.notes)
    without = understand(read(DATA / "esl/spam.csv"), "spam", exclude=["test"])
    assert kinds(without)["test"] == "asked to be left out" and not any("may mark" in note for note in without.notes)


def test_vowel_has_eleven_classes_of_whole_numbers():
    told = understand(read(DATA / "esl/vowel.train.csv"), "y")
    assert told.task == "classification" and told.classes == tuple(range(1, 12)) and set(told.counts) == {48}


def test_hitters_sets_rows_without_a_salary_aside():
    table = read(DATA / "regression/islr_Hitters.csv")
    told = understand(table, "Salary")
    assert (told.task, told.rows, told.unlabelled) == ("regression", 322, 59)
    assert kinds(told)["Player"] == "identifier"
    y, rows = target_values(table, told)
    assert len(y) == 263 and y.dtype == np.float64 and table["Salary"][rows].tolist() == y.tolist()


def test_messages_are_text_without_a_row_of_names():
    table = read(DATA / "tables/sms_spam.tsv")
    assert len(table) == 5574 and table.names == ("column_1", "column_2")
    told = understand(table, "column_1")
    assert told.classes == ("ham", "spam") and told.counts == (4827, 747) and kinds(told) == {"column_2": "text"}


@pytest.mark.parametrize(
    "name, target", [("tables/titanic_train.csv", "Survived"), ("regression/islr_Hitters.csv", "Salary")]
)
def test_an_understanding_survives_json(name, target):
    import json

    told = understand(read(DATA / name), target)
    assert Understanding.from_dict(json.loads(json.dumps(told.as_dict()))) == told
