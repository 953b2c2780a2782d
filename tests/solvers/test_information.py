"""The information of a fit against exact arithmetic, statsmodels, and the formulas themselves."""

import mpmath as mp
import numpy as np
import pytest
import scipy.sparse as sp
import statsmodels.api as sm
from numpy.testing import assert_allclose

from separatrix.core.problem import Problem
from separatrix.core.target import Target
from separatrix.designs import as_design
from separatrix.losses import Logistic, Softmax
from separatrix.penalties import L1, L2, ElasticNet, NoPenalty
from separatrix.solvers import information
from separatrix.solvers.information import likelihood_evidence

RNG = np.random.default_rng(5)
X = RNG.standard_normal((80, 3)) * [1.0, 2.0, 0.5] + [0.0, 1.0, -3.0]
Y = (RNG.random(80) < 1.0 / (1.0 + np.exp(-X[:, 0]))).astype(float)
S = RNG.integers(0, 4, 80).astype(float)
BETA, OFFSET = np.array([0.8, -0.2, 0.4]), 0.7
LABELS = RNG.integers(0, 3, 80)
INDICATORS = np.eye(3)[LABELS]
BETAS, OFFSETS = RNG.standard_normal((3, 3)), np.array([0.1, -0.2, 0.5])


def evidence(X, y, beta, offset, s=None, penalty=None, intercept=True, **options):
    loss = Logistic() if y.ndim == 1 else Softmax()
    problem = Problem(as_design(X), Target(y, s), loss, penalty or NoPenalty(), intercept)
    return likelihood_evidence(problem, beta, offset, **options)


def exact_errors(X, beta, offset, digits=60):
    """Standard errors in many digits."""
    with mp.workdps(digits):
        Z = mp.matrix([[1, *map(float, row)] for row in X])
        w = mp.matrix([float(offset), *map(float, beta)])
        H = mp.zeros(Z.cols)
        for i in range(Z.rows):
            mu = 1 / (1 + mp.exp(-(Z[i, :] * w)[0]))
            H += mu * (1 - mu) * (Z[i, :].T * Z[i, :])
        V = H**-1
        return np.array([float(mp.sqrt(V[j, j])) for j in range(Z.cols)])


@pytest.mark.mission("SI-01")
@pytest.mark.parametrize("small", [0, 1 << 16], ids=["cholesky", "qr"])
def test_badly_scaled_and_far_columns_cost_no_digits(small, monkeypatch):
    monkeypatch.setattr(information, "SMALL", small)
    scale, shift = np.array([2.0**27, 2.0**-27, 1.0]), np.array([0.0, 2.0**-20, 2.0**13])
    Z, beta = X * scale + shift, BETA / scale
    offset = OFFSET - shift @ beta
    found = evidence(Z, Y, beta, offset)
    errors = np.sqrt(np.diag(found.covariance))
    # the shift of the third column by 2^13 leaves 40 of its 53 bits
    assert_allclose(errors, exact_errors(Z, beta, offset), rtol=1e-11)


def test_nearly_collinear_columns_are_handed_to_qr(monkeypatch):
    monkeypatch.setattr(information, "SMALL", 0)
    Z = np.column_stack([X[:, 0], X[:, 0] + 1e-7 * X[:, 1]])
    found = evidence(Z, Y, BETA[:2], OFFSET)
    assert found.condition > 1e6 and found.rank == 2
    assert_allclose(np.sqrt(np.diag(found.covariance)), exact_errors(Z, BETA[:2], OFFSET), rtol=1e-8)


