"""A few cells that are no numbers do not make text of a column of numbers."""

import numpy as np
import pytest

from separatrix.assess.compare import compare
from separatrix.persist import load, save
from separatrix.persist.predictor import light
from separatrix.tables import Table, read, target_values, understand

N = 400
rng = np.random.default_rng(11)
YEARS = rng.integers(0, 40, N)
Y = np.where(YEARS + 8.0 * rng.standard_normal(N) > 20, "yes", "no").tolist()


def column_with(odd, values=YEARS):
    """Numbers as text, the first of them replaced by these cells."""
    return [*odd, *map(str, values[len(odd) :])]


def facts(cells, name="years"):
    return understand(Table.of({name: cells, "x": rng.standard_normal(N), "y": Y}), "y")


def test_a_few_odd_cells_leave_a_column_of_numbers_and_are_named(tmp_path):
    path = tmp_path / "people.csv"
    cells = column_with(["1,5", "1,5", "not said", None])
    path.write_text("years,y\n" + "".join(f'"{cell or ""}",{label}\n' for cell, label in zip(cells, Y)))
    told = understand(read(path), "y")
    assert told.columns[0].kind == "number"
    assert told.columns[0].missing == 4
    assert told.columns[0].odd == (("1,5", 2), ("not said", 1))
    assert "years holds numbers; cells that are none count as missing: '1,5' (2), 'not said' (1)." in told.notes
    assert not any("as text" in note for note in told.notes)
    assert sum("not said" in note or "years" in note for note in told.notes) == 1


@pytest.mark.parametrize("share, kind", [(0.04, "number"), (0.06, "category")])
def test_up_to_one_cell_in_twenty_may_be_odd(share, kind):
    assert facts(column_with(["some"] * round(share * N))).columns[0].kind == kind


def test_an_identifier_with_stray_words_is_an_identifier():
    keys = rng.permutation(100 * N)[:N]
    told = facts(column_with(["total", "mean of all"], keys), "id")
    assert told.columns[0].kind == "identifier"
    assert told.columns[0].levels == ()


def test_the_identifier_of_a_group_that_repeats_is_an_identifier():
    hosts = rng.permutation(100 * N)[rng.integers(0, N, N)]
    assert facts(column_with(["total", "mean of all"], hosts), "host_id").columns[0].kind == "identifier"
    assert facts(hosts, "host_id").columns[0].kind == "identifier"
    assert facts(hosts, "income").columns[0].kind == "number"
    assert facts(rng.integers(0, 30, N), "store_id").columns[0].kind == "number"


def test_codes_of_which_most_are_digits_stay_codes():
    diagnoses = column_with(["V45", "V57", "V58", "E909", "E812", "V10"], rng.integers(200, 230, N))
    assert facts(diagnoses).columns[0].kind == "category"
    assert facts(column_with(["none of them"], np.char.zfill(YEARS.astype(str), 3))).columns[0].kind == "category"


def test_two_numbers_and_a_word_are_three_levels():
    assert facts(["unclear", *["0", "1"] * (N // 2 - 1), "0"]).columns[0].distinct == 3


def test_a_saved_model_takes_odd_cells_for_missing(tmp_path):
    data = {"years": column_with(["1,5", "?!", "some"]), "x": rng.standard_normal(N), "y": Y}
    model = compare(data, "y", families=["logistic regression, no penalty"], repeats=1).model
    save(model, tmp_path / "model.sepx")
    asked = {"years": ["never met before", "12"], "x": [0.3, 0.3]}
    missing = {"years": [None, "12"], "x": [0.3, 0.3]}
    for loaded in (model, load(tmp_path / "model.sepx"), light(tmp_path / "model.sepx")):
        assert np.array_equal(loaded.predict_proba(asked), loaded.predict_proba(missing))


def test_a_model_that_met_no_odd_cell_still_refuses_one():
    model = compare({"years": YEARS, "y": Y}, "y", families=["logistic regression, no penalty"], repeats=1).model
    with pytest.raises(ValueError, match="row 1 holds 'twelve'"):
        model.predict({"years": ["twelve"]})


def test_rows_whose_target_is_no_number_are_set_aside_and_named():
    salary = column_with(["1,5", "on demand"], rng.integers(30_000, 90_000, N))
    table = Table.of({"years": YEARS, "salary": salary})
    told = understand(table, "salary")
    assert (told.task, told.unlabelled) == ("regression", 2)
    assert any("rows without a target: '1,5' (1), 'on demand' (1)" in note for note in told.notes)
    y, rows = target_values(table, told)
    assert y.dtype == np.float64
    assert rows.tolist() == list(range(2, N))


def test_an_odd_label_among_classes_that_are_digits_is_a_class():
    labels = np.array([*rng.integers(0, 5, N - 10).astype(str), *["x"] * 10], dtype=object)
    assert understand(Table.of({"years": YEARS, "y": labels}), "y").classes == ("0", "1", "2", "3", "4", "x")
