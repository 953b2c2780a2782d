"""Naive Bayes:  score_c(x) = log π_c + Σ_j log f_cj(x_j).

gaussian_nb: normal, variances without smoothing. bernoulli_nb: chances (N_cj + 1)/(N_c + 2). multinomial_nb: shares
(T_cj + 1)/(T_c + p), x_j log share. What is timed is the fit; what is judged are scores of a sample of rows.
In gaussian_nb_predict the fit comes before the clock, and the classes of all rows are timed and judged.
"""

import numpy as np

from benchmarks.problems.base import Data, Problem
from benchmarks.problems.designs import binary_classes, class_codes, gaussian_classes, word_counts
from benchmarks.problems.discriminants import RHO
from benchmarks.problems.scores import SAMPLE, LabelsJudge, ScoresJudge

TARGET = 1e-6
BLOCK = 20_000  # rows at a time


def gaussian_references(data, rows):
    """Scores of rows with variances over N_c and over N_c - 1, in two passes."""
    groups = [data.X[data.y == c] for c in range(data.settings["classes"])]
    return [
        np.column_stack(
            [
                np.log(len(group) / len(data.y))
                + normal_log_density(rows, group.mean(axis=0), group.var(axis=0, ddof=less))
                for group in groups
            ]
        )
        for less in (0, 1)
    ]


def normal_log_density(rows, mean, variance):
    """Summed over independent columns."""
    found = np.full(len(rows), -0.5 * np.log(2.0 * np.pi * variance).sum())
    for start in range(0, len(rows), BLOCK):
        found[start : start + BLOCK] -= 0.5 * np.sum((rows[start : start + BLOCK] - mean) ** 2 / variance, axis=1)
    return found


def column_totals(data):
    """Rows of each class, and the sum of each column within it."""
    groups = [data.X[data.y == c] for c in range(data.settings["classes"])]
    return np.array([g.shape[0] for g in groups]), np.array([np.asarray(g.sum(axis=0)).ravel() for g in groups])


def bernoulli_scores(data, rows):
    counts, totals = column_totals(data)
    chances = (totals + 1.0) / (counts[:, None] + 2.0)
    against = np.log1p(-chances)
    return rows @ (np.log(chances) - against).T + against.sum(axis=1) + np.log(counts / counts.sum())


def multinomial_scores(data, rows):
    counts, totals = column_totals(data)
    shares = (totals + 1.0) / (totals.sum(axis=1, keepdims=True) + totals.shape[1])
    return rows @ np.log(shares).T + np.log(counts / counts.sum())


def _sample(data):
    return data.X[: data.settings["sample"]]


def gaussian_judge(data):
    return ScoresJudge(gaussian_references(data, _sample(data)))


def gaussian_labels_judge(data):
    return LabelsJudge(gaussian_references(data, data.X))


def bernoulli_judge(data):
    return ScoresJudge([bernoulli_scores(data, _sample(data))])


def multinomial_judge(data):
    return ScoresJudge([multinomial_scores(data, _sample(data))])


def _of(make, classes):
    def generate(rows, columns, rng):
        codes = class_codes(rows, classes, rng)
        return Data(make(codes, columns, rng), codes, {"sample": SAMPLE, "classes": classes})

    return generate


def _gaussian(codes, columns, rng):
    return gaussian_classes(codes, columns, rng, np.full(codes.max() + 1, RHO))


def _words_present(codes, columns, rng):
    X = word_counts(codes, columns, rng)
    X.data[:] = 1.0
    return X


SHAPES = (("long", 1_000_000, 50, 5), ("tall", 20_000, 784, 10))
TEXTS = ("sparse", 100_000, 50_000)

PROBLEMS = [
    Problem(group, variant, rows, columns, TARGET, _of(make, classes), judge)
    for group, make, judge in (
        ("gaussian_nb", _gaussian, gaussian_judge),
        ("bernoulli_nb", binary_classes, bernoulli_judge),
        ("gaussian_nb_predict", _gaussian, gaussian_labels_judge),
    )
    for variant, rows, columns, classes in SHAPES
] + [
    Problem("bernoulli_nb", *TEXTS, TARGET, _of(_words_present, 5), bernoulli_judge),
    Problem("multinomial_nb", *TEXTS, TARGET, _of(word_counts, 5), multinomial_judge),
]
