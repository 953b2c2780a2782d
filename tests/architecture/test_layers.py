"""Imports point one way: a room may use the rooms below it, never those above."""

import ast
import sys
from pathlib import PurePosixPath

# Which rooms a room may import besides itself. A room that is not listed here must be added before it may exist.
CORE = {"core"}
PARTS = CORE | {"designs", "losses", "penalties"}
SOLVING = PARTS | {"solvers"}
TABLES = {"tables", "prediction"}  # beside the designs: they know neither scikit-learn nor a compiler
ESTIMATING = SOLVING | TABLES | {"estimators"}
READING = ESTIMATING | {"inference", "decision", "assess"}
DRAWING = READING | {"plots"}
REPORTING = DRAWING | {"report"}
BESIDE = {"datasets", "persist", "testing"}  # may use anything up to the report, used by no lower room
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
    "graphical",
    "decomposition",
    "preprocessing",
    "kernel_ridge",
    "kernels",
    "kernel_approximation",
    "calibration",
    "multiclass",
    # scikit-learn's own, passed through
    "pipeline",
    "model_selection",
    "metrics",
    "compose",
    "impute",
    "feature_selection",
}
WORKING = REPORTING | BESIDE | FACADES | {"__version__"}  # what the command line and the lab both do
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
    "__main__": {"cli"},
    **dict.fromkeys(BESIDE, REPORTING | {"__version__"}),
    **dict.fromkeys(FACADES, ESTIMATING),
}
OUTSIDE = {"numpy", "scipy", "sklearn", "numba", "narwhals", "click", "rich", "jinja2", "safetensors"}
OUTSIDE |= {"threadpoolctl", "llvmlite"}  # come with scikit-learn and with numba
# Imported inside the functions that need them: start-up does not wait for matplotlib and pyarrow; others may be absent.
ON_REQUEST = {"matplotlib", "pandas", "polars", "pyarrow", "dask", "duckdb", "formulaic", "onnx", "onnxruntime"}


def room_of(path):
    """The room a file belongs to: its first folder, or its own name for a module at the root."""
    parts = PurePosixPath(path).with_suffix("").parts
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


def imported(path, tree):
    return list(imports(tree, ("separatrix", *PurePosixPath(path).parent.parts)))


def upward(path, tree):
    """Modules of the package that a file may not import."""
    room = room_of(path)
    for module, _ in imported(path, tree):
        first, *parts = module.split(".")
        other = parts[0] if parts else ""
        if first == "separatrix" and other != room and other not in ALLOWED.get(room, ()):
            yield module


def undeclared(path, tree):
    """Packages that a file imports and pyproject.toml does not promise, or promises on request only."""
    for module, at_top in imported(path, tree):
        first = module.split(".")[0]
        if first == "separatrix" or first in sys.stdlib_module_names or first in OUTSIDE:
            continue
        if first not in ON_REQUEST or at_top:
            yield module


def test_every_room_has_a_place_in_the_order(sources):
    assert {room_of(source.path) for source in sources} - {""} <= set(ALLOWED)


def test_a_room_imports_only_rooms_below_it(sources):
    in_rooms = [source for source in sources if room_of(source.path)]
    assert [f"{s.path} imports {module}" for s in in_rooms for module in upward(s.path, s.tree)] == []


def test_the_package_itself_imports_nothing(sources):
    (package,) = [source for source in sources if not room_of(source.path)]
    assert imported(package.path, package.tree) == [("importlib", True)], "public names are imported lazily"


def test_nothing_outside_the_declared_dependencies_is_imported(sources):
    assert [f"{s.path} imports {module}" for s in sources for module in undeclared(s.path, s.tree)] == []


def test_scikit_learn_is_used_through_public_names_only(sources):
    modules = [(s.path, module) for s in sources for module, _ in imported(s.path, s.tree)]
    private = [m for m in modules if m[1].startswith("sklearn") and any(p.startswith("_") for p in m[1].split("."))]
    assert private == []


def test_only_the_command_line_knows_click_and_only_rooms_that_print_know_rich(sources):
    homes = {"click": {"cli"}, "rich": {"cli", "inference"}}
    firsts = [(s.path, module.split(".")[0]) for s in sources for module, _ in imported(s.path, s.tree)]
    assert [(path, first) for path, first in firsts if room_of(path) not in homes.get(first, {room_of(path)})] == []


def test_the_checker_sees_a_forbidden_import():
    tree = ast.parse("from separatrix.cli import main\nfrom ..cli import x\nfrom separatrix import cli")
    assert list(upward("core/problem.py", tree)) == ["separatrix.cli"] * 3
    assert list(upward("workflow/fit.py", tree)) == ["separatrix.cli"] * 3
    assert list(upward("lab/app.py", ast.parse("import separatrix.workflow.fit, separatrix.report"))) == []


def test_the_checker_sees_an_undeclared_package():
    tree = ast.parse("import torch, numpy, json\nimport pandas\ndef f():\n    import polars\n")
    assert list(undeclared("tables/frames.py", tree)) == ["torch", "pandas"]
