r"""The arithmetic of calibrated linear scores: distances from the boundary, and a logistic curve of them."""

import numpy as np

from separatrix.core.refusal import cannot
from separatrix.prediction.linear import class_scores, decide


def distances(scores, coef):
    """Signed distances from the boundary of linear scores: (n,) for two classes, else (n, k).

    >>> distances(np.array([5.0, -10.0]), np.array([[3.0, 4.0]]))
    array([ 1., -2.])
    """
    if scores.ndim == 2:
        return region_distances(scores, coef)
    length = np.linalg.norm(coef)
    if length == 0.0:
        raise cannot(
            "give distances from the boundary of a linear classifier",
            because="all its coefficients are zero, so that it has none",
            instead="data in which the classes differ, or a weaker penalty",
        )
    return scores / length


def region_distances(scores, coef):
    r"""Distances (n, k) from the boundaries of the regions where each of k linear scores is largest.

    .. math:: d_c = \min_{d \ne c} (f_c - f_d) / \|w_c - w_d\|
    """
    return np.stack([reach(scores, coef, c).min(axis=1) for c in range(len(coef))], axis=1)


def reach(scores, coef, c):
    """Signed distances (n, k) from the hyperplanes between class c and each other class; infinite from itself.

    Classes of equal coefficients have no hyperplane between them: one of them wins everywhere, the first of equals.
    """
    gaps = scores[:, [c]] - scores
    lengths = np.linalg.norm(coef[c] - coef, axis=1)
    later = np.arange(len(coef)) >= c
    always = np.where((gaps > 0.0) | ((gaps == 0.0) & later), np.inf, -np.inf)
    return np.divide(gaps, lengths, out=always, where=lengths > 0.0)


def curve_log_odds(state, d):
    """``gamma (d - d0) + log(class_ratio)`` for each distance.

    >>> curve_log_odds({"gamma_": 2.0, "d0_": 1.0, "class_ratio_": 1.0}, np.array([1.0, 2.0]))
    array([0., 2.])
    """
    return state["gamma_"] * (d - state["d0_"]) + np.log(state["class_ratio_"])


def log_odds(state, X):
    """Log-odds of a calibrated linear classifier: (n,) for two classes, else (n, k), each against all others."""
    linear = state["estimator_"].state
    coef = np.asarray(linear["coef_"], dtype=np.float64)
    d = distances(np.asarray(class_scores(linear, X), dtype=np.float64), coef)
    curves = [curve.state for curve in state["calibrators_"]]
    if d.ndim == 1:
        return curve_log_odds(curves[0], d)
    return np.stack([curve_log_odds(curve, d[:, c]) for c, curve in enumerate(curves)], axis=1)


def class_of(state, X):
    """The most probable class; of two equally probable ones the second, of more the first."""
    return decide(log_odds(state, X), state["classes_"])


def class_probabilities(state, X):
    """Probability of each class, in the order of ``classes_``."""
    return probabilities(log_odds(state, X))


def probabilities(odds):
    """Probabilities from log-odds (n,), or from k log-odds of a class against all others (n, k), scaled to sum to 1."""
    from scipy.special import expit

    if odds.ndim == 1:
        return np.column_stack([expit(-odds), expit(odds)])
    P = expit(odds) + np.finfo(np.float64).tiny  # a row that every curve excludes is nobody's: equal shares
    return P / P.sum(axis=1, keepdims=True)
