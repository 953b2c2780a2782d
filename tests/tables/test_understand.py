"""What a table is understood to be: the kinds of columns, the task, and what a careful colleague would mention."""

import subprocess
import sys

import numpy as np
import pytest

from separatrix.tables import Table, target_values, understand
from separatrix.tables.leaks import suspicion

rng = np.random.default_rng(5)
N = 200
X = rng.standard_normal(N)
Y = np.where(X + rng.standard_normal(N) > 0, "yes", "no").tolist()


def facts(values, name="c"):
    """How one column is understood beside a target."""
    table = Table.of({name: values, "x": X[: len(values)], "y": Y[: len(values)]})
    return understand(table, "y").columns[0]


def test_kinds_of_numbers():
    assert facts(X * 2).kind == "number"
    assert facts(rng.integers(0, 5, N)).kind == "number"
    assert facts([1, 1, 0, 0] * 50).kind == "flag"
    assert facts([3.5, np.nan, -1, 3.5] * 50).levels == ("3.5", "-1")
    assert facts([7] * N).kind == "constant"
    assert facts([None] * N).kind == "empty"


def test_numbers_that_identify_rows():
    assert facts(np.arange(N) + 1).why == "it counts the rows"
    assert facts(rng.permutation(N)).kind == "identifier"
    assert facts(rng.permutation(10 * N)[:N], "customer_id").kind == "identifier"
    assert facts(rng.permutation(10 * N)[:N], "income").kind == "number"
    assert facts(np.arange(N) + 1947, "year").kind == "number"


def test_kinds_of_words():
    assert facts(["f", "m"] * 100).kind == "flag"
    assert facts(["a", "b", "c", None] * 50).levels == ("a", "b", "c")
    assert facts([f"AB{i:05d}" for i in range(N)]).kind == "identifier"
    assert facts([f"Smith, Mr. John {chr(65 + i % 26)}{i}" for i in range(N)]).kind == "identifier"
    sentences = [f"the parcel number {i} came late and it was quite broken" for i in range(N)]
    assert facts(sentences).kind == "text"
    assert facts([f"city {i % 40}" for i in range(N)]).kind == "category"
    assert facts(["same"] * N).kind == "constant"
    assert facts(["X", None] * 100).kind == "category"  # a mark, or none: that may say something


@pytest.mark.parametrize(
    "make, form",
    [
        (lambda d: f"2024-{d % 12 + 1:02d}-{d % 28 + 1:02d}", "iso"),
        (lambda d: f"2024-{d % 12 + 1:02d}-{d % 28 + 1:02d}T{d % 24:02d}:15:00Z", "iso"),
        (lambda d: f"{d % 28 + 1}/{d % 12 + 1}/2024", "dmy"),
        (lambda d: f"{d % 12 + 1}/{d % 28 + 1}/2024", "mdy"),
        (lambda d: f"{d % 28 + 1:02d}.{d % 12 + 1:02d}.24", "dmy"),
        (lambda d: f"{d % 28 + 1} March 20{d % 10}1", "named"),
    ],
)
def test_dates_are_seen_with_their_form(make, form):
    found = facts([make(d) if d % 9 else None for d in range(N)])
    assert (found.kind, found.form, found.why) == ("date", form, "")


def test_dates_that_could_be_read_both_ways_are_said():
    table = Table.of({"when": [f"{d % 12 + 1}/{d % 11 + 1}/2024" for d in range(N)], "y": Y})
    told = understand(table, "y")
    assert told.columns[0].form == "mdy" and "day and month could be swapped; read as month first" in told.notes[0]


def test_one_cell_that_is_no_date_makes_text_of_a_column():
    assert facts([f"2024-01-{d % 28 + 1:02d}" for d in range(N - 1)] + ["soon"]).kind == "category"


@pytest.mark.parametrize("target, task", [
    (Y, "classification"),
    ([0, 1] * 100, "classification"),
    ([1.5, 2.5] * 100, "classification"),
    (np.arange(N) % 7, "classification"),
    (np.arange(N) % 21, "regression"),
    (rng.random(N), "regression"),
    (rng.poisson(2, N), "regression"),
    ([True, False] * 100, "classification"),
])  # fmt: skip
def test_the_task_is_decided_from_the_target(target, task):
    target = list(target)
    if task == "regression" and len(set(target)) < 21:
        target[0] = max(target) + 1  # one value that occurs once
    assert understand(Table.of({"x": X, "y": target}), "y").task == task


