"""Kernel ridge regression: golden cases, exact answers, scikit-learn's class, laws, weights and bad input."""

import warnings
from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose
from sklearn.kernel_ridge import KernelRidge as Reference
from sklearn.utils.estimator_checks import parametrize_with_checks

import separatrix
from separatrix.core import memory
from separatrix.core.declaration import declaration
from separatrix.core.errors import SingularKernel
from separatrix.kernel_ridge import KernelRidge
from separatrix.kernels import Gaussian, Linear, Polynomial, Scaled, Sum, gram
from separatrix.linear_model import Ridge
from separatrix.prediction import can_predict, predict_step
from separatrix.prediction.forms import Step

RNG = np.random.default_rng(1)
X = RNG.standard_normal((80, 3))
Y = np.sin(2.0 * X[:, 0]) + X[:, 1] ** 2 + 0.1 * RNG.standard_normal(80)
NEW = RNG.standard_normal((9, 3))
NAMES = ["linear", "poly", "rbf", "laplacian", "cosine", "sigmoid"]


@parametrize_with_checks([KernelRidge(), KernelRidge(kernel="rbf", fit_intercept=True), KernelRidge(kernel="sigmoid")])
def test_scikit_learn_contract(estimator, check):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SingularKernel)
        check(estimator)


@pytest.mark.mission("KE-09")
@pytest.mark.mission("LS-12")
def test_the_dual_of_ridge_is_that_of_the_golden_case():
    # golden case G004
    rows, y = [[1.0, 2, 3], [2, 4, 6]], [1.0, 3.0]
    model = KernelRidge(alpha=0.5).fit(rows, y)
    np.testing.assert_allclose(model.dual_coef_, [-0.780141844, 0.4397163121], atol=1e-9)
    theta = np.array(rows).T @ model.dual_coef_
    np.testing.assert_allclose(theta, [0.09929078014, 0.1985815603, 0.2978723404], atol=1e-9)
    assert model.predict([[1.0, 0.0, 1.0]])[0] == pytest.approx(0.3971631206, abs=1e-9)


@pytest.mark.mission("KE-10")
@pytest.mark.mission("KE-11")
def test_the_quadratic_kernel_is_ridge_on_its_features_in_the_golden_case():
    # golden case G102
    rows, y, new = [[1, 0], [0, 1], [1, 1], [2, -1]], [1, 2, 0, 3], [[1, 2], [-1, 0.5]]
    model = KernelRidge(alpha=0.5, kernel=lambda x, z: (x @ z) ** 2).fit(rows, y)
    np.testing.assert_allclose(model.dual_coef_, [1.715292459, 1.984496124, -0.778012685, -0.1987315011], atol=1e-9)
    np.testing.assert_allclose(model.predict(new), [2.651162791, 0.7748414376], atol=1e-9)


@pytest.mark.mission("KE-10")
def test_coefficients_are_those_of_exact_fractions():
    rows, y, s = [[1, 2], [0, 3], [-1, 1], [2, -2]], [1, -2, 3, 5], [1, 2, 1, 3]
    alpha = Fraction(3, 4)
    K = [[(Fraction(sum(a * b for a, b in zip(x, z))) + 1) ** 2 for z in rows] for x in rows]
    M = [[K[i][j] + (alpha / s[i] if i == j else 0) for j in range(4)] for i in range(4)]
    exact = [float(v) for v in solved(M, [Fraction(v) for v in y])]
    model = KernelRidge(alpha=0.75, kernel="poly", degree=2, gamma=1.0, coef0=1.0).fit(rows, y, s)
    size = np.linalg.cond(np.array(M, dtype=float)) * np.finfo(float).eps
    np.testing.assert_allclose(model.dual_coef_, exact, rtol=16 * size)
    # with an intercept, one equation more: the coefficients sum to 0
    bordered = [[*row, Fraction(1)] for row in M] + [[Fraction(1)] * 4 + [Fraction(0)]]
    *exact, b = [float(v) for v in solved(bordered, [*map(Fraction, y), Fraction(0)])]
    model.set_params(fit_intercept=True).fit(rows, y, s)
    np.testing.assert_allclose(model.dual_coef_, exact, rtol=64 * size)
    assert model.intercept_ == pytest.approx(b, rel=64 * size)


