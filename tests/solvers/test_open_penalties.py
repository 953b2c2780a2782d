"""A penalty written here, with field names of its own, is solved and certified like the one that it equals."""

from math import inf
from typing import NamedTuple

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from separatrix.core.certificate import certify
from separatrix.core.dispatch import atom, implements
from separatrix.core.problem import Problem
from separatrix.core.target import Target
from separatrix.core.verbs import split
from separatrix.designs import as_design
from separatrix.losses import Huber, Logistic, Softmax, Squared
from separatrix.penalties import L1, L2, ElasticNet, Separable
from separatrix.solvers.choose import solve_likelihood
from separatrix.solvers.path import path
from separatrix.solvers.proximal_newton import proximal_newton


@atom
class Absolute(NamedTuple):
    strength: float


@implements(split, Absolute)
def _(penalty):
    return penalty.strength, 0.0, -inf, inf


@atom
class Square(NamedTuple):
    strength: float


@implements(split, Square)
def _(penalty):
    return 0.0, penalty.strength, -inf, inf


def stated(loss, penalty, p=60, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((90, p)) + 0.2
    eta = X[:, :4] @ np.array([1.0, -2.0, 0.5, 1.0]) + 0.5 * rng.logistic(size=90)
    if isinstance(loss, Logistic):
        y = (eta > 0.0).astype(float)
    elif isinstance(loss, Softmax):
        y = np.eye(3)[np.digitize(eta, [-1.0, 1.0])]
    else:
        y = 1e3 + eta
    return Problem(as_design(X), Target(y), loss, penalty)


LOSSES = [Squared(), Logistic(), Softmax()]


@pytest.mark.parametrize("loss", LOSSES, ids=str)
def test_an_l1_of_another_name_has_the_coefficients_and_the_certificate_of_l1(loss):
    ours, named = stated(loss, Absolute(0.04)), stated(loss, L1(0.04))
    one, other = proximal_newton(ours), proximal_newton(named)
    assert one.beta.any()
    assert_array_equal(one.beta, other.beta)
    certificate = certify(ours, one, 1e-8)
    assert certificate.converged
    assert certificate.value == certify(named, other, 1e-8).value


@pytest.mark.parametrize("loss", LOSSES, ids=str)
def test_a_path_of_such_penalties_is_that_of_l1(loss):
    strengths = (0.2, 0.1, 0.05)
    one = path(stated(loss, Absolute(1.0)), strengths, Absolute)
    other = path(stated(loss, L1(1.0)), strengths, L1)
    for mine, theirs in zip(one, other):
        assert_array_equal(mine, theirs)
    assert one[2].max() <= 1e-8


@pytest.mark.parametrize("loss", LOSSES[1:], ids=str)
def test_an_l2_of_another_name_is_solved_by_full_gradients(loss):
    one = solve_likelihood(stated(loss, Square(0.04)))
    assert_allclose(one.beta, solve_likelihood(stated(loss, L2(0.04))).beta, rtol=1e-12, atol=1e-15)


@pytest.mark.parametrize("loss", LOSSES, ids=str)
def test_parts_of_their_own_for_each_coefficient_are_one_penalty_if_they_are_equal(loss):
    arrays = Separable(np.full(60, 0.03), np.full(60, 0.02), np.full(60, -inf), np.full(60, inf))
    one, other = proximal_newton(stated(loss, arrays)), proximal_newton(stated(loss, ElasticNet(0.03, 0.02)))
    assert_array_equal(one.beta, other.beta)


def test_a_smooth_loss_with_flat_curvature_in_its_tails_is_solved_and_certified():
    problem = stated(Huber(0.5), L1(0.02))
    assert certify(problem, proximal_newton(problem), 1e-8).converged
