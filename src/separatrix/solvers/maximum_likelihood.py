r"""Logistic and multinomial fits without a penalty: rank, existence, uncertainty.

Solves   max Σ s_i log P(y_i | x_i),   if it has a maximum
Given    a Problem with Logistic or Softmax loss and no penalty.
Returns  a Solution; ``details`` holds "evidence" (LikelihoodEvidence) and, where classes are separated, "separation".
         Dependent columns share their effect: of all maxima the one of least norm is returned. Where there is no
         maximum, a finite model is returned that ranks all rows as the likelihood would have it in the limit.
"""

import warnings
from dataclasses import replace

import numpy as np

from separatrix.core.errors import NotCertified
from separatrix.core.solution import Certificate, Solution
from separatrix.core.target import Target
from separatrix.designs.moments import moments
from separatrix.solvers.choose import likelihood
from separatrix.solvers.factor import triangle_factor
from separatrix.solvers.information import likelihood_evidence, without_aliased
from separatrix.solvers.separation import separation_of


def maximum_likelihood(problem, *, solve=likelihood, classes=None, names=None, **options):
    """Maximise a likelihood, or prove that it has no maximum; see the head of this file.

    Parameters
    ----------
    problem : Problem.
    solve : callable.  ``solve(problem, **options)``, a Solution.
    classes, names : sequences or None.  Labels and names of the columns, for the evidence and the proof.

    >>> from separatrix.core.problem import Problem
    >>> from separatrix.designs import as_design
    >>> from separatrix.losses import Logistic
    >>> from separatrix.penalties import NoPenalty
    >>> X, y = np.array([[0.0], [0.0], [1.0], [1.0]]), np.array([0.0, 1.0, 0.0, 1.0])
    >>> found = maximum_likelihood(Problem(as_design(X), Target(y), Logistic(), NoPenalty()))
    >>> found.beta, found.details["evidence"].rank
    (array([0.]), 1)
    """
    with warnings.catch_warnings():  # whether more iterations would help is known after the question of existence
        warnings.simplefilter("ignore", NotCertified)
        solution = solve(problem, **options)
    evidence = likelihood_evidence(problem, solution.beta, solution.intercept, classes)
    if evidence.sure or not solution.certificate.converged:
        k = 2 if problem.target.y.ndim == 1 else problem.target.y.shape[1]
        proof = separation_of(
            problem, solution.beta, solution.intercept, n_classes=k, names=names, classes=_array(classes)
        )
        if proof.exists is False:
            solution = _in_the_limit(problem, proof, solution, solve, options)
            evidence = likelihood_evidence(problem, solution.beta, solution.intercept, classes)
    if evidence.aliased:
        _shorten(problem, solution)
    solution.details["evidence"] = evidence
    return solution


def _array(classes):
    return None if classes is None else np.asarray(classes)


def _in_the_limit(problem, proof, solution, solve, options):
    """The best fit of the rows on the boundary, plus so much of the direction that the other rows fall on their side.

    The likelihood grows along the direction without end, and the rows on the boundary do not see it. The model is made
    moderately sure of itself: half of the other rows get scores beyond 5.
    """
    beta, intercept = np.zeros_like(solution.beta), np.zeros_like(np.asarray(solution.intercept))
    rows = proof.rows_on_boundary
    target = problem.target
    if len(rows) and not (target.s is not None and not target.s[rows].any()):
        s = None if target.s is None else target.s[rows]
        part = replace(problem, design=problem.design.take(rows), target=Target(target.y[rows], s))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", NotCertified)
            inner = solve(part, **{**options, "start": None, "trace": None})
        beta, intercept = inner.beta, np.asarray(inner.intercept)
        _shorten(part, inner)
    first = int(problem.intercept)
    W = proof.direction - proof.direction.mean(axis=1, keepdims=True) if beta.ndim == 2 else proof.direction
    away, toward = W[first:], (W[0] if first else 0.0 * intercept)
    lead = np.delete(_leads(problem, away, toward), rows)
    lift = np.delete(_leads(problem, beta, intercept), rows)
    against = lead * lift < 0.0
    t = 5.0 / float(np.median(np.abs(lead)))
    t = max(t, 1.1 * float(np.abs(lift[against] / lead[against]).max(initial=0.0)))
    offset = intercept + t * toward
    found = Solution(beta + t * away, float(offset) if beta.ndim == 1 else offset, trace=solution.trace)
    found.certificate = Certificate(
        "gradient",
        np.inf,
        solution.certificate.tolerance,
        solution.certificate.iterations,
        solution.certificate.passes,
        solution.certificate.seconds,
        f"no maximum exists: {proof.verdict} separation",
    )
    found.details["separation"] = proof
    return found


def _leads(problem, beta, intercept):
    """The score of each row, or by how much that of its own class leads the best of the others."""
    eta = problem.design.matvec(beta) + intercept
    if eta.ndim == 1:
        return eta
    own = problem.target.y.argmax(axis=1)
    score = eta[np.arange(len(own)), own]
    eta[np.arange(len(own)), own] = -np.inf
    return score - eta.max(axis=1)


def _shorten(problem, solution):
    """Replace coefficients by the shortest with the same scores."""
    design, target = problem.design, problem.target
    plain = Target(np.zeros(target.n), target.s)
    factor = triangle_factor(
        design, plain, moments(design, plain, about_mean=problem.intercept), 0.0, problem.intercept
    )
    beta = solution.beta.reshape(design.p, -1)
    offset = np.atleast_1d(np.asarray(solution.intercept, dtype=np.float64))
    kept, offset = without_aliased(factor, beta, offset)
    shortest = factor.minimum_norm(kept)
    if problem.intercept:
        offset = offset + factor.mean @ (kept - shortest)
    joint = solution.beta.ndim == 2
    solution.beta = shortest if joint else shortest[:, 0]
    solution.intercept = offset if joint else float(offset[0])
