"""Local logistic and multinomial regression against likelihoods maximised by others, their limits, and their laws."""

import json
import warnings
from pathlib import Path

import numpy as np
import pytest
import statsmodels.api as sm
from by_hand import kernel_weights, logistic
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import minimize
from scipy.special import expit, log_softmax, logit, softmax

from separatrix.core.errors import NoLocalMaximum
from separatrix.linear_model import LogisticRegression
from separatrix.local import LocalLogisticRegression

TEN = np.arange(10.0)[:, None], np.array([0, 0, 0, 1, 0, 1, 1, 1, 0, 1])


def data(n=300, p=2, seed=0, k=2):
    rng = np.random.default_rng(seed)
    X = rng.uniform(-2.0, 2.0, (n, p))
    score = np.column_stack([np.zeros(n), np.sin(2 * X[:, 0]) + X[:, -1], X[:, 0] - 0.5, X[:, -1] ** 2 - 1])[:, :k]
    y = (score + rng.gumbel(size=(n, k))).argmax(axis=1)
    return X, y, rng.uniform(-1.2, 1.2, (6, p))


# ------------------------------------------------------------------ the golden case


@pytest.mark.mission("SI-10")
def test_ten_points_have_the_golden_probability_and_their_residuals_balance():
    """G088; the weights are exp(-(d/λ)²/2)."""
    x, y = TEN
    model = LocalLogisticRegression(bandwidth=2.0, kernel="gaussian").fit(x, y)
    p = model.predict_proba([[2.0]])[0, 1]
    assert p == pytest.approx(0.1610973519, abs=1e-8)
    found = model.local_coefficients([[2.0]])
    assert p == pytest.approx(expit(found.intercept[0]), rel=1e-14)
    mu = expit(found.intercept[0] + found.slopes[0, 0] * (x[:, 0] - 2.0))
    K = np.exp(-0.5 * ((x[:, 0] - 2.0) / 2.0) ** 2)
    assert K @ (y - mu) == pytest.approx(0.0, abs=1e-12)
    assert (K * (x[:, 0] - 2.0)) @ (y - mu) == pytest.approx(0.0, abs=1e-12)


def test_the_golden_file_holds_the_same_number():
    path = Path(__file__).resolve().parents[4] / "shared" / "golden" / "golden.json"
    if not path.is_file():
        pytest.skip("the golden file is not beside the repository")
    text = json.loads(path.read_text())
    entries = text if isinstance(text, list) else next(v for v in text.values() if isinstance(v, list))
    found = next(e for e in entries if e["id"] == "G088")
    assert found["correct"]["p_at_x0_with_intercept"] == 0.1610973519
    assert found["inputs"]["y"] == TEN[1].tolist()


# ------------------------------------------------------------------ two classes, against others


@pytest.mark.mission("SI-10")
@pytest.mark.parametrize("kernel", ["gaussian", "epanechnikov", "tricube", "uniform"])
@pytest.mark.parametrize("degree", [0, 1, 2])
def test_scores_slopes_and_errors_are_those_of_a_plain_newton_method(kernel, degree):
    X, y, queries = data()
    s = np.random.default_rng(5).integers(1, 4, len(y))
    model = LocalLogisticRegression(bandwidth=1.8, kernel=kernel, degree=degree).fit(X, y, s)
    found, errors = model.local_coefficients(queries), model.standard_errors(queries)
    for row, x0 in enumerate(queries):
        beta, covariance = logistic(X, y, x0, 1.8, kernel, degree, s)
        assert found.intercept[row] == pytest.approx(beta[0], rel=1e-9, abs=1e-10)
        assert_allclose(found.slopes[row], beta[1:3] if degree else np.zeros(2), rtol=1e-8, atol=1e-9)
        assert errors[row] == pytest.approx(np.sqrt(covariance[0, 0]), rel=1e-8)
    assert found.certificate.max() < 1e-10 and model.certificate_.converged


@pytest.mark.mission("SI-10")
def test_statsmodels_with_kernel_weights_agrees():
    X, y, queries = data()
    found = LocalLogisticRegression(bandwidth=0.9, kernel="gaussian").fit(X, y).local_coefficients(queries)
    for row, x0 in enumerate(queries):
        weights = kernel_weights(X, x0, 0.9, "gaussian")
        theirs = sm.GLM(y, sm.add_constant(X - x0), sm.families.Binomial(), freq_weights=weights).fit(tol=1e-14)
        assert_allclose([found.intercept[row], *found.slopes[row]], theirs.params, rtol=1e-8, atol=1e-9)


