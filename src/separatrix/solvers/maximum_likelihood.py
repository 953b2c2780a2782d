r"""Likelihoods without a penalty: rank, existence, uncertainty.

Solves   max Σ s_i log P(y_i | x_i),   if it has a maximum
Given    a Problem without a penalty whose loss is a deviance of one score, or Softmax.
Returns  a Solution; ``details`` holds "evidence" (LikelihoodStatistics) and, where classes are separated, "separation".
         Dependent columns share their effect: of all maxima the one of least norm is returned. Where there is no
         maximum, the fit under a faint penalty is returned.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from separatrix.core.certificate import certify
from separatrix.core.objective import curvatures_at, null_objective, null_score, sides_at
from separatrix.core.problem import Problem
from separatrix.core.solution import Solution, Trace
from separatrix.core.target import Target
from separatrix.core.verbs import is_convex, is_deviance, largest_curvature
from separatrix.designs import as_design
from separatrix.designs.factor import triangle_factor
from separatrix.designs.moments import moments
from separatrix.penalties import L2, NoPenalty
from separatrix.solvers.choose import solve_likelihood
from separatrix.solvers.information import likelihood_evidence, sure_below, without_aliased
from separatrix.solvers.newton_raphson import newton
from separatrix.solvers.reweighted import AFFORDABLE, reweighted
from separatrix.solvers.separation.existence import separation_of

# Strengths tried in turn on separated classes: scores stay below 25, the likelihood comes within 1e-7 of its supremum.
FAINT = (1e-10, 1e-12)
# Hessians of more columns are not factored.
MOST_COLUMNS = 1000
UNEXAMINED = (
    "Some fitted probabilities are 0 or 1, or iterations did not end, and whether the classes are separated is not "
    "looked for in a stream: use a penalty (a finite C), or data in memory."
)


def maximum_likelihood(
    problem: Problem,
    *,
    tol: float = 1e-8,
    max_iter: int = 100,
    start: tuple[Any, Any] | None = None,
    trace: Trace | None = None,
    solve: Callable[..., Solution] = solve_likelihood,
    classes: Sequence[Any] | None = None,
    names: Sequence[str] | None = None,
) -> Solution:
    """Maximise a likelihood, or prove that it has no maximum; see the head of this file.

    Parameters
    ----------
    problem : Problem.
    tol, max_iter, start, trace : options of the solver.
    solve : callable.  ``solve(problem, tol=..., max_iter=..., start=..., trace=...)``, a Solution.
    classes, names : sequences or None.  Labels and names of the columns, for the evidence and the proof.

    >>> from separatrix.designs import as_design
    >>> from separatrix.losses import Logistic
    >>> from separatrix.penalties import NoPenalty
    >>> X, y = np.array([[0.0], [0.0], [1.0], [1.0]]), np.array([0.0, 1.0, 0.0, 1.0])
    >>> solution = maximum_likelihood(Problem(as_design(X), Target(y), Logistic(), NoPenalty()))
    >>> solution.beta, solution.details["evidence"].rank
    (array([0.]), 1)
    """
    solution = solve(problem, tol=tol, max_iter=max_iter, start=start, trace=trace)
    evidence = likelihood_evidence(problem, solution.beta, solution.intercept, classes)
    suspicious = evidence.sure or not certify(problem, solution, tol).converged
    if suspicious and problem.design.is_streamed:
        solution.details["unexamined"] = UNEXAMINED
    elif suspicious:
        k = 2 if problem.target.y.ndim == 1 else problem.target.y.shape[1]
        sides = with_sides(problem)
        proof = separation_of(
            sides, solution.beta, solution.intercept, n_classes=k, names=names, classes=_array(classes)
        )
        if proof.exists is False:
            solution = replace(_faintly_penalised(problem, proof, tol, max_iter), trace=trace)
        else:
            solution = _finished(problem, solution, tol, max_iter)
        evidence = likelihood_evidence(problem, solution.beta, solution.intercept, classes)
    if evidence.aliased:
        _shorten(problem, solution)
    solution.details["evidence"] = evidence
    return solution


def _finished(problem: Problem, solution: Solution, tol: float, max_iter: int) -> Solution:
    """The same, or where that is not certified, though a maximum exists, what reweighted least squares make of it.

    A gradient method ends where it sees no slope, in units of the columns; along columns that are nearly dependent the
    likelihood may still rise.
    """
    design = problem.design
    able = not problem.target.outputs and is_convex(problem.loss) and design.n * design.p <= AFFORDABLE
    if not able or certify(problem, solution, tol).converged:
        return solution
    finer = reweighted(problem, tol=tol, max_iter=max_iter, start=(solution.beta, solution.intercept))
    solution.beta, solution.intercept = finer.beta, finer.intercept
    solution.iterations, solution.passes = solution.iterations + finer.iterations, solution.passes + finer.passes
    return solution


def unpenalised_separation(
    problem: Problem, solution: Solution, names: Sequence[str] | None = None, classes: Sequence[Any] | None = None
) -> Any:
    """The proof that columns that nothing penalises or bounds separate the classes: no maximum exists then.

    None where they do not, where there is one class, where the loss is no likelihood, and where no fitted probability
    is near 0 or 1.
    """
    design, target = problem.design, problem.target
    free = np.flatnonzero(problem.parts.free)
    if not len(free) or not is_deviance(problem.loss) or design.is_streamed or target.outputs == (1,):
        return None
    beta = np.asarray(solution.beta, dtype=np.float64)
    curvatures = curvatures_at(problem.loss, target.y, design.matvec(beta) + solution.intercept)
    if not (curvatures.reshape(target.n, -1).max(axis=1) < sure_below(problem))[target.weights > 0.0].any():
        return None
    part = replace(with_sides(problem), design=as_design(design.gather(free)), penalty=NoPenalty())
    chosen = None if names is None else [names[int(j)] for j in free]
    k = 2 if not target.outputs else target.outputs[0]
    proof = separation_of(part, beta[free], solution.intercept, n_classes=k, names=chosen, classes=_array(classes))
    return proof if proof.exists is False else None


def with_sides(problem: Problem) -> Problem:
    """The problem with labels for y that say to which side each row lets its score run away.

    1 where the loss tends to its least as the score grows, 0 where it does as the score falls, ½ where it does
    neither: the likelihood has a maximum unless a direction moves some scores to where they may go, and no others.
    Labels of classes are such, and so are counts: 0 is a row whose mean may fall to 0.
    """
    target = problem.target
    if target.outputs:
        return problem
    return replace(problem, target=Target(sides_at(problem.loss, target.y), target.s))


def _array(classes: Sequence[Any] | None) -> np.ndarray | None:
    return None if classes is None else np.asarray(classes)


def _faintly_penalised(problem: Problem, proof: Any, tol: float, max_iter: int) -> Solution:
    """The fit under a penalty so faint that every row off the boundary falls on the side of its class.

    Unlike the place where some iteration happened to stop it is unique, whatever the order of the rows; columns are
    scaled to standard deviation 1 for it, so that their units do not matter. It tends to the direction of the largest
    margin as the penalty vanishes.
    """
    target = problem.target
    sums = moments(problem.design, Target(np.zeros(target.n), target.s), about_mean=problem.intercept, gram=False)
    size = np.sqrt(sums.squares / target.total)
    size = np.where(size > 0.0, size, 1.0)
    scaled = replace(problem, design=problem.design.scaled(1.0 / size))
    # so faint a penalty leaves a Hessian of condition 1e10, which needs Newton's steps with an objective that falls
    factored = not target.outputs and problem.design.p <= MOST_COLUMNS
    solve = newton if factored else solve_likelihood
    off = target.weights > 0.0
    off[proof.rows_on_boundary] = False
    # losses of probabilities are in nats; others have the unit of their null model
    unit = 1.0 if largest_curvature(problem.loss) < np.inf else null_objective(problem)
    # a loss that is infinite somewhere starts where it is finite
    start = None if is_convex(problem.loss) else (np.zeros(problem.design.p), float(null_score(problem)))
    for lam in FAINT:
        fit = solve(replace(scaled, penalty=L2(unit * lam)), tol=tol, max_iter=max_iter, start=start)
        if (_leads(with_sides(scaled), fit.beta, fit.intercept)[off] > 0.0).all():
            break
    fit.beta = (fit.beta.T / size).T
    fit.details["separation"] = proof
    return fit


def _leads(problem: Problem, beta: np.ndarray, intercept: Any) -> np.ndarray:
    """By how much the score of the class of each row leads the best of the others."""
    eta = problem.design.matvec(beta) + intercept
    if eta.ndim == 1:
        return np.where(problem.target.y > 0.5, eta, -eta)
    own = problem.target.y.argmax(axis=1)
    score = eta[np.arange(len(own)), own]
    eta[np.arange(len(own)), own] = -np.inf
    return score - eta.max(axis=1)


def _shorten(problem: Problem, solution: Solution) -> None:
    """Replace coefficients by the shortest with the same scores."""
    design, target = problem.design, problem.target
    plain = target.mapped(lambda y, s: (np.zeros(len(y)), s))
    factor = triangle_factor(
        design, plain, moments(design, plain, about_mean=problem.intercept), 0.0, problem.intercept
    )
    beta = solution.beta.reshape(design.p, -1)
    offset = np.atleast_1d(np.asarray(solution.intercept, dtype=np.float64))
    kept, offset = without_aliased(factor, beta, offset)
    shortest = factor.minimum_norm(kept)
    if problem.intercept:
        offset = offset + factor.mean @ (kept - shortest)
    fit = Solution.of(shortest, offset, target)
    solution.beta, solution.intercept = fit.beta, fit.intercept
