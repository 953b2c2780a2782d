"""Local likelihood written down plainly, in numpy: weights, a design about x0, Newton's method, the sandwich."""

import numpy as np

KERNELS = {
    "gaussian": lambda u: np.exp(-0.5 * u**2),
    "epanechnikov": lambda u: np.where(u <= 1, 1 - u**2, 0.0),
    "tricube": lambda u: np.where(u <= 1, (1 - np.minimum(u, 1.0) ** 3) ** 3, 0.0),
    "uniform": lambda u: np.where(u <= 1, 1.0, 0.0),
}


def kernel_weights(X, x0, bandwidth, kernel):
    return KERNELS[kernel](np.sqrt(((X - x0) ** 2).sum(axis=1)) / bandwidth)


def expansion(X, x0, degree):
    """1, x - x0 and all products of two of them."""
    Z = X - x0
    columns = [np.ones(len(X))]
    if degree > 0:
        columns += list(Z.T)
    if degree > 1:
        columns += [Z[:, j] * Z[:, l] for j in range(Z.shape[1]) for l in range(j, Z.shape[1])]
    return np.column_stack(columns)


def linear(X, y, x0, bandwidth, kernel, degree, s=None):
    """Coefficients about x0 by an orthogonal decomposition, and the row l(x0) of the smoother."""
    K = kernel_weights(X, x0, bandwidth, kernel)
    root = np.sqrt(K if s is None else K * s)
    Z = expansion(X, x0, degree)
    pseudoinverse = np.linalg.pinv(root[:, None] * Z)
    return pseudoinverse @ (root * y), pseudoinverse[0] * root


def logistic(X, y, x0, bandwidth, kernel, degree, s=None):
    """Coefficients about x0 and their covariance H^-1 J H^-1."""
    K = kernel_weights(X, x0, bandwidth, kernel)
    w = K if s is None else K * s
    Z = expansion(X, x0, degree)
    beta = np.zeros(Z.shape[1])
    for _ in range(60):
        mu = 1 / (1 + np.exp(-Z @ beta))
        H = (Z * (w * mu * (1 - mu))[:, None]).T @ Z
        beta = beta + np.linalg.solve(H, Z.T @ (w * (y - mu)))
    J = (Z * (w * K * mu * (1 - mu))[:, None]).T @ Z
    return beta, np.linalg.inv(H) @ J @ np.linalg.inv(H)