@pytest.mark.mission("SI-10")
@pytest.mark.parametrize("k", [2, 3, 4])
def test_with_endless_windows_it_is_the_global_fit(k):
    X, y, queries = data(k=k)
    model = LocalLogisticRegression(bandwidth=1e9, kernel="gaussian").fit(X, y)
    whole = LogisticRegression(C=np.inf, tol=1e-12).fit(X, y)
    assert_allclose(model.predict_proba(queries), whole.predict_proba(queries), rtol=1e-8)
    assert_array_equal(model.predict(X), whole.predict(X))
    found = model.local_coefficients(queries)
    if k == 2:
        assert_allclose(found.slopes, np.tile(whole.coef_[0], (6, 1)), rtol=1e-8)
        theirs = sm.Logit(y, sm.add_constant(X)).fit(disp=0, tol=1e-12)
        Z = sm.add_constant(queries, has_constant="add")
        errors = np.sqrt(np.einsum("ia,ab,ib->i", Z, theirs.cov_params(), Z))
        assert_allclose(model.standard_errors(queries), errors, rtol=1e-7)
    else:
        centred = whole.coef_ - whole.coef_.mean(axis=0)
        assert_allclose(found.slopes, np.tile(centred, (6, 1, 1)), rtol=1e-7)


@pytest.mark.mission("SI-10")
def test_degree_zero_is_the_weighted_share_of_each_class():
    for k in (2, 3):
        X, y, queries = data(k=k)
        found = LocalLogisticRegression(bandwidth=1.0, kernel="epanechnikov", degree=0).fit(X, y).predict_proba(queries)
        for row, x0 in enumerate(queries):
            K = kernel_weights(X, x0, 1.0, "epanechnikov")
            assert_allclose(found[row], np.bincount(y, K, k) / K.sum(), rtol=1e-9)


# ------------------------------------------------------------------ more classes


def multinomial(X, y, x0, K, k, alpha=0.0):
    """Scores and slopes that sum to 0 over the classes, and the Hessian of k - 1 of them, by numbers alone."""
    Z = np.column_stack([np.ones(len(X)), X - x0])
    q = Z.shape[1]

    def objective(theta):
        B = np.vstack([np.zeros(q), theta.reshape(k - 1, q)])
        logp = log_softmax(Z @ B.T, axis=1)
        G = (K[:, None] * (np.exp(logp) - np.eye(k)[y])).T @ Z
        C = B - B.mean(axis=0)
        C[:, 0] = 0.0
        return -(K * logp[np.arange(len(y)), y]).sum() + 0.5 * alpha * (C**2).sum(), (G + alpha * C)[1:].ravel()

    start = minimize(objective, np.zeros((k - 1) * q), jac=True, method="BFGS", options={"gtol": 1e-9}).x
    for _ in range(3):  # Newton's method with differences of the gradient takes off the last digits
        step = 1e-6
        H = np.array(
            [(objective(start + step * e)[1] - objective(start - step * e)[1]) / (2 * step) for e in np.eye(len(start))]
        )
        start = start - np.linalg.solve(H, objective(start)[1])
    B = np.vstack([np.zeros(q), start.reshape(k - 1, q)])
    return B, Z, H


@pytest.mark.mission("SI-11")
@pytest.mark.parametrize("alpha", [0.0, 0.7])
def test_more_classes_have_the_maximum_of_the_joint_likelihood(alpha):
    X, y, queries = data(k=3)
    model = LocalLogisticRegression(bandwidth=1.0, kernel="gaussian", alpha=alpha).fit(X, y)
    found = model.local_coefficients(queries)
    for row, x0 in enumerate(queries):
        B, _, _ = multinomial(X, y, x0, kernel_weights(X, x0, 1.0, "gaussian"), 3, alpha)
        B = B - B.mean(axis=0)
        assert_allclose(found.intercept[row], B[:, 0], rtol=1e-7, atol=1e-8)
        assert_allclose(found.slopes[row], B[:, 1:], rtol=1e-7, atol=1e-8)
    assert_allclose(model.predict_proba(queries), softmax(found.intercept, axis=1), rtol=1e-12)