def solved(M, y):
    """The solution of a small system in exact fractions, by Gauss and Jordan."""
    n = len(y)
    rows = [[*row, value] for row, value in zip(M, y)]
    for i in range(n):
        pivot = next(r for r in range(i, n) if rows[r][i] != 0)
        rows[i], rows[pivot] = rows[pivot], rows[i]
        rows[i] = [value / rows[i][i] for value in rows[i]]
        for r in range(n):
            if r != i:
                rows[r] = [a - rows[r][i] * b for a, b in zip(rows[r], rows[i])]
    return [row[-1] for row in rows]


@pytest.mark.parametrize("kernel", NAMES)
@pytest.mark.parametrize("alpha", [1e-3, 1.0, [0.1, 2.0]])
def test_predictions_are_those_of_scikit_learn(kernel, alpha):
    if np.ndim(alpha) and kernel == "sigmoid":
        pytest.skip("scikit-learn has no answer: it solves each output as if the matrix were positive definite")
    y = np.column_stack([Y, X[:, 2]]) if np.ndim(alpha) else Y
    s = RNG.uniform(0.5, 2.0, 80)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ours = KernelRidge(alpha, kernel=kernel).fit(X, y, s)
        theirs = Reference(alpha, kernel=kernel).fit(X, y, s)
    assert ours.certificate_.converged
    np.testing.assert_allclose(ours.predict(NEW), theirs.predict(NEW), rtol=1e-7, atol=1e-9)
    assert ours.dual_coef_.shape == theirs.dual_coef_.shape


@pytest.mark.mission("KE-09")
def test_the_linear_kernel_is_ridge_with_and_without_an_intercept():
    for intercept in (False, True):
        ridge = Ridge(alpha=0.3, fit_intercept=intercept).fit(X, Y)
        model = KernelRidge(alpha=0.3, fit_intercept=intercept).fit(X, Y)
        np.testing.assert_allclose(model.predict(NEW), ridge.predict(NEW), rtol=1e-11, atol=1e-12)
        np.testing.assert_allclose(X.T @ model.dual_coef_, ridge.coef_, rtol=1e-10)


@pytest.mark.parametrize("intercept", [False, True])
def test_weights_are_repetitions(intercept):
    s = RNG.integers(0, 4, 80)
    weighted = KernelRidge(0.2, kernel="rbf", fit_intercept=intercept).fit(X, Y, s)
    repeated = KernelRidge(0.2, kernel="rbf", fit_intercept=intercept).fit(np.repeat(X, s, axis=0), np.repeat(Y, s))
    np.testing.assert_allclose(weighted.predict(NEW), repeated.predict(NEW), rtol=1e-10)
    assert not weighted.dual_coef_[s == 0].any()


def test_the_order_of_the_rows_does_not_matter():
    order = RNG.permutation(80)
    a, b = KernelRidge(0.1, kernel="rbf").fit(X, Y), KernelRidge(0.1, kernel="rbf").fit(X[order], Y[order])
    np.testing.assert_allclose(a.dual_coef_[order], b.dual_coef_, rtol=1e-9, atol=1e-12)


@pytest.mark.mission("KE-11")
@pytest.mark.mission("KE-12")
def test_names_objects_functions_and_matrices_of_one_kernel_give_one_model():
    named = KernelRidge(0.1, kernel="poly", degree=2, gamma=0.5, coef0=2.0).fit(X, Y)
    polynomial = Polynomial(2, 0.5, 2.0)
    held = KernelRidge(0.1, kernel=polynomial).fit(X, Y)
    function = KernelRidge(0.1, kernel=lambda x, z, c: (0.5 * (x @ z) + c) ** 2, kernel_params={"c": 2.0}).fit(X, Y)
    given = KernelRidge(0.1, kernel="precomputed").fit(gram(polynomial, X), Y)
    stored = KernelRidge(0.1, kernel="poly", degree=2, gamma=0.5, coef0=2.0).fit(sp.csc_array(X), Y)
    for model in (held, function, stored):
        np.testing.assert_allclose(model.predict(NEW), named.predict(NEW), rtol=1e-8)
    np.testing.assert_allclose(given.predict(gram(polynomial, NEW, X)), named.predict(NEW), rtol=1e-8)
    composed = KernelRidge(0.1, kernel=Sum(Linear(), Scaled(Gaussian(0.5), 2.0))).fit(X, Y)
    K = gram(Linear(), X) + 2.0 * gram(Gaussian(0.5), X)
    np.testing.assert_allclose(composed.dual_coef_, np.linalg.solve(K + 0.1 * np.eye(80), Y), rtol=1e-9)


