"""Two perceptrons small enough to follow with a pencil: three points with the step 0.2, two points with 0.7."""

from pathlib import Path

import numpy as np

from separatrix.linear_model import Perceptron

THREE = np.array([[1.0, 1.0], [2.0, -2.0], [-2.0, 1.0]])
THREE_LABELS = np.array([1, -1, 1])
TWO = np.array([[0.4, 0.05], [-0.2, 0.75]])
TWO_LABELS = np.array([1, -1])


def compute():
    """The weights (w0, w1, w2) after every correction: point by point, and for the two points also all at once."""
    settings = {"shuffle": False, "tol": None, "trace": True}
    three = Perceptron(eta0=0.2, **settings).fit(THREE, THREE_LABELS, coef_init=[1.0, 0.5], intercept_init=0.0)
    start = {"coef_init": [1.0, 1.0], "intercept_init": -0.5}
    single = Perceptron(eta0=0.7, **settings).fit(TWO, TWO_LABELS, **start)
    batch = Perceptron(eta0=0.7, updates="batch", **settings).fit(TWO, TWO_LABELS, **start)
    return {
        "three": _visited(three),
        "corrected": three.trace_.rows,
        "single": _visited(single),
        "batch": _visited(batch),
        "converged": [model.converged_ for model in (three, single, batch)],
    }


def _visited(model):
    return np.column_stack([model.trace_.intercepts, model.trace_.weights])


def draw(path):
    """The points and the line after each correction, from pale to dark."""
    import matplotlib.pyplot as plt

    found = compute()
    with plt.style.context(Path(__file__).with_name("gallery.mplstyle")):
        figure, panels = plt.subplots(1, 2, figsize=(9.6, 4.2))
        titles = ("Three points, step 0.2", "Two points, step 0.7")
        for axes, X, y, weights, title in zip(
            panels, (THREE, TWO), (THREE_LABELS, TWO_LABELS), (found["three"], found["single"]), titles
        ):
            reach = 1.6 * np.abs(X).max()
            for k, (w0, w1, w2) in enumerate(weights):
                centre, along = -w0 * np.array([w1, w2]) / (w1**2 + w2**2), np.array([-w2, w1]) / np.hypot(w1, w2)
                ends = centre + np.outer([-3 * reach, 3 * reach], along)
                last = k == len(weights) - 1
                axes.plot(*ends.T, color="0.15" if last else "0.6", linestyle="-" if last else "--", zorder=1)
                # names stand in the middle of the panel, one above the other, on the side where the score is positive
                at = centre + (k - 1) * 0.55 * reach * along * (1 if along[1] > 0 else -1)
                axes.annotate(f"w({k})", at, (4, 3), textcoords="offset points", color="0.15" if last else "0.4")
            for label, marker, colour, name in ((1, "o", "C0", "+1"), (-1, "s", "C1", "−1")):
                own = X[y == label]
                axes.scatter(*own.T, marker=marker, color=colour, s=60, zorder=3)
                for point in own:
                    axes.annotate(name, point, (8, 4), textcoords="offset points", color=colour)
            axes.set(xlabel="x₁", ylabel="x₂", xlim=(-reach, reach), ylim=(-reach, reach), aspect="equal", title=title)
        figure.savefig(path)
        plt.close(figure)


if __name__ == "__main__":
    print(compute())
