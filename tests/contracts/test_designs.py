"""Every design answers like a dense copy of itself, whatever its storage, order and precision."""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal

from separatrix.core import registry
from separatrix.core.target import Target
from separatrix.designs import Block, DenseDesign, Moments, SparseDesign, as_design, base, moments

N, P = 37, 5


def matrix(dtype, n=N, p=P, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p)) * (rng.random((n, p)) < 0.6)
    return X.astype(dtype)


STORAGES = {
    "dense C float64": lambda X: np.ascontiguousarray(X, dtype=np.float64),
    "dense F float64": lambda X: np.asfortranarray(X, dtype=np.float64),
    "dense C float32": lambda X: np.ascontiguousarray(X, dtype=np.float32),
    "dense F float32": lambda X: np.asfortranarray(X, dtype=np.float32),
    "dense strided": lambda X: np.repeat(X, 2, axis=1)[:, ::2],
    "csr float64": lambda X: sp.csr_array(X.astype(np.float64)),
    "csc float64": lambda X: sp.csc_array(X.astype(np.float64)),
    "csr float32": lambda X: sp.csr_array(X.astype(np.float32)),
    "csc float32": lambda X: sp.csc_array(X.astype(np.float32)),
    "csr matrix": lambda X: sp.csr_matrix(X.astype(np.float64)),
    "coo": lambda X: sp.coo_array(X.astype(np.float64)),
}

every_storage = pytest.mark.parametrize("store", STORAGES.values(), ids=STORAGES.keys())
any_height = pytest.mark.parametrize("numbers", [1, 7, 64, 1 << 18])


def both(store, **shape):
    """A design, and its numbers in float64."""
    X = matrix(np.float32, **shape)  # exactly representable in either precision
    return as_design(store(X)), X.astype(np.float64)


def dense(B):
    return B.toarray() if sp.issparse(B) else B


def test_every_design_of_the_registry_is_looked_at_here():
    seen = {type(as_design(store(matrix(np.float64)))).__name__ for store in STORAGES.values()}
    in_memory = {n for n, cls in registry.members("design").items() if "rows" in cls.offers}
    assert in_memory <= seen


@every_storage
@pytest.mark.parametrize("outputs", [(), (3,)], ids=["vector", "matrix"])
def test_products_agree_with_a_dense_copy(store, outputs):
    design, X = both(store)
    rng = np.random.default_rng(1)
    beta, r = rng.normal(size=(P, *outputs)), rng.normal(size=(N, *outputs))
    assert (design.n, design.p) == X.shape
    for found, true in ((design.matvec(beta), X @ beta), (design.rmatvec(r), X.T @ r)):
        assert found.dtype == np.float64 and found.shape == true.shape
        assert_allclose(found, true, rtol=1e-13, atol=1e-14)


@every_storage
def test_blocks_columns_and_rows_agree_with_a_dense_copy(store):
    design, X = both(store)
    for rows in (slice(3, 9), slice(0, N), slice(0, N, 5)):
        block = design.block(rows)
        assert block.dtype == np.float64
        assert_array_equal(dense(block), X[rows])
        assert_allclose(block @ np.ones(P), X[rows].sum(axis=1), atol=1e-14)
    J = np.array([4, 0, 2])
    columns = design.columns(J)
    assert isinstance(columns, np.ndarray) and columns.dtype == np.float64 and columns.flags.f_contiguous
    assert_array_equal(columns, X[:, J])
    kept = np.array([5, 1, 30])
    assert_array_equal(dense(design.take(kept).block(slice(0, 3))), X[kept])
    mask = np.arange(N) % 3 == 0
    assert_array_equal(design.take(mask).matvec(np.ones(P)), as_design(store(X[mask])).matvec(np.ones(P)))


@every_storage
def test_columns_are_a_copy(store):
    design, X = both(store)
    design.columns(np.arange(P))[:] = -1.0
    assert_array_equal(dense(design.block(slice(0, N))), X)


@every_storage
def test_column_sums_agree_with_a_dense_copy(store):
    design, X = both(store)
    s = np.linspace(0.0, 2.0, N)
    assert_allclose(design.column_sums(), X.sum(axis=0), rtol=1e-13, atol=1e-13)
    assert_allclose(design.column_sums(s), s @ X, rtol=1e-13, atol=1e-13)
    assert_allclose(design.column_squares(), (X * X).sum(axis=0), rtol=1e-13)
    assert_allclose(design.column_squares(Target(s, s)), s @ (X * X), rtol=1e-13)


@every_storage
@any_height
def test_blocks_cover_every_row_once_and_reduce_sees_them_in_order(store, numbers, monkeypatch):
    monkeypatch.setattr(base, "BLOCK_NUMBERS", numbers)
    design, X = both(store)
    covered = [i for rows in design.blocks() for i in range(N)[rows]]
    assert covered == list(range(N))
    if numbers == 1:
        assert len(design.blocks()) > N // 2
    target, state = Target(np.arange(N), np.ones(N) / 2), np.arange(N) / 4
    seen = design.reduce(
        lambda b, piece: [dense(b.X) @ np.ones(P) + b.y * b.s + piece], lambda a, b: a + b, target, state
    )
    assert_allclose(np.concatenate(seen), X.sum(axis=1) + 0.75 * np.arange(N), atol=1e-13)


def test_a_block_without_weights_has_weights_of_one():
    assert_array_equal(Block(np.zeros((3, 2))).weights, np.ones(3))


def test_dense_float64_blocks_are_views():
    X = matrix(np.float64)
    assert np.shares_memory(DenseDesign(X).block(slice(2, 8)), X)


