"""Our perceptron and scikit-learn's on the same points: both separate them, and in the same order they are the same."""

from pathlib import Path

import numpy as np
from sklearn.linear_model import Perceptron as OtherPerceptron

from separatrix.linear_model import Perceptron


def points(seed=0):
    """Two uniform squares of a hundred points, a narrow gap apart."""
    rng = np.random.default_rng(seed)
    low, high = rng.uniform(0.0, 2.0, (100, 2)), rng.uniform([0.5, 2.2], [2.5, 4.2], (100, 2))
    return np.vstack([low, high]), np.repeat([-1, 1], 100)


def compute():
    """Both perceptrons, shuffled by their own generators and unshuffled: {(whose, shuffled): fitted model}."""
    X, y = points()
    return {
        (whose, shuffle): model(shuffle=shuffle, tol=None, max_iter=2000).fit(X, y)
        for whose, model in (("separatrix", Perceptron), ("scikit-learn", OtherPerceptron))
        for shuffle in (False, True)
    }


def draw(path):
    """The points and the four lines, two of which coincide."""
    import matplotlib.pyplot as plt

    (X, y), found = points(), compute()
    looks = {
        ("separatrix", False): ("0.2", "-", 4.0, "both, in the order of the rows"),
        ("scikit-learn", False): ("C3", ":", 2.0, None),
        ("separatrix", True): ("C2", "-", 1.5, "separatrix, shuffled"),
        ("scikit-learn", True): ("C4", "--", 1.5, "scikit-learn, shuffled"),
    }
    with plt.style.context(Path(__file__).with_name("gallery.mplstyle")):
        figure, axes = plt.subplots(figsize=(6.4, 5.2))
        for label, marker, colour in ((1, "o", "C0"), (-1, "s", "C1")):
            axes.scatter(*X[y == label].T, marker=marker, color=colour, s=16)
        for key, (colour, style, width, name) in looks.items():
            (w1, w2), w0 = found[key].coef_[0], found[key].intercept_[0]
            across = np.array([-0.2, 2.8])
            axes.plot(across, -(w0 + w1 * across) / w2, style, color=colour, linewidth=width, label=name)
        axes.legend(loc="upper left", frameon=False)
        axes.set(xlabel="x₁", ylabel="x₂", xlim=(-0.2, 2.8), ylim=(-0.2, 5.4), title="Four fits, no mistakes")
        figure.savefig(path)
        plt.close(figure)


if __name__ == "__main__":
    for key, model in compute().items():
        print(key, model.coef_, model.intercept_, model.n_iter_)
