"""Four pairs of square clouds that come closer: a perceptron needs more and more passes, then runs for ever.

The class −1 is uniform on [0, 2]², the class +1 on a square of the same size that moves towards it.
"""

import warnings
from pathlib import Path

import numpy as np

from separatrix.core.errors import NotSeparated
from separatrix.datasets import four_sets
from separatrix.linear_model import Perceptron

SETS = ("X1", "X2", "X3", "X4")
RATES = (0.01, 0.05)
STARTS = (-0.5, 0.5)  # of the intercept; both coefficients start at 1
CAP = 20_000
CAP_OF_X4 = 2_000


def make(name, seed=0):
    """A hundred points of each class."""
    data = four_sets(200, seed, which=name)
    return data.X, data.y


def compute(seed=0):
    """A batch perceptron for each set, rate and start: {(set, rate, start): fitted model}."""
    fits = {}
    for name in SETS:
        X, y = make(name, seed)
        for rate in RATES:
            for start in STARTS:
                cap = CAP_OF_X4 if name == "X4" else CAP
                model = Perceptron(eta0=rate, updates="batch", tol=None, max_iter=cap)
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore", NotSeparated)  # X4, on purpose
                    fits[name, rate, start] = model.fit(X, y, coef_init=[1.0, 1.0], intercept_init=start)
    return fits


def draw(path):
    """The points of each set with the lines of both starts, and below the mistakes of every pass."""
    import matplotlib.pyplot as plt

    fits = compute()
    with plt.style.context(Path(__file__).with_name("gallery.mplstyle")):
        figure, panels = plt.subplots(2, 4, figsize=(12.0, 5.8), height_ratios=[1.6, 1.0])
        for (above, below), name in zip(panels.T, SETS):
            X, y = make(name)
            for label, marker, colour in ((1, "o", "C0"), (-1, "s", "C1")):
                above.scatter(*X[y == label].T, marker=marker, color=colour, s=9)
            for start, style in zip(STARTS, ("-", "--")):
                model = fits[name, RATES[0], start]
                foot, along = model.project([[2.0, 2.0]])[0], np.array([-1.0, 1.0]) * model.coef_[0, ::-1]
                ends = foot + np.outer([-9.0, 9.0], along / np.linalg.norm(along))
                above.plot(*ends.T, style, color="0.2", linewidth=1.5)
                below.plot(1 + np.arange(model.n_iter_), model.error_history_, style, color="0.2", linewidth=1.0)
            verdict = f"{model.n_iter_} passes" if model.converged_ else f"stopped at {model.n_iter_}"
            above.set(xlim=(-0.3, 5.3), ylim=(-0.3, 5.3), aspect="equal", title=f"{name}: {verdict}")
            below.set(xscale="log", xlabel="pass", ylim=(-4, 106))
        panels[1, 0].set_ylabel("mistakes")
        figure.savefig(path)
        plt.close(figure)


if __name__ == "__main__":
    for key, model in compute().items():
        print(key, model.n_iter_, model.converged_, model.mistakes_)
