"""Start-up is a feature: the package is imported lazily."""

import os
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


def test_linear_models_do_not_import_what_only_tables_need():
    loaded = modules_after("from separatrix.linear_model import Lasso, LogisticRegression")
    assert not {name for name in loaded if name.startswith("separatrix.tables")}


def test_a_second_process_finds_every_loop_in_the_cache(tmp_path):
    code = (
        "import numpy as np; from separatrix.core.jit import load; load()\n"
        "from separatrix.linear_model import Lasso\n"
        "X = np.random.default_rng(0).standard_normal((60, 40)); Lasso(0.1).fit(X, X[:, 0])\n"
    )
    environment = {**os.environ, "SEPARATRIX_CACHE": str(tmp_path)}

    def kept():
        subprocess.run([sys.executable, "-c", code], check=True, env=environment)
        return {path.name: path.stat().st_mtime_ns for path in tmp_path.rglob("*.loop")}

    first = kept()
    assert len(first) >= 4
    assert kept() == first


def test_a_small_fit_does_not_wait_for_the_compiler():
    small = (
        "import numpy as np; from separatrix.linear_model import Lasso\n"
        "X = np.random.default_rng(0).standard_normal((200, 50)); Lasso(0.1).fit(X, X[:, 0])\n"
    )
    assert "numba" not in modules_after(small)
    large = "X = np.random.default_rng(0).standard_normal((2000, 500)); Lasso(0.01).fit(X, X.sum(axis=1))"
    assert "numba" in modules_after(small + large)
