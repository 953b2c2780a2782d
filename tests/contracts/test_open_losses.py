"""Losses and a penalty from outside the package, with field names of their own, are solved and certified like ours."""

from functools import partial
from math import exp, inf, log, log1p, sqrt, tanh
from typing import NamedTuple

import mpmath
import numpy as np
import pytest
import scipy.sparse as sp
from scipy.optimize import minimize
from sklearn.linear_model import Lasso, PoissonRegressor, Ridge

from separatrix.core.certificate import certify
from separatrix.core.dispatch import atom, implements
from separatrix.core.objective import gap_unit, objective
from separatrix.core.problem import Problem
from separatrix.core.solution import Certificate, Solution
from separatrix.core.target import Target
from separatrix.core.verbs import (
    conjugate,
    curvature,
    curvatures,
    ignores_shifts,
    is_joint,
    is_likelihood,
    is_of_residual,
    is_smooth,
    joint_conjugate,
    joint_curvature,
    joint_value,
    largest_curvature,
    link,
    of_coefficient,
    slope,
    slopes,
    slopes_and_curvatures,
    split,
    value,
)
from separatrix.designs import MemoryMappedDesign, as_design
from separatrix.losses import Logistic, Quantile, Softmax
from separatrix.penalties import L1, L2
from separatrix.solvers import linear_program
from separatrix.solvers.choose import solve_likelihood
from separatrix.solvers.descent import descend
from separatrix.solvers.information import likelihood_evidence
from separatrix.solvers.newton_by_blocks import newton_by_blocks
from separatrix.solvers.newton_raphson import newton
from separatrix.solvers.proximal_newton import proximal_newton
from separatrix.solvers.quasi_newton import quasi_newton
from separatrix.solvers.row_space import in_row_space


@atom
class LogCosh(NamedTuple):
    """log cosh(eta - y)."""

    unit: float = 1.0


@implements(value, LogCosh)
def _(loss, y, eta):
    r = abs(eta - y)
    return r + log1p(exp(-2.0 * r)) - log(2.0)


@implements(slope, LogCosh)
def _(loss, y, eta):
    return tanh(eta - y)


@implements(curvature, LogCosh)
def _(loss, y, eta):
    t = tanh(eta - y)
    return 1.0 - t * t


@implements(conjugate, LogCosh)
def _(loss, y, u):
    if abs(u) > 1.0:
        return inf
    if abs(u) == 1.0:
        return u * y + log(2.0)
    return u * y + 0.5 * ((1.0 + u) * log1p(u) + (1.0 - u) * log1p(-u))


@implements(largest_curvature, LogCosh)
def _(loss):
    return 1.0


@implements(is_of_residual, LogCosh)
def _(loss):
    return True


@atom
class PoissonDeviance(NamedTuple):
    """Half the deviance of a count with mean exp(eta); its curvature has no bound."""

    unit: float = 1.0


@implements(value, PoissonDeviance)
def _(loss, y, eta):
    return exp(eta) - y - y * (eta - log(y)) if y > 0.0 else exp(eta)


@implements(slope, PoissonDeviance)
def _(loss, y, eta):
    return exp(eta) - y


@implements(curvature, PoissonDeviance)
def _(loss, y, eta):
    return exp(eta)


@implements(conjugate, PoissonDeviance)
def _(loss, y, u):
    mu = y + u
    if mu < 0.0:
        return inf
    constant = y * log(y) - y if y > 0.0 else 0.0
    return (mu * log(mu) if mu > 0.0 else 0.0) - mu - constant


@implements(is_smooth, PoissonDeviance)
def _(loss):
    return True


@implements(link, PoissonDeviance)
def _(loss, mean):
    return log(mean)


@atom
class Counts(NamedTuple):
    """The same as a likelihood without its constant: negative for most counts."""

    saturated: bool = False  # with the constant: a likelihood that is not affine in y


@implements(value, Counts)
def _(loss, y, eta):
    constant = y - y * log(y) if y > 0.0 else 0.0
    return exp(eta) - y * eta - (constant if loss.saturated else 0.0)


