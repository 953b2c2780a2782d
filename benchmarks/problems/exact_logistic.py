"""Logistic models solved to rounding by Newton's method: the references that no contestant had a hand in.

binary    min  Σ log(1 + exp(-t_i x_i'w)) + ½ Σ_j r_j w_j²            t = 2y - 1;  r_j = 0: no penalty
softmax   min  Σ (log Σ_c exp(η_ic) - η_i,y_i) + |W|²/(2C)            η_i = W'x_i + b, b without penalty
lasso     min  (1/n) Σ log(1 + exp(-t_i x_i'w)) + λ |w|_1

Each step is the exact minimum of the quadratic model (for a sparse design with r > 0: by conjugate gradients; for the
lasso: by feature-sign search, see exact_lasso.py), halved until the objective falls. How exact the outcome is, the
judges of the problems measure by duality gaps.
"""

import numpy as np
from scipy import sparse
from scipy.linalg import cho_factor, cho_solve
from scipy.sparse.linalg import LinearOperator, cg
from scipy.special import expit, logsumexp, softmax

from benchmarks.problems.exact_lasso import exact_lasso

LIMIT = 100  # Newton steps, ten being usual; if it were met, the printed gap of the reference would show it
BLOCK = 20_000  # rows at a time: no second copy of a long design
SMALL = 1e-14  # predicted decrease relative to the objective, after which one more step leaves only rounding
LEAST_CURVATURE = 1e-6  # any positive curvature has the same fixed point


def losses(X, y, beta, intercept=0.0):
    """log(1 + exp(-t η)) of every row."""
    return np.logaddexp(0.0, (1.0 - 2.0 * y) * (X @ beta + intercept))


def binary(X, y, r):
    """w, (p,)"""

    def value(w):
        return _sum(losses(X, y, w)) + 0.5 * float(r @ (w * w))

    def step(w):
        mu = expit(X @ w)
        slope = X.T @ (mu - y) + r * w
        return slope, _solve(X, mu * (1.0 - mu), r, slope)

    return _descend(value, step, np.zeros(X.shape[1]))


def information(X, weights):
    """X' diag(weights) X, by blocks of rows; X dense."""
    total = np.zeros((X.shape[1], X.shape[1]))
    for start in range(0, X.shape[0], BLOCK):
        rows = slice(start, start + BLOCK)
        total += X[rows].T @ (weights[rows, None] * X[rows])
    return total


def _solve(X, weights, r, slope):
    """(X' diag(weights) X + diag(r))⁻¹ slope, the columns brought to one scale first."""
    if sparse.issparse(X):
        scale = X.multiply(X).T @ weights + r
        size = len(slope)
        curve = LinearOperator((size, size), matvec=lambda v: X.T @ (weights * (X @ v)) + r * v, dtype=np.float64)
        return cg(curve, slope, rtol=1e-3, M=sparse.diags(1.0 / scale))[0]
    H = information(X, weights)
    H.flat[:: len(H) + 1] += r
    return _scaled_solve(H, slope)


def _scaled_solve(H, slope):
    root = np.sqrt(np.diag(H))
    return cho_solve(cho_factor(H / root / root[:, None], overwrite_a=True), slope / root) / root


def _descend(value, step, w):
    now = value(w)
    for _ in range(LIMIT):
        slope, d = step(w)
        decrease = float(slope @ d)
        if decrease <= SMALL * now:
            return w - d
        t = 1.0
        while not (after := value(w - t * d)) <= now - 1e-4 * t * decrease:
            t *= 0.5
            if t < 1e-12:
                return w
        w, now = w - t * d, after
    return w


def softmax_losses(X, y, W, b):
    """log Σ_c exp(η_c) - η_y of every row."""
    eta = X @ W + b
    return logsumexp(eta, axis=1) - eta[np.arange(len(y)), y]


def multinomial(X, y, C):
    """W (p, k) and b (k,) for labels 0 … k - 1; X dense."""
    X1 = np.column_stack([np.ones(len(y)), X])
    q, k = X1.shape[1], int(y.max()) + 1
    penalty = np.r_[0.0, np.full(q - 1, 1.0 / C)]

    def value(w):
        W = w.reshape(k, q).T
        return _sum(softmax_losses(X, y, W[1:], W[0])) + 0.5 * float(penalty @ (W * W).sum(axis=1))

    def step(w):
        W = w.reshape(k, q).T
        mu = softmax(X1 @ W, axis=1)
        excess = mu.copy()
        excess[np.arange(len(y)), y] -= 1.0
        slope = (X1.T @ excess + penalty[:, None] * W).T.ravel()
        H = np.empty((k, q, k, q))
        for c in range(k):
            for d in range(c, k):
                H[c, :, d] = H[d, :, c] = information(X1, mu[:, c] * ((c == d) - mu[:, d]))
            H[c, :, c].flat[:: q + 1] += penalty
        # one number added to all intercepts changes nothing: curvature along it, where the slope is zero, is free
        H[:, 0, :, 0] += len(y) / k
        return slope, _scaled_solve(H.reshape(k * q, k * q), slope)

    W = _descend(value, step, np.zeros(k * q)).reshape(k, q).T
    return W[1:], W[0]


def lasso(X, y, lam):
    """w as CSC (p, 1): the lasso of the working response, again and again, until the objective stands still."""

    def value(w):
        return _sum(losses(X, y, w)) / len(y) + lam * float(np.abs(w).sum())

    w = np.zeros(X.shape[1])
    now = value(w)
    for _ in range(LIMIT):
        eta = X @ w
        mu = expit(eta)
        root = np.sqrt(np.maximum(mu * (1.0 - mu), LEAST_CURVATURE))
        weighted = (sparse.diags(root) @ X).tocsc() if sparse.issparse(X) else np.asfortranarray(root[:, None] * X)
        d = exact_lasso(weighted, root * eta + (y - mu) / root, [lam], intercept=False)[0].toarray()[:, 0] - w
        t = 1.0
        while not (after := value(w + t * d)) <= now * (1.0 + SMALL):
            t *= 0.5
        w, settled, now = w + t * d, after >= now, after
        if settled:  # the last full step: it no longer shows in the objective, but it does in the gap
            break
    return sparse.csc_matrix(w[:, None])


def _sum(values):
    return float(np.sum(values, dtype=np.longdouble))
