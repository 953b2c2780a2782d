"""The arithmetic of a mixture of experts: shares of the gate, and what each expert says."""

import numpy as np

from separatrix.prediction.linear import decide, in_one_dimension, log_probabilities, probabilities


def gate(state, X):
    """The share of each expert, (n, K), rows summing to 1.

    >>> state = {"gate_coef_": np.array([[0.0], [0.0]]), "gate_intercept_": np.log([0.3, 0.7])}
    >>> gate(state, np.array([[5.0]])).round(12)
    array([[0.3, 0.7]])
    """
    return probabilities(X @ state["gate_coef_"].T + state["gate_intercept_"])


def means(state, X):
    """What each expert predicts, (n, K)."""
    return X @ state["expert_coef_"].T + state["expert_intercept_"]


def mean(state, X):
    """``Σ_k π_k(x) (w_k x + b_k)``, (n,)."""
    return (gate(state, X) * means(state, X)).sum(axis=1)


def expert_log_probabilities(state, X):
    """log P(class | x, expert), (n, K, k)."""
    W, b = state["expert_coef_"], state["expert_intercept_"]
    scores = [X @ np.atleast_2d(w).T + c for w, c in zip(W, b)]
    return np.stack([log_probabilities(in_one_dimension(score)) for score in scores], axis=1)


def class_scores(state, X):
    """Log-odds (n,) of two classes, or log-probabilities (n, k)."""
    from scipy.special import logsumexp

    shares = log_probabilities(X @ state["gate_coef_"].T + state["gate_intercept_"])
    logs = logsumexp(shares[:, :, None] + expert_log_probabilities(state, X), axis=1)
    return logs[:, 1] - logs[:, 0] if logs.shape[1] == 2 else logs


def class_of(state, X):
    """The most probable class."""
    return decide(class_scores(state, X), state["classes_"])


def class_probabilities(state, X):
    """``Σ_k π_k(x) P(class | x, k)``, (n, k)."""
    return probabilities(class_scores(state, X))


def class_log_probabilities(state, X):
    """Logarithms of :func:`class_probabilities`."""
    return log_probabilities(class_scores(state, X))
