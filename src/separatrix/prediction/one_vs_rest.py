"""The arithmetic of one against the rest: a machine for each class, and the class of the largest score.

`scores` below is a function of a machine and X: its decision function or, where it has none, the probability of its
second class.
"""

import numpy as np


def classes_of(state):
    """The labels."""
    return state["classes_"] if "classes_" in state else state["label_binarizer_"].state["classes_"]


def has_rest(state):
    """Whether the last class has no machine."""
    return bool(state["rest_class"]) and len(classes_of(state)) > 2


def class_scores(state, X, scores):
    """Scores (n,) of one machine, else (n, k); that of a class without a machine is 0."""
    columns = [np.ravel(scores(machine, X)) for machine in state["estimators_"]]
    if len(columns) == 1:
        return columns[0]
    return np.column_stack([*columns, np.zeros(len(columns[0]))] if has_rest(state) else columns)


def class_of(state, X, scores, threshold):
    """The class of the largest score, of equals the first; of two the second where its score exceeds the threshold."""
    values, classes = class_scores(state, X, scores), classes_of(state)
    if values.ndim == 1:
        return classes[(values > threshold).astype(int)]
    return classes[values.argmax(axis=1)]


def class_probabilities(state, X, probability):
    """Probabilities (n, k) of the machines, divided by their sum; `probability` is that of the second class."""
    P = np.array([probability(machine, X) for machine in state["estimators_"]]).T
    if len(state["estimators_"]) == 1:
        P = np.concatenate((1 - P, P), axis=1)
    sums = np.sum(P, axis=1)[:, np.newaxis]
    np.divide(P, sums, out=P, where=sums != 0)
    return P
