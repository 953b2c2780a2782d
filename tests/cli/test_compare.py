"""`separatrix compare`: from a messy file to a leaderboard, a report and a model that can be verified."""

import json

import pytest

import separatrix
from separatrix.assess.compare.comparison import Comparison, Standing
from separatrix.cli import leaderboard
from separatrix.persist import about
from separatrix.tables import read


def test_compare_tells_the_whole_story(compared):
    output = " ".join(compared.output.split())
    for words in (
        "150 rows", "The target is bought, with 2 classes", "Left out: id", "Area under the ROC curve",
        "The score is the area under the ROC curve", "The positive class is", "every mistake costs the same",
        "Everything, report included, may take 5 min", "not shown to be worse",
        "logistic regression, L2", "linear discriminant", "baseline", "naive Bayes, word counts", "not run:",
        "Recommended:", "On the 30 test rows, used once", "Written: model.sepx", "Written: report.html",
        "separatrix predict model.sepx shop.csv",
    ):  # fmt: skip
        assert words in output


def test_a_column_that_may_know_the_answer_is_noted_once(capsys):
    from rich.console import Console

    from separatrix.cli.output import print_understanding
    from separatrix.tables import Table, understand

    y = [i % 2 for i in range(60)]
    when = [f"{1 + i % 5}/{1 + i % 7}/2024" for i in range(60)]  # day or month first
    told = understand(Table.of({"paid": [10.0 * v + 0.01 * i for i, v in enumerate(y)], "when": when, "y": y}), "y")
    print_understanding(Console(width=400), told)
    printed = capsys.readouterr().out
    assert printed.count("paid may know the answer") == 1 and "suspected leak" not in printed
    assert printed.count("day and month could be swapped") == 1


def test_the_report_and_the_model_are_written(shell, compared):
    assert "<html" in (shell.folder / "report.html").read_text()[:500]
    model = separatrix.load(shell.folder / "model.sepx")
    assert len(model.predict(read(shell.folder / "shop.csv"))) == 150
    assert about(shell.folder / "model.sepx")["split"] == {
        "test": 0.2, "seed": 3, "fitted_rows": 120, "group": ""
    }  # fmt: skip


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
        found.pop("seconds"), found.pop("seconds_in_all")
    assert first == second


def test_the_question_comes_before_the_numbers(compared):
    output = " ".join(compared.output.split())
    assert output.index("The positive class is") < output.index("mean ± standard error") < output.index("Recommended:")


def test_a_bundled_data_set_is_taken_by_its_name(shell):
    found = shell.ok("compare", "wine", "--family", "linear discriminant", "--no-report", "--no-model", "--json")
    document = json.loads(found.stdout)
    assert document["understanding"]["target"] == "cultivar" and document["budget"] == 300.0
    assert document["question"]["sentences"] and document["unfinished"] == 0
    assert shell("compare", "whine").exit_code == 2  # no such data set: a file, which needs a target


def test_a_budget_that_is_too_short_for_anything_fails_in_a_sentence(shell):
    found = shell("compare", "shop.csv", "-t", "bought", "--budget", "0.01", "--no-report", "--no-model", "-q")
    assert found.exit_code == 1
    assert found.stderr.startswith("Error: Cannot compare models of 'bought': the time ran out")
    assert "Recommended" not in found.stdout and "better than guessing" not in found.stdout


def test_groups_are_kept_together_and_the_model_can_be_verified(shell):
    rows = [f"s{i // 6},{(7 * i) % 11},{(i * i) % 13},{'ab'[(i // 6) % 2]}" for i in range(120)]
    (shell.folder / "visits.csv").write_text("\n".join(["subject,x,z,kind", *rows]) + "\n")
    family = ("--family", "logistic regression, L2", "--no-report", "--model", "visits.sepx", "-q")
    assert "subject has 20 values in 120 rows" in " ".join(
        shell.ok("compare", "visits.csv", "-t", "kind", *family).output.split()
    )
    output = shell.ok("compare", "visits.csv", "-t", "kind", "--group", "subject", *family).output
    assert "Rows of one subject stay together" in " ".join(output.split()) and "Warning" not in output
    verified = shell.ok("verify", "visits.sepx", "visits.csv").output
    assert "The data are those of the fit" in verified and "certified" in verified


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


def test_the_board_fills_in_best_first():
    from io import StringIO

    from rich.console import Console

    from separatrix.cli.progress import Bar, board_so_far

    bar = Bar(Console(file=StringIO()))
    bar.scored("ridge", 3.25, 1, 10, False)
    bar.scored("lasso", 2.5, 1, 10, False)
    bar.scored("ridge", 1.5, 2, 10, False)
    console = Console(file=StringIO(), width=60)
    console.print(board_so_far(bar.board))
    lines = [line.split() for line in console.file.getvalue().splitlines()]
    assert lines == [["ridge", "1.5", "2", "of", "10", "rounds"], ["lasso", "2.5", "1", "of", "10", "rounds"]]
