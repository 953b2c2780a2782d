"""Every example of a help text, of the README and of the pages runs, on bundled tables and on files made here."""

import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

from separatrix.cli import main

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", *sorted(path for path in (ROOT / "docs").rglob("*.md") if "_build" not in path.parts)]
PLACEHOLDER = re.compile(r"\b(TABLE|MODEL|NAME|COLUMN|FORMULA)\b")  # lines that show usage
NEEDS_A_SHELL = re.compile(r"[|>&]")
# The first comparison of the README runs as it stands. The others differ from it in what they read and in options:
# they run every family, too, in two rounds in the place of ten.
WHOLE, FEW_ROUNDS = "separatrix compare", "separatrix compare --folds 2 --repeats 1"


def of_help():
    """Commands of all --help texts."""
    for name in main.COMMANDS:
        yield from map(without_words, main.main.get_command(None, name).examples)


def of_pages():
    """Lines of fenced blocks that call the command."""
    for page in PAGES:
        for block in re.findall(r"^```(?:bash|text|sh)?\n(.*?)^```$", page.read_text("utf-8"), flags=re.M | re.S):
            for line in block.splitlines():
                if line.startswith("separatrix ") and not PLACEHOLDER.search(line):
                    yield without_words(line)


def without_words(line):
    """A command without the words that explain it: a comment, or what stands far to the right.

    A folder of compiled loops is that of the tests, which is full.
    """
    return re.sub(r"SEPARATRIX_CACHE=\S+ ", "", re.split(r"\s{4,}|\s+# ", line)[0])


EXAMPLES = list(dict.fromkeys([*of_help(), *of_pages()]))


def test_examples_are_found_in_every_help_and_on_pages():
    assert all(main.main.get_command(None, name).examples for name in main.COMMANDS)
    assert len(EXAMPLES) > 30 and set(of_pages()) - set(of_help())


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with a small table of each name that an example uses, and a model of hearts."""
    folder, rng, n = tmp_path_factory.mktemp("examples"), np.random.default_rng(0), 90
    normal, words = rng.standard_normal, lambda *levels: rng.choice(levels, n)
    heart = pd.DataFrame({name: normal(n) for name in ("sbp", "tobacco", "ldl", "age")})
    heart["famhist"] = words("Present", "Absent")
    heart["chd"] = (heart["tobacco"] + heart["age"] + rng.logistic(size=n) > 0).astype(int)
    patients = heart.drop(columns="chd").assign(id=np.arange(n))
    prostate = pd.DataFrame({"lcavol": normal(n), "lweight": normal(n), "train": words("T", "F")})
    ames = pd.DataFrame({"Id": np.arange(n), "GrLivArea": 1500 + 300 * normal(n), "OverallQual": rng.integers(4, 8, n)})
    insects = pd.DataFrame(
        {"dose": 2.0 ** rng.integers(0, 6, n), "sex": words("m", "f"), "dead": rng.integers(1, 9, n)}
    )
    claims = pd.DataFrame({"region": words("north", "south"), "age": normal(n), "holders": rng.integers(50, 200, n)})
    claims["claims"] = rng.poisson(0.1 * claims["holders"])
    visits = pd.DataFrame(
        {"patient": np.repeat(np.arange(n // 3), 3), "dose": normal(n), "relapse": words("yes", "no")}
    )
    visits["subject"], visits["treatment"] = visits["patient"], words("drug", "placebo")
    visits["base"], visits["seizures"] = rng.integers(5, 60, n), rng.poisson(8, n)
    clots = pd.DataFrame({"dose": np.tile([5, 10, 20, 40, 60, 100], n // 6 + 1)[:n], "lot": words("one", "two")})
    clots["time"] = 1 / (0.01 * np.log(clots["dose"]) + 0.005 * (clots["lot"] == "two")) * rng.uniform(0.9, 1.1, n)
    cars = pd.DataFrame({"speed": rng.uniform(4, 25, n), "n": rng.integers(1, 4, n)})
    sales = pd.DataFrame({"year": rng.integers(2019, 2024, n), "amount": normal(n), "churned": words("yes", "no")})
    tables = {
        "heart": heart, "new": patients, "new_patients": patients, "prostate": prostate.assign(lpsa=normal(n)),
        "ames": ames.assign(SalePrice=100 * ames["GrLivArea"] + 2e4 * ames["OverallQual"] + 1e3 * normal(n)),
        "insects": insects.assign(alive=10 - insects["dead"]), "claims": claims, "visits": visits, "clots": clots,
        "cars": cars.assign(dist=3 * cars["speed"] + normal(n)),
        "women": pd.DataFrame({"height": np.arange(58, 73), "weight": np.arange(15) ** 1.2 + 115}),
    }  # fmt: skip
    tables["doses"] = tables["insects"]
    for name, table in tables.items():
        table.to_csv(folder / f"{name}.csv", index=False)
    sales.to_parquet(folder / "sales.parquet")
    call(["fit", "heart.csv", "-t", "chd", "-f", "LogisticRegression", "-o", "model.sepx"], folder)
    return folder


def call(arguments, folder):
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        result = CliRunner().invoke(main.main, arguments)
    assert result.exit_code == 0, (arguments, result.output, result.exception)


def call_by_shell(line, folder):
    """A line with pipes, in a shell that finds this interpreter's command first."""
    tools = folder / "tools"
    tools.mkdir()
    (tools / "separatrix").write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m separatrix.cli.main "$@"\n')
    (tools / "separatrix").chmod(0o755)
    script = f"set -o pipefail; PATH={shlex.quote(str(tools))}:$PATH; {line}"
    result = subprocess.run(["bash", "-c", script], cwd=folder, capture_output=True, text=True, timeout=300)
    broken_pipe = 141 if line.endswith("| head") else 0
    assert result.returncode in (0, broken_pipe), (line, result.stdout, result.stderr)


@pytest.mark.parametrize("line", EXAMPLES)
def test_an_example_runs(line, folder, tmp_path):
    if "jq" in line and shutil.which("jq") is None:
        pytest.skip("jq is not installed")
    own = tmp_path / "here"
    shutil.copytree(folder, own)
    line = line if line == WHOLE else line.replace(WHOLE, FEW_ROUNDS)
    if NEEDS_A_SHELL.search(re.sub(r"'[^']*'|\"[^\"]*\"", "", line)):
        call_by_shell(line, own)
    else:
        name, *arguments = shlex.split(line)
        assert name == "separatrix"
        call(arguments, own)
