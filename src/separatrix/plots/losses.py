"""Loss functions of the margin."""

from math import log

import numpy as np

from separatrix.core.verbs import value
from separatrix.losses import Hinge, Logistic, ModifiedHuber, Squared
from separatrix.plots.labels import number
from separatrix.plots.style import COLOURS, FAINT, LINES, picture


def margin_losses(z):
    r"""Each loss at margins z = y f(x), with y = ±1.

    .. math:: 1[z < 0], \quad (-z)_+, \quad (1 - z)_+, \quad \log_2(1 + e^{-z}), \quad (1 - z)^2, \quad e^{-z}, \quad
              (1 - z)_+^2 \text{ until } -4z

    The logistic loss is in bits, so that like the hinge it is 1 at the boundary and never below the 0/1 loss.

    Parameters
    ----------
    z : array of margins.

    Returns
    -------
    losses : dict from name to array.

    >>> {name: round(float(at[0]), 3) for name, at in margin_losses([-1.0]).items()}
    {'0/1': 1.0, 'perceptron': 1.0, 'hinge': 2.0, 'logistic': 1.895, 'squared': 4.0, 'exponential': 2.718,
     'modified Huber': 4.0}
    """
    from separatrix.decision.risk import zero_one_margin  # brings scikit-learn along

    z = np.asarray(z, dtype=np.float64)

    def of(loss, y=1.0):
        return np.array([value(loss, y, eta) for eta in z.tolist()])

    return {
        "0/1": zero_one_margin(z),
        "perceptron": of(Hinge(0.0)),
        "hinge": of(Hinge()),
        "logistic": of(Logistic()) / log(2.0),
        "squared": 2.0 * of(Squared()),  # Squared has a factor 1/2
        "exponential": np.exp(-z),
        "modified Huber": of(ModifiedHuber()),
    }


@picture(size=(5.6, 3.6))
def losses(ax=None):
    """Seven losses against the margin z = y f(x): correct decisions are right of zero.

    Parameters
    ----------
    ax : Axes or None.

    >>> ax = losses()
    >>> [line.get_label() for line in ax.lines[:3]]
    ['0/1', 'perceptron', 'hinge']
    """
    z = np.linspace(-2.0, 3.0, 501)
    drawn = margin_losses(z)
    for k, (name, heights) in enumerate(drawn.items()):
        where = (z, heights) if name != "0/1" else ([-2.0, 0.0, 0.0, 3.0], [1.0, 1.0, 0.0, 0.0])
        colour, style = ("#000000", "-") if name == "0/1" else (COLOURS[k - 1], LINES[k - 1])
        ax.plot(*where, color=colour, linestyle=style, label=name, linewidth=2.4 if name == "0/1" else 1.8,
                zorder=2.5 if name == "squared" else 2.0)  # fmt: skip
    ax.axvline(0.0, color=FAINT, linewidth=0.8, linestyle=":")
    for label, side in (("wrong side", "right"), ("right side", "left")):
        shift = (-4 if side == "right" else 4, 3)
        ax.annotate(label, (0.0, 4.6), shift, textcoords="offset points", ha=side, color=FAINT, fontsize=8.5)
    ax.set(xlim=(-2.0, 3.0), ylim=(-0.05, 4.6), xlabel="margin z = y f(x)", ylabel="loss")
    ax.legend(loc="center left", bbox_to_anchor=(1.0, 0.5))
    at = margin_losses([-1.0, 0.0, 2.0])
    each = "; ".join(f"{name} {', '.join(map(number, heights))}" for name, heights in at.items())
    return (
        f"Losses against the margin from −2 to 3. At the margins −1, 0 and 2 they are: {each}. Squared error rises "
        "again beyond a margin of 1; the exponential grows fastest on the wrong side."
    )
