"""Every data set of the catalogue can be loaded, is what it says, and becomes a table."""

import json
import subprocess
import sys

import numpy as np
import pytest
from sklearn import datasets as theirs

from separatrix import datasets
from separatrix.datasets import catalogue
from separatrix.tables.table import Table, is_number

NAMES = list(datasets.available())
GENERATORS = ["far_cluster", "four_sets", "gaussian_classes", "orange_blue", "sine", "xor"]


@pytest.mark.parametrize("name", NAMES)
def test_a_data_set_is_numbers_with_names_and_a_target(name):
    data = datasets.load(name)
    assert data.name == name and data.words == datasets.available()[name]
    assert data.X.dtype == np.float64 and np.isfinite(data.X).all()
    assert data.X.shape == (len(data), len(data.feature_names)) and len(data.y) == len(data)
    assert all(type(column) is str for column in data.feature_names)
    assert (data.task == "classification") == bool(data.classes)
    assert data.classes == tuple(sorted(set(data.y.tolist()))) or not data.classes
    assert (data.truth is None) == (name not in GENERATORS)


@pytest.mark.parametrize("name", NAMES)
def test_a_table_has_the_target_last(name):
    data = datasets.load(name)
    table = data.table()
    assert isinstance(table, Table) and table.source == name
    assert table.names == (*data.feature_names, data.target_name) and len(set(table.names)) == len(table.names)
    for column, name in zip(table.columns, data.feature_names):
        np.testing.assert_array_equal(column, data.X[:, data.feature_names.index(name)])
    target = table.columns[-1]
    assert is_number(target) or all(type(label) is str for label in target)
    np.testing.assert_array_equal(target.tolist(), data.y.tolist())


@pytest.mark.parametrize("name", ["breast_cancer", "iris", "wine", "digits", "diabetes"])
def test_bundled_sets_are_scikit_learns(name):
    data, bunch = datasets.load(name), getattr(theirs, f"load_{name}")()
    np.testing.assert_array_equal(data.X, bunch.data)
    labels = np.asarray(bunch.target_names)[bunch.target] if name in ("breast_cancer", "iris", "wine") else bunch.target
    np.testing.assert_array_equal(data.y, labels)
    assert data.feature_names == [str(column) for column in bunch.feature_names]


def test_the_positive_class_of_breast_cancer_is_malignant():
    assert datasets.load("breast_cancer").classes == ("benign", "malignant")


def test_longley_is_in_the_catalogue():
    data, certified = datasets.load("longley"), datasets.load_longley()
    np.testing.assert_array_equal(data.X, certified.X)
    assert (data.target_name, data.task) == ("employment", "regression")


@pytest.mark.parametrize("name", GENERATORS)
def test_the_same_seed_gives_the_same_rows_and_another_gives_others(name):
    first, again, other = (datasets.load(name, n=40, seed=seed) for seed in (1, 1, 2))
    assert len(first) == 40
    np.testing.assert_array_equal(first.X, again.X)
    np.testing.assert_array_equal(first.y, again.y)
    assert not np.array_equal(first.X, other.X) or not np.array_equal(first.y, other.y)


@pytest.mark.parametrize("name", GENERATORS)
def test_a_generator_may_be_passed_on_from_draw_to_draw(name):
    rng = np.random.default_rng(1)
    first, second = (datasets.load(name, n=40, seed=rng) for _ in range(2))
    np.testing.assert_array_equal(first.y, datasets.load(name, n=40, seed=1).y)
    assert not np.array_equal(first.X, second.X) or not np.array_equal(first.y, second.y)


@pytest.mark.parametrize("name", GENERATORS)
@pytest.mark.parametrize("n", [0, -3, 2.5, True])
def test_rows_are_counted(name, n):
    with pytest.raises(ValueError, match="whole number n >="):
        datasets.load(name, n=n)


def test_an_unknown_name_gets_the_known_ones():
    with pytest.raises(ValueError, match=r"no_such.*breast_cancer.*xor"):
        datasets.load("no_such")


def test_a_file_declares_its_own(monkeypatch):
    monkeypatch.setattr(catalogue, "_LOADERS", dict(catalogue._LOADERS))

    @datasets.data_set("two_rows", "Two rows.")
    def make(n=2):
        return catalogue.regression("two_rows", np.zeros((n, 1)), np.zeros(n), ["x"])

    assert datasets.available()["two_rows"] == "Two rows."
    assert datasets.load("two_rows", n=3).words == "Two rows."


def test_every_line_fits_a_terminal():
    assert all(len(words) <= 110 and words.endswith(".") for words in datasets.available().values())


def test_the_list_of_names_waits_for_nothing_heavy():
    code = (
        "import json, sys; from separatrix import datasets; names = list(datasets.available())\n"
        "print(json.dumps([names, [m for m in ('sklearn', 'matplotlib', 'numba', 'scipy.stats') if m in sys.modules]]))"
    )
    found, heavy = json.loads(subprocess.run([sys.executable, "-c", code], capture_output=True, check=True).stdout)
    assert found == NAMES and heavy == []
