"""Kernel ridge about some of the rows: the exact answer of these centres, its certificate, weights and bad input."""

import numpy as np
import pytest
import scipy.sparse as sp

import separatrix
from separatrix.core.errors import NotCertified
from separatrix.designs.kernel_centres import KernelCentres
from separatrix.kernel_ridge import KernelRidge
from separatrix.kernels import Gaussian, gram

RNG = np.random.default_rng(8)
X = RNG.standard_normal((400, 3))
Y = np.sin(2.0 * X[:, 0]) + X[:, 1] ** 2 + 3.0
NEW = RNG.standard_normal((20, 3))


def by_hand(Z, y, s, alpha, intercept):
    """Coefficients of the centres of (K_nm'SK_nm + αK_mm) a = K_nm'S(y - b), by singular values."""
    root = np.sqrt(s)[:, None]
    A, right = root * gram(Gaussian(0.3), X, Z), root * y.reshape(len(y), -1)
    if intercept:
        A = np.hstack([A, root])
    L = np.linalg.cholesky(gram(Gaussian(0.3), Z) + 1e-13 * np.eye(len(Z))).T
    below = np.sqrt(alpha) * np.hstack([L, np.zeros((len(Z), int(intercept)))])
    stacked = np.vstack([A, below]), np.vstack([right, np.zeros((len(Z), right.shape[1]))])
    return np.linalg.lstsq(*stacked, rcond=None)[0]


@pytest.mark.parametrize("intercept", [False, True])
@pytest.mark.parametrize("weighted", [False, True])
def test_coefficients_are_the_best_of_these_centres(intercept, weighted):
    s = RNG.integers(0, 3, 400).astype(float) if weighted else np.ones(400)
    y = np.column_stack([Y, X[:, 2] ** 3])
    options = {"kernel": "rbf", "gamma": 0.3, "fit_intercept": intercept, "n_components": 25}
    model = KernelRidge([0.1, 2.0], **options).fit(X, y, s)
    assert model.certificate_.converged and model.certificate_.kind == "gap"
    assert model.dual_coef_.shape == (25, 2) and model.X_fit_.shape == (25, 3)
    for k, alpha in enumerate([0.1, 2.0]):
        exact = by_hand(model.X_fit_, y[:, k], s, alpha, intercept)[:, 0]
        a, b = (exact[:-1], exact[-1]) if intercept else (exact, 0.0)
        expected = gram(Gaussian(0.3), NEW, model.X_fit_) @ a + b
        np.testing.assert_allclose(model.predict(NEW)[:, k], expected, rtol=1e-5, atol=1e-5)


def test_the_claimed_gap_is_never_below_the_real_one():
    s = RNG.integers(1, 3, 400).astype(float)
    model = KernelRidge(0.1, kernel="rbf", gamma=0.3, fit_intercept=True, n_components=15).fit(X, Y, s)
    K, Kmm = gram(Gaussian(0.3), X, model.X_fit_), gram(Gaussian(0.3), model.X_fit_)

    def objective(a, b):
        return s @ (Y - K @ a - b) ** 2 + 0.1 * a @ Kmm @ a

    exact = by_hand(model.X_fit_, Y, s, 0.1, True)[:, 0]
    least = objective(exact[:-1], exact[-1])
    unit = s @ (Y - s @ Y / s.sum()) ** 2
    a, b = model.dual_coef_.copy(), model.intercept_
    for change in (0.0, 1e-4, 1e-2):
        model.dual_coef_, model.intercept_ = a * (1.0 + change * RNG.standard_normal(15)), b - change
        claimed = separatrix.verify(model, X, Y, s).value
        assert (objective(model.dual_coef_, model.intercept_) - least) / unit <= claimed + 1e-13


def test_many_rows_need_few_iterations_and_the_answer_does_not_depend_on_the_preconditioner(monkeypatch):
    rows = RNG.standard_normal((3000, 3))
    y = np.sin(2.0 * rows[:, 0]) + rows[:, 1]
    options = {"alpha": 0.1, "kernel": "rbf", "gamma": 0.3, "n_components": 40}
    exact = KernelRidge(**options).fit(rows, y)
    monkeypatch.setattr("separatrix.solvers.falkon.SAMPLE", 100)
    whole = KernelRidge(**options).fit(rows, y)
    assert whole.certificate_.iterations <= 2 and exact.certificate_.iterations <= 30
    np.testing.assert_allclose(exact.predict(NEW), whole.predict(NEW), rtol=1e-4, atol=1e-4)
    assert exact.approximation_error_ < 0.3


def test_too_few_iterations_are_not_certified(monkeypatch):
    rows = RNG.standard_normal((3000, 3))
    solve = separatrix.estimators.kernel.centres.solve
    monkeypatch.setattr("separatrix.estimators.kernel.centres.solve", lambda problem, tol: solve(problem, max_iter=1))
    with pytest.warns(NotCertified):
        KernelRidge(1e-3, kernel="rbf", n_components=60).fit(rows, rows[:, 0])


def test_all_rows_as_centres_are_the_exact_model():
    exact = KernelRidge(0.1, kernel="rbf", fit_intercept=True).fit(X, Y)
    form = KernelRidge(0.1, kernel="rbf", fit_intercept=True, n_components=10_000).fit(X, Y)
    assert form.approximation_error_ == 0.0
    np.testing.assert_allclose(form.predict(NEW), exact.predict(NEW), rtol=1e-7)


def test_sparse_rows_and_a_seed_repeat_a_fit():
    options = {"alpha": 0.1, "kernel": "rbf", "n_components": 30}
    a, b = KernelRidge(**options).fit(X, Y), KernelRidge(**options).fit(sp.csr_array(X), Y)
    np.testing.assert_allclose(a.predict(NEW), b.predict(NEW), rtol=1e-5)
    c = KernelRidge(**options, random_state=1).fit(X, Y)
    assert (KernelRidge(**options).fit(X, Y).dual_coef_ == a.dual_coef_).all() and (c.X_fit_ != a.X_fit_).any()
    assert separatrix.verify(b, sp.csr_array(X), Y).converged
    a.X_fit_ = a.X_fit_ + 1e-9
    assert not separatrix.verify(a, X, Y).converged


@pytest.mark.parametrize(
    "wrong, words",
    [
        ({"alpha": 0.0}, "alpha > 0"),
        ({"n_components": 0}, "n_components"),
        ({"n_components": 2.5}, "n_components"),
        ({"kernel": "precomputed"}, "there already"),
    ],
)
def test_bad_parameters_are_refused_in_words(wrong, words):
    with pytest.raises(ValueError, match=words):
        KernelRidge(**{"kernel": "rbf", "n_components": 5, **wrong}).fit(X, Y)


def test_an_indefinite_kernel_has_no_norm_to_penalise():
    with pytest.raises(ValueError, match="not positive semidefinite"):
        KernelRidge(kernel="sigmoid", coef0=-1.0, n_components=50).fit(X, Y)


def test_the_trace_that_is_missed_is_that_of_the_exact_matrices():
    centres = KernelCentres(Gaussian(0.3), X, X[:30])
    across = gram(Gaussian(0.3), NEW, X[:30])
    missed = 20.0 - np.trace(across @ np.linalg.solve(gram(Gaussian(0.3), X[:30]), across.T))
    assert centres.trace_error(NEW) == pytest.approx(missed / 20.0, rel=1e-6)
