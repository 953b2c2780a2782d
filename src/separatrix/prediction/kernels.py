r"""The arithmetic of a sum of kernels, :math:`f(x) = \sum_i a_i\,k(x_i, x) + b`.

``kernel`` (a name of scikit-learn), ``gamma``, ``degree`` and ``coef0`` are the parameters of the model, and ``gamma_``
the width that was chosen, if one was. ``X_fit_`` and ``dual_coef_`` are its rows and their coefficients. ``gamma=None``
is one over the number of columns.
"""

import numpy as np

from separatrix.prediction import linear
from separatrix.prediction.storage import dense

NUMBERS = 1 << 20  # kernel values at a time
# Above this γ|x|² products of rows lose more than four digits of a Gaussian, and distances are made of differences.
FAR = 1e4


def serves(state):
    """Whether the kernel of a model is computed here: one of those below, by its name."""
    return isinstance(state["kernel"], str) and state["kernel"] in _KERNELS


def sums(state, X):
    """``Σ_i a_i k(x_i, x) + b`` of every row of X: (n,), or (n, k) of several outputs.

    >>> rows, row = np.array([[1.0], [2.0]]), np.array([[3.0]])
    >>> sums({"kernel": "linear", "gamma": None, "X_fit_": rows, "dual_coef_": np.array([1.0, 1.0])}, row)
    array([9.])
    """
    rows, coefficients = state["X_fit_"], state["dual_coef_"]
    live = np.flatnonzero(coefficients.reshape(rows.shape[0], -1).any(axis=1))
    rows, coefficients = rows[live], coefficients[live]
    height = max(1, NUMBERS // max(rows.shape[0], 1))
    parts = [kernel_values(state, X[i : i + height], rows) @ coefficients for i in range(0, X.shape[0], height)]
    fitted = np.concatenate(parts) if parts else np.zeros((0, *coefficients.shape[1:]))
    return fitted + state.get("intercept_", 0.0)


def class_scores(state, X):
    """Sums of kernels for classes: (n,) for two (positive for the second), else (n, k)."""
    return linear.in_one_dimension(sums({**state, "dual_coef_": state["dual_coef_"].T}, X))


def class_of(state, X):
    """The class that the sums decide for."""
    return linear.decide(class_scores(state, X), state["classes_"])


def kernel_values(state, X, Z):
    """``k(x_i, z_j)`` for rows of X and Z: (len X, len Z)."""
    gamma = state.get("gamma_", state.get("gamma"))
    gamma = 1.0 / Z.shape[1] if gamma is None else gamma
    degree = 3 if state.get("degree") is None else state["degree"]
    coef0 = 1 if state.get("coef0") is None else state["coef0"]
    return _KERNELS[state["kernel"]](X.astype(np.float64), Z.astype(np.float64), gamma, degree, coef0)


def _products(X, Z):
    return dense(X @ Z.T)


def _squares(X):
    if isinstance(X, np.ndarray):
        return np.einsum("ij,ij->i", X, X)
    return np.asarray(X.multiply(X).sum(axis=1)).ravel()


def _linear(X, Z, gamma, degree, coef0):
    return _products(X, Z)


def _polynomial(X, Z, gamma, degree, coef0):
    return (gamma * _products(X, Z) + coef0) ** degree


def _gaussian(X, Z, gamma, degree, coef0):
    if isinstance(X, np.ndarray) and isinstance(Z, np.ndarray) and len(Z):
        origin = Z.mean(axis=0)  # a shift changes no distance, and saves digits
        X, Z = X - origin, Z - origin
    mine, other = _squares(X), _squares(Z)
    if gamma * max(mine.max(initial=0.0), other.max(initial=0.0)) > FAR:
        return np.exp(-gamma * squared_distances(X, Z))
    K = _products(X, Z)
    K *= 2.0 * gamma
    K -= (gamma * mine)[:, None]
    K -= gamma * other
    np.minimum(K, 0.0, out=K)
    return np.exp(K, out=K)


def squared_distances(X, Z):
    """``|x_i - z_j|²`` from differences, which lose no digits however long the rows are: (len X, len Z)."""
    X, Z = dense(X), dense(Z)
    squares = np.zeros((len(X), len(Z)))
    for j in range(X.shape[1]):
        squares += (X[:, [j]] - Z[:, j]) ** 2
    return squares


def _sigmoid(X, Z, gamma, degree, coef0):
    return np.tanh(gamma * _products(X, Z) + coef0)


def _laplacian(X, Z, gamma, degree, coef0):
    X, Z = dense(X), dense(Z)
    distances = np.zeros((len(X), len(Z)))
    for j in range(X.shape[1]):
        distances += np.abs(X[:, [j]] - Z[:, j])
    return np.exp(-gamma * distances)


def _cosine(X, Z, gamma, degree, coef0):
    lengths = [np.sqrt(_squares(rows)) for rows in (X, Z)]
    left, right = (np.divide(1.0, each, out=np.zeros_like(each), where=each > 0.0) for each in lengths)
    return left[:, None] * _products(X, Z) * right


_KERNELS = {
    "linear": _linear,
    "poly": _polynomial,
    "polynomial": _polynomial,
    "rbf": _gaussian,
    "sigmoid": _sigmoid,
    "laplacian": _laplacian,
    "cosine": _cosine,
}
