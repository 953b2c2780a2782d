"""The leaderboard as a picture: a dot for each family, its standard error, and who cannot be told apart."""

import numpy as np

from separatrix.core.refusal import cannot
from separatrix.plots.labels import listed, number, short
from separatrix.plots.style import COLOURS, FAINT, MARKERS, PALE, picture


@picture
def leaderboard(comparison, ax=None):
    """Mean score of each family with one standard error to each side, best first; a marker and a colour for each group.

    Families of one group cannot be told apart by the data. Failures have no score and are not drawn.

    Parameters
    ----------
    comparison : Comparison.  From :mod:`separatrix.assess`.
    ax : Axes or None.

    >>> from types import SimpleNamespace as Some
    >>> from separatrix.assess.comparison import Standing
    >>> standings = [Standing("lasso", score=0.8, error=0.02, group=1), Standing("baseline", score=0.5, error=0.01, group=2)]
    >>> ax = leaderboard(Some(standings=standings, score="accuracy", higher_is_better=True, recommended="lasso"))
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['lasso ★', 'baseline']
    """
    shown = [standing for standing in comparison.standings if not standing.failed and np.isfinite(standing.score)]
    if not shown:
        raise cannot("draw a leaderboard", because="no family has a score", instead="a comparison that was run")
    groups = sorted({standing.group for standing in shown})
    for row, standing in enumerate(shown):
        k = groups.index(standing.group) % len(MARKERS)
        error = standing.error if np.isfinite(standing.error) else 0.0
        ax.plot([standing.score - error, standing.score + error], [row, row], color=COLOURS[k], linewidth=1.8)
        ax.plot(standing.score, row, MARKERS[k], color=COLOURS[k], markersize=6.0)
        if row and standing.group != shown[row - 1].group:
            ax.axhline(row - 0.5, color=PALE, linewidth=0.8)
    for group in groups:
        rows = [row for row, standing in enumerate(shown) if standing.group == group]
        ax.annotate(f"group {group}", (1.0, np.mean(rows)), (4, 0), xycoords=("axes fraction", "data"), va="center",
                    textcoords="offset points", color=COLOURS[groups.index(group) % len(COLOURS)], fontsize=8.5)  # fmt: skip
    best = shown[0]
    ax.axvline(best.score, color=FAINT, linewidth=0.8, linestyle=":")
    ax.set_yticks(range(len(shown)), [_name(standing, comparison) for standing in shown])
    ax.set(ylim=(len(shown) - 0.4, -0.6), xlabel=f"{comparison.score} ± standard error")
    ax.tick_params(axis="y", length=0)
    ax.spines["left"].set_visible(False)
    which = "higher is better" if comparison.higher_is_better else "lower is better"
    each = "; ".join(f"{s.family} {number(s.score)} ± {number(s.error, 2)}" for s in shown)
    together = [standing.family for standing in shown if standing.group == best.group]
    failed = len(comparison.standings) - len(shown)
    return (
        (
            f"Leaderboard of {len(shown)} families by {comparison.score} ({which}): {each}. The data cannot tell apart "
            f"{listed(together)}."
            if len(together) > 1
            else f"Leaderboard of {len(shown)} families by {comparison.score} ({which}): {each}. {best.family} is ahead of "
            "all others."
        )
        + (f" {failed} failed." if failed else "")
        + f" Recommended: {comparison.recommended}."
    )


def _name(standing, comparison):
    return short(standing.family) + (" ★" if standing.family == comparison.recommended else "")
