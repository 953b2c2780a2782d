"""A messy table, and models fitted to it by the commands themselves, once for all tests of this room."""

import os

import numpy as np
import pytest
from click.testing import CliRunner

from separatrix.cli import main


class Shell:
    """Commands in a folder of their own."""

    def __init__(self, folder):
        self.folder = folder

    def __call__(self, *arguments, **options):
        before = os.getcwd()
        os.chdir(self.folder)
        try:
            return CliRunner().invoke(main.main, [str(argument) for argument in arguments], **options)
        finally:
            os.chdir(before)

    def ok(self, *arguments, **options):
        found = self(*arguments, **options)
        assert found.exit_code == 0, (arguments, found.output, found.exception)
        return found


def messy_rows(n=150):
    """Rows with an id, missing cells, a category with a rare level, and a target that can be learnt."""
    rng = np.random.default_rng(0)
    age, pay = rng.integers(18, 80, n), rng.lognormal(3.0, 0.5, n)
    city = np.array(["Ulm", "Köln", "Jena"])[rng.integers(0, 3, n)]
    eta = 0.08 * (age - 49) + 1.2 * (city == "Ulm") + rng.standard_normal(n)
    for i in range(n):
        shown = "" if i % 19 == 0 else f"{pay[i]:.2f}"
        yield f"{i + 1};{age[i]};{shown};{'Bonn' if i == 7 else city[i]};{'yes' if eta[i] > 0 else 'no'};{eta[i]:.3f}"


@pytest.fixture(scope="session")
def shell(tmp_path_factory):
    folder = tmp_path_factory.mktemp("shell")
    text = "id;age;pay;city;bought;spent\n" + "\n".join(messy_rows()) + "\n"
    (folder / "shop.csv").write_bytes(b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode())
    return Shell(folder)


@pytest.fixture(scope="session")
def linear(shell):
    """A linear model file."""
    shell.ok("fit", "shop.csv", "-t", "bought", "--exclude", "spent", "-f", "LogisticRegression", "-o", "linear.sepx")
    return "linear.sepx"


@pytest.fixture(scope="session")
def neighbours(shell):
    """A model file that is not linear."""
    shell.ok("fit", "shop.csv", "-t", "bought", "--exclude", "spent", "-f", "nearest neighbours", "-o", "near.sepx")
    return "near.sepx"


@pytest.fixture(scope="session")
def compared(shell):
    """The result of a small comparison, with its model and report."""
    return shell.ok(
        "compare", "shop.csv", "-t", "bought", "--exclude", "spent", "--seed", 3, "--folds", 3, "--repeats", 1,
        "--family", "logistic regression, L2", "--family", "linear discriminant",
        "--family", "naive Bayes, word counts",
    )  # fmt: skip
