"""Losses and a penalty from outside the package, with field names of their own, are solved and certified like ours."""

from math import exp, inf, log, log1p, tanh
from typing import NamedTuple

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.linear_model import PoissonRegressor

from separatrix.core.certificate import certify
from separatrix.core.dispatch import atom, implements
from separatrix.core.objective import gap_unit, objective
from separatrix.core.problem import Problem
from separatrix.core.solution import Solution
from separatrix.core.target import Target
from separatrix.core.verbs import (
    conjugate,
    curvature,
    curvatures,
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
    split,
    value,
)
from separatrix.designs import as_design
from separatrix.losses import Logistic, Quantile, Softmax
from separatrix.penalties import L1, L2
from separatrix.solvers import linear_program
from separatrix.solvers.descent import descend
from separatrix.solvers.information import likelihood_evidence
from separatrix.solvers.newton_raphson import newton
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
