"""Ridge and minimum-norm least squares by conjugate gradients, for designs too wide or too sparse to factorise.

Solves   (X_c'S X_c + lam I) beta = X_c'S y,  X_c being X less its means if there is an intercept.
Given    a design, a target with one or k outputs, lam >= 0.
Returns  beta, intercept, certificate. From zero the iterates stay in the row space of X, so that with lam = 0 the limit
         is the solution of minimum norm.
From     Hestenes and Stiefel (1952), J. Res. Nat. Bur. Standards 49(6); Jacobi preconditioner where lam > 0.
Cost     one read of X for each iteration: a block of rows serves X v and X'(X v) while it is in cache.
"""

import time

import numpy as np

from separatrix.core.solution import Certificate, Solution
from separatrix.designs import moments


def conjugate_gradient(design, target, lam, *, intercept=True, tol=1e-16, max_iter=1000):
    """Solve each output in turn; see the head of this file."""
    started = time.perf_counter()
    Y = target.y.reshape(design.n, -1)
    s = target.s
    found = moments(design, target, about_mean=intercept, gram=False)
    mean, y_mean = found.x_mean, found.y_mean
    preconditioner = found.squares + lam if lam > 0.0 else np.ones(design.p)

    beta, passes, worst = np.zeros((design.p, Y.shape[1])), 1, 0.0
    for c in range(Y.shape[1]):
        y, g = Y[:, c] - y_mean[c], found.xy[:, c].copy()
        beta[:, c], iterations, gap = _solve(design, y, g, s, mean, lam, preconditioner, tol, max_iter)
        passes, worst = passes + iterations, max(worst, gap)
    offset = y_mean - mean @ beta
    certificate = Certificate("gap", worst, tol, passes - 1, passes, time.perf_counter() - started)
    one = target.y.ndim == 1
    return Solution(beta[:, 0] if one else beta, float(offset[0]) if one else offset, certificate)


def _solve(design, y, g, s, mean, lam, preconditioner, tol, max_iter):
    """One output: beta, iterations, and the certified gap relative to the null model."""
    null = float(y @ y if s is None else (s * y) @ y)
    beta = np.zeros(design.p)
    if null == 0.0:
        return beta, 0, 0.0
    z = g / preconditioner
    direction, gz, rss = z.copy(), float(g @ z), null
    for iteration in range(max_iter):
        gap = _gap(g, rss, null, lam)
        if gap <= tol or gz == 0.0:
            return beta, iteration, gap
        image = _normal_matvec(design, s, mean, direction) + lam * direction
        curvature = float(direction @ image)
        if curvature <= 0.0:
            break
        step = gz / curvature
        beta += step * direction
        g -= step * image
        rss -= step * gz  # the objective |r|² + lam |beta|² falls by exactly this much
        z = g / preconditioner
        gz, before = float(g @ z), gz
        direction = z + (gz / before) * direction
    return beta, max_iter, _gap(g, rss, null, lam)


def _gap(g, objective, null, lam):
    """Bound on ``(P(beta) - min P) / P(0)``: Fenchel's gap is ``|g|²/(2 lam)``, and no objective is below zero."""
    bound = max(objective, 0.0)
    if lam > 0.0:
        bound = min(bound, float(g @ g) / lam)
    return bound / null


def _normal_matvec(design, s, mean, v):
    """``X_c'S X_c v`` in one read of X."""
    shift = mean @ v

    def task(B, s_block):
        image = B @ v - shift
        weighted = image if s_block is None else s_block * image
        return B.T @ weighted, weighted.sum()

    image, total = design.reduce(task, lambda a, b: (a[0] + b[0], a[1] + b[1]), s)
    return image - mean * total