def test_errors_of_each_class_are_those_of_its_log_odds():
    X, y, queries = data(k=3)
    model = LocalLogisticRegression(bandwidth=1.0, kernel="gaussian").fit(X, y)
    errors, (low, high) = model.standard_errors(queries), model.interval(queries, 0.9)
    for row, x0 in enumerate(queries):
        K = kernel_weights(X, x0, 1.0, "gaussian")
        B, Z, H = multinomial(X, y, x0, K, 3)
        P = softmax(Z @ B.T, axis=1)[:, 1:]
        J = sum(k2 * np.kron(np.diag(p) - np.outer(p, p), np.outer(z, z)) for k2, p, z in zip(K**2, P, Z))
        V = (np.linalg.inv(H) @ J @ np.linalg.inv(H))[np.ix_([0, 3], [0, 3])]

        def odds(scores):
            return logit(softmax(np.r_[0.0, scores]))

        slopes = np.column_stack([(odds(B[1:, 0] + e) - odds(B[1:, 0] - e)) / 2e-6 for e in 1e-6 * np.eye(2)])
        by_hand = np.sqrt(np.einsum("ca,ab,cb->c", slopes, V, slopes))
        assert_allclose(errors[row], by_hand, rtol=1e-6)
        assert_allclose(low[row], expit(odds(B[1:, 0]) - 1.6448536269514722 * by_hand), rtol=1e-6)
        assert_allclose(high[row], expit(odds(B[1:, 0]) + 1.6448536269514722 * by_hand), rtol=1e-6)


def test_which_class_comes_first_does_not_matter():
    X, y, queries = data(k=3)
    plain = LocalLogisticRegression(span=0.5, alpha=0.1).fit(X, y)
    turned = LocalLogisticRegression(span=0.5, alpha=0.1).fit(X, (y + 1) % 3)
    assert_allclose(turned.predict_proba(queries)[:, [1, 2, 0]], plain.predict_proba(queries), rtol=1e-8)
    assert_allclose(turned.standard_errors(queries)[:, [1, 2, 0]], plain.standard_errors(queries), rtol=1e-7)


# ------------------------------------------------------------------ laws


@pytest.mark.parametrize("width", [{"bandwidth": 1.5}, {"n_neighbors": 150}, {"span": 0.5}], ids=str)
@pytest.mark.parametrize("k", [2, 3])
def test_a_weight_means_repetition(width, k):
    X, y, queries = data(k=k)
    s = np.random.default_rng(3).integers(0, 4, len(y))
    weighted = LocalLogisticRegression(**width).fit(X, y, s)
    repeated = LocalLogisticRegression(**width).fit(np.repeat(X, s, axis=0), np.repeat(y, s))
    assert_allclose(weighted.predict_proba(queries), repeated.predict_proba(queries), rtol=1e-9)
    assert_allclose(weighted.standard_errors(queries), repeated.standard_errors(queries), rtol=1e-8)


@settings(max_examples=20, deadline=None)
@given(shift=st.floats(-1e5, 1e5), scale=st.floats(1e-3, 1e3), degree=st.integers(0, 2))
def test_moving_and_stretching_x_changes_no_probability(shift, scale, degree):
    X, y, queries = data(200)
    plain = LocalLogisticRegression(bandwidth=2.0, degree=degree).fit(X, y).predict_proba(queries)
    moved = LocalLogisticRegression(bandwidth=2.0 * scale, degree=degree).fit(scale * X + shift, y)
    assert_allclose(moved.predict_proba(scale * queries + shift), plain, rtol=1e-3, atol=1e-5)


def test_the_answer_at_a_query_does_not_depend_on_the_others():
    X, y, queries = data(1000)
    model = LocalLogisticRegression(span=0.3).fit(X, y)
    together = model.predict_proba(np.tile(queries, (70, 1)))
    assert_array_equal(together[:6], np.vstack([model.predict_proba(x0[None]) for x0 in queries]))
    assert_array_equal(together[-6:], together[:6])


