"""A tree of symptoms: which of eight findings at a chest clinic say most about each other.

5,000 rows drawn from the network "Asia" of Lauritzen and Spiegelhalter (1988): a visit to Asia (A), smoking (S),
tuberculosis (T), lung cancer (L), bronchitis (B), either of T and L (E), a shadow on the X-ray (X), short breath (D).

The data are not ours to ship. In R, library(bnlearn) and write.csv(asia, "asia.csv", row.names = FALSE) write them.
Save them beside this script, or in a folder shared/data/discrete beside or above the repository.
"""

import csv
from pathlib import Path

import numpy as np

from separatrix import plots
from separatrix.graphical import ChowLiuTree

NAMES = {"A": "Asia", "S": "smoker", "T": "tuberculosis", "L": "lung cancer"}
NAMES |= {"B": "bronchitis", "E": "either T or L", "X": "X-ray", "D": "short breath"}
HERE = Path(__file__).resolve()


def data():
    """Eight findings (n, 8), each yes or no."""
    places = [HERE.with_name("asia.csv")]
    places += [folder / "shared" / "data" / "discrete" / "asia.csv" for folder in HERE.parents]
    place = next((place for place in places if place.is_file()), None)
    if place is None:
        raise FileNotFoundError(" ".join(__doc__.split("\n\n")[-1].split()))
    with open(place) as file:
        _, *rows = csv.reader(file)
    return np.array(rows)


def compute():
    """The tree, and what it says about lung cancer: before anything is known, and after two findings."""
    columns = list(NAMES)
    model = ChowLiuTree(root=columns.index("E")).fit(data())
    cancer, smoker, shadow = (columns.index(name) for name in "LSX")
    return {
        "model": model,
        "edges": [tuple(columns[j] for j in edge) for edge in model.edges_.tolist()],
        "certificate": str(model.certificate_),
        "nothing known": model.conditional(cancer)["yes"],
        "smoker": model.conditional(cancer, {smoker: "yes"})["yes"],
        "smoker with a shadow": model.conditional(cancer, {smoker: "yes", shadow: "yes"})["yes"],
    }


def draw(path):
    """The tree, from "either of tuberculosis and lung cancer" to the right."""
    import matplotlib.pyplot as plt

    with plt.style.context(HERE.with_name("gallery.mplstyle")):
        figure, ax = plt.subplots(figsize=(7.2, 3.6), layout="constrained")
        try:
            model = compute()["model"]
        except FileNotFoundError as absent:
            ax.axis("off")
            ax.text(0.05, 0.5, str(absent), wrap=True, va="center")
        else:
            plots.dependency_tree(model, ax, names=NAMES.values())
        figure.savefig(path)
        plt.close(figure)


if __name__ == "__main__":
    for name, value in compute().items():
        print(f"{name}: {value}")
