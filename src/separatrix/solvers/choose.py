"""Which solver for which problem: the one place that decides by shape and storage."""

import warnings
from dataclasses import replace

from separatrix.core.certificate import not_certified
from separatrix.penalties import L1, L2, ElasticNet
from separatrix.solvers.conjugate_gradient import conjugate_gradient
from separatrix.solvers.direct import least_squares
from separatrix.solvers.dual import dual_ridge
from separatrix.solvers.preconditioner import ALL
from separatrix.solvers.proximal_newton import proximal_newton
from separatrix.solvers.quasi_newton import quasi_newton
from separatrix.solvers.row_space import in_row_space

# A p-by-p triangle of a sparse design is dense; up to this many columns it is still small and fast.
SMALL_TRIANGLE = 2000
# With fewer rows than columns and a penalty, the triangle of the columns is formed up to this many of them.
WIDE_TRIANGLE = 200
# Fewer operations than these for the inner products of the rows, n² p, are over before iterations would be.
QUICK = 1 << 31
# The n-by-n matrix of inner products is formed for at most this many rows (800 MB).
MOST_ROWS = 10_000
# Likelihoods of so many columns are solved with them as they are, even where there are fewer rows.
FEW_COLUMNS = 200


def solve_least_squares(design, target, lam=0.0, *, intercept=True, tol=1e-14, max_iter=None, found=None, trace=None):
    """Least squares (lam = 0) or ridge: by a factorisation where one is affordable, else by conjugate gradients.

    Large wide designs go to conjugate gradients first: with many columns the inner products of the rows are usually
    well conditioned, and a dozen reads of X are cheaper than n² p operations. Where that does not converge, a
    factorisation takes over.
    """
    dense = design.gram_is_cheap
    tall = design.is_streamed or (design.p <= design.n and (design.p <= SMALL_TRIANGLE or dense))
    quick = design.n**2 * design.p <= QUICK
    options = {"intercept": intercept, "tol": tol}
    if tall or (quick and (lam == 0.0 or design.p <= WIDE_TRIANGLE)):
        return least_squares(design, target, lam, found=found, trace=trace, **options)
    if quick:
        return dual_ridge(design, target, lam, **options)
    affordable = (lam > 0.0 or dense) and design.n <= MOST_ROWS
    limit = max_iter or (60 if affordable else 10 * min(design.n, design.p))
    solution = conjugate_gradient(design, target, lam, max_iter=limit, trace=trace, **options)
    if solution.certificate.converged:
        return solution
    if affordable:
        return dual_ridge(design, target, lam, **options) if lam > 0.0 else least_squares(design, target, **options)
    warnings.warn(
        not_certified(solution.certificate, "Increase max_iter or tol, standardise the columns, or raise alpha."),
        stacklevel=4,
    )
    return solution


def solve_likelihood(problem, *, tol=1e-8, max_iter=100, start=None, trace=None):
    """A logistic or multinomial likelihood: on working sets where the penalty makes zeros, else by full gradients.

    With few rows and many columns under an L2 penalty, in the space of the rows.
    """
    penalty = problem.penalty
    if isinstance(penalty, ElasticNet) and penalty.l1 == 0.0 and not penalty.positive:
        penalty = L2(penalty.l2)
    solve = proximal_newton if isinstance(penalty, L1 | ElasticNet) else quasi_newton
    few = problem.design.n <= ALL and problem.design.n < problem.design.p and problem.design.p > FEW_COLUMNS
    if few and isinstance(penalty, L2) and penalty.lam > 0.0 and start is None and trace is None:
        return in_row_space(replace(problem, penalty=penalty), tol=tol, max_iter=max_iter)
    return solve(replace(problem, penalty=penalty), tol=tol, max_iter=max_iter, start=start, trace=trace)
