r"""Ledoit and Wolf's shrinkage of covariances within classes, by sums over rows.

.. math:: \hat\Sigma = \sum_k \frac{N_k}{N} D_k \bigl((1 - \delta_k) R_k + \delta_k \mu_k I\bigr) D_k, \qquad
          \delta_k = \frac{\min(\beta_k, d_k)}{d_k}

with the correlations :math:`R_k` and standard deviations :math:`D_k` of class k, :math:`\mu_k = \mathrm{tr} R_k / p`,
:math:`d_k = \|R_k - \mu_k I\|^2 / p` and :math:`\beta_k` the mean of :math:`\|z_i z_i^\top - R_k\|^2 / (p N_k)` over
its standardised rows. Given the moments of the classes, this takes one more read of the rows, for
:math:`\sum_i \|z_i\|^4`. From Ledoit and Wolf (2004), J. Multivariate Analysis 88(2), section 3.2.
"""

import operator

import numpy as np


def ledoit_wolf_within(found, design, codes, s=None):
    """The mean (p, p) of the shrunken covariances of the classes; `found` holds the scatter of each class.

    >>> import numpy as np
    >>> from separatrix.designs import DenseDesign, class_moments
    >>> X, codes = np.array([[0.0, 1.0], [2.0, 1.5], [4.0, 2.0], [1.0, 3.0], [1.0, 1.0]]), np.array([0, 0, 0, 1, 1])
    >>> design = DenseDesign(X)
    >>> ledoit_wolf_within(class_moments(design, codes, 2, scatter="each"), design, codes).round(6)
    array([[1.6     , 0.266667],
           [0.266667, 0.5     ]])
    """
    k, p = found.means.shape
    covariances = found.scatter / found.totals[:, None, None]
    sd = np.sqrt(np.einsum("kjj->kj", covariances))
    sd[sd == 0.0] = 1.0

    def quartic(B, c, weights):
        Z = (B - found.means[c]) / sd[c]
        q = np.einsum("ij,ij->i", Z, Z) ** 2
        return np.bincount(c, q if weights is None else weights * q, minlength=k)

    quartics = design.reduce(quartic, operator.add, codes, s)
    total = np.zeros((p, p))
    for covariance, d, q, N in zip(covariances, sd, quartics, found.totals):
        R = covariance / np.outer(d, d)
        squares, mu = (R * R).sum(), np.trace(R) / p
        distance = (squares - p * mu * mu) / p
        noise = min((q / N - squares) / (p * N), distance)
        shrinkage = noise / distance if noise > 0.0 else 0.0
        R *= 1.0 - shrinkage
        R[np.diag_indices(p)] += shrinkage * mu
        total += N / found.total * R * np.outer(d, d)
    return total