def test_bands_are_symmetric_in_log_odds():
    X, y, queries = data()
    model = LocalLogisticRegression(span=0.6).fit(X, y)
    low, high = model.interval(queries, 0.95)
    score, error = model.decision_function(queries), model.standard_errors(queries)
    assert_allclose(logit(high) - score, 1.959963984540054 * error, rtol=1e-9)
    assert_allclose(score - logit(low), 1.959963984540054 * error, rtol=1e-9)


# ------------------------------------------------------------------ no maximum


@pytest.mark.parametrize("degree", [0, 1, 2])
def test_a_pure_window_has_the_probability_of_its_limit_and_says_so(degree):
    x = np.linspace(0.0, 10.0, 101)[:, None]
    y = (x[:, 0] > 5.0).astype(int)
    model = LocalLogisticRegression(bandwidth=2.0, degree=degree).fit(x, y)
    with pytest.warns(NoLocalMaximum, match=r"windows of 2 of 2 queries"):
        p = model.predict_proba([[1.0], [9.0]])[:, 1]
    assert_allclose(p, [0.0, 1.0], atol=1e-7)
    with pytest.warns(NoLocalMaximum):
        assert model.local_coefficients([[1.0], [9.0]]).certificate.max() < 1e-10
    with pytest.warns(NoLocalMaximum):
        assert_array_equal(model.standard_errors([[1.0]]), [np.inf])
    with pytest.warns(NoLocalMaximum):
        assert_array_equal(model.interval([[1.0]]), [[0.0], [1.0]])


def test_a_window_that_a_plane_separates_has_probabilities_on_the_right_sides():
    x = np.linspace(0.0, 10.0, 101)[:, None]
    y = (x[:, 0] > 5.05).astype(int)
    model = LocalLogisticRegression(bandwidth=2.0).fit(x, y)
    with pytest.warns(NoLocalMaximum, match=r"windows of 2 of 2"):
        p = model.predict_proba([[4.5], [5.5]])[:, 1]
    assert p[0] < 1e-4 and p[1] > 1.0 - 1e-4
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NoLocalMaximum)
        found = model.local_coefficients([[4.5], [5.5]])
    assert found.separated.all() and found.certificate.max() < 1e-8


def test_nearly_separated_classes_with_one_row_across_do_have_a_maximum():
    x = np.linspace(-1.0, 1.0, 200)
    y = (x > 0.0).astype(int)
    y[99], y[100] = 1, 0
    model = LocalLogisticRegression(bandwidth=1e6, kernel="gaussian").fit(x[:, None], y)
    found = model.local_coefficients([[0.3]])
    assert not found.separated[0]
    beta, _ = logistic(x[:, None], y, np.array([0.3]), 1e6, "gaussian", 0)
    mu = expit(found.intercept[0] + found.slopes[0, 0] * (x - 0.3))
    assert abs((y - mu).sum()) < 1e-9 and abs((y - mu) @ x) < 1e-9
    assert np.isfinite(beta).all()


def test_a_class_that_is_missing_from_a_window_gets_next_to_nothing():
    rng = np.random.default_rng(0)
    x = rng.uniform(0.0, 10.0, 400)
    y = np.where(x < 6.0, rng.integers(0, 2, 400), 2)
    model = LocalLogisticRegression(bandwidth=2.0).fit(x[:, None], y)
    with pytest.warns(NoLocalMaximum):
        p = model.predict_proba([[2.0]])[0]
    assert p[2] < 1e-7 and 0.3 < p[0] < 0.7
    two = LocalLogisticRegression(bandwidth=2.0).fit(x[y < 2, None], y[y < 2])
    assert_allclose(p[:2], two.predict_proba([[2.0]])[0], atol=1e-6)


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 10_000), k=st.integers(2, 4), degree=st.integers(0, 2), width=st.floats(1.0, 6.0))
def test_every_small_window_gets_certified_probabilities(seed, k, degree, width):
    rng = np.random.default_rng(seed)
    X, y = rng.integers(-3, 4, (25, 2)).astype(float), np.r_[np.arange(k), rng.integers(0, k, 25 - k)]
    model = LocalLogisticRegression(bandwidth=width, degree=degree)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        p = model.fit(X, y).predict_proba(X + 0.3)
        found = model.local_coefficients(X + 0.3)
    assert np.isfinite(p).all()
    assert_allclose(p.sum(axis=1), 1.0, rtol=1e-12)
    assert found.certificate.max() < 1e-8
