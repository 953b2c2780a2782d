"""From ``log P(x, C_k)`` to posteriors and decisions: Bayes' theorem for every model of how rows arise."""

import warnings

import numpy as np


def comparable(joint, log_shares):
    """``log P(x, C_k)`` (n, k), and ``log P(C_k)`` for rows that are impossible in every class, with a warning."""
    impossible = joint.max(axis=1) == -np.inf
    if impossible.any():
        from separatrix.core.errors import Impossible

        warnings.warn(Impossible(int(impossible.sum()), len(joint)), stacklevel=5)
        joint[impossible] = log_shares
    return joint


def scores(joint):
    """What a decision compares with 0 (two classes), or with each other: (n,) or (n, k)."""
    return joint[:, 1] - joint[:, 0] if joint.shape[1] == 2 else joint


def posteriors(joint):
    """``P(C_k | x)`` (n, k); overwrites `joint`.

    >>> posteriors(np.log([[0.1, 0.3]])).round(2)
    array([[0.25, 0.75]])
    """
    joint -= joint.max(axis=1, keepdims=True)
    shares = np.exp(joint, out=joint)
    return shares / shares.sum(axis=1, keepdims=True)


def log_posteriors(joint):
    """``log P(C_k | x)`` (n, k)."""
    from scipy.special import logsumexp

    return joint - logsumexp(joint, axis=1, keepdims=True)


def logarithm(a):
    """Natural logarithm, -inf of 0 without a warning."""
    with np.errstate(divide="ignore"):
        return np.log(a)
