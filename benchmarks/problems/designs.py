"""Seeded designs, targets and labels: correlated Gaussian columns, and text-like sparse rows."""

import numpy as np
from scipy import sparse
from scipy.special import expit

SIGNAL_TO_NOISE = 3.0


def autoregressive(rows, columns, rng, order, rho=0.6):
    """Gaussian columns with ``corr(x_j, x_k) = rho^|j-k|``."""
    X = np.empty((rows, columns), order=order)
    last = rng.standard_normal(rows)
    X[:, 0] = last
    for j in range(1, columns):
        last = rho * last + np.sqrt(1.0 - rho**2) * rng.standard_normal(rows)
        X[:, j] = last
    return X


def equicorrelated(rows, columns, rng, rho=0.99):
    """Gaussian columns of which every two have the correlation `rho`, in C order."""
    X = np.sqrt(1.0 - rho) * rng.standard_normal((rows, columns))
    X += np.sqrt(rho) * rng.standard_normal((rows, 1))
    return X


def text_like(rows, columns, rng, words=100):
    """A CSC matrix like tf-idf of short texts: power-law columns, about `words` words a row, rows of unit length."""
    popularity = 1.0 / (np.arange(columns) + 10.0) ** 1.1
    ceiling = np.cumsum(popularity[rng.permutation(columns)])
    words = min(words, columns)
    drawn = np.searchsorted(ceiling, rng.random(rows * words) * ceiling[-1])
    counts = sparse.csr_matrix((np.ones(rows * words), (np.repeat(np.arange(rows), words), drawn)), (rows, columns))
    counts.sum_duplicates()
    documents = np.bincount(counts.indices, minlength=columns)
    counts.data = (1.0 + np.log(counts.data)) * np.log((1.0 + rows) / (1.0 + documents[counts.indices]) + 1.0)
    lengths = np.sqrt(counts.multiply(counts).sum(axis=1)).A1
    return (sparse.diags(1.0 / lengths) @ counts).tocsc()


def sparse_target(X, rng, centre):
    """``y = centre + X beta + noise`` with at most 100 columns in use and a signal-to-noise ratio of three."""
    signal = _signal(X, rng)
    noise = rng.standard_normal(X.shape[0]) * np.std(signal) / np.sqrt(SIGNAL_TO_NOISE)
    return centre + signal + noise


def labels(X, rng, spread=2.0, centre=0.0):
    """0 or 1 with log-odds ``centre + X beta``, of standard deviation `spread`, at most 100 columns in use."""
    signal = _signal(X, rng)
    return (rng.random(X.shape[0]) < expit(centre + spread * signal / np.std(signal))).astype(np.int64)


def _signal(X, rng):
    columns = X.shape[1]
    size = max(5, min(100, columns // 10))
    if sparse.issparse(X):  # words that occur, or there is no signal
        used = np.argsort(-np.diff(X.tocsc().indptr), kind="stable")[: 4 * size]
        used = rng.choice(used, size, replace=False)
    else:
        used = rng.choice(columns, size, replace=False)
    return X[:, np.sort(used)] @ rng.standard_normal(size)
