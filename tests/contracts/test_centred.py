"""Products of a centred X agree with those of a centred copy, whatever the storage, the shape and the tiles."""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose

from separatrix.designs import as_design, centred
from separatrix.designs.centred import Centred

STORAGES = {
    "C": np.ascontiguousarray,
    "F": np.asfortranarray,
    "float32": lambda X: X.astype(np.float32),
    "csr": sp.csr_array,
    "csc": sp.csc_array,
}
every_storage = pytest.mark.parametrize("store", STORAGES.values(), ids=STORAGES.keys())
every_shape = pytest.mark.parametrize("shape", [(37, 5), (5, 37), (6, 6), (1, 3), (3, 1)], ids=str)
any_tile = pytest.mark.parametrize("numbers", [1, 7, 64, 1 << 19])


@pytest.fixture
def case(store, shape, numbers, monkeypatch):
    monkeypatch.setattr(centred, "BLOCK_NUMBERS", numbers)
    rng = np.random.default_rng(3)
    X = (rng.normal(size=shape) * (rng.random(shape) < 0.7)).astype(np.float32).astype(np.float64)
    mean = rng.normal(size=shape[1])
    stored = store(X)
    before = stored.copy()
    yield Centred(as_design(stored), mean), X - mean
    assert abs(stored - before).max() == 0.0, "X was written to"


@every_storage
@every_shape
@any_tile
def test_products_are_those_of_a_centred_copy(case):
    lazy, X_c = case
    rng = np.random.default_rng(4)
    W, Z = rng.normal(size=(X_c.shape[1], 2)), rng.normal(size=(X_c.shape[0], 2))
    assert_allclose(lazy.times(W), X_c @ W, rtol=0, atol=1e-13)
    assert_allclose(lazy.transposed_times(Z), X_c.T @ Z, rtol=0, atol=1e-13)
    assert_allclose(lazy.outer_gram(), X_c @ X_c.T, rtol=0, atol=1e-13)
    assert_allclose(lazy.squares(), (X_c**2).sum(), rtol=1e-13)
    assert_allclose(lazy.over_rows(lambda B: B.sum(axis=1)), X_c.sum(axis=1), rtol=0, atol=1e-13)


@every_storage
@every_shape
@any_tile
def test_the_triangle_has_the_products_of_the_columns(case):
    lazy, X_c = case
    R = lazy.triangle()
    assert_allclose(np.tril(R, -1), 0.0)
    assert_allclose(R.T @ R, X_c.T @ X_c, rtol=0, atol=1e-12)


def test_means_far_from_zero_cost_no_digit_of_a_dense_matrix():
    rng = np.random.default_rng(5)
    fine = rng.integers(-8, 8, size=(40, 3)).astype(np.float64)
    W = rng.integers(-8, 8, size=(3, 2)).astype(np.float64)
    far = np.array([1e9, -1e12, 3.0])
    assert np.array_equal(Centred(as_design(fine + far), far).times(W), fine @ W)


def test_means_far_from_zero_cost_no_digit_of_the_products_of_sparse_rows():
    rng = np.random.default_rng(5)
    fine = rng.integers(-8, 8, size=(4, 30)).astype(np.float64)
    far = np.full(30, 1e9)
    assert np.array_equal(Centred(as_design(sp.csr_array(fine + far)), far).outer_gram(), fine @ fine.T)


def test_a_wide_sparse_matrix_is_not_made_dense():
    with pytest.raises(TypeError, match="would have to be made dense"):
        Centred(as_design(sp.csr_array((2, 9))), np.zeros(9)).array()
