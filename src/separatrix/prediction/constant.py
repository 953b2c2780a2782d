"""The arithmetic of the baseline: the same answer for every row."""

import numpy as np


def number(state, X):
    """The mean of the targets, for each row: (n,)."""
    return np.full(X.shape[0], state["constant_"])


def class_shares(state, X):
    """The shares of the classes, for each row: (n, k).

    >>> class_shares({"class_prior_": np.array([0.25, 0.75])}, np.zeros((2, 1)))
    array([[0.25, 0.75],
           [0.25, 0.75]])
    """
    return np.tile(state["class_prior_"], (X.shape[0], 1))


def log_class_shares(state, X):
    """Logarithms of the shares, for each row."""
    return np.log(class_shares(state, X))


def commonest_class(state, X):
    """The commonest class, for each row; of equally common ones the first."""
    return np.full(X.shape[0], state["classes_"][state["class_prior_"].argmax()])