@implements(slope, Counts)
def _(loss, y, eta):
    return exp(eta) - y


@implements(curvature, Counts)
def _(loss, y, eta):
    return exp(eta)


@implements(conjugate, Counts)
def _(loss, y, u):
    mu = y + u
    constant = y - y * log(y) if y > 0.0 else 0.0
    if mu < 0.0:
        return inf
    return (mu * log(mu) if mu > 0.0 else 0.0) - mu + (constant if loss.saturated else 0.0)


@implements(is_smooth, Counts)
def _(loss):
    return True


@implements(is_likelihood, Counts)
def _(loss):
    return True


@implements(link, Counts)
def _(loss, mean):
    return log(mean)


@atom
class Coin(NamedTuple):
    """The logistic loss by other formulas."""

    faces: float = 2.0


@implements(value, Coin)
def _(loss, y, eta):
    return y * log1p(exp(-eta)) + (1.0 - y) * log1p(exp(eta))


@implements(slope, Coin)
def _(loss, y, eta):
    return 1.0 / (1.0 + exp(-eta)) - y


@implements(curvature, Coin)
def _(loss, y, eta):
    mu = 1.0 / (1.0 + exp(-eta))
    return mu * (1.0 - mu)


@implements(conjugate, Coin)
def _(loss, y, u):
    mu = y + u
    if mu < 0.0 or mu > 1.0:
        return inf
    return (mu * log(mu) if mu > 0.0 else 0.0) + ((1.0 - mu) * log(1.0 - mu) if mu < 1.0 else 0.0)


@implements(largest_curvature, Coin)
def _(loss):
    return 0.25


@implements(is_likelihood, Coin)
def _(loss):
    return True


@implements(link, Coin)
def _(loss, mean):
    return log(mean / (1.0 - mean))


@atom
class Die(NamedTuple):
    """The softmax loss by other formulas, without a shift by the largest score."""

    faces: float = 3.0


@implements(joint_value, Die)
def _(loss, y, eta):
    total, fit = 0.0, 0.0
    for c in range(eta.shape[0]):
        total += exp(eta[c])
        fit += y[c] * eta[c]
    return log(total) - fit


@implements(slopes, Die)
def _(loss, y, eta, out):
    total = 0.0
    for c in range(eta.shape[0]):
        out[c] = exp(eta[c])
        total += out[c]
    for c in range(eta.shape[0]):
        out[c] = out[c] / total - y[c]


@implements(curvatures, Die)
def _(loss, y, eta, out):
    total = 0.0
    for c in range(eta.shape[0]):
        total += exp(eta[c])
    for c in range(eta.shape[0]):
        out[c] = exp(eta[c]) / total * (1.0 - exp(eta[c]) / total)


@implements(joint_curvature, Die)
def _(loss, y, eta, out):
    total = 0.0
    for c in range(eta.shape[0]):
        total += exp(eta[c])
    for c in range(eta.shape[0]):
        for d in range(eta.shape[0]):
            out[c, d] = exp(eta[c]) / total * ((1.0 if c == d else 0.0) - exp(eta[d]) / total)


@implements(joint_conjugate, Die)
def _(loss, y, u):
    total = 0.0
    for c in range(u.shape[0]):
        mu = y[c] + u[c]
        if mu < 0.0:
            return inf
        total += mu * log(mu) if mu > 0.0 else 0.0
    return total


@implements(is_joint, Die)
def _(loss):
    return True


@implements(ignores_shifts, Die)
def _(loss):
    return True


@implements(is_likelihood, Die)
def _(loss):
    return True


@implements(largest_curvature, Die)
def _(loss):
    return 0.5


@implements(link, Die)
def _(loss, mean):
    return np.log(mean)


@atom
class HalfSquares(NamedTuple):
    """Half the squared distance of a row of scores from a row of targets."""

    unit: float = 1.0


