r"""Whether a hard margin exists: a hyperplane in the feature space of a kernel that separates two classes strictly.

Without one the dual of a hard margin is unbounded. Of the linear kernel the columns of X are the coordinates; of any
other kernel the matrix ``K = L L'`` gives coordinates L, up to rounding. Where K has full rank every labelling is
separated. The proof is that of :mod:`separatrix.solvers.separation`.
"""

from typing import Any

import numpy as np

from separatrix.core.problem import Problem
from separatrix.core.target import Target
from separatrix.core.types import Array
from separatrix.designs import as_design
from separatrix.losses import Logistic
from separatrix.penalties import NoPenalty
from separatrix.solvers.separation.existence import Separation, separation_of

MOST_ROWS = 3000  # of a matrix whose eigenvectors are computed
EPS = np.finfo(np.float64).eps


def separation_in(gram: Any, X: Any, labels: Array) -> Separation | None:
    """The proof that labels (n,) of 0 and 1 are separated or not; None where K has full rank, or is large.

    X are the coordinates of a linear kernel, None for any other.
    """
    if X is None:
        if gram.n > MOST_ROWS:
            return None
        X = coordinates(gram)
        if X.shape[1] == gram.n:
            return None
    return separation_of(Problem(as_design(X), Target(labels.astype(np.float64)), Logistic(), NoPenalty()))


def coordinates(gram: Any) -> Array:
    """L (n, rank) with ``K = L L'`` up to rounding."""
    values, vectors = np.linalg.eigh(gram.block(np.arange(gram.n)))
    kept = values > gram.n * EPS * max(float(values[-1]), 0.0)
    return np.ascontiguousarray(vectors[:, kept] * np.sqrt(values[kept]))
