"""Loops of a comparison are compiled by a second process, which is started only where there is something to compile."""

import os
import select
import subprocess
import sys
from pathlib import Path
from typing import ClassVar

import numpy as np
import pytest

import separatrix
from separatrix.core.family import families
from separatrix.workflow import ahead, warmup
from separatrix.workflow.compare import compare_table

SOURCE = Path(separatrix.__file__).parents[1]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setattr(warmup, "cache_folder", lambda: str(tmp_path))
    return tmp_path


class Process:
    """Stands for a process that is started; what happens to it is noted in a list."""

    happened: ClassVar[list] = []

    def __init__(self, command, **streams):
        self.happened.append(tuple(command[command.index(ahead.CODE) + 1 :]))

    def kill(self):
        self.happened.append("killed")

    def __enter__(self):
        return self

    def __exit__(self, *raised):
        self.happened.append("waited for")


@pytest.fixture
def happened(monkeypatch):
    monkeypatch.setattr(Process, "happened", [])
    monkeypatch.setattr(ahead, "n_threads", lambda: 2)
    monkeypatch.setattr(subprocess, "Popen", Process)
    return Process.happened


def test_the_most_complex_models_come_first_and_compiled_ones_are_left_out(folder):
    models = ahead.models_to_compile("regression")
    complexity = {family.model.__name__: family.complexity for family in families("regression") if family.model}
    assert {"RandomForestRegressor", "SVR"} <= set(models)
    assert [complexity[name] for name in models] == sorted(map(complexity.get, models), reverse=True)
    warmup.compile_all(models=["SVR"])
    assert set(models) - set(ahead.models_to_compile("regression")) == {"SVR"}
    assert ahead.models_to_compile("regression", ["support vector machine, Gaussian kernel"]) == []


def test_every_model_that_is_compiled_ahead_is_known_to_be_compiled_afterwards(folder):
    """Otherwise each comparison would start the process anew."""
    for task in ("regression", "classification"):
        models = ahead.models_to_compile(task)
        assert {model for model, _, _ in warmup.jobs(models)} - {"KNeighborsClassifier"} == set(models)


def test_nothing_is_compiled_ahead_where_loops_cannot_be_kept(monkeypatch):
    monkeypatch.setattr(warmup, "cache_folder", lambda: None)
    assert ahead.models_to_compile("classification") == []


def test_the_process_ends_with_the_comparison_however_that_ends(happened):
    with pytest.raises(KeyboardInterrupt), ahead.compiling_ahead() as start:
        start(["SVC", "Lasso"])
        raise KeyboardInterrupt
    assert happened == [("SVC", "Lasso"), "killed", "waited for"]


def test_no_process_is_started_for_nothing_or_on_one_processor(happened, monkeypatch):
    with ahead.compiling_ahead() as start:
        start([])
        monkeypatch.setattr(ahead, "n_threads", lambda: 1)
        start(["SVC"])
    assert happened == []


def test_a_comparison_compiles_the_families_that_take_part(folder, happened, tmp_path):
    rng = np.random.default_rng(0)
    path = tmp_path / "table.csv"
    X = rng.standard_normal((60, 2))
    np.savetxt(path, np.column_stack([X, X[:, 0]]), delimiter=",", header="a,b,y", comments="")
    compare_table(str(path), "y", families=["decision tree", "ridge"], budget=None)
    assert happened == [("DecisionTreeRegressor",), "killed", "waited for"]


def test_an_unknown_model_is_refused_in_words():
    with pytest.raises(ValueError, match="no model of this library is called 'Laso'"):
        warmup.jobs(["Laso"])


def test_the_second_process_stops_where_loops_cannot_be_kept_and_marks_nothing(folder, monkeypatch):
    begun, full = [], []
    monkeypatch.setattr(ahead, "compile_all", lambda models: (begun.extend(models), full.append("a loop")))
    for each in (ahead, warmup):
        monkeypatch.setattr(each, "given_up", lambda: full)
    monkeypatch.setattr(ahead, "_end_with_the_first", lambda: None)
    ahead.compile_beside(["SVC", "SVR"])
    warmup._mark("SVC")
    assert (begun, warmup.is_compiled("SVC")) == (["SVC"], False)
    full.clear()
    warmup._mark("SVC")
    assert warmup.is_compiled("SVC")


def test_no_file_of_the_current_folder_is_run_by_the_second_process(tmp_path):
    for name in ("separatrix", "numba", "numpy", "threading"):
        (tmp_path / f"{name}.py").write_text("open('executed', 'w')")
    with subprocess.Popen(
        ahead._command(["Lasso"]), stdin=subprocess.PIPE, stderr=subprocess.PIPE, cwd=tmp_path
    ) as process:
        said = process.stderr.read().decode()
    assert (process.returncode, said) == (0, "")
    assert not (tmp_path / "executed").exists()


@pytest.mark.parametrize("options", [["-I"], ["-s"], []], ids=str)
def test_the_second_process_looks_for_modules_where_the_first_one_does(options):
    code = f"import sys; sys.path.insert(0, {str(SOURCE)!r}); from separatrix.workflow import ahead"
    code += "; print(ahead._command([]))"
    done = subprocess.run([sys.executable, *options, "-c", code], capture_output=True, text=True, check=True)
    given = {"-I": ["-E", "-s"]}.get(options[0], options) if options else []
    assert done.stdout == f"{[sys.executable, '-P', *given, '-c', ahead.CODE]}\n"


KILLED = """
import os, signal, subprocess, sys
from separatrix.workflow import ahead

class Watched(subprocess.Popen):
    def __init__(self, command, **streams):
        super().__init__(command, pass_fds=[int(sys.argv[1])], **streams)

subprocess.Popen, ahead.n_threads = Watched, lambda: 2
ahead.CODE = "import time; from separatrix.workflow import ahead; ahead.compile_all = lambda models: time.sleep(600)"
ahead.CODE += "; ahead.compile_beside(['SVC'])"
with ahead.compiling_ahead() as start:
    start(["SVC"])
    os.kill(os.getpid(), getattr(signal, sys.argv[2]))
"""


@pytest.mark.skipif(os.name != "posix", reason="processes do not inherit pipes here")
@pytest.mark.parametrize("number", ["SIGKILL", "SIGTERM", "SIGINT"])
def test_the_second_process_ends_with_the_first_however_that_ends(number):
    reader, writer = os.pipe()
    first = subprocess.Popen(
        [sys.executable, "-c", KILLED, str(writer), number], pass_fds=[writer], stderr=subprocess.DEVNULL
    )
    os.close(writer)
    assert first.wait(timeout=60) != 0
    with open(reader, "rb") as pipe:
        assert select.select([pipe], [], [], 30.0)[0]  # its last writer is gone
        assert pipe.read() == b""
