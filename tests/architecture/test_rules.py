"""Rules about what a file of the package may say, and where.

A rule is a function from a syntax tree to the (line, words) that break it.
"""

import ast
from collections.abc import Callable
from typing import NamedTuple

import pytest

from separatrix.core import registry

LOSSES_AND_PENALTIES = {*registry.members("loss"), *registry.members("penalty")}
FIELDS = {"lam", "l1", "l2", "positive"}  # of the penalties in penalties/
SAMPLES = {
    "block",  # some rows that a design hands out
    "self",
    "data",
    "_data",
    "sample",
    "part",
    "train",
    "validation",
    "both",
    "fit",
}  # X beside y in full: not a design
STORAGE = {"issparse", "isspmatrix", "toarray", "todense", "indptr", "offers", "SparseDesign"}
COMPILERS = {"njit", "jit", "vectorize", "guvectorize", "jitclass", "cfunc"}
VALIDATION = {"check_array", "check_X_y", "validate_data"}


def last_name(node):
    """``c`` of the expression ``a.b.c``; empty if it ends in a call or a subscript."""
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")


def name_in_text(node):
    """``name`` of ``getattr(x, "name")`` or ``hasattr(x, "name")``; else None."""
    if isinstance(node, ast.Call) and last_name(node.func) in {"getattr", "hasattr"}:
        return getattr(node.args[1], "value", None)
    return None


def names(tree):
    """(line, name) of every name, attribute, imported name, and name in text."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Name | ast.Attribute):
            yield node.lineno, last_name(node)
        elif isinstance(node, ast.ImportFrom | ast.Import):
            yield from ((node.lineno, alias.name.split(".")[-1]) for alias in node.names)
        elif isinstance(name_in_text(node), str):
            yield node.lineno, name_in_text(node)


def calls(tree, *functions):
    return [node for node in ast.walk(tree) if isinstance(node, ast.Call) and last_name(node.func) in functions]


def says(words):
    return lambda tree: [(line, name) for line, name in names(tree) if name in words]


def storage_questions(tree):
    """Words of scipy.sparse, what a design offers, and its ``.X``."""
    yield from says(STORAGE)(tree)
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and node.attr == "X" and last_name(node.value) not in SAMPLES:
            yield node.lineno, ast.unparse(node)


def class_questions(tree):
    """Losses and penalties told apart by their class: isinstance, a comparison of types, a class pattern."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and last_name(node.func) in {"isinstance", "issubclass"}:
            asked = node.args[1:]
        elif isinstance(node, ast.Compare) and calls(node, "type"):
            asked = [node]
        elif isinstance(node, ast.MatchClass):
            asked = [node.cls]
        else:
            continue
        if {last_name(part) for each in asked for part in ast.walk(each)} & LOSSES_AND_PENALTIES:
            yield node.lineno, ast.unparse(node)


def penalty_fields(tree):
    """Fields of penalties read by name; a class may have fields of these names itself (``self.lam``)."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute):
            if node.attr in FIELDS and isinstance(node.ctx, ast.Load) and last_name(node.value) != "self":
                yield node.lineno, ast.unparse(node)
        elif name_in_text(node) in FIELDS:
            yield node.lineno, ast.unparse(node)


def bytecode(tree):
    return [(line, name) for line, name in names(tree) if name in {"__code__", "dis"} or name.startswith("co_")]


def found_bindings(tree):
    """Variables and arguments that are called ``found`` instead of what they are."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and node.id == "found" and isinstance(node.ctx, ast.Store):
            yield node.lineno, "found ="
        elif isinstance(node, ast.arg) and node.arg == "found":
            yield node.lineno, "argument found"


def guesses(tree):
    """Questions what an object has: ``hasattr(x, name)``, ``getattr(x, name, default)``."""
    for node in calls(tree, "hasattr", "getattr"):
        if last_name(node.func) == "hasattr" or len(node.args) + len(node.keywords) > 2:
            yield node.lineno, ast.unparse(node)


def locked_properties(tree):
    """``cached_property`` of functools, which computes under a lock up to Python 3.11."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module == "functools":
            yield from ((node.lineno, alias.name) for alias in node.names if alias.name == "cached_property")
        elif isinstance(node, ast.Attribute) and node.attr == "cached_property":
            yield node.lineno, ast.unparse(node)


def noise(tree):
    """What a compiled loop must not do: print, warn, raise, draw random numbers."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Raise):
            yield node.lineno, "raise"
        elif last_name(node) in {"print", "warn", "warnings", "random"}:
            yield node.lineno, last_name(node)


def noise_in_loops(tree):
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and "compiled" in map(last_name, node.decorator_list):
            yield from noise(node)


def constructions(tree):
    return [(node.lineno, "Certificate(...)") for node in calls(tree, "Certificate")]


def judgements(tree):
    return [(node.lineno, "certify(...)") for node in calls(tree, "certify") if isinstance(node.func, ast.Name)]


