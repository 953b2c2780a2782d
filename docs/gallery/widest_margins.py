"""The widest margin of three points and of four, by hand and by machine."""

from pathlib import Path

import numpy as np

from separatrix import plots
from separatrix.svm import SVC

POINTS = np.array([[1.0, 2.0], [-1.0, 2.0], [-1.0, -2.0], [3.0, 1.0]])
LABELS = np.array([-1, -1, 1, 1])


def compute():
    """The hard margin of the first three points and of all four: {n: what the pages of a textbook would print}."""
    found = {}
    for n in (3, 4):
        X, y = POINTS[:n], LABELS[:n]
        model = SVC(kernel="linear", C=np.inf).fit(X, y)
        alpha = np.zeros(n)
        alpha[model.support_] = np.abs(model.dual_coef_[0])
        found[n] = {
            "model": model,
            "labelled Gram matrix": model.labelled_gram(X, y),
            "alpha": alpha,
            "w": model.coef_[0],
            "t": model.intercept_[0],
            "margin": model.margin_,
            "functional margins": y * model.decision_function(X),
        }
    return found


def draw(path):
    """Both margins; support vectors have a ring."""
    import matplotlib.pyplot as plt

    with plt.style.context(Path(__file__).with_name("gallery.mplstyle")):
        figure, panels = plt.subplots(1, 2, figsize=(9.0, 4.6), layout="constrained")
        for axes, (n, found) in zip(panels, compute().items()):
            plots.margins(found["model"], POINTS[:n], LABELS[:n], ax=axes)
            for point, weight in zip(POINTS[:n], found["alpha"]):
                side, up = "right" if point[0] > 0.0 else "left", 9 if point[1] > 0.0 else -19
                axes.annotate(f"α = {weight:.3g}", point, (0, up), textcoords="offset points", ha=side)
        figure.savefig(path)
        plt.close(figure)


if __name__ == "__main__":
    for count, values in compute().items():
        print(
            f"{count} points: w {values['w'].round(6)}, alpha {values['alpha'].round(6)}, margin {values['margin']:.6f}"
        )
