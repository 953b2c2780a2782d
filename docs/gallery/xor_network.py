"""What a hidden layer is for: exclusive or, which no line tells apart, learnt by a network of four units.

Noisy points around the corners of a square, of one class where both coordinates have the same sign.
"""

from pathlib import Path

import numpy as np

from separatrix import plots
from separatrix.linear_model import LogisticRegression
from separatrix.neural_network import MLPClassifier

CORNERS = np.array([[-1.0, -1.0], [1.0, 1.0], [-1.0, 1.0], [1.0, -1.0]])
EACH = 50  # points at each corner


def points(seed):
    """(200, 2) points around the corners, and whether their coordinates have other signs at the corner."""
    noise = 0.35 * np.random.default_rng(seed).standard_normal((4 * EACH, 2))
    return np.repeat(CORNERS, EACH, axis=0) + noise, np.repeat([0, 0, 1, 1], EACH)


def compute():
    """A line and a network, trained on the same points, and how often they are right on new ones."""
    X, y = points(seed=0)
    line = LogisticRegression().fit(X, y)
    network = MLPClassifier(
        (4,), "tanh", learning_rate_init=0.02, batch_size=50, alpha=0.3, tol=1e-3, random_state=0
    ).fit(X, y)
    new, answer = points(seed=1)
    return {
        "X": X,
        "y": y,
        "network": network,
        "certificate": str(network.certificate_),
        "right, line": float(line.score(new, answer)),
        "right, network": float(network.score(new, answer)),
        "loss, first epoch": network.loss_curve_[0],
        "loss, last epoch": network.loss_curve_[-1],
        "epochs": network.n_iter_,
    }


def draw(path):
    """The boundary of the network, and how its training went."""
    import matplotlib.pyplot as plt

    found = compute()
    with plt.style.context(Path(__file__).with_name("gallery.mplstyle")):
        figure, (plane, training) = plt.subplots(1, 2, figsize=(9.6, 4.4), layout="constrained")
        plots.boundary(found["network"], found["X"], found["y"], names=("x1", "x2"), ax=plane)
        plane.set_title(f"{100 * found['right, network']:.0f} % of new points are right", pad=24)
        plots.trace(found["network"], training)
        training.set_title("Training, epoch by epoch", pad=24)
        figure.savefig(path)
        plt.close(figure)


if __name__ == "__main__":
    print({name: value for name, value in compute().items() if np.ndim(value) == 0 and not hasattr(value, "fit")})
