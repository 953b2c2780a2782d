"""The types that the package ships: complete for public estimators, and right in a user's hands."""

import inspect
import os
import re
import runpy
import subprocess
import sys
from functools import cached_property
from pathlib import Path

import pytest

import separatrix
from separatrix.core import registry

HERE = Path(__file__).parent
PACKAGE = Path(separatrix.__file__).parent


def functions(cls):
    """(name, function) of the constructor and of the public methods and properties that this package gives a class."""
    for base in cls.__mro__:
        if not base.__module__.startswith("separatrix."):
            continue
        for name, member in vars(base).items():
            if name.startswith("_") and name != "__init__":
                continue
            if isinstance(member, property):
                member = member.fget
            elif isinstance(member, cached_property):
                member = member.func
            elif isinstance(member, classmethod | staticmethod):
                member = member.__func__
            if inspect.isfunction(inspect.unwrap(member) if callable(member) else member):
                yield f"{base.__name__}.{name}", inspect.unwrap(member)


def lacking(function):
    """The parameters of a method, and "return", that have no annotation."""
    signature = inspect.signature(function)
    missing = [p.name for p in list(signature.parameters.values())[1:] if p.annotation is p.empty]
    return missing + (["return"] if signature.return_annotation is signature.empty else [])


@pytest.mark.parametrize("name", registry.members("estimator"))
def test_public_methods_are_annotated(name):
    cls = registry.members("estimator")[name]
    assert {method: lacking(function) for method, function in functions(cls) if lacking(function)} == {}


def test_a_missing_annotation_shows():
    def method(self, X, y: int = 0):
        return X

    assert lacking(method) == ["X", "return"]


def test_stubs_name_all_that_their_rooms_give():
    """A room whose members are imported late has a stub, from which it takes their names; the facades must agree."""
    for stub in PACKAGE.rglob("*.pyi"):
        module = ".".join(["separatrix", *stub.relative_to(PACKAGE).with_suffix("").parts]).removesuffix(".__init__")
        room = __import__(module, fromlist=["__all__"])
        names = set(re.findall(r"(\w+) as \1", stub.read_text())) | set(re.findall(r"^(\w+): ", stub.read_text(), re.M))
        for whole in re.findall(r"^from (\S+) import \*", stub.read_text(), re.M):
            names |= set(__import__(whole, fromlist=["__all__"]).__all__)
        assert names == set(room.__all__), module


@pytest.fixture(scope="module")
def complaints(tmp_path_factory):
    """(file, line) to error code, of mypy --strict on the two scripts beside this file."""
    pytest.importorskip("mypy")
    folder = tmp_path_factory.mktemp("mypy")
    command = [sys.executable, "-m", "mypy", "--strict", "--follow-imports=silent", "--no-error-summary"]
    command += ["--config-file=", f"--cache-dir={folder / 'cache'}", "--hide-error-context", "--show-error-codes"]
    command += [str(HERE / "right_use.py"), str(HERE / "wrong_use.py")]
    installed = "site-packages" in PACKAGE.parts  # mypy finds it there by its py.typed
    environment = {**os.environ, "MYPYPATH": "" if installed else str(PACKAGE.parent)}
    run = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert run.returncode in (0, 1), run.stdout + run.stderr
    lines = re.findall(r"(\w+)\.py:(\d+): error: .*\[([\w-]+)\]$", run.stdout, re.M)
    return {(file, int(line)): code for file, line, code in lines}


def test_right_use_passes(complaints):
    assert {line: code for (file, line), code in complaints.items() if file == "right_use"} == {}


def test_right_use_runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # it saves a model
    runpy.run_path(str(HERE / "right_use.py"))["use"]()


def test_wrong_use_is_refused(complaints):
    text = (HERE / "wrong_use.py").read_text().splitlines()
    expected = {i: line.split("# E: ")[1] for i, line in enumerate(text, 1) if "# E: " in line}
    assert {line: code for (file, line), code in complaints.items() if file == "wrong_use"} == expected
