"""The arithmetic of boosted stumps: weighted votes, log-odds, classes and probabilities."""

import numpy as np

from separatrix.prediction.storage import dense


def codes_of(state, X):
    """The code of the class that each stump answers, one array (n,) after the other."""
    for j, threshold, below, above in zip(
        state["features_"].tolist(), state["thresholds_"].tolist(), state["below_"].tolist(), state["above_"].tolist()
    ):
        yield np.where(dense(X[:, [j]])[:, 0] <= threshold, below, above)


def scores_of_votes(answers, weights, k, n):
    """Log-odds (n,) of two classes, or scores (n, k) that sum to 0: the sum of all votes, each with its weight.

    >>> scores_of_votes([np.array([0, 1]), np.array([1, 1])], np.array([0.5, 2.0]), 2, 2)
    array([1.5, 2.5])
    """
    scores = np.zeros(n if k == 2 else (n, k))
    for codes, weight in zip(answers, weights.tolist()):
        add_votes(scores, codes, weight, k)
    return scores


def add_votes(scores, codes, weight, k):
    """Add the votes of one learner in place: in log-odds plus or minus its weight; else the weight, less its mean."""
    if k == 2:
        scores += np.where(codes == 1, weight, -weight)
    else:
        scores -= weight / k
        scores[np.arange(len(codes)), codes] += weight


def class_scores(state, X):
    """Log-odds (n,) of two classes, or log-probabilities up to a shift (n, k)."""
    return scores_of_votes(codes_of(state, X), state["estimator_weights_"], len(state["classes_"]), X.shape[0])
