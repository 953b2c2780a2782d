r"""Covariances shrunk towards a multiple of the identity, and how far: the formula of Ledoit and Wolf, by classes.

.. math:: (1 - s) \Sigma + s \mu I, \quad \mu = \mathrm{tr}(\Sigma) / p, \qquad
          s = \frac{\min(b^2, d^2)}{d^2}, \quad d^2 = \|\Sigma - \mu I\|^2, \quad
          b^2 = \frac1{n} \Big( \frac1n \sum_i \|x_i\|^4 - \|\Sigma\|^2 \Big)

of centred rows. From Ledoit and Wolf (2004), J. Multivariate Anal. 88(2). Beyond the covariance it needs one sum over
rows, that of fourth powers of their lengths; weights count as repetitions.
"""

import operator

import numpy as np

from separatrix.core.target import AnyTarget
from separatrix.core.types import Array
from separatrix.designs.base import Block, Design
from separatrix.designs.class_moments import ClassMoments


def ledoit_wolf(moments: ClassMoments, design: Design, target: AnyTarget) -> Array:
    """The share s (k,) for each class of :class:`~separatrix.designs.ClassMoments`, of standardised columns.

    >>> from separatrix.core.target import Target
    >>> from separatrix.designs import DenseDesign, class_moments
    >>> X = np.random.default_rng(0).standard_normal((30, 3)) @ [[1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 0.0, 1.0]]
    >>> design, target = DenseDesign(X), Target(np.repeat([0, 1], 15))
    >>> ledoit_wolf(class_moments(design, target, 2, scatter="each"), design, target).round(3)
    array([0.63 , 0.564])
    """
    k, p = moments.means.shape
    totals = np.maximum(moments.totals, np.finfo(np.float64).tiny)
    scales = _standard_deviations(moments.scatter / totals[:, None, None])

    def task(block: Block) -> Array:
        c = block.y
        Z = (block.X - moments.means[c]) / scales[c]
        fourth = np.einsum("ij,ij->i", Z, Z) ** 2
        return np.bincount(c, fourth if block.s is None else block.s * fourth, minlength=k)

    fourth = design.reduce(task, operator.add, target) / totals
    shares = np.zeros(k)
    if p == 1:
        return shares  # a multiple of the identity already
    for c in range(k):
        C = moments.scatter[c] / totals[c] / np.multiply.outer(scales[c], scales[c])
        square, mu = float((C * C).sum()), float(np.trace(C)) / p
        within, apart = (fourth[c] - square) / totals[c], square - p * mu * mu
        shares[c] = min(within, apart) / apart if within > 0.0 and apart > 0.0 else 0.0
    return shares


def shrunk(matrices: Array, shares: Array | float, *, standardised: bool = False) -> Array:
    """Covariances (k, p, p) shrunk by shares, (k,) or one number; if `standardised`, in units of their columns."""
    k, p, _ = matrices.shape
    scales = _standard_deviations(matrices) if standardised else np.ones((k, p))
    units = scales[:, :, None] * scales[:, None, :]
    shares = np.broadcast_to(np.asarray(shares, dtype=np.float64), k)[:, None, None]
    C = matrices / units
    mu = np.trace(C, axis1=1, axis2=2)[:, None, None] / p
    return ((1.0 - shares) * C + shares * mu * np.eye(p)) * units


def _standard_deviations(matrices: Array) -> Array:
    """Of each column and class (k, p); 1 where a column is constant."""
    deviations = np.sqrt(np.einsum("kjj->kj", matrices).clip(min=0.0))
    return np.where(deviations > 0.0, deviations, 1.0)
