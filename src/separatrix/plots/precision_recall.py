"""The precision-recall curve."""

import numpy as np

from separatrix.plots.labels import number, percent, short
from separatrix.plots.ranking import both_kinds, one_against_rest
from separatrix.plots.style import COLOURS, FAINT, LINES, picture


@picture()
def precision_recall(y, scores, ax=None, *, classes=None):
    r"""Precision against recall over all thresholds; the dotted line is guessing: the share of positives.

    .. math:: \text{precision} = \frac{TP}{TP + FP}, \qquad \text{recall} = \frac{TP}{TP + FN}

    The curve is a step function: precision is not interpolated between thresholds. The area is the average
    precision, :math:`\sum_n (R_n - R_{n-1}) P_n`.

    Parameters
    ----------
    y : (n,) labels.  Of two classes the second in sorted order is the positive one.
    scores : (n,) or (n, k).  Raw scores or probabilities. With k > 2, each frequent class against the rest.
    ax : Axes or None.
    classes : sequence of k labels or None.  The order of the columns of `scores`; None is sorted.

    >>> ax = precision_recall([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    >>> ax.lines[0].get_xdata()
    array([1. , 1. , 0.5, 0.5, 0. ])
    """
    from separatrix.assess.curves import precision_recall_curve

    entries = both_kinds(one_against_rest(y, scores, classes), "a precision-recall curve")
    averages, at_half = [], []
    for k, (label, positive, own) in enumerate(entries):
        curve = precision_recall_curve(positive, own)
        across, up = curve["recall"], curve["precision"]
        averages.append(curve.facts["average_precision"])
        at_half.append(float(up[across >= 0.5].max()))
        alone = len(entries) == 1
        name = f"average precision {averages[-1]:.3f}" if alone else f"{short(label)}: {averages[-1]:.3f}"
        style = {"color": COLOURS[k], "linestyle": LINES[k], "label": name}
        ax.plot(across, up, drawstyle="steps-post", clip_on=False, **style)
        if alone:
            ax.axhline(positive.mean(), color=FAINT, linewidth=0.8, linestyle=":")
            ax.annotate(
                "guessing", (0.01, positive.mean()), (0, 3), textcoords="offset points", color=FAINT, fontsize=8
            )
    ax.legend(loc="best", title=None if len(entries) == 1 else "average precision", alignment="left")
    ax.set(xlim=(0.0, 1.0), ylim=(0.0, 1.04), xlabel="recall", ylabel="precision")
    n = len(np.asarray(y))
    if len(entries) == 1:
        return (
            f"Precision-recall curve of {n:,} rows, {percent(entries[0][1].mean())} of them positive. Average "
            f"precision {number(averages[0])}. Half of the positives are found at a precision of {percent(at_half[0])}."
        )
    each = ", ".join(f"{label} {number(area)}" for (label, _, _), area in zip(entries, averages))
    return f"Precision-recall curves of {n:,} rows, each class against the rest. Average precision: {each}."
