"""Kernels: what they are, what they are products of, how they combine, and which matrices they can be."""

from fractions import Fraction
from math import comb

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose
from sklearn.metrics.pairwise import cosine_similarity, laplacian_kernel, polynomial_kernel, rbf_kernel, sigmoid_kernel

from separatrix.designs.kernel_matrix import KernelColumns, KernelMatrix, KernelTiles
from separatrix.kernels import (
    Cosine,
    Custom,
    Gaussian,
    Laplacian,
    Linear,
    OfTwoRows,
    Polynomial,
    Product,
    Scaled,
    Sigmoid,
    Sum,
    feature_dimension,
    gram,
    is_psd,
    labelled_gram,
    quadratic_features,
)

# golden case G015
PAIRS = [([1.0, 2.0], [3.0, -1.0]), ([0.5, -1.0], [2.0, 4.0]), ([0.0, 1.0], [1.0, 0.0])]
RNG = np.random.default_rng(0)
X, Z = RNG.standard_normal((20, 3)), RNG.standard_normal((7, 3))
EPS = np.finfo(float).eps
KERNELS = [
    Linear(),
    Polynomial(2, 0.5, 1.0),
    Gaussian(0.3),
    Sigmoid(0.2, 0.1),
    Laplacian(0.3),
    Cosine(),
    OfTwoRows(lambda x, z: float((x @ z.T).sum()) ** 2),
    Sum(Linear(), Gaussian(0.5)),
    Product(Polynomial(2), Gaussian(0.5)),
    Scaled(Gaussian(0.5), 2.0),
]


def value(kernel, x, z):
    return float(gram(kernel, [x], [z])[0, 0])


@pytest.mark.mission("KE-01")
@pytest.mark.mission("KE-05")
@pytest.mark.parametrize("pair, expected", list(zip(PAIRS, [1.0, 9.0, 0.0])))
def test_the_homogeneous_quadratic_kernel_is_the_product_of_its_features(pair, expected):
    x, z = quadratic_features(pair)
    assert value(Polynomial(2), *pair) == expected
    assert x @ z == pytest.approx(expected, abs=64 * EPS)


@pytest.mark.mission("KE-02")
@pytest.mark.parametrize("pair, expected", list(zip(PAIRS, [13.0, 17.0, 0.0])))
def test_without_the_cross_term_the_product_misses_two_times_all_four_numbers(pair, expected):
    x, z = quadratic_features(pair)[:, :2]
    (a, b), (c, d) = pair
    assert x @ z == expected == value(Polynomial(2), *pair) - 2 * a * b * c * d


@pytest.mark.mission("KE-04")
@pytest.mark.mission("KE-05")
@pytest.mark.parametrize("pair, expected", list(zip(PAIRS, [4.0, 4.0, 1.0])))
def test_the_inhomogeneous_quadratic_kernel_is_the_product_of_its_six_features(pair, expected):
    x, z = quadratic_features(pair, coef0=1.0)
    assert len(x) == 6
    assert value(Polynomial(2, coef0=1.0), *pair) == expected
    assert x @ z == pytest.approx(expected, abs=64 * EPS)


@pytest.mark.mission("KE-04")
def test_the_feature_map_holds_for_any_constant_and_any_number_of_columns():
    for p in (1, 2, 5):
        rows = RNG.integers(-4, 5, (6, p))
        for constant in (Fraction(1, 2), Fraction(3)):
            mapped = quadratic_features(rows, coef0=float(constant))
            for i, j in np.ndindex(6, 6):
                exact = (Fraction(int(rows[i] @ rows[j])) + constant) ** 2
                assert mapped[i] @ mapped[j] == pytest.approx(float(exact), abs=1e3 * EPS * (1 + float(exact)))


@pytest.mark.mission("KE-03")
@pytest.mark.mission("KE-06")
def test_the_number_of_features_is_that_of_the_golden_case():
    # golden case G016
    cases = [(2, 2), (10, 5), (3, 4)]
    assert [feature_dimension(p, d, homogeneous=True) for p, d in cases] == [3, 2002, 15]
    assert [feature_dimension(p, d) for p, d in cases] == [6, 3003, 35]
    assert feature_dimension(4, 3) == comb(7, 3)
    assert quadratic_features(np.ones((1, 7)), coef0=1.0).shape[1] == feature_dimension(7, 2)
    assert quadratic_features(np.ones((1, 7))).shape[1] == feature_dimension(7, 2, homogeneous=True)


@pytest.mark.mission("KE-03")
def test_the_rank_of_a_polynomial_kernel_is_the_number_of_its_features():
    rows = RNG.standard_normal((40, 3))
    assert np.linalg.matrix_rank(gram(Polynomial(3), rows)) == feature_dimension(3, 3, homogeneous=True)
    assert np.linalg.matrix_rank(gram(Polynomial(3, coef0=1.0), rows)) == feature_dimension(3, 3)


