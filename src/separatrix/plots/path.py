"""A regularisation path: coefficients against the strength of the penalty."""

import numpy as np

from separatrix.core.refusal import cannot
from separatrix.plots.labels import at_line_ends, listed, number, powers_of_ten
from separatrix.plots.style import COLOURS, FAINT, INK, LINES, PALE, WRITTEN, picture

MOST_NAMED = 7


@picture()
def path(alphas, coefs, names=None, chosen=None, ax=None):
    """Coefficients against the strength of the penalty, which weakens to the right; the largest are named.

    Parameters
    ----------
    alphas : (m,) array, (0, inf).  Strengths.
    coefs : (p, m) array.  Coefficients of each strength, as ``lasso_path`` gives them.
    names : sequence of p str or None.
    chosen : float or None.  The strength that was chosen.
    ax : Axes or None.

    >>> ax = path([1.0, 0.1, 0.01], [[0.0, 0.5, 0.9], [0.0, 0.0, -0.2]], names=["age", "ldl"], chosen=0.1)
    >>> bool(ax.xaxis_inverted()), [text.get_text() for text in ax.texts]
    (True, ['chosen: 0.1', 'age', 'ldl'])
    """
    alphas, coefs = np.asarray(alphas, dtype=np.float64), np.asarray(coefs, dtype=np.float64)
    if coefs.ndim != 2 or alphas.shape != coefs.shape[1:] or not (alphas > 0.0).all():
        raise cannot(
            f"draw a path of coefs of shape {coefs.shape} over alphas of shape {alphas.shape}",
            because="each positive strength needs a column of coefficients",
            instead="coefs of shape (p, m) and m positive alphas",
        )
    order = np.argsort(-alphas)
    alphas, coefs = alphas[order], coefs[:, order]
    names = [f"x{j + 1}" for j in range(len(coefs))] if names is None else names
    top = np.argsort(-np.abs(coefs).max(axis=1), kind="stable")[:MOST_NAMED]
    top = top[np.abs(coefs[top]).max(axis=1) > 0.0]
    for j in np.setdiff1d(np.arange(len(coefs)), top):
        ax.plot(alphas, coefs[j], color=PALE, linewidth=0.8)
    ax.axhline(0.0, color=FAINT, linewidth=0.8)
    for k, j in enumerate(top):
        ax.plot(alphas, coefs[j], color=COLOURS[k], linestyle=LINES[k])
    ax.set_xscale("log")
    powers_of_ten(ax.xaxis)
    ax.set(xlim=(alphas[0], alphas[-1]), xlabel="strength of the penalty", ylabel="coefficient")
    at_chosen = ""
    if chosen is not None:
        ax.axvline(chosen, color=INK, linewidth=0.8, linestyle=":")
        ax.annotate(
            f"chosen: {number(chosen)}", (chosen, 1.0), (0, 3), xycoords=("data", "axes fraction"), ha="center",
            textcoords="offset points", fontsize=8.5,
        )  # fmt: skip
        at = int(np.argmin(np.abs(np.log(alphas / chosen))))
        at_chosen = f" At the chosen strength {number(chosen)}, {int((coefs[:, at] != 0.0).sum())} are not zero."
    at_line_ends(ax, coefs[top, -1], [names[j] for j in top], WRITTEN)
    largest = listed([f"{names[j]} ({number(coefs[j, -1])})" for j in top[:3]]) if len(top) else "none"
    at_first, at_last = (int(np.count_nonzero(coefs[:, k])) for k in (0, -1))
    return (
        f"Paths of {len(coefs)} coefficients while the penalty falls from {number(alphas[0])} to "
        f"{number(alphas[-1])}: {at_first} are not zero at first, {at_last} at the end.{at_chosen} "
        f"Largest, with the value at the end: {largest}."
    )
