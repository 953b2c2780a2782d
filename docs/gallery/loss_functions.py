"""What a loss charges for a margin: the count of mistakes, and six functions that stand in for it.

The margin z = y f(x), with y = ±1, is positive where the sign of the score is right. Mistakes are what is wanted, and
their count cannot be followed downhill; each loss that can be is an answer to that, and each has a price.
"""

import numpy as np

from separatrix import plots

MARGINS = (-1.0, 0.0, 0.5, 1.0, 2.0)
CONVEX_BOUNDS = ("hinge", "logistic", "squared", "exponential", "modified Huber")


def compute():
    """Each loss at a few margins, where it rises, and how much an outlier weighs that lies at a margin of −10."""
    grid = np.linspace(-10.0, 10.0, 2001)
    losses = plots.margin_losses(grid)
    return {
        "margins": MARGINS,
        "losses": plots.margin_losses(MARGINS),
        "above mistakes": {name: bool((losses[name] >= losses["0/1"]).all()) for name in CONVEX_BOUNDS},
        "rises on the right side": [name for name, heights in losses.items() if (np.diff(heights[grid > 0]) > 0).any()],
        "outlier": {name: float(heights[0]) for name, heights in losses.items()},
    }


def draw(path):
    """All seven against the margin."""
    plots.losses().get_figure().savefig(path, dpi=200)


if __name__ == "__main__":
    found = compute()
    print("margin".ljust(16), *(f"{z:8.1f}" for z in MARGINS))
    for name, heights in found["losses"].items():
        print(name.ljust(16), *(f"{height:8.4f}" for height in heights))
