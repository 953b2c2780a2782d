"""Odd arguments get a sentence: no traceback, no unexpected error, no file left behind."""

import os
import random
from itertools import product

import pytest
from click.testing import CliRunner

from separatrix.cli.main import main

LONG = "n" * 5000
FIT = ("-t", "y", "-f", "nearest class mean")
COMPARE = ("-q", "--no-report", "--no-model", "--family", "nearest class mean", "--budget", "20")

TABLES = {
    "good.csv": None,
    "zero.csv": "x,y\n",
    "one.csv": "x,y\n1,a\n",
    "column.csv": "y\na\nb\na\nb\n",
    "constant.csv": "x,y\n" + "".join(f"{(7 * i) % 31},same\n" for i in range(40)),
    "missing.csv": "x,y\n" + "".join(f"{(7 * i) % 31},\n" for i in range(40)),
    "numbers.csv": "x,y\n" + "".join(f"{(7 * i) % 31},5\n" for i in range(40)),
    "empty.csv": "",
}
ODD_TABLES = ("", LONG, "folder", "nowhere.csv", *(name for name in TABLES if name != "good.csv"))
ODD_MODELS = ("", LONG, "folder", "nowhere.sepx", "good.csv", "empty.csv")
ODD_OUTPUTS = ("", LONG, "folder", "none/x", "good.csv/x", "good.csv", "folder/../good.csv")
ODD_NUMBERS = ("", "-1", "0", "abc", "2.5", "nan", "1e9", "9" * 30)
FORMULAS = (
    "",
    "~",
    "y ~",
    "~ x",
    "y ~ nope",
    "nope ~ x",
    "y ~ x +",
    "y ~ ((((",
    "y ~ poly(x, 99)",
    "y ~ poly(x, -1)",
    "y ~ bs(x, 0)",
    "y ~ log(0)",
    "y ~ 1/0",
    "y ~ y",
    "y ~ __import__('os')",
    "y ~ " + "(" * 2000 + "x",
    "cbind(y, x) ~ 1",
    "y ~ cut(x, 0)",
    "y ~ 0",
    "y ~ C(x, contr.nope)",
    "log(y - 1) ~ x",
    "y ~ I(x^1e999)",
    "y ~ #",
)

