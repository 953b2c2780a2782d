"""Squares of columns that are stored by rows, by a loop."""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose

from separatrix.designs import as_design
from separatrix.designs.compiled.products import squares_by_position
from separatrix.designs.sparse import compressed


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_the_loop_squares_columns_as_numpy_does(dtype, monkeypatch):
    X = sp.random_array((60, 9), density=0.3, format="csr", dtype=dtype, rng=np.random.default_rng(0))
    expected = (X.toarray().astype(np.float64) ** 2).sum(axis=0)
    values, positions, _ = compressed(X)
    out = np.zeros(9)
    squares_by_position(values, positions, out)
    assert_allclose(out, expected, rtol=1e-14)
    monkeypatch.setattr("separatrix.designs.sparse.loops_pay", lambda numbers: True)
    assert_allclose(as_design(X).column_squares(), expected, rtol=1e-14)
