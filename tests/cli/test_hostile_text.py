"""Names and labels that hold commands for a terminal, markup, formulas or HTML are shown, and do nothing."""

import csv
import json
import os
import pty
import random
import re
import shlex
import subprocess
import sys
import unicodedata
from html.parser import HTMLParser

import pytest

COMMAND = [sys.executable, "-m", "separatrix.cli.main"]
NAMES = (
    "red\x1b[31m",
    "link\x1b]8;;http://evil\x07x\x1b]8;;\x07",
    "over\rwritten",
    "back\b\bspace",
    "bidi\u202eabc\u2066x",
    "c1\x9b31m\x85",
    "zero\u200bwidth\ufeff",
    "[bold]m[/bold] [link=http://e]l[/link] :smile:",
    "$\\frac{1}$ $x_",
    "</script><script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "line\nError: forged",
)
CATEGORY, TARGET, NUMBER = "levels\x1b[7m", "target\x1b[32m[red]$\\frac", "y\x1b[1m\u202e"
YES, NO = "yes\x1b[5m\u202e[b]$\\frac$", "no\x9b5m</script>"
TABLE = "rows\x1b[31m\u202e.csv"
HIDDEN = {"Cc", "Cf", "Cs", "Zl", "Zp"}


def hidden(text):
    """Characters of a text that a terminal would obey or not show, ends of lines aside."""
    return {char for char in text if char != "\n" and unicodedata.category(char) in HIDDEN}


def write_table(path, rows=90):
    draw = random.Random(0)
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow([*NAMES, "copy\x1b[0m", CATEGORY, NUMBER, TARGET])
        for _ in range(rows):
            x = [round(draw.gauss(0, 1), 4) for _ in NAMES]
            level = draw.choice(["A\x1b[1m", "B\u202e", "[u]C"])
            score = x[0] + x[1] + draw.gauss(0, 1)
            writer.writerow([*x, x[0], level, round(score, 3), YES if score > 0 else NO])


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("hostile")
    write_table(folder / TABLE)
    done = separatrix(
        folder, "fit", TABLE, "-t", TARGET, "--exclude", NUMBER, "-f", "logistic regression, L2", "-o", "m.sepx"
    )
    assert done.returncode == 0, done.stderr
    return folder


def separatrix(folder, *arguments, encoding="utf-8", **environment):
    """A command in a process of its own; its output is decoded strictly."""
    environment = {**os.environ, "COLUMNS": "100", **environment}
    done = subprocess.run([*COMMAND, *arguments], cwd=folder, capture_output=True, env=environment, check=False)
    done.stdout, done.stderr = done.stdout.decode(encoding), done.stderr.decode(encoding)
    return done


COMMANDS = {
    "fit": ("fit", TABLE, "-t", TARGET, "--exclude", NUMBER, "-f", "naive Bayes, mixed kinds", "-o", "n.sepx"),
    "fit, rank deficient": ("fit", TABLE, "-t", NUMBER, "-f", "LinearRegression", "-o", "n.sepx"),
    "explain": ("explain", "m.sepx", TABLE),
    "verify": ("verify", "m.sepx", TABLE),
    "verify of nothing": ("verify", TABLE, "m.sepx"),
    "summary": ("summary", TABLE, f"`{NUMBER}` ~ `{NAMES[0]}` + `{CATEGORY}`", "--terms"),
    "no such target": ("fit", TABLE, "-t", "\x1b[31mnone", "-f", "lasso"),
    "no such column": ("predict", "m.sepx", TABLE, "--keep", "\x1b[31mnone"),
    "no such file": ("predict", "m.sepx", "\x1b[31mnone\x9b.csv"),
    "no such model": ("predict", "\x1b[31mnone\x9b.sepx", TABLE),
    "no such folder": ("predict", "m.sepx", TABLE, "-o", "\x1b[31mnone\x9b/a.csv"),
    "no such command": ("\x1b[31mfit\u202e",),
    "no such option": ("fit", "--\x1b[31mnone\x9b"),
    "no such option at all": ("--\x1b[31mnone\x9b",),
    "no such choice": ("fit", TABLE, "-t", TARGET, "--task", "\x1b[31m\x9b"),
    "no such family": ("fit", TABLE, "-t", TARGET, "-f", "\x1b[31m\x9b"),
    "no such setting": ("fit", TABLE, "-t", TARGET, "-f", "Lasso", "--set", "\x1b[31m\x9b"),
    "no such formula": ("summary", TABLE, "y ~ \x1b[31m\x9b("),
    "no such data set": ("datasets", "\x1b[31m\x9b"),
    "no such name": ("where", "\x1b[31m\x9b"),
}


@pytest.mark.parametrize("what", COMMANDS)
def test_no_command_prints_what_a_terminal_obeys(folder, what):
    done = separatrix(folder, *COMMANDS[what])
    assert "Unexpected" not in done.stderr
    assert hidden(done.stdout) == hidden(done.stderr) == set(), (what, done.stdout, done.stderr)
    assert "\nError: forged" not in done.stdout + done.stderr


