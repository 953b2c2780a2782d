"""Vowels told apart: linear or quadratic discriminants, what lies between them, and how many dimensions to use.

528 vowels spoken by eight people to learn from, 462 by seven others to be tested on, each as ten numbers of its sound
(Robinson 1989). The first two canonical variates show most of what tells the vowels apart, and with other speakers they
do better than all ten; covariances between the pooled one and those of the classes do better still.

The data are not ours to ship. Save https://hastie.su.domains/ElemStatLearn/datasets/vowel.train and vowel.test, without
their row names, as vowel.train.csv and vowel.test.csv beside this script, or in a folder shared/data/esl beside or
above the repository.
"""

import csv
from pathlib import Path

import numpy as np

from separatrix.discriminant_analysis import (
    LinearDiscriminantAnalysis,
    QuadraticDiscriminantAnalysis,
    RegularizedDiscriminantAnalysis,
)
from separatrix.linear_model import LeastSquaresClassifier, LogisticRegression

WORDS = ["heed", "hid", "head", "had", "hard", "hud", "hod", "hoard", "hood", "who'd", "heard"]
ALPHAS = np.linspace(0.0, 1.0, 51)
HERE = Path(__file__).resolve()


def data(part):
    """Ten numbers of each sound (n, 10) and its vowel, 1 to 11; `part` is "train" or "test"."""
    name = f"vowel.{part}.csv"
    places = [HERE.with_name(name), *(folder / "shared" / "data" / "esl" / name for folder in HERE.parents)]
    found = next((place for place in places if place.is_file()), None)
    if found is None:
        raise FileNotFoundError(" ".join(__doc__.split("\n\n")[-1].split()))
    with open(found) as file:
        table = np.array([[float(v) for v in row] for row in list(csv.reader(file))[1:]])
    return table[:, 1:], table[:, 0].astype(int)


def compute():
    """Errors of the classifiers, of every reduced rank and alpha, and two variates of the training vowels."""
    (X, y), (new, truth) = data("train"), data("test")

    def errors(model):
        model.fit(X, y)
        return float(np.mean(model.predict(X) != y)), float(np.mean(model.predict(new) != truth))

    models = {
        "linear regression": LeastSquaresClassifier(),
        "linear discriminant analysis": LinearDiscriminantAnalysis(),
        "quadratic discriminant analysis": QuadraticDiscriminantAnalysis(),
        "logistic regression": LogisticRegression(C=np.inf),
    }
    ranks = range(1, 11)
    whole = LinearDiscriminantAnalysis(denominator="N-K").fit(X, y)
    path = RegularizedDiscriminantAnalysis(denominator="N-K").fit(X, y).path(ALPHAS)
    return {
        "errors": {name: errors(model) for name, model in models.items()},
        "by_rank": {q: errors(LinearDiscriminantAnalysis(n_components=q, reduced_rank=True)) for q in ranks},
        "by_alpha": (1.0 - path.score(X, y), 1.0 - path.score(new, truth)),
        "variates": whole.transform(X)[:, :2],
        "means": whole.transform(whole.means_)[:, :2],
        "y": y,
        "explained": whole.explained_variance_ratio_,
    }


def draw(path):
    """The first two variates with the class means; errors by the number of variates; errors by alpha."""
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
        figure, panels = plt.subplots(1, 3, figsize=(12.6, 4.6), width_ratios=(3, 2, 2))
        _plane(panels[0], found)
        ranks = list(found["by_rank"])
        both = [[found["by_rank"][q][place] for q in ranks] for place in (0, 1)]
        _errors(panels[1], ranks, both)
        panels[1].set(xlabel="number of variates", ylabel="share of errors", xticks=ranks, title="Reduced rank")
        _errors(panels[2], ALPHAS, found["by_alpha"])
        panels[2].set(xlabel="α: own share of each covariance", title="From linear (0) to quadratic (1)")
        figure.savefig(path)
        plt.close(figure)


def _plane(axes, found):
    """Training vowels by two variates, with the class means named."""
    for c in range(1, 12):
        own = found["variates"][found["y"] == c]
        axes.plot(own[:, 0], own[:, 1], "o^"[(c - 1) // 6], ms=3.5, mew=0, color=f"C{(c - 1) % 6}", alpha=0.45)
    for word, (a, b) in zip(WORDS, found["means"]):
        box = {"boxstyle": "round,pad=0.25", "facecolor": "white", "edgecolor": "0.4", "linewidth": 0.8}
        axes.annotate(word, (a, b), ha="center", va="center", fontsize=9, bbox=box)
    axes.set(xlabel="first canonical variate", ylabel="second canonical variate", title="Eleven vowels, eight speakers")


def _errors(axes, places, both):
    """Errors on the same and on other speakers, the least of the latter in a circle."""
    for values, name, colour in zip(both, ("the same speakers", "other speakers"), ("C0", "C1")):
        axes.plot(places, values, "o-", ms=4 if len(places) < 20 else 2, color=colour)
        middle = len(places) // 2
        axes.annotate(name, (places[middle], values[middle]), (0, 9), textcoords="offset points", color=colour)
    best = int(np.argmin(both[1]))
    axes.plot(places[best], both[1][best], "o", ms=11, mfc="none", color="C1")
    axes.set(ylim=(0.0, 0.75))


if __name__ == "__main__":
    found = compute()
    print(found["errors"], found["by_rank"], sep="\n")
