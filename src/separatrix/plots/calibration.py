"""Calibration: predicted probabilities against observed shares."""

import numpy as np

from separatrix.plots.labels import counted, number, short
from separatrix.plots.style import COLOURS, FAINT, PALE, picture

STRIP = 0.30  # height of the strip below zero that holds the histogram


@picture()
def calibration(y, p, bins=10, ax=None, *, classes=None):
    """Observed shares against predicted probabilities, by bins of equal width, over a histogram of the probabilities.

    Bars are 95 % Wilson intervals of the shares. Of more than two classes, the probability of the predicted class is
    compared with whether it is right.

    Parameters
    ----------
    y : (n,) labels.  Of two classes the second in sorted order is the one that `p` is about.
    p : (n,), (n, 2) or (n, k).  Probabilities.
    bins : int, [1, inf), default 10.
    ax : Axes or None.
    classes : sequence of k labels or None.  The order of the columns of `p`; None is sorted.

    >>> ax = calibration([0, 1, 0, 1, 1, 1], [0.1, 0.15, 0.15, 0.8, 0.9, 0.9], bins=2)
    >>> ax.lines[1].get_xydata().round(2)
    array([[0.13, 0.33],
           [0.87, 1.  ]])
    """
    from separatrix.assess.curves import calibration_curve

    curve = calibration_curve(y, p, classes=classes, bins=bins)
    names = ("rows", "claimed", "observed", "lower", "upper")
    rows, claimed, observed, lower, upper = (curve[name] for name in names)
    what = _event(y, np.asarray(p), classes)
    ax.plot([0.0, 1.0], [0.0, 1.0], color=FAINT, linewidth=0.8, linestyle=":")
    ax.plot(claimed, observed, "o-", color=COLOURS[0], clip_on=False, zorder=3)
    ax.vlines(claimed, lower, upper, color=COLOURS[0], linewidth=1.0)
    heights = 0.6 * STRIP * rows / rows.max()
    ax.bar(curve["low"], heights, 1.0 / bins, -STRIP, align="edge", color=PALE, edgecolor="white")
    tallest = np.clip(curve["low"][rows.argmax()] + 0.5 / bins, 0.09, 0.91)
    ax.annotate(counted(rows.max(), "row"), (tallest, -0.06), ha="center", va="center", color=FAINT, fontsize=8)
    ax.axhline(0.0, color=FAINT, linewidth=0.8)
    ax.set(xlim=(0.0, 1.0), ylim=(-STRIP, 1.02), yticks=np.linspace(0.0, 1.0, 6))
    ax.spines["left"].set_bounds(0.0, 1.0)
    ax.set(xlabel=f"predicted probability of {what}", ylabel="observed share")
    inside = int(((lower <= claimed) & (claimed <= upper)).sum())
    worst = int(np.argmax(np.abs(claimed - observed)))
    return (
        f"Calibration of {rows.sum():,} probabilities of {what} in {len(rows)} filled bins. Mean gap between predicted "
        f"and observed {number(curve.facts['error'], 2)}; the prediction lies within the 95 % interval in {inside} of "
        f"{len(rows)} bins. Largest gap: predicted {number(claimed[worst], 2)}, observed {number(observed[worst], 2)} "
        f"({counted(rows[worst], 'row')})."
    )


def _event(y, p, classes):
    """The event of the probabilities: the second of two classes, or that the predicted class is right."""
    if p.ndim == 2 and p.shape[1] > 2:
        return "the predicted class"
    return short((np.unique(np.asarray(y)) if classes is None else np.asarray(classes))[-1])
