"""The leaderboard as a picture: score and standard error of each family, and its group."""

import numpy as np

from separatrix.core.refusal import cannot
from separatrix.plots.labels import listed, number, short
from separatrix.plots.style import COLOURS, FAINT, MARKERS, PALE, WRITTEN, picture, rows_high

FAR = 2.5  # a family this many times farther from the best than the next is written at the edge


@picture(size=lambda given: rows_high(len(given["comparison"].standings)))
def leaderboard(comparison, ax=None):
    """Mean score of each family with one standard error to each side, best first; a marker and a colour for each group.

    Families of one group are not shown to be worse than its best. One that is far behind all others, usually the
    baseline, is written at the edge, so that the others remain distinguishable. Failures are not drawn.

    Parameters
    ----------
    comparison : Comparison.  From :mod:`separatrix.assess`.
    ax : Axes or None.

    >>> from types import SimpleNamespace as Some
    >>> from separatrix.assess.compare.comparison import Standing
    >>> best, base = Standing("lasso", score=0.8, error=0.02, group=1), Standing("baseline", score=0.5, group=2)
    >>> ax = leaderboard(Some(standings=[best, base], score="accuracy", higher_is_better=True, recommended="lasso"))
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['lasso ★', 'baseline']
    """
    shown = [standing for standing in comparison.standings if not standing.failed and np.isfinite(standing.score)]
    if not shown:
        raise cannot("draw a leaderboard", because="no family has a score", instead="a comparison that was run")
    groups = sorted({standing.group for standing in shown})
    low, high = _scale(shown)
    for row, standing in enumerate(shown):
        k = groups.index(standing.group) % len(MARKERS)
        if low <= standing.score <= high:
            error = _error(standing)
            ax.plot([standing.score - error, standing.score + error], [row, row], color=COLOURS[k])
            ax.plot(standing.score, row, MARKERS[k], color=COLOURS[k], markersize=6.0)
        else:
            left = standing.score < low
            label = f"← {number(standing.score)}" if left else f"{number(standing.score)} →"
            edge, shift, side = (0.0, (4, 0), "left") if left else (1.0, (-4, 0), "right")
            ax.annotate(label, (edge, row), shift, xycoords=("axes fraction", "data"), textcoords="offset points",
                        color=WRITTEN[k], ha=side, va="center")  # fmt: skip
        if row and standing.group != shown[row - 1].group:
            ax.axhline(row - 0.5, color=PALE, linewidth=0.8)
    for k, group in enumerate(groups):
        middle = np.mean([row for row, standing in enumerate(shown) if standing.group == group])
        ax.annotate(f"group {group}", (1.0, middle), (4, 0), xycoords=("axes fraction", "data"), va="center",
                    textcoords="offset points", color=WRITTEN[k % len(WRITTEN)], fontsize=8.5)  # fmt: skip
    ax.axvline(shown[0].score, color=FAINT, linewidth=0.8, linestyle=":")
    ax.set_yticks(range(len(shown)), [_name(standing, comparison) for standing in shown])
    ax.set(xlim=(low, high), ylim=(len(shown) - 0.4, -0.6), xlabel=f"{comparison.score} ± standard error")
    ax.tick_params(axis="y", length=0)
    ax.spines["left"].set_visible(False)
    return _sentence(comparison, shown)


def _error(standing):
    return standing.error if np.isfinite(standing.error) else 0.0


def _scale(shown):
    """Limits of the score axis, without the families that are far behind all others."""
    best = shown[0].score
    near = sorted(shown, key=lambda standing: abs(standing.score - best))
    widest = max(_error(standing) for standing in shown)
    while len(near) > 2 and abs(near[-1].score - best) > FAR * max(abs(near[-2].score - best), widest):
        near.pop()
    low = min(standing.score - _error(standing) for standing in near)
    high = max(standing.score + _error(standing) for standing in near)
    room = 0.06 * (high - low) or 0.5
    return low - room, high + room


def _name(standing, comparison):
    return short(standing.family) + (" ★" if standing.family == comparison.recommended else "")


def _sentence(comparison, shown):
    which = "higher is better" if comparison.higher_is_better else "lower is better"
    each = "; ".join(f"{s.family} {number(s.score)}{_plus_or_minus(s)}" for s in shown)
    together = [standing.family for standing in shown if standing.group == shown[0].group]
    apart = f" {together[0]} is ahead of all." if len(shown) > 1 else ""
    if len(together) > 1:
        apart = f" The data cannot tell apart {listed(together)}."
    families = "1 family" if len(shown) == 1 else f"{len(shown)} families"
    failed = len(comparison.standings) - len(shown)
    without = f" {failed} more could not be scored." if failed else ""
    return (
        f"Leaderboard of {families} by {comparison.score} ({which}): {each}.{apart}{without} "
        f"Recommended, and marked with a star: {comparison.recommended}."
    )


def _plus_or_minus(standing):
    return f" ± {number(standing.error, 2)}" if np.isfinite(standing.error) else ""
