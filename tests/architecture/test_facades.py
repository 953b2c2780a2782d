"""Our modules of scikit-learn's name give every public name of its namesake: ours where we have it, else its own."""

import json
import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

DOCS = Path(__file__).resolve().parents[2] / "docs"
OURS_TOO = ("calibration", "datasets", "decomposition", "discriminant_analysis", "ensemble", "linear_model")
OURS_TOO += ("multiclass", "naive_bayes", "neighbors", "neural_network", "preprocessing")
PASSED_THROUGH = ("compose", "feature_selection", "impute", "kernel_approximation")
PASSED_THROUGH += ("metrics", "model_selection", "pipeline", "svm", "tree")
FACADES = OURS_TOO + PASSED_THROUGH


def public_names(module):
    """Those that a module of scikit-learn lists, or defines where it lists none."""
    theirs = import_module(f"sklearn.{module}")
    listed = vars(theirs).get("__all__")
    if listed is not None:
        return set(listed)
    members = vars(theirs).items()
    return {name for name, v in members if name[0] != "_" and getattr(v, "__module__", "") == theirs.__name__}


def experimental(module, name):
    """Whether scikit-learn itself refuses a name before ``sklearn.experimental`` is imported."""
    code = f"from sklearn.{module} import {name}"
    return subprocess.run([sys.executable, "-c", code], capture_output=True, check=False).returncode != 0


@pytest.mark.parametrize("module", FACADES)
def test_a_facade_gives_every_name_of_its_namesake(module):
    theirs, ours = import_module(f"sklearn.{module}"), import_module(f"separatrix.{module}")
    missing = {name for name in public_names(module) - set(ours.__all__) if not experimental(module, name)}
    assert missing == set()
    assert set(dir(ours)) == set(ours.__all__)
    for name in ours.__all__:
        if name not in of_scikit_learn(module):
            assert getattr(ours, name).__module__.startswith("separatrix."), name
        else:
            assert getattr(ours, name) is getattr(theirs, name), name


def of_scikit_learn(module):
    """The names that the stub of a facade takes from scikit-learn and does not give of our own."""
    ours = import_module(f"separatrix.{module}")
    stub = Path(ours.__file__).with_suffix(".pyi").read_text(encoding="utf-8")
    return set(re.findall(rf"^from sklearn\.{module} import (\w+) as \1$", stub, re.M))


@pytest.mark.parametrize("module", FACADES)
def test_no_name_is_taken_from_both(module):
    stub = Path(import_module(f"separatrix.{module}").__file__).with_suffix(".pyi").read_text(encoding="utf-8")
    rooms = re.findall(r"^from (separatrix\.\S+) import \*", stub, re.M)
    own = {name for room in rooms for name in import_module(room).__all__}
    own |= set(re.findall(r"^from separatrix\S+ import (\w+) as \1$", stub, re.M))
    assert own & of_scikit_learn(module) == set()


def loaded_after(statement):
    code = f"{statement}\nimport sys, json; print(json.dumps(sorted(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(json.loads(done.stdout))


def test_importing_facades_imports_no_part_of_scikit_learn():
    statement = "\n".join(f"import separatrix.{module}" for module in FACADES if module != "datasets")
    assert {name for name in loaded_after(statement) if name.split(".")[0] in ("sklearn", "scipy", "numba")} == set()


def test_a_data_set_of_ours_does_not_import_the_loaders_of_scikit_learn():
    assert "sklearn.datasets" not in loaded_after("from separatrix.datasets import xor; xor(n=8)")


def test_one_name_of_scikit_learn_brings_none_of_our_solvers():
    loaded = loaded_after("from separatrix.pipeline import Pipeline")
    assert {name for name in loaded if name.startswith(("separatrix.solvers", "separatrix.estimators"))} == set()


def test_what_scikit_learn_calls_experimental_needs_its_own_import_first():
    with pytest.raises(ImportError, match="enable_iterative_imputer"):
        subprocess_error("from separatrix.impute import IterativeImputer")
    assert loaded_after(
        "from sklearn.experimental import enable_iterative_imputer\nfrom separatrix.impute import IterativeImputer"
    )


def subprocess_error(statement):
    done = subprocess.run([sys.executable, "-c", statement], capture_output=True, text=True, check=False)
    if done.returncode:
        raise ImportError(done.stderr)


def test_an_unknown_name_is_an_attribute_error_of_our_module():
    import separatrix.metrics

    with pytest.raises(AttributeError, match=r"separatrix\.metrics.*no_such_measure"):
        separatrix.metrics.no_such_measure  # noqa: B018


@pytest.mark.parametrize("module", FACADES)
def test_names_of_scikit_learn_are_listed_as_such_in_the_docs(module):
    page = (DOCS / "reference" / "scikit_learn.md").read_text(encoding="utf-8")
    section = re.search(rf"^## separatrix\.{module}\n\n(.*?)(?=^## |\Z)", page, re.M | re.S)
    assert section, module
    assert set(re.findall(r"`(\w+)`", section[1])) == of_scikit_learn(module)
