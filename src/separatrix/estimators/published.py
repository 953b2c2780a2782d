"""Certificates of the coefficients that a model publishes: at the end of its fit, and again whenever it is verified."""

import time
from dataclasses import replace

import numpy as np

from separatrix.core.certificate import certify, warn_if_not_certified
from separatrix.core.errors import cannot
from separatrix.core.solution import Solution
from separatrix.core.verbs import is_joint


def published_solutions(model, problems):
    """One solution for each problem, of the coefficients as published (float32 if X was)."""
    # a classifier may decide by differences of what it fitted
    names = ("target_coef_", "target_intercept_") if "target_coef_" in vars(model) else ("coef_", "intercept_")
    coefficients, intercepts = (np.asarray(getattr(model, name)) for name in names)
    coefficients = np.atleast_2d(coefficients)
    if is_joint(problems[0].loss):
        present = vars(model).get("_present")  # a class whose rows weigh nothing is no part of the problem
        if present is not None:
            if len(coefficients) < len(present):  # two classes have one row: either is seen from the other
                coefficients, intercepts = np.vstack([-coefficients, coefficients]), np.append(-intercepts, intercepts)
            coefficients, intercepts = coefficients[present], intercepts[present]
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


def worst(certificates):
    """The certificate of several parts: it holds if all hold, and claims for none less than its own does.

    Tolerances may differ, as the rounding of published numbers explains more of one part than of another: the value
    that is farthest above its tolerance need not be the largest.
    """
    failed = [c for c in certificates if not c.converged]
    if len({c.kind for c in certificates}) > 1:  # values of different kinds do not compare
        return max(failed or certificates, key=lambda c: c.value - c.tolerance if np.isfinite(c.value) else np.inf)
    largest = max(certificates, key=lambda c: c.value)
    return replace(max(failed, key=lambda c: c.value), value=largest.value) if failed else largest


def certify_parts(problems, solutions, tol, started=None):
    """The worst of the certificates of problems that a model is made of, one solution for each."""
    return worst([certify(one, fit, tol, started=started) for one, fit in zip(problems, solutions, strict=True)])


def certify_each(model, problems, tol, solutions):
    """One certificate for each problem: of what the model publishes, with the dual points and counts of the solvers."""
    certificates = []
    for problem, published, solved in zip(problems, published_solutions(model, problems), solutions):
        published.theta, published.iterations, published.passes = solved.theta, solved.iterations, solved.passes
        certificates.append(certify(problem, published, tol))
    return certificates


def certify_published(model, problems, tol, solution, started=None, instead="", stacklevel=4):
    """Certify what a model publishes; with advice (`instead`), a warning where that is above its tolerance.

    `solution` is what a solver found, for all problems together.
    """
    certificate = timed(worst(certify_each(model, problems, tol, [solution] * len(problems))), started)
    if instead:
        warn_if_not_certified(certificate, instead, stacklevel)
    return certificate


def certify_solution(problem, solution, tol, started):
    """The certificate of a solution that a model publishes in another form, as differences between classes say."""
    return certify(problem, solution, tol, started=started)


def timed(certificate, started):
    """The same certificate with the seconds since `started`."""
    return certificate if started is None else replace(certificate, seconds=time.perf_counter() - started)
