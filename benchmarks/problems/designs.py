"""Seeded designs, targets, labels and classes: correlated Gaussian columns, 0/1 columns, text-like sparse rows."""

import numpy as np
from scipy import sparse
from scipy.special import expit

SIGNAL_TO_NOISE = 3.0


def autoregressive(rows, columns, rng, order, rho=0.6):
    """Gaussian columns with ``corr(x_j, x_k) = rho^|j-k|``; `rho` may be an array, one for each row."""
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


def class_codes(rows, classes, rng):
    """0 … K - 1 in random order, in shares that fall evenly from 1.4/K to 0.6/K."""
    ends = np.round(np.cumsum(np.linspace(1.4, 0.6, classes)) / classes * rows)
    return rng.permutation(np.searchsorted(ends, np.arange(rows), side="right"))


def gaussian_classes(codes, columns, rng, rhos, distance=3.0):
    """Gaussian rows in C order, class c with the correlations ``rhos[c]^|j-k|``.

    Class means are drawn so that two of them are about `distance` Mahalanobis units apart if rho is 0.3: the inverse of
    such a matrix has the trace 1.2 p, and the difference of two means twice the variance of one.
    """
    X = autoregressive(len(codes), columns, rng, order="C", rho=np.asarray(rhos)[codes])
    means = rng.standard_normal((len(rhos), columns)) * distance / np.sqrt(2.4 * columns)
    for c, mean in enumerate(means):
        X[codes == c] += mean
    return X


def binary_classes(codes, columns, rng, distance=3.0):
    """0/1 columns in C order (as floats) whose log-odds depend on the class, each by as much as keeps classes apart."""
    classes = codes.max() + 1
    spread = distance / np.sqrt(0.36 * columns)  # twice the variance of a typical column, 0.18
    chances = expit(rng.standard_normal(columns) - 1.0 + spread * rng.standard_normal((classes, columns)))
    X = np.empty((len(codes), columns))
    for j in range(columns):
        X[:, j] = rng.random(len(codes)) < chances[codes, j]
    return X


def word_counts(codes, columns, rng, words=100, spread=0.15):
    """A CSR matrix of counts: `words` words a row, power-law columns, log-popularities that differ by class."""
    classes, words = codes.max() + 1, min(words, columns)
    popularity = rng.permutation(1.0 / (np.arange(columns) + 10.0) ** 1.1)
    drawn = np.empty((len(codes), words), dtype=np.int64)
    for c in range(classes):
        ceiling = np.cumsum(popularity * np.exp(spread * rng.standard_normal(columns)))
        of_class = codes == c
        drawn[of_class] = np.searchsorted(ceiling, rng.random((of_class.sum(), words)) * ceiling[-1])
    starts = np.arange(0, drawn.size + 1, words)
    counts = sparse.csr_matrix((np.ones(drawn.size), drawn.ravel(), starts), (len(codes), columns))
    counts.sum_duplicates()
    return counts


def _signal(X, rng):
    columns = X.shape[1]
    size = max(5, min(100, columns // 10))
    if sparse.issparse(X):  # words that occur, or there is no signal
        used = np.argsort(-np.diff(X.tocsc().indptr), kind="stable")[: 4 * size]
        used = rng.choice(used, size, replace=False)
    else:
        used = rng.choice(columns, size, replace=False)
    return X[:, np.sort(used)] @ rng.standard_normal(size)
