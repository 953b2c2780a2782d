"""Where everything lives: models, losses, penalties and solvers, with the files and formulas they are made of.

Nothing is listed here by hand. Members come from the registry, families from their declarations, formulas from the
docstrings, and what a model is made of from its declaration.
"""

import ast
import inspect
import re
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import cache
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules

from separatrix.core import registry
from separatrix.core.declaration import declaration, resolve
from separatrix.core.family import families
from separatrix.core.refusal import cannot
from separatrix.workflow.latex import readable
from separatrix.workflow.models import bare_name

ROOT = Path(__file__).parents[1]
_FACADES = [path.stem for path in sorted(ROOT.glob("*.py")) if path.stem != "__init__"]
_KINDS = {"estimator": "model", "loss": "loss", "joint loss": "loss", "penalty": "penalty"}


@dataclass(frozen=True)
class Entry:
    """One thing that has a file: what it is, where, and what it says of itself."""

    kind: str
    name: str
    file: str
    line: int = 1
    sentence: str = ""
    formula: str = ""
    source: str = ""
    called: tuple = ()
    public: str = ""
    parts: tuple = field(default=(), compare=False)

    @property
    def path(self):
        return str(ROOT / self.file)

    def as_dict(self):
        keys = ("kind", "name", "path", "line", "sentence", "formula", "source", "called", "public")
        return {**{key: getattr(self, key) for key in keys}, "parts": [part.as_dict() for part in self.parts]}


def find(name):
    """The entries that a name means, closest first; raises where there is none, naming the nearest."""
    entries, wanted = everything(), bare_name(name)
    for fits in (
        lambda entry: wanted in _names(entry)[:2],
        lambda entry: wanted in _names(entry),
        lambda entry: any(called.startswith(wanted) for called in _names(entry)),
        lambda entry: len(wanted) > 2 and any(wanted in called for called in _names(entry)),
    ):
        matches = [entry for entry in entries if wanted and fits(entry)]
        if matches:
            beside = [
                e for e in entries if e not in matches and e.kind == "model" and wanted == bare_name(Path(e.file).stem)
            ]
            return [with_parts(entry) for entry in (*matches, *beside)]
    spelled = {called: entry.name for entry in reversed(entries) for called in reversed(_names(entry))}
    near = list(dict.fromkeys(spelled[called] for called in get_close_matches(wanted, spelled, n=5, cutoff=0.6)))
    raise cannot(
        f"find {name!r}",
        because="no model, loss, penalty or solver is called that",
        instead=" or ".join(near) if near else "`separatrix where` to list all names",
    )


@cache
def everything():
    """All entries, by kind and name."""
    called = {}
    for task in ("classification", "regression"):
        for family in families(task):
            if family.model is not None:
                called.setdefault(family.model.__name__, []).append(family.name)
    entries = []
    for kind, word in _KINDS.items():
        for name, cls in registry.members(kind).items():
            entries.append(_of_class(word, name, cls, tuple(dict.fromkeys(called.get(name, ())))))
    for module in iter_modules([str(ROOT / "solvers")]):
        if not module.ispkg:
            entries.append(_of_file("solver", ROOT / "solvers" / f"{module.name}.py"))
    return entries


def with_parts(entry):
    """The entry of a model with the losses, penalties and solvers that it declares."""
    if entry.kind != "model":
        return entry
    known = declaration(registry.members("estimator")[entry.name])
    parts = [_of_class("loss", cls.__name__, cls) for cls in map(resolve, known.losses)]
    parts += [_of_class("penalty", cls.__name__, cls) for cls in map(resolve, known.penalties)]
    parts += [_of_file("solver", Path(resolve(module).__file__)) for module in (*known.solvers, *known.sums)]
    return Entry(**{**vars(entry), "parts": tuple(parts)})


def _names(entry):
    return [bare_name(entry.name), *map(bare_name, entry.called), bare_name(Path(entry.file).stem)]


@cache
def _of_class(kind, name, cls, called=()):
    doc, path = inspect.getdoc(cls) or "", Path(inspect.getfile(cls))
    before, head, _ = path.read_text(encoding="utf-8").partition(f"\nclass {cls.__name__}")
    formula, module_doc = formula_of(doc), inspect.getdoc(import_module(cls.__module__)) or ""
    return Entry(
        kind,
        name,
        (path.relative_to(ROOT) if ROOT in path.parents else path).as_posix(),
        before.count("\n") + 2 if head else 1,
        first_sentence(doc),
        formula or formula_of(module_doc),
        source_of(doc),
        called,
        _public(name, cls),
    )


@cache
def _of_file(kind, path):
    doc = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
    return Entry(
        kind, path.stem, path.relative_to(ROOT).as_posix(), 1, first_sentence(doc), formula_of(doc), source_of(doc)
    )


def _public(name, cls):
    """The module from which a user imports it."""
    for room in _FACADES:
        module = import_module(f"separatrix.{room}")
        if name in vars(module).get("__all__", ()) and getattr(module, name) is cls:
            return module.__name__
    return cls.__module__.rpartition(".")[0]


def first_sentence(doc):
    """The title line of a docstring, its inline formulas readable."""
    line = " ".join(doc.strip().split("\n\n")[0].split())
    return re.sub(r":math:`([^`]*)`", lambda match: readable(match.group(1)), line).replace("``", "")


def formula_of(doc):
    """The first displayed formula of a docstring, or what a solver says that it solves; "" if there is none."""
    shown = re.search(r"\.\. math::((?:.+\n?)+?)(?:\n\s*\n|\Z)", doc)
    if shown:
        return readable(shown.group(1))
    solved = re.search(r"^Solves\s+(.*(?:\n\s{4,}.*)*)", doc, flags=re.M)
    if solved:
        return re.sub(r" {3,}", "   ", " ".join(line.strip() for line in solved.group(1).splitlines()))
    inline = re.search(r":math:`([^`]*)`", doc.split("\n\n")[0])
    return readable(inline.group(1)) if inline else ""


def source_of(doc):
    """The references of a docstring."""
    match = re.search(r"^(?:References?:|From )\s*(.*(?:\n(?!\s*$|[A-Z]\w+ {2,}).+)*)", doc, flags=re.M)
    return " ".join(match.group(1).split()) if match else ""