@pytest.mark.mission("KE-08")
@pytest.mark.parametrize("alpha", [0.0, 0.5, 1.0])
def test_a_kernel_that_is_no_mercer_kernel_is_fitted_and_its_equations_hold(alpha):
    # golden case G018
    rows, y = np.array([[0.0], [1.0], [2.0]]), np.array([1.0, -1.0, 2.0])
    model = KernelRidge(alpha, kernel="sigmoid", gamma=1.0, coef0=-1.0).fit(rows, y)
    assert (model.certificate_.kind, model.certificate_.converged) == ("residual", True)
    K = np.tanh(rows @ rows.T - 1.0)
    np.testing.assert_allclose((K + alpha * np.eye(3)) @ model.dual_coef_, y, atol=1e-13)


def test_without_a_penalty_equal_rows_have_the_mean_of_their_targets():
    rows, y = np.vstack([X[:10], X[:1]]), np.append(Y[:10], Y[0] + 1.0)
    with pytest.warns(SingularKernel, match="rank 10"):
        model = KernelRidge(0.0, kernel="rbf").fit(rows, y)
    assert model.certificate_.converged
    np.testing.assert_allclose(model.predict(rows), [Y[0] + 0.5, *Y[1:10], Y[0] + 0.5], atol=1e-8)
    K = gram(Gaussian(1.0 / 3.0), rows)
    np.testing.assert_allclose(model.dual_coef_, np.linalg.lstsq(K, y, rcond=1e-12)[0], rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize("intercept", [False, True])
@pytest.mark.parametrize("alpha", [1e-6, 1e-2, 10.0])
def test_the_claimed_gap_is_never_below_the_real_one(alpha, intercept):
    """The objective is evaluated in 50 digits at changed coefficients, and at the solution of the exact equations."""
    from mpmath import lu_solve, matrix, mp, mpf

    mp.dps = 50
    rows, y, s = X[:8], Y[:8], np.array([1.0, 2.0, 0.5, 1.0, 3.0, 1.0, 1.0, 0.25])
    kernel = Polynomial(2, 0.25, 1.0)
    model = KernelRidge(alpha, kernel=kernel, fit_intercept=intercept).fit(rows, y, s)
    K = matrix(gram(kernel, rows).tolist())

    def objective(a, b):
        a = matrix([mpf(v) for v in a])
        fitted = K * a
        squares = sum(mpf(w) * (mpf(t) - f - b) ** 2 for w, t, f in zip(s, y, fitted))
        return squares + mpf(alpha) * (a.T * fitted)[0]

    size = 8 + intercept
    M = matrix(size, size)
    for i in range(8):
        for j in range(8):
            M[i, j] = K[i, j]
        M[i, i] += mpf(alpha) / mpf(s[i])
        if intercept:
            M[i, 8] = M[8, i] = 1
    best = lu_solve(M, matrix([*map(mpf, y)] + [mpf(0)] * intercept))
    least = objective(best[:8], best[8] if intercept else 0)
    mean = s @ y / s.sum() if intercept else 0.0
    unit = float(sum(w * (t - mean) ** 2 for w, t in zip(s, y)))
    published = model.dual_coef_.copy(), model.intercept_
    for change in (0.0, 1e-9, 1e-5, 1e-2):
        model.dual_coef_ = published[0] * (1.0 + change * RNG.standard_normal(8))
        model.intercept_ = published[1] + intercept * change
        real = float(objective(model.dual_coef_, mpf(model.intercept_)) - least) / unit
        claimed = separatrix.verify(model, rows, y, s)
        assert real <= claimed.value
        assert claimed.converged == (change == 0.0) or claimed.value < 1e-12


def test_verify_sees_other_rows_and_other_coefficients():
    s = np.append(np.zeros(1), np.ones(79))
    model = KernelRidge(0.5, kernel="rbf").fit(X, Y, s)
    assert separatrix.verify(model, X, Y, s).converged
    model.dual_coef_[3] *= 1.01
    assert not separatrix.verify(model, X, Y, s).converged
    model.fit(X, Y, s).dual_coef_[0] = 1.0
    assert not separatrix.verify(model, X, Y, s).converged
    moved = X.copy()
    moved[4, 1] += 1e-6
    assert not separatrix.verify(model.fit(X, Y, s), moved, Y, s).converged


@pytest.mark.parametrize("kernel", ["linear", "poly", "rbf", "laplacian", "cosine", "sigmoid"])
@pytest.mark.parametrize("storage", [np.asarray, sp.csr_array])
def test_plain_data_predict_bit_for_bit_alike(kernel, storage):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SingularKernel)
        model = KernelRidge(1.0, kernel=kernel, degree=2).fit(storage(X), np.column_stack([Y, X[:, 0]]))
    plain = Step(declaration(model).prediction, dict(vars(model)))
    assert can_predict(plain)
    assert (predict_step(plain, "predict", storage(NEW)) == model.predict(storage(NEW))).all()