@pytest.mark.parametrize("y, beta, offset", [(Y, BETA, OFFSET), (INDICATORS, BETAS, OFFSETS)], ids=["two", "three"])
def test_weights_are_repetitions_blocks_and_storage_do_not_show(y, beta, offset, monkeypatch):
    whole = evidence(X, y, beta, offset, S)
    again = S.astype(int)
    repeated = evidence(np.repeat(X, again, axis=0), np.repeat(y, again, axis=0), beta, offset)
    sparse = evidence(sp.csr_array(X), y, beta, offset, S)
    monkeypatch.setattr("separatrix.designs.base.BLOCK_NUMBERS", 6)
    pieces = evidence(X, y, beta, offset, S)
    for other in (repeated, sparse, pieces):
        assert_allclose(other.covariance, whole.covariance, rtol=1e-10, atol=1e-14)
        assert other.log_likelihood == pytest.approx(whole.log_likelihood, rel=1e-12)
        assert other.null_log_likelihood == pytest.approx(whole.null_log_likelihood, rel=1e-12)
    assert whole.n == np.count_nonzero(S) and whole.total == S.sum()


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("small", [0, 1 << 16], ids=["cholesky", "qr"])
def test_three_classes_have_the_covariance_of_statsmodels(intercept, small, monkeypatch):
    monkeypatch.setattr(information, "SMALL", small)
    Z = sm.add_constant(X) if intercept else X
    model = sm.MNLogit(LABELS, Z)
    fit = model.fit(disp=0, method="newton", tol=1e-14)
    params = np.column_stack([np.zeros(Z.shape[1]), fit.params])
    first = int(intercept)
    found = evidence(X, INDICATORS, params[first:], params[0] if first else 0.0, intercept=intercept)
    assert_allclose(found.covariance, fit.cov_params(), rtol=1e-9, atol=1e-12)
    assert_allclose(found.coefficients, fit.params, rtol=1e-12)
    assert found.log_likelihood == pytest.approx(fit.llf, rel=1e-12)
    if intercept:
        assert found.null_log_likelihood == pytest.approx(fit.llnull, rel=1e-7)
    else:
        assert found.null_log_likelihood == pytest.approx(-80 * np.log(3), rel=1e-12)


def test_two_classes_as_indicators_are_two_classes():
    one = evidence(X, Y, BETA, OFFSET)
    both = evidence(X, np.column_stack([1 - Y, Y]), np.column_stack([-BETA / 2, BETA / 2]), [-OFFSET / 2, OFFSET / 2])
    assert_allclose(both.covariance, one.covariance, rtol=1e-10)
    assert_allclose(both.coefficients, one.coefficients, rtol=1e-12)
    assert both.log_likelihood == pytest.approx(one.log_likelihood, rel=1e-12)


def test_soft_labels_are_split_rows_and_have_a_saturated_likelihood():
    soft = RNG.random(80)
    found = evidence(X, soft, BETA, OFFSET)
    split = evidence(np.vstack([X, X]), np.repeat([1.0, 0.0], 80), BETA, OFFSET, np.concatenate([soft, 1 - soft]))
    assert_allclose(found.covariance, split.covariance, rtol=1e-10)
    assert found.log_likelihood == pytest.approx(split.log_likelihood, rel=1e-12)
    expected = (soft * np.log(soft) + (1 - soft) * np.log(1 - soft)).sum()
    assert found.saturated_log_likelihood == pytest.approx(expected, rel=1e-12)
    assert split.saturated_log_likelihood == 0.0


@pytest.mark.parametrize("y, beta, offset", [(Y, BETA, OFFSET), (INDICATORS, BETAS, OFFSETS)], ids=["two", "three"])
def test_aliased_columns_are_named_and_their_effect_moved_to_the_others(y, beta, offset):
    Z = np.column_stack([X, X[:, 0] - X[:, 1], np.full(80, 2.0)])
    extra = np.vstack([0.3 * beta[:1], 0.1 * beta[:1]]) if beta.ndim == 2 else np.array([0.3, 0.1])
    found = evidence(Z, y, np.concatenate([beta, extra]), offset)
    assert found.rank == 3 and len(found.aliased) == 2 and 4 in found.aliased
    q = 6
    lost = [j + 1 for j in found.aliased]
    scores = Z @ found.coefficients[1:] + found.coefficients[0]
    given = Z @ np.concatenate([beta, extra]) + offset
    given = given[:, None] if given.ndim == 1 else given[:, 1:] - given[:, :1]
    assert_allclose(scores, given, atol=1e-12)
    for c in range(found.coefficients.shape[1]):
        assert np.isnan(found.covariance[[c * q + j for j in lost]]).all()
    kept = ~np.isnan(np.diag(found.covariance))
    assert kept.sum() == 4 * found.coefficients.shape[1]
    assert np.isfinite(found.covariance[np.ix_(kept, kept)]).all()


