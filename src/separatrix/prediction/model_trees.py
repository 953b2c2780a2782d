"""Trees with a linear model in every node: where each row ends, and the score of the model there."""

import numpy as np

from separatrix.prediction.linear import decide, in_one_dimension, log_probabilities, probabilities
from separatrix.prediction.trees import coded, ends


def scores_at(nodes, coef, intercept, mean, X):
    """Scores (n,) or (n, k) of rows X (n, p) that end in `nodes` (n,); a missing value counts as the node's mean.

    >>> scores_at(np.array([0]), np.array([[2.0]]), np.array([1.0]), np.array([[3.0]]), np.array([[np.nan]]))
    array([7.])
    """
    scores = np.empty((len(X), *intercept.shape[1:]))
    for node in np.unique(nodes):
        here = nodes == node
        rows = np.asarray(X[here], dtype=np.float64)
        scores[here] = np.where(np.isnan(rows), mean[node], rows) @ coef[node].T + intercept[node]
    return scores


def scores(state, X):
    """Scores of the models where the rows end."""
    rows = coded(state, X)
    at = ends(state["nodes_"].state, rows)
    return scores_at(at, state["node_coef_"], state["node_intercept_"], state["node_mean_"], rows)


def class_scores(state, X):
    """Log-odds (n,) of two classes, or scores (n, k)."""
    return in_one_dimension(scores(state, X))


def class_of(state, X):
    """The most probable class."""
    return decide(class_scores(state, X), state["classes_"])


def class_probabilities(state, X):
    """Probabilities of the classes, (n, k)."""
    return probabilities(class_scores(state, X))


def class_log_probabilities(state, X):
    """Their logarithms."""
    return log_probabilities(class_scores(state, X))
