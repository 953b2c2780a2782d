"""The arithmetic of a restricted Boltzmann machine: the hidden units that rows of visible ones make likely."""

from separatrix.prediction.links import inverse_link
from separatrix.prediction.storage import dense


def hidden(state, X):
    """``P(h = 1 | v)`` for each row v of X and each hidden unit.

    >>> import numpy as np
    >>> state = {"components_": np.array([[2.0, -2.0]]), "intercept_hidden_": np.array([0.0])}
    >>> hidden(state, np.array([[1.0, 1.0], [0.0, 0.0]]))
    array([[0.5],
           [0.5]])
    """
    return inverse_link("logit", dense(X @ state["components_"].T) + state["intercept_hidden_"])
