"""`separatrix compare`: from a messy file to a leaderboard, a report and a model that can be verified."""

import json

import pytest
from numpy.testing import assert_allclose

import separatrix
from separatrix.assess.compare.comparison import Comparison, Standing
from separatrix.cli import leaderboard
from separatrix.persist import about
from separatrix.tables import read, target_values, understand


def test_compare_tells_the_whole_story(compared):
    output = " ".join(compared.output.split())
    for words in (
        "150 rows", "The target is bought, with 2 classes", "Left out: id", "Area under the ROC curve",
        "logistic regression, L2", "linear discriminant", "baseline", "naive Bayes, word counts", "not run:",
        "Recommended:", "On the 30 test rows, used once", "Written: model.sepx", "Written: report.html",
        "separatrix predict model.sepx shop.csv",
    ):  # fmt: skip
        assert words in output


def test_the_report_and_the_model_are_written(shell, compared):
    assert "<html" in (shell.folder / "report.html").read_text()[:500]
    model = separatrix.load(shell.folder / "model.sepx")
    assert len(model.predict(read(shell.folder / "shop.csv"))) == 150
    assert about(shell.folder / "model.sepx")["split"] == {"test": 0.2, "seed": 3, "fitted_rows": 120}


def test_verify_rebuilds_the_training_rows_of_the_comparison(shell, compared):
    from separatrix.workflow.provenance import training_rows

    table = read(shell.folder / "shop.csv")
    told = about(shell.folder / "model.sepx")
    rows = training_rows(table, told)
    assert rows.same is True
    model = separatrix.load(shell.folder / "model.sepx")
    again = separatrix.load(shell.folder / "model.sepx")
    again.fit(rows.table, rows.y)  # the same rows give the same coefficients, any others would not
    assert_allclose(again[-1].coef_, model[-1].coef_, rtol=1e-9)
    y, _ = target_values(table, understand(table, "bought"))
    assert len(rows.y) == 120 and set(rows.y) == set(y)


@pytest.mark.parametrize("seed", [1, 5])
def test_the_rows_of_a_model_that_was_fitted_to_a_sample_are_found_again(shell, seed):
    from separatrix.assess import compare
    from separatrix.workflow.provenance import remembered, training_rows
    from separatrix.core.family import Family
    from separatrix.linear_model import LogisticRegression

    table = read(shell.folder / "shop.csv")
    few = Family("few rows", "classification", lambda _: LogisticRegression(), 1, "", most_rows=60)
    found = compare(table, "bought", exclude=["spent"], families=[few], folds=2, repeats=1, seed=seed)
    assert (found.recommended, found.fitted_rows) == ("few rows", 60)
    split = {"test": 0.2, "seed": seed, "fitted_rows": found.fitted_rows}
    rows = training_rows(table, remembered(table, found.understanding, family="few rows", split=split, command=["x"]))
    assert len(rows.y) == 60 and rows.same is True
    certificate = separatrix.verify(found.model[-1], found.model[:-1].transform(rows.table), rows.y)
    assert certificate.converged
    assert not separatrix.verify(found.model[-1], found.model[:-1].transform(found.train), found.y_train).converged


def test_a_budget_leaves_time_for_the_report(monkeypatch):
    from separatrix.cli import comparing

    now = [100.0]
    monkeypatch.setattr(comparing.time, "monotonic", lambda: now[0])
    clock, plain = comparing.Clock(120.0, report=True), comparing.Clock(120.0, report=False)
    now[0] += 20.0  # for reading
    assert clock.for_comparison() == 120.0 - 20.0 - 24.0
    assert plain.for_comparison() == 100.0
    now[0] += 90.0
    assert clock.for_report() == 5.0
    now[0] += 90.0
    assert clock.for_report() == 0.0
    assert clock.for_comparison() == 12.0
    assert comparing.Clock(None, report=True).for_comparison() is None


def test_the_same_seed_gives_the_same_result_as_json(shell, compared):
    arguments = (
        "compare", "shop.csv", "-t", "bought", "--exclude", "spent", "--seed", 3, "--folds", 3, "--repeats", 1,
        "--family", "linear discriminant", "--no-report", "--model", "again.sepx", "--json",
    )  # fmt: skip
    first, second = (json.loads(shell.ok(*arguments).stdout) for _ in range(2))
    for found in (first, second):
        assert found["written"] == {"model": "again.sepx", "report": None}
        for standing in found["standings"]:
            standing.pop("fit_seconds"), standing.pop("predict_seconds")
        found.pop("seconds")
    assert first == second


def test_what_cannot_be_written_is_said_before_anything_is_fitted(shell):
    found = shell("compare", "shop.csv", "-t", "bought", "--report", "nowhere/report.html")
    assert found.exit_code == 1
    assert "nowhere" in found.stderr and found.stdout == ""


@pytest.mark.parametrize(
    "arguments, words",
    [
        (("-t", "bougth"), "bought"),
        (("-t", "bought", "--exclude", "spend"), "spend"),
        (("-t", "bought", "--family", "oracle"), "oracle"),
        (("-t", "bought", "--score", "beauty"), "beauty"),
        (("-t", "bought", "--task", "regression"), "bought"),
    ],
)
def test_a_question_that_makes_no_sense_is_refused(shell, arguments, words):
    found = shell("compare", "shop.csv", *arguments)
    assert found.exit_code == 1, found.output
    assert found.stderr.startswith("Error: Cannot") and words in found.stderr


def board(width):
    """A leaderboard of long names, printed in a width."""
    from io import StringIO

    from rich.console import Console

    measures = {"log_loss": 0.5, "calibration": 0.02}
    names = ["logistic regression, no penalty", "regularised discriminant", "baseline"]
    standings = [
        Standing(name, score=0.9, error=0.01, measures=measures, fit_seconds=0.01, predict_seconds=0.001, size=10_000,
                 certified=True, group=1)
        for name in names
    ]  # fmt: skip
    standings.append(Standing("nearest neighbours", reason="it takes at most 3 columns, and there are 1,000 of them"))
    empty = dict.fromkeys(Comparison.__dataclass_fields__)
    found = Comparison(**{**empty, "standings": standings, "score": "area under the ROC curve", "measure": "roc_auc",
                          "recommended": names[0]})  # fmt: skip
    out = StringIO()
    leaderboard.show(Console(file=out, width=width), found)
    return out.getvalue()


@pytest.mark.parametrize("width", [60, 80, 100, 130])
def test_the_leaderboard_fits_any_width_and_never_cuts_a_number(width):
    text = board(width)
    assert max(map(len, text.splitlines())) <= width
    assert text.count("0.900 ± 0.010") == 3
    assert "→ logistic regression, no penalty" in text
    assert "…" not in text
    assert "at most 3 columns" in text
    assert ("log loss" in text) == (width >= 80)
    assert ("predict" in text) == (width >= 130)
