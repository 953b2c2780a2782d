"""The confusion matrix."""

import numpy as np

from separatrix.core.protocol import can
from separatrix.core.refusal import cannot
from separatrix.plots.labels import number, percent, short
from separatrix.plots.style import INK, SQUARE, picture

MOST_NUMBERS = 14  # classes beyond which numbers in the cells could not be read


@picture(size=SQUARE)
def confusion(matrix, labels=None, ax=None):
    """Counts of predictions (rows) by truth (columns); a cell is as dark as its share of the true class.

    Parameters
    ----------
    matrix : (k, k) array of counts, or a Confusion of :mod:`separatrix.assess`.  Row: what was predicted. Column: what
        is true.
    labels : sequence of k labels or None.  None is for a Confusion, which has its own.
    ax : Axes or None.

    >>> ax = confusion([[50, 3], [2, 45]], ["no", "yes"])
    >>> [text.get_text() for text in ax.texts]
    ['50\\n96 %', '3\\n6 %', '2\\n4 %', '45\\n94 %']
    """
    from matplotlib.colors import LinearSegmentedColormap
    from matplotlib.patches import Rectangle

    labels = matrix.labels if labels is None else labels
    matrix, k = np.asarray(matrix.matrix if can(matrix, "matrix") else matrix), len(labels)
    if matrix.shape != (k, k):
        raise cannot(
            f"draw a matrix of shape {matrix.shape}",
            because=f"there are {k} labels",
            instead="a row and column for each",
        )
    share = matrix / np.where(matrix.sum(axis=0) > 0, matrix.sum(axis=0), 1)
    shades = LinearSegmentedColormap.from_list("", ["#FFFFFF", "#0072B2"])
    # a patch only for cells that are not empty
    for i, j in zip(*np.nonzero(share)):
        ax.add_patch(Rectangle((j - 0.5, i - 0.5), 1.0, 1.0, facecolor=shades(share[i, j]), edgecolor="white"))
    size = 9.5 if k <= 5 else 8.0 if k <= 8 else 6.5
    for i in range(k) if k <= MOST_NUMBERS else ():
        for j in range(k):
            text = _count(matrix[i, j]) + (f"\n{percent(share[i, j])}" if k <= 4 else "")
            colour = "white" if share[i, j] > 0.55 else INK
            if k <= 4 or matrix[i, j]:
                ax.text(j, i, text, ha="center", va="center", color=colour, fontsize=size)
    names = [short(label, 16) for label in labels]
    ax.set_xticks(range(k), names, rotation=0 if max(map(len, names)) * k < 40 else 90)
    ax.set_yticks(range(k), names)
    ax.set(xlabel="truth", ylabel="prediction", aspect="equal", xlim=(-0.5, k - 0.5), ylim=(k - 0.5, -0.5))
    ax.tick_params(length=0)
    ax.spines[:].set_visible(False)
    right, n = np.trace(matrix), matrix.sum()
    share_right = percent(right / n if n else 0.0)
    text = f"Confusion matrix of {_count(n)} rows: {_count(right)} ({share_right}) are called what they are."
    wrong = matrix - np.diag(np.diag(matrix))
    if wrong.any():
        i, j = np.unravel_index(int(wrong.argmax()), wrong.shape)
        text += f" The commonest mistake is {labels[j]} called {labels[i]}, {_count(wrong[i, j])} times."
    recalls = ", ".join(f"{label} {percent(share[c, c])}" for c, label in enumerate(labels[:MOST_NUMBERS]))
    return f"{text} Found of each class: {recalls}."


def _count(x):
    """Whole numbers as they are, sums of weights rounded."""
    return f"{x:,}" if np.asarray(x).dtype.kind in "iu" else number(x)
