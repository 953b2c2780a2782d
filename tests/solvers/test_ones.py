"""Products by lists of ones held against plain products."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from separatrix.solvers.contrastive_divergence import SMALL, SPARSE, ContrastiveDivergence, Machine, Ones, Rule


def rows(m, p, share, dtype=np.float64):
    return (np.random.default_rng(0).random((m, p)) < share).astype(dtype)


def test_lists_hold_the_ones_by_rows_and_by_columns():
    V = rows(120, 150, 0.2)
    V[3], V[:, 7] = 0.0, 0.0
    ones = Ones.of(V)
    for i, row in enumerate(V):
        assert_array_equal(ones.places[ones.starts[i] : ones.starts[i + 1]], np.flatnonzero(row))
    for j, column in enumerate(V.T):
        assert_array_equal(ones.turned[ones.turned_starts[j] : ones.turned_starts[j + 1]], np.flatnonzero(column))


def test_small_dense_and_other_rows_have_no_lists():
    assert Ones.of(rows(10, 10, 0.1)) is None and SMALL > 100
    assert Ones.of(rows(120, 150, SPARSE + 0.1)) is None
    for value in (0.5, -1.0, 2.0):
        V = rows(120, 150, 0.1)
        V[-1, -1] = value
        assert Ones.of(V) is None


@pytest.mark.parametrize("momentum", [0.0, 0.5])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_step_by_lists_is_the_step_by_products(dtype, momentum, monkeypatch):
    V, rng = rows(130, 140, 0.15, dtype), np.random.default_rng(1)
    W, b = rng.normal(0.0, 0.05, (60, 140)).astype(dtype), np.full(140, -2.0, dtype=dtype)
    steps = []
    for small in (SMALL, V.size + 1):
        monkeypatch.setattr("separatrix.solvers.contrastive_divergence.SMALL", small)
        machine = Machine(np.array(W, order="F"), b.copy(), np.zeros(60, dtype=dtype))
        cd = ContrastiveDivergence(machine, np.zeros((130, 60), dtype=dtype), Rule(0.1, 1, True, momentum), 3)
        assert (Ones.of(V) is None) == (small > V.size)
        cd.step(V)
        steps.append(machine)
    listed, multiplied = steps
    for one, other in zip(listed, multiplied):
        assert_allclose(one, other, atol=200 * np.finfo(dtype).eps)
    assert not np.array_equal(listed.weights, W)
