"""Normal classes with a common covariance: linear discriminant analysis finds the boundary of the Bayes rule.

Two classes on a line and three in a plane, drawn from normal distributions that are known, so that the best possible
rule is known too.
"""

from pathlib import Path

import numpy as np
from scipy.stats import norm

from separatrix.datasets import gaussian_problem
from separatrix.datasets.gaussian_classes import COVARIANCE, MEANS
from separatrix.decision import KnownProblem, gaussian_bayes_rate
from separatrix.discriminant_analysis import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis

LINE = KnownProblem([0.5, 0.5], [norm(-1.25), norm(1.25)])
PLANE = gaussian_problem(MEANS, COVARIANCE)
MODELS = {  # a panel is drawn for each
    "linear discriminant analysis": LinearDiscriminantAnalysis,
    "quadratic discriminant analysis": QuadraticDiscriminantAnalysis,
}


def true_boundaries():
    """The normals and offsets of the hyperplanes between each two classes of the plane, by the true parameters."""
    A = np.linalg.solve(COVARIANCE, MEANS.T).T
    offsets = -0.5 * (A * MEANS).sum(axis=1)
    return {(a, b): (A[b] - A[a], offsets[b] - offsets[a]) for a, b in ((0, 1), (0, 2), (1, 2))}


def compute():
    """Thresholds on the line and errors in the plane, of the models and of the Bayes rule, on samples of both."""
    x, y = LINE.sample(20, random_state=4)
    many_x, many_y = LINE.sample(20_000, random_state=1)
    X, c = PLANE.sample(90, random_state=3)
    many_X, many_c = PLANE.sample(30_000, random_state=2)
    models = {name: make().fit(X, c) for name, make in MODELS.items()}
    return {
        "x": x.ravel(),
        "y": y,
        "threshold": threshold(LinearDiscriminantAnalysis().fit(x, y)),
        "threshold_of_many": threshold(LinearDiscriminantAnalysis().fit(many_x, many_y)),
        "line_rate": gaussian_bayes_rate([-1.25], [1.25], [[1.0]], [0.5, 0.5]),
        "X": X,
        "c": c,
        "models": models,
        "of_many": LinearDiscriminantAnalysis().fit(many_X, many_c),
        "errors": {name: float(np.mean(model.predict(many_X) != many_c)) for name, model in models.items()},
        "bayes_error": float(np.mean(PLANE.predict(many_X) != many_c)),
    }


def threshold(model):
    """Where on the line the two classes are equally probable."""
    return float(-model.intercept_[0] / model.coef_[0, 0])


def draw(path):
    """The line, then for each model the plane with its boundary and that of the Bayes rule."""
    import matplotlib.pyplot as plt

    found = compute()
    with plt.style.context(Path(__file__).with_name("gallery.mplstyle")):
        count = 1 + len(found["models"])
        figure, panels = plt.subplots(1, count, figsize=(4.8 * count, 4.4))
        line, planes = panels[0], panels[1:]
        grid = np.linspace(-4.5, 4.5, 400)
        for c, mean in enumerate((-1.25, 1.25)):
            line.fill_between(grid, norm.pdf(grid, mean), color=f"C{c}", alpha=0.25, linewidth=0)
            own = found["x"][found["y"] == c]
            line.plot(own, np.full(len(own), -0.02), "|", color=f"C{c}", ms=10)
        line.axvline(0.0, color="C3", linestyle="--", linewidth=1.8)
        line.axvline(found["threshold"], color="0.2", linewidth=1.8)
        line.set(xlabel="x", yticks=[], ylim=(-0.05, 0.45))
        line.set_title("Twenty points of two classes")
        for axes, (name, model) in zip(planes, found["models"].items()):
            _plane(axes, found, model)
            axes.set_title(f"{name[0].upper()}{name[1:]}: {100 * found['errors'][name]:.1f} % errors")
        figure.suptitle("Solid: fitted. Dashed: the Bayes rule", x=0.01, ha="left", fontsize=10)
        figure.savefig(path)
        plt.close(figure)


def _plane(axes, found, model):
    across, up = np.meshgrid(np.linspace(-4.5, 4.5, 400), np.linspace(-4.5, 5.0, 400))
    points = np.column_stack([across.ravel(), up.ravel()])
    for c in range(3):
        own = found["X"][found["c"] == c]
        axes.plot(own[:, 0], own[:, 1], "os^"[c], ms=4.5, color=f"C{c}", mew=0, alpha=0.8)
    for rule, style, colour in ((model, "-", "0.2"), (PLANE, "--", "C3")):
        labels = rule.predict(points).reshape(across.shape)
        between_others = np.ma.masked_where(labels == 0, labels == 1)  # each boundary is drawn once
        for region in (labels == 0, between_others):
            axes.contour(across, up, region, levels=[0.5], colors=colour, linestyles=style, linewidths=1.8)
    axes.set(xlabel="x1", ylabel="x2", aspect="equal")


if __name__ == "__main__":
    print({name: value for name, value in compute().items() if np.ndim(value) == 0 and not hasattr(value, "fit")})
