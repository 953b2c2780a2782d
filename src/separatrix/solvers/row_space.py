r"""Fewer rows than columns, and an L2 penalty: the same problem in as many columns as there are rows.

The optimum lies in the row space of X. With ``X X' = V diag(d) V'`` and ``beta = X' V d^-1/2 z``

    X beta = V d^1/2 z,    |beta|² = |z|²

so that z solves the problem of the n-by-n design ``V d^1/2`` under the same penalty.
Cost: n² p for the inner products of the rows, once; then nothing of size p.
"""

import time
import warnings
from dataclasses import replace

import numpy as np

from separatrix.core.certificate import certify, not_certified
from separatrix.core.errors import NotCertified
from separatrix.core.solution import Solution
from separatrix.designs import as_design
from separatrix.solvers.quasi_newton import quasi_newton

NEGLIGIBLE = 1e-14  # eigenvalues below this share of the largest are rounding


def in_row_space(problem, *, tol=1e-8, max_iter=100):
    """Solve a smooth, L2-penalised problem with few rows; see the head of this file."""
    started = time.perf_counter()
    design = problem.design
    K = design.outer_gram()
    design.refuse_if_not_finite(K)
    d, V = np.linalg.eigh(K)
    kept = d > NEGLIGIBLE * design.n * d.max(initial=0.0)
    root, V = np.sqrt(d[kept]), V[:, kept]
    if not kept.any():
        return quasi_newton(problem, tol=tol, max_iter=max_iter)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NotCertified)  # what counts is the certificate of the problem as given
        found = quasi_newton(replace(problem, design=as_design(V * root)), tol=tol, max_iter=max_iter)
    solution = Solution(design.rmatvec((V / root) @ found.beta), found.intercept)
    iterations = found.certificate.iterations
    solution.certificate = certify(problem, solution, tol, started=started, iterations=iterations, passes=3)
    if not solution.certificate.converged:
        warnings.warn(not_certified(solution.certificate, "Raise max_iter, or penalise more."), stacklevel=3)
    return solution
