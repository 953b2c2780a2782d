"""Rows that depend on each other: columns that repeat an identifier, and folds that keep the rows of one together.

Rows of one subject resemble each other. Where some of them are learnt from and others held out, a model that recognises
the subject is rewarded, and its score says nothing about new subjects.
"""

import re

import numpy as np

from separatrix.core.refusal import cannot
from separatrix.tables.kinds import codes
from separatrix.tables.table import meant, shown

# A column that may name groups has at least so many values, each in two rows on average.
FEWEST_GROUPS, ROWS_EACH = 5, 2.0
# A target that is constant within groups is no coincidence if it could have varied in so many rows.
FREE_ROWS = 20
_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_ENDS = {"id", "ids", "identifier", "uuid", "guid"}
_NUMBERED = {"no", "nr", "num", "number", "code", "key", "name"}
_UNITS = {
    "animal", "batch", "child", "client", "company", "customer", "dog", "donor", "employee", "family", "firm", "group",
    "hospital", "household", "individual", "machine", "member", "mouse", "participant", "patient", "person", "player",
    "rat", "respondent", "school", "session", "speaker", "student", "subj", "subject", "user", "vehicle",
}  # fmt: skip


def group_codes(table, group):
    """The group of each row as a whole number; a row without a value is a group of its own.

    >>> from separatrix.tables import Table
    >>> group_codes(Table.of({"who": ["b", "a", None, "b", None]}), "who").tolist()
    [0, 1, 2, 0, 3]
    """
    place, count = codes(table[group])
    alone = place < 0
    place[alone] = count + np.arange(alone.sum())
    if place.max() < 1:
        raise cannot(
            f"keep the rows of one {group!r} together",
            because="all rows have the same value",
            instead="a column with two values at least",
        )
    return place


def refuse_group(table, group, target):
    """Refuse a group that is no column, or the target."""
    if group not in table or group == target:
        others = [name for name in table.names if name != target]
        raise cannot(
            f"keep the rows of one {group!r} together",
            because="it is the target" if group == target else f"there are the columns {shown(table.names)}",
            instead=meant(group, others) or "one of the other columns",
            kind=KeyError,
        )


def grouped_folds(y, groups, folds, *, classification, seed):
    """Folds of whole groups, as (training rows, held-out rows); classes in their shares as far as groups allow."""
    from sklearn.model_selection import GroupKFold, StratifiedGroupKFold

    kind = StratifiedGroupKFold if classification else GroupKFold
    return list(kind(folds, shuffle=True, random_state=seed).split(np.zeros(len(y)), y, groups))


def hold_out_groups(y, groups, share, *, classification, seed):
    """Positions of the training rows and of the test rows, about a `share` of them, whole groups; both ascending."""
    parts = min(max(round(1.0 / share), 2), len(np.unique(groups))) if share else 0
    if not parts:
        return np.arange(len(y)), np.arange(0)
    return grouped_folds(y, groups, parts, classification=classification, seed=seed)[0]


def repeated_identifiers(table, target, y, classification):
    """Sentences about columns whose values seem to name groups of rows.

    A column is suspected if its name is that of an identifier, or if the target never varies within its values.

    >>> from separatrix.tables import Table
    >>> who, y = np.repeat(np.arange(20.0), 8), np.tile([0, 1], 80)
    >>> repeated_identifiers(Table.of({"PatientID": who, "y": y}), "y", y, True)
    ['PatientID has 20 values in 160 rows, and its name is that of an identifier']
    """
    said, different = [], len(np.unique(y))
    for name in table.names:
        if name == target:
            continue
        place, count = codes(table[name])
        known = place >= 0
        if count < FEWEST_GROUPS or ROWS_EACH * count > known.sum():
            continue
        reasons = ["its name is that of an identifier"] if is_identifier(name) else []
        free = known.sum() - count
        if count > 2 * different * classification and free >= FREE_ROWS and _constant_within(place[known], y[known]):
            reasons.append(f"{target} is the same in all rows of each value")
        if reasons:
            said.append(f"{name} has {count:,} values in {known.sum():,} rows, and {' and '.join(reasons)}")
    return said


def is_identifier(name):
    """Whether a name is one that identifiers have.

    >>> [is_identifier(name) for name in ("PatientID", "subject", "user_no", "household", "userAge", "paid")]
    [True, True, True, True, False, False]
    """
    words = [word.lower() for word in _WORDS.findall(str(name))]
    if not words:
        return False
    last = words[-1] in _ENDS or (len(words) > 1 and words[-1] in _NUMBERED and words[-2] in _UNITS)
    return last or (len(words) == 1 and words[0] in _UNITS)


def _constant_within(place, y):
    order = np.argsort(place, kind="stable")
    place, y = place[order], y[order]
    return bool(np.all((place[1:] != place[:-1]) | (y[1:] == y[:-1])))
