"""A staircase and a slanted line as the border of two classes, each learnt by a line, a tree and a forest."""

from typing import Any, NamedTuple

import numpy as np

from separatrix.ensemble import RandomForestClassifier
from separatrix.linear_model import LogisticRegression
from separatrix.tree import DecisionTreeClassifier

BORDERS = {"staircase": lambda x: np.floor(x) + 0.5, "slanted line": lambda x: x}


class Panel(NamedTuple):
    """What a panel shows: the border, the name of the model, the model, and its share of wrong classes on new rows."""

    border: str
    name: str
    model: Any
    error: float


def points(border, n, seed):
    """Rows in a square of 3 by 3; those above the border are of the second class."""
    X = np.random.default_rng(seed).uniform(0.0, 3.0, (n, 2))
    return X, np.where(X[:, 1] > BORDERS[border](X[:, 0]), 1, 0)


def models():
    """The three models by name, unfitted."""
    return {
        "line": LogisticRegression(C=100.0),
        "tree": DecisionTreeClassifier(),
        "forest": RandomForestClassifier(max_features=None, random_state=0),
    }


def compute():
    """All six panels: models learn 300 rows without noise, and are tested on 10,000 new ones."""
    panels = []
    for border in BORDERS:
        X, y = points(border, 300, seed=0)
        X_new, y_new = points(border, 10_000, seed=1)
        for name, model in models().items():
            model.fit(X, y)
            panels.append(Panel(border, name, model, float(1.0 - model.score(X_new, y_new))))
    return panels


def draw(path):
    """A row of panels for each border: shaded is what the model says, dots are the rows that it learnt."""
    from matplotlib.figure import Figure

    from separatrix import plots
    from separatrix.plots.style import COLOURS, INK, MARKERS

    grid = np.linspace(0.0, 3.0, 301)
    plane = np.column_stack([axis.ravel() for axis in np.meshgrid(grid, grid)])
    with plots.styled():
        figure = Figure(figsize=(9.0, 6.2), layout="constrained")
        for ax, panel in zip(figure.subplots(2, 3, sharex=True, sharey=True).ravel(), compute()):
            says = panel.model.predict(plane).reshape(len(grid), -1)
            ax.contourf(grid, grid, says, levels=[-0.5, 0.5, 1.5], colors=COLOURS[:2], alpha=0.2)
            ax.plot(grid[:-1], BORDERS[panel.border](grid[:-1]), color=INK, linestyle="--", linewidth=1.0)
            X, y = points(panel.border, 300, seed=0)
            for label in (0, 1):
                style = {"marker": MARKERS[label], "edgecolors": INK, "linewidths": 0.3}
                ax.scatter(*X[y == label].T, s=12, color=COLOURS[label], **style)
            leaves = f", {panel.model.get_n_leaves()} leaves" if panel.name == "tree" else ""
            ax.set_title(f"{panel.border}: {panel.name}{leaves}, {panel.error:.1%} wrong", fontsize=9)
            ax.set(xlim=(0.0, 3.0), ylim=(0.0, 3.0), aspect="equal")
        figure.savefig(path, dpi=110)


if __name__ == "__main__":
    for panel in compute():
        print(f"{panel.border}: {panel.name}, {panel.error:.1%} wrong")
