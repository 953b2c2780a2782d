"""What C does to a linear support vector machine: a higher price of slack, a narrower margin."""

from pathlib import Path

import numpy as np

from separatrix.svm import LinearSVC

PRICES = (0.01, 0.1, 10.0)


def points(seed=1):
    """Two normal classes that overlap."""
    rng = np.random.default_rng(seed)
    X = np.vstack([rng.normal([0.0, 0.0], 1.0, (40, 2)), rng.normal([2.2, 1.4], 1.0, (40, 2))])
    return X, np.repeat([-1, 1], 40)


def compute():
    """A machine for each price: {C: model}."""
    X, y = points()
    return {C: LinearSVC(loss="hinge", C=C).fit(X, y) for C in PRICES}


def draw(path):
    """The line, its margin and its support vectors for each price."""
    import matplotlib.pyplot as plt

    (X, y), machines = points(), compute()
    with plt.style.context(Path(__file__).with_name("gallery.mplstyle")):
        figure, panels = plt.subplots(1, len(PRICES), figsize=(9.6, 3.6), sharey=True)
        across = np.array([-3.0, 6.0])
        for axes, (C, model) in zip(panels, machines.items()):
            for label, marker, colour in ((1, "o", "C0"), (-1, "s", "C1")):
                axes.scatter(*X[y == label].T, marker=marker, color=colour, s=14)
            axes.scatter(*X[model.support_].T, s=60, facecolors="none", edgecolors="0.3", linewidths=0.8)
            (w1, w2), w0 = model.coef_[0], model.intercept_[0]
            for edge, style in ((-1.0, ":"), (0.0, "-"), (1.0, ":")):
                axes.plot(across, (edge - w0 - w1 * across) / w2, style, color="0.2")
            errors = int((model.slack_ > 1.0).sum())
            axes.set(title=f"C = {C:g}: width {model.margin_width_:.2f}, {errors} wrong", xlabel="x₁")
            axes.set(xlim=(-3.0, 6.0), ylim=(-3.5, 5.0))
        panels[0].set_ylabel("x₂")
        figure.savefig(path)
        plt.close(figure)


if __name__ == "__main__":
    for price, machine in compute().items():
        print(f"C = {price:<6g} width {machine.margin_width_:.3f}, {len(machine.support_)} support vectors")
