"""How to reproduce the result: command, seed, versions, and a digest of the table."""

import platform
from hashlib import sha256
from importlib.metadata import PackageNotFoundError, version

import numpy as np

from separatrix.report.blocks import Code, Facts, Text
from separatrix.report.numbers import counted, seconds
from separatrix.report.registry import section
from separatrix.tables.table import Table

PACKAGES = ("separatrix", "numpy", "scipy", "scikit-learn", "numba", "matplotlib")


@section("reproduce", "How to reproduce it", order=130, always=True)
def reproduce(context):
    """Everything that the result depends on."""
    comparison = context.comparison
    parts = []
    if context.command:
        parts += [Text("This report was made by:"), Code(context.command)]
    rounds = f"{comparison.folds} folds × {counted(comparison.repeats, 'repeat')}, the same for every family"
    budget = "none" if comparison.budget is None else seconds(comparison.budget)
    pairs = [
        ("seed", str(comparison.seed)),
        ("folds", rounds),
        ("time budget", budget),
        ("time taken", seconds(comparison.seconds)),
        ("rows learnt from, held out", f"{len(comparison.y_train):,}, {len(comparison.y_test):,}"),
        ("digest of the data (SHA-256)", digest(comparison)),
        *((name, _version(name)) for name in PACKAGES),
        ("Python", f"{platform.python_version()} on {platform.system()} ({platform.machine()})"),
    ]
    parts.append(Facts(tuple(pairs)))
    parts.append(
        Text(
            "The same command on the same table with the same seed and versions gives the same leaderboard, times "
            "aside; a time budget can end a run earlier on a slower machine. The digest is of the columns and targets "
            "of the training and the test part, so that it changes with any cell."
        )
    )
    return parts


def digest(comparison):
    """SHA-256 of names, cells and targets of both parts, training rows first, as little-endian bytes."""
    whole = sha256()
    for table, y in ((comparison.train, comparison.y_train), (comparison.test, comparison.y_test)):
        if isinstance(table, Table):
            for name, column in zip(table.names, table.columns):
                whole.update(f"{name}\0".encode())
                whole.update(_bytes(column))
        whole.update(_bytes(np.asarray(y)))
    return whole.hexdigest()


def _bytes(column):
    if column.dtype.kind in "fiub":
        return np.ascontiguousarray(column, dtype="<f8").tobytes()
    return "\0".join("" if cell is None else f"={cell}" for cell in column.tolist()).encode()


def _version(name):
    try:
        return version(name)
    except PackageNotFoundError:
        return "not installed"
