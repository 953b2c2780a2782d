"""Counts of classes against their definitions, whatever holds X, in any order, on any number of threads."""

import numpy as np
import pytest
import scipy.sparse as sp

from separatrix.core.target import Target
from separatrix.designs import as_design, base, category_counts, class_counts, product
from separatrix.designs.class_counts import first_outside
from separatrix.designs.compiled import class_counts as loops

STORAGES = {
    "rows": lambda X: X,
    "columns": np.asfortranarray,
    "float32": lambda X: X.astype(np.float32),
    "csr": sp.csr_array,
    "csc": sp.csc_array,
    "csc float32": lambda X: sp.csc_array(X.astype(np.float32)),
}


def data(n=3001, p=7, k=4, seed=0):
    rng = np.random.default_rng(seed)
    return rng.poisson(0.7, (n, p)).astype(float), rng.integers(0, k, n)


def by_definition(X, codes, k, s=None):
    s = np.ones(len(X)) if s is None else s
    return np.array([(s[codes == c, None] * X[codes == c]).sum(axis=0) for c in range(k)])


@pytest.fixture(params=[1, 3])
def threads(request, monkeypatch):
    monkeypatch.setenv("SEPARATRIX_THREADS", str(request.param))
    monkeypatch.setattr(base, "BLOCK_NUMBERS", 900)
    monkeypatch.setattr(base, "SMALLEST_PART", 1)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("threshold", [None, 0.0, 1.0])
@pytest.mark.parametrize("storage", STORAGES)
def test_counts_are_those_of_the_definition(storage, threshold, weighted, threads):
    X, codes = data(p=40)
    s = np.random.default_rng(1).integers(0, 4, len(X)).astype(float) if weighted else None
    found = class_counts(as_design(STORAGES[storage](X)), Target(codes, s), 4, threshold=threshold)
    counted = X if threshold is None else np.greater(X, threshold).astype(float)
    np.testing.assert_array_equal(found.sums, by_definition(counted, codes, 4, s))  # sums of whole numbers are exact
    np.testing.assert_array_equal(found.totals, np.bincount(codes, s))


@pytest.mark.parametrize("storage", STORAGES)
def test_the_product_is_that_of_what_is_above_the_threshold(storage, threads):
    X, _ = data()
    W = np.random.default_rng(2).standard_normal((X.shape[1], 3))
    design = as_design(STORAGES[storage](X))
    np.testing.assert_allclose(product(design, W), X @ W, atol=1e-13)
    np.testing.assert_allclose(product(design, W, 1.0), (X > 1.0) @ W, atol=1e-13)


def test_a_threshold_is_rounded_as_the_numbers_are():
    X = np.array([[0.1], [0.2]], dtype=np.float32)
    for hold in (np.asarray, sp.csr_array, sp.csc_array):
        design = as_design(hold(X))
        assert class_counts(design, Target(np.array([0, 1])), 2, threshold=0.1).sums.ravel().tolist() == [0.0, 1.0]
        assert product(design, np.ones((1, 1)), 0.1).ravel().tolist() == [0.0, 1.0]


def test_two_halves_of_one_entry_are_one_number():
    X = sp.coo_array(([0.6, 0.6, 1.0], ([0, 0, 1], [0, 0, 1])), shape=(2, 2))
    for format in ("csr", "csc"):
        split = getattr(sp, f"{format}_array")((2, 2))
        ends = [0, 2, 3]
        split = type(split)((X.data, X.coords[1] if format == "csr" else X.coords[0], ends), shape=(2, 2))
        design = as_design(split)
        assert class_counts(design, Target(np.array([0, 1])), 2, threshold=1.0).sums.tolist() == [
            [1.0, 0.0],
            [0.0, 0.0],
        ]
        assert product(design, np.ones((2, 1)), 1.0).ravel().tolist() == [1.0, 0.0]
        assert design.X.nnz == 3  # the user's matrix is left as it is


@pytest.mark.parametrize("hold", [np.asarray, sp.csr_array, sp.csc_array])
def test_numbers_outside_are_noticed_and_found(hold):
    X, codes = data()
    design = as_design(hold(X))
    assert class_counts(design, Target(codes), 4, low=0.0) is not None
    assert first_outside(design, 0.0, np.inf) is None
    X[2000, 5] = -2.0
    X[2500, 3] = -3.0
    design = as_design(hold(X))
    assert class_counts(design, Target(codes), 4, low=0.0) is None
    assert first_outside(design, 0.0, np.inf) == (3, -3.0)


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("threshold", [None, 0.0])
def test_what_is_no_number_is_refused_by_name(bad, threshold, threads):
    X, codes = data()
    X[1777, 6] = bad
    with pytest.raises(ValueError, match="Input X contains"):
        class_counts(as_design(X), Target(codes), 4, threshold=threshold)


def test_many_columns_make_few_partial_sums():
    design = as_design(sp.random_array((5000, 50_000), density=4e-3, rng=0, format="csr"))
    assert (len(design.parts()), len(design.parts(20))) == (2, 1)
    assert len(as_design(np.zeros((4000, 784))).parts(10)) == 16


@pytest.mark.parametrize("weighted", [False, True])
def test_categories_are_counted_one_by_one(weighted, threads):
    X, codes = data()
    s = np.random.default_rng(1).integers(0, 4, len(X)).astype(float) if weighted else None
    weights = np.ones(len(X)) if s is None else s
    found = category_counts(as_design(X), Target(codes, s), 4)
    for j, table in enumerate(found.tables):
        for c in range(4):
            for v in range(table.shape[1]):
                assert table[c, v] == weights[(codes == c) & (X[:, j] == v)].sum()
    assert found.sizes.tolist() == (X[weights > 0].max(axis=0) + 1).tolist()


def test_merged_counts_of_categories_are_those_of_all_rows():
    X, codes = data()
    whole = category_counts(as_design(X), Target(codes), 4)
    low = X.max(axis=1) < 2  # a first part that lacks some categories
    merged = category_counts(as_design(X[low]), Target(codes[low]), 4).merge(
        category_counts(as_design(X[~low]), Target(codes[~low]), 4)
    )
    for mine, theirs in zip(merged.tables, whole.tables, strict=True):
        np.testing.assert_array_equal(mine, theirs)


def test_loops_give_what_they_give_as_plain_python():
    X, codes = data(n=40)
    s, S = np.random.default_rng(3).random(40), sp.csr_array(X)
    T = sp.csc_array(X)
    for weights in (np.ones(1), s):
        for loop, given in (
            (loops.class_ones, (X, codes, weights, 1.0)),
            (loops.class_totals, (X, codes, weights, 0.0, 1.0)),
            (loops.class_totals_by_rows, (S.data, S.indices, S.indptr, 3, 31, codes, weights)),
            (loops.class_totals_by_columns, (T.data, T.indices, T.indptr, 1, 6, codes, weights)),
            (loops.category_totals, (X, codes, weights, 9 * np.arange(7))),
        ):
            fast, slow = np.zeros((4, 63)), np.zeros((4, 63))
            assert loop(*given, fast) == loop.py_func(*given, slow)
            np.testing.assert_allclose(fast, slow, rtol=1e-15)
            assert fast.any()