@pytest.mark.parametrize(
    "wrong, words",
    [
        ({"alpha": -1.0}, "alpha"),
        ({"alpha": np.nan}, "alpha"),
        ({"alpha": [1.0, 2.0]}, "1 output"),
        ({"gamma": 0.0, "kernel": "rbf"}, "gamma"),
        ({"gamma": np.nan, "kernel": "rbf"}, "gamma"),
        ({"degree": -1, "kernel": "poly"}, "degree"),
        ({"coef0": np.nan, "kernel": "poly"}, "coef0"),
        ({"degree": 0.5, "kernel": "poly", "coef0": -9.0}, "NaN or infinity"),
        ({"kernel": "gauss"}, "'rbf'"),
        ({"kernel": 3}, "kernel=3"),
        ({"kernel": "precomputed"}, "should be a square kernel matrix"),
        ({"kernel": lambda x, z: x}, "returns one number"),
        ({"kernel": lambda x, z: np.nan}, "finite on all rows"),
        ({"kernel_params": 3}, "dict"),
    ],
)
def test_bad_parameters_are_refused_in_words(wrong, words):
    with pytest.raises(ValueError, match=words):
        KernelRidge(**wrong).fit(X, Y)


def test_a_precomputed_kernel_must_be_symmetric():
    K = gram(Linear(), X)
    K[3, 4] += 1.0
    with pytest.raises(ValueError, match="not symmetric"):
        KernelRidge(kernel="precomputed").fit(K, Y)


def test_a_kernel_beyond_memory_is_refused_before_it_is_allocated(monkeypatch):
    monkeypatch.setattr(memory, "memory", lambda: 8 * 79 * 80)
    monkeypatch.setattr(np, "empty", None)
    with pytest.raises(MemoryError, match=r"needs 51,200 bytes.*Nystroem"):
        KernelRidge(kernel="rbf").fit(X, Y)


@pytest.mark.parametrize("far", [1e6, 1e8])
def test_a_gaussian_fit_moves_with_its_rows(far):
    rng = np.random.default_rng(3)
    grid, target = rng.integers(-8, 8, (25, 2)).astype(float), rng.standard_normal(25)
    near = KernelRidge(0.1, kernel="rbf", gamma=0.05).fit(grid, target)
    moved = KernelRidge(0.1, kernel="rbf", gamma=0.05).fit(grid + far, target)
    assert_allclose(moved.dual_coef_, near.dual_coef_, rtol=1e-10, atol=1e-12)
    assert_allclose(moved.predict(grid + far), near.predict(grid), rtol=1e-10, atol=1e-12)
