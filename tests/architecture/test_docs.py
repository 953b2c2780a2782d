"""Docstrings are checked against the code: every parameter named, every example run, every formula stated."""

import inspect
import re
from ast import literal_eval
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


def said_default(text, name):
    """What a section says the default of a parameter is: a value, the words as they stand, or None if it is silent."""
    line = re.search(rf"^(?:\w+, *)*{name}(?:, *\w+)* *:([^\n]*)", text, re.M)
    said = line and re.search(r"default[= ]*(\([^)]*\)|'[^']*'|\"[^\"]*\"|[\w+-]+(?:\.\w+)?)", line.group(1))
    if not said:
        return None
    with suppress(ValueError, SyntaxError):
        return literal_eval(said.group(1))
    return said.group(1)


@pytest.mark.parametrize("name, cls", ESTIMATORS, ids=[n for n, _ in ESTIMATORS])
def test_documented_defaults_are_the_defaults(name, cls):
    text = section(inspect.getdoc(cls) or "", "Parameters")
    for parameter in inspect.signature(cls.__init__).parameters.values():
        said = said_default(text, parameter.name)
        if said is not None and parameter.default is not inspect.Parameter.empty:
            assert said == parameter.default or said == str(parameter.default), f"{name}.{parameter.name}"


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


@pytest.mark.parametrize(
    "words, value",
    [
        ("default 1.0.  Strength.", 1.0),
        ("default (0.1, 1.0).", (0.1, 1.0)),
        ("default 'highs'.  X", "highs"),
        ("no", None),
    ],
)
def test_the_reader_of_defaults_reads(words, value):
    assert said_default(f"b : int, default 3.\na : float, {words}\n", "a") == value
