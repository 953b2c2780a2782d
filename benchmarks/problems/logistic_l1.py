"""L1 logistic regression:  P(w) = (1/n) Σ log(1 + exp(-t_i x_i'w)) + λ |w|_1,  t = ±1, λ = λmax/10 unless told.

Without intercept: celer has none, LIBLINEAR and Snap ML penalise theirs.
"""

import numpy as np
from scipy.special import entr, expit

from benchmarks.contestant import Answer
from benchmarks.problems import exact_logistic
from benchmarks.problems.base import Data, Judge, Problem
from benchmarks.problems.designs import autoregressive, labels, text_like

STRENGTH = 0.1  # of λmax


def objective(X, y, lam, w):
    return float(np.mean(exact_logistic.losses(X, y, w), dtype=np.longdouble) + lam * np.abs(w).sum())


def largest_lam(X, y):
    """The smallest λ at which every coefficient is zero."""
    return float(np.max(np.abs(X.T @ (y - 0.5))) / len(y))


class L1Judge(Judge):
    def __init__(self, data):
        self.X, self.y, self.lam = data.X, data.y, data.settings["alpha"]
        self.null = np.array([np.log(2.0)])

    def values(self, answer):
        if np.any(answer.intercept):  # another problem than the one that was set
            return np.array([np.inf])
        return np.array([objective(self.X, self.y, self.lam, answer.coef.toarray()[:, 0])])

    def reference(self):
        return Answer(exact_logistic.lasso(self.X, self.y, self.lam))

    def gap(self, answer):
        """Relative duality gap: residuals shrunk until no column exceeds λ, and the entropies that they leave."""
        r = self.y - expit(self.X @ answer.coef.toarray()[:, 0])
        r *= min(1.0, self.lam / max(float(np.max(np.abs(self.X.T @ r))) / len(r), 1e-300))
        alpha = self.y - r
        dual = float(np.mean(entr(alpha) + entr(1.0 - alpha), dtype=np.longdouble))
        return float((self.values(answer)[0] - dual) / self.null[0])


def _at(make):
    def generate(rows, columns, rng, strength):
        X = make(rows, columns, rng)
        y = labels(X, rng)
        top = largest_lam(X, y)
        lam = strength * top
        return Data(X, y, {"alpha": lam, "alpha_max": top, "C": 1.0 / (rows * lam), "fit_intercept": False})

    return generate


def dense(rows, columns, rng):
    return autoregressive(rows, columns, rng, order="F")


PROBLEMS = [
    Problem("logistic_l1", "dense", 2_000, 10_000, 1e-6, _at(dense), L1Judge, STRENGTH),
    Problem("logistic_l1", "sparse", 50_000, 100_000, 1e-6, _at(text_like), L1Judge, STRENGTH),
]
