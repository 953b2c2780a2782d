"""The ROC curve: true positive rate against false positive rate."""

import numpy as np

from separatrix.plots.labels import number, percent, short
from separatrix.plots.ranking import both_kinds, one_against_rest
from separatrix.plots.style import COLOURS, FAINT, LINES, SQUARE, picture


@picture(size=SQUARE)
def roc(y, scores, ax=None, *, classes=None):
    r"""True positive rate against false positive rate, over all thresholds; the diagonal is guessing.

    .. math:: \mathrm{TPR}(t) = P(s \ge t \mid \text{positive}), \qquad
              \mathrm{FPR}(t) = P(s \ge t \mid \text{negative})

    Parameters
    ----------
    y : (n,) labels.  Of two classes the second in sorted order is the positive one.
    scores : (n,) or (n, k).  Raw scores or probabilities. With k > 2, each frequent class against the rest.
    ax : Axes or None.
    classes : sequence of k labels or None.  The order of the columns of `scores`; None is sorted.

    >>> ax = roc(["no", "no", "yes", "yes"], [0.1, 0.4, 0.35, 0.8])
    >>> ax.lines[1].get_ydata()
    array([0. , 0.5, 0.5, 1. , 1. ])
    """
    from separatrix.assess.curves import roc_curve

    entries = both_kinds(one_against_rest(y, scores, classes), "a ROC curve")
    ax.plot([0.0, 1.0], [0.0, 1.0], color=FAINT, linewidth=0.8, linestyle=":")
    areas, at_tenth = [], []
    for k, (label, positive, own) in enumerate(entries):
        curve = roc_curve(positive, own)
        across, up = curve["false_positive_rate"], curve["true_positive_rate"]
        areas.append(curve.facts["area"])
        at_tenth.append(float(up[across <= 0.1].max()))
        name = f"area {areas[-1]:.3f}" if len(entries) == 1 else f"{short(label)}: {areas[-1]:.3f}"
        ax.plot(across, up, color=COLOURS[k], linestyle=LINES[k], label=name, clip_on=False)
    ax.legend(loc="lower right", title=None if len(entries) == 1 else "area, class against rest", alignment="left")
    ax.set(xlim=(0.0, 1.0), ylim=(0.0, 1.02), xlabel="false positive rate", ylabel="true positive rate", aspect="equal")
    n = len(np.asarray(y))
    if len(entries) == 1:
        return (
            f"ROC curve of {n:,} rows, {int(entries[0][1].sum()):,} of them positive. Area under the curve "
            f"{areas[0]:.3f}, where guessing has 0.50. At a false positive rate of 10 % the true positive rate is "
            f"{percent(at_tenth[0])}."
        )
    each = ", ".join(f"{label} {number(area)}" for (label, _, _), area in zip(entries, areas))
    return f"ROC curves of {n:,} rows, each class against the rest. Area under the curve: {each}; guessing has 0.5."