@implements(joint_value, HalfSquares)
def _(loss, y, eta):
    total = 0.0
    for c in range(eta.shape[0]):
        total += 0.5 * (eta[c] - y[c]) ** 2
    return total


@implements(slopes, HalfSquares)
def _(loss, y, eta, out):
    for c in range(eta.shape[0]):
        out[c] = eta[c] - y[c]


@implements(curvatures, HalfSquares)
def _(loss, y, eta, out):
    out[:] = 1.0


@implements(joint_curvature, HalfSquares)
def _(loss, y, eta, out):
    for c in range(eta.shape[0]):
        for d in range(eta.shape[0]):
            out[c, d] = 1.0 if c == d else 0.0


@implements(joint_conjugate, HalfSquares)
def _(loss, y, u):
    total = 0.0
    for c in range(u.shape[0]):
        total += u[c] * y[c] + 0.5 * u[c] * u[c]
    return total


@implements(is_joint, HalfSquares)
def _(loss):
    return True


@implements(largest_curvature, HalfSquares)
def _(loss):
    return 1.0


@implements(is_of_residual, HalfSquares)
def _(loss):
    return True


@atom
class Distance(NamedTuple):
    """The distance of a row of scores from a row of targets, its square near 0: Huber's loss of a vector."""

    near: float


@implements(joint_value, Distance)
def _(loss, y, eta):
    square = 0.0
    for c in range(eta.shape[0]):
        square += (eta[c] - y[c]) ** 2
    if square <= loss.near**2:
        return 0.5 * square
    return loss.near * (sqrt(square) - 0.5 * loss.near)


@implements(slopes, Distance)
def _(loss, y, eta, out):
    square = 0.0
    for c in range(eta.shape[0]):
        square += (eta[c] - y[c]) ** 2
    factor = 1.0 if square <= loss.near**2 else loss.near / sqrt(square)
    for c in range(eta.shape[0]):
        out[c] = factor * (eta[c] - y[c])


@implements(joint_curvature, Distance)
def _(loss, y, eta, out):
    square = 0.0
    for c in range(eta.shape[0]):
        square += (eta[c] - y[c]) ** 2
    far = square > loss.near**2
    for c in range(eta.shape[0]):
        for d in range(eta.shape[0]):
            out[c, d] = 1.0 if c == d else 0.0
            if far:
                out[c, d] -= (eta[c] - y[c]) * (eta[d] - y[d]) / square
                out[c, d] *= loss.near / sqrt(square)


@implements(curvatures, Distance)
def _(loss, y, eta, out):
    square = 0.0
    for c in range(eta.shape[0]):
        square += (eta[c] - y[c]) ** 2
    for c in range(eta.shape[0]):
        r = eta[c] - y[c]
        out[c] = 1.0 if square <= loss.near**2 else loss.near / sqrt(square) * (1.0 - r * r / square)


@implements(joint_conjugate, Distance)
def _(loss, y, u):
    total, square = 0.0, 0.0
    for c in range(u.shape[0]):
        total += u[c] * y[c] + 0.5 * u[c] * u[c]
        square += u[c] * u[c]
    return total if square <= loss.near**2 else inf


@implements(is_joint, Distance)
def _(loss):
    return True


@implements(largest_curvature, Distance)
def _(loss):
    return 1.0


@atom
class Tilted(NamedTuple):
    """The pinball loss: `below` for each unit that eta lies below y, `above` for each above."""

    below: float
    above: float


@implements(value, Tilted)
def _(loss, y, eta):
    return loss.below * (y - eta) if y >= eta else loss.above * (eta - y)


@implements(slope, Tilted)
def _(loss, y, eta):
    return -loss.below if y > eta else loss.above if y < eta else 0.0


@implements(curvature, Tilted)
def _(loss, y, eta):
    return 0.0


@implements(conjugate, Tilted)
def _(loss, y, u):
    return u * y if -loss.below <= u <= loss.above else inf


@implements(is_of_residual, Tilted)
def _(loss):
    return True


