"""The arithmetic of a fitted network: its layers one after the other, and what their last outputs stand for."""

import numpy as np

from separatrix.core.activations import ACTIVATIONS
from separatrix.prediction import linear
from separatrix.prediction.links import inverse_link

ROWS = 4096  # taken through all layers at a time
EPSILON = 1e-5  # beside the variance of a batch, as in training
LINKS = {"identity": "identity", "exp": "log", "logistic": "logit"}


def through(state, X, first, last):
    """Rows that enter layer `first` as they leave layer `last`, counted from 0; the last layer of all gives raw scores.

    >>> state = {"coefs_": [np.array([[1.0, -1.0]])], "intercepts_": [np.array([0.5, 0.0])]}
    >>> through(state, np.array([[2.0]]), 0, 1)
    array([[ 2.5, -2. ]])
    """
    return np.concatenate([_through(state, X[i : i + ROWS], first, last) for i in range(0, X.shape[0], ROWS)])


def _through(state, o, first, last):
    W, b = state["coefs_"], state["intercepts_"]
    for j in range(first, last):
        o = o @ W[j]
        o += b[j]
        if j == len(W) - 1:
            break
        if "batch_norms_" in state:
            scale, shift, mean, variance = state["batch_norms_"][j]
            o = (o - mean) * (scale / np.sqrt(variance + EPSILON)) + shift
        ACTIVATIONS[state["hidden_activation_"]].apply(o)
    return o


def raw_scores(state, X):
    """What the last layer sums up, (n, k)."""
    return through(state, X, 0, len(state["coefs_"]))


def number(state, X):
    """The mean of y, (n,) or (n, o)."""
    return linear.in_one_dimension(inverse_link(LINKS[state["out_activation_"]], raw_scores(state, X)))


def code(state, X):
    """The outputs of the layer in the middle, (n, k)."""
    return through(state, X, 0, len(state["coefs_"]) // 2)


def class_scores(state, X):
    """Log-odds (n,) of two classes, or logarithms of probabilities up to a shift (n, k)."""
    return linear.in_one_dimension(raw_scores(state, X))


def class_of(state, X):
    """The most probable class."""
    return linear.decide(class_scores(state, X), state["classes_"])


def class_probabilities(state, X):
    """Probability of each class, (n, k)."""
    return linear.probabilities(class_scores(state, X))


def class_log_probabilities(state, X):
    """Logarithms of :func:`class_probabilities`."""
    return linear.log_probabilities(class_scores(state, X))
