"""Linear support vector machines:  P(w) = C Σ max(0, 1 - t_i x_i'w)^q + |w|²/2,  t = ±1;  q = 1, or 2 (squared).

Without intercept: LIBLINEAR and Snap ML penalise theirs, and only so does everyone solve the same problem.
"""

from functools import partial

import numpy as np

from benchmarks.contestant import Answer
from benchmarks.problems.base import Data, Judge, Problem
from benchmarks.problems.designs import autoregressive, labels, text_like


def objective(X, y, C, power, w):
    slack = np.maximum(0.0, 1.0 - (2.0 * y - 1.0) * (X @ w))
    return float(C * np.sum(slack**power, dtype=np.longdouble) + 0.5 * (w @ w))


class MarginJudge(Judge):
    def __init__(self, data):
        self.X, self.y, self.C, self.power = data.X, data.y, data.settings["C"], data.settings["power"]
        self.null = np.array([self.C * len(self.y)])

    def values(self, answer):
        if np.any(answer.intercept):  # another problem than the one that was set
            return np.array([np.inf])
        return np.array([objective(self.X, self.y, self.C, self.power, answer.coef.toarray()[:, 0])])

    def reference(self):
        return Answer(exact(self.X, self.y, self.C, self.power))


def exact(X, y, C, power, epochs=300):
    """w by LIBLINEAR's dual coordinate ascent through scikit-learn, run far beyond any target."""
    from sklearn.svm import LinearSVC

    loss = "hinge" if power == 1 else "squared_hinge"
    model = LinearSVC(loss=loss, C=C, fit_intercept=False, tol=1e-10, max_iter=epochs, random_state=0)
    return model.fit(X, y).coef_[0]


def settings(C, power):
    return {"C": C, "power": power, "fit_intercept": False}


def dense(rows, columns, rng, power):
    X = autoregressive(rows, columns, rng, order="C")
    return Data(X, labels(X, rng), settings(0.01, power))


def text(rows, columns, rng, power):
    X = text_like(rows, columns, rng).tocsr()
    return Data(X, labels(X, rng), settings(1.0, power))


PROBLEMS = [
    Problem(group, variant, rows, columns, target, partial(make, power=power), MarginJudge)
    for group, target, power in (("linear_svm", 1e-4, 1), ("linear_svm_squared", 1e-6, 2))
    for variant, rows, columns, make in (("dense", 200_000, 100, dense), ("sparse", 100_000, 100_000, text))
]