@pytest.mark.mission("KE-07")
def test_three_ways_to_write_the_gaussian_are_one_kernel():
    # golden case G017: sigma = 2, so that gamma is 1 / (2 sigma²) = 1/8; written with c it is c = 2 sigma² = 8
    assert value(Gaussian(1.0 / (2.0 * 2.0**2)), [0, 0], [1, 2]) == pytest.approx(0.5352614285189903, abs=4 * EPS)
    assert value(Gaussian(1.0 / 8.0), [0, 0], [1, 2]) == pytest.approx(0.5352614285189903, abs=4 * EPS)
    assert value(Gaussian(1.0 / (2.0 * 2.0)), [0, 0], [1, 2]) == pytest.approx(0.2865047968601901, abs=4 * EPS)


@pytest.mark.mission("KE-07")
def test_a_gaussian_of_a_row_with_itself_is_one():
    assert (Gaussian(0.7).diagonal(X) == 1.0).all()
    np.testing.assert_allclose(gram(Gaussian(0.7), X).diagonal(), 1.0, atol=64 * EPS)


@pytest.mark.mission("KE-08")
def test_the_sigmoid_is_no_mercer_kernel_and_a_vector_proves_it():
    # golden case G018, tanh(x z - 1)
    K = gram(Sigmoid(1.0, -1.0), [[0.0], [1.0], [2.0]])
    np.testing.assert_allclose(np.linalg.eigvalsh(K), [-1.269772375, -0.322659316, 1.825892289], atol=1e-8)
    judged = is_psd(K)
    assert not judged and not Sigmoid().is_mercer
    v = judged.witness
    assert v @ K @ v == pytest.approx(-1.269772375, abs=1e-8)


@pytest.mark.mission("KE-11")
@pytest.mark.parametrize("kernel", [k for k in KERNELS if k.is_mercer], ids=lambda kernel: type(kernel).__name__)
def test_a_mercer_kernel_gives_positive_semidefinite_matrices(kernel):
    rows = np.vstack([X, X[:5]])  # equal rows, so that eigenvalues are 0 but for rounding
    judged = is_psd(gram(kernel, rows))
    assert judged and judged.witness is None
    assert -judged.tolerance <= judged.smallest <= judged.tolerance


@pytest.mark.mission("KE-11")
def test_a_small_negative_eigenvalue_is_told_from_rounding():
    K = gram(Gaussian(0.3), X)
    values, V = np.linalg.eigh(K)
    K -= (values[0] + 1e-10) * np.outer(V[:, 0], V[:, 0])
    judged = is_psd((K + K.T) / 2)
    assert not judged
    assert judged.witness @ K @ judged.witness == pytest.approx(-1e-10, rel=1e-3)


def test_what_is_no_kernel_matrix_is_refused():
    with pytest.raises(ValueError, match=r"shape \(2, 3\)"):
        is_psd(np.ones((2, 3)))
    with pytest.raises(ValueError, match=r"not symmetric: K\[0, 1\] is"):
        is_psd([[1.0, 2.0], [1.0, 1.0]])
    with pytest.raises(ValueError, match="NaN"):
        is_psd([[np.nan]])
    with pytest.raises(ValueError, match="positive multiple"):
        Scaled(Linear(), -1.0)
    with pytest.raises(ValueError, match="coef0=-1"):
        quadratic_features([[1.0]], coef0=-1.0)
    with pytest.raises(ValueError, match="-1 or 1"):
        labelled_gram(np.eye(2), [0, 1])
    with pytest.raises(ValueError, match=r"float64 of shape \(1, 2\)|shape \(1, 2\)"):
        Custom(lambda A, B: np.zeros((1, 2))).block(X, Z)
    with pytest.raises(ValueError, match="of two rows it gave nan"):
        gram(OfTwoRows(lambda x, z: np.nan), X)
    with pytest.raises(ValueError, match=r"shape \(3,\)"):
        gram(OfTwoRows(lambda x, z: x), X)


@pytest.mark.mission("KE-12")
def test_the_labelled_matrix_is_that_of_rows_times_labels():
    # golden case G006
    rows, y = np.array([[1.0, 2], [-1, 2], [-1, -2]]), np.array([-1, -1, 1])
    K = gram(Linear(), rows)
    assert K.tolist() == [[5, 3, -5], [3, 5, -3], [-5, -3, 5]]
    assert labelled_gram(K, y).tolist() == [[5, 3, 5], [3, 5, 3], [5, 3, 5]]
    assert (labelled_gram(K, y) == gram(Linear(), y[:, None] * rows)).all()


