"""Counts, means and scatters of classes against their definitions, in any order, about any point."""

import sys
from fractions import Fraction

import numpy as np
import pytest

from separatrix.core.target import Target
from separatrix.designs import DenseDesign, base, class_moments
from separatrix.solvers.linalg.scatter import class_factor, within_factor

KINDS = ("pooled", "each", "diagonal")


def data(seed=0, n=4001, p=6, k=4, far=0.0):
    rng = np.random.default_rng(seed)
    codes = rng.choice(k, n, p=np.arange(1, k + 1) / (k * (k + 1) / 2))
    X = rng.standard_normal((n, p)) * np.logspace(-3, 3, p) + rng.standard_normal((k, p))[codes] + far
    return X, codes


def by_definition(X, codes, k, s=None):
    s = np.ones(len(X)) if s is None else s
    totals = np.array([s[codes == c].sum() for c in range(k)])
    means = np.array([np.average(X[codes == c], axis=0, weights=s[codes == c]) for c in range(k)])
    Z = X - means[codes]
    each = np.array([(Z[codes == c].T * s[codes == c]) @ Z[codes == c] for c in range(k)])
    return totals, means, {"each": each, "pooled": each.sum(0), "diagonal": np.einsum("kjj->kj", each)}


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("kind, small", [*((kind, 1 << 16) for kind in KINDS), ("diagonal", 0)])
def test_moments_are_those_of_the_definition(kind, small, weighted, monkeypatch):
    monkeypatch.setattr(sys.modules["separatrix.designs.class_moments"], "SMALL_LOOP", small)
    monkeypatch.setattr(base, "BLOCK_NUMBERS", 900)  # many blocks, some of which miss a class
    X, codes = data()
    s = np.random.default_rng(1).integers(0, 4, len(X)).astype(float) if weighted else None
    found = class_moments(DenseDesign(X), Target(codes, s), 4, scatter=kind)
    totals, means, scatter = by_definition(X, codes, 4, s)
    size = np.abs(scatter[kind]).max()
    np.testing.assert_allclose(found.totals, totals, rtol=1e-14)
    np.testing.assert_allclose(found.means, means, rtol=1e-12, atol=1e-13 * np.abs(means).max())
    np.testing.assert_allclose(found.scatter, scatter[kind], rtol=1e-11, atol=1e-13 * size)


@pytest.mark.parametrize("kind", KINDS)
def test_a_mean_of_a_million_standard_deviations_costs_no_digits_of_the_scatter(kind):
    X, codes = data(n=300, p=2, k=2)
    X = np.round(X * 1024) / 1024 + 2.0**30 * (1 + codes[:, None])  # exact in binary
    found = class_moments(DenseDesign(X), Target(codes), 2, scatter=kind)
    exact = []
    for c in range(2):
        rows = [[Fraction(v) for v in row] for row in X[codes == c].tolist()]
        mean = [sum(column) / len(rows) for column in zip(*rows, strict=True)]
        exact.append([[float(sum((r[a] - mean[a]) * (r[b] - mean[b]) for r in rows)) for a in (0, 1)] for b in (0, 1)])
    exact = np.array(exact)
    wanted = {"each": exact, "pooled": exact.sum(0), "diagonal": np.einsum("kjj->kj", exact)}[kind]
    np.testing.assert_allclose(found.scatter, wanted, rtol=1e-9)


@pytest.mark.parametrize("kind", KINDS)
def test_storage_order_threads_and_shuffling_do_not_show(kind, monkeypatch):
    X, codes = data()
    found = class_moments(DenseDesign(X), Target(codes), 4, scatter=kind)
    order = np.random.default_rng(2).permutation(len(X))
    monkeypatch.setenv("SEPARATRIX_THREADS", "3")
    other = class_moments(DenseDesign(np.asfortranarray(X[order])), Target(codes[order]), 4, scatter=kind)
    np.testing.assert_allclose(other.scatter, found.scatter, atol=1e-12 * np.abs(found.scatter).max())
    np.testing.assert_allclose(other.means, found.means, atol=1e-13 * np.abs(found.means).max())


@pytest.mark.parametrize("kind", KINDS)
def test_float32_rows_are_summed_in_float64(kind):
    X, codes = data()
    single = X.astype(np.float32)
    found = class_moments(DenseDesign(single), Target(codes), 4, scatter=kind)
    wanted = class_moments(DenseDesign(single.astype(np.float64)), Target(codes), 4, scatter=kind)
    np.testing.assert_allclose(found.scatter, wanted.scatter, rtol=1e-14, atol=0)


@pytest.mark.parametrize("k", [3, 40])
def test_a_class_without_rows_has_nothing(k):
    X, codes = data(k=2)
    for kind in KINDS:
        found = class_moments(DenseDesign(X + 1e6), Target(codes), k, scatter=kind)
        assert not found.totals[2:].any()
        assert not found.means[2:].any()
    np.testing.assert_allclose(found.total, len(X))


def test_within_and_between_make_up_the_total_scatter():
    X, codes = data()
    found = class_moments(DenseDesign(X), Target(codes), 4)
    total = np.cov(X.T, ddof=0) * len(X)
    np.testing.assert_allclose(found.scatter + found.between, total, atol=1e-12 * np.abs(total).max())


@pytest.mark.parametrize("kind", KINDS)
def test_not_a_number_is_refused_by_name(kind):
    X, codes = data()
    X[17, 3] = np.nan
    with pytest.raises(ValueError, match="NaN"):
        class_moments(DenseDesign(X), Target(codes), 4, scatter=kind)


def test_factors_whiten_what_they_factor():
    X, codes = data(p=5)
    design = DenseDesign(X)
    found = class_moments(design, Target(codes), 4, scatter="each")
    factor = within_factor(found, design, Target(codes))
    W = factor.whitener()
    np.testing.assert_allclose(W.T @ found.pooled.scatter @ W, np.eye(5), atol=1e-12)
    np.testing.assert_allclose(factor.log_determinant, np.linalg.slogdet(found.pooled.scatter)[1], rtol=1e-12)
    one = class_factor(found, 2, design, Target(codes), int((codes == 2).sum()))
    np.testing.assert_allclose(one.whitener().T @ found.scatter[2] @ one.whitener(), np.eye(5), atol=1e-12)


def test_constant_and_repeated_columns_are_left_out_by_name():
    X, codes = data(p=3)
    X = np.column_stack([X, np.full(len(X), 0.1), X[:, 0] + 2.0 * X[:, 1], codes / 3.0])
    design = DenseDesign(X)
    factor = within_factor(class_moments(design, Target(codes), 4), design, Target(codes))
    assert sorted(factor.constant) == [3, 5]
    assert len(factor.kept) == 3
    assert set(factor.aliased) <= {0, 1, 4}


def test_only_constant_columns_leave_nothing():
    design, codes = DenseDesign(np.ones((6, 2))), np.array([0, 0, 0, 1, 1, 1])
    factor = within_factor(class_moments(design, Target(codes), 2), design, Target(codes))
    assert len(factor.kept) == 0
    assert factor.whitener().shape == (2, 0)
