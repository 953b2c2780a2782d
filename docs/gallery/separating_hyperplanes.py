"""Five lines for two classes that a line separates: least squares, two perceptrons, the widest margin, logistic."""

from pathlib import Path

import numpy as np

from separatrix.linear_model import LeastSquaresClassifier, LogisticRegression, Perceptron
from separatrix.svm import LinearSVC


def points(seed=4):
    """Two clouds of twenty points; five of one class are far out on their own side."""
    rng = np.random.default_rng(seed)
    low, high = rng.normal([0.0, 0.0], 0.5, (20, 2)), rng.normal([2.4, 1.6], 0.5, (20, 2))
    high[:5] += [9.0, -4.0]
    return np.vstack([low, high]), np.repeat([-1, 1], 20)


def compute():
    """The fitted lines by name: {name: model}."""
    X, y = points()
    return {
        "least squares": LeastSquaresClassifier().fit(X, y),
        "perceptron, from zero": Perceptron(shuffle=False, tol=None).fit(X, y),
        "perceptron, from another start": Perceptron(shuffle=False, tol=None).fit(X, y, [[2.0, -1.0]], [0.0]),
        "widest margin": LinearSVC(loss="hinge", C=np.inf).fit(X, y),
        "logistic": LogisticRegression(C=1e6).fit(X, y),
    }


def mistakes(model):
    """Training rows on the wrong side."""
    X, y = points()
    return int((model.predict(X) != y).sum())


def angle(one, other):
    """Degrees between two lines."""
    u, v = np.ravel(one.coef_), np.ravel(other.coef_)
    return float(np.degrees(np.arccos(min(1.0, abs(u @ v) / np.linalg.norm(u) / np.linalg.norm(v)))))


def draw(path):
    """The points, the five lines, and the band of the widest margin."""
    import matplotlib.pyplot as plt

    (X, y), lines = points(), compute()
    with plt.style.context(Path(__file__).with_name("gallery.mplstyle")):
        figure, axes = plt.subplots(figsize=(7.2, 4.6))
        for label, marker, colour in ((1, "o", "C0"), (-1, "s", "C1")):
            axes.scatter(*X[y == label].T, marker=marker, color=colour, s=16)
        across = np.array([-2.0, 13.0])
        for number, (name, model) in enumerate(lines.items()):
            (w1, w2), w0 = np.ravel(model.coef_), float(np.ravel(model.intercept_)[0])
            axes.plot(
                across, -(w0 + w1 * across) / w2, color=f"C{number + 2}", label=f"{name}: {mistakes(model)} wrong"
            )
            if name == "widest margin":
                for edge in (-1.0, 1.0):
                    axes.plot(across, (edge - w0 - w1 * across) / w2, ":", color=f"C{number + 2}", linewidth=1.0)
        axes.legend(loc="upper right", frameon=False)
        axes.set(xlabel="x₁", ylabel="x₂", xlim=(-2.0, 13.0), ylim=(-5.0, 5.5))
        figure.savefig(path)
        plt.close(figure)


if __name__ == "__main__":
    fitted = compute()
    for called, line in fitted.items():
        print(f"{called:32} {mistakes(line)} wrong, {angle(line, fitted['widest margin']):5.1f} degrees off")