def test_a_comparison_prints_nothing_that_a_terminal_obeys(folder):
    done = separatrix(
        folder, "compare", TABLE, "-t", TARGET, "--folds", "3", "--repeats", "1",
        "--family", "logistic regression, L2", "--family", "linear discriminant", "--model", "c.sepx",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert hidden(done.stdout) == hidden(done.stderr) == set()
    assert "[bold]m[/bold]" in done.stdout + (folder / "report.html").read_text()
    check_page((folder / "report.html").read_text())


class Page(HTMLParser):
    def __init__(self):
        super().__init__()
        self.tags, self.scripts, self.events = set(), 0, []

    def handle_starttag(self, tag, attributes):
        self.tags.add(tag)
        self.events += [name for name, _ in attributes if name.startswith("on")]
        self.events += [value for name, value in attributes if name in ("href", "src") and not value.startswith("#")]


def check_page(text):
    page = Page()
    page.feed(text)
    assert not page.tags & {"script", "img", "iframe", "object", "b"}
    assert page.events == []
    assert hidden(text) - {"\t"} == set()
    assert "could not be made" not in text  # a picture that an odd name breaks


def test_on_a_terminal_only_styles_of_our_own_are_printed(folder):
    """The same in colour: what remains without our own styles holds no command."""
    reader, writer = pty.openpty()
    process = subprocess.Popen(
        [*COMMAND, "explain", "m.sepx", TABLE], cwd=folder, stdout=writer, stderr=writer, stdin=writer,
        env={**os.environ, "TERM": "xterm-256color"},
    )  # fmt: skip
    os.close(writer)
    shown = b""
    while True:
        try:
            piece = os.read(reader, 65536)
        except OSError:
            break
        if not piece:
            break
        shown += piece
    assert process.wait() == 0
    text = shown.decode()
    assert "\x1b[1m" in text
    plain = re.sub(r"\x1b\[(?:1|2|31|32|0|1;36)m", "", text.replace("\r\n", "\n"))
    assert hidden(plain) == set()
    assert "\x1b[5m" not in text
    assert "\x1b[7m" not in text


def test_json_holds_the_labels_and_prints_nothing_hidden(folder):
    for encoding in ("utf-8", "ascii", "latin-1"):
        done = separatrix(folder, "predict", "m.sepx", TABLE, "--json", encoding=encoding, PYTHONIOENCODING=encoding)
        assert hidden(done.stdout) == set()
        assert set(json.loads(done.stdout)["columns"]["prediction"]) == {YES, NO}


@pytest.mark.parametrize("encoding", ["ascii", "latin-1"])
@pytest.mark.parametrize(
    "arguments",
    [("where", "huber"), ("where",), ("demo",), ("--help",), ("compare", "--help"), ("explain", "m.sepx", TABLE)],
    ids=lambda arguments: " ".join(arguments[:2]).split("\x1b")[0],
)
def test_a_narrow_encoding_is_no_error(folder, arguments, encoding):
    done = separatrix(folder, *arguments, encoding=encoding, PYTHONIOENCODING=encoding)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""


def test_predictions_on_stdout_are_utf8_in_any_locale(tmp_path):
    (tmp_path / "t.csv").write_text("x,y\n" + "".join(f"{i},{'größer' if i > 20 else 'β'}\n" for i in range(40)))
    separatrix(tmp_path, "fit", "t.csv", "-t", "y", "-f", "nearest class mean", "-o", "m.sepx")
    done = separatrix(tmp_path, "predict", "m.sepx", "t.csv", PYTHONIOENCODING="ascii", LANG="C")
    assert done.returncode == 0, done.stderr
    assert set(done.stdout.split()) == {"prediction", "größer", "β"}


@pytest.mark.parametrize("name", ["x; touch INJECTED; .csv", "-rf.csv", "$(touch INJECTED).csv", "a'b\x1b[1m.csv"])
def test_proposed_commands_can_be_run_as_they_are(folder, tmp_path, name):
    write_table(tmp_path / name)
    model = "-m; touch INJECTED.sepx"
    done = separatrix(
        tmp_path, "fit", "-t", TARGET, "--exclude", NUMBER, "-f", "nearest class mean", "-o", model, "--", name
    )
    line = done.stdout.split("Next:")[1].strip()
    assert hidden(line) == set()
    command = line.replace("separatrix", " ".join(map(shlex.quote, COMMAND)), 1)
    run = subprocess.run(["bash", "-c", f"{command} > answers.csv"], cwd=tmp_path, capture_output=True, check=False)
    assert run.returncode == 0, (line, run.stderr)
    assert not (tmp_path / "INJECTED").exists()
    with open(tmp_path / "answers.csv", newline="", encoding="utf-8") as file:
        assert len(list(csv.reader(file))) == 91


def test_a_long_command_is_not_broken_into_lines(tmp_path):
    name = "a rather long name of a table " * 5 + ".csv"
    write_table(tmp_path / name)
    done = separatrix(tmp_path, "fit", name, "-t", TARGET, "-f", "nearest class mean", COLUMNS="40")
    (line,) = [line for line in done.stdout.splitlines() if "separatrix predict" in line]
    assert shlex.split(line)[-1] == name
