"""Non-negative least squares and ridge, by Lawson and Hanson's active-set method on a small triangle.

Solves   min  ½ Σ s_i (y_i - x_i'beta - intercept)² + ½ lam |beta|²   s.t.  beta >= 0
Given    a design, a target, lam.    Returns beta, intercept, certificate.
From     Lawson and Hanson (1974), Solving Least Squares Problems, chapter 23, as kept in scipy.
Cost     n p² for the triangle; the active-set iterations see only its p rows.
"""

import time

import numpy as np
from scipy.linalg import solve_triangular
from scipy.optimize import nnls

from separatrix.core.solution import Certificate, Solution
from separatrix.designs import moments
from separatrix.designs.factor import EPS, triangle_factor


def nonnegative_least_squares(design, target, lam=0.0, *, intercept=True, tol=1e-14):
    """Solve each output in turn; see the head of this file."""
    started = time.perf_counter()
    found = moments(design, target, about_mean=intercept)
    factor = triangle_factor(design, target, found, lam, intercept)
    live = np.concatenate([factor.kept, factor.aliased])
    scale = factor.scale[live]
    rank = len(factor.kept)
    R = factor.R if not len(factor.aliased) else np.hstack([factor.R, factor.R @ factor.combination])
    beta, worst, iterations = np.zeros((design.p, found.xy.shape[1])), 0.0, 0
    for c in range(found.xy.shape[1]):
        g = scale * found.xy[live, c]
        # |R b - z| has the gradient R'R b - g: the same normal equations in p rows instead of n
        z = solve_triangular(factor.R, g[:rank], trans="T", check_finite=False) if rank else np.zeros(0)
        scaled = nnls(R, z)[0] if len(live) else np.zeros(0)
        beta[live, c] = scale * scaled
        worst = max(worst, _relative_gap(R.T @ (R @ scaled) - g, scaled, found.yy[c]))
        iterations += int(np.count_nonzero(scaled))
    offset = found.y_mean - found.x_mean @ beta
    certificate = Certificate("KKT violation", worst, max(tol, 1e-12), iterations, 2, time.perf_counter() - started)
    one = target.y.ndim == 1
    return Solution(beta[:, 0] if one else beta, float(offset[0]) if one else offset, certificate)


def _relative_gap(g, beta, null):
    """How far the optimality conditions are from holding, in units where columns and y have length one.

    At the optimum ``g_j = 0`` where ``beta_j > 0`` and ``g_j >= 0`` where ``beta_j = 0``.
    """
    violation = np.where(beta > 0.0, np.abs(g), np.maximum(-g, 0.0)).max(initial=0.0)
    return float(violation / np.sqrt(null)) if null > EPS else float(violation)
