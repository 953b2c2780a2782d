"""A forest plot: estimates with their intervals, about a line at zero."""

import numpy as np

from separatrix.core.refusal import cannot
from separatrix.plots.labels import counted, listed, number, short
from separatrix.plots.style import COLOURS, FAINT, picture, rows_high

MOST = 25


@picture(size=lambda given: rows_high(min(len(given["names"]), MOST)))
def coefficients(names, estimates, intervals=None, ax=None, *, unit="coefficient", confidence=True):
    """Estimates as dots, intervals as bars; filled where a confidence interval excludes zero.

    Where there are many, the 25 that are largest (in units of half their interval) are drawn.

    Parameters
    ----------
    names : sequence of p str.
    estimates : (p,) array.
    intervals : (p, 2) array or None.  Lower and upper ends; NaN or infinite where there is none.
    ax : Axes or None.
    unit : str, default "coefficient".  What the axis says.
    confidence : bool, default True.  Whether the intervals are confidence intervals; of others, as the spread over
        resamples, it is not said whether they exclude zero.

    >>> ax = coefficients(["age", "ldl"], [0.5, -0.1], [[0.2, 0.8], [-0.3, 0.1]])
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['age', 'ldl']
    """
    estimates = np.asarray(estimates, dtype=np.float64)
    ends = np.full((len(estimates), 2), np.nan) if intervals is None else np.asarray(intervals, dtype=np.float64)
    if len(names) != len(estimates) or ends.shape != (len(estimates), 2):
        raise cannot(
            f"draw {len(estimates)} estimates",
            because=f"there are {len(names)} names and intervals of shape {ends.shape}",
            instead="a name and a pair of ends for each",
        )
    half = np.where(np.isfinite(ends).all(axis=1), np.ptp(ends, axis=1) / 2.0, np.nan)
    weight = np.abs(estimates) / half if np.isfinite(half).any() else np.abs(estimates)
    shown = np.sort(np.argsort(-np.nan_to_num(weight, nan=-1.0), kind="stable")[:MOST])
    rows = np.arange(len(shown))
    apart_from_zero = ((ends[:, 0] > 0.0) | (ends[:, 1] < 0.0)) & confidence
    ax.axvline(0.0, color=FAINT, linewidth=0.8)
    ax.hlines(rows, *ends[shown].T, color=COLOURS[0], linewidth=1.5)
    filled = np.where(apart_from_zero[shown], COLOURS[0], "white")
    ax.scatter(estimates[shown], rows, color=filled, edgecolors=COLOURS[0], s=26, zorder=3)
    ax.set_yticks(rows, [short(names[j]) for j in shown])
    ax.set(ylim=(len(shown) - 0.4, -0.6), xlabel=unit)
    ax.tick_params(axis="y", length=0)
    ax.spines["left"].set_visible(False)
    of_all = "" if len(shown) == len(estimates) else f"{len(shown)} of "
    head = of_all + counted(len(estimates), "estimate")
    each = "; ".join(f"{names[j]} {number(estimates[j])}{_interval(ends[j])}" for j in shown[:MOST])
    beyond = [str(names[j]) for j in shown if apart_from_zero[j]]
    what = "intervals" if confidence else "their spread over resamples"
    verdict = f" The interval excludes zero for {listed(beyond)}." if beyond else ""
    return f"{head} ({unit}) with {what}: {each}.{verdict}" if np.isfinite(half).any() else f"{head} ({unit}): {each}."


def _interval(ends):
    return f" ({number(ends[0])} to {number(ends[1])})" if np.isfinite(ends).all() else ""
