"""Monomials: scikit-learn's columns and names, exact roundings, powers alone, and the feature map of a kernel."""

from fractions import Fraction
from math import prod

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.preprocessing import PolynomialFeatures as TheirPolynomialFeatures

from separatrix.preprocessing import PolynomialFeatures

SETTINGS = [
    {"degree": 2},
    {"degree": 3, "include_bias": False},
    {"degree": 3, "interaction_only": True},
    {"degree": 5, "interaction_only": True},  # more factors than features
    {"degree": (2, 4)},
    {"degree": (2, 2), "include_bias": False},
    {"degree": (0, 1)},
    {"degree": 0},
    {"degree": (3, 3), "interaction_only": True, "include_bias": False},
]


def _exact(X, powers):
    """Every monomial as a fraction, rounded once."""
    return np.array(
        [[float(prod(Fraction(float(v)) ** int(a) for v, a in zip(row, alpha))) for alpha in powers] for row in X]
    )


@pytest.fixture
def X():
    return np.random.default_rng(7).normal(scale=3.0, size=(300, 4))


@pytest.mark.parametrize("setting", SETTINGS, ids=str)
def test_columns_names_and_powers_are_scikit_learns(X, setting):
    ours, theirs = PolynomialFeatures(**setting).fit(X), TheirPolynomialFeatures(**setting).fit(X)
    assert_array_equal(ours.powers_, theirs.powers_)
    assert ours.n_output_features_ == theirs.n_output_features_
    assert_array_equal(ours.get_feature_names_out(list("abcd")), theirs.get_feature_names_out(list("abcd")))
    # their repeated product is off by at most (d - 1)/2 units in the last place, ours by a half
    assert_allclose(ours.transform(X), theirs.transform(X), rtol=5 * np.finfo(float).eps)


@pytest.mark.parametrize("setting", SETTINGS, ids=str)
@pytest.mark.parametrize("kind", [sp.csr_array, sp.csc_array, sp.csr_matrix, sp.csc_matrix])
def test_sparse_rows_expand_to_the_same_numbers_in_the_same_storage(setting, kind):
    S = sp.random_array((60, 5), density=0.4, rng=np.random.default_rng(3), format="csr")
    expansion = PolynomialFeatures(**setting)
    out = expansion.fit_transform(kind(S))
    assert type(out) is kind
    assert out.has_sorted_indices
    assert_array_equal(out.toarray(), expansion.fit_transform(S.toarray()))


def test_sparse_rows_of_many_features_keep_only_what_is_not_zero():
    S = sp.random_array((40, 500), density=0.01, rng=np.random.default_rng(4), format="csr")
    out = PolynomialFeatures(3).fit_transform(S)
    theirs = TheirPolynomialFeatures(3).fit_transform(S)
    assert out.shape == theirs.shape == (40, 21_084_251)
    assert out.nnz == theirs.nnz
    assert abs(out - theirs).max() <= 4 * np.finfo(float).eps * abs(theirs).max()


@pytest.mark.mission("BE-02")
def test_powers_of_one_feature_are_the_polynomial_basis():
    out = PolynomialFeatures(3).fit_transform([[-1.0], [0.0], [1.0]])
    assert_array_equal(out, [[1, -1, 1, -1], [1, 0, 0, 0], [1, 1, 1, 1]])


@pytest.mark.parametrize(("p", "degree"), [(1, 10), (2, 7), (3, 4)])
def test_every_entry_is_the_nearest_number_to_the_exact_monomial(p, degree):
    X = np.random.default_rng(p).uniform(-9.0, 9.0, size=(300, p))
    expansion = PolynomialFeatures(degree).fit(X)
    assert_array_equal(expansion.transform(X), _exact(X, expansion.powers_))


def test_float32_entries_are_the_nearest_float32():
    X = np.random.default_rng(0).uniform(-3.0, 3.0, size=(200, 2)).astype(np.float32)
    expansion = PolynomialFeatures(6).fit(X)
    out = expansion.transform(X)
    assert out.dtype == np.float32
    assert_array_equal(out, _exact(X, expansion.powers_).astype(np.float32))
    assert expansion.transform(sp.csr_array(X)).dtype == np.float32


def test_huge_and_tiny_numbers_overflow_and_underflow_like_the_plain_product():
    X = np.array([[1e200, -1e200], [1e-200, 1e-200], [1.7e308, 0.0], [1.7e308, -1.0], [0.0, -0.0]])
    with np.errstate(over="ignore", under="ignore"):
        expected = TheirPolynomialFeatures(3, include_bias=False).fit_transform(X[:3, :1])
    out = PolynomialFeatures(3, include_bias=False).fit_transform(X[:3, :1])
    assert_array_equal(out, expected)
    pairs = PolynomialFeatures(3, interaction_only=True, include_bias=False).fit_transform(X)
    assert_array_equal(pairs[:, 2], [-np.inf, 0.0, 0.0, -1.7e308, 0.0])


