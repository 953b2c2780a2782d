"""Local logistic regression: at each of 1,000 points x₀ the log-odds b of

    max over (b, w)   Σ k_i [y_i η_i - log(1 + exp η_i)],   η_i = b + w'(x_i - x₀),   k_i = exp(-|x_i - x₀|²/(2h²)).

The reference is Newton's method for a block of points at once, until only rounding is left.
"""

import numpy as np
from scipy.special import expit

from benchmarks.contestant import Answer
from benchmarks.problems.base import Data, Judge, Problem

BANDWIDTH = 0.5
TARGET = 1e-6
BLOCK = 50  # points at a time
LIMIT = 100  # Newton steps, ten being usual
SMALL = 1e-13  # a step below which only rounding is left


def log_odds(X, y, queries, bandwidth):
    return np.concatenate(
        [_log_odds(X, y, queries[start : start + BLOCK], bandwidth) for start in range(0, len(queries), BLOCK)]
    )


def _log_odds(X, y, queries, bandwidth):
    """Plain Newton steps from zero, halved where the likelihood would fall."""
    away = X - queries[:, None, :]
    kernel = np.exp(-0.5 * np.sum(away * away, axis=2) / bandwidth**2)
    D = np.concatenate([np.ones((*kernel.shape, 1)), away / bandwidth], axis=2)

    def likelihood(theta):
        eta = np.einsum("qij,qj->qi", D, theta)
        return eta, np.sum(kernel * (y * eta - np.logaddexp(0.0, eta)), axis=1)

    theta = np.zeros((len(queries), D.shape[2]))
    eta, now = likelihood(theta)
    for _ in range(LIMIT):
        mu = expit(eta)
        slope = np.einsum("qij,qi->qj", D, kernel * (y - mu))
        curvature = np.einsum("qij,qi,qik->qjk", D, kernel * mu * (1.0 - mu), D, optimize=True)
        step = np.linalg.solve(curvature, slope[:, :, None])[:, :, 0]
        t = np.ones(len(queries))
        for _ in range(60):
            eta, after = likelihood(theta + t[:, None] * step)
            worse = after < now - 1e-12 * np.abs(now)
            if not worse.any():
                break
            t[worse] *= 0.5
        theta, now = theta + t[:, None] * step, after
        if np.abs(t[:, None] * step).max() <= SMALL * np.abs(theta).max():
            break
    return theta[:, 0]


class LocalJudge(Judge):
    """The largest error of a log-odds, relative to the root mean square of the exact ones."""

    null = np.ones(1)

    def __init__(self, data):
        self.exact = log_odds(data.X, data.y, data.queries, data.settings["bandwidth"])

    def values(self, answer):
        found = answer.coef.toarray()[:, 0]
        if found.shape != self.exact.shape:
            return np.array([np.inf])
        return np.array([np.max(np.abs(found - self.exact)) / np.sqrt(np.mean(self.exact**2))])

    def reference(self):
        return Answer(self.exact)


def generate(rows, columns, rng):
    """Two smooth regions that no line parts; the points where both classes are found."""
    X = rng.standard_normal((rows, columns))
    chance = expit(2.0 * np.sin(2.0 * X[:, 0]) + X[:, 1])
    y = (rng.random(rows) < chance).astype(np.int64)
    return Data(X, y, {"bandwidth": BANDWIDTH}, queries=rng.uniform(-1.0, 1.0, size=(rows // 10, columns)))


PROBLEMS = [Problem("local_logistic", "points", 10_000, 2, TARGET, generate, LocalJudge)]
