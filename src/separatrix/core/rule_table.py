r"""The table of rules that rules of trees and rule lists share.

Every column of X is divided into *cells* (:mod:`separatrix.prediction.rules`): for numbers the intervals between the
thresholds that the tree asks for, for categories one cell each and one for those not met in training; a missing value
has the last cell. A condition on a column is the set of cells that it accepts, given by the *bounds* of its runs of
neighbouring cells: cells from the first bound to before the second, from the third to before the fourth, and so on. A
rule is a conjunction of conditions on different columns. Rules are asked in turn; the first whose conditions all hold
decides. A last rule without conditions decides the rest.
"""

from typing import NamedTuple

import numpy as np

from separatrix.core.registry import register
from separatrix.core.types import Array


@register("record")
class RuleTable(NamedTuple):
    """Rules in the order in which they are asked.

    Attributes
    ----------
    start : int64 (n_rules + 1).  The first condition of each rule, and the number of all.
    column : int64 (n_conditions).  The column that a condition asks for.
    offset : int64 (n_conditions + 1).  Where the bounds of each condition begin in `bounds`, and the number of all.
    bounds : int64.  Ends of the runs of accepted cells, ascending, for all conditions one after another.
    value : float64 (n_rules, n_values).  What a row is predicted by: shares of the classes, or means.
    weight : float64 (n_rules).  The weight of the training rows that the rule decides.
    estimate : float64 (n_rules).  The estimated accuracy by which rules were sorted; 0 where nothing was estimated.
    """

    start: Array
    column: Array
    offset: Array
    bounds: Array
    value: Array
    weight: Array
    estimate: Array


Conditions = list[tuple[int, Array]]


def table_from(rules: list[Conditions], value: Array, weight: Array, estimate: Array) -> RuleTable:
    """A table of rules that are lists of (column, bounds of the accepted cells)."""
    every = [condition for rule in rules for condition in rule]
    return RuleTable(
        np.cumsum([0, *map(len, rules)], dtype=np.int64),
        np.array([column for column, _ in every], dtype=np.int64),
        np.cumsum([0, *(len(bounds) for _, bounds in every)], dtype=np.int64),
        np.concatenate([np.zeros(0, dtype=np.int64), *(bounds for _, bounds in every)]),
        np.asarray(value, dtype=np.float64),
        np.asarray(weight, dtype=np.float64),
        np.asarray(estimate, dtype=np.float64),
    )


def conditions_of(rules: RuleTable, r: int) -> Conditions:
    """The conditions of a rule: (column, bounds of the accepted cells)."""
    ends = rules.offset
    chosen = range(int(rules.start[r]), int(rules.start[r + 1]))
    return [(int(rules.column[c]), rules.bounds[ends[c] : ends[c + 1]]) for c in chosen]


def bounds_of(cells: Array) -> Array:
    """Bounds of the runs of cells, which are given by their numbers, ascending.

    >>> bounds_of(np.array([0, 1, 2, 5]))
    array([0, 3, 5, 6])
    """
    gaps = np.flatnonzero(np.diff(cells) > 1)
    starts, ends = cells[np.append(0, gaps + 1)], cells[np.append(gaps, -1)] + 1
    return np.stack([starts, ends], axis=1).ravel().astype(np.int64)


def common_bounds(a: Array, b: Array) -> Array:
    """Bounds of the cells that two conditions both accept; empty where there are none.

    >>> common_bounds(np.array([0, 3, 5, 6]), np.array([2, 6]))
    array([2, 3, 5, 6])
    """
    points = np.unique(np.concatenate([a, b]))
    inside = accepts(a, points) & accepts(b, points)
    return points[np.diff(inside, prepend=False)]


def accepts(bounds: Array, cells: Array) -> Array:
    """Whether a condition accepts each of some cells."""
    odd: Array = np.searchsorted(bounds, cells, side="right") % 2 == 1
    return odd


def fault_of_rules(rules: RuleTable, n_cells: list[int]) -> str:
    """What is wrong with a table for columns of so many cells; empty if nothing is."""
    n, m = len(rules.value), len(rules.column)
    if n < 1 or rules.weight.shape != (n,) or rules.estimate.shape != (n,) or rules.value.ndim != 2:
        return "rules and their numbers disagree"
    for ends, count, last in ((rules.start, n, m), (rules.offset, m, len(rules.bounds))):
        if ends.shape != (count + 1,) or ends[0] != 0 or ends[-1] != last or np.any(np.diff(ends) < 0):
            return "conditions and their numbers disagree"
    if rules.start[-2] != m:
        return "the last rule has conditions"
    if m and (rules.column.min() < 0 or rules.column.max() >= len(n_cells)):
        return "a condition asks for an unknown column"
    first, last = rules.offset[:-1], rules.offset[1:] - 1
    if np.any(np.diff(rules.offset) < 2) or np.any(np.diff(rules.offset) % 2):
        return "a run of cells has no end"
    rises = np.diff(rules.bounds) > 0
    rises[last[:-1]] = True  # a new condition begins
    most = np.array(n_cells, dtype=np.int64)[rules.column]
    if not rises.all() or np.any(rules.bounds[first] < 0) or np.any(rules.bounds[last] > most):
        return "a condition accepts cells that its column does not have"
    numbers = np.concatenate([rules.value.ravel(), rules.weight, rules.estimate])
    return "" if np.all(np.isfinite(numbers)) and np.all(rules.weight >= 0.0) else "a number is not finite"