@atom
class Each(NamedTuple):
    """A ridge of its own for every coefficient."""

    firmness: np.ndarray


@atom
class One(NamedTuple):
    """The ridge on one of them."""

    firmness: float


@implements(of_coefficient, Each)
def _(penalty, j):
    return One(penalty.firmness[j])


@implements(split, One)
def _(penalty):
    return 0.0, penalty.firmness, -inf, inf


# ------------------------------------------------------------------ smooth losses

STRENGTHS = np.array([0.1, 0.5, 1.0, 0.02])
SMOOTH = {"log cosh": LogCosh(), "Poisson": PoissonDeviance(), "coin": Coin()}
SOLVERS = {
    "quasi_newton": quasi_newton,
    "newton": newton,
    "descent": lambda problem: descend(problem, learning_rate=0.1, max_iter=20_000, tol=1e-11),
    "row_space": in_row_space,
}


def data(loss, n=60):
    rng = np.random.default_rng(8)
    X = rng.standard_normal((n, 4))
    eta = X @ [0.8, -0.5, 0.3, 0.0] + 0.2
    y = {LogCosh: eta + rng.standard_normal(n), PoissonDeviance: rng.poisson(np.exp(eta)).astype(float)}.get(
        type(loss), (rng.random(n) < 1.0 / (1.0 + np.exp(-eta))).astype(float)
    )
    return X, y


