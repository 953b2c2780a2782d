"""Vowels told apart in few dimensions: canonical variates of eleven classes, and how many of them to use.

528 vowels spoken by eight people to learn from, 462 by seven others to be tested on, each as ten numbers of its sound
(Robinson 1989). The first two variates show most of what tells the vowels apart, and with other speakers they do
better than all ten.

The data are not ours to ship. Save https://hastie.su.domains/ElemStatLearn/datasets/vowel.train and vowel.test, without
their row names, as vowel.train.csv and vowel.test.csv beside this script, or in a folder shared/data/esl beside or
above the repository.
"""

import csv
from pathlib import Path

import numpy as np

from separatrix.discriminant_analysis import LinearDiscriminantAnalysis
from separatrix.linear_model import LeastSquaresClassifier, LogisticRegression

WORDS = ["heed", "hid", "head", "had", "hard", "hud", "hod", "hoard", "hood", "who'd", "heard"]
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
    """Errors of the classifiers, of every reduced rank, and the first two variates of the training vowels."""
    (X, y), (new, truth) = data("train"), data("test")

    def errors(model):
        model.fit(X, y)
        return float(np.mean(model.predict(X) != y)), float(np.mean(model.predict(new) != truth))

    models = {
        "linear regression": LeastSquaresClassifier(),
        "linear discriminant analysis": LinearDiscriminantAnalysis(),
        "logistic regression": LogisticRegression(C=np.inf),
    }
    ranks = range(1, 11)
    whole = LinearDiscriminantAnalysis(denominator="N-K").fit(X, y)
    return {
        "errors": {name: errors(model) for name, model in models.items()},
        "by_rank": {q: errors(LinearDiscriminantAnalysis(n_components=q, reduced_rank=True)) for q in ranks},
        "variates": whole.transform(X)[:, :2],
        "means": whole.transform(whole.means_)[:, :2],
        "y": y,
        "explained": whole.explained_variance_ratio_,
    }


def draw(path):
    """The first two variates with the class means on the left, errors by the number of variates on the right."""
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
        figure, (left, right) = plt.subplots(1, 2, figsize=(9.6, 4.6), width_ratios=(3, 2))
        for c in range(1, 12):
            colour = f"C{(c - 1) % 6}"
            own = found["variates"][found["y"] == c]
            left.plot(own[:, 0], own[:, 1], "o^"[(c - 1) // 6], ms=3.5, mew=0, color=colour, alpha=0.45)
        for word, (a, b) in zip(WORDS, found["means"]):
            box = {"boxstyle": "round,pad=0.25", "facecolor": "white", "edgecolor": "0.4", "linewidth": 0.8}
            left.annotate(word, (a, b), ha="center", va="center", fontsize=9, bbox=box)
        left.set(xlabel="first canonical variate", ylabel="second canonical variate")
        left.set_title("Eleven vowels, eight speakers")
        ranks = list(found["by_rank"])
        for place, name, colour in ((0, "the same speakers", "C0"), (1, "other speakers", "C1")):
            values = [found["by_rank"][q][place] for q in ranks]
            right.plot(ranks, values, "o-", ms=4, color=colour)
            right.annotate(name, (10, values[-1]), (-4, 8), textcoords="offset points", ha="right", color=colour)
        best = min(ranks, key=lambda q: found["by_rank"][q][1])
        right.plot(best, found["by_rank"][best][1], "o", ms=11, mfc="none", color="C1")
        right.set(xlabel="number of variates", ylabel="share of errors", ylim=(0.0, 0.75), xticks=ranks)
        right.set_title("Reduced rank")
        figure.savefig(path)
        plt.close(figure)


if __name__ == "__main__":
    found = compute()
    print(found["errors"], found["by_rank"], sep="\n")
