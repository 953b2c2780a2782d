"""Each concern has one door: storage, compilation and validation are named in one place only."""

import ast
from pathlib import Path

import pytest

import separatrix

ROOT = Path(separatrix.__file__).parent
FILES = sorted(ROOT.rglob("*.py"))

STORAGE = {"issparse", "isspmatrix", "toarray", "todense", "indptr"}
COMPILERS = {"njit", "jit", "vectorize", "guvectorize", "jitclass", "cfunc"}
VALIDATION = {"check_array", "check_X_y", "validate_data"}


def names_used(tree):
    """Every name, attribute and imported name of a file, with its line."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            yield node.id, node.lineno
        elif isinstance(node, ast.Attribute):
            yield node.attr, node.lineno
        elif isinstance(node, ast.ImportFrom | ast.Import):
            for alias in node.names:
                yield alias.name.split(".")[-1], node.lineno


def outside(*homes):
    """All files of the package that are not under one of `homes`."""
    return [path for path in FILES if not any(path == ROOT / h or ROOT / h in path.parents for h in homes)]


def offenders(paths, forbidden):
    return [
        f"{path.relative_to(ROOT)}:{line} {name}"
        for path in paths
        for name, line in names_used(ast.parse(path.read_text()))
        if name in forbidden
    ]


def test_only_designs_know_how_x_is_stored():
    assert offenders(outside("designs"), STORAGE) == []


def test_only_the_jit_module_names_a_compiler():
    assert offenders(outside("core/jit.py"), COMPILERS) == []


def test_only_the_doors_validate():
    assert offenders(outside("estimators/validation.py"), VALIDATION) == []


def compiled_functions(tree):
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            names = {d.id for d in node.decorator_list if isinstance(d, ast.Name)}
            if "compiled" in names:
                yield node


def complaints(node):
    """What a compiled loop must not do: print, warn, raise, draw random numbers."""
    for part in ast.walk(node):
        if isinstance(part, ast.Raise):
            yield f"{part.lineno} raise"
        elif isinstance(part, ast.Name) and part.id in {"print", "warn", "warnings"}:
            yield f"{part.lineno} {part.id}"
        elif isinstance(part, ast.Attribute) and part.attr in {"random", "warn"}:
            yield f"{part.lineno} {part.attr}"


@pytest.mark.parametrize("path", FILES, ids=lambda p: str(p.relative_to(ROOT)))
def test_compiled_loops_are_silent(path):
    tree = ast.parse(path.read_text())
    loops = [tree] if "compiled" in path.parent.parts[-1:] else compiled_functions(tree)
    assert [c for loop in loops for c in complaints(loop)] == []


def test_the_checker_sees_a_loop_that_talks():
    source = "@compiled\ndef loop(x):\n    print(x)\n    if x < 0:\n        raise ValueError\n"
    (loop,) = compiled_functions(ast.parse(source))
    assert sorted(complaints(loop)) == ["3 print", "5 raise"]


def test_library_code_does_not_print():
    found = [
        f"{path.relative_to(ROOT)}:{node.lineno}"
        for path in outside("cli", "lab", "report")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "print"
    ]
    assert found == []
