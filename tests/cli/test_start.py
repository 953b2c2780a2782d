"""Starting, failing and stopping: what a shell user expects of a command."""

import os
import signal
import subprocess
import sys
import time

import click
import pytest
from click.testing import CliRunner

from separatrix import __version__
from separatrix.cli import main
from separatrix.cli.options import Seconds
from separatrix.workflow import demo

COMMAND = [sys.executable, "-m", "separatrix.cli.main"]
HEAVY = {"numpy", "scipy", "numba", "sklearn", "rich", "matplotlib", "pandas", "narwhals", "jinja2"}


def run(*arguments, **options):
    return CliRunner().invoke(main.main, list(arguments), **options)


def imported_by(*arguments):
    """Heavy modules that a process holds after a command."""
    code = (
        "import sys\nfrom separatrix.cli.main import main\n"
        f"try:\n    main({list(arguments)!r})\nexcept SystemExit:\n    pass\n"
        f"sys.stderr.write('heavy:' + ' '.join(sorted({HEAVY!r} & set(sys.modules))))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(done.stderr.split("heavy:")[1].split())


def test_version_is_the_version_of_the_package():
    found = run("--version")
    assert found.exit_code == 0
    assert __version__ in found.output


def test_help_names_every_command_with_a_whole_sentence():
    found = run("--help")
    assert found.exit_code == 0
    shown = found.output.split("Commands:")[1]
    assert all(f"  {command} " in shown for command in main.COMMANDS)
    assert "..." not in shown


@pytest.mark.parametrize("command", main.COMMANDS)
def test_every_command_explains_itself_with_an_example(command):
    found = run(command, "--help")
    assert found.exit_code == 0
    assert f"separatrix {command}" in found.output.split("Examples:")[1]
    assert "--json" in found.output
    assert max(map(len, found.output.splitlines())) <= 100


def test_help_imports_nothing_heavy():
    assert imported_by("--help") == set()
    for command in main.COMMANDS:  # one process would do for all, but the failure would not say which
        module = f"separatrix.cli.{command}"
        code = f"import sys, {module}; print(sorted({HEAVY!r} & set(sys.modules)))"
        if command in ("compare", "predict"):
            done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
            assert done.stdout.strip() == "[]", command


def test_no_command_file_imports_anything_heavy_at_its_top():
    import ast
    from pathlib import Path

    for command in main.COMMANDS:
        tree = ast.parse((Path(main.__file__).parent / f"{command}.py").read_text())
        tops = [node for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom)]
        named = {getattr(node, "module", None) or node.names[0].name for node in tops}
        assert named <= {"click", "functools", "math", "separatrix.cli.options"}, command


def test_an_error_is_a_sentence_and_with_debug_a_traceback(monkeypatch):
    def fail():
        raise ValueError("Cannot fit: the moon is full. Use patience.")

    monkeypatch.setattr(demo, "demonstrate", fail)
    found = run("demo")
    assert found.exit_code == 1
    assert found.stdout == ""
    assert found.stderr == "Error: Cannot fit: the moon is full. Use patience.\n"
    assert isinstance(run("--debug", "demo").exception, ValueError)
    assert isinstance(run("demo", "--debug").exception, ValueError)


def test_an_unexpected_error_has_a_code_of_its_own(monkeypatch):
    def fail():
        raise ZeroDivisionError("division by zero")

    monkeypatch.setattr(demo, "demonstrate", fail)
    found = run("demo")
    assert found.exit_code == 70
    assert "ZeroDivisionError: division by zero" in found.stderr
    assert "--debug" in found.stderr


def test_a_missing_file_is_named():
    found = run("summary", "no_such_file.csv", "y ~ x")
    assert found.exit_code == 1
    assert "no_such_file.csv" in found.stderr
    assert "Traceback" not in found.stderr


@pytest.mark.parametrize(
    "arguments, hint",
    [
        (("compere",), "Did you mean 'compare'?"),
        (("dance",), "There are: compare"),
        (("where", "--jsn"), "--json"),
        (("compare", "--targt", "y"), "--target"),
        (("compare", "x.csv"), "--target"),
        (("compare", "--budget", "soon"), "not a time"),
    ],
)
def test_a_command_line_that_cannot_be_read_gets_a_hint(arguments, hint):
    found = run(*arguments)
    assert found.exit_code == 2
    assert hint in found.stderr


@pytest.mark.parametrize(
    "text, seconds",
    [("30", 30), ("120s", 120), ("2m", 120), ("2 min", 120), ("1m30s", 90), ("55ms", 0.055), ("1.5h", 5400)],
)
def test_a_budget_is_read_as_people_write_it(text, seconds):
    assert Seconds().convert(text, None, None) == seconds


@pytest.mark.parametrize("text", ["0", "-1", "2x", "", "m"])
def test_a_budget_of_nothing_is_refused(text):
    with pytest.raises(click.BadParameter):
        Seconds().convert(text, None, None)


def test_a_reader_that_goes_away_is_no_error():
    writer = subprocess.Popen([*COMMAND, "where"], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    writer.stdout.close()  # before anything is written
    errors = writer.stderr.read().decode()
    assert writer.wait() in (0, 141)
    assert errors == ""


def test_an_interrupt_is_quiet():
    code = (
        "import time, sys\nfrom separatrix.cli import main\nfrom separatrix.workflow import demo\n"
        "def wait():\n    print('waiting', flush=True)\n    time.sleep(60)\n"
        "demo.demonstrate = wait\nmain.main(['demo'])\n"
    )
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout.readline() == b"waiting\n"
    time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=30)
    assert process.returncode == 130
    assert errors == b"Interrupted.\n"


def test_output_that_is_no_terminal_is_plain():
    environment = {**os.environ, "COLUMNS": "90"}
    done = subprocess.run([*COMMAND, "where", "huber"], capture_output=True, check=True, env=environment)
    assert b"\x1b" not in done.stdout
    lines = done.stdout.decode().splitlines()
    assert max(map(len, lines)) <= 90
    assert all(line == line.rstrip() for line in lines)
