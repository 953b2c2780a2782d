"""Orange and blue: a straight boundary and boundaries that follow every point.

200 points of two classes, each a mixture of ten bivariate Gaussians of variance 1/5. The mixture is known, so that new
points can be drawn from it, and so is the best possible boundary.

The data are not ours to ship. From https://hastie.su.domains/ElemStatLearn save the points as mixture.csv (columns x1,
x2, y) and the twenty means as mixture_means.csv (x1, x2; blue first), beside this script, or in a folder
shared/data/esl beside or above the repository.
"""

from pathlib import Path

import numpy as np

from separatrix.datasets import orange_blue
from separatrix.datasets.orange_blue import likelihood_ratio
from separatrix.linear_model import LeastSquaresClassifier
from separatrix.neighbors import KNeighborsClassifier

SIZES = np.array([1, 3, 5, 7, 11, 15, 21, 31, 45, 69, 101, 151])
SEED, NEW = 1, 10_000
HERE = Path(__file__).resolve()


def read(name):
    places = [HERE.with_name(name), *(folder / "shared" / "data" / "esl" / name for folder in HERE.parents)]
    found = next((place for place in places if place.is_file()), None)
    if found is None:
        raise FileNotFoundError(" ".join(__doc__.split("\n\n")[-1].split()))
    return np.loadtxt(found, delimiter=",", skiprows=1)


def compute():
    """Training and test errors of the line and of k neighbours, and of the best possible rule."""
    table, means = read("mixture.csv"), read("mixture_means.csv")
    X, y = table[:, :2], table[:, 2].astype(int)
    new = orange_blue(NEW, SEED, means=means)
    X_new, y_new = new.X, new.y
    line = LeastSquaresClassifier().fit(X, y)
    models = [KNeighborsClassifier(k).fit(X, y) for k in SIZES]
    return {
        "X": X,
        "y": y,
        "means": means,
        "line": line,
        "models": models,
        "line_errors": (1.0 - line.score(X, y), 1.0 - line.score(X_new, y_new)),
        "train": np.array([1.0 - model.score(X, y) for model in models]),
        "test": np.array([1.0 - model.score(X_new, y_new) for model in models]),
        "best": float(np.mean(new.truth.rule(X_new) != y_new)),
        "n_parameters": [model.n_parameters_ for model in models],
    }


def draw(path):
    """Three boundaries over the points, with the best one dashed, and the errors by k."""
    import matplotlib.pyplot as plt

    with plt.style.context(HERE.with_name("gallery.mplstyle")):
        try:
            found = compute()
        except FileNotFoundError as absent:
            figure = plt.figure(figsize=(7.2, 3.0), dpi=200)
            figure.text(0.05, 0.5, str(absent), wrap=True, va="center")
            figure.savefig(path)
            plt.close(figure)
            return
        figure, grid = plt.subplots(2, 2, figsize=(9.0, 7.6), layout="constrained")
        models = dict(zip(SIZES.tolist(), found["models"]))
        _draw_boundary(grid[0, 0], found, found["line"], "Least squares")
        _draw_boundary(grid[0, 1], found, models[15], "15 nearest neighbours")
        _draw_boundary(grid[1, 0], found, models[1], "1 nearest neighbour")
        _draw_errors(grid[1, 1], found)
        figure.savefig(path)
        plt.close(figure)


def _draw_boundary(axes, found, model, title):
    X, y = found["X"], found["y"]
    low, high = X.min(axis=0) - 0.3, X.max(axis=0) + 0.3
    x1, x2 = np.meshgrid(np.linspace(low[0], high[0], 160), np.linspace(low[1], high[1], 160))
    points = np.column_stack([x1.ravel(), x2.ravel()])
    side = model.predict(points).reshape(x1.shape)
    axes.contourf(x1, x2, side, [-0.5, 0.5, 1.5], colors=["C0", "C1"], alpha=0.12)
    axes.contour(x1, x2, side, [0.5], colors="0.2", linewidths=1.5)
    ratio = likelihood_ratio(points, found["means"]).reshape(x1.shape)
    axes.contour(x1, x2, np.log(ratio), [0.0], colors="0.5", linewidths=1.0, linestyles="dashed")
    for code, marker in ((0, "o"), (1, "s")):
        axes.scatter(*X[y == code].T, color=f"C{code}", marker=marker, s=12)
    axes.set(xticks=[], yticks=[])
    axes.set_title(f"{title}: {int((model.predict(X) != y).sum())} of 200 wrong")


def _draw_errors(axes, found):
    axes.semilogx(SIZES, found["train"], "o-", color="C0", clip_on=False)
    axes.semilogx(SIZES, found["test"], "s-", color="C1")
    axes.axhline(found["best"], color="0.5", linestyle="dashed", linewidth=1.0)
    axes.annotate("training", (2.0, 0.06), color="C0")
    axes.annotate("test", (11.0, 0.232), color="C1")
    axes.annotate("best possible", (1.0, found["best"] + 0.004), color="0.5")
    axes.axhline(found["line_errors"][1], color="0.2", linestyle="dotted", linewidth=1.0)
    axes.annotate("least squares, test", (2.2, found["line_errors"][1] + 0.005), color="0.2")
    axes.set(xlabel="neighbours k", ylabel="error rate", ylim=(0.0, 0.34), xticks=[1, 5, 15, 45, 151])
    axes.set_xticklabels(["1", "5", "15", "45", "151"])
    axes.minorticks_off()
    axes.set_title("Too stiff on the right, too restless on the left")


if __name__ == "__main__":
    found = compute()
    print(f"least squares  train {found['line_errors'][0]:.3f}  test {found['line_errors'][1]:.3f}")
    for k, train, test in zip(SIZES, found["train"], found["test"]):
        print(f"k = {k:<3}  train {train:.3f}  test {test:.3f}")
    print(f"best possible  test {found['best']:.3f}")
