"""What would have changed the decision: one column at a time, and the nearest point of the boundary."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from separatrix.designs import as_dense
from separatrix.tables.table import is_number

POINTS = 129  # of the grid on which a column of numbers is searched
REFINEMENTS = 3  # each narrows the place of a change by a factor of POINTS - 1
NUDGE = 1e-9  # how far beyond the boundary a change is taken, relative to itself
DEVIATIONS, PREPARED = "standard deviations", "units of the prepared columns"
SWAP = 2.0**0.5  # the length of a change of a category, whose two columns of 0 and 1 both move by 1


@dataclass(frozen=True)
class Flip:
    """A change of one column that alone changes the decision.

    Attributes
    ----------
    column : str.
    value, to : number, text or None.  The value in the row, and the nearest one that changes the decision.
    size : float.  Length of the change in prepared columns (standard deviations, as a rule).
    prediction : label.  What is decided then.
    outside : bool.  Whether no training row reached that value.
    unit : str.  Of the size; "" for a change of a category, or from a missing cell.
    """

    column: str
    value: Any
    to: Any
    size: float
    prediction: Any
    outside: bool = False
    unit: str = ""


def single_flips(seen, rows, known, linear):
    """For each column that can do it alone, the smallest change that changes the decision; the smallest first.

    Parameters
    ----------
    seen : OriginalColumns.  rows : the row.
    known : dict.  Ranges and levels of the training rows, by column; columns that are not in it are searched only if
        the model is linear in them.
    linear : bool.  Whether the model is.
    """
    now = seen.decided(rows)[0]
    flips = []
    for name in moving(seen, seen.names) if linear else seen.names:
        column, facts = seen.column(rows, name), known.get(name, {})
        if not is_number(column):
            flip = _other_level(seen, rows, name, facts.get("levels", ()), now, linear)
        elif linear and np.isfinite(column[0]) and seen.kinds[name] == "number":
            flip = _crossing(seen, rows, name, facts, now) or _searched(seen, rows, name, facts, now, linear)
        else:
            flip = _searched(seen, rows, name, facts, now, linear)
        if flip is not None:
            flips.append(flip)
    return sorted(flips, key=lambda flip: (flip.outside, flip.size))


def nearest_boundary_point(seen, rows, own, rival):
    """The foot of the row on the boundary between two classes, by moving columns of numbers; None if none can move.

    The columns move as their coefficients say, so that the way in prepared columns is the shortest.
    """
    gap = _gap(seen, own, rival)
    at = {name: float(seen.column(rows, name)[0]) for name in seen.names if seen.kinds[name] == "number"}
    here, steps, pull = gap(rows), {}, 0.0
    for name in moving(seen, at):
        slope, length = _slope(seen, rows, name, at[name], gap, here)
        if slope != 0.0 and length > 0.0:
            steps[name] = slope / length**2  # steepest in prepared columns, told in the units of the table
            pull += slope * steps[name]
    if pull == 0.0:
        return None
    moved = {name: at[name] - here / pull * step for name, step in steps.items()}
    rest = gap(_replaced(seen, rows, moved))
    if not np.isfinite(rest) or abs(rest) > 1e-6 * (abs(here) + 1.0):  # columns that enter by curves
        return None
    return moved


def moving(seen, names):
    """Of those columns, the ones with a coefficient that is not 0."""
    weights = np.bincount(seen.owners, weights=np.abs(seen.coef).sum(axis=0), minlength=len(seen.names))
    return [name for name in names if weights[seen.names.index(name)] > 0.0]


def _gap(seen, own, rival):
    def gap(rows):
        scores = seen.scores(rows)[0]
        return float(scores[own] - scores[rival])

    return gap


def _slope(seen, rows, name, value, gap, here):
    """How the gap and the prepared columns change with one unit of a column; 0 where it is missing."""
    if not np.isfinite(value):
        return 0.0, 0.0
    step = _unit(value)
    moved = seen.varied(rows, name, [value + step])
    length = float(np.linalg.norm(as_dense(seen.prepared(moved)) - as_dense(seen.prepared(rows))))
    return (gap(moved) - here) / step, length / step


def _unit(value):
    """A step large enough not to drown in rounding; scores are linear, so that its size does not matter else."""
    return max(1.0, abs(value))


def _replaced(seen, rows, values):
    for name, value in values.items():
        rows = seen.varied(rows, name, [value])
    return rows


def _crossing(seen, rows, name, facts, now):
    """Where scores that are linear in a column cross, exactly; None where they do not, or it is no line."""
    value = float(seen.column(rows, name)[0])
    step = facts.get("deviation") or _unit(value)
    scores = seen.scores(seen.varied(rows, name, [value, value + step]))
    own = seen.classes.index(now.item() if isinstance(now, np.generic) else now)
    gaps, slopes = scores[0, own] - scores[0], (scores[1] - scores[0]) / step
    closing = slopes - slopes[own]  # how fast each rival gains
    best = None
    for rival in range(len(gaps)):
        if rival != own and closing[rival] != 0.0:
            change = gaps[rival] / closing[rival]
            change += NUDGE * (change if change != 0.0 else np.sign(closing[rival]) * step)
            if best is None or abs(change) < abs(best):
                best = change
    if best is None or not np.isfinite(best):
        return None
    return _flip(seen, rows, name, value + best, now, facts, True)


def _searched(seen, rows, name, facts, now, linear):
    """The value nearest to the row's at which the model decides otherwise, on a grid that is refined around it."""
    low, high = facts.get("low"), facts.get("high")
    if low is None or high is None or not low < high:
        return None
    value = float(seen.column(rows, name)[0])
    start = value if np.isfinite(value) else 0.5 * (low + high)
    grid = np.linspace(low, high, POINTS)
    for _ in range(REFINEMENTS):
        differs = seen.decided(seen.varied(rows, name, grid)) != now
        if not differs.any():
            return None
        far = np.abs(grid - start)
        nearest = int(np.flatnonzero(differs)[np.argmin(far[differs])])
        to = float(grid[nearest])
        towards = nearest + (1 if grid[nearest] < start else -1)  # the neighbour on the side of the row
        inner = grid[towards] if 0 <= towards < len(grid) and not differs[towards] else start
        if inner == to:
            break
        grid = np.linspace(inner, to, POINTS)
    return _flip(seen, rows, name, to, now, facts, linear)