def test_an_unknown_storage_is_refused_with_a_reason():
    with pytest.raises(TypeError, match="storage is not known"):
        as_design([[1.0, 2.0]])


def test_what_a_design_does_not_offer_is_refused_with_the_alternative(monkeypatch):
    monkeypatch.setattr(SparseDesign, "offers", frozenset({"rows"}))
    message = r"Cannot descend: it needs whole columns and .* SparseDesign does not offer. Use data in memory"
    with pytest.raises(TypeError, match=message):
        SparseDesign(sp.csr_array(np.eye(2))).needs("rows, columns, vectors", "descend")


# ------------------------------------------------------------------ moments


def scatter(X, Y, s, about_mean=True):
    """Moments by their definition, in extended precision."""
    X, Y, s = (np.asarray(a, dtype=np.longdouble) for a in (X, Y, s))
    x, y = (s @ X / s.sum(), s @ Y / s.sum()) if about_mean else (0.0 * X[0], 0.0 * Y[0])
    A, B = X - x, Y - y
    return Moments(s.sum(), x, y, (A * s[:, None]).T @ A, (A * s[:, None]).T @ B, (s[:, None] * B * B).sum(axis=0))


def assert_same_moments(found, true, rtol=1e-12):
    for name in ("total", "x_mean", "y_mean", "xx", "xy", "yy"):
        a, b = np.asarray(getattr(found, name)), np.asarray(getattr(true, name), dtype=np.float64)
        size = np.abs(b).max() if name in ("x_mean", "y_mean", "total") else 0.0
        if name == "xx":  # each product is judged by the spread of its two columns
            size = np.sqrt(np.outer(np.diag(b), np.diag(b)))
        elif name == "xy":
            size = np.sqrt(np.outer(np.diag(true.xx), true.yy)).astype(np.float64)
        assert a.shape == b.shape
        assert np.all(np.abs(a - b) <= rtol * np.maximum(size, np.abs(b)) + 1e-300), name


@every_storage
@any_height
@pytest.mark.parametrize("about_mean", [True, False])
@pytest.mark.parametrize("weighted", [True, False])
def test_moments_are_the_same_for_every_storage_and_block_height(store, numbers, about_mean, weighted, monkeypatch):
    monkeypatch.setattr(base, "BLOCK_NUMBERS", numbers)
    design, X = both(store)
    Y = np.random.default_rng(2).normal(size=(N, 2)) + 3.0
    s = np.random.default_rng(3).integers(0, 4, size=N).astype(float) if weighted else None
    found = moments(design, Target(Y, s), about_mean=about_mean)
    assert_same_moments(found, scatter(X, Y, np.ones(N) if s is None else s, about_mean))


@pytest.mark.parametrize("cut", [1, 10, N - 1])
def test_moments_of_two_parts_merge_to_the_moments_of_the_whole(cut):
    X, Y = matrix(np.float64), np.random.default_rng(2).normal(size=(N, 1))

    def of(rows):
        return moments(DenseDesign(X[rows]), Target(Y[rows]))

    whole = of(slice(0, N))
    assert_same_moments(of(slice(0, cut)).merge(of(slice(cut, N))), whole)
    assert_same_moments(of(slice(cut, N)).merge(of(slice(0, cut))), whole)


def test_merging_is_associative():
    X, Y = matrix(np.float64), np.random.default_rng(2).normal(size=(N, 1))

    def of(a, b):
        return moments(DenseDesign(X[a:b]), Target(Y[a:b]))

    left = of(0, 5).merge(of(5, 20)).merge(of(20, N))
    right = of(0, 5).merge(of(5, 20).merge(of(20, N)))
    assert_same_moments(left, right)


@pytest.mark.parametrize("store", [STORAGES["dense C float64"], STORAGES["csc float64"]], ids=["dense", "sparse"])
def test_a_weight_is_a_repetition(store):
    X, Y = matrix(np.float64), np.random.default_rng(2).normal(size=N)
    s = np.random.default_rng(3).integers(0, 4, size=N)
    weighted = moments(as_design(store(X)), Target(Y, s.astype(float)))
    repeated = moments(as_design(store(np.repeat(X, s, axis=0))), Target(np.repeat(Y, s)))
    assert_same_moments(weighted, repeated)


@pytest.mark.parametrize("store", [STORAGES["dense C float64"], STORAGES["csr float64"]], ids=["dense", "sparse"])
@pytest.mark.parametrize("numbers", [64, 1 << 18])
@pytest.mark.parametrize("mean", [1e3, 1e6, 1e9])
def test_a_mean_far_from_zero_does_not_cancel_the_scatter(store, numbers, mean, monkeypatch):
    monkeypatch.setattr(base, "BLOCK_NUMBERS", numbers)
    X = matrix(np.float64)
    X[:, 1] = mean + np.random.default_rng(4).normal(size=N)
    X[:, 3] = -2.0 * mean + np.random.default_rng(5).normal(size=N)
    Y = mean + np.random.default_rng(6).normal(size=(N, 1))
    s = np.random.default_rng(3).integers(0, 4, size=N).astype(float)
    found = moments(as_design(store(X)), Target(Y, s))
    assert_same_moments(found, scatter(X, Y, s), rtol=1e-11 + 4.0 * np.finfo(float).eps * mean)


def test_blocks_of_no_weight_are_harmless(monkeypatch):
    monkeypatch.setattr(base, "BLOCK_NUMBERS", 2 * P)
    X, Y = matrix(np.float64), np.random.default_rng(2).normal(size=(N, 1))
    s = np.zeros(N)
    s[[0, 7, 20]] = (1.0, 2.0, 0.5)
    assert_same_moments(moments(DenseDesign(X), Target(Y, s)), scatter(X, Y, s))
