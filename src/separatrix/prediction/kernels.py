r"""The arithmetic of a sum of kernels, :math:`f(x) = \sum_i a_i\,k(x_i, x) + b`.

A fitted model keeps its kernel as ``kernel_``: one of :mod:`separatrix.kernels`, or the :class:`Recipe` that a model
file gives in its place. ``X_fit_`` and ``dual_coef_`` are the rows and their coefficients.
"""

from typing import NamedTuple

import numpy as np

from separatrix.prediction import linear
from separatrix.prediction.storage import dense

NUMBERS = 1 << 20  # kernel values at a time
# Above this γ|x|² products of rows lose more than four digits of a Gaussian, and distances are made of differences.
FAR = 1e4


class Recipe(NamedTuple):
    """A kernel as plain data: the name of its class, and its parameters."""

    name: str
    parameters: dict


def taken_apart(kernel):
    """The name and the parameters of a kernel.

    >>> from separatrix.kernels import Gaussian
    >>> taken_apart(Gaussian(gamma=0.5))
    Recipe(name='Gaussian', parameters={'gamma': 0.5})
    """
    return kernel if isinstance(kernel, Recipe) else Recipe(type(kernel).__name__, dict(vars(kernel)))


def serves(kernel):
    """Whether a kernel is computed here: no matrix, and no function of a user's."""
    if isinstance(kernel, str):
        return False
    name, parameters = taken_apart(kernel)
    return name in _KERNELS and all(serves(parameters[part]) for part in _PARTS.get(name, ()))


def sums(state, X):
    """``Σ_i a_i k(x_i, x) + b`` of every row of X: (n,), or (n, k) of several outputs.

    >>> rows, row = np.array([[1.0], [2.0]]), np.array([[3.0]])
    >>> sums({"kernel_": Recipe("Linear", {}), "X_fit_": rows, "dual_coef_": np.array([1.0, 1.0])}, row)
    array([9.])
    """
    rows, coefficients = state["X_fit_"], state["dual_coef_"]
    live = np.flatnonzero(coefficients.reshape(rows.shape[0], -1).any(axis=1))
    coefficients = coefficients[live]
    fitted = np.empty((X.shape[0], *coefficients.shape[1:]))
    for piece, K in tiles(state["kernel_"], X, rows[live]):
        fitted[piece] = K @ coefficients
    return fitted + state.get("intercept_", 0.0)


def class_scores(state, X):
    """Sums of kernels for classes: (n,) for two (positive for the second), else (n, k)."""
    return linear.in_one_dimension(sums({**state, "dual_coef_": state["dual_coef_"].T}, X))


def class_of(state, X):
    """The class that the sums decide for."""
    return linear.decide(class_scores(state, X), state["classes_"])


def tiles(kernel, X, Z):
    """``k(x_i, z_j)`` of some of the rows of X at a time: their places and (rows, len Z) values."""
    values, height = against(kernel, Z), max(1, NUMBERS // max(Z.shape[0], 1))
    for start in range(0, X.shape[0], height):
        piece = slice(start, start + height)
        yield piece, values(X[piece].astype(np.float64))


def against(kernel, Z):
    """A function of rows X: the values ``k(x_i, z_j)`` (len X, len Z). What is made of Z alone is made once."""
    name, parameters = taken_apart(kernel)
    return _KERNELS[name](Z.astype(np.float64), **parameters)


def _products(X, Z):
    return dense(X @ Z.T)


def _squares(X):
    if isinstance(X, np.ndarray):
        return np.einsum("ij,ij->i", X, X)
    return np.asarray(X.multiply(X).sum(axis=1)).ravel()


def _linear(Z):
    return lambda X: _products(X, Z)


def _polynomial(Z, degree, gamma, coef0):
    return lambda X: (gamma * _products(X, Z) + coef0) ** degree


def _sigmoid(Z, gamma, coef0):
    return lambda X: np.tanh(gamma * _products(X, Z) + coef0)


def _gaussian(Z, gamma):
    is_shifted = isinstance(Z, np.ndarray) and len(Z) > 0
    origin = Z.mean(axis=0) if is_shifted else 0.0  # a shift changes no distance, and saves digits
    Z = Z - origin if is_shifted else Z
    other = _squares(Z)

    def values(X):
        X = dense(X) - origin if is_shifted else X
        mine = _squares(X)
        if gamma * max(mine.max(initial=0.0), other.max(initial=0.0)) > FAR:
            return np.exp(-gamma * squared_distances(X, Z))
        K = _products(X, Z)
        K *= 2.0 * gamma
        K -= (gamma * mine)[:, None]
        K -= gamma * other
        np.minimum(K, 0.0, out=K)
        return np.exp(K, out=K)

    return values


def squared_distances(X, Z):
    """``|x_i - z_j|²`` from differences, which lose no digits however long the rows are: (len X, len Z)."""
    X, Z = dense(X), dense(Z)
    squares = np.zeros((len(X), len(Z)))
    for j in range(X.shape[1]):
        squares += (X[:, [j]] - Z[:, j]) ** 2
    return squares


def _laplacian(Z, gamma):
    Z = dense(Z)

    def values(X):
        X = dense(X)
        distances = np.zeros((len(X), len(Z)))
        for j in range(X.shape[1]):
            distances += np.abs(X[:, [j]] - Z[:, j])
        return np.exp(-gamma * distances)

    return values


def _cosine(Z):
    right = _inverse_lengths(Z)
    return lambda X: _inverse_lengths(X)[:, None] * _products(X, Z) * right


def _inverse_lengths(X):
    lengths = np.sqrt(_squares(X))
    return np.divide(1.0, lengths, out=np.zeros_like(lengths), where=lengths > 0.0)


def _sum(Z, left, right):
    one, other = against(left, Z), against(right, Z)
    return lambda X: one(X) + other(X)


def _product(Z, left, right):
    one, other = against(left, Z), against(right, Z)
    return lambda X: one(X) * other(X)


def _scaled(Z, kernel, factor):
    values = against(kernel, Z)
    return lambda X: factor * values(X)


_KERNELS = {
    "Linear": _linear,
    "Polynomial": _polynomial,
    "Gaussian": _gaussian,
    "Sigmoid": _sigmoid,
    "Laplacian": _laplacian,
    "Cosine": _cosine,
    "Sum": _sum,
    "Product": _product,
    "Scaled": _scaled,
}
# Parameters of kernels that are kernels.
_PARTS = {"Sum": ("left", "right"), "Product": ("left", "right"), "Scaled": ("kernel",)}
