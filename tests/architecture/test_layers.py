"""Imports point one way: a room may use the rooms below it, never those above."""

import ast
from pathlib import Path

import pytest

import separatrix

ROOT = Path(separatrix.__file__).parent
FILES = sorted(ROOT.rglob("*.py"))

# Which rooms a room may import besides itself. A room that is not listed here must be added before it may exist.
CORE = {"core"}
PARTS = CORE | {"designs", "losses", "penalties"}
SOLVING = PARTS | {"solvers"}
TABLES = {"tables", "prediction"}  # beside the designs: they know neither scikit-learn nor a compiler
ESTIMATING = SOLVING | TABLES | {"estimators"}
READING = ESTIMATING | {"inference", "decision", "assess"}
DRAWING = READING | {"plots"}
REPORTING = DRAWING | {"report"}
BESIDE = {"datasets", "persist", "testing"}  # may use anything below the command line, used by no lower room
FACADES = {
    "linear_model",
    "local",
    "svm",
    "discriminant_analysis",
    "naive_bayes",
    "neighbors",
    "tree",
    "ensemble",
    "neural_network",
    "decomposition",
    "preprocessing",
    "kernel_ridge",
    "calibration",
    "multiclass",
}
WORKING = REPORTING | BESIDE | FACADES | {"__version__"}
ALLOWED = {
    "core": set(),
    "designs": CORE,
    "losses": CORE,
    "penalties": CORE,
    "solvers": PARTS,
    "tables": CORE,
    "prediction": CORE | {"tables"},
    "estimators": SOLVING | TABLES,
    "inference": ESTIMATING,
    "decision": ESTIMATING,
    "assess": READING,
    "plots": READING,
    "report": DRAWING,
    "workflow": WORKING,
    "cli": WORKING | {"workflow"},
    "lab": WORKING | {"workflow"},
    **dict.fromkeys(BESIDE, REPORTING | {"__version__"}),
    **dict.fromkeys(FACADES, ESTIMATING),
}
OUTSIDE = {"numpy", "scipy", "sklearn", "numba", "narwhals", "click", "rich", "jinja2", "safetensors"}
OUTSIDE |= {"threadpoolctl", "llvmlite"}  # come with scikit-learn and with numba
# Wanted only by those who ask for a picture or a frame; imported inside the function that needs them.
ON_REQUEST = {"matplotlib", "pandas", "polars", "pyarrow", "dask", "duckdb", "formulaic", "onnx", "onnxruntime"}


def room_of(path):
    """The room a file belongs to: its first folder, or its own name for a module at the root."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    return parts[0] if len(parts) > 1 or parts[0] != "__init__" else ""


def imports(tree, package):
    """(module, at the top of the file) for every absolute or relative import of a file."""
    top = set(map(id, tree.body))
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield alias.name, id(node) in top
        elif isinstance(node, ast.ImportFrom):
            if node.level:
                base = package[: len(package) - node.level + 1]
                yield ".".join([*base, *([node.module] if node.module else [])]), id(node) in top
            elif node.module == "separatrix":
                for alias in node.names:
                    yield f"separatrix.{alias.name}", id(node) in top
            else:
                yield node.module, id(node) in top


def imported(path):
    package = ("separatrix", *path.relative_to(ROOT).parent.parts)
    return list(imports(ast.parse(path.read_text()), package))


@pytest.mark.parametrize("path", FILES, ids=lambda p: str(p.relative_to(ROOT)))
def test_a_room_imports_only_rooms_below_it(path):
    room = room_of(path)
    if not room:
        assert imported(path) == [("importlib", True)], "the package itself imports nothing: it is lazy"
        return
    assert room in ALLOWED, f"the room {room!r} has no place in the order yet"
    for module, _ in imported(path):
        if module.split(".")[0] == "separatrix":
            parts = module.split(".")
            other = parts[1] if len(parts) > 1 else ""
            assert other == room or other in ALLOWED[room], f"{room} may not import {module}"


@pytest.mark.parametrize("path", FILES, ids=lambda p: str(p.relative_to(ROOT)))
def test_nothing_outside_the_declared_dependencies_is_imported(path):
    import sys

    for module, at_top in imported(path):
        first = module.split(".")[0]
        if first == "separatrix" or first in sys.stdlib_module_names or first in OUTSIDE:
            continue
        assert first in ON_REQUEST and not at_top, f"{module} is not a dependency of the library"


def test_only_the_command_line_knows_click_and_only_rooms_that_print_know_rich():
    for path in FILES:
        modules = {module.split(".")[0] for module, _ in imported(path)}
        assert "click" not in modules or room_of(path) == "cli", path
        assert "rich" not in modules or room_of(path) in {"cli", "inference"}, path


def test_scikit_learn_is_used_through_public_names_only():
    for path in FILES:
        for module, _ in imported(path):
            if module.startswith("sklearn"):
                assert not any(part.startswith("_") for part in module.split(".")), f"{path.name}: {module}"


def test_the_checker_sees_a_forbidden_import():
    tree = ast.parse("from separatrix.cli import main\nfrom ..cli import x\nfrom separatrix import cli")
    found = [module for module, _ in imports(tree, ("separatrix", "core"))]
    assert found == ["separatrix.cli", "separatrix.cli", "separatrix.cli"]
