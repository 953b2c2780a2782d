"""One posterior, three ways to act on it: by probability, by cost, and not at all.

Two normal classes on a line, the second of them rare. The posterior is learnt once, by logistic regression from a
balanced sample, and put back to the true class frequencies; costs and a price of a rejection then move the decisions,
not the model.
"""

from pathlib import Path

import numpy as np
from scipy.stats import norm

from separatrix.decision import (
    KnownProblem,
    average_cost,
    balanced_sample,
    chow,
    coverage_curve,
    decide,
    gaussian_bayes_rate,
    reject_below,
)
from separatrix.linear_model import LogisticRegression

PRIORS = np.array([0.9, 0.1])
PROBLEM = KnownProblem(PRIORS, [norm(0.0), norm(2.0)])
COSTS = np.array([[0.0, 1.0], [20.0, 0.0]])  # to miss the rare class is twenty times worse than a false alarm
REJECTION = 0.5


def compute():
    """Posteriors on a grid and on test points, thresholds, costs, and the coverage curve."""
    X, y = PROBLEM.sample(4000, random_state=0)
    sample = balanced_sample(X, y, random_state=0)
    model = LogisticRegression(C=np.inf).fit(sample.X, sample.y)

    def posteriors(X):
        return sample.compensate(model.predict_proba(X))

    grid = np.linspace(-3.0, 5.0, 1601)
    on_grid = posteriors(grid[:, None])
    X_test, y_test = PROBLEM.sample(20_000, random_state=1)
    P = posteriors(X_test)
    by_probability, by_cost = decide(P), decide(P, COSTS)
    return {
        "grid": grid,
        "posterior": on_grid[:, 1],
        "balanced": model.predict_proba(grid[:, None])[:, 1],
        "truth": PROBLEM.posteriors(grid)[:, 1],
        "thresholds": [float(grid[np.argmax(decide(on_grid, L) == 1)]) for L in (None, COSTS)],
        "rejected": grid[~chow(on_grid, REJECTION, COSTS).accepted],
        "error": [float(np.mean(y_test != d)) for d in (by_probability, by_cost)],
        "cost": [average_cost(y_test, d, COSTS) for d in (by_probability, by_cost)],
        "bayes_rate": gaussian_bayes_rate([0.0], [2.0], [[1.0]], PRIORS),
        "bayes_cost": PROBLEM.bayes_risk(COSTS).value,
        "curve": coverage_curve(y_test, P),
        "sure": reject_below(P, 0.95).error(y_test),
    }


def draw(path):
    """The posterior with its thresholds on the left, the error that each coverage leaves on the right."""
    import matplotlib.pyplot as plt

    found = compute()
    with plt.style.context(Path(__file__).with_name("gallery.mplstyle")):
        figure, (left, right) = plt.subplots(1, 2, figsize=(9.6, 4.2), width_ratios=(3, 2))
        grid = found["grid"]
        for class_, colour in ((0, "C0"), (1, "C1")):
            density = PRIORS[class_] * norm.pdf(grid, 2.0 * class_)
            left.fill_between(grid, density, color=colour, alpha=0.25, linewidth=0)
        left.axvspan(found["rejected"].min(), found["rejected"].max(), color="0.5", alpha=0.15, linewidth=0)
        left.plot(grid, found["posterior"], color="0.2")
        left.plot(grid, found["balanced"], color="0.2", linestyle=":", linewidth=1.3)
        for x, name, colour in zip(found["thresholds"], ("0/1 loss", "miss = 20 alarms"), ("C2", "C3")):
            left.axvline(x, color=colour)
            left.annotate(name, (x, 1.06), ha="center", color=colour, annotation_clip=False)
        left.annotate("before the priors\nare put back", (0.2, 0.48), ha="right", fontsize=9)
        left.annotate("P(rare | x)", (3.6, 0.9), fontsize=9)
        left.annotate("rejected at\nprice ½", (found["rejected"].mean(), 0.91), ha="center", fontsize=9)
        left.set(xlabel="x", ylim=(0, 1.02), xlim=(-3, 5))
        curve = found["curve"]
        right.plot(100 * curve.coverage, 100 * curve.error, color="0.2")
        right.axhline(100 * found["bayes_rate"], color="C2", linestyle="--", linewidth=1.3)
        right.annotate("Bayes rate", (4, 100 * found["bayes_rate"]), (0, 5), textcoords="offset points", color="C2")
        right.set(xlabel="decided, %", ylabel="wrong among the decided, %", xlim=(0, 102), ylim=(0, None))
        figure.savefig(path)
        plt.close(figure)


if __name__ == "__main__":
    print({name: value for name, value in compute().items() if np.ndim(value) == 0 or len(value) < 9})
