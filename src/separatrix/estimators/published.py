"""Certificates of the coefficients that a model publishes: at the end of its fit, and again whenever it is verified."""

import time
import warnings
from dataclasses import replace

import numpy as np

from separatrix.core.certificate import certify, not_certified
from separatrix.core.errors import cannot
from separatrix.core.objective import slopes_at
from separatrix.core.solution import Solution
from separatrix.core.verbs import is_joint


def published_solutions(model, problems):
    """One solution for each problem, of the coefficients as published (float32 if X was)."""
    # a classifier may decide by differences of what it fitted
    names = ("target_coef_", "target_intercept_") if "target_coef_" in vars(model) else ("coef_", "intercept_")
    coefficients, intercepts = (np.asarray(getattr(model, name)) for name in names)
    coefficients = np.atleast_2d(coefficients)
    if is_joint(problems[0].loss):
        return [Solution(coefficients.T, intercepts)]
    widths = [int(np.prod(problem.target.outputs)) for problem in problems]
    if len(coefficients) != sum(widths):
        raise cannot(
            f"verify {type(model).__name__} on a y of {sum(widths)} outputs",
            because=f"it was fitted to {len(coefficients)}",
            instead="the y that it was fitted to",
        )
    intercepts = np.broadcast_to(np.ravel(intercepts), len(coefficients))
    last = np.cumsum(widths)
    solutions = []
    for problem, w, b in zip(problems, widths, last):
        shape = problem.target.outputs
        beta = coefficients[b - w : b].T.reshape(-1, *shape)
        solutions.append(Solution(beta, intercepts[b - w : b].reshape(shape)[()]))
    return solutions


def rounded(problem, solution):
    """A solution of one output in the precision in which it is published, that of X."""
    if problem.design.dtype == np.float64:
        return solution
    with np.errstate(over="ignore"):
        return replace(solution, beta=solution.beta.astype(problem.design.dtype))


def dual_point(problem, solution):
    """The slopes at a solution of one output.

    Rounding coefficients moves the slopes out of the domain of a penalty with kinks, and the bound on the gap that is
    made of them is far from tight; that of the slopes before rounding is not.
    """
    eta = problem.design.matvec(solution.beta) + solution.intercept
    return slopes_at(problem.loss, problem.target.y, eta)


def worst(certificates):
    """The certificate that is farthest above its tolerance."""
    return max(certificates, key=lambda c: c.value - c.tolerance if np.isfinite(c.value) else np.inf)


def certify_published(model, problems, tol, solution=None, started=None, instead=""):
    """Certify what a model publishes; with advice (`instead`), a warning where that is above its tolerance."""
    facts = {} if solution is None else {"iterations": solution.iterations, "passes": solution.passes}
    proofs = [
        certify(problem, published, tol, **facts)
        for problem, published in zip(problems, published_solutions(model, problems))
    ]
    certificate = timed(worst(proofs), started)
    if instead and not certificate.converged:
        warnings.warn(not_certified(certificate, instead), stacklevel=4)
    return certificate


def timed(certificate, started):
    """The same certificate with the seconds since `started`."""
    return certificate if started is None else replace(certificate, seconds=time.perf_counter() - started)
