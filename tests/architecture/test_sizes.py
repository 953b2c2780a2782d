"""Nothing grows beyond a screenful or two, and no file is a drawer for leftovers."""

import ast
from pathlib import Path

import pytest

import separatrix

ROOT = Path(separatrix.__file__).parent
FILES = sorted(ROOT.rglob("*.py"))

FILE_LINES = 400
FUNCTION_LINES = 60
DRAWERS = {"utils", "util", "helpers", "helper", "common", "misc", "tools", "stuff"}


def own_lines(node):
    """Lines of a function's body without its docstring and without functions defined inside a closure of it."""
    body = node.body
    first = body[0]
    if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and isinstance(first.value.value, str):
        body = body[1:]
    return body[-1].end_lineno - body[0].lineno + 1 if body else 0


def functions(tree):
    return [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]


@pytest.mark.parametrize("path", FILES, ids=lambda p: str(p.relative_to(ROOT)))
def test_files_and_functions_stay_short(path):
    text = path.read_text()
    assert len(text.splitlines()) <= FILE_LINES
    long = {f.name: own_lines(f) for f in functions(ast.parse(text)) if own_lines(f) > FUNCTION_LINES}
    assert long == {}


def test_no_file_or_folder_is_a_drawer():
    names = {part for path in FILES for part in path.relative_to(ROOT).with_suffix("").parts}
    assert names & DRAWERS == set()


def test_no_work_is_left_as_a_note():
    marks = ("TO" + "DO", "FIX" + "ME", "XX" + "X")
    found = [f"{p.relative_to(ROOT)}: {m}" for p in FILES for m in marks if m in p.read_text()]
    assert found == []


def test_a_docstring_does_not_count_as_code():
    (function,) = functions(ast.parse('def f():\n    """One.\n\n    Two.\n    """\n    a = 1\n    return a\n'))
    assert own_lines(function) == 2