def _other_level(seen, rows, name, levels, now, linear):
    """The first of the other levels, nearest by prepared columns, with which the model decides otherwise."""
    value = seen.column(rows, name)[0]
    others = [level for level in levels if level != value]
    if not others:
        return None
    decided = seen.decided(seen.varied(rows, name, others))
    flips = [_flip(seen, rows, name, level, now, {}, linear) for level, d in zip(others, decided) if d != now]
    return min(flips, key=lambda flip: flip.size, default=None)


def _flip(seen, rows, name, to, now, facts, linear):
    """The change as a Flip; None if the model does not decide otherwise after all.

    A column of whole numbers gets the next whole number, if that changes the decision too.
    """
    if facts.get("whole") and to != np.rint(to):
        value = float(seen.column(rows, name)[0])
        whole = float(np.ceil(to) if np.isnan(value) or to > value else np.floor(to))
        return _flip(seen, rows, name, whole, now, {**facts, "whole": False}, linear) or _flip(
            seen, rows, name, to, now, {**facts, "whole": False}, linear
        )
    moved = seen.varied(rows, name, [to])
    decided = seen.decided(moved)[0]
    if decided == now:
        return None
    value = seen.column(rows, name)[0]
    number = not isinstance(value, str) and value is not None
    measured = number and np.isfinite(value) and facts.get("deviation")
    deviations = abs(to - value) / facts["deviation"] if measured else SWAP
    size, unit = deviations, DEVIATIONS if measured else ""
    if linear:
        size = float(np.linalg.norm(as_dense(seen.prepared(moved)) - as_dense(seen.prepared(rows))))
        if not np.isclose(size, deviations, rtol=1e-6):
            unit = PREPARED if number else ""
    low, high = facts.get("low"), facts.get("high")
    outside = number and low is not None and high is not None and not low <= to <= high
    label = decided.item() if isinstance(decided, np.generic) else decided
    shown, to = (seen.cell(name, each) for each in (value, to))
    return Flip(name, shown, to, float(size), label, bool(outside), unit)
