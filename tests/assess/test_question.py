"""The question of a comparison: which score, why, which class is positive, and which rows would decide it alone."""

import numpy as np
import pytest

from separatrix.assess import MEASURES, compare
from separatrix.assess.compare.question import COSTS, Question, about_ruling_rows, choose_measure, ruling_rows


def salaries(n=300, seed=0):
    """Salaries about 70,000 that depend on age, two of them mistyped."""
    rng = np.random.default_rng(seed)
    age = rng.uniform(20.0, 60.0, n)
    salary = 50_000.0 + 1_000.0 * (age - 20.0) + rng.normal(0.0, 5_000.0, n)
    salary[[40, 250]] = 5e8, 2e8
    return age[:, None], salary


def test_every_measure_has_a_sentence_about_costs():
    assert set(COSTS) == set(MEASURES)


@pytest.mark.parametrize(
    "y, name",
    [
        (np.random.default_rng(0).standard_normal(500), "rmse"),
        (np.random.default_rng(0).standard_t(3, 500), "rmse"),
        (np.exp(1.7 * np.random.default_rng(0).standard_normal(500)), "mae"),
        (salaries()[1], "medae"),
        (np.full(20, 3.0), "rmse"),
    ],
    ids=["normal", "heavy tails", "very skewed", "absurd", "constant"],
)
def test_numbers_are_scored_by_what_a_few_rows_do_not_decide(y, name):
    assert choose_measure(None, y, "regression")[0].name == name


def test_the_rows_that_rule_the_squared_error_are_named_by_their_number_in_the_table():
    y = salaries()[1]
    assert ruling_rows(y).tolist() == [40, 250]
    (said,) = about_ruling_rows(y, np.arange(300) + 7, "salary")
    assert "2 of 300 rows" in said and "row 48 (5e+08), row 258 (2e+08)" in said and "'medae'" in said
    assert about_ruling_rows(np.arange(30.0), np.arange(30), "y") == ()


def test_absurd_targets_do_not_decide_the_comparison():
    found = compare(salaries(), "salary", families=["least squares", "median regression"])
    assert found.measure == "medae" and found.recommended == "median regression" and found.beats_baseline
    assert (
        found["median regression"].score < 5_000.0 < found["baseline"].score < 20_000.0
    )  # a median, not a mean of 2e6
    assert "row 41 (5e+08)" in found.question.warnings[0] and "Warning: 2 of 300 rows" in str(found)


def test_the_question_says_score_class_and_cost_before_anything_is_fitted():
    said = []
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((60, 2)), np.tile(["healthy", "sick"], 30)

    def announce(understanding, question):
        said.append((understanding.target, question))
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        compare((X, y), "state", announce=announce)
    ((target, question),) = said
    assert target == "state" and question.measure.name == "roc_auc"
    lines = " ".join(question.lines())
    assert "two classes" in lines and "The positive class is sick" in lines and "every mistake costs the same" in lines


def test_a_score_that_was_asked_for_is_said_to_be():
    question = Question(*choose_measure("f1", np.array([0, 1]), "classification"), positive="1", negative="0")
    assert "F1 (higher is better): it was asked for" in question.lines()[0]
