"""Commands in a folder with a messy table, and models fitted to it by the commands, once for all tests."""

import os

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
        result = self(*arguments, **options)
        assert result.exit_code == 0, (arguments, result.output, result.exception)
        return result


@pytest.fixture(scope="session")
def shell(tmp_path_factory, shop):
    folder = tmp_path_factory.mktemp("shell")
    (folder / "shop.csv").write_bytes(shop.read_bytes())
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
