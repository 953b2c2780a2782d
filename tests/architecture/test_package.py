"""What is shipped: one version, and type information."""

import re
import tomllib
from importlib import resources
from pathlib import Path

import separatrix

TOP = Path(__file__).parents[2]
PROJECT = tomllib.loads((TOP / "pyproject.toml").read_text())


def test_the_version_is_stated_once():
    assert PROJECT["project"]["dynamic"] == ["version"] and "version" not in PROJECT["project"]
    assert PROJECT["tool"]["hatch"]["version"]["path"] == "src/separatrix/__init__.py"
    said = [p for p in (TOP / "src").rglob("*.py") if separatrix.__version__ in p.read_text()]
    assert said == [TOP / "src" / "separatrix" / "__init__.py"]


def test_the_changelog_opens_with_this_version():
    newest = re.search(r"^## (\S+)", (TOP / "CHANGELOG.md").read_text(), flags=re.M)
    assert newest.group(1) == separatrix.__version__


def test_type_information_is_shipped():
    """Run against an installed wheel by .ci/run, so that this is a statement about the wheel."""
    assert resources.files("separatrix").joinpath("py.typed").is_file()