def test_the_task_can_be_told():
    table = Table.of({"x": X, "y": np.arange(N) % 5})
    assert understand(table, "y", task="regression").task == "regression"
    assert understand(Table.of({"x": X, "y": np.arange(N) % 40}), "y", task="classification").classes[-1] == 39


@pytest.mark.parametrize(
    "target, how, said",
    [
        (["a"] * N, {}, "it is 'a' in every row"),
        ([3] * N, {}, "it is 3 in every row"),
        ([None] * N, {}, "no row has a value"),
        ([f"word {i} of many" for i in range(N)], {}, "200 different texts in 200 rows, such as 'word 0 of many'"),
        ([f"2024-01-{i % 28 + 1:02d}" for i in range(N)], {}, "it holds dates"),
        (Y, {"task": "regression"}, "it holds text such as"),
        (X, {"task": "classification"}, "200 different values"),
        (Y, {"task": "ranking"}, "'classification' or 'regression'"),
        (["a"] * (N - 1) + ["b"], {}, "'b' has only one"),
    ],
)
def test_a_target_that_cannot_be_learnt_is_refused(target, how, said):
    with pytest.raises(ValueError, match=said):
        understand(Table.of({"x": X, "y": target}), "y", **how)


def test_a_misspelt_target_gets_the_names_most_like_it():
    table = Table.of({"Survived": Y, "x": X})
    with pytest.raises(KeyError, match="'Survived', if that was meant"):
        understand(table, "survivd")
    with pytest.raises(KeyError, match="Cannot leave out 'z'"):
        understand(table, "Survived", exclude=["z"])
    with pytest.raises(KeyError, match="it is the target"):
        understand(table, "Survived", exclude=["Survived"])


def test_nothing_to_learn_from_is_refused_but_a_count_alone_is_kept():
    with pytest.raises(ValueError, match="no other column can be used"):
        understand(Table.of({"c": [1] * N, "y": Y}), "y")
    with pytest.raises(ValueError, match="there is no other column"):
        understand(Table.of({"y": Y}), "y")
    told = understand(Table.of({"x": np.arange(N), "y": np.arange(N) ** 2 + rng.standard_normal(N) * 500}), "y")
    assert told.columns[0].kind == "number"


def test_copies_of_the_target_are_left_out():
    code = [{"yes": 7, "no": 3}[label] for label in Y]
    told = understand(Table.of({"x": X, "code": code, "same": Y, "y": Y}), "y")
    assert [column.kind for column in told.columns] == ["number", "copy of the target", "copy of the target"]
    told = understand(Table.of({"x": X, "same": 2 * X, "y": 2 * X}), "y")
    assert told.columns[1].kind == "copy of the target"


def test_a_code_with_gaps_is_no_copy():
    code = [{"yes": 7, "no": 3}[label] if i % 2 else None for i, label in enumerate(Y)]
    assert understand(Table.of({"x": X, "code": code, "y": Y}), "y").columns[1].kind == "flag"


def test_one_class_among_the_rows_looked_at_is_no_suspicion():
    assert suspicion(np.arange(400.0) % 3, np.zeros(400), 2) == ""


def test_names_in_a_small_table_identify_its_rows():
    names = ["Ann", "Bo", "Cy", "Di", "Ed", "Flo", "Gus", "Hal", "Ida", "Jo"]
    assert facts(names).kind == "identifier"


def test_a_code_that_differs_in_one_row_is_a_suspected_leak():
    code = [{"yes": 7, "no": 3}[label] for label in Y]
    code[0] = 10 - code[0]
    told = understand(Table.of({"x": X, "code": code, "y": Y}), "y")
    assert told.columns[1].used and "suspected leak" in told.columns[1].why
    assert any(note.startswith("code may know the answer: it alone tells") for note in told.notes)


@pytest.mark.parametrize("n", [400, 50_000])
def test_a_score_that_splits_the_classes_and_a_gap_that_gives_them_away_are_suspected(n):
    label = np.arange(n) % 2
    score = np.where(label, 1, -1) * (1 + rng.random(n))
    left_on = np.where(label == 1, rng.random(n), np.nan)
    told = understand(Table.of({"x": rng.random(n), "score": score, "left_on": left_on, "y": label}), "y")
    assert [bool(column.why) for column in told.columns] == [False, True, True]
    y = rng.random(n)
    told = understand(Table.of({"x": rng.random(n), "inches": y * 2.54, "y": y}), "y")
    assert [bool(column.why) for column in told.columns] == [False, True]


