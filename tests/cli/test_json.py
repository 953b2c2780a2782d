"""A contract over all commands: with --json one document on stdout, nothing else, and no NaN in it."""

import json

import pytest

from separatrix import __version__
from separatrix.cli import main
from separatrix.workflow import warmup

# Keys that programs may rely on, besides "command" and "separatrix".
KEYS = {
    "compare": {"table", "understanding", "standings", "recommended", "why", "score", "test_score", "written", "seed"},
    "fit": {"table", "understanding", "family", "class", "parameters", "rows", "certificate", "model"},
    "predict": {"model", "table", "rows", "columns"},
    "summary": {"table", "formula", "family", "rows", "dropped", "summary", "terms"},
    "explain": {"model", "table", "row", "prediction", "probabilities", "contributions", "flips", "distance"},
    "verify": {"model", "table", "rows", "same_data", "certificate", "verdict"},
    "where": {"name", "found"},
    "datasets": {"datasets"},
    "warmup": {"fits", "folder", "seconds", "trouble"},
    "demo": {"coefficients", "certificate"},
}


def arguments(command, linear):
    return {
        "compare": (
            "shop.csv", "-t", "bought", "--folds", 2, "--repeats", 1, "--family", "linear discriminant",
            "--no-report", "--no-model",
        ),
        "fit": ("shop.csv", "-t", "spent", "-f", "ridge", "-o", "json.sepx"),
        "predict": (linear, "shop.csv", "--proba"),
        "summary": ("shop.csv", "spent ~ age"),
        "explain": (linear, "shop.csv"),
        "verify": (linear, "shop.csv"),
        "where": ("lasso",),
    }.get(command, ())  # fmt: skip


def test_every_command_is_under_contract():
    assert set(KEYS) == set(main.COMMANDS)


@pytest.mark.parametrize("command", main.COMMANDS)
def test_json_is_one_document_with_the_promised_keys(command, shell, linear, monkeypatch):
    monkeypatch.setattr(warmup, "jobs", lambda models: [("A", "a fit", lambda: None)])
    found = shell.ok(command, *arguments(command, linear), "--json")

    def refuse(constant):
        raise AssertionError(f"{constant} is not JSON")

    document = json.loads(found.stdout, parse_constant=refuse)
    assert (document["command"], document["separatrix"]) == (command, __version__)
    assert KEYS[command] <= set(document)


def test_a_bundled_table_as_json_has_its_columns(shell):
    found = json.loads(shell.ok("datasets", "iris", "--json").stdout)
    assert len(found["columns"]["species"]) == found["rows"] == 150


def test_what_is_no_number_becomes_null():
    import numpy as np

    from separatrix.core.description import json_value

    found = json_value({"a": np.array([1.0, np.nan]), "b": np.float32(0.5), "c": (np.inf, np.True_), 4: np.int64(3)})
    assert found == {"a": [1.0, None], "b": 0.5, "c": [None, True], "4": 3}


def test_datasets_are_listed_told_and_piped(shell):
    from separatrix.datasets import available, load

    listed = shell.ok("datasets").output
    assert all(name in listed for name in available())
    assert "species" in shell.ok("datasets", "Iris").output
    lines = shell.ok("datasets", "iris", "--csv").stdout.splitlines()
    assert lines[1] == "5.1,3.5,1.4,0.2,setosa" and len(lines) == 151
    back = shell.ok("summary", "-", "`petal length (cm)` ~ `petal width (cm)`", "--json", input="\n".join(lines))
    assert json.loads(back.stdout)["rows"] == len(load("iris"))
    assert "iris" in shell("datasets", "irsi").stderr
    assert shell("datasets", "--csv").exit_code == 2