@pytest.mark.parametrize("storage", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("penalty", [L2(0.3), Each(STRENGTHS)], ids=["ours", "outside"])
@pytest.mark.parametrize("name", SOLVERS)
@pytest.mark.parametrize("loss", SMOOTH.values(), ids=SMOOTH)
def test_a_loss_from_outside_is_solved_and_certified_by_every_gradient_method(loss, name, penalty, storage):
    X, y = data(loss)
    problem = Problem(as_design(storage(X)), Target(y), loss, penalty, True)
    solution = SOLVERS[name](problem)
    certificate = certify(problem, solution, 1e-8)
    assert certificate.kind == "gap" and certificate.converged, certificate
    # the gradient, written out by hand
    slopes_by_hand = np.array([slope(loss, *pair) for pair in zip(y, X @ solution.beta + solution.intercept)])
    ridge = STRENGTHS if isinstance(penalty, Each) else 0.3
    gradient = np.append(slopes_by_hand.mean(), X.T @ slopes_by_hand / len(y) + ridge * solution.beta)
    # P - min P <= 1e-8 P0 and curvature at most 10 here: the gradient is below sqrt(2 * 10 * 1e-8 * P0)
    assert np.abs(gradient).max() < 1e-3


@pytest.mark.parametrize("saturated", [False, True])
def test_a_likelihood_that_may_be_negative_is_certified_where_it_is_solved_and_nowhere_else(saturated):
    X, y = data(PoissonDeviance())
    y = 5.0 * y
    problem = Problem(as_design(X), Target(y), Counts(saturated), L2(0.3), True)
    solution = newton(problem)
    theirs = PoissonRegressor(alpha=0.3, tol=1e-12, max_iter=1000).fit(X, y)
    np.testing.assert_allclose(solution.beta, theirs.coef_, atol=1e-6)
    assert certify(problem, solution, 1e-8).converged
    least = objective(problem, solution.beta, solution.intercept)
    for beta in (solution.beta + 0.01, 0.5 * solution.beta, np.zeros(4)):
        gap = objective(problem, beta, solution.intercept) - least
        claimed = certify(problem, Solution(beta, solution.intercept), 1e-8).value * gap_unit(problem)
        assert gap * (1.0 - 1e-9) <= claimed <= 100.0 * gap


@pytest.mark.parametrize("loss", SMOOTH.values(), ids=SMOOTH)
def test_without_a_penalty_a_loss_from_outside_is_certified_by_its_gradient(loss):
    X, y = data(loss)
    penalty = Each(np.array([0.0, 0.0, 0.0, 1.0]))  # three coefficients are free
    problem = Problem(as_design(X), Target(y), loss, penalty, True)
    for solve in (quasi_newton, newton):
        certificate = certify(problem, solve(problem), 1e-8)
        assert certificate.kind == "gradient" and certificate.converged, certificate


@pytest.mark.parametrize("storage", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("solve", [proximal_newton, newton_by_blocks, solve_likelihood])
@pytest.mark.parametrize("far", [False, True], ids=["near", "far"])
@pytest.mark.parametrize("loss", [PoissonDeviance(), Counts()], ids=["deviance", "negative"])
def test_a_loss_of_unbounded_curvature_is_solved_under_an_l1_penalty(loss, solve, storage, far):
    """The subgradient conditions of the optimum hold at the answer, in fifty digits."""
    X, y = data(PoissonDeviance())
    start = (np.array([-6.0, 6.0, 0.0, 0.0]), -30.0) if far else None  # where exp(eta) is nearly flat
    y = 3.0 * y if isinstance(loss, Counts) else y  # the null model is below 0 then
    problem = Problem(as_design(storage(X)), Target(y), loss, L1(0.1), True)
    solution = solve(problem, start=start)
    certificate = certify(problem, solution, 1e-8)
    assert certificate.kind == "gap" and certificate.converged, certificate
    beta, n = solution.beta, len(y)
    assert np.count_nonzero(beta)
    with mpmath.workdps(50):
        mu = [mpmath.exp(mpmath.fdot(row, beta) + mpmath.mpf(solution.intercept)) for row in X.tolist()]
        rest = [m - mpmath.mpf(t) for m, t in zip(mu, y.tolist())]
        gradient = [float(mpmath.fdot(X[:, j].tolist(), rest) / n) for j in range(4)]
        balance = float(mpmath.fsum(rest) / n)
    assert abs(balance) < 1e-7
    for g, b in zip(gradient, beta):
        assert abs(g + 0.1 * np.sign(b)) < 1e-7 if b else abs(g) <= 0.1


@pytest.mark.parametrize("solve", [proximal_newton, newton_by_blocks, quasi_newton])
def test_a_poisson_ridge_is_that_of_scikit_learn(solve):
    X, y = data(PoissonDeviance())
    theirs = PoissonRegressor(alpha=0.3, tol=1e-12, max_iter=10_000, solver="newton-cholesky").fit(X, y)
    solution = solve(Problem(as_design(X), Target(y), PoissonDeviance(), L2(0.3), True))
    np.testing.assert_allclose([solution.intercept, *solution.beta], [theirs.intercept_, *theirs.coef_], atol=1e-7)


def test_a_likelihood_from_outside_has_the_information_of_ours():
    X, y = data(Coin())
    ours, theirs = (Problem(as_design(X), Target(y), loss, Each(STRENGTHS), True) for loss in (Logistic(), Coin()))
    a, b = (likelihood_evidence(problem, np.array([0.5, -0.2, 0.1, 0.3]), 0.1) for problem in (ours, theirs))
    np.testing.assert_allclose(a.covariance, b.covariance, rtol=1e-10)
    for fact in ("log_likelihood", "null_log_likelihood", "saturated_log_likelihood", "edf"):
        np.testing.assert_allclose(getattr(a, fact), getattr(b, fact), rtol=1e-12, atol=1e-12)


# ------------------------------------------------------------------ a joint loss, and quantiles


@pytest.mark.parametrize("storage", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("penalty", [L2(0.05), Each(STRENGTHS)], ids=["ours", "outside"])
def test_a_joint_loss_from_outside_gives_the_answer_of_ours(penalty, storage):
    rng = np.random.default_rng(4)
    X, Y = rng.standard_normal((90, 4)), np.eye(3)[rng.integers(0, 3, 90)]
    theirs = Problem(as_design(storage(X)), Target(Y), Die(), penalty, True)
    ours = Problem(as_design(storage(X)), Target(Y), Softmax(), penalty, True)
    solution = quasi_newton(theirs)
    assert certify(theirs, solution, 1e-8).converged
    np.testing.assert_allclose(solution.beta, quasi_newton(ours).beta, atol=1e-8)


def outcomes(n=80, k=3):
    """Rows of X about means of their own, and rows of k targets with some outliers."""
    rng = np.random.default_rng(14)
    X = rng.standard_normal((n, 4)) + np.array([0.0, 2.0, -1.0, 0.5])
    Y = X @ rng.standard_normal((4, k)) + [5.0, 0.0, -3.0][:k] + 0.5 * rng.standard_normal((n, k))
    Y[::9] += 10.0 * rng.standard_normal((len(Y[::9]), k))
    return X, Y


def by_scipy(X, Y, loss, kink, ridge):
    """beta and intercept by L-BFGS-B on beta = up - down, up and down not negative: the values written out by hand."""
    n, (p, k) = len(X), (X.shape[1], Y.shape[1])

    def objective(w):
        up, down, b = w[: p * k].reshape(p, k), w[p * k : 2 * p * k].reshape(p, k), w[2 * p * k :]
        beta = up - down
        r = X @ beta + b - Y
        size = np.sqrt((r * r).sum(axis=1))
        near = loss.near if isinstance(loss, Distance) else np.inf
        far = size > near
        fit = np.where(far, near * (size - 0.5 * near), 0.5 * size**2) if far.any() else 0.5 * size**2
        u = r * np.where(far, near / np.maximum(size, 1e-300), 1.0)[:, None] if far.any() else r
        g = X.T @ u / n + ridge * beta
        value = fit.mean() + kink * w[: 2 * p * k].sum() + 0.5 * ridge * (beta * beta).sum()
        return value, np.concatenate([(g + kink).ravel(), (kink - g).ravel(), u.mean(axis=0)])

    start, bounds = np.zeros(2 * p * k + k), [(0.0, None)] * (2 * p * k) + [(None, None)] * k
    options = {"maxiter": 20_000, "maxfun": 100_000, "ftol": 1e-16, "gtol": 1e-11, "maxcor": 50}
    w = minimize(objective, start, jac=True, bounds=bounds, method="L-BFGS-B", options=options).x
    return (w[: p * k] - w[p * k : 2 * p * k]).reshape(p, k), w[2 * p * k :]


JOINT = {"half squares": HalfSquares(), "distance": Distance(1.0)}
JOINT_SOLVERS = {
    "choose": (solve_likelihood, np.asarray, True),
    "proximal_newton": (proximal_newton, np.asarray, True),
    "proximal_newton on sparse rows": (proximal_newton, sp.csr_array, True),
    "newton_by_blocks": (newton_by_blocks, np.asarray, True),
    "newton_by_blocks on a stream": (newton_by_blocks, partial(MemoryMappedDesign, block_rows=30), True),
    "quasi_newton": (quasi_newton, np.asarray, False),
    "row_space": (in_row_space, np.asarray, False),
}


@pytest.mark.parametrize("penalty", [L1(0.2), L2(0.05)], ids=["L1", "L2"])
@pytest.mark.parametrize("name", JOINT_SOLVERS)
@pytest.mark.parametrize("loss", JOINT.values(), ids=JOINT)
def test_a_joint_loss_that_knows_no_classes_is_solved_and_certified(loss, name, penalty):
    solve, storage, takes_kinks = JOINT_SOLVERS[name]
    if penalty == L1(0.2) and not takes_kinks:
        pytest.skip("a gradient method")
    X, Y = outcomes()
    problem = Problem(as_design(storage(X)), Target(Y), loss, penalty, True)
    solution = solve(problem)
    certificate = certify(problem, solution, 1e-8)
    assert certificate.kind == "gap" and certificate.converged, certificate
    kink, ridge, *_ = split(penalty)
    if isinstance(loss, HalfSquares):  # k separate problems
        peers = [Lasso(0.2, tol=1e-14, max_iter=100_000) if kink else Ridge(0.05 * len(X)) for _ in Y.T]
        for peer, y in zip(peers, Y.T):
            peer.fit(X, y)
        beta, intercept = np.transpose([peer.coef_ for peer in peers]), [peer.intercept_ for peer in peers]
    else:
        beta, intercept = by_scipy(X, Y, loss, kink, ridge)
    # a gap of 1e-8 in units of a null model near 10, and a curvature of at least 0.1: |error|² < 2e-7 / 0.1
    np.testing.assert_allclose(solution.beta, beta, atol=1.5e-3)
    np.testing.assert_allclose(solution.intercept, intercept, atol=6e-3)


@pytest.mark.parametrize("loss", JOINT.values(), ids=JOINT)
def test_free_coefficients_of_a_joint_loss_do_not_sum_to_zero(loss):
    X, Y = outcomes()
    problem = Problem(as_design(X), Target(Y), loss, Each(np.array([0.0, 0.0, 0.3, 0.3])), True)
    answers = [solve(problem) for solve in (proximal_newton, newton_by_blocks, quasi_newton)]
    for solution in answers:
        assert certify(problem, solution, 1e-6).converged
        np.testing.assert_allclose(solution.beta, answers[0].beta, atol=1e-6)
    assert np.abs(answers[0].beta[0].sum()) > 0.1


@pytest.mark.parametrize("loss", [Softmax(), Die()], ids=lambda loss: type(loss).__name__)
def test_slopes_and_curvatures_at_once_are_those_taken_apart(loss):
    y, eta = np.array([0.0, 1.0, 0.0]), np.array([0.3, -2.0, 5.0])
    apart, at_once = np.empty((2, 3)), np.empty((2, 3))
    slopes(loss, y, eta, apart[0])
    curvatures(loss, y, eta, apart[1])
    slopes_and_curvatures(loss, y, eta, *at_once)
    np.testing.assert_allclose(at_once, apart, rtol=1e-15)


def test_a_dual_point_that_no_conjugate_allows_gives_no_certificate_of_nan():
    X, Y = outcomes()
    problem = Problem(as_design(X), Target(Y), Distance(1.0), L1(0.2), True)
    solution = proximal_newton(problem)
    for theta in (np.full(Y.shape, 50.0), np.full(Y.shape, np.nan)):
        solution.theta = theta
        certificate = certify(problem, solution, 1e-8)
        assert not np.isnan(certificate.value) and not certificate.converged


def test_a_gap_that_is_no_number_is_infinite_and_says_so():
    certificate = Certificate("gap", np.nan, 1e-8)
    assert certificate.value == inf and not certificate.converged
    assert str(certificate) == "NOT certified: the gap cannot be computed: it is no number"


def test_a_pinball_loss_from_outside_gives_the_quantile():
    X, y = data(LogCosh())
    theirs = Problem(as_design(X), Target(y), Tilted(0.6, 1.4), L1(0.02), True)
    ours = Problem(as_design(X), Target(y), Quantile(0.3), L1(0.01), True)  # twice this one is the other
    solution = linear_program.solve(theirs)
    assert certify(theirs, solution, 1e-8).converged
    np.testing.assert_allclose(solution.beta, linear_program.solve(ours).beta, atol=1e-9)


def test_what_a_loss_or_penalty_from_outside_lacks_is_said():
    X, y = data(LogCosh())
    with pytest.raises(ValueError, match="Tilted: its slope jumps"):
        quasi_newton(Problem(as_design(X), Target(y), Tilted(0.5, 0.5), L2(0.1), True))
    with pytest.raises(ValueError, match="not linear on either side"):
        linear_program.solve(Problem(as_design(X), Target(y), LogCosh(), L1(0.1), True))
    with pytest.raises(ValueError, match="curvature has no bound"):
        descend(Problem(as_design(X), Target(np.abs(y)), PoissonDeviance(), L2(0.1), True))
    with pytest.raises(ValueError, match="not penalised may leave it"):
        in_row_space(Problem(as_design(X), Target(y), LogCosh(), Each(np.array([0.0, 1.0, 1.0, 1.0])), True))
