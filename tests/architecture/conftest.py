"""The package's source files, parsed once for all rules."""

import ast
from pathlib import Path
from typing import NamedTuple

import pytest

import separatrix

ROOT = Path(separatrix.__file__).parent


class Source(NamedTuple):
    """A file of the package: its path below ``src/separatrix/``, text and syntax tree."""

    path: str
    text: str
    tree: ast.Module

    def below(self, *homes):
        """Whether the file is one of `homes` or lies in one of these folders."""
        return any(self.path == home or self.path.startswith(f"{home}/") for home in homes)


def read(path):
    text = path.read_text(encoding="utf-8")
    return Source(path.relative_to(ROOT).as_posix(), text, ast.parse(text))


@pytest.fixture(scope="session")
def sources():
    """Every Python file of the package."""
    return [read(path) for path in sorted(ROOT.rglob("*.py"))]
