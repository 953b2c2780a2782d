"""What a good hour with numpy gives: the yardstick, not a package."""

import numpy as np
from scipy.linalg import cho_factor, cho_solve

from benchmarks.contestant import Answer, Contestant

BLOCK = 10_000


def fit_ridge(data, settings):
    """The normal equations on the smaller side: means, Gram matrix, solve."""
    X, y, alpha = data.X, data.y, settings["alpha"]
    n, p = X.shape
    means, centre = X.mean(axis=0), y.mean()
    if p <= n:
        gram = X.T @ X - n * np.outer(means, means)
        gram.flat[:: p + 1] += alpha
        beta = cho_solve(cho_factor(gram, overwrite_a=True), X.T @ (y - centre))
    else:
        kernel = _centred_kernel(X, means)
        kernel.flat[:: n + 1] += alpha
        a = cho_solve(cho_factor(kernel, overwrite_a=True), y - centre)
        beta = X.T @ (a - a.mean())
    return Answer(beta, centre - means @ beta)


def fit_ridge_cv(data, settings):
    """Leave-one-out at every λ from one eigendecomposition of the smaller side."""
    X, y, alphas = data.X, data.y, np.asarray(settings["alphas"])
    n, p = X.shape
    means, centre = X.mean(axis=0), y.mean()
    yc = y - centre
    if p <= n:
        d, V = np.linalg.eigh(X.T @ X - n * np.outer(means, means))
        projected, shift = V.T @ (X.T @ yc), means @ V
        errors = np.zeros(len(alphas))
        for start in range(0, n, BLOCK):
            rows = slice(start, start + BLOCK)
            errors += _squared_errors(X[rows] @ V - shift, yc[rows], projected, d, alphas, n)
        best = alphas[np.argmin(errors)]
        beta = V @ (projected / (d + best))
    else:
        kernel = _centred_kernel(X, means)
        d, U = np.linalg.eigh(kernel)
        d = np.maximum(d, 0.0)
        scores = U * np.sqrt(d)
        best = alphas[np.argmin(_squared_errors(scores, yc, scores.T @ yc, d, alphas, n))]
        a = U @ ((U.T @ yc) / (d + best))
        beta = X.T @ (a - a.mean())
    return Answer(beta, centre - means @ beta, alpha=float(best))


def _squared_errors(T, yc, projected, d, alphas, n):
    shrink = 1.0 / (d[:, None] + alphas)
    r = yc[:, None] - T @ (projected[:, None] * shrink)
    return np.sum((r / (1.0 - 1.0 / n - (T * T) @ shrink)) ** 2, axis=0)


def _centred_kernel(X, means):
    product = X @ means
    return X @ X.T - product[:, None] - product + means @ means


CONTESTANTS = {
    "ols": [Contestant("by hand", "numpy", fit_ridge)],
    "ridge": [Contestant("by hand", "numpy", fit_ridge)],
    "ridgecv": [Contestant("by hand", "numpy", fit_ridge_cv)],
}
