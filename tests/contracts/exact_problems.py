"""Small problems solved exactly, in 50 digits, by looking at every pattern an optimum can have."""

from itertools import combinations, product

import mpmath as mp
import numpy as np

from separatrix.core.problem import Problem
from separatrix.core.target import Target
from separatrix.designs import DenseDesign
from separatrix.losses import Logistic, Quantile, Squared
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
        elif isinstance(problem.loss, Logistic):
            eta = r + target
            fit += weight * (mp.log1p(mp.exp(-abs(eta))) + max(eta, 0) - target * eta)
        else:
            q = mp.mpf(problem.loss.q)
            fit += weight * (-q * r if r < 0 else (1 - q) * r)
    return fit / mp.fsum(s) + mp.fsum(l1 * abs(b) + l2 * b * b / 2 for b in beta)


def optimum(problem):
    """(min P, beta, intercept): the best of all candidates, one of which is an optimum."""
    candidates = {Squared: least_squares_candidates, Logistic: logistic_candidates}.get(
        type(problem.loss), quantile_candidates
    )
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


def logistic_candidates(problem, steps=60):
    """Where Newton's method ends for each pattern of signs (-1, 0, 1) of the coefficients."""
    X, y, s = exact(problem.design.X), exact(problem.target.y), exact(problem.target.weights)
    l1, l2, _ = strengths(problem.penalty)
    p, total, extra = problem.design.p, mp.fsum(s), int(problem.intercept)
    centre = [mp.fsum(row[j] for row in X) / len(X) if extra else mp.mpf(0) for j in range(p)]
    for signs in product((0, 1, -1) if l1 else (1,), repeat=p):
        active = [j for j in range(p) if signs[j]]
        Z = [[row[j] - centre[j] for j in active] + [mp.mpf(1)] * extra for row in X]
        k = len(active) + extra
        w = mp.matrix(k, 1)
        for _ in range(steps if k else 0):
            A, b = mp.matrix(k, k), mp.matrix(k, 1)
            for z, target, weight in zip(Z, y, s):
                mu = 1 / (1 + mp.exp(-mp.fsum(a * c for a, c in zip(z, w))))
                for i in range(k):
                    b[i] += weight * z[i] * (mu - target) / total
                    for j in range(k):
                        A[i, j] += weight * mu * (1 - mu) * z[i] * z[j] / total
            for i, j in enumerate(active):
                A[i, i] += l2
                b[i] += l2 * w[i] + (l1 * signs[j] if l1 else 0)
            move = mp.lu_solve(A, b)
            length = mp.norm(move)
            w -= move * min(1, 2 / length) if length else move
            if length < mp.mpf(10) ** -45 or mp.norm(w) > 100:
                break
        beta = [mp.mpf(0)] * p
        for i, j in enumerate(active):
            beta[j] = w[i]
        yield beta, (w[k - 1] - mp.fdot(beta, centre) if extra else mp.mpf(0))


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
    if isinstance(loss, Logistic):
        y = np.where(y > np.median(y), 1.0, 0.0)
        y[0] = 0.4  # a soft label
    s = rng.integers(0, 3, size=n).astype(float) if weighted else None
    if s is not None:
        s[:4] += 1.0
    return Problem(DenseDesign(X), Target(y, s), loss, penalty, intercept)


__all__ = ["DIGITS", "Quantile", "exact_objective", "optimum", "random_problem"]
