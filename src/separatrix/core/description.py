"""A fitted model in words and numbers, as plain data.

A model declares what it is described by (:mod:`separatrix.core.declaration`): one of the ways that
:func:`separatrix.inference.describe` knows, or a function of its own that returns a :class:`Description`.
"""

from dataclasses import asdict, dataclass
from math import isfinite
from typing import Any

import numpy as np

# A table for people shows at most so many rows, those that matter most.
MOST_ROWS = 40
CONFIDENCE, RESAMPLES = "95 % interval", "spread over resamples"


@dataclass(frozen=True)
class DescribedTable:
    """A table for people: every row has a cell for each head.

    Parameters
    ----------
    title : str.
    heads : tuple of str.
    rows : tuple of tuples.  Cells are str, int, float, bool, or None where there is nothing to say.
    caption : str, default "".  How to read it.
    intervals : tuple of (int, int, int), default ().  Columns that hold an estimate with the two ends of its interval;
        they are rounded alike, by the width of the interval.
    spread : str, default "95 % interval".  What the two ends are of; only one of this name is a confidence interval.

    >>> DescribedTable("Weights", ("column", "weight"), (("age", 0.5),)).rows
    (('age', 0.5),)
    """

    title: str
    heads: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]
    caption: str = ""
    intervals: tuple[tuple[int, int, int], ...] = ()
    spread: str = CONFIDENCE


@dataclass(frozen=True)
class Description:
    """A fitted model in words and numbers.

    Parameters
    ----------
    words : str.  Two or three sentences for a newcomer.
    tables : tuple of DescribedTable, default ().
    pictures : tuple of str, default ().  Names of what could be drawn of the model: "path", "boundary".
    notes : tuple of str, default ().  What must be known to read the numbers.
    """

    words: str
    tables: tuple[DescribedTable, ...] = ()
    pictures: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    def as_dict(self) -> Any:
        """Plain dicts, lists, numbers and strings, for JSON."""
        return json_value(asdict(self))


def json_value(value: Any) -> Any:
    """A value that JSON can hold: arrays as lists, numpy's numbers as Python's, NaN and infinity as None.

    >>> json_value({"a": (1.5, float("nan")), 3: True})
    {'a': [1.5, None], '3': True}
    """
    if isinstance(value, dict):
        return {str(key): json_value(item) for key, item in value.items()}
    if isinstance(value, list | tuple | set):
        return [json_value(item) for item in value]
    if isinstance(value, np.ndarray | np.generic):
        return json_value(value.tolist())
    if isinstance(value, bool | int | str) or value is None:
        return value
    if isinstance(value, float):
        return value if isfinite(value) else None
    return str(value)


def column_names(model: Any) -> list[str]:
    """The names of the columns that a fitted model was given: x0, x1, ... where they had none."""
    given = vars(model).get("feature_names_in_")
    return [f"x{j}" for j in range(model.n_features_in_)] if given is None else [str(name) for name in given]


def fit_notes(model: object) -> tuple[str, ...]:
    """What the fit says for itself: a tuple of no or one sentence."""
    certificate = vars(model).get("certificate_")
    return () if certificate is None else (f"The fit is {certificate}.",)
