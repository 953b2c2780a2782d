"""Small problems solved exactly, in 50 digits, by looking at every pattern an optimum can have."""

from itertools import combinations, product

import mpmath as mp
import numpy as np

from separatrix.core.problem import Problem
from separatrix.core.target import Target
from separatrix.designs import DenseDesign
from separatrix.losses import Quantile, Squared
from separatrix.penalties import ElasticNet

DIGITS = 50


def exact(array):
    """Floats as multiple-precision numbers: no rounding, every float is a fraction."""
    return (
        [[mp.mpf(float(a)) for a in row] for row in array] if np.ndim(array) == 2 else [mp.mpf(float(a)) for a in array]
    )


def strengths(penalty):
    """(l1, l2, positive) of any of our penalties."""
    if isinstance(penalty, ElasticNet):
        return mp.mpf(penalty.l1), mp.mpf(penalty.l2), penalty.positive
    lam, name = mp.mpf(penalty.lam), type(penalty).__name__
    return (lam if name == "L1" else mp.mpf(0)), (lam if name == "L2" else mp.mpf(0)), False


def exact_objective(problem, beta, intercept):
    """P(beta, intercept), in 50 digits, from the floats of the problem."""
    X, y, s = exact(problem.design.X), exact(problem.target.y), exact(problem.target.weights)
    l1, l2, _ = strengths(problem.penalty)
    fit = mp.mpf(0)
    for row, target, weight in zip(X, y, s):
        r = mp.fdot(row, beta) + intercept - target
        if isinstance(problem.loss, Squared):
            fit += weight * r * r / 2
        else:
            q = mp.mpf(problem.loss.q)
            fit += weight * (-q * r if r < 0 else (1 - q) * r)
    return fit / mp.fsum(s) + mp.fsum(l1 * abs(b) + l2 * b * b / 2 for b in beta)


def optimum(problem):
    """(min P, beta, intercept): the best of all candidates, one of which is an optimum."""
    candidates = least_squares_candidates if isinstance(problem.loss, Squared) else quantile_candidates
    best = None
    for beta, intercept in candidates(problem):
        found = exact_objective(problem, beta, intercept)
        if best is None or found < best[0]:
            best = (found, beta, intercept)
    return best


def least_squares_candidates(problem):
    """The stationary point for each pattern of signs (-1, 0, 1) of the coefficients."""
    X, y, s = exact(problem.design.X), exact(problem.target.y), exact(problem.target.weights)
    l1, l2, positive = strengths(problem.penalty)
    p, total, extra = problem.design.p, mp.fsum(s), int(problem.intercept)
    for signs in product((0, 1) if positive else (0, 1, -1), repeat=p):
        active = [j for j in range(p) if signs[j]]
        columns = [[row[j] for row in X] for j in active] + [[mp.mpf(1)] * len(y)] * extra
        beta, intercept = [mp.mpf(0)] * p, mp.mpf(0)
        if columns:
            k = len(columns)
            A, b = mp.matrix(k, k), mp.matrix(k, 1)
            for i, left in enumerate(columns):
                for j, right in enumerate(columns):
                    A[i, j] = mp.fsum(w * c * d for w, c, d in zip(s, left, right)) / total
                b[i] = mp.fsum(w * c * t for w, c, t in zip(s, left, y)) / total
                if i < len(active):
                    A[i, i] += l2
                    b[i] -= l1 * signs[active[i]]
            solved = mp.lu_solve(A, b)
            for i, j in enumerate(active):
                beta[j] = solved[i]
            intercept = solved[k - 1] if extra else intercept
        if not (positive and any(b < 0 for b in beta)):
            yield beta, intercept


def quantile_candidates(problem):
    """The points that interpolate as many rows as they have non-zero coefficients: the vertices of the program."""
    X, y = exact(problem.design.X), exact(problem.target.y)
    p, extra = problem.design.p, int(problem.intercept)
    for size in range(p + 1):
        for active in combinations(range(p), size):
            k = size + extra
            if k == 0:
                yield [mp.mpf(0)] * p, mp.mpf(0)
                continue
            for rows in combinations(range(len(y)), k):
                A = mp.matrix([[X[i][j] for j in active] + [mp.mpf(1)] * extra for i in rows])
                try:
                    solved = mp.lu_solve(A, mp.matrix([y[i] for i in rows]))
                except ZeroDivisionError:
                    continue
                beta = [mp.mpf(0)] * p
                for i, j in enumerate(active):
                    beta[j] = solved[i]
                yield beta, (solved[k - 1] if extra else mp.mpf(0))


def random_problem(seed, loss, penalty, *, intercept, x_mean=0.0, y_mean=0.0, weighted=False, n=8, p=2):
    rng = np.random.default_rng(seed)
    X = x_mean + rng.normal(size=(n, p))
    y = y_mean + X @ np.array([1.0, -0.5, 2.0][:p]) + rng.normal(size=n)
    s = rng.integers(0, 3, size=n).astype(float) if weighted else None
    if s is not None:
        s[:4] += 1.0
    return Problem(DenseDesign(X), Target(y, s), loss, penalty, intercept)


__all__ = ["DIGITS", "Quantile", "exact_objective", "optimum", "random_problem"]
