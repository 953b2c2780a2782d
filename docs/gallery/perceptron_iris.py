"""Three perceptrons on the iris data, each for one species against the rest."""

import warnings
from pathlib import Path

import numpy as np
from sklearn.datasets import load_iris

from separatrix.core.errors import NotSeparated
from separatrix.linear_model import Perceptron

PASSES = 100


def compute():
    """Mistakes of each pass for each species, errors of its perceptron in the end, accuracy of the three together."""
    data = load_iris()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NotSeparated)  # versicolor lies between the others
        model = Perceptron(tol=None, max_iter=PASSES).fit(data.data, data.target)
    scores = model.decision_function(data.data)
    return {
        "names": data.target_names,
        "history": model.error_history_,
        "errors": [int(np.sum((scores[:, c] > 0) != (data.target == c))) for c in range(3)],
        "accuracy": model.score(data.data, data.target),
        "bounds": model.mistake_bound(data.data, data.target),
        "mistakes": [int(history.sum()) for history in model.error_history_],
    }


def draw(path):
    """Mistakes in every pass: setosa is learnt at once, the other two never."""
    import matplotlib.pyplot as plt

    found = compute()
    with plt.style.context(Path(__file__).with_name("gallery.mplstyle")):
        figure, axes = plt.subplots(figsize=(7.6, 4.2))
        for c, (name, history) in enumerate(zip(found["names"], found["history"])):
            axes.plot(1 + np.arange(len(history)), history, color=f"C{c}", marker="o", markersize=3, linewidth=1)
            axes.annotate(
                name, (len(history), history[-1]), (6, 0), textcoords="offset points", color=f"C{c}", va="center"
            )
        axes.set(xlabel="pass", ylabel="mistakes", xlim=(0, 1.2 * PASSES), ylim=(-3, None))
        axes.set_title(f"One species against the rest: accuracy together {found['accuracy']:.2f}")
        figure.savefig(path)
        plt.close(figure)


if __name__ == "__main__":
    print(compute())
