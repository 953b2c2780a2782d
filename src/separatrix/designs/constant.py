"""A design with one more column, which is constant: for an intercept that is a coefficient like any other."""

import numpy as np
import scipy.sparse as sp

from separatrix.core.errors import cannot
from separatrix.designs.base import Design
from separatrix.designs.make import as_design


def with_constant(design: Design, value: float) -> Design:
    """The columns of a design in memory and, last, a column of `value`.

    >>> with_constant(as_design(np.eye(2)), 3.0).matvec(np.array([1.0, 1.0, 1.0]))
    array([4., 4.])
    """
    if design.is_streamed:
        raise cannot(
            "append a constant column to a stream",
            because="its rows are read one block at a time",
            instead="an intercept that is not penalised, or data in memory",
        )
    X = design.matrix()
    column = np.full((design.n, 1), value, dtype=design.dtype)
    if sp.issparse(X):
        return as_design(sp.hstack([X, sp.csr_array(column)], format=X.format, dtype=design.dtype))
    appended = np.concatenate([X, column], axis=1)
    return as_design(np.asfortranarray(appended) if X.flags.f_contiguous else np.ascontiguousarray(appended))
