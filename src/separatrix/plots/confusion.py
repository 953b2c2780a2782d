"""The confusion matrix: what was called what."""

import numpy as np

from separatrix.core.refusal import cannot
from separatrix.plots.labels import percent, short
from separatrix.plots.style import INK, SQUARE, picture

MOST_NUMBERS = 14  # classes beyond which numbers in the cells could not be read


@picture(size=SQUARE)
def confusion(matrix, labels, ax=None):
    """Counts of predictions (rows) by truth (columns); a cell is as dark as its share of the true class.

    Parameters
    ----------
    matrix : (k, k) array of counts.  Row: what was predicted. Column: what is true.
    labels : sequence of k labels.
    ax : Axes or None.

    >>> ax = confusion([[50, 3], [2, 45]], ["no", "yes"])
    >>> [text.get_text() for text in ax.texts]
    ['50\\n96 %', '3\\n6 %', '2\\n4 %', '45\\n94 %']
    """
    from matplotlib.colors import LinearSegmentedColormap

    matrix, k = np.asarray(matrix), len(labels)
    if matrix.shape != (k, k):
        raise cannot(
            f"draw a matrix of shape {matrix.shape}",
            because=f"there are {k} labels",
            instead="a row and column for each",
        )
    share = matrix / np.maximum(matrix.sum(axis=0), 1)
    shades = LinearSegmentedColormap.from_list("", ["#FFFFFF", "#0072B2"])
    edges = np.arange(k + 1) - 0.5
    ax.pcolormesh(edges, edges, share, cmap=shades, vmin=0.0, vmax=1.0, edgecolors="white", linewidth=1.0)
    size = 9.5 if k <= 5 else 8.0 if k <= 8 else 6.5
    for i in range(k) if k <= MOST_NUMBERS else ():
        for j in range(k):
            text = f"{matrix[i, j]:,}" + (f"\n{percent(share[i, j])}" if k <= 4 else "")
            colour = "white" if share[i, j] > 0.55 else INK
            if k <= 4 or matrix[i, j]:
                ax.text(j, i, text, ha="center", va="center", color=colour, fontsize=size)
    names = [short(label, 16) for label in labels]
    ax.set_xticks(range(k), names, rotation=0 if max(map(len, names)) * k < 40 else 90)
    ax.set_yticks(range(k), names)
    ax.set(xlabel="truth", ylabel="prediction", aspect="equal")
    ax.invert_yaxis()
    ax.tick_params(length=0)
    ax.spines[:].set_visible(False)
    right, n = int(np.trace(matrix)), int(matrix.sum())
    said = f"Confusion matrix of {n:,} rows: {right:,} ({percent(right / max(n, 1))}) are called what they are."
    wrong = matrix - np.diag(np.diag(matrix))
    if wrong.any():
        i, j = np.unravel_index(int(wrong.argmax()), wrong.shape)
        said += f" The commonest mistake is {labels[j]} called {labels[i]}, {wrong[i, j]:,} times."
    found = ", ".join(f"{label} {percent(share[c, c])}" for c, label in enumerate(labels[:MOST_NUMBERS]))
    return f"{said} Found of each class: {found}."
