"""Fisher's irises: logistic regression on three species, then on two, beside a perceptron.

Setosa and versicolor are separated by a line; both methods find one, and only one of them says how sure it is.
"""

from pathlib import Path

import numpy as np
from sklearn.datasets import load_iris

from separatrix.linear_model import LogisticRegression, Perceptron
from separatrix.multiclass import OneVsRestClassifier


def compute():
    """Accuracies on all and on two species, with all four columns and with the two that can be drawn."""
    iris = load_iris()
    X, species = iris.data, iris.target_names[iris.target]
    three = OneVsRestClassifier(LogisticRegression()).fit(X, species)
    two = np.isin(species, ("setosa", "versicolor"))
    X_two, y_two = X[two], species[two]
    found = {
        "three": float(three.score(X, species)),
        "machines": len(three.estimators_),
        "logistic": float(LogisticRegression().fit(X_two, y_two).score(X_two, y_two)),
        "perceptron": float(Perceptron(random_state=0).fit(X_two, y_two).score(X_two, y_two)),
    }
    petals = X_two[:, 2:]
    found["petals"] = (petals, y_two)
    found["models"] = {
        "logistic": LogisticRegression().fit(petals, y_two),
        "perceptron": Perceptron(random_state=0).fit(petals, y_two),
    }
    found["petal errors"] = {name: int(np.sum(m.predict(petals) != y_two)) for name, m in found["models"].items()}
    return found


def draw(path):
    """Petals of two species, the probability that logistic regression gives, and both boundaries."""
    import matplotlib.pyplot as plt

    found = compute()
    petals, species = found["petals"]
    with plt.style.context(Path(__file__).with_name("gallery.mplstyle")):
        figure, axes = plt.subplots(figsize=(6.8, 4.8))
        grid = np.stack(np.meshgrid(np.linspace(0.5, 5.5, 300), np.linspace(-0.1, 2.0, 300)), axis=-1)
        rows = grid.reshape(-1, 2)
        P = found["models"]["logistic"].predict_proba(rows)[:, 1].reshape(300, 300)
        shade = axes.contourf(grid[..., 0], grid[..., 1], P, np.linspace(0, 1, 11), cmap="RdBu", alpha=0.35)
        figure.colorbar(shade, ax=axes, label="P(versicolor) by logistic regression")
        for name, style in (("logistic", "-"), ("perceptron", "--")):
            score = found["models"][name].decision_function(rows).reshape(300, 300)
            axes.contour(grid[..., 0], grid[..., 1], score, [0.0], colors="0.2", linestyles=style)
            axes.plot([], [], style, color="0.2", label=f"{name}: {found['petal errors'][name]} wrong")
        for label, marker, colour in (("setosa", "s", "C1"), ("versicolor", "o", "C0")):
            axes.scatter(*petals[species == label].T, marker=marker, color=colour, s=22, label=label)
        axes.legend(fontsize=8, loc="lower right")
        axes.set(xlabel="petal length (cm)", ylabel="petal width (cm)")
        axes.set_title("Two species: both separate, one gives probabilities")
        figure.savefig(path)
        plt.close(figure)


if __name__ == "__main__":
    found = compute()
    print({name: found[name] for name in ("three", "machines", "logistic", "perceptron", "petal errors")})
