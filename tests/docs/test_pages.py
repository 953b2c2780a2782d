"""The examples on the pages run, and every public name has its place in the reference."""

import copy
import doctest
import re
import sys
from importlib import import_module
from pathlib import Path

import pytest

import separatrix
from separatrix.core import declaration, family, registry
from separatrix.report import registry as report_registry
from separatrix.workflow import where

DOCS = Path(__file__).resolve().parents[2] / "docs"
PAGES = sorted(path for path in DOCS.rglob("*.md") if "_build" not in path.parts)
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def examples(path):
    """The interactive examples of a page, in order, as one session."""
    blocks = re.findall(r"^```python\n(.*?)^```", path.read_text(encoding="utf-8"), flags=re.M | re.S)
    return "\n".join(block for block in blocks if ">>>" in block)


WITH_EXAMPLES = [path for path in PAGES if examples(path)]


@pytest.fixture
def registry_restored(monkeypatch):
    """What a page declares is forgotten afterwards, and files beside it can be imported."""
    registry.members("estimator")  # what a room registers when it is first imported must not be lost
    monkeypatch.setattr(registry, "_MEMBERS", copy.deepcopy(registry._MEMBERS))
    monkeypatch.setattr(declaration, "_DECLARATIONS", dict(declaration._DECLARATIONS))
    monkeypatch.setattr(family, "_FAMILIES", dict(family._FAMILIES))
    report_registry.sections("")  # likewise
    monkeypatch.setattr(report_registry, "_SECTIONS", dict(report_registry._SECTIONS))
    where.everything.cache_clear()
    yield
    where.everything.cache_clear()
    for name in [path.stem for path in DOCS.rglob("*.py")]:
        sys.modules.pop(name, None)  # to be declared again by the next who imports it


@pytest.mark.parametrize("path", WITH_EXAMPLES, ids=lambda path: path.stem)
def test_examples_of_a_page_run_and_give_what_is_shown(path, registry_restored, monkeypatch):
    monkeypatch.syspath_prepend(path.parent)
    test = doctest.DocTestParser().get_doctest(examples(path), {}, path.name, str(path), 0)
    said = []
    result = doctest.DocTestRunner(optionflags=FLAGS).run(test, out=said.append)
    assert result.attempted > 0
    assert result.failed == 0, "".join(said)


def test_a_wrong_answer_on_a_page_would_be_seen():
    test = doctest.DocTestParser().get_doctest(">>> 1 + 1\n3\n", {}, "page", None, 0)
    assert doctest.DocTestRunner().run(test, out=lambda text: None).failed == 1


ROOMS = [
    "linear_model",
    "preprocessing",
    "calibration",
    "multiclass",
    "neighbors",
    "ensemble",
    "tree",
    "decomposition",
    "local",
    "discriminant_analysis",
    "naive_bayes",
    "graphical",
    "inference",
    "report",
    "decision",
    "assess",
    "solvers",
    "datasets",
    "plots",
    "persist",
    "designs",
    "tables",
]


def in_scikit_learn(member):
    """Whether a facade passes it through: those are on a page of their own (tests/architecture/test_facades.py)."""
    return getattr(member, "__module__", "separatrix").startswith("sklearn.") or isinstance(member, list | dict)


@pytest.mark.parametrize("room", ROOMS)
def test_every_public_name_is_in_the_reference(room):
    page = (DOCS / "reference" / f"{room}.md").read_text(encoding="utf-8")
    module = import_module(f"separatrix.{room}")
    ours = [name for name in module.__all__ if not in_scikit_learn(getattr(module, name))]
    assert ours
    for name in ours:
        assert re.search(rf"^\.\. (auto(class|function)|py:data):: separatrix\.{room}\.{name}$", page, flags=re.M), name


@pytest.mark.parametrize("room", ["losses", "penalties"])
def test_every_loss_and_penalty_is_in_the_reference(room):
    page = (DOCS / "reference" / "losses.md").read_text(encoding="utf-8")
    for name in import_module(f"separatrix.{room}").__all__:
        assert f".. autoclass:: separatrix.{room}.{name}\n" in page


def test_every_page_is_reached_from_an_index():
    for path in PAGES:
        if path.stem != "index":
            assert re.search(rf"^{re.escape(path.stem)}$", (path.parent / "index.md").read_text(), flags=re.M), path


def test_files_named_on_the_pages_exist():
    package = Path(separatrix.__file__).parent
    for path in PAGES:
        for named in re.findall(
            r"`((?:core|designs|losses|penalties|solvers|estimators)/[\w/]+\.py)`", path.read_text()
        ):
            assert (package / named).is_file(), f"{path.name}: {named}"
