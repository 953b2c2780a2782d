"""South African heart disease: who had a heart attack, read by logistic regression.

462 men, 160 of them cases (Rousseauw et al. 1983). A table of all seven risk factors, the four that stepwise selection
keeps, and natural splines with error bands where straight lines are too little.

The data are not ours to ship. Save https://hastie.su.domains/ElemStatLearn/datasets/SAheart.data as SAheart.csv beside
this script, or in a folder shared/data/esl beside or above the repository.
"""

import csv
from pathlib import Path

import numpy as np
from scipy.special import expit, logit
from sklearn.pipeline import make_pipeline

from separatrix.inference import anova, bands, stepwise
from separatrix.linear_model import LogisticRegression
from separatrix.preprocessing import AdditiveBasis, NaturalSpline

NAMES = ["sbp", "tobacco", "ldl", "famhist", "obesity", "alcohol", "age"]
PREVALENCE = 0.051  # of heart attacks among the men of the region; in the sample it is 160 of 462
HERE = Path(__file__).resolve()


def data():
    """Seven risk factors (n, 7), family history as 0 or 1, and whether there was a heart attack."""
    places = [HERE.with_name("SAheart.csv")]
    places += [folder / "shared" / "data" / "esl" / "SAheart.csv" for folder in HERE.parents]
    found = next((place for place in places if place.is_file()), None)
    if found is None:
        raise FileNotFoundError(" ".join(__doc__.split("\n\n")[-1].split()))
    with open(found) as file:
        rows = list(csv.DictReader(file))
    number = {"Present": 1.0, "Absent": 0.0}
    X = np.array(
        [[number.get(row[name]) if row[name] in number else float(row[name]) for name in NAMES] for row in rows]
    )
    return X, np.array([int(row["chd"]) for row in rows])


def maximum_likelihood():
    return LogisticRegression(C=np.inf, tol=1e-10)


def compute():
    """The table of all terms, the selection, the risk of one man, and the additive model with and without alcohol."""
    X, y = data()
    terms = {name: [j] for j, name in enumerate(NAMES)}
    whole = maximum_likelihood().fit(X, y)
    selection = stepwise(whole, X, y, terms=terms, criterion="wald")
    found = {"X": X, "y": y, "summary": whole.summary(X, y), "selection": selection}
    found["chosen"] = selection.model.summary(X[:, selection.columns], y)

    man = np.array([[5.0, 5.0, 1.0, 50.0]])  # tobacco, ldl, family history, age
    score = selection.model.decision_function(man)[0]
    # controls were sampled more rarely than cases; that moves the intercept and nothing else
    moved = score + logit(PREVALENCE) - logit(y.mean())
    found["risk_in_sample"], found["risk_in_region"] = float(expit(score)), float(expit(moved))

    for label, left_out in (("with_alcohol", ()), ("without_alcohol", ("alcohol",))):
        shapes = {j: "linear" if name == "famhist" else NaturalSpline(df=4) for j, name in enumerate(NAMES)}
        shapes = {j: shape for j, shape in shapes.items() if NAMES[j] not in left_out}
        model = make_pipeline(AdditiveBasis(shapes), maximum_likelihood()).fit(X, y)
        statistics = model[-1].summary(model[:-1].transform(X), y).statistics
        found[label] = {
            "df": model[0].df_,
            "deviance": statistics["deviance"],
            "aic": statistics["aic"],
            "drops": anova(model, X, y),
            "bands": {NAMES[int(name[1:])]: band for name, band in bands(model, X, y).items()},
        }
    return found


def draw(path):
    """The fitted functions of the additive model without alcohol, with two standard errors on each side."""
    import matplotlib.pyplot as plt

    with plt.style.context(HERE.with_name("gallery.mplstyle")):
        try:
            found = compute()["without_alcohol"]
        except FileNotFoundError as absent:
            figure = plt.figure(figsize=(7.2, 3.0), dpi=200)
            figure.text(0.05, 0.5, str(absent), wrap=True, va="center")
            figure.savefig(path)
            plt.close(figure)
            return
        figure, grid = plt.subplots(2, 3, figsize=(9.0, 5.6), layout="constrained")
        for (name, band), axes in zip(found["bands"].items(), grid.flat):
            band.draw(axes)
            axes.set(xlabel=name, ylabel=f"f({name})")
        grid[1, 0].set_xticks([0.0, 1.0], ["absent", "present"])
        figure.suptitle(f"Log-odds of a heart attack, term by term: deviance {found['deviance']:.1f}, {found['df']} df")
        figure.savefig(path)
        plt.close(figure)


if __name__ == "__main__":
    found = compute()
    print(found["summary"], found["selection"], found["chosen"], sep="\n\n")
    print(found["with_alcohol"]["drops"])
