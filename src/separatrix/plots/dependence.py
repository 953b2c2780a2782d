"""Partial dependence: the mean prediction when one column has the same value in all rows, over its values."""

import numpy as np

from separatrix.core.errors import cannot
from separatrix.plots.labels import number, short
from separatrix.plots.style import COLOURS, FAINT, LINES, MARKERS, picture

FEW = 10  # values of a number that are marked one by one


@picture(size=(5.0, 2.6))
def dependence(
    values, average, ax=None, *, name="value", unit="mean prediction", outputs=("",), range=None, steps=False
):
    """A line over numbers, or steps, and dots over categories; of several classes one of each.

    Parameters
    ----------
    values : (m,) array.  Numbers, or words.
    average : (m,) or (k, m) array.  Mean predictions, for each of k outputs.
    ax : Axes or None.
    name : str, default "value".  What the column is called.
    unit : str, default "mean prediction".  What the other axis says.
    outputs : sequence of k str, default ("",).  Classes, where there are several outputs.
    range : pair of float or None, default None.  Ends of the other axis, for pictures that are compared.
    steps : bool, default False.  Whether the prediction jumps, as that of trees does: steps half-way between values.

    >>> ax = dependence([1.0, 2.0], [0.2, 0.6], name="age")
    >>> ax.get_xlabel(), ax.lines[0].get_ydata().tolist()
    ('age', [0.2, 0.6])
    """
    values, average = np.asarray(values), np.atleast_2d(np.asarray(average, dtype=np.float64))
    if average.shape != (len(outputs), len(values)):
        raise cannot(
            f"draw mean predictions of shape {average.shape}",
            because=f"there are {len(outputs)} outputs and {len(values)} values",
            instead=f"an array of shape ({len(outputs)}, {len(values)})",
        )
    words = values.dtype.kind in "OUS"
    at = np.arange(len(values)) if words else values.astype(np.float64)
    drawn = "steps-mid" if steps else "default"
    for k, line in enumerate(average):
        style = {"color": COLOURS[k % len(COLOURS)], "label": short(outputs[k])}
        if words:
            ax.plot(at, line, linestyle="", marker=MARKERS[k % len(MARKERS)], markersize=6, **style)
        else:
            few = MARKERS[k % len(MARKERS)] if len(values) <= FEW else ""
            ax.plot(at, line, linestyle=LINES[k % len(LINES)], marker=few, drawstyle=drawn, **style)
    if words:
        ax.set_xticks(at, [short(word, 14) for word in values.tolist()], rotation=30 if len(values) > 4 else 0)
        ax.set_xlim(-0.5, len(values) - 0.5)
        ax.grid(axis="y", color=FAINT, alpha=0.2)
    ax.set(xlabel=short(name, 40), ylabel=unit)
    if range is not None:
        ax.set_ylim(*range)
    if len(outputs) > 1:
        ax.legend()
    each = [_ends(values, line, outputs[k]) for k, line in enumerate(average)]
    return f"{unit} over {name}: {'; '.join(each)}."


def _ends(values, line, label):
    """Where a line is lowest and highest."""
    low, high = int(np.argmin(line)), int(np.argmax(line))
    where = [value if isinstance(value, str) else number(value) for value in (values[low], values[high])]
    return f"{label}{' ' if label else ''}from {number(line[low])} at {where[0]} to {number(line[high])} at {where[1]}"
