"""Laws of principal components: what rotations, shifts, units and the order of rows do, and that nothing does better.

Tolerances: an axis is known to ``eps λ_1 / gap``; the spectra drawn here have gaps of at least a tenth of λ_1.
"""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from separatrix.decomposition import PCA

SHAPES = st.sampled_from([(30, 4), (9, 3), (4, 12), (7, 7)])
seeds = st.integers(0, 2**32 - 1)


def draw(shape, seed):
    """Rows whose covariance has well separated eigenvalues, and the generator that made them."""
    rng = np.random.default_rng(seed)
    n, p = shape
    rank = min(n - 1, p)
    U = rng.normal(size=(n, rank))
    U = np.linalg.qr(U - U.mean(axis=0))[0]
    V = np.linalg.qr(rng.normal(size=(p, rank)))[0]
    return (U * np.sqrt(np.linspace(rank, 1.0, rank))) @ V.T + rng.normal(size=p), rng


def same_axes(found, expected):
    """Equal up to sign: loadings of nearly equal size may exchange the lead."""
    products = np.abs((found * expected).sum(axis=1))
    assert_allclose(products, 1.0, atol=1e-12)


@pytest.mark.mission("PR-01")
@settings(max_examples=30, deadline=None)
@given(SHAPES, seeds)
def test_no_direction_has_more_variance_than_the_first(shape, seed):
    X, rng = draw(shape, seed)
    pca = PCA(1).fit(X)
    S = np.cov(X.T)
    directions = rng.normal(size=(200, shape[1]))
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    variances = np.einsum("ij,jk,ik->i", directions, S, directions)
    u = pca.components_[0]
    assert_allclose(u @ S @ u, pca.explained_variance_[0], rtol=1e-12)
    assert variances.max() <= pca.explained_variance_[0] * (1.0 + 1e-12)


@pytest.mark.mission("PR-02")
@settings(max_examples=30, deadline=None)
@given(SHAPES, seeds)
def test_variances_of_the_coordinates_are_the_eigenvalues_and_they_do_not_correlate(shape, seed):
    X, _ = draw(shape, seed)
    pca = PCA().fit(X)
    Z = pca.transform(X)
    assert_allclose(Z.mean(axis=0), 0.0, atol=1e-13)
    assert_allclose(np.cov(Z.T), np.diag(pca.explained_variance_), atol=1e-13)
    expected = np.linalg.eigvalsh(np.cov(X.T))[::-1][: min(shape)]
    assert_allclose(pca.explained_variance_, expected, atol=1e-13)


@pytest.mark.mission("PR-03")
@settings(max_examples=30, deadline=None)
@given(SHAPES, st.integers(1, 3), seeds)
def test_no_subspace_captures_more_variance_than_the_leading_axes(shape, k, seed):
    X, rng = draw(shape, seed)
    pca = PCA(k).fit(X)
    S = np.cov(X.T)
    captured = np.trace(pca.components_ @ S @ pca.components_.T)
    assert_allclose(captured, pca.explained_variance_.sum(), rtol=1e-12)
    for nearness in (1.0, 1e-2, 1e-4):  # anywhere, and close by
        for _ in range(20):
            Q = np.linalg.qr(pca.components_.T + nearness * rng.normal(size=(shape[1], k)))[0]
            assert np.trace(Q.T @ S @ Q) <= captured * (1.0 + 1e-12)


@settings(max_examples=30, deadline=None)
@given(SHAPES, seeds)
def test_the_order_of_the_rows_does_not_matter(shape, seed):
    X, rng = draw(shape, seed)
    k = min(shape[0] - 1, shape[1])
    a, b = PCA(k).fit(X), PCA(k).fit(rng.permutation(X))
    assert_allclose(b.components_, a.components_, atol=1e-12)
    assert_allclose(b.explained_variance_, a.explained_variance_, rtol=1e-12)


@settings(max_examples=30, deadline=None)
@given(SHAPES, seeds)
def test_a_shift_moves_the_mean_alone(shape, seed):
    X, rng = draw(shape, seed)
    X = np.round(X * 2**20) / 2**20  # so that shifted rows are exact
    shift = rng.integers(-1000, 1000, size=shape[1]).astype(np.float64)
    k = min(shape[0] - 1, shape[1])
    a, b = PCA(k).fit(X), PCA(k).fit(X + shift)
    assert_allclose(b.mean_, a.mean_ + shift, rtol=1e-14, atol=1e-13)
    same_axes(b.components_, a.components_)
    assert_allclose(b.explained_variance_, a.explained_variance_, rtol=1e-11)


@settings(max_examples=30, deadline=None)
@given(SHAPES, seeds)
def test_a_rotation_of_the_rows_rotates_the_axes(shape, seed):
    X, rng = draw(shape, seed)
    Q = np.linalg.qr(rng.normal(size=(shape[1], shape[1])))[0]
    k = min(shape[0] - 1, shape[1])
    a, b = PCA(k).fit(X), PCA(k).fit(X @ Q)
    same_axes(b.components_, a.components_ @ Q)
    assert_allclose(b.explained_variance_, a.explained_variance_, rtol=1e-12)
    assert_allclose(np.abs(b.transform(X @ Q)), np.abs(a.transform(X)), atol=1e-12)


@settings(max_examples=20, deadline=None)
@given(SHAPES, seeds, st.sampled_from([2.0**-300, 2.0**-10, 2.0**400]))
def test_other_units_scale_the_variances(shape, seed, unit):
    X, _ = draw(shape, seed)
    a, b = PCA(2).fit(X), PCA(2).fit(unit * X)
    assert_allclose(b.components_, a.components_, atol=1e-12)
    assert 0.0 < b.certificate_.value < 1e-13
    assert_allclose(b.singular_values_, unit * a.singular_values_, rtol=1e-12)
    assert_allclose(b.explained_variance_ratio_, a.explained_variance_ratio_, rtol=1e-12)


@settings(max_examples=15, deadline=None)
@given(SHAPES, seeds)
def test_every_row_twice_changes_only_the_denominator(shape, seed):
    X, _ = draw(shape, seed)
    n = shape[0]
    k = min(n - 1, shape[1])
    a, b = PCA(k).fit(X), PCA(k).fit(np.vstack([X, X]))
    same_axes(b.components_, a.components_)
    assert_allclose(b.explained_variance_ * (2 * n - 1), 2.0 * a.explained_variance_ * (n - 1), rtol=1e-12)
