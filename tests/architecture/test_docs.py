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
    match = re.search(rf"^{title}\n-+\n(.*?)(?=^\S[^\n]*\n-{{3,}}|\Z)", doc, flags=re.M | re.S)
    return match.group(1) if match else ""


def documented(text):
    """Names that a section documents: ``a, b : type`` at its left margin."""
    heads = re.findall(r"^((?:\*{0,2}\w+)(?:, *\w+)*) *:", text, flags=re.M)
    return [name.strip().lstrip("*") for head in heads for name in head.split(",")]


def said_default(text, name):
    """What a section says the default of a parameter is: a value, the words as they stand, or None if it is silent."""
    line = re.search(rf"^(?:\w+, *)*{name}(?:, *\w+)* *:([^\n]*)", text, re.M)
    said = line and re.search(r"default[= ]*(\([^)]*\)|'[^']*'|\"[^\"]*\"|[\w+-]+(?:\.\w+)?)", line.group(1))
    if not said:
        return None
    with suppress(ValueError, SyntaxError):
        return literal_eval(said.group(1))
    return said.group(1)


def test_every_parameter_of_an_estimator_is_documented_and_no_other():
    wrong = {}
    for name, cls in ESTIMATORS:
        parameters = [p for p in inspect.signature(cls.__init__).parameters if p != "self"]
        described = documented(section(inspect.getdoc(cls) or "", "Parameters"))
        if sorted(described) != sorted(parameters):
            wrong[name] = sorted(set(described) ^ set(parameters)) or described
    assert wrong == {}


def test_documented_defaults_are_the_defaults():
    wrong = []
    for name, cls in ESTIMATORS:
        text = section(inspect.getdoc(cls) or "", "Parameters")
        for parameter in inspect.signature(cls.__init__).parameters.values():
            said = said_default(text, parameter.name)
            required = parameter.default is inspect.Parameter.empty
            if not (said is None or required or said in (parameter.default, str(parameter.default))):
                wrong.append(f"{name}.{parameter.name}: {said!r} instead of {parameter.default!r}")
    assert wrong == []


def test_every_estimator_loss_and_penalty_shows_an_example():
    assert [name for name, cls in ESTIMATORS + ATOMS if ">>>" not in (inspect.getdoc(cls) or "")] == []


def test_every_loss_and_penalty_states_a_formula():
    docs = {name: inspect.getdoc(cls) or "" for name, cls in ATOMS}
    assert [name for name, doc in docs.items() if ":math:" not in doc and ".. math::" not in doc] == []


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