@pytest.mark.parametrize("order", ["C", "F"])
def test_both_memory_orders_hold_the_same_numbers_at_any_length(order):
    X = np.random.default_rng(5).normal(size=(3001, 3))
    out = PolynomialFeatures(4, order=order).fit_transform(X)
    assert out.flags[f"{order}_CONTIGUOUS"]
    assert_array_equal(out, np.vstack([PolynomialFeatures(4).fit_transform(part) for part in np.array_split(X, 7)]))


def test_the_number_of_threads_changes_nothing(monkeypatch):
    X = np.random.default_rng(5).normal(size=(20_000, 3))
    S = sp.csr_array(np.where(np.abs(X) > 1.0, X, 0.0))
    results = []
    for threads in ("1", "3"):
        monkeypatch.setenv("SEPARATRIX_THREADS", threads)
        results.append((PolynomialFeatures(4).fit_transform(X), PolynomialFeatures(4).fit_transform(S).toarray()))
    assert_array_equal(results[0][0], results[1][0])
    assert_array_equal(results[0][1], results[1][1])


@pytest.mark.mission("BE-06")
def test_without_cross_terms_two_features_to_degree_two_make_four_columns():
    expansion = PolynomialFeatures(2, include_bias=False, cross_terms=False)
    out = expansion.fit_transform([[2.0, 3.0], [-1.0, 5.0]])
    assert_array_equal(out, [[2, 3, 4, 9], [-1, 5, 1, 25]])
    assert_array_equal(expansion.powers_, [[1, 0], [0, 1], [2, 0], [0, 2]])
    assert list(expansion.get_feature_names_out()) == ["x0", "x1", "x0^2", "x1^2"]


@pytest.mark.parametrize("storage", [np.asarray, sp.csr_array])
def test_powers_alone_are_the_columns_of_the_full_expansion_in_one_feature(X, storage):
    full, alone = PolynomialFeatures((2, 5)).fit(X), PolynomialFeatures((2, 5), cross_terms=False).fit(X)
    single = (full.powers_ > 0).sum(axis=1) <= 1
    out = alone.transform(storage(X))
    assert_array_equal(out.toarray() if sp.issparse(out) else out, full.transform(X)[:, single])


@pytest.mark.mission("BE-07")
@pytest.mark.parametrize(
    ("x", "z", "homogeneous", "inhomogeneous"),
    [((1, 2), (3, -1), 1, 4), ((0.5, -1), (2, 4), 9, 4), ((0, 1), (1, 0), 0, 1)],
)
def test_scaled_quadratic_features_multiply_to_the_quadratic_kernels(x, z, homogeneous, inhomogeneous):
    three = PolynomialFeatures((2, 2), include_bias=False, kernel_scaling=True).fit_transform([x, z])
    six = PolynomialFeatures(2, kernel_scaling=True).fit_transform([x, z])
    assert three.shape[1] == 3
    assert six.shape[1] == 6
    assert_allclose(three[0], [x[0] ** 2, np.sqrt(2.0) * x[0] * x[1], x[1] ** 2], rtol=1e-15)
    assert_allclose(three[0] @ three[1], homogeneous, atol=1e-14)
    assert_allclose(six[0] @ six[1], inhomogeneous, atol=1e-14)


@pytest.mark.mission("BE-07")
@pytest.mark.parametrize("storage", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("degree", [1, 3, 4])
def test_scaled_features_of_any_degree_multiply_to_the_polynomial_kernel(degree, storage):
    X = np.random.default_rng(degree).uniform(-1.0, 1.0, size=(6, 3))
    whole = PolynomialFeatures(degree, kernel_scaling=True).fit_transform(storage(X))
    top = PolynomialFeatures((degree, degree), include_bias=False, kernel_scaling=True).fit_transform(storage(X))
    as_array = np.asarray if storage is np.asarray else sp.csr_array.toarray
    assert_allclose(as_array(whole @ whole.T), (1.0 + X @ X.T) ** degree, rtol=1e-13, atol=1e-13)
    assert_allclose(as_array(top @ top.T), (X @ X.T) ** degree, rtol=1e-13, atol=1e-13)


@pytest.mark.parametrize(
    ("setting", "words"),
    [
        ({"degree": -1}, "degree=-1"),
        ({"degree": 2.5}, "degree=2.5"),
        ({"degree": (3, 2)}, "least <= greatest"),
        ({"degree": (1, 2, 3)}, "pair"),
        ({"degree": True}, "degree=True"),
        ({"degree": 0, "include_bias": False}, "0 columns"),
        ({"degree": 400}, "columns"),
        ({"order": "A"}, "order='A'"),
        ({"include_bias": "yes"}, "include_bias='yes'"),
        ({"interaction_only": True, "cross_terms": False}, "interactions are cross terms"),
        ({"kernel_scaling": True, "cross_terms": False}, "kernel_scaling"),
    ],
    ids=str,
)
def test_a_bad_parameter_is_named_with_what_to_do_instead(setting, words):
    X = np.ones((3, 30)) if setting.get("degree") == 400 else np.ones((3, 2))
    with pytest.raises(ValueError, match=words) as caught:
        PolynomialFeatures(**setting).fit(X)
    assert "Use " in str(caught.value)
