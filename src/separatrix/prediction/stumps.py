"""The arithmetic of boosted stumps: weighted votes, log-odds, classes and probabilities."""

import numpy as np

from separatrix.prediction.storage import dense


def codes_of(state, X):
    """The code of the class that each stump answers, one array (n,) after the other.

    Half the way between two neighbours of single precision is a number of double precision only.
    """
    for j, threshold, below, above in zip(
        state["features_"].tolist(), state["thresholds_"].tolist(), state["below_"].tolist(), state["above_"].tolist()
    ):
        yield np.where(dense(X[:, [j]])[:, 0].astype(np.float64) <= threshold, below, above)


def scores_of_votes(answers, weights, k, n):
    """Log-odds (n,) of two classes, or scores (n, k) that sum to 0: the sum of all votes, each with its weight.

    >>> scores_of_votes([np.array([0, 1]), np.array([1, 1])], np.array([0.5, 2.0]), 2, 2)
    array([1.5, 2.5])
    """
    *_, votes = summed_votes(answers, weights.tolist(), k, n)
    return scores_of(votes)


def summed_votes(answers, weights, k, n):
    """The votes after 1, 2, ... learners, one array changed in place: plus or minus the weights (n,), or (n, k).

    A class of more than two gets the plain weights of the learners that answer it, so that sums of the same weights are
    the same number for every class.
    """
    votes = np.zeros(n if k == 2 else (n, k))
    for codes, weight in zip(answers, weights):
        if k == 2:
            votes += np.where(codes == 1, weight, -weight)
        else:
            votes[np.arange(n), codes] += weight
        yield votes


def scores_of(votes):
    """Votes of two classes as they are; of more less their mean, so that scores of equal votes are equal."""
    return votes.copy() if votes.ndim == 1 else votes - votes.mean(axis=1, keepdims=True)


def class_scores(state, X):
    """Log-odds (n,) of two classes, or log-probabilities up to a shift (n, k)."""
    return scores_of_votes(codes_of(state, X), state["estimator_weights_"], len(state["classes_"]), X.shape[0])
