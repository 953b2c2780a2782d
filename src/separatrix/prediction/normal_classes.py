r"""The arithmetic of normal classes: Mahalanobis distances by a sphering map of each class."""

import numpy as np

from separatrix.core.blocks import short_blocks
from separatrix.prediction.posteriors import logarithm


def log_densities(means, maps, log_determinants):
    """A function from a block of rows (n, p) to ``log P(x | C_c)`` (n, k), one product with each map (p, q).

    >>> of_rows = log_densities(np.zeros((1, 1)), [np.eye(1)], np.zeros(1))
    >>> of_rows(np.array([[0.0], [2.0]])).round(4)
    array([[-0.9189],
           [-2.9189]])
    """
    centre = means.mean(axis=0)
    shifts = [(m - centre) @ W for m, W in zip(means, maps, strict=True)]
    constants = log_determinants + maps[0].shape[1] * np.log(2.0 * np.pi)

    def of_rows(B):
        B = B - centre
        densities = np.empty((len(B), len(maps)))
        for c, W in enumerate(maps):
            Z = B @ W
            Z -= shifts[c]
            densities[:, c] = -0.5 * (np.einsum("ij,ij->i", Z, Z) + constants[c])
        return densities

    return of_rows


def log_shares(state):
    """``log P(C_k)`` (k,)."""
    return logarithm(state["priors_"].astype(np.float64))


def log_joint(state, X):
    """``log P(x, C_k)`` (n, k)."""
    spheres = state["_spheres"].state
    of_rows = log_densities(spheres["means"], spheres["maps"], spheres["log_determinants"])
    densities = [of_rows(X[rows]) for rows in short_blocks(*X.shape)]
    return np.concatenate([np.empty((0, len(spheres["means"]))), *densities]) + log_shares(state)
