"""Classifiers compared by what they say of rows: scores of every class, or the class alone.

A score is a log-posterior up to one number for each row, so rows are centred before they are compared. Packages divide
sums of squares by N or by N less something. That is a convention, not an error: a judge holds a reference for each, and
an answer is measured against the nearest.
"""

import numpy as np

from benchmarks.contestant import Answer
from benchmarks.problems.base import Judge

SAMPLE = 500  # rows, the first ones


class ScoresJudge(Judge):
    """The largest error of a centred score on the sample, relative to the root mean square of the exact ones."""

    null = np.ones(1)

    def __init__(self, references):
        self.references = [centred(np.asarray(scores)) for scores in references]

    def values(self, answer):
        return np.array([self.error(answer.coef.toarray(), self.references)])

    def error(self, scores, references):
        if scores.shape != references[0].shape:
            return np.inf
        with np.errstate(invalid="ignore"):  # a probability of 0 has no logarithm, and its row counts as wrong
            found = centred(scores)
        errors = [np.max(np.abs(found - exact)) / size(exact) for exact in references]
        return float(np.min(np.nan_to_num(errors, nan=np.inf)))

    def reference(self):
        return Answer(self.references[0])


class LabelsJudge(Judge):
    """How far the exact score of the class that was chosen falls short of the best, at the worst row; same unit."""

    null = np.ones(1)

    def __init__(self, references):
        self.references = [np.asarray(scores) for scores in references]

    def values(self, answer):
        n, classes = self.references[0].shape
        labels = answer.coef.toarray()[:, 0]
        if labels.shape != (n,) or not np.isin(labels, np.arange(classes)).all():
            return np.array([np.inf])
        chosen = labels.astype(np.int64)
        short = [
            np.max(exact.max(axis=1) - exact[np.arange(n), chosen]) / size(centred(exact)) for exact in self.references
        ]
        return np.array([min(short)])

    def reference(self):
        return Answer(np.argmax(self.references[0], axis=1))


def centred(scores):
    return scores - scores.mean(axis=1, keepdims=True)


def size(scores):
    return np.sqrt(np.mean(scores * scores))
