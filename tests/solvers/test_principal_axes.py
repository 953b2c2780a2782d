"""The axes are right where squares of X are not, none is overlooked, and iterations stop when they may."""

import mpmath
import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose
from scipy.linalg import eigh

from separatrix.core.errors import NotCertified
from separatrix.decomposition import PCA
from separatrix.designs import as_design
from separatrix.solvers import principal_axes as axes_of
from separatrix.solvers.linalg import leading as eigen
from separatrix.solvers.linalg.leading import krylov, leading, none_greater
from separatrix.solvers.principal_axes import Axes, Sketch, principal_axes, residual, signs

EPS = np.finfo(np.float64).eps


def sketch(steps=None, oversamples=10):
    return Sketch(np.random.RandomState(0), oversamples, steps)


def with_spectrum(values, seed=0):
    """A symmetric matrix with these eigenvalues."""
    Q = np.linalg.qr(np.random.default_rng(seed).normal(size=(len(values), len(values))))[0]
    return (Q * values) @ Q.T


# ------------------------------------------------------------------ eigenvalues of a matrix


@pytest.mark.parametrize("k", [1, 5, 18])
def test_lanczos_finds_what_lapack_finds(k):
    A = with_spectrum(np.linspace(0.0, 1.0, 300) ** 3)
    values, vectors = leading(A, k)
    expected = eigh(A, eigvals_only=True)[::-1]
    assert len(values) == k, "Lanczos was not tried, or its proof failed"
    assert_allclose(values, expected[:k], rtol=1e-13)
    assert_allclose(vectors.T @ vectors, np.eye(k), atol=1e-13)
    assert_allclose(A @ vectors, vectors * values, atol=1e-13)


def test_all_eigenvalues_come_from_lapack():
    A = with_spectrum(np.arange(1.0, 301.0))
    values, vectors = leading(A, 300)
    assert_allclose(values, np.arange(300.0, 0.0, -1.0), rtol=1e-12)
    assert vectors.shape == (300, 300)


def test_an_overlooked_axis_is_noticed():
    values = np.r_[[5.0, 4.0, 3.0], np.full(9, 1.0)]
    A = np.diag(values)
    unit = np.eye(12)
    assert none_greater(A, values[:2], unit[:, :2])
    assert not none_greater(A, values[[0, 2]], unit[:, [0, 2]])
    assert none_greater(A, values[:4], unit[:, :4]), "of equal eigenvalues any will do"


def test_where_lanczos_overlooks_an_axis_lapack_decides(monkeypatch):
    values = np.r_[np.zeros(253), 3.0, 2.0, 9.0]
    shown = slice(253, 255)  # exact eigenvectors, but not the greatest
    scaled = values[shown] / values.sum()
    monkeypatch.setattr("scipy.sparse.linalg.eigsh", lambda A, k, **options: (scaled, np.eye(256)[:, shown]))
    found, vectors = leading(np.diag(values), 2)
    assert_allclose(found[:2], [9.0, 3.0])
    assert_allclose(np.abs(vectors[255, 0]), 1.0)


def test_where_lanczos_does_not_converge_lapack_decides(monkeypatch):
    monkeypatch.setattr(eigen, "LEAST_BASIS", 5)
    A = with_spectrum(1.0 + 1e-4 * np.sin(np.arange(400.0)))
    values, vectors = leading(A, 3)
    assert len(values) == 400
    assert_allclose(A @ vectors, vectors * values[:3], atol=1e-13)


def test_block_krylov_converges_through_restarts():
    A = with_spectrum(1.0 / np.arange(1.0, 501.0))
    start = np.random.default_rng(1).normal(size=(500, 8))
    values, vectors, steps = krylov(lambda W: A @ W, start, 6, 1e-10, 200)
    assert eigen.BLOCKS_KEPT < steps < 60
    assert_allclose(values, 1.0 / np.arange(1.0, 7.0), rtol=1e-12)
    assert np.linalg.norm(A @ vectors - vectors * values, axis=0).max() <= 1e-10
    assert_allclose(vectors.T @ vectors, np.eye(6), atol=1e-12)


def test_block_krylov_ends_in_an_invariant_subspace():
    A = np.diag([4.0, 3.0, 0.0, 0.0, 0.0])
    values, _, steps = krylov(lambda W: A @ W, np.random.default_rng(1).normal(size=(5, 3)), 2, 0.0, 50)
    assert steps < 5
    assert_allclose(values, [4.0, 3.0])


# ------------------------------------------------------------------ signs


def test_the_loading_of_greatest_size_is_positive_and_of_several_the_first():
    half = np.sqrt(0.5)
    V = np.array([[0.6, -half, half, -1.0], [-0.8, half * (1 + 2 * EPS), -half * (1 + 2 * EPS), 0.0]])
    assert signs(V).tolist() == [-1.0, -1.0, 1.0, -1.0]


# ------------------------------------------------------------------ ill-conditioned columns, in many digits