def test_a_ridge_has_the_sandwich_of_its_penalty_and_effective_degrees_of_freedom():
    lam = 0.05
    found = evidence(X, Y, BETA, OFFSET, S, L2(lam))
    Z = np.column_stack([np.ones(80), X])
    mu = 1.0 / (1.0 + np.exp(-(X @ BETA + OFFSET)))
    H = (Z * (S * mu * (1 - mu))[:, None]).T @ Z
    W = np.linalg.inv(H + lam * S.sum() * np.diag([0.0, 1.0, 1.0, 1.0]))
    assert_allclose(found.covariance, W @ H @ W, rtol=1e-9)
    assert found.edf == pytest.approx(np.trace(W @ H), rel=1e-10)
    assert found.penalised


def test_a_multinomial_ridge_penalises_all_classes_alike():
    lam = 0.02
    found = evidence(X, INDICATORS, BETAS, OFFSETS, penalty=L2(lam))
    Z = np.column_stack([np.ones(80), X])
    scores = np.exp(X @ BETAS + OFFSETS)
    mu = scores / scores.sum(axis=1, keepdims=True)
    H = np.zeros((12, 12))
    for z, m in zip(Z, mu):
        H += np.kron(np.diag(m) - np.outer(m, m), np.outer(z, z))
    # all three classes with their redundancy: the penalty fixes the slopes, the intercepts stay free by a constant
    J = np.kron(np.eye(3), np.diag([0.0, 1.0, 1.0, 1.0]))
    W = np.linalg.pinv(H + lam * 80 * J)
    D = np.kron([[-1.0, 1.0, 0.0], [-1.0, 0.0, 1.0]], np.eye(4))
    assert_allclose(found.covariance, D @ W @ H @ W @ D.T, rtol=1e-8, atol=1e-12)
    assert found.edf == pytest.approx(np.trace(W @ H), rel=1e-9)


@pytest.mark.parametrize("penalty", [L1(0.1), ElasticNet(0.1, 0.2)], ids=str)
@pytest.mark.parametrize("intercept", [True, False])
def test_after_selection_there_is_no_covariance_but_a_count(penalty, intercept):
    few, offset = np.array([0.5, 0.0, 0.0]), OFFSET if intercept else 0.0
    found = evidence(X, Y, few, offset, S, penalty=penalty, intercept=intercept)
    plain = evidence(X, Y, few, offset, S, intercept=intercept)
    assert found.covariance is None and found.edf == 1.0 + intercept and found.penalised and found.rank == 1
    assert found.log_likelihood == pytest.approx(plain.log_likelihood, rel=1e-13)
    assert_allclose(found.coefficients, plain.coefficients)
    several = evidence(X, INDICATORS, BETAS, OFFSETS, S, penalty=penalty)
    assert several.log_likelihood == pytest.approx(evidence(X, INDICATORS, BETAS, OFFSETS, S).log_likelihood, rel=1e-13)
    assert several.edf == 11.0 and several.coefficients.shape == (4, 2)


def test_a_wide_selection_forms_nothing_of_the_size_of_its_square():
    wide = sp.random_array((20, 200_000), density=1e-3, rng=np.random.default_rng(0), format="csr")
    beta = np.zeros(200_000)
    beta[7] = 1.0
    found = evidence(wide, Y[:20], beta, 0.0, penalty=L1(0.1))
    assert found.edf == 2.0


def test_rows_with_certain_probabilities_are_counted():
    found = evidence(np.array([[-3.0], [-2.0], [2.0], [3.0]]), np.array([0.0, 0, 1, 1]), [8.0], 0.0)
    assert found.sure == 2
    assert np.isfinite(found.covariance).all()


def test_labels_and_nan_are_told():
    assert evidence(X, Y, BETA, OFFSET, classes=np.array(["a", "b"])).classes == ("a", "b")
    broken = X.copy()
    broken[3, 1] = np.nan
    with pytest.raises(ValueError, match="NaN"):
        evidence(broken, Y, BETA, OFFSET)
