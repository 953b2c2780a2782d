"""The lasso at one λ:  P(beta, b) = ||y - X beta - b||²/(2n) + alpha ||beta||_1, with intercept; usually λmax/10."""

import numpy as np

from benchmarks.contestant import Answer
from benchmarks.problems.base import Data, Judge, Problem
from benchmarks.problems.designs import autoregressive, sparse_target, text_like
from benchmarks.problems.exact_lasso import exact_lasso

STRENGTH = 0.1  # of λmax


def objectives(X, y, alphas, coefs, intercepts):
    """P at each λ for the columns of `coefs`, summed in extended precision."""
    r = y[:, None] - X @ coefs.toarray() - intercepts
    loss = np.sum(r * r, axis=0, dtype=np.longdouble) / (2 * len(y))
    return (loss + alphas * np.asarray(abs(coefs).sum(axis=0)).ravel()).astype(np.float64)


def largest_alpha(X, y):
    """The smallest λ at which every coefficient is zero (y centred, or no intercept)."""
    return float(np.max(np.abs(X.T @ y)) / len(y))


def duality_gaps(X, y, alphas, coefs, intercepts):
    """How far each column of `coefs` can be from its optimum, from the residual scaled into the dual's domain."""
    r = y[:, None] - X @ coefs.toarray() - intercepts
    scale = np.minimum(1.0, alphas / np.maximum(np.max(np.abs(X.T @ r), axis=0) / len(y), 1e-300))
    dual = (scale * (y @ r) - 0.5 * scale**2 * np.sum(r * r, axis=0)) / len(y)
    return objectives(X, y, alphas, coefs, intercepts) - dual


class LassoJudge(Judge):
    """One λ is a path of length one."""

    def __init__(self, data):
        self.X, self.y = data.X, data.y
        self.intercept = data.settings["fit_intercept"]
        self.alphas = np.atleast_1d(data.settings.get("alphas", data.settings.get("alpha")))
        centre = self.y.mean() if self.intercept else 0.0
        self.null = 0.5 * float(np.mean((self.y - centre) ** 2))

    def values(self, answer):
        return objectives(self.X, self.y, self.alphas, answer.coef, answer.intercept)

    def reference(self):
        return Answer(*exact_lasso(self.X, self.y, self.alphas, self.intercept))

    def gap(self, answer):
        """The largest relative gap, which proves the reference; with an intercept its residuals sum to zero."""
        y = self.y - self.y.mean() if self.intercept else self.y
        shift = self.y.mean() if self.intercept else 0.0
        gaps = duality_gaps(self.X, y, self.alphas, answer.coef, answer.intercept - shift)
        return float(gaps.max() / self.null)


def dense_data(rows, columns, rng, centre):
    X = autoregressive(rows, columns, rng, order="F")
    return X, sparse_target(X, rng, centre)


def sparse_data(rows, columns, rng, centre):
    X = text_like(rows, columns, rng)
    return X, sparse_target(X, rng, centre)


def _one(make):
    def generate(rows, columns, rng, strength):
        X, y = make(rows, columns, rng, centre=2.0)
        top = largest_alpha(X, y - y.mean())
        return Data(X, y, {"alpha": strength * top, "alpha_max": top, "fit_intercept": True})

    return generate


PROBLEMS = [
    Problem("lasso", "wide", 1_000, 20_000, 1e-6, _one(dense_data), LassoJudge, STRENGTH),
    Problem("lasso", "tall", 100_000, 500, 1e-6, _one(dense_data), LassoJudge, STRENGTH),
    Problem("lasso", "sparse", 20_000, 200_000, 1e-6, _one(sparse_data), LassoJudge, STRENGTH),
]
