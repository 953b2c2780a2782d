"""Gaussian discriminants:  score_c(x) = log π_c - ½ log|Σ_c| - ½ (x - μ_c)'Σ_c⁻¹(x - μ_c).

lda: one Σ for all classes; qda: one for each; rda_path: α Σ_c + (1 - α) Σ at 20 α from 0 to 1. What is timed is the
fit; what is judged are scores of a sample of rows. In the groups that end in _predict the fit comes before the clock,
and the classes of all rows are timed and judged.
"""

import numpy as np
from scipy.linalg import solve_triangular

from benchmarks.contestant import Answer
from benchmarks.problems.base import Data, Judge, Problem
from benchmarks.problems.designs import class_codes, gaussian_classes
from benchmarks.problems.scores import SAMPLE, LabelsJudge, ScoresJudge

RHO = 0.3
RHOS = (0.1, 0.5)  # where class covariances differ: from the first class to the last
ALPHAS = 20
PATH_SAMPLE = 100  # rows, for each is scored 20 times
TARGET = 1e-6
BLOCK = 20_000  # rows at a time


def class_moments(X, codes):
    """Counts, means and scatters about the means of each class, in two passes."""
    counts, means, scatters = np.bincount(codes), [], []
    for c in range(len(counts)):
        rows = X[codes == c]
        means.append(rows.mean(axis=0))
        rows -= means[-1]
        scatters.append(rows.T @ rows)
    return counts, np.array(means), np.array(scatters)


def scores(rows, priors, means, covariances):
    """The formula above, with a column for each class."""
    found = np.empty((len(rows), len(priors)))
    for c, (prior, mean, covariance) in enumerate(zip(priors, means, covariances)):
        L = np.linalg.cholesky(covariance)
        constant = np.log(prior) - np.log(np.diag(L)).sum()
        for start in range(0, len(rows), BLOCK):
            z = solve_triangular(L, (rows[start : start + BLOCK] - mean).T, lower=True)
            found[start : start + BLOCK, c] = constant - 0.5 * np.sum(z * z, axis=0)
    return found


def blends(counts, scatters, alpha, unbiased):
    """α Σ_c + (1 - α) Σ; `unbiased` divides by N_c - 1 and N - K instead of N_c and N."""
    less = int(unbiased)
    pooled = scatters.sum(axis=0) / (counts.sum() - less * len(counts))
    for count, scatter in zip(counts, scatters):
        yield alpha * scatter / (count - less) + (1.0 - alpha) * pooled


def references(data, alpha, rows):
    """Scores of rows at α with either denominator."""
    counts, means, scatters = class_moments(data.X, data.y)
    priors = counts / counts.sum()
    return [scores(rows, priors, means, blends(counts, scatters, alpha, unbiased)) for unbiased in (True, False)]


def judge_scores(alpha):
    return lambda data: ScoresJudge(references(data, alpha, data.X[: data.settings["sample"]]))


def judge_labels(alpha):
    return lambda data: LabelsJudge(references(data, alpha, data.X))


class PathJudge(Judge):
    """Scores at every α side by side; an answer that names one α (who has but an end of the path) is judged there."""

    null = np.ones(1)

    def __init__(self, data):
        self.alphas = np.asarray(data.settings["alphas"])
        counts, means, scatters = class_moments(data.X, data.y)
        rows, priors = data.X[: data.settings["sample"]], counts / counts.sum()
        self.judges = [
            ScoresJudge(
                [scores(rows, priors, means, blends(counts, scatters, a, unbiased)) for unbiased in (True, False)]
            )
            for a in self.alphas
        ]

    def values(self, answer):
        judges = self.judges
        if not np.isnan(answer.alpha):
            judges = [judge for judge, alpha in zip(judges, self.alphas) if alpha == answer.alpha]
        table = answer.coef.toarray()
        if not judges or table.shape[1] % len(judges):
            return np.array([np.inf])
        parts = np.split(table, len(judges), axis=1)
        return np.array([max(judge.error(part, judge.references) for judge, part in zip(judges, parts))])

    def reference(self):
        return Answer(np.hstack([judge.references[0] for judge in self.judges]))


def _of(classes, rhos, **settings):
    def generate(rows, columns, rng):
        codes = class_codes(rows, classes, rng)
        X = gaussian_classes(codes, columns, rng, np.linspace(*rhos, classes))
        return Data(X, codes, {"sample": SAMPLE, "classes": classes, **settings})

    return generate


ALIKE, DIFFERENT = {"rhos": (RHO, RHO)}, {"rhos": RHOS}
PATH = {**DIFFERENT, "alphas": np.linspace(0.0, 1.0, ALPHAS).tolist(), "sample": PATH_SAMPLE}

PROBLEMS = [
    Problem(group, variant, rows, columns, TARGET, _of(classes, **kind), judge)
    for group, kind, judge in (
        ("lda", ALIKE, judge_scores(0.0)),
        ("qda", DIFFERENT, judge_scores(1.0)),
        ("rda_path", PATH, PathJudge),
        ("lda_predict", ALIKE, judge_labels(0.0)),
        ("qda_predict", DIFFERENT, judge_labels(1.0)),
    )
    for variant, rows, columns, classes in (("long", 1_000_000, 50, 5), ("tall", 20_000, 784, 10))
]
