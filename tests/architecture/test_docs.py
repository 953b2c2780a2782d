"""Docstrings are checked against the code: every parameter named, every example run, every formula stated."""

import inspect
import re
from contextlib import suppress

import pytest

from separatrix.core import registry

ESTIMATORS = sorted(registry.members("estimator").items())
ATOMS = sorted({**registry.members("loss"), **registry.members("penalty")}.items())


def section(doc, title):
    """The text under a numpydoc heading, up to the next heading."""
    found = re.search(rf"^{title}\n-+\n(.*?)(?=^\S[^\n]*\n-{{3,}}|\Z)", doc, flags=re.M | re.S)
    return found.group(1) if found else ""


def documented(text):
    """Names that a section documents: ``a, b : type`` at its left margin."""
    heads = re.findall(r"^((?:\*{0,2}\w+)(?:, *\w+)*) *:", text, flags=re.M)
    return [name.strip().lstrip("*") for head in heads for name in head.split(",")]


@pytest.mark.parametrize("name, cls", ESTIMATORS, ids=[n for n, _ in ESTIMATORS])
def test_every_parameter_of_an_estimator_is_documented_and_no_other(name, cls):
    doc = inspect.getdoc(cls) or ""
    parameters = [p for p in inspect.signature(cls.__init__).parameters if p != "self"]
    assert sorted(documented(section(doc, "Parameters"))) == sorted(parameters)


@pytest.mark.parametrize("name, cls", ESTIMATORS, ids=[n for n, _ in ESTIMATORS])
def test_documented_defaults_are_the_defaults(name, cls):
    text = section(inspect.getdoc(cls) or "", "Parameters")
    for parameter in inspect.signature(cls.__init__).parameters.values():
        said = re.search(
            rf"^(?:\w+, *)*{parameter.name}(?:, *\w+)* *:[^\n]*?default[= ]*([^\s;.,]+(?:\.\d\S*)?)", text, re.M
        )
        if said and parameter.default is not inspect.Parameter.empty:
            word = said.group(1).strip("`'\").,;")
            shown = str(parameter.default)
            same = word == shown
            with suppress(TypeError, ValueError):
                same = same or float(word) == float(parameter.default)
            assert same, f"{name}.{parameter.name}: documented {word!r}, is {parameter.default!r}"


@pytest.mark.parametrize("name, cls", ESTIMATORS, ids=[n for n, _ in ESTIMATORS])
def test_every_estimator_shows_an_example(name, cls):
    assert ">>>" in (inspect.getdoc(cls) or "")


@pytest.mark.parametrize("name, cls", ATOMS, ids=[n for n, _ in ATOMS])
def test_every_loss_and_penalty_states_a_formula_and_an_example(name, cls):
    doc = inspect.getdoc(cls)
    assert ":math:" in doc or ".. math::" in doc
    assert ">>>" in doc


def test_the_reader_of_docstrings_reads():
    doc = "T.\n\nParameters\n----------\na, b : float.  Two.\nc : int.\n    Text: it.\n\nReturns\n-------\nd : int.\n"
    assert documented(section(doc, "Parameters")) == ["a", "b", "c"]
