"""A far cluster on the right side: least squares gives up a boundary that separates, logistic regression does not.

Squared error measures how far a score is from ±1, also where it is too right; the logistic loss forgets such points.
"""

from pathlib import Path

import numpy as np

from separatrix.datasets import far_cluster
from separatrix.linear_model import LeastSquaresClassifier, LogisticRegression


def clusters():
    """Two clusters, one for each class, and the points of a third that lies far behind the second."""
    near, both = far_cluster(seed=4, far=False), far_cluster(seed=4)
    return near.X, near.y, both.X, both.y


def compute():
    """Boundaries and training errors of both, without and with the far cluster; and the golden six points in a row."""
    near, y_near, X, y = clusters()
    found = {"near": (near, y_near), "all": (X, y)}
    for name, model in (("least squares", LeastSquaresClassifier), ("logistic", LogisticRegression)):
        before, after = model().fit(near, y_near), model().fit(X, y)
        cosine = before.boundary().unit_normal @ after.boundary().unit_normal
        found[name] = {
            "before": before,
            "after": after,
            "errors_before": int(np.sum(before.predict(near) != y_near)),
            "errors": int(np.sum(after.predict(X) != y)),
            "turned": float(np.degrees(np.arccos(min(cosine, 1.0)))),
        }
    line, labels = np.array([[-3.0], [-2.0], [-1.0], [1.0], [2.0], [40.0]]), np.array([-1, -1, -1, 1, 1, 1])
    six = LeastSquaresClassifier().fit(line, labels)
    found["six points"] = {
        "weights": (float(six.coef_[0, 0]), float(six.intercept_[0])),
        "least squares": int(np.sum(six.predict(line) != labels)),
        "logistic": int(np.sum(LogisticRegression().fit(line, labels).predict(line) != labels)),
    }
    return found


def draw(path):
    """Both boundaries, without the far cluster on the left and with it on the right."""
    import matplotlib.pyplot as plt

    found = compute()
    with plt.style.context(Path(__file__).with_name("gallery.mplstyle")):
        figure, panels = plt.subplots(1, 2, figsize=(9.6, 4.6))
        for axes, data, fit in zip(panels, ("near", "all"), ("before", "after")):
            X, y = found[data]
            low, high = X.min(axis=0) - 1.0, X.max(axis=0) + 1.0
            grid = np.stack(np.meshgrid(np.linspace(low[0], high[0], 300), np.linspace(low[1], high[1], 300)), axis=-1)
            for label, marker, colour in ((0, "s", "C1"), (1, "o", "C0")):
                axes.scatter(*X[y == label].T, marker=marker, color=colour, s=18, alpha=0.7, label=f"class {label}")
            for name, style in (("least squares", "--"), ("logistic", "-")):
                model = found[name][fit]
                score = model.decision_function(grid.reshape(-1, 2)).reshape(300, 300)
                axes.contour(grid[..., 0], grid[..., 1], score, [0.0], colors="0.2", linestyles=style, linewidths=1.8)
                wrong = X[model.predict(X) != y]
                axes.scatter(*wrong.T, s=90, facecolors="none", edgecolors="0.2", linewidths=1.2)
                axes.plot([], [], style, color="0.2", label=f"{name}: {len(wrong)} wrong")
            axes.legend(fontsize=8, loc="upper right")
            axes.set(xlabel="x₁", ylabel="x₂")
        panels[0].set_title("Two clusters: both separate")
        panels[1].set_title("A far cluster of class 1: least squares errs")
        figure.savefig(path)
        plt.close(figure)


if __name__ == "__main__":
    for name, values in compute().items():
        print(name, values)
