"""AdaBoost with stumps, round by round: the newest threshold, the boundary so far, and the weights of the rows."""

from typing import NamedTuple

import numpy as np

from separatrix.ensemble import AdaBoostClassifier

ROUNDS = (1, 2, 3, 6, 12, 40)


class Round(NamedTuple):
    """What a panel shows: its number, the stump that was added, the weights that it saw, and the errors so far."""

    number: int
    feature: int
    threshold: float
    weights: np.ndarray
    alpha: float
    mistakes: int


def points(n=120, seed=3):
    """Rows in a square; those of the second class lie in a disc, whose edge is noisy."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(-1.0, 1.0, (n, 2))
    distance = np.hypot(*X.T) + 0.08 * rng.standard_normal(n)
    return X, np.where(distance < 0.65, 1, 0)


def compute():
    """The fitted committee, and its rounds."""
    X, y = points()
    model = AdaBoostClassifier(n_estimators=max(ROUNDS), learning_rate=1.0).fit(X, y)
    weights, stages = list(model.staged_weights(X, y)), list(model.staged_predict(X))
    rounds = [
        Round(
            m,
            int(model.features_[m - 1]),
            float(model.thresholds_[m - 1]),
            weights[m - 1],
            float(model.estimator_weights_[m - 1]),
            int((stages[m - 1] != y).sum()),
        )
        for m in ROUNDS
        if m <= len(stages)
    ]
    return model, rounds


def draw(path):
    """A panel for each round: large dots are rows with large weights, the dashed line is the newest stump."""
    from matplotlib.figure import Figure

    from separatrix import plots
    from separatrix.plots.style import COLOURS, INK, MARKERS

    X, y = points()
    model, rounds = compute()
    grid = np.linspace(-1.0, 1.0, 121)
    plane = np.column_stack([axis.ravel() for axis in np.meshgrid(grid, grid)])
    stages = list(model.staged_decision_function(plane))
    with plots.styled():
        figure = Figure(figsize=(9.0, 6.2), layout="constrained")
        for ax, each in zip(figure.subplots(2, 3, sharex=True, sharey=True).ravel(), rounds):
            scores = stages[each.number - 1].reshape(len(grid), -1)
            ax.contourf(grid, grid, scores > 0.0, levels=[-0.5, 0.5, 1.5], colors=COLOURS[:2], alpha=0.15)
            for label in (0, 1):
                mine = y == label
                size = 6.0 + 1800.0 * each.weights[mine]
                style = {"marker": MARKERS[label], "edgecolors": INK, "linewidths": 0.4}
                ax.scatter(*X[mine].T, s=size, color=COLOURS[label], **style)
            line = ax.axvline if each.feature == 0 else ax.axhline
            line(each.threshold, color=INK, linestyle="--", linewidth=1.2)
            ax.set_title(f"round {each.number}: {each.mistakes} of {len(y)} wrong")
        figure.savefig(path, dpi=110)


if __name__ == "__main__":
    for each in compute()[1]:
        print(f"{each.number}: x{each.feature} <= {each.threshold:.3f}, weight {each.alpha:.3f}, {each.mistakes} wrong")