REFUSED = [
    *(("fit", table, *FIT) for table in ODD_TABLES),
    *(
        ("fit", table, "-t", "y", "-f", "LinearRegression", "--task", "regression")
        for table in ODD_TABLES
        if table != "numbers.csv"
    ),
    *(("compare", table, "-t", "y", *COMPARE) for table in ODD_TABLES),
    *(("summary", table, "y ~ x", "-f", "binomial") for table in ODD_TABLES),
    *(
        (command, "m.sepx", table)
        for command, table in product(
            ("predict", "explain", "verify"), ("", LONG, "folder", "zero.csv", "column.csv", "empty.csv")
        )
    ),
    *((command, model, "good.csv") for command, model in product(("predict", "explain", "verify"), ODD_MODELS)),
    *(("predict", "m.sepx", "good.csv", "-o", path) for path in (*ODD_OUTPUTS, "m.sepx")),
    *(("fit", "good.csv", *FIT, "-o", path) for path in (*ODD_OUTPUTS, "-")),
    *(("compare", "good.csv", "-t", "y", "-q", "--no-model", "--report", path) for path in (*ODD_OUTPUTS, "-")),
    *(("compare", "good.csv", "-t", "y", "-q", "--no-report", "--model", path) for path in (*ODD_OUTPUTS, "-")),
    ("compare", "good.csv", "-t", "y", "-q", "--model", "same", "--report", "folder/../same"),
    *(
        ("compare", "good.csv", "-t", "y", *COMPARE[:-2], "--budget", budget)
        for budget in ("0", "-5", "abc", "1e9", "inf", "")
    ),
    *(("compare", "good.csv", "-t", "y", *COMPARE, "--folds", number) for number in ODD_NUMBERS[:-1]),
    *(("compare", "good.csv", "-t", "y", *COMPARE, "--repeats", number) for number in ODD_NUMBERS),
    *(
        ("compare", "good.csv", "-t", "y", *COMPARE, "--seed", number)
        for number in (*ODD_NUMBERS[:2], *ODD_NUMBERS[3:])
    ),
    *(("fit", "good.csv", *FIT, "--seed", number) for number in (*ODD_NUMBERS[:2], *ODD_NUMBERS[3:])),
    *(("explain", "m.sepx", "good.csv", "--row", number) for number in ODD_NUMBERS),
    *(
        ("compare", "good.csv", "-t", "y", *COMPARE, option, value)
        for option, value in product(
            ("--score", "--family", "--group", "--exclude", "--task", "--query"), ("", "nope", LONG)
        )
    ),
    *(("fit", "good.csv", "-t", target, "-f", "lasso") for target in ("", "nope", LONG)),
    *(("fit", "good.csv", "-t", "y", "-f", family) for family in ("", "zzzz", LONG)),
    *(
        ("fit", "good.csv", "-t", "y", "-f", "LogisticRegression", "--set", value)
        for value in ("", "C", "=1", "C=-1", "C=abc", "C=[1", "C=" + "(" * 3000, "C=nan", "nope=1")
    ),
    *(("fit", "-t", "y", "-f", "lasso", "--query", query) for query in ("", " ", "select", "select * from nope")),
    ("fit", "good.csv", "-t", "y", "-t", "x", "-f", "lasso"),
    ("fit", "good.csv", *FIT, "--exclude", "x", "--exclude", "--target", "--exclude", "prediction"),
    *(("predict", "m.sepx", "good.csv", "--keep", name) for name in ("", "nope", "prediction")),
    *(("summary", "good.csv", formula) for formula in FORMULAS),
    *((command, name) for command, name in product(("datasets", "where"), ("zzzz", "..", LONG))),
    ("datasets", ""),
    ("demo", "--width", "20"),
    ("warmup", "x"),
    ("nope",),
    ("",),
    (LONG,),
    ("--nope",),
    ("-",),
    ("--",),
    ("fit",),
]
TAKEN = [
    (
        "fit",
        "good.csv",
        "-t",
        "--target",
        "-f",
        "nearest class mean",
        "-o",
        "n.sepx",
    ),  # a name that looks like an option
    ("fit", "good.csv", "--target=--target", "-f", "nearest class mean", "-o", "n.sepx"),
    ("predict", "m.sepx", "good.csv", "--keep", "--target", "--keep", "x", "--keep", "x"),
    ("predict", "m.sepx", "good.csv", "-o", "-"),
    ("explain", "m.sepx", "good.csv", "--row", "٣"),  # a digit, if not of ours
    ("compare", "good.csv", "-t", "y", *COMPARE, "--folds", "9" * 30, "--repeats", "1"),
    ("compare", "good.csv", "-t", "y", *COMPARE[:-2], "--budget", "9" * 400, "--folds", "2", "--repeats", "1"),
    ("summary", "good.csv", "y ~ x^99999"),
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("odd")
    draw = random.Random(1)
    rows = [(round(draw.gauss(0, 1), 4), i % 3, i % 7) for i in range(40)]
    cells = "".join(f"{x},{int(x + draw.gauss(0, 1) > 0)},{a},{b}\n" for x, a, b in rows)
    for name, text in TABLES.items():
        (folder / name).write_text("x,y,--target,prediction\n" + cells if text is None else text)
    (folder / "folder").mkdir()
    run(folder, "fit", "good.csv", *FIT, "--exclude", "prediction", "-o", "m.sepx")
    return folder


def run(folder, *arguments):
    before = os.getcwd()
    os.chdir(folder)
    try:
        return CliRunner().invoke(main, list(arguments))
    finally:
        os.chdir(before)


def named(arguments):
    return " ".join(ascii(each)[1:-1][:24] for each in arguments)


@pytest.mark.parametrize("arguments", REFUSED, ids=named)
def test_it_is_refused_in_a_sentence(folder, arguments):
    before = {path: path.read_bytes() for path in folder.iterdir() if path.is_file()}
    result = run(folder, *arguments)
    assert result.exit_code in (1, 2), result.output
    assert isinstance(result.exception, SystemExit)
    assert "Unexpected error" not in result.stderr
    assert result.stderr.splitlines()[-1].startswith("Error: ")
    assert result.stderr.rstrip().endswith((".", "?", ")")), result.stderr  # click ends some in ")"
    assert {path: path.read_bytes() for path in folder.iterdir() if path.is_file()} == before


@pytest.mark.parametrize("arguments", TAKEN, ids=named)
def test_it_is_taken(folder, arguments):
    result = run(folder, *arguments)
    assert result.exit_code == 0, result.stderr
    assert not any(name.startswith(".separatrix") for name in os.listdir(folder))