def prints(tree):
    return [(node.lineno, "print(...)") for node in calls(tree, "print") if isinstance(node.func, ast.Name)]


class Rule(NamedTuple):
    """A sentence, the function that yields what breaks it, where it holds, and an example that breaks it."""

    sentence: str
    breaks: Callable
    holds: Callable
    example: str
    count: int = 1  # how many times the example breaks it


def everywhere(source):
    return True


def inside(*homes):
    return lambda source: source.below(*homes)


def outside(*homes):
    return lambda source: not source.below(*homes)


RULES = {
    "locks": Rule(
        "Properties that are kept are those of core/cached.py, which no other thread can lock.",
        locked_properties,
        outside("core/cached.py"),
        "from functools import cached_property, partial\n@functools.cached_property\ndef total(self): ...",
        2,
    ),
    "storage": Rule(
        "Only designs/ know how X is stored.",
        storage_questions,
        outside("designs"),
        "if issparse(A) or 'gram' in design.offers:\n"
        "    A = problem.design.X[:5] + design.take(rows).X + data.X + self.X",
        4,
    ),
    "compiler": Rule(
        "Only core/jit.py names a compiler.",
        says(COMPILERS),
        outside("core/jit.py"),
        "from numba import njit\nloop = numba.vectorize(step)",
        2,
    ),
    "validation": Rule(
        "Only estimators/validation.py validates data.",
        says(VALIDATION),
        outside("estimators/validation.py"),
        "from sklearn.utils import check_array\nX = validate_data(self, X)",
        2,
    ),
    "compiled": Rule(
        "Compiled loops are silent.",
        noise_in_loops,
        everywhere,
        "@compiled\ndef loop(x):\n    print(x)\n    if x < 0:\n        raise OverflowError\ndef other():\n    print()",
        2,
    ),
    "compiled-folder": Rule(
        "Compiled loops are silent.",
        noise,
        lambda source: "/compiled/" in source.path,
        "def loop(x):\n    x[0] = np.random.random()",
        2,
    ),
    "print": Rule(
        "Library code does not print.",
        prints,
        outside("cli", "lab", "report"),
        "print(1)\nconsole.print(2)",
    ),
    "class": Rule(
        "Only losses/ and penalties/ look at the class of a loss or a penalty.",
        class_questions,
        outside("losses", "penalties"),
        "if isinstance(p, L1 | ElasticNet) or type(p) is L2 or isinstance(x, list):\n    pass\n"
        "match loss:\n    case Squared():\n        pass",
        3,
    ),
    "field": Rule(
        "Solvers and core do not read fields of penalties.",
        penalty_fields,
        inside("solvers", "core"),
        "self.lam = problem.penalty.lam + getattr(penalty, 'l1', 0.0) + self.l2",
        2,
    ),
    "bytecode": Rule(
        "Nobody reads bytecode.",
        bytecode,
        everywhere,
        "import dis\nnames = make.__code__.co_names\nnames = getattr(make, '__code__', None)",
        4,
    ),
    "found": Rule(
        "A variable is called what it is, not `found`.",
        found_bindings,
        everywhere,
        "found = 1\ndef f(found):\n    return [found for found in found]\nself.found = 2",
        3,
    ),
    "guess": Rule(
        "Only core/protocol.py asks objects what they have; models declare what they are.",
        guesses,
        outside("core/protocol.py", "core/jit.py"),  # whose first question to an argument is its size
        "if hasattr(model, 'coef_') or getattr(model, 'alpha_', None) is None:\n    getattr(room, name)",
        2,
    ),
    "certificate": Rule(
        "Certificates are made in core.",
        constructions,
        outside("core"),
        "self.certificate_ = Certificate('gap', 0.0, 1e-8)",
    ),
    "grade": Rule(
        "Solvers return no grade and warn of none.",
        says({"Certificate", "NotCertified", "warn_if_not_certified"}),
        inside("solvers"),
        "from separatrix.core.errors import NotCertified\nwarnings.warn(NotCertified('gap', 1.0, 0.1, 1, ''))",
        2,
    ),
    "judge": Rule(
        "Fits are certified in estimators/published.py; verify does it again, and a solver may stop by it.",
        judgements,
        outside("core", "solvers", "estimators/published.py", "estimators/verify.py", "estimators/recompute"),
        "self.certificate_ = certify(problem, solution, 1e-8)\nself.within.certify(A, B)",
    ),
}


@pytest.mark.parametrize("name", RULES)
def test_rule_holds(name, sources):
    rule, offenders = RULES[name], []
    for source in filter(rule.holds, sources):
        offenders += [f"{source.path}:{line} {words}" for line, words in sorted(rule.breaks(source.tree))]
    assert not offenders, "\n".join([rule.sentence, *offenders])


@pytest.mark.parametrize("name", RULES)
def test_rule_sees_a_violation(name):
    rule = RULES[name]
    assert len(list(rule.breaks(ast.parse(rule.example)))) == rule.count
