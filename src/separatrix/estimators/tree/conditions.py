"""One condition of a rule: what a column may be, in words."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from separatrix.core.printable import printable
from separatrix.core.rule_table import accepts
from separatrix.core.types import Array
from separatrix.prediction.rules import Cells


@dataclass(frozen=True)
class Condition:
    """What a rule asks of a column; a missing value passes only where `missing` says so.

    Attributes
    ----------
    column, name : int and str.  The place of the column, from 0, and its name.
    intervals : tuple of (low, high) or None.  A number passes in any of them: ``low < x <= high``. None for categories.
    values : tuple or None.  The categories that pass. None for numbers.
    others : bool.  Whether categories pass that training did not meet.
    missing : bool.  Whether a missing value passes.
    refused : tuple.  Where others pass, the categories of the training rows that do not.
    """

    column: int
    name: str
    intervals: tuple[tuple[float, float], ...] | None
    values: tuple[Any, ...] | None
    others: bool
    missing: bool
    refused: tuple[Any, ...] = ()

    def __str__(self) -> str:
        name = printable(self.name)
        if self.others and self.refused:
            refused = ", ".join(map(value_text, self.refused))
            one = refused if len(self.refused) == 1 else f"one of ({refused})"
            return f"{name} is missing or not {one}" if self.missing else f"{name} is not {one}"
        words = self._of_numbers(name) if self.values is None else self._of_categories(name)
        if not words:
            return f"{name} is missing"
        return f"{words} or missing" if self.missing else words

    def _of_numbers(self, name: str) -> str:
        return " or ".join(_interval(name, low, high) for low, high in self.intervals or ())

    def _of_categories(self, name: str) -> str:
        if self.others:
            return f"{name} is known"
        shown = list(map(value_text, self.values or ()))
        return f"{name} is {' or '.join(filter(None, [', '.join(shown[:-1]), shown[-1]]))}" if shown else ""


def condition_of(column: int, name: str, cells: Cells, bounds: Array) -> Condition:
    """The condition that a column lies in one of the accepted cells, which their bounds give."""
    last = cells.n_known
    missing = bool(accepts(bounds, np.array([last]))[0])
    runs = [(first, min(end, last)) for first, end in bounds.reshape(-1, 2).tolist() if first < last]
    if cells.categories is None:
        cuts: Any = cells.cuts
        intervals = tuple(
            (-np.inf if first == 0 else float(cuts[first - 1]), np.inf if end == last else float(cuts[end - 1]))
            for first, end in runs
        )
        return Condition(column, name, intervals, None, False, missing)
    known: Any = cells.categories
    passing = tuple(each for first, end in runs for each in known[first:end])
    # a level that has no place in an order is taken for a missing value
    others = missing if cells.is_ordinal else bool(accepts(bounds, np.array([last - 1]))[0])
    gaps = zip([0, *(end for _, end in runs)], [*(first for first, _ in runs), last], strict=True)
    refused = tuple(each for end, first in gaps for each in known[end:first]) if others else ()
    return Condition(column, name, None, passing, others, missing, refused)


def number_text(x: float) -> str:
    """A number in the fewest digits that give it exactly.

    >>> number_text(3.0), number_text(0.1), number_text(1e300)
    ('3', '0.1', '1e+300')
    """
    return repr(float(x)).removesuffix(".0")


def threshold_text(x: float) -> str:
    """A threshold in twelve digits: without what the rounding of a mean of two values leaves in the last ones.

    >>> threshold_text(42.349999999999994), threshold_text(2.5), threshold_text(1234567.5)
    ('42.35', '2.5', '1234567.5')
    """
    return number_text(float(f"{x:.12g}"))


def _interval(name: str, low: float, high: float) -> str:
    above, below = f"{name} > {threshold_text(low)}", f"{name} <= {threshold_text(high)}"
    if np.isneginf(low):
        return f"{name} is known" if np.isposinf(high) else below
    return above if np.isposinf(high) else f"{threshold_text(low)} < {below}"


def value_text(value: Any) -> str:
    """A category or a class in words, with nothing in it that a terminal would obey."""
    return number_text(value) if isinstance(value, float) else printable(value)
