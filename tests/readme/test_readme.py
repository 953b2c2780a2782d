"""The README is true: its example runs, its map leads somewhere, its test command is the one that is run."""

import os
import re
import stat
import subprocess
from pathlib import Path

import pytest

import separatrix
from separatrix import (
    decomposition,
    discriminant_analysis,
    ensemble,
    graphical,
    kernel_ridge,
    linear_model,
    local,
    naive_bayes,
    neighbors,
    neural_network,
    svm,
    tree,
)
from separatrix.core import registry
from separatrix.core.declaration import declaration, file_of, resolved
from separatrix.penalties import NoPenalty

PACKAGE = Path(separatrix.__file__).parent
ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
ON_THE_MAP = (
    decomposition,
    discriminant_analysis,
    ensemble,
    graphical,
    kernel_ridge,
    linear_model,
    local,
    naive_bayes,
    neighbors,
    neural_network,
    svm,
    tree,
)


def blocks(language):
    return re.findall(rf"^```{language}\n(.*?)^```$", README, flags=re.M | re.S)


def table_rows():
    lines = [line for line in README.splitlines() if line.startswith("| `")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


def test_the_example_runs_and_prints_what_its_comments_say(capsys):
    (example,) = blocks("python")
    namespace = {}
    for line in example.splitlines():
        exec(line, namespace)
        printed = capsys.readouterr().out
        if line.startswith("print("):
            said = line.split("  # ")[1]
            assert printed.strip().startswith(said)


def test_the_example_has_eight_lines():
    (example,) = blocks("python")
    assert len([line for line in example.splitlines() if line]) == 8


@pytest.mark.parametrize("row", table_rows(), ids=lambda row: row[0])
def test_every_file_of_the_map_exists(row):
    paths = re.findall(r"`([\w/]+\.py)`", " ".join(row[1:]))
    assert len(paths) >= 2  # a model and its solver; most have a loss of their own too
    for path in paths:
        assert (PACKAGE / path).is_file(), path


def test_the_map_shows_every_model_in_the_file_that_defines_it():
    shown = {}
    for row in table_rows():
        for name in re.findall(r"`(\w+)`", row[0]):
            shown[name] = row[1].strip("`")
    public = {
        name: getattr(room, name) for room in ON_THE_MAP for name in room.__all__ if callable(getattr(room, name))
    }
    models = {name: cls for name, cls in public.items() if cls.__module__.startswith("separatrix.")}
    models = {name: cls for name, cls in models.items() if not cls.__module__.endswith(".export")}  # they draw models
    beside = {name for name in graphical.__all__ if name not in registry.members("estimator")}  # functions of tables
    models = {name: cls for name, cls in models.items() if name not in beside}
    assert sorted(shown) == sorted(models)
    for name, path in shown.items():
        home = models[name].__module__.split(".")[1:]
        assert "/".join(home) + ".py" == path


def test_losses_and_penalties_of_the_map_are_those_that_the_models_declare():
    members = registry.members("estimator")
    for row in (row for row in table_rows() if any(name in members for name in re.findall(r"`(\w+)`", row[0]))):
        paths = re.findall(r"`((?:losses|penalties|core)/\w+)\.py`", " ".join(row[2:]))
        known = [declaration(members[name]) for name in re.findall(r"`(\w+)`", row[0]) if name in members]
        parts = {part for each in known for part in resolved((*each.losses, *each.penalties))} - {NoPenalty}
        assert {f"separatrix.{path.replace('/', '.')}" for path in paths} == set(map(file_of, parts)), row[0]


def test_each_command_is_one_line_that_makes_its_own_environment():
    commands = [block.strip() for block in blocks("bash")]
    assert len(commands) == 2
    for command in commands:
        assert "\n" not in command
        assert command.startswith("python3 -m venv .venv && .venv/bin/pip install -q ")
    assert commands[0].endswith("/separatrix compare")


def test_ci_runs_the_command_of_the_readme(tmp_path):
    """A copy of the script beside a README with a harmless command runs that command, and fails when it fails."""
    script = ROOT / ".ci" / "run"
    assert os.stat(script).st_mode & stat.S_IXUSR
    (tmp_path / ".ci").mkdir()
    (tmp_path / ".ci" / "run").write_bytes(script.read_bytes())
    versions = tmp_path / ".ci" / "versions"
    versions.write_text("#!/bin/sh\necho '== pytest, lowest: 2 passed'\necho '== all passed'\n[ ! -e old ]\n")
    versions.chmod(0o755)
    fake = tmp_path / ".venv" / "bin"
    fake.mkdir(parents=True)
    for tool in ("ruff", "mypy", "pip", "sphinx-build", "pytest"):
        (fake / tool).write_text("#!/bin/sh\necho ran $0 $@\n[ ! -e broken ]\n")
        (fake / tool).chmod(0o755)
    (fake / "pytest").write_text("#!/bin/sh\necho '3 passed in 0.1s'\n[ ! -e broken ]\n")
    # the venv line is read, not run: python3 is a stand-in on this PATH
    (tmp_path / "python3").write_text("#!/bin/sh\nexit 0\n")
    (tmp_path / "python3").chmod(0o755)
    (tmp_path / "README.md").write_text("python3 -m venv .venv && .venv/bin/pytest -n 2\n")
    environment = {**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}"}

    def run():
        return subprocess.run(["bash", ".ci/run"], cwd=tmp_path, env=environment, capture_output=True, text=True)

    done = run()
    assert done.returncode == 0, done.stdout + done.stderr
    assert "\n== pytest, lowest: 2 passed\n== pytest: 3 passed in 0.1s\n== all passed" in done.stdout
    assert "ruff check ." in done.stdout and "ruff format --check ." in done.stdout and "mypy" in done.stdout
    (tmp_path / "old").touch()
    assert run().returncode != 0  # the smoke tests with the lowest versions fail, all others pass
    (tmp_path / "old").unlink()
    (tmp_path / "broken").touch()
    assert run().returncode != 0
    (tmp_path / "README.md").write_text("no command here\n")
    assert run().returncode != 0
