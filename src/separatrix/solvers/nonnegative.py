"""Non-negative least squares and ridge, by Lawson and Hanson's active-set method on a small triangle.

Solves   min  (1/2Σs) Σ s_i (y_i - x_i'beta - intercept)² + ½ Σ_j ridge_j beta_j²   s.t.  beta >= 0
Given    a problem of squared error whose penalty has no kink.    Returns beta and intercept.
From     Lawson and Hanson (1974), Solving Least Squares Problems, chapter 23, as kept in scipy.
Cost     n p² for the triangle; the active-set iterations see only its p rows.
"""

import numpy as np
from scipy.linalg import solve_triangular
from scipy.optimize import nnls

from separatrix.core.problem import Problem
from separatrix.core.solution import Solution, Trace
from separatrix.designs.factor import triangle_factor
from separatrix.solvers.linalg.refine import fitted_intercept


def nonnegative_least_squares(
    problem: Problem, *, tol: float = 1e-14, max_iter: int | None = None, start: None = None, trace: Trace | None = None
) -> Solution:
    """Solve each output in turn; see the head of this file. `tol`, `start` and `trace` have no effect."""
    design, target = problem.design, problem.target
    lam = problem.parts.ridge * target.total
    sums = design.moments(target, about_mean=problem.intercept, gram=design.forms_gram)
    factor = triangle_factor(design, target, sums, lam, problem.intercept)
    live = np.concatenate([factor.kept, factor.aliased])
    scale = factor.scale[live]
    rank = len(factor.kept)
    R = factor.R if not len(factor.aliased) else np.hstack([factor.R, factor.R @ factor.combination])
    beta, iterations = np.zeros((design.p, sums.xy.shape[1])), 0
    for c in range(sums.xy.shape[1]):
        g = scale * sums.xy[live, c]
        # |R b - z| has the gradient R'R b - g: the same normal equations in p rows instead of n
        z = solve_triangular(factor.R, g[:rank], trans="T", check_finite=False) if rank else np.zeros(0)
        scaled = _active_set(R, z, max_iter)
        beta[live, c] = scale * scaled
        iterations += int(np.count_nonzero(scaled))
    offset = fitted_intercept(problem, beta, sums.x_mean, sums.y_mean)
    return Solution.of(beta, offset, target, iterations=iterations, passes=2)


def _active_set(R: np.ndarray, z: np.ndarray, max_iter: int | None) -> np.ndarray:
    """The b >= 0 of least ``|R b - z|``; 0, where the method begins, if its iterations were used up."""
    try:
        return np.asarray(nnls(R, z, maxiter=max_iter)[0]) if R.shape[1] else np.zeros(0)
    except RuntimeError:  # scipy hands out no iterate; the certificate of 0 says what it is worth
        return np.zeros(R.shape[1])
