"""L2 softmax regression:  P(W, b) = Σ (log Σ_c exp(η_ic) - η_i,y_i) + |W|²/(2C),  η_i = W'x_i + b, C = 1.

With intercepts, none penalised: every contestant that has this loss has them so.
"""

import numpy as np
from scipy.special import entr, softmax

from benchmarks.contestant import Answer
from benchmarks.problems import exact_logistic
from benchmarks.problems.base import Data, Judge, Problem
from benchmarks.problems.designs import autoregressive

CLASSES = 10
C = 1.0
SPREAD = 2.0  # of each class's score
LARGEST_INTERCEPT = 100.0  # for which the printed gap is a proof


def objective(X, y, C, W, b):
    total = np.sum(exact_logistic.softmax_losses(X, y, W, b), dtype=np.longdouble)
    return float(total + np.sum(W * W) / (2 * C))


class MultinomialJudge(Judge):
    def __init__(self, data):
        self.X, self.y, self.C = data.X, data.y, data.settings["C"]
        counts = np.bincount(self.y)
        self.null = np.array([len(self.y) * entr(counts / len(self.y)).sum()])

    def values(self, answer):
        if answer.coef.shape[1] != CLASSES:
            return np.array([np.inf])
        return np.array([objective(self.X, self.y, self.C, answer.coef.toarray(), answer.intercept)])

    def reference(self):
        return Answer(*exact_logistic.multinomial(self.X, self.y, self.C))

    def gap(self, answer):
        """Relative duality gap at the fitted probabilities, among models whose intercepts are at most 100 in size."""
        alpha = softmax(self.X @ answer.coef.toarray() + answer.intercept, axis=1)
        excess = alpha.copy()
        excess[np.arange(len(self.y)), self.y] -= 1.0
        dual = np.sum(entr(alpha), dtype=np.longdouble) - 0.5 * self.C * np.sum((self.X.T @ excess) ** 2)
        dual -= LARGEST_INTERCEPT * np.abs(excess.sum(axis=0)).sum()
        return float((self.values(answer)[0] - dual) / self.null[0])


def generate(rows, columns, rng):
    X = autoregressive(rows, columns, rng, order="C")
    scores = X @ rng.standard_normal((columns, CLASSES))
    scores *= SPREAD / scores.std()
    y = np.argmax(scores + rng.gumbel(size=scores.shape), axis=1)  # a draw from the softmax
    return Data(X, y, {"C": C, "alpha": 1.0 / (C * rows), "fit_intercept": True})


PROBLEMS = [Problem("multinomial", "ten", 100_000, 100, 1e-6, generate, MultinomialJudge)]
