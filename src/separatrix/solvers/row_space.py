r"""Fewer rows than columns, and a ridge on every coefficient: the same problem in as many columns as there are rows.

The optimum lies in the row space of X. With ``X X' = V diag(d) V'`` and ``beta = X' V d^-1/2 z``

    X beta = V d^1/2 z,    |beta|² = |z|²

so that z solves the problem of the n-by-n design ``V d^1/2`` under the same penalty. Where coefficients have ridges of
their own, the columns are divided by their roots first: then all ridges are 1.
Cost: n² p for the inner products of the rows, once; then nothing of size p.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from separatrix.core.errors import cannot
from separatrix.core.problem import Problem
from separatrix.core.solution import Solution, Trace
from separatrix.designs import as_design
from separatrix.penalties import L2
from separatrix.solvers.quasi_newton import quasi_newton
from separatrix.solvers.smooth import ridge_of

NEGLIGIBLE = 1e-14  # eigenvalues below this share of the largest are rounding


def in_row_space(
    problem: Problem,
    *,
    tol: float = 1e-8,
    max_iter: int = 100,
    start: None = None,
    trace: Trace | None = None,
    solve: Callable[..., Solution] = quasi_newton,
) -> Solution:
    """Solve a problem with few rows and a ridge on every coefficient, by any solver; see the head of this file.

    `start` and `trace` have no effect: the iterations go over other coefficients. A dual point has a number for each
    row, and stays as it is.
    """
    design, factors, strength = _with_one_ridge(problem)
    K = design.outer_gram()
    design.refuse_if_not_finite(K)
    d, V = np.linalg.eigh(K)
    kept = d > NEGLIGIBLE * design.n * d.max(initial=0.0)
    root, V = np.sqrt(d[kept]), V[:, kept]
    if not kept.any():
        return solve(problem, tol=tol, max_iter=max_iter)
    small = replace(problem, design=as_design(V * root), penalty=L2(strength))
    inner = solve(small, tol=tol, max_iter=max_iter)
    beta = design.rmatvec((V / root) @ inner.beta)
    beta = beta if factors is None else (factors * beta.T).T
    return Solution(beta, inner.intercept, inner.theta, iterations=inner.iterations, passes=3)


def _with_one_ridge(problem: Problem) -> tuple[Any, np.ndarray | None, float]:
    """A design whose coefficients have one ridge, the factors that its columns were given, and that ridge."""
    ridge = ridge_of(problem, "solve in the row space")
    if not ridge.all():
        raise cannot(
            "solve in the row space",
            because="coefficients that are not penalised may leave it",
            instead="a ridge on every coefficient, or quasi_newton",
        )
    if np.ptp(ridge) == 0.0:
        return problem.design, None, float(ridge[0])
    factors = 1.0 / np.sqrt(ridge)
    return problem.design.scaled(factors), factors, 1.0
