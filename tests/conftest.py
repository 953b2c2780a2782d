"""All tests see compiled loops, whatever they fit first; the plain twins are called by name (``py_func``)."""

from pathlib import Path

import numpy as np
import pytest

from separatrix.core.jit import load

HERE = Path(__file__).parent
# Repeated with the lowest versions of the dependencies and the newest Python (-m smoke): what rests on numba, numpy,
# scipy, narwhals, click or safetensors, with answers from theory, R or NIST. Tests that take scikit-learn's answers,
# parameters or estimator checks are those of its newest version, and are not repeated with others.
SMOKE = (
    "architecture/test_package.py",
    "certified/test_nist.py",
    "cli/test_where.py",
    "contracts/test_centred.py",
    "contracts/test_designs.py",
    "contracts/test_generative.py",
    "contracts/test_losses.py",
    "contracts/test_penalties.py",
    "contracts/test_streams.py",
    "core/test_links.py",
    "core/test_threads.py",
    "designs",
    "estimators/test_least_squares.py",
    "oracles",
    "persist/test_files.py",
    "persist/test_values.py",
    "prediction",
    "tables/test_dates.py",
    "tables/test_delimited.py",
    "tables/test_files.py",
    "tables/test_frames.py",
    "tables/test_understand.py",
)
# Local likelihoods take the compiler a minute each; how much pyarrow holds while it decodes differs between versions.
NOT_REPEATED = ("Local", "not_held_whole")

load()


def in_smoke(path):
    return any((HERE / place) in (path, *path.parents) for place in SMOKE)


def pytest_ignore_collect(collection_path, config):
    """Read no other file for ``-m smoke``."""
    if config.option.markexpr == "smoke" and collection_path.is_file() and not in_smoke(collection_path):
        return True
    return None


def pytest_collection_modifyitems(items):
    for item in items:
        if in_smoke(item.path) and not any(word in item.name for word in NOT_REPEATED):
            item.add_marker(pytest.mark.smoke)
        if {"estimator", "check"} <= {
            *item.fixturenames
        }:  # scikit-learn's checks fit to data that our warnings are for
            item.add_marker(pytest.mark.filterwarnings("ignore::UserWarning"))


@pytest.fixture(scope="session")
def shop(tmp_path_factory):
    """A messy table: semicolons, a byte-order mark, CRLF, an id, missing cells, a rare level, two targets."""
    path = tmp_path_factory.mktemp("tables") / "shop.csv"
    text = "id;age;pay;city;bought;spent\n" + "\n".join(_messy_rows()) + "\n"
    path.write_bytes(b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode())
    return path


def _messy_rows(n=150):
    """Rows with an id, missing cells, a category with a rare level, and a target that can be learnt."""
    rng = np.random.default_rng(0)
    age, pay = rng.integers(18, 80, n), rng.lognormal(3.0, 0.5, n)
    city = np.array(["Ulm", "Köln", "Jena"])[rng.integers(0, 3, n)]
    eta = 0.08 * (age - 49) + 1.2 * (city == "Ulm") + rng.standard_normal(n)
    for i in range(n):
        shown = "" if i % 19 == 0 else f"{pay[i]:.2f}"
        yield f"{i + 1};{age[i]};{shown};{'Bonn' if i == 7 else city[i]};{'yes' if eta[i] > 0 else 'no'};{eta[i]:.3f}"