@pytest.mark.mission("KE-11")
def test_kernels_are_those_of_scikit_learn():
    for ours, theirs in [
        (Polynomial(3, 0.4, 2.0), polynomial_kernel(X, Z, 3, 0.4, 2.0)),
        (Gaussian(0.4), rbf_kernel(X, Z, 0.4)),
        (Sigmoid(0.4, 2.0), sigmoid_kernel(X, Z, 0.4, 2.0)),
        (Laplacian(0.4), laplacian_kernel(X, Z, 0.4)),
        (Cosine(), cosine_similarity(X, Z)),
    ]:
        np.testing.assert_allclose(gram(ours, X, Z), theirs, rtol=1e-12, atol=1e-13)


def test_compositions_are_sums_products_and_multiples_of_values():
    a, b = gram(Linear(), X, Z), gram(Gaussian(0.5), X, Z)
    assert (gram(Sum(Linear(), Gaussian(0.5)), X, Z) == a + b).all()
    assert (gram(Product(Linear(), Gaussian(0.5)), X, Z) == a * b).all()
    assert (gram(Scaled(Gaussian(0.5), 3.0), X, Z) == 3.0 * b).all()
    assert not Sum(Linear(), Sigmoid()).is_mercer and not Product(Sigmoid(), Linear()).is_mercer


@pytest.mark.parametrize("kernel", KERNELS, ids=lambda kernel: type(kernel).__name__)
def test_diagonals_and_sparse_rows_agree_with_the_whole_matrix(kernel):
    K = gram(kernel, X)
    np.testing.assert_allclose(kernel.diagonal(X), K.diagonal(), rtol=1e-12)
    rows = sp.csr_array(X)
    np.testing.assert_allclose(kernel.block(rows, sp.csr_array(Z)), gram(kernel, X, Z), rtol=1e-11, atol=1e-13)
    np.testing.assert_allclose(kernel.diagonal(rows), K.diagonal(), rtol=1e-12)


def test_a_matrix_that_is_factored_still_multiplies():
    rows = RNG.standard_normal((600, 3))  # three tiles
    matrix, A = KernelMatrix.of(Gaussian(0.3), rows), RNG.standard_normal((600, 2))
    K = gram(Gaussian(0.3), rows)
    for shift in (0.5, 2.0):
        assert matrix.cholesky(np.full(600, shift))
        np.testing.assert_allclose(matrix.matvec(A), K @ A, rtol=0, atol=600 * EPS * np.abs(K).sum(1).max())
        np.testing.assert_allclose((K + shift * np.eye(600)) @ matrix.solve(A), A, atol=1e-11)
    assert (matrix.dense() == matrix.dense().T).all()
    np.testing.assert_allclose(matrix.dense(), K, atol=1e-14)
    np.testing.assert_allclose(KernelTiles(Gaussian(0.3), rows).matvec(A), K @ A, atol=1e-11)
    np.testing.assert_allclose(KernelColumns(Gaussian(0.3), rows).column(5), K[:, 5], atol=1e-14)


def test_a_matrix_that_is_not_positive_definite_has_no_factor():
    assert not KernelMatrix.of(Sigmoid(1.0, -1.0), np.array([[0.0], [1.0], [2.0]])).cholesky(np.zeros(3))


def test_columns_are_made_anew_where_there_is_no_room_for_them():
    few = KernelColumns(Gaussian(0.3), X, numbers=40)
    for i in (*range(20), *range(20)):
        np.testing.assert_allclose(few.column(i), gram(Gaussian(0.3), X)[:, i], atol=1e-14)
    assert len(few._kept) <= 3


@pytest.mark.parametrize("far", [1e4, 1e8])
@pytest.mark.parametrize("make", [np.asarray, sp.csr_array], ids=["dense", "sparse"])
def test_a_gaussian_is_the_same_however_far_its_rows_are_from_the_origin(far, make):
    grid = RNG.integers(-8, 8, (30, 3)).astype(float)  # sums with `far` are exact
    assert_allclose(Gaussian(0.05).block(make(grid + far), make(grid[:9] + far)), gram(Gaussian(0.05), grid, grid[:9]))


def test_a_gaussian_tells_apart_near_rows_of_groups_that_are_far_apart():
    grid = RNG.integers(-8, 8, (30, 3)).astype(float)
    groups = np.vstack([grid - 1e8, grid + 1e8])
    assert_allclose(gram(Gaussian(0.05), groups)[:30, :30], gram(Gaussian(0.05), grid), atol=1e-15)


@pytest.mark.parametrize(
    "kernel", [Gaussian(-1.0), Laplacian(-1.0), Polynomial(3, -1.0, 1.0), Polynomial(-1, 1.0, 1.0)]
)
def test_no_kernel_of_a_negative_parameter_claims_to_be_positive_semidefinite(kernel):
    assert not is_psd(gram(kernel, X))
    assert not kernel.is_mercer
