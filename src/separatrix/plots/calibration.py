"""Reliability: whether what is given a probability of 30 % happens 30 times in 100."""

import numpy as np

from separatrix.core.refusal import cannot
from separatrix.plots.labels import number
from separatrix.plots.ranking import one_against_rest
from separatrix.plots.style import COLOURS, FAINT, PALE, picture

CONFIDENCE = 0.95
STRIP = 0.30  # height of the strip below zero that holds the histogram


@picture()
def calibration(y, p, bins=10, ax=None, *, classes=None):
    """Observed shares against predicted probabilities, by bins of equal width, over a histogram of the probabilities.

    Bars are 95 % Wilson intervals of the shares. Of more than two classes, the probability of the predicted class is
    held against whether it is right.

    Parameters
    ----------
    y : (n,) labels.  Of two classes the second in sorted order is the one that `p` is about.
    p : (n,), (n, 2) or (n, k).  Probabilities.
    bins : int, [2, inf), default 10.
    ax : Axes or None.
    classes : sequence of k labels or None.  The order of the columns of `p`; None is sorted.

    >>> ax = calibration([0, 1, 0, 1, 1, 1], [0.1, 0.15, 0.15, 0.8, 0.9, 0.9], bins=2)
    >>> ax.lines[1].get_xydata().round(2)
    array([[0.13, 0.33],
           [0.87, 1.  ]])
    """
    happened, p, what = _events(y, p, classes)
    predicted, observed, low, high, rows = reliability(happened, p, bins)
    ax.plot([0.0, 1.0], [0.0, 1.0], color=FAINT, linewidth=0.8, linestyle=":")
    ax.plot(predicted, observed, "o-", color=COLOURS[0], clip_on=False, zorder=3)
    ax.vlines(predicted, low, high, color=COLOURS[0], linewidth=1.0)
    edges = np.linspace(0.0, 1.0, bins + 1)
    counts, _ = np.histogram(p, edges)
    ax.bar(edges[:-1], 0.6 * STRIP * counts / counts.max(), 1.0 / bins, -STRIP, align="edge", color=PALE, ec="white")
    tallest = np.clip((counts.argmax() + 0.5) / bins, 0.09, 0.91)
    ax.annotate(f"{counts.max():,} rows", (tallest, -0.06), ha="center", va="center", color=FAINT, fontsize=8)
    ax.axhline(0.0, color=FAINT, linewidth=0.8)
    ax.set(xlim=(0.0, 1.0), ylim=(-STRIP, 1.02), yticks=np.linspace(0.0, 1.0, 6))
    ax.spines["left"].set_bounds(0.0, 1.0)
    ax.set(xlabel=f"predicted probability of {what}", ylabel="observed share")
    error = float(np.abs(predicted - observed) @ rows / rows.sum())
    inside = int(((low <= predicted) & (predicted <= high)).sum())
    worst = int(np.argmax(np.abs(predicted - observed)))
    return (
        f"Calibration of {len(p):,} probabilities of {what} in {len(rows)} filled bins. Mean gap between predicted and "
        f"observed {number(error, 2)}; the prediction lies within the 95 % interval in {inside} of {len(rows)} bins. "
        f"Largest gap: predicted {number(predicted[worst], 2)}, observed {number(observed[worst], 2)} "
        f"({int(rows[worst]):,} rows)."
    )


def reliability(happened, p, bins):
    """(mean prediction, observed share, low, high, rows) of each bin that is not empty; Wilson intervals.

    >>> predicted, observed, low, high, rows = reliability(np.array([False, True]), np.array([0.2, 0.9]), 2)
    >>> rows, observed
    (array([1, 1]), array([0., 1.]))
    """
    from scipy.stats import binomtest

    edges = np.linspace(0.0, 1.0, bins + 1)
    bin_of = np.searchsorted(edges[1:-1], p)
    rows = np.bincount(bin_of, minlength=bins)
    filled = rows > 0
    successes = np.bincount(bin_of, weights=happened, minlength=bins)[filled].astype(int)
    predicted = np.bincount(bin_of, weights=p, minlength=bins)[filled] / rows[filled]
    intervals = [binomtest(s, n).proportion_ci(CONFIDENCE, "wilson") for s, n in zip(successes, rows[filled].tolist())]
    low, high = np.array([(i.low, i.high) for i in intervals]).T
    return predicted, successes / rows[filled], low, high, rows[filled]


def _events(y, p, classes):
    """Whether the thing happened, its probability, and what to call it."""
    p = np.asarray(p, dtype=np.float64)
    if p.size and (p.min() < 0.0 or p.max() > 1.0):
        raise cannot(
            "draw a calibration curve",
            because=f"p reaches from {p.min():.3g} to {p.max():.3g}, and probabilities lie between 0 and 1",
            instead="the probabilities of predict_proba",
        )
    ((label, happened, own), *others) = one_against_rest(y, p, classes)
    if not others and (p.ndim == 1 or p.shape[1] == 2):
        return happened, own, str(label)
    labels = np.unique(np.asarray(y)) if classes is None else np.asarray(classes)
    return np.asarray(y) == labels[p.argmax(axis=1)], p.max(axis=1), "the predicted class"
