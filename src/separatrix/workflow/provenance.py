"""The record of how a model file was made, and the training rows rebuilt from it.

Keys of ``about`` in a file written by the command line: understanding, target, task, family, score, data (source, rows,
digest), split (how the training rows were drawn; None: all rows were used), command, versions, reference (what an
explanation needs).
"""

import hashlib
import platform
from dataclasses import dataclass
from typing import Any

from separatrix.inference.original_columns import MOST_LEVELS, Reference
from separatrix.persist.archive import broken
from separatrix.persist.kinds import Kind, either, flag, holds, listed, nothing, number, text, whole
from separatrix.tables.table import is_number
from separatrix.tables.understanding import Understanding

_COLUMN: dict[str, Kind] = {"name": text, "kind": text, "why": text, "form": text, "levels": listed(text)}
_SPLIT: dict[str, Kind] = {
    "seed": whole(0, 2**32 - 1),
    "test": number(0.0, 1.0),
    "fitted_rows": whole(0),
    "group": either(text, nothing),
}
_range = either(number(), nothing)
_FACTS: dict[str, Kind] = {"low": _range, "high": _range, "deviation": _range, "whole": flag, "levels": listed(text)}


def digest(table, names):
    """SHA-256 of columns of a table: of their names and values, whatever file they came from.

    >>> import numpy as np
    >>> from separatrix.tables.table import Table
    >>> one = Table(("a", "b"), (np.array([1.0, 2.0]), np.array(["x", None], dtype=object)), "one.csv")
    >>> digest(one, ["a", "b"]) == digest(Table(one.names[::-1], one.columns[::-1], "two.csv"), ["a", "b"])
    True
    """
    whole = hashlib.sha256()
    for name in names:
        column = table[name]
        if is_number(column):
            content = (column + 0.0).astype("<f8").tobytes()  # -0 is 0
        else:
            content = "\x1f".join("\x00" if value is None else str(value) for value in column).encode()
        for part in (str(name).encode(), str(len(content)).encode(), content):
            whole.update(hashlib.sha256(part).digest())
    return whole.hexdigest()


def provenance(table, understanding, *, family, score=None, split=None, command, reference=None):
    """The ``about`` of a model file."""
    import shlex
    from importlib.metadata import version

    from separatrix import __version__

    names = _names(understanding, split)
    return {
        "understanding": understanding.as_dict(),
        "target": understanding.target,
        "task": understanding.task,
        "family": family,
        "score": score,
        "data": {"source": table.source, "rows": len(table), "digest": digest(table, names)},
        "split": split,
        "command": shlex.join(command),
        "versions": {
            "separatrix": __version__,
            "python": platform.python_version(),
            **{name: version(name) for name in ("numpy", "scipy", "scikit-learn")},
        },
        "reference": reference,
    }


@dataclass(frozen=True)
class TrainingRows:
    """The rows a model was fitted to, as far as a table has them.

    Attributes
    ----------
    table : Table.  y : array.
    same : bool or None.  Whether these are the data of the fit, by their digest; None where the file keeps none.
    description : str.  Which rows these are.
    """

    table: Any
    y: Any
    same: bool | None
    description: str


def training_rows(table, about):
    """The rows of `table` that the model of a file was fitted to, rebuilt from its `about`."""
    from separatrix.tables import target_values

    understanding, data, split = _record_of(about)
    names = _names(understanding, split)
    same = digest(table, names) == data["digest"] if "digest" in data else None
    y, labelled = target_values(table, understanding)
    table = table.take(labelled)
    if not split:
        return TrainingRows(table, y, same, f"all {len(table):,} rows with a target")
    from separatrix.assess.compare.dependent_rows import group_codes
    from separatrix.assess.compare.refit import refitted_rows
    from separatrix.assess.compare.splits import hold_out

    how = {"classification": understanding.task == "classification", "seed": split["seed"]}
    group = split.get("group")
    rows, _ = hold_out(y, split["test"], **how, groups=group_codes(table, group) if group else None)
    description = f"the {len(rows):,} of {len(table):,} rows that were not held out for the test"
    if split["fitted_rows"] < len(rows):
        rows = rows[refitted_rows(y[rows], split["fitted_rows"], **how)]
        description = f"the {len(rows):,} of {len(table):,} rows that it was fitted to"
    return TrainingRows(table.take(rows), y[rows], same, description)


def _record_of(about):
    """Understanding, data and split of a file, of the kinds that were written: anybody may have made the file."""
    try:
        understanding = Understanding.from_dict(about["understanding"])
        data, split = about.get("data") or {}, about.get("split") or None
        known = all(holds(vars(column), _COLUMN, {}) for column in understanding.columns)
        known &= type(understanding.target) is str and type(data) is dict
        known &= split is None or (holds(split, _SPLIT, {}) and set(split) >= set(_SPLIT) - {"group"})
    except (TypeError, KeyError, AttributeError, ValueError):
        known = False
    if not known:
        raise broken("what it says of its data is not what separatrix writes")
    return understanding, data, split


def _names(understanding, split):
    """The columns that the fit depends on: those used, the target, and the one that groups rows."""
    grouped = [split["group"]] if split and split.get("group") else []
    return [*(column.name for column in understanding.used), understanding.target, *grouped]


def reference_of(about):
    """The Reference recorded in a file, or None."""
    kept = about.get("reference")
    if not kept:
        return None
    try:
        columns, parts = kept["columns"], kept["mean_parts"]
        known = all(
            holds(facts, _FACTS, {}) and len(facts.get("levels", ())) <= MOST_LEVELS for facts in columns.values()
        )
    except (TypeError, KeyError, AttributeError):
        known = False
    if not known or not (parts is None or listed(listed(number()))(parts, {})):
        raise broken("what it says of its training rows is not what separatrix writes")
    return Reference(columns, parts)
