"""Rows that depend on each other: found by a repeated identifier, and kept together by `group`."""

import warnings

import numpy as np
import pytest

from separatrix.assess import compare
from separatrix.assess.compare.dependent_rows import group_codes, grouped_folds, hold_out_groups, repeated_identifiers
from separatrix.tables import Table

NEAR = ["nearest neighbours", "linear discriminant"]


def subjects(count=20, rows=8, seed=0):
    """Noise: each subject has a state by chance, and rows that are nearly the same."""
    rng = np.random.default_rng(seed)
    who = np.repeat(np.arange(count), rows)
    X = rng.standard_normal((count, 5))[who] + 0.05 * rng.standard_normal((count * rows, 5))
    names = {"subject": [f"s{i}" for i in who], **{f"x{j}": X[:, j] for j in range(5)}}
    return Table.of({**names, "ill": rng.permutation(np.tile([0, 1], count // 2))[who]}), who


def test_subjects_that_repeat_are_noticed_and_warned_of():
    found = compare(subjects()[0], "ill", families=NEAR)
    assert max(found[name].score for name in NEAR) > 0.95  # the leak
    (warning,) = found.question.warnings
    assert "subject has 20 values in 160 rows" in warning and "--group" in warning


def test_with_groups_noise_is_noise_and_no_group_is_on_both_sides():
    table, _ = subjects()
    found = compare(table, "ill", families=NEAR, group="subject")
    assert not found.beats_baseline and found.question.warnings == ()
    assert not set(found.train["subject"]) & set(found.test["subject"])
    assert "subject" not in [column.name for column in found.understanding.used]


@pytest.mark.slow
def test_grouped_noise_has_no_winner():
    """40 comparisons of subjects of noise: at most 5 % name a winner, by three standard errors."""
    claims = sum(
        compare(subjects(seed=seed)[0], "ill", families=NEAR, group="subject", seed=seed).beats_baseline
        for seed in range(40)
    )
    assert claims <= 40 * 0.05 + 3.0 * np.sqrt(40 * 0.05 * 0.95)


@pytest.mark.parametrize("classification", [True, False])
def test_folds_and_test_part_hold_whole_groups(classification):
    table, who = subjects()
    y = np.asarray(table["ill"]) if classification else np.linspace(0.0, 1.0, len(who))
    held = []
    for learn, out in grouped_folds(y, who, 5, classification=classification, seed=3):
        assert not set(who[learn]) & set(who[out])
        held += out.tolist()
    assert sorted(held) == list(range(160))
    learn, test = hold_out_groups(y, who, 0.2, classification=classification, seed=3)
    assert not set(who[learn]) & set(who[test]) and 24 <= len(test) <= 40
    assert len(hold_out_groups(y, who, 0.0, classification=classification, seed=3)[1]) == 0


@pytest.mark.parametrize(
    "name, values, noticed",
    [
        ("patient_id", np.repeat(np.arange(20.0), 8), True),
        ("PatientID", np.repeat(np.arange(20.0), 8), True),
        ("row_id", np.arange(160.0), False),
        ("age", np.tile(np.arange(40.0), 4), False),
        ("user_type", np.tile(np.arange(4.0), 40), False),
        ("paid", np.tile(np.arange(20.0), 8), False),
    ],
)
def test_names_of_identifiers_are_known(name, values, noticed):
    y = np.random.default_rng(0).integers(0, 2, 160)
    assert bool(repeated_identifiers(Table.of({name: values, "y": y}), "y", y, True)) == noticed


def test_a_target_that_never_varies_within_a_column_is_noticed():
    who = np.repeat(np.arange(16.0), 5)
    y = np.random.default_rng(0).standard_normal(16)[who.astype(int)]
    (said,) = repeated_identifiers(Table.of({"plot": who, "y": y}), "y", y, False)
    assert "y is the same in all rows of each value" in said


def test_columns_that_cannot_group_are_refused():
    table, _ = subjects()
    with pytest.raises(KeyError, match=r"Cannot keep the rows of one 'subjekt' together.*Use .*subject"):
        compare(table, "ill", group="subjekt")
    with pytest.raises(KeyError, match="it is the target"):
        compare(table, "ill", group="ill")
    with pytest.raises(ValueError, match="all rows have the same value"):
        group_codes(Table.of({"a": np.ones(9)}), "a")


def test_numbers_can_be_grouped_too():
    rng = np.random.default_rng(0)
    who = np.repeat(np.arange(12.0), 5)
    X = rng.standard_normal((60, 2))
    table = Table.of({"batch": who, "a": X[:, 0], "b": X[:, 1], "y": X[:, 0] + 0.1 * rng.standard_normal(60)})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = compare(table, "y", families=["least squares"], group="batch", folds=3, repeats=2)
    assert found.beats_baseline and len(found["least squares"].scores) == 6
    assert not set(found.train["batch"]) & set(found.test["batch"]) and np.isfinite(found.test_error)
