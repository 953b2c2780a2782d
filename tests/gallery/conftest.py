"""The scripts of the gallery, found beside its pages and imported by name."""

import importlib.util
import sys
from pathlib import Path

import pytest

GALLERY = Path(__file__).resolve().parents[2] / "docs" / "gallery"


@pytest.fixture(scope="session")
def gallery():
    """A function from the name of a script to its module."""

    def load(name):
        spec = importlib.util.spec_from_file_location(f"gallery_{name}", GALLERY / f"{name}.py")
        module = importlib.util.module_from_spec(spec)
        sys.modules[spec.name] = module
        spec.loader.exec_module(module)
        return module

    return load
