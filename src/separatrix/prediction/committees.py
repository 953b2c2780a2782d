"""The arithmetic of committees: means of numbers, of shares and of votes, and weighted medians; members in order."""

import numpy as np


def take_columns(X, columns):
    """The columns of X that a member was trained on; X itself where these are all of them."""
    p = X.shape[1]
    return X if len(columns) == p and np.array_equal(columns, np.arange(p)) else X[:, columns]


def mean(answers):
    """The mean of arrays of one shape, summed in their order: it does not depend on threads.

    >>> mean([np.array([1.0, 2.0]), np.array([3.0, 5.0])])
    array([2. , 3.5])
    """
    total, count = 0.0, 0
    for answer in answers:
        total, count = total + answer, count + 1
    return total / count


def spread_shares(shares, codes, k):
    """Shares (n, k) of all classes from those of the classes `codes`, which are all that a member has met."""
    if len(codes) == k:
        return shares
    wide = np.zeros((len(shares), k))
    wide[:, codes] = shares
    return wide


def votes(codes, k):
    """One vote for the class of each code: zeros and ones (n, k)."""
    return (np.asarray(codes)[:, None] == np.arange(k)).astype(np.float64)


def weighted_median(answers, weights):
    """The smallest answer of each row that has half of the weight at or below it; `answers` are (n, M).

    >>> weighted_median(np.array([[3.0, 1.0, 2.0]]), np.array([1.0, 1.0, 5.0]))
    array([2.])
    """
    order = np.argsort(answers, axis=1, kind="stable")
    below = np.cumsum(weights[order], axis=1)
    at = (below >= 0.5 * below[:, -1:]).argmax(axis=1)
    rows = np.arange(len(answers))
    return answers[rows, order[rows, at]]
