"""Age and heart disease: a global logistic curve, and one that is fitted anew at every age.

462 men of South Africa, 160 of them cases (Rousseauw et al. 1983).

The data are not ours to ship. Save https://hastie.su.domains/ElemStatLearn/datasets/SAheart.data as SAheart.csv beside
this script, or in a folder shared/data/esl beside or above the repository.
"""

import csv
from pathlib import Path

import numpy as np

from separatrix.linear_model import LogisticRegression
from separatrix.local import LocalLogisticRegression

HERE = Path(__file__).resolve()


def data():
    """Age (n, 1) and whether there was a heart attack."""
    places = [HERE.with_name("SAheart.csv")]
    places += [folder / "shared" / "data" / "esl" / "SAheart.csv" for folder in HERE.parents]
    found = next((place for place in places if place.is_file()), None)
    if found is None:
        raise FileNotFoundError(" ".join(__doc__.split("\n\n")[-1].split()))
    with open(found) as file:
        rows = list(csv.DictReader(file))
    return np.array([[float(row["age"])] for row in rows]), np.array([int(row["chd"]) for row in rows])


def compute():
    """Probabilities by age: of one curve for all, and of windows that hold half of the men, with a 95 % band."""
    X, y = data()
    grid = np.linspace(X.min(), X.max(), 99)[:, None]
    local = LocalLogisticRegression(span=0.5).fit(X, y)
    low, high = local.interval(grid)
    return {
        "age": X[:, 0],
        "chd": y,
        "grid": grid[:, 0],
        "global": LogisticRegression(C=np.inf).fit(X, y).predict_proba(grid)[:, 1],
        "local": local.predict_proba(grid)[:, 1],
        "low": low,
        "high": high,
        "slope": local.local_coefficients(grid).slopes[:, 0],
    }


def draw(path):
    """Both curves, the band, and a tick for each man: cases above, the others below."""
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
        figure, axes = plt.subplots(figsize=(7.2, 4.4), layout="constrained")
        axes.fill_between(found["grid"], found["low"], found["high"], color="C0", alpha=0.25, linewidth=0)
        axes.plot(found["grid"], found["local"], color="C0", label="local, half of the men in each window")
        axes.plot(found["grid"], found["global"], color="C1", linestyle="--", label="one curve for all")
        spread = np.random.default_rng(0).uniform(-0.4, 0.4, len(found["age"]))  # ages are whole years
        place = np.where(found["chd"] == 1, 0.98, 0.02)
        axes.plot(found["age"] + spread, place, "|", color="0.3", markersize=6)
        axes.set(xlabel="age", ylabel="probability of a heart attack", ylim=(0.0, 1.0))
        axes.legend(loc="upper left", bbox_to_anchor=(0.0, 0.93))
        figure.savefig(path)
        plt.close(figure)


if __name__ == "__main__":
    found = compute()
    for age in (20, 30, 40, 50, 60):
        at = int(np.argmin(np.abs(found["grid"] - age)))
        print(f"{age}: local {found['local'][at]:.3f} ({found['low'][at]:.3f}, {found['high'][at]:.3f}), ", end="")
        print(f"global {found['global'][at]:.3f}")
