"""The command in odd surroundings: streams, signals, warnings, folders and terminals of any kind."""

import os
import re
import signal
import subprocess
import sys
import time

import pytest

COMMAND = [sys.executable, "-m", "separatrix"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory, shop):
    folder = tmp_path_factory.mktemp("surroundings")
    (folder / "shop.csv").write_bytes(shop.read_bytes())
    done = separatrix(folder, "fit", "shop.csv", "-t", "bought", "--exclude", "spent", "-f", "LogisticRegression")
    assert done.returncode == 0, done.stderr
    return folder


def separatrix(folder, *arguments, without=(), **environment):
    environment = {**os.environ, "COLUMNS": "100", **environment}
    environment = {name: value for name, value in environment.items() if name not in without}
    return subprocess.run(
        [*COMMAND, *arguments], cwd=folder, capture_output=True, text=True, env=environment, check=False
    )


def in_shell(folder, line):
    line = line.replace("separatrix", f"'{sys.executable}' -m separatrix")
    return subprocess.run(["bash", "-c", line], cwd=folder, capture_output=True, text=True, timeout=120, check=False)


def test_warnings_as_errors_are_for_programs(folder):
    rows = [(i * i % 17, i * i % 23) for i in range(40)]
    (folder / "twice.csv").write_text("a,b,y\n" + "".join(f"{a},{3 * a},{a + b}.5\n" for a, b in rows))
    fit = ("fit", "twice.csv", "-t", "y", "-f", "LinearRegression", "-o", "w.sepx")
    plain, strict = separatrix(folder, *fit), separatrix(folder, *fit, PYTHONWARNINGS="error")
    assert "Note: The design has rank 1 of 2 columns" in plain.stderr
    assert (strict.returncode, strict.stdout) == (0, plain.stdout)
    assert strict.stderr == plain.stderr
    line = "-W error -m separatrix where huber"
    done = subprocess.run([sys.executable, *line.split()], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize(
    "line, code, said",
    [
        ("separatrix where huber >&-", 0, ""),
        ("separatrix predict model.sepx shop.csv >&-", 0, ""),
        ("separatrix predict model.sepx - <&-", 1, "Error: Cannot read standard input: it is empty."),
        ("separatrix nope 2>&-", 2, ""),
        ("separatrix predict model.sepx nowhere.csv 2>&-", 1, ""),
        ("separatrix predict model.sepx shop.csv -o all.csv <&- >&- 2>&-", 0, ""),
        ("separatrix where huber > /dev/full", 1, "Error: Cannot write to standard output: no space left on device."),
        ("separatrix --help > /dev/full", 1, "Error: Cannot write to standard output: no space left on device."),
        ("separatrix predict model.sepx shop.csv > /dev/full", 1, "Error: Cannot write to standard output: no space"),
        ("separatrix predict model.sepx shop.csv --json > /dev/full", 1, "Error: Cannot write to standard output"),
        ("separatrix predict model.sepx shop.csv | head -n 1; exit ${PIPESTATUS[0]}", None, ""),
        ("separatrix datasets digits --csv | head -n 1; exit ${PIPESTATUS[0]}", None, ""),
    ],
)
def test_streams_that_are_closed_or_full(folder, line, code, said):
    done = in_shell(folder, line)
    assert done.returncode in ((0, 141) if code is None else (code,)), done.stderr
    assert done.stderr.startswith(said)
    assert said or done.stderr == ""
    assert len(done.stderr.splitlines()) <= 1


def test_nothing_else_is_written_to_a_file_that_takes_the_place_of_a_closed_stream(folder):
    in_shell(folder, "separatrix predict model.sepx shop.csv -o whole.csv <&- >&- 2>&-")
    assert (folder / "whole.csv").read_text() == in_shell(folder, "separatrix predict model.sepx shop.csv").stdout


def test_a_process_without_a_home_works(folder, tmp_path):
    done = separatrix(folder, "predict", "model.sepx", "shop.csv", without=("HOME", "XDG_CACHE_HOME"))
    assert done.returncode == 0, done.stderr


def test_output_may_be_a_name_of_standard_output(folder):
    plain = separatrix(folder, "predict", "model.sepx", "shop.csv").stdout
    assert separatrix(folder, "predict", "model.sepx", "shop.csv", "-o", "-").stdout == plain
    assert separatrix(folder, "predict", "model.sepx", "shop.csv", "-o", "/proc/self/fd/1").stdout == plain


@pytest.mark.parametrize("columns", ["1", "20", "300"])
def test_no_number_is_cut_in_a_terminal_of_any_width(folder, columns):
    arguments = ("summary", "shop.csv", "spent ~ age")
    wide, other = (separatrix(folder, *arguments, COLUMNS=width) for width in ("100", columns))
    assert other.returncode == 0, other.stderr
    numbers = re.search(r"observations +(\d+)", wide.stdout)[1], re.search(r"\n age +(\S+)", wide.stdout)[1]
    assert re.search(r"observations +(\d+)", other.stdout)[1] == numbers[0]
    assert re.search(r"\n age +(\S+)", other.stdout)[1] == numbers[1]


@pytest.mark.parametrize("environment", [{"NO_COLOR": "1"}, {"TERM": "dumb"}], ids=str)
def test_a_plain_terminal_gets_no_colours(folder, environment):
    pty = pytest.importorskip("pty")
    reader, writer = pty.openpty()
    process = subprocess.Popen(
        [*COMMAND, "where", "huber"], stdout=writer, stderr=writer, env={**os.environ, "TERM": "xterm", **environment}
    )
    os.close(writer)
    shown = b""
    while process.poll() is None or not shown:
        try:
            shown += os.read(reader, 65536)
        except OSError:
            break
    assert process.wait() == 0
    assert not re.search(rb"\x1b\[3[0-9]", shown)
    assert b"Huber" in shown


# A command that has begun to write a file, beside a thread that would be waited for.
BUSY = """
import ctypes, os, signal, sys, threading, time
from separatrix.cli import start
from separatrix.core.atomic_file import atomic_file
from separatrix.workflow import demo

way = sys.argv.pop()

def wait():
    with atomic_file("out.txt", "w") as file:
        file.write("half")
        threading.Thread(target=time.sleep, args=(60,)).start()
        if way == "asleep":
            print("waiting", flush=True)
            time.sleep(60)
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.siginterrupt(number, False)  # the call below goes on after a signal, as a compiled loop does
        reader, _ = os.pipe()
        print("waiting", flush=True)
        ctypes.CDLL(None).read(reader, ctypes.create_string_buffer(1), 1)

demo.demonstrate = wait
start.run()
"""


@pytest.mark.parametrize("way", ["asleep", "in compiled code"])
@pytest.mark.parametrize(
    "number, said", [("SIGINT", "Interrupted."), ("SIGTERM", "Terminated."), ("SIGHUP", "The terminal was closed.")]
)
def test_a_signal_ends_the_command_at_once(tmp_path, way, number, said):
    process = subprocess.Popen(
        [sys.executable, "-c", BUSY, "demo", way], cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert process.stdout.readline() == b"waiting\n"
    time.sleep(0.05)
    sent = time.monotonic()
    process.send_signal(getattr(signal, number))
    _, errors = process.communicate(timeout=50)
    assert time.monotonic() - sent < 10.0  # a tenth of a second, on a machine with nothing else to do
    assert process.returncode == 128 + getattr(signal, number)
    assert errors.decode() == f"{said}\n"
    assert os.listdir(tmp_path) == []


# A process that is interrupted when it first imports a module.
IMPORTING = """
import os, signal, sys
from separatrix.cli import start

module = sys.argv.pop()

class Finder:
    def find_spec(self, name, path=None, target=None):
        if name == module:
            sys.meta_path.remove(self)
            os.kill(os.getpid(), signal.SIGINT)

sys.meta_path.insert(0, Finder())
start.run()
"""


@pytest.mark.parametrize("module", ["separatrix.cli.main", "click", "separatrix.cli.demo", "scipy", "sklearn", "rich"])
def test_an_interrupt_while_modules_are_imported_is_quiet(module):
    done = subprocess.run(
        [sys.executable, "-c", IMPORTING, "demo", module], capture_output=True, text=True, timeout=100, check=False
    )
    assert (done.returncode, done.stderr) == (130, "Interrupted.\n")


def test_a_signal_that_is_ignored_stays_ignored(tmp_path):
    """As nohup sets SIGHUP."""
    line = "trap '' HUP; separatrix where huber & sleep 0.1; kill -HUP $!; wait $!"
    done = in_shell(tmp_path, line)
    assert done.returncode == 0, done.stderr
    assert "Huber" in done.stdout