def exact_singular_values(X):
    """Singular values of the centred columns of an integer matrix, in sixty digits."""
    with mpmath.workdps(60):
        M = mpmath.matrix(X.tolist())
        n, p = X.shape
        for j in range(p):
            mean = mpmath.fsum(M[i, j] for i in range(n)) / n
            for i in range(n):
                M[i, j] -= mean
        S = M.T * M if n >= p else M * M.T
        return np.array([float(mpmath.sqrt(abs(v))) for v in sorted(mpmath.eigsy(S, eigvals_only=True), reverse=True)])


POWERS = np.arange(1, 13)[:, None] ** np.arange(1, 7)


@pytest.mark.parametrize("solver", ["auto", "full"])
@pytest.mark.parametrize("wide", [False, True], ids=["tall", "wide"])
def test_small_singular_values_are_right_to_working_precision_of_the_greatest(solver, wide):
    X = POWERS.T if wide else POWERS
    expected = exact_singular_values(X)
    found = principal_axes(as_design(X.astype(np.float64)), 5, solver, sketch())
    assert expected[4] / expected[0] < 1e-6
    assert_allclose(found.singular, expected[:5], rtol=0, atol=8 * EPS * expected[0])


def test_the_squares_of_these_columns_would_lose_them():
    X = as_design(POWERS.astype(np.float64))
    expected = exact_singular_values(POWERS)
    error = {s: abs(principal_axes(X, 6, s, sketch()).singular[-1] - expected[-1]) for s in ("auto", "covariance_eigh")}
    assert error["auto"] <= 8 * EPS * expected[0]
    assert error["covariance_eigh"] > 100 * error["auto"]


@pytest.mark.parametrize("k", [3, 5, 6])  # three can be told from squares, but not what they leave
def test_what_is_left_out_is_right_where_it_is_small(k):
    expected = exact_singular_values(POWERS)
    found = principal_axes(as_design(POWERS.astype(np.float64)), k, "auto", sketch())
    assert_allclose(np.sqrt(found.left_out), np.sqrt((expected[k:] ** 2).sum()), rtol=0, atol=8 * EPS * expected[0])


# ------------------------------------------------------------------ iterations over X


@pytest.mark.parametrize("store", [np.asarray, sp.csr_array, lambda X: X.astype(np.float32)], ids=["64", "csr", "32"])
@pytest.mark.parametrize("wide", [False, True], ids=["tall", "wide"])
def test_a_large_matrix_is_iterated_on_until_certified(store, wide, monkeypatch):
    monkeypatch.setattr(axes_of, "LARGE", 100)
    rng = np.random.default_rng(0)
    X = (rng.normal(size=(300, 120)) * np.linspace(3.0, 0.2, 120) ** 2 + 1.0).astype(np.float32).astype(np.float64)
    X = X.T if wide else X
    found = principal_axes(as_design(store(X)), 4, "auto", sketch())
    assert found.iterated and found.steps > 1
    assert residual(found, as_design(store(X))) <= axes_of.ITERATED
    expected = np.linalg.svd(X - X.mean(axis=0), compute_uv=False)
    assert_allclose(found.singular, expected[:4], rtol=1e-9)
    assert_allclose(found.left_out, (expected[4:] ** 2).sum(), rtol=1e-9)
    assert_allclose(found.vectors.T @ found.vectors, np.eye(4), atol=1e-12)


def test_iterations_that_end_too_soon_are_announced():
    X = np.random.default_rng(0).normal(size=(200, 150))
    with pytest.warns(NotCertified, match="residual"):
        model = PCA(3, svd_solver="randomized", iterated_power=1).fit(X)
    assert model.certificate_.value > 1e-3


def test_many_components_of_a_large_matrix_are_found_directly(monkeypatch):
    monkeypatch.setattr(axes_of, "LARGE", 30)
    found = principal_axes(as_design(np.random.default_rng(0).normal(size=(60, 40))), 35, "auto", sketch())
    assert not found.iterated


# ------------------------------------------------------------------ the certificate


def test_the_certificate_sees_a_wrong_axis():
    X = np.random.default_rng(0).normal(size=(50, 4)) * [4.0, 3.0, 2.0, 1.0]
    right = principal_axes(as_design(X), 2, "auto", sketch())
    turned = np.linalg.qr(right.vectors + 1e-6 * np.eye(4)[:, 2:])[0]
    wrong = Axes(right.mean, right.singular, turned, right.left_out)
    assert residual(right, as_design(X)) < 1e-14
    assert 1e-8 < residual(wrong, as_design(X)) < 1e-4
    dense = X - X.mean(axis=0)
    by_scatter = Axes(right.mean, right.singular, turned, right.left_out, scatter=dense.T @ dense)
    assert_allclose(residual(by_scatter, None), residual(wrong, as_design(X)), rtol=1e-6)


@pytest.mark.parametrize("solver", ["auto", "full", "covariance_eigh", "arpack", "randomized"])
@pytest.mark.parametrize("shape", [(90, 12), (12, 90)], ids=["tall", "wide"])
def test_every_solver_is_certified_by_a_residual(solver, shape):
    X = np.random.default_rng(1).normal(size=shape)
    certificate = PCA(4, svd_solver=solver, random_state=0).fit(X).certificate_
    assert certificate.kind == "residual" and certificate.converged and certificate.value > 0.0
