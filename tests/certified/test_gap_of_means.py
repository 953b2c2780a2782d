"""The gaps claimed for losses of means and shares, against optima found with fifty digits."""

import mpmath as mp
import numpy as np
import pytest

from separatrix.core.certificate import certify
from separatrix.core.objective import gap_unit
from separatrix.core.problem import Problem
from separatrix.core.solution import Solution
from separatrix.core.target import Target
from separatrix.designs import as_design
from separatrix.losses import ComplementaryLogLog, Gamma, Poisson, Probit, Tweedie
from separatrix.penalties import L2
from separatrix.solvers.choose import solve_likelihood

N, LAM = 14, 0.05
LOSSES = [Poisson(), Gamma(), Tweedie(1.5), Probit(), ComplementaryLogLog()]
DIGITS = 50


def exact_loss(loss, y, eta):
    mu = mp.exp(eta)
    if isinstance(loss, Poisson):
        return mu - y + (y * (mp.log(y) - eta) if y else 0)
    if isinstance(loss, Gamma):
        return y / mu - 1 - mp.log(y) + eta
    if isinstance(loss, Tweedie):
        p = mp.mpf(loss.power)
        return mu ** (2 - p) / (2 - p) - y * mu ** (1 - p) / (1 - p) + y ** (2 - p) / ((1 - p) * (2 - p))
    yes, no = (mp.ncdf(eta), mp.ncdf(-eta)) if isinstance(loss, Probit) else (-mp.expm1(-mu), mp.exp(-mu))
    return -(y * mp.log(yes) if y else 0) - ((1 - y) * mp.log(no) if y < 1 else 0)


def exact_objective(problem, w):
    """P at w = (intercept, beta), with the numbers of the problem as they are stored."""
    X, y, s = problem.design.X, problem.target.y, problem.target.weights
    total = mp.mpf(0)
    for row, target, weight in zip(X.tolist(), y.tolist(), s.tolist()):
        eta = w[0] + mp.fsum(mp.mpf(x) * b for x, b in zip(row, w[1:]))
        total += mp.mpf(weight) * exact_loss(problem.loss, mp.mpf(target), eta)
    return total / mp.fsum(map(mp.mpf, s.tolist())) + mp.mpf(LAM) / 2 * mp.fsum(b * b for b in w[1:])


def exact_optimum(problem, w):
    """The least P: from a point within 1e-6 of the optimum, Newton's steps by differences with many digits."""
    h = mp.mpf(10) ** -20
    for _ in range(4):
        base = exact_objective(problem, w)
        unit = [[h if i == j else 0 for i in range(3)] for j in range(3)]

        def at(*moves, w=w):
            return exact_objective(problem, [w[i] + sum(m[i] for m in moves) for i in range(3)])

        up = [at(unit[j]) for j in range(3)]
        down = [at([-v for v in unit[j]]) for j in range(3)]
        g = mp.matrix([(a - b) / (2 * h) for a, b in zip(up, down)])
        H = mp.matrix(3, 3)
        for j in range(3):
            for k in range(3):
                H[j, k] = (at(unit[j], unit[k]) - up[j] - up[k] + base) / h**2
        step = mp.lu_solve(H, -g)
        w = [w[i] + step[i] for i in range(3)]
    return exact_objective(problem, w)


@pytest.mark.parametrize("loss", LOSSES, ids=str)
@pytest.mark.parametrize("scale", [1.0, 1e6])
def test_no_claimed_gap_is_below_the_true_one(loss, scale):
    rng = np.random.default_rng(3)
    X = rng.standard_normal((N, 2))
    mean = np.exp(X @ [0.6, -0.4] + 0.3)
    shares = isinstance(loss, Probit | ComplementaryLogLog)
    y = scale * (rng.gamma(2.0, mean / 2.0) if isinstance(loss, Gamma) else rng.poisson(mean).astype(float))
    if shares:
        if scale > 1.0:
            pytest.skip("shares have no unit")
        y = rng.choice([0.0, 0.25, 1.0], N)
    problem = Problem(as_design(X), Target(y, rng.integers(1, 4, N).astype(float)), loss, L2(LAM), True)
    solution = solve_likelihood(problem, tol=1e-12)
    claimed = certify(problem, solution, 1e-8)
    assert claimed.kind == "gap" and claimed.converged
    with mp.workdps(DIGITS):
        point = [mp.mpf(float(solution.intercept)), *map(mp.mpf, solution.beta.tolist())]
        best = exact_optimum(problem, point)
        unit = gap_unit(problem)
        for size in (0.0, 1e-9, 1e-6, 1e-3, 0.1):
            move = size * rng.standard_normal(3)
            beta, intercept = solution.beta + move[1:], float(solution.intercept + move[0])
            claim = certify(problem, Solution(beta, intercept), 1e-8).value
            true = (exact_objective(problem, [mp.mpf(intercept), *map(mp.mpf, beta.tolist())]) - best) / mp.mpf(unit)
            assert true >= 0
            assert claim >= true
            # and not much above it where the penalty counts: to balance the slopes costs as much as they sum to
            assert claim <= 200.0 * float(true) + 10.0 * size + 1e-11 or scale > 1.0
