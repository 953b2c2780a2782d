"""Which solver for which problem: the one place that decides by shape and storage."""

import warnings

from separatrix.core.certificate import not_certified
from separatrix.solvers.conjugate_gradient import conjugate_gradient
from separatrix.solvers.direct import SMALL, least_squares

# A p-by-p triangle of a sparse design is dense; up to this many columns it is still small and fast.
DENSE_TRIANGLE = 4000


def squared_error(design, target, lam=0.0, *, intercept=True, tol=1e-12, max_iter=None, found=None):
    """Least squares (lam = 0) or ridge: by a factorisation where one is affordable, else by conjugate gradients.

    Wide designs go to conjugate gradients first: with many columns the Gram matrix of the rows is usually well
    conditioned, and ten reads of X are cheaper than n² p operations. Where that does not converge, the factorisation
    takes over.
    """
    tall = design.p <= design.n and (design.p <= DENSE_TRIANGLE or "gram" in design.offers)
    if tall or design.n * design.p <= SMALL:
        return least_squares(design, target, lam, intercept=intercept, tol=tol, found=found)
    affordable = "gram" in design.offers
    limit = max_iter or (min(design.n, 60) if affordable else 10 * min(design.n, design.p))
    solution = conjugate_gradient(design, target, lam, intercept=intercept, tol=tol, max_iter=limit)
    if solution.certificate.converged:
        return solution
    if affordable:
        return least_squares(design, target, lam, intercept=intercept, tol=tol, found=found)
    warnings.warn(
        not_certified(solution.certificate, "Increase max_iter or tol, standardise the columns, or use a larger alpha."),
        stacklevel=4,
    )
    return solution