def test_an_honest_strong_column_is_not_suspected():
    label = np.arange(1000) % 2
    good = label + 0.5 * rng.standard_normal(1000)
    assert understand(Table.of({"good": good, "y": label}), "y").notes == ()


def notes(columns, target="y"):
    return " ".join(understand(Table.of(columns), target).notes)


def test_what_a_careful_colleague_would_mention():
    rare = ["a"] * 150 + ["b"] * 47 + ["c"] * 3
    assert "class c (3)" in notes({"x": X, "y": rare})
    assert "Class b is rare: 9 of 200 rows" in notes({"x": X, "y": ["a"] * 191 + ["b"] * 9})
    assert "More than half of the cells are missing: gap" in notes(
        {"x": X, "gap": [1.5, None, None, 2, None] * 40, "y": Y}
    )
    assert "more columns (300) than rows (200)" in notes({**{f"x{j}": rng.random(N) for j in range(300)}, "y": Y})
    twice = np.concatenate([X[:100], X[:100]])
    assert "100 rows repeat" in notes({"id": np.arange(N), "x": twice, "z": twice**2, "y": Y[:100] * 2})
    assert notes({"a": np.arange(N) % 3, "y": Y}) == ""  # few combinations are possible: they must repeat


def test_many_levels_are_mentioned():
    n = 600
    label = np.where(rng.random(n) > 0.5, "yes", "no")
    assert "more than 50 levels" in notes({"x": rng.random(n), "c": [f"c{i % 60}" for i in range(n)], "y": label})


def test_notes_of_the_reader_reach_the_understanding():
    table = Table.of({"x": [1.0, np.inf] * 100, "z": X, "y": Y})
    assert (
        understand(table, "y").notes[0]
        == "Column 'x' has 100 cells that are infinite or beyond 1.8e308, read as missing."
    )


def test_values_of_the_target_keep_their_type():
    def values(target):
        table = Table.of({"x": X, "y": target})
        return target_values(table, understand(table, "y"))

    y, rows = values([None, "b", "a"] + ["a", "b"] * 98 + [None])
    assert y.dtype.kind == "U" and rows[0] == 1 and len(rows) == N - 2
    assert values([1, 2] * 100)[0].dtype == np.int64
    assert values([0.5, 2] * 100)[0].tolist() == [0.5, 2] * 100
    assert values(rng.random(N))[0].dtype == np.float64


def test_the_target_of_a_block_of_text_is_read_as_the_model_knows_it():
    told = understand(Table.of({"x": X, "y": [1, 2] * 100}), "y")
    y, rows = target_values(Table.of({"x": ["1", "2", "3"], "y": ["2", None, "1"]}), told)
    assert y.tolist() == [2, 1] and y.dtype == np.int64 and rows.tolist() == [0, 2]


def test_importing_the_room_and_reading_a_file_wait_for_nothing_heavy(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("x,y\n" + "1,a\n2,b\n2,a\n" * 20)
    code = (
        f"import separatrix.tables as t; told = t.understand(t.read({str(path)!r}), 'y'); told.lines()\n"
        "import sys; print(' '.join(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    heavy = {"sklearn", "pandas", "narwhals", "polars", "duckdb", "numba", "scipy"}
    assert heavy & set(done.stdout.split()) == set()


def test_a_number_of_patients_that_starts_anywhere_identifies_rows():
    for name in ("Patient No.", "case_no", "Nr", "Sample Number"):
        assert facts(np.arange(85, 85 + N), name).kind == "identifier"
        assert facts(rng.integers(0, 50, N), name).kind == "number"  # a count, which repeats


def test_a_small_table_sorted_by_its_target_gives_away_a_column_that_counts():
    label = ["no"] * 130 + ["yes"] * 59
    told = understand(Table.of({"x": rng.random(189), "week": np.arange(85.0, 274.0), "y": label}), "y")
    assert any(
        note.startswith("week may know the answer: it alone tells the classes apart in 100.0 %") for note in told.notes
    )
    assert not any(note.startswith("x may") for note in told.notes)
