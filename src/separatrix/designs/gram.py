r"""Matrices of kernel values: whether they are positive semidefinite, and rows times labels."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.linalg import eigh

from separatrix.core.errors import cannot
from separatrix.core.types import Array
from separatrix.designs.kernels import Kernel

EPS = float(np.finfo(np.float64).eps)
TILE = 1 << 20  # entries compared at a time


@dataclass(frozen=True, eq=False)
class Definiteness:
    """Whether a symmetric matrix is positive semidefinite; true or false in an ``if``.

    Attributes
    ----------
    is_psd : bool.  Whether no eigenvalue is below ``-tolerance``.
    smallest, largest : float.  The smallest eigenvalue, and the largest in size.
    tolerance : float.  What rounding may take from an eigenvalue that is 0: n ε times the largest.
    witness : (n,) array or None.  Of a matrix that is not: v of length 1 with ``v'Kv = smallest < 0``.
    """

    is_psd: bool
    smallest: float
    largest: float
    tolerance: float
    witness: Array | None

    def __bool__(self) -> bool:
        return self.is_psd


def is_psd(K: ArrayLike) -> Definiteness:
    r"""Whether :math:`v'Kv \ge 0` for every v, to within the rounding of K and of its eigenvalues.

    Parameters
    ----------
    K : (n, n) array.  Symmetric to within rounding.

    Returns
    -------
    Definiteness.  True or false, with the smallest eigenvalue, and a v that proves it where it is negative.

    >>> bool(is_psd([[2.0, 1.0], [1.0, 2.0]]))
    True
    >>> judged = is_psd([[0.0, 1.0], [1.0, 0.0]])
    >>> bool(judged), round(judged.smallest, 12)
    (False, -1.0)
    """
    K = checked_gram(K)
    values, V = eigh(K)
    largest = float(np.abs(values).max(initial=0.0))
    # the eigenvalues are those of a matrix within about n eps |K| of K, whose own entries are rounded
    tolerance = 2.0 * len(K) * EPS * largest
    smallest = float(values[0]) if len(values) else 0.0
    psd = smallest >= -tolerance
    return Definiteness(psd, smallest, largest, tolerance, None if psd else V[:, 0])


def checked_gram(K: ArrayLike) -> Array:
    """A square, symmetric and finite matrix as float64; anything else is refused."""
    K = np.asarray(K)
    precision = np.finfo(K.dtype).eps if K.dtype.kind == "f" else EPS
    K = np.asarray(K, dtype=np.float64)
    if K.ndim == 2 and K.shape[0] == K.shape[1] and not np.isfinite(K).all():
        raise cannot("use a kernel matrix", because="it holds NaN or infinity", instead="finite numbers")
    refuse_asymmetric(K, precision)
    return K


def refuse_asymmetric(K: Array, precision: float = EPS) -> float:
    """Refuse a matrix that no kernel gives: not square, or not symmetric to half of the digits of its precision.

    Products of rows that were summed in different orders may differ by so much, where terms cancel. Returns the largest
    difference of an entry from that on the other side of the diagonal.
    """
    if K.ndim != 2 or K.shape[0] != K.shape[1]:
        raise cannot(
            f"use a kernel matrix of shape {K.shape}",
            because="it has a row and a column for each row of the data",
            instead="a square matrix of kernel values, kernel(X, X)",
        )
    most = np.sqrt(precision) * float(np.abs(K).max(initial=0.0))
    height, worst = max(1, TILE // max(len(K), 1)), 0.0
    for i in range(0, len(K), height):
        off = np.abs(K[i : i + height] - K[:, i : i + height].T)
        worst = max(worst, float(off.max(initial=0.0)))
        if worst > most:
            a, b = np.unravel_index(int(off.argmax()), off.shape)
            raise cannot(
                "use a kernel matrix that is not symmetric",
                because=f"K[{i + a}, {b}] is {K[i + a, b]:g}, and K[{b}, {i + a}] is {K[b, i + a]:g}",
                instead="the kernel of each row with each row, or (K + K.T) / 2 if that is what is meant",
            )
    return worst


def gram(kernel: Kernel, X: Any, Z: Any = None) -> Array:
    """``k(x_i, z_j)`` of all rows of X and Z, or of X with itself.

    >>> from separatrix.designs.kernels import Linear
    >>> gram(Linear(), np.array([[1.0, 2.0], [-1.0, 2.0]]))
    array([[5., 3.],
           [3., 5.]])
    """
    X = np.asarray(X, dtype=np.float64)
    return kernel.block(X, X if Z is None else np.asarray(Z, dtype=np.float64))


def labelled_gram(K: ArrayLike, y: ArrayLike) -> Array:
    """``y_i y_j K_ij``: the matrix of products of rows times their labels, for labels of -1 and 1.

    >>> labelled_gram([[5.0, -5.0], [-5.0, 5.0]], [-1, 1])
    array([[5., 5.],
           [5., 5.]])
    """
    K, y = np.asarray(K, dtype=np.float64), np.asarray(y, dtype=np.float64)
    if K.shape != (len(y), len(y)) or not np.isin(y, (-1.0, 1.0)).all():
        raise cannot(
            f"label a kernel matrix of shape {K.shape} by {len(y)} labels",
            because="a row has one label, -1 or 1",
            instead=f"labels of shape ({K.shape[0]},)",
        )
    return y[:, None] * K * y
