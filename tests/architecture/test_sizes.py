"""Files and functions stay short, and no file is a drawer for leftovers."""

import ast
from pathlib import PurePosixPath

FILE_LINES = 400
FUNCTION_LINES = 60
DRAWERS = {"utils", "util", "helpers", "helper", "common", "misc", "tools", "stuff"}


def own_lines(node):
    """Lines of a function's body without its docstring."""
    body = node.body
    first = body[0]
    if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and isinstance(first.value.value, str):
        body = body[1:]
    return body[-1].end_lineno - body[0].lineno + 1 if body else 0


def functions(tree):
    return [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]


def test_files_stay_short(sources):
    lengths = {source.path: len(source.text.splitlines()) for source in sources}
    assert {path: length for path, length in lengths.items() if length > FILE_LINES} == {}


def test_functions_stay_short(sources):
    lengths = {f"{s.path}:{f.lineno} {f.name}": own_lines(f) for s in sources for f in functions(s.tree)}
    assert {name: length for name, length in lengths.items() if length > FUNCTION_LINES} == {}


def test_no_file_or_folder_is_a_drawer(sources):
    names = {part for source in sources for part in PurePosixPath(source.path).with_suffix("").parts}
    assert names & DRAWERS == set()


def test_no_work_is_left_as_a_note(sources):
    marks = ("TO" + "DO", "FIX" + "ME", "XX" + "X")
    assert [f"{source.path}: {mark}" for source in sources for mark in marks if mark in source.text] == []


def test_a_docstring_does_not_count_as_code():
    (function,) = functions(ast.parse('def f():\n    """One.\n\n    Two.\n    """\n    a = 1\n    return a\n'))
    assert own_lines(function) == 2
