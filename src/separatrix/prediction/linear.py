"""The arithmetic of a linear prediction: raw scores, the class they decide for, and its probability."""

import numpy as np

from separatrix.prediction.links import inverse_link


def raw_scores(state, X):
    """``X coef_' + intercept_``, of shape (n,) or (n, k).

    >>> raw_scores({"coef_": np.array([1.0, 2.0]), "intercept_": 0.5}, np.array([[1.0, 1.0]]))
    array([3.5])
    """
    return X @ np.asarray(state["coef_"]).T + state["intercept_"]


def means(state, X):
    """The mean of y that raw scores stand for, by the inverse of the link ``link_``.

    >>> means({"coef_": np.array([0.0]), "intercept_": 0.0, "link_": "logit"}, np.array([[1.0]]))
    array([0.5])
    """
    return inverse_link(state["link_"], raw_scores(state, X))


def class_scores(state, X):
    """Raw scores of classes: (n,) for two (positive for the second), else (n, k)."""
    return in_one_dimension(raw_scores(state, X))


def in_one_dimension(scores):
    """Scores (n, k), but (n,) where there is one for each row."""
    return scores[:, 0] if scores.shape[1:] == (1,) else scores


def decide(scores, classes):
    """The class of each row: 0 counts for the second of two classes; of equal scores the first of many wins.

    >>> decide(np.array([-0.1, 0.0]), np.array(["no", "yes"]))
    array(['no', 'yes'], dtype='<U3')
    """
    return classes[(scores >= 0.0).astype(int) if scores.ndim == 1 else scores.argmax(axis=1)]


def decide_labels(scores):
    """Which of k labels each row has, as zeros and ones (n, k): those of positive score."""
    return (scores > 0.0).astype(int)


def class_of(state, X):
    """The class that the raw scores decide for, or the labels where a row may have several."""
    scores = class_scores(state, X)
    return decide_labels(scores) if state.get("multilabel_") else decide(scores, state["classes_"])


def class_probabilities(state, X):
    """Probability of each class, where raw scores are log-odds."""
    return probabilities(class_scores(state, X))


def class_log_probabilities(state, X):
    """Logarithms of :func:`class_probabilities`."""
    return log_probabilities(class_scores(state, X))


def probabilities(scores):
    """Probability of each class, from log-odds (n,), or from logarithms up to a common shift (n, k).

    >>> probabilities(np.array([0.0, 1000.0]))
    array([[0.5, 0.5],
           [0. , 1. ]])
    """
    from scipy.special import expit, softmax

    return np.column_stack([expit(-scores), expit(scores)]) if scores.ndim == 1 else softmax(scores, axis=1)


def log_probabilities(scores):
    """Logarithms of :func:`probabilities`, right also where a probability is too small for a number."""
    from scipy.special import log_expit, log_softmax

    if scores.ndim == 1:
        return np.column_stack([log_expit(-scores), log_expit(scores)])
    return log_softmax(scores, axis=1)
