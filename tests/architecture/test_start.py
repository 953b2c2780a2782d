"""Start-up is a feature: the package is imported lazily."""

import subprocess
import sys


def modules_after(statement):
    """Names of the modules a fresh interpreter holds after a statement."""
    code = f"{statement}\nimport sys; print(' '.join(sorted(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


def test_importing_the_package_imports_nothing_heavy():
    loaded = modules_after("import separatrix")
    heavy = {"numpy", "scipy", "numba", "sklearn", "narwhals", "click", "rich", "matplotlib", "pandas"}
    assert "separatrix" in loaded
    assert loaded & heavy == set()


def test_every_public_name_is_listed_and_an_unknown_one_is_an_attribute_error():
    import pytest

    import separatrix

    assert set(separatrix.__all__) <= set(dir(separatrix))
    with pytest.raises(AttributeError, match="no_such_room"):
        separatrix.no_such_room  # noqa: B018


def test_estimators_do_not_import_what_only_reports_need():
    loaded = modules_after("import separatrix.core.registry as r; r.members('estimator')")
    assert loaded & {"matplotlib", "polars", "click"} == set()
