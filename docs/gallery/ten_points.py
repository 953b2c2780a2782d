"""Ten points, two classes, and the line that the pseudoinverse draws between them.

With a row (x1, x2, 1) for each point and y = +1 or -1, the least-squares weights are w = X⁺ y = (X'X)⁻¹ X'y.
"""

from pathlib import Path

import numpy as np

from separatrix.decision import Hyperplane
from separatrix.linear_model import LinearRegression

POINTS = np.array(
    [
        [0.4, 0.5],
        [0.6, 0.5],
        [0.1, 0.4],
        [0.2, 0.7],
        [0.3, 0.3],
        [0.4, 0.6],
        [0.6, 0.2],
        [0.7, 0.4],
        [0.8, 0.6],
        [0.7, 0.5],
    ]
)
LABELS = np.array([1.0, 1.0, 1.0, 1.0, 1.0, -1.0, -1.0, -1.0, -1.0, -1.0])


def compute():
    """Weights, squared error, points on the wrong side, distances from the line."""
    model = LinearRegression().fit(POINTS, LABELS)
    line = Hyperplane.of(model)
    residuals = LABELS - model.predict(POINTS)
    return {
        "weights": np.append(model.coef_, model.intercept_),
        "squared_error": float(residuals @ residuals),
        "misclassified": np.flatnonzero(line.side(POINTS) != LABELS).tolist(),
        "distances": line.signed_distance(POINTS),
        "line": line,
        "certificate": model.certificate_,
    }


def draw(path):
    """The points, the line, and rings around the two that no line of least squares gets right."""
    import matplotlib.pyplot as plt

    found = compute()
    line = found["line"]
    with plt.style.context(Path(__file__).with_name("gallery.mplstyle")):
        figure, axes = plt.subplots(figsize=(6.4, 4.6))
        grid = np.stack(np.meshgrid(np.linspace(0, 0.95, 200), np.linspace(0.1, 0.8, 200)), axis=-1)
        score = line.score(grid.reshape(-1, 2)).reshape(200, 200)
        axes.contourf(grid[..., 0], grid[..., 1], score, [-9, 0, 9], colors=["C1", "C0"], alpha=0.10)
        axes.contour(grid[..., 0], grid[..., 1], score, [0.0], colors="0.2", linewidths=2)
        for label, marker, colour, name in ((1.0, "o", "C0", "y = +1"), (-1.0, "s", "C1", "y = −1")):
            own = POINTS[label == LABELS]
            axes.scatter(*own.T, marker=marker, color=colour, s=60, zorder=3)
            axes.annotate(
                name, own[2 if label > 0 else 3], (0, 12), textcoords="offset points", color=colour, ha="center"
            )
        for point, foot in zip(POINTS, line.project(POINTS)):
            axes.plot(*zip(point, foot), color="0.6", linewidth=0.8, zorder=1)
        wrong = POINTS[found["misclassified"]]
        axes.scatter(*wrong.T, s=240, facecolors="none", edgecolors="0.2", linewidths=1.5, zorder=3)
        axes.annotate("wrong side", wrong[0], (14, 10), textcoords="offset points")
        w1, w2, w0 = found["weights"]
        axes.annotate(
            f"{w1:.2f} x₁ + {w2:.2f} x₂ + {w0:.2f} = 0",
            line.project([[0.47, 0.15]])[0],
            (-10, 0),
            textcoords="offset points",
            ha="right",
        )
        axes.set(xlabel="x₁", ylabel="x₂", xlim=(0, 0.95), ylim=(0.1, 0.8), aspect="equal")
        axes.set_title(f"Least squares as a classifier: squared error {found['squared_error']:.3f}, two points wrong")
        figure.savefig(path)
        plt.close(figure)


if __name__ == "__main__":
    print(compute())
