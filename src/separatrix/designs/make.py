"""From what a user holds to a design."""

from typing import Any

import numpy as np
import scipy.sparse as sp

from separatrix.core.errors import cannot
from separatrix.designs.base import Design
from separatrix.designs.dense import DenseDesign
from separatrix.designs.sparse import SparseDesign


def as_design(X: Any) -> Design:
    """Wrap a validated array, sparse array or design; designs pass through."""
    if isinstance(X, Design):
        return X
    if sp.issparse(X):
        return SparseDesign(X if X.format in ("csr", "csc") else X.tocsc())
    if isinstance(X, np.ndarray) and X.ndim == 2:
        return DenseDesign(X)
    raise cannot(
        f"make a design of {type(X).__name__}",
        because="its storage is not known",
        instead="a two-dimensional numpy array or a scipy sparse array",
        kind=TypeError,
    )
