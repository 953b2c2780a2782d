"""Sphering maps: what is certified is seen to fail, and singular matrices are seen to be so."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from separatrix.core.target import Target
from separatrix.designs import DenseDesign, class_moments
from separatrix.solvers.linalg.class_spheres import class_spectra, class_spheres
from separatrix.solvers.linalg.scatter import class_factor, matrix_factor, within_factor


def spheres_and_covariances(p, n=400, k=3):
    rng = np.random.default_rng(0)
    X, codes = rng.standard_normal((n, p)) @ rng.standard_normal((p, p)), np.arange(n) % k
    design = DenseDesign(X)
    found = class_moments(design, Target(codes), k, scatter="each")
    factors = [class_factor(found, c, design, Target(codes), int((codes == c).sum())) for c in range(k)]
    pooled = within_factor(found, design, Target(codes))
    covariances = found.scatter / found.totals[:, None, None]
    return found, factors, pooled, covariances


@pytest.mark.parametrize("p", [5, 64, 80])
def test_a_residual_is_about_the_frobenius_norm_of_what_is_wrong(p):
    found, factors, _, covariances = spheres_and_covariances(p)
    spheres = class_spheres(found.means, factors, found.totals, None)
    assert max(spheres.residual(c, C) for c, C in enumerate(covariances)) < 1e-9
    spheres.maps[1][:, 0] *= 1.01
    W = spheres.maps[1]
    wrong = np.linalg.norm(W.T @ covariances[1] @ W - np.eye(p))
    assert_allclose(spheres.residual(1, covariances[1]), wrong, rtol=0.5 if p > 64 else 1e-6)
    assert spheres.residual(0, covariances[0]) < 1e-9


@pytest.mark.parametrize("weighted", [False, True])
def test_rows_tell_the_residual_of_a_covariance_that_cannot_be_formed(weighted):
    rng = np.random.default_rng(1)
    X, codes = rng.standard_normal((300, 3)), np.arange(300) % 2
    X[:, 2] = X[:, 0] + X[:, 1] + 1e-7 * X[:, 2]
    s = rng.integers(1, 4, 300).astype(float) if weighted else None
    design = DenseDesign(X)
    found = class_moments(design, Target(codes, s), 2, scatter="each")
    factors = [class_factor(found, c, design, Target(codes, s), int((codes == c).sum())) for c in range(2)]
    spheres = class_spheres(found.means, factors, found.totals, None)
    share = 1.0 / found.totals[1]
    assert spheres.residual(1, found.scatter[1] * share) > 1e-6
    assert spheres.residual_of_rows(1, design, Target(codes, s), share, 0.0) < 1e-7
    assert spheres.residual_of_rows(1, design, Target(codes, s), 0.9 * share, 0.0) > 1e-2
    whole = spheres.residual_of_rows(1, design, Target(codes, s), 0.0, 1.0 / found.total)
    W = spheres.maps[1]
    Z = (X - found.means[codes]) @ W
    exact = np.linalg.norm((Z.T * (1.0 if s is None else s)) @ Z / found.total - np.eye(3))
    assert_allclose(whole, exact, rtol=1e-6)


def test_spectra_make_pooled_and_own_covariances_diagonal_together():
    found, factors, pooled, covariances = spheres_and_covariances(6)
    spectra = class_spectra(found.means, factors, found.totals, pooled, found.total)
    whole = found.pooled.scatter / found.total
    for c, B in enumerate(spectra.bases):
        assert_allclose(B.T @ whole @ B, np.eye(6), atol=1e-11)
        assert_allclose(B.T @ covariances[c] @ B, np.diag(spectra.variances[c]), atol=1e-11)
    assert_allclose(spectra.log_determinant, np.linalg.slogdet(whole)[1], rtol=1e-12)


@pytest.mark.parametrize("rank", [0, 1, 3, 5])
def test_the_rank_of_a_matrix_is_found_whatever_the_units(rank):
    rng = np.random.default_rng(rank)
    root = rng.standard_normal((rank, 5)) * np.logspace(-4, 4, 5)
    factor = matrix_factor(root.T @ root)
    assert len(factor.kept) == rank
    Z = factor.root()
    size = np.sqrt(np.maximum(np.diag(root.T @ root), 1e-300))
    assert_allclose(Z.T @ Z / np.outer(size, size), root.T @ root / np.outer(size, size), atol=1e-12)
