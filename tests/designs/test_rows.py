"""Rows of a design in compiled loops."""

import numpy as np
import pytest
import scipy.sparse as sp

from separatrix.core.jit import compiled
from separatrix.core.types import Array
from separatrix.core.verbs import row_dot
from separatrix.designs.rows import DenseRows, SparseRows


@compiled
def product_and_square(rows: DenseRows | SparseRows, beta: Array, out: Array) -> None:
    out[0], out[1] = row_dot(rows, 0, beta)


@pytest.mark.parametrize("sparse", [False, True], ids=["dense", "sparse"])
def test_squares_of_rows_in_single_precision_are_summed_in_double(sparse):
    """1e25 can be stored in single precision, and its square cannot."""
    X = np.array([[1e25, 3.0]], np.float32)
    S = sp.csr_array(X)
    rows = SparseRows(S.data, S.indices, S.indptr) if sparse else DenseRows(X)
    out = np.zeros(2)
    product_and_square(rows, np.array([0.0, 2.0]), out)
    np.testing.assert_allclose(out, [6.0, float(X[0, 0]) ** 2 + 9.0], rtol=1e-15)
