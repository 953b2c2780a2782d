"""A fitted model in words and numbers, as plain data, and who can give it: declared where a model is written.

A family of models declares how its own are described with :func:`describes`, in the file of the model.
:func:`separatrix.inference.describe` asks whatever is declared, and has a general answer for everything else.
"""

from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

Describer = Callable[..., "Description"]

# A table for people shows at most so many rows, those that matter most.
MOST_ROWS = 40


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

    >>> DescribedTable("Weights", ("column", "weight"), (("age", 0.5),)).rows
    (('age', 0.5),)
    """

    title: str
    heads: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]
    caption: str = ""
    intervals: tuple[tuple[int, int, int], ...] = ()


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
        return _plain(asdict(self))


def _plain(value: Any) -> Any:
    """Tuples as lists, numbers of numpy as those of Python, numbers that JSON lacks as None."""
    if isinstance(value, dict):
        return {name: _plain(part) for name, part in value.items()}
    if isinstance(value, tuple | list):
        return [_plain(part) for part in value]
    if hasattr(value, "item"):
        value = value.item()
    if isinstance(value, float) and not abs(value) < float("inf"):
        return None
    return value


_DESCRIBERS: dict[type, Describer] = {}


def describes(*classes: type) -> Callable[[Describer], Describer]:
    """Declare a function ``(model, feature_names, X, y) -> Description`` for estimators of these classes.

    X and y are the rows that the model learnt from, in the columns that reach it, or None. A class derived from one of
    `classes` is described likewise, unless it has declared a function of its own.

    >>> class Coin: sides = 2
    >>> @describes(Coin)
    ... def in_words(model, feature_names, X, y):
    ...     return Description(f"It has {model.sides} sides.")
    >>> describer(Coin())(Coin(), [], None, None).words
    'It has 2 sides.'
    """

    def enter(function: Describer) -> Describer:
        for cls in classes:
            _DESCRIBERS[cls] = function
        return function

    return enter


def describer(model: object) -> Describer | None:
    """The function declared for the nearest class of a model; None where there is none."""
    return next((_DESCRIBERS[cls] for cls in type(model).__mro__ if cls in _DESCRIBERS), None)


def fit_notes(model: object) -> tuple[str, ...]:
    """What the fit says for itself: a tuple of no or one sentence."""
    certificate = getattr(model, "certificate_", None)
    return () if certificate is None else (f"The fit is {certificate}.",)
