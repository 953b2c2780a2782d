"""Learning curves: how scores change with more rows, or with more freedom."""

import numpy as np

from separatrix.core.protocol import can
from separatrix.core.refusal import cannot
from separatrix.plots.labels import at_line_ends, number, powers_of_ten
from separatrix.plots.style import COLOURS, LINES, MARKERS, WRITTEN, picture

ERROR = "_error"
SEVERAL_DECADES = 30.0  # ratio of the ends of the first column beyond which it is drawn on a logarithmic axis


@picture()
def learning_curve(table, ax=None, *, score=None):
    """Every column of a table against its first one, as lines, with bands of one standard error where there are any.

    Parameters
    ----------
    table : Curve of :mod:`separatrix.assess`, Table, dict or frame.  First what is varied ("rows", "alpha", "degree"),
        then a column for each line ("train", "validation"). A column "validation_error" is the standard error of
        "validation".
    ax : Axes or None.
    score : str or None.  What the lines measure; None takes what the curve says.

    >>> ax = learning_curve({"rows": [10, 20, 40], "train": [0.9, 0.88, 0.87], "validation": [0.7, 0.8, 0.84]})
    >>> ax.get_xlabel(), [text.get_text() for text in ax.texts]
    ('rows', ['train', 'validation'])
    """
    names = [str(name) for name in (table.names if can(table, "names") else table)]
    lines = [name for name in names[1:] if not name.endswith(ERROR)]
    if not lines:
        raise cannot(
            f"draw a learning curve of the columns {names}",
            because="there is no line to draw",
            instead="a first column that is varied and one or more columns of scores",
        )
    facts = table.facts if can(table, "facts") else {}
    score = facts.get("measure", "score") if score is None else score
    x = np.asarray(table[names[0]], dtype=np.float64)
    for k, name in enumerate(lines):
        y = np.asarray(table[name], dtype=np.float64)
        k = k % len(COLOURS)
        ax.plot(x, y, color=COLOURS[k], linestyle=LINES[k], marker=MARKERS[k] if len(x) <= 25 else None, clip_on=False)
        if name + ERROR in names:
            error = np.asarray(table[name + ERROR], dtype=np.float64)
            ax.fill_between(x, y - error, y + error, color=COLOURS[k], alpha=0.15, linewidth=0)
    if x.min() > 0.0 and x.max() / x.min() > SEVERAL_DECADES:
        ax.set_xscale("log")
        powers_of_ten(ax.xaxis)
    ax.set(xlabel=names[0], ylabel=score)
    ax.margins(x=0.0 if len(x) > 1 else 0.05)
    last = int(np.argmax(x))
    ends = [float(np.asarray(table[name], dtype=np.float64)[last]) for name in lines]
    at_line_ends(ax, ends, lines, [WRITTEN[k % len(WRITTEN)] for k in range(len(lines))])
    each = "; ".join(_sentence(name, x, np.asarray(table[name], dtype=np.float64)) for name in lines)
    return f"{score[0].upper()}{score[1:]} against {names[0]} from {number(x.min())} to {number(x.max())}: {each}."


def _sentence(name, x, y):
    first, last = int(np.argmin(x)), int(np.argmax(x))
    return f"{name} goes from {number(y[first])} to {number(y[last])}"
