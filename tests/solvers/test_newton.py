"""Newton-Raphson: its order of convergence, and one step for least squares."""

import mpmath
import numpy as np
import pytest
import scipy.sparse as sp

from separatrix.core.certificate import certify
from separatrix.core.errors import NotCertified
from separatrix.core.problem import Problem
from separatrix.core.solution import Trace
from separatrix.core.target import Target
from separatrix.designs import as_design
from separatrix.linear_model import LogisticRegression
from separatrix.losses import EpsilonInsensitive, Hinge, Huber, Logistic, Quantile, Squared, SquaredEpsilonInsensitive
from separatrix.penalties import L1, L2, ElasticNet, NoPenalty
from separatrix.solvers.newton_raphson import newton


@pytest.fixture
def data():
    rng = np.random.default_rng(5)
    X = rng.standard_normal((80, 3))
    return X, X @ [1.0, -2.0, 0.5] + rng.standard_normal(80), rng.uniform(0.5, 2.0, 80)


def problem(X, y, s=None, loss=None, penalty=None, intercept=True):
    return Problem(as_design(X), Target(y, s), loss or Squared(), penalty or NoPenalty(), intercept)


def logistic_optimum(X, y, lam, digits=60):
    """The penalised maximum-likelihood estimate, intercept first, in high precision by mpmath alone."""
    with mpmath.workdps(digits):
        Z = [[mpmath.mpf(1), *map(mpmath.mpf, row)] for row in X.tolist()]
        n, q = len(Z), len(Z[0])
        w = mpmath.matrix(q, 1)
        for _ in range(30):
            mu = [1 / (1 + mpmath.exp(-sum(z[j] * w[j] for j in range(q)))) for z in Z]
            g = mpmath.matrix(q, 1)
            H = mpmath.matrix(q, q)
            for j in range(q):
                g[j] = sum((mu[i] - y[i]) * Z[i][j] for i in range(n)) / n + (lam * w[j] if j else 0)
                for k in range(q):
                    H[j, k] = sum(mu[i] * (1 - mu[i]) * Z[i][j] * Z[i][k] for i in range(n)) / n
                H[j, j] += lam if j else 0
            w = w - mpmath.lu_solve(H, g)
        return [w[j] for j in range(q)]


@pytest.mark.mission("GD-08")
@pytest.mark.parametrize("lam", [0.0, 0.05])
def test_each_step_on_the_logistic_likelihood_squares_the_error(data, lam):
    X, y, _ = data
    y = (y > 0).astype(float)
    optimum = logistic_optimum(X, y, lam)
    trace = Trace(coefficients=[])
    case = problem(X, y, loss=Logistic(), penalty=L2(lam) if lam else NoPenalty())
    assert certify(case, newton(case, tol=1e-12, trace=trace), 1e-12).converged  # the bound on rounding is 1e-13
    visited = [[b0, *beta] for b0, beta in zip(trace.intercepts, trace.coefficients, strict=True)]
    errors = [max(abs(float(mpmath.mpf(a) - b)) for a, b in zip(w, optimum)) for w in visited]
    assert errors[-1] < 1e-10
    # the order of convergence is the slope of log e_(k+1) against log e_k, away from the start and from rounding
    late = [e for e in errors if 1e-13 < e < 0.5]
    assert len(late) >= 3
    orders = np.diff(np.log(late))[1:] / np.diff(np.log(late))[:-1]
    assert orders[-1] == pytest.approx(2.0, abs=0.3)


@pytest.mark.mission("GD-09")
def test_one_step_solves_the_golden_least_squares():
    # golden case G057
    X, t = np.array([[1.0, 0.0], [1.0, 1.0], [1.0, 2.0]]), np.array([1.0, 2.0, 4.0])
    case = problem(X, t, intercept=False)
    found = newton(case, start=([10.0, -7.0], 0.0), max_iter=1)
    np.testing.assert_allclose(found.beta, [5 / 6, 3 / 2], rtol=1e-12)
    assert certify(case, found, 1e-10).converged and found.iterations == 1
    with_intercept = newton(problem(X[:, 1:], t), start=([-7.0], 10.0), max_iter=1)
    np.testing.assert_allclose([with_intercept.intercept, *with_intercept.beta], [5 / 6, 3 / 2], rtol=1e-12)


@pytest.mark.mission("GD-09")
@pytest.mark.parametrize("storage", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("lam", [0.0, 0.7])
def test_one_step_solves_weighted_least_squares_and_ridge(data, lam, storage):
    X, y, s = data
    Z, R = np.c_[np.ones(80), X], lam * s.sum() * np.diag([0.0, 1.0, 1.0, 1.0])
    exact = np.linalg.solve(Z.T @ (s[:, None] * Z) + R, Z.T @ (s * y))
    case = problem(storage(X), y, s, penalty=L2(lam) if lam else NoPenalty())
    found = newton(case, max_iter=1)
    np.testing.assert_allclose([found.intercept, *found.beta], exact, rtol=1e-11)
    certificate = certify(case, found, 1e-10)
    assert certificate.converged and certificate.kind == "gap"


@pytest.mark.parametrize("loss", [Huber(0.3), SquaredEpsilonInsensitive(0.2), Logistic()])
@pytest.mark.parametrize("lam", [1e-6, 0.3])
def test_every_smooth_loss_is_certified_from_a_far_start(data, loss, lam):
    X, y, s = data
    y = (y > 0).astype(float) if isinstance(loss, Logistic) else y
    trace = Trace()
    case = problem(X, y, s, loss=loss, penalty=L2(lam))
    found = newton(case, start=([40.0, -30.0, 9.0], 20.0), max_iter=500, trace=trace)
    assert certify(case, found, 1e-10).converged
    assert (np.diff(trace.objective) <= 1e-12 * np.abs(trace.objective[:-1])).all()


def test_a_singular_hessian_gives_the_shortest_answer(data):
    X, y, _ = data
    found = newton(problem(np.c_[X, X[:, 0]], y))
    plain = newton(problem(X, y))
    np.testing.assert_allclose(found.beta[[0, 3]], plain.beta[0] / 2, rtol=1e-6)


def test_too_few_steps_are_reported(data):
    X, y, _ = data
    with pytest.warns(NotCertified):
        LogisticRegression(C=np.inf, solver="newton", max_iter=1).fit(X, y > 0)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"loss": Quantile(0.5)}, "Quantile: its slope jumps"),
        ({"loss": EpsilonInsensitive(0.1)}, "EpsilonInsensitive: its slope jumps"),
        ({"loss": Hinge(1.0)}, "Hinge: its slope jumps"),
        ({"penalty": ElasticNet(0.0, 0.1, True)}, "bounds of the coefficients"),
        ({"penalty": L1(0.1)}, "kink at 0 has no gradient there"),
    ],
)
def test_what_does_not_bend_is_refused(data, settings, message):
    X, y, _ = data
    with pytest.raises(ValueError, match=message):
        newton(problem(X, y, **settings))
    with pytest.raises(ValueError, match="2 columns"):
        newton(problem(X, np.c_[y, y]))
