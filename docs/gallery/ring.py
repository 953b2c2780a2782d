"""A ring that no line separates, by a Gaussian kernel: the support vectors alone hold its boundary."""

from pathlib import Path

import numpy as np

from separatrix import plots
from separatrix.svm import SVC, LinearSVC


def points(seed=2):
    """A cloud, and a ring around it that overlaps a little."""
    rng = np.random.default_rng(seed)
    angle, radius = rng.uniform(0.0, 2.0 * np.pi, 70), rng.normal(2.0, 0.3, 70)
    ring = radius[:, None] * np.column_stack([np.cos(angle), np.sin(angle)])
    return np.vstack([rng.normal(0.0, 0.65, (50, 2)), ring]), np.repeat(["cloud", "ring"], [50, 70])


def compute():
    """A straight machine, two of a Gaussian kernel, and the last of them fitted to its support vectors alone."""
    X, y = points()
    straight = LinearSVC(loss="hinge").fit(X, y)
    cheap, dear = (SVC(gamma=0.5, C=C).fit(X, y) for C in (0.1, 3.0))
    alone = SVC(gamma=0.5, C=3.0).fit(X[dear.support_], y[dear.support_])
    return {"straight": straight, "C = 0.1": cheap, "C = 3": dear, "support vectors alone": alone}


def draw(path):
    """Both Gaussian machines with their margins and support vectors."""
    import matplotlib.pyplot as plt

    (X, y), machines = points(), compute()
    with plt.style.context(Path(__file__).with_name("gallery.mplstyle")):
        figure, (left, right) = plt.subplots(1, 2, figsize=(9.6, 5.0), layout="constrained")
        for axes, name in ((left, "C = 0.1"), (right, "C = 3")):
            plots.margins(machines[name], X, y, ax=axes)
            axes.text(0.02, 0.02, name, transform=axes.transAxes)
        figure.savefig(path)
        plt.close(figure)


if __name__ == "__main__":
    for called, machine in compute().items():
        wrong = int((machine.predict(points()[0]) != points()[1]).sum())
        print(f"{called:22} {wrong:3} of 120 wrong, {len(machine.support_)} support vectors")
    print(compute()["C = 3"].summary())
