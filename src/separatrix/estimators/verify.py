"""Certificates recomputed from data and a fitted model alone, whoever fitted it and however.

A model declares what there is to recompute (:mod:`separatrix.core.declaration`): the gap of the problem that it states,
the sums that its closed form is made of, the rows that it stores; or nothing, and says why.
"""

import time
from dataclasses import replace
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_is_fitted

from separatrix.core.certificate import certify, mistakes, no_optimum
from separatrix.core.declaration import GENERALIZED, declaration, evidence_of, steps_of
from separatrix.core.errors import cannot
from separatrix.core.solution import Certificate
from separatrix.core.types import MatrixLike
from separatrix.estimators.published import published_solutions, timed, worst
from separatrix.estimators.recompute.comparison import Comparison, half_unit, not_looked_at, tolerance_of
from separatrix.estimators.recompute.evidence import hold_evidence
from separatrix.solvers import linear_program
from separatrix.solvers.choose import solve_separable
from separatrix.solvers.maximum_likelihood import unpenalised_separation

COEFFICIENTS = {"coef_", "intercept_", "target_coef_", "target_intercept_"}


class NothingToVerify(TypeError):
    """A model that solves no problem and keeps no sums that could be recomputed."""


def verify(
    model: Any,
    X: MatrixLike,
    y: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    *,
    tol: float | None = None,
    exposure: ArrayLike | None = None,
    offset: ArrayLike | None = None,
) -> Certificate:
    r"""Recompute the certificate of a fitted model from the data it claims to fit.

    .. math:: \frac{P(\hat\beta, \hat b) - \min P}{P(\text{null model})} \le \text{value}

    where the certificate is of the kind "gap". A gap is quadratic in a small change: one of a small coefficient may
    stay within the tolerance. The kind "gradient", of likelihoods with coefficients that nothing penalises, bounds no
    gap, and its message says so. Of a closed form the counts, means and variances are summed again in extended
    precision, and coefficients, axes and probabilities are held against their equations. The value is then that of the
    equation that is farthest above its tolerance, or nearest to it: a difference relative to the sizes of the terms of
    a sum, in standard deviations for coefficients of discriminants. Of a model that keeps its rows it is the share of
    cells and targets that are not those of the data; of a model of several parts, and of a pipeline, that of the worst
    part. The message of the certificate names the published numbers that were looked at, those that were not, and
    settings that a search chose, which are taken on trust.

    Parameters
    ----------
    model : a fitted model of this library, or a Pipeline or search of scikit-learn that ends in one.
    X : (n, p) array, sparse array or frame.  y : (n,) or (n, k) array, or None for a transformer.
    sample_weight : (n,) array or None, default None.
    tol : float, [0, inf), or None, default None.  What to hold the model to, where that is tighter than the tolerance
        that follows.
    exposure, offset : (n,) arrays or None, default None.  Those of the fit of a generalised linear model.

    Returns
    -------
    Certificate, for the worst output, held to the tolerance of the fit, but to 1e-8 at the most, or to the
    default of `tol` where that is looser (a file cannot loosen it, nor can `tol`); or, where that is larger, to what
    the rounding of the published numbers explains (they are float32 if X was). :class:`NothingToVerify` is
    raised, with the reason, where a model has nothing that could be recomputed.

    >>> import numpy as np
    >>> from separatrix.linear_model import LinearRegression
    >>> X, y = np.array([[0.0], [1.0], [2.0], [3.0]]), np.array([1.0, 3.0, 4.0, 7.0])
    >>> model = LinearRegression().fit(X, y)
    >>> verify(model, X, y).converged
    True
    >>> model.coef_ += 0.001
    >>> verify(model, X, y).converged
    False
    """
    terms: dict[str, Any] = {name: v for name, v in (("exposure", exposure), ("offset", offset)) if v is not None}
    if tol is not None:
        return _held_to(verify(model, X, y, sample_weight, **terms), tol)
    check_is_fitted(model)
    *before, last = steps_of(model)
    proofs = []
    for step in before:
        if not isinstance(declaration(step).verification, str):
            proofs.append(verify(step, X, y, sample_weight))
        X = step.transform(X)
    known = declaration(last)
    if terms and known.likelihood != GENERALIZED:
        raise cannot(
            f"verify {type(last).__name__} with {next(iter(terms))}",
            because="it is fitted without known terms of the scores",
            instead="X, y and sample_weight",
        )
    if not isinstance(known.verification, str):
        return worst([*proofs, known.verification(last, X, y, sample_weight, **terms)])
    if known.inside is None:
        raise cannot(
            f"verify {type(last).__name__}",
            because=known.verification,
            instead="a model that minimises something, counts, or keeps its rows",
            kind=NothingToVerify,
        )
    return worst([*proofs, of_inside(last, X, y, sample_weight)])


def _held_to(certificate, tol):
    """The same certificate with a tolerance of the verifier's, where that is tighter."""
    if not (isinstance(tol, Real) and tol >= 0.0):
        raise cannot(f"verify to tol={tol!r}", because="it is no number >= 0", instead="tol=1e-8, say")
    return replace(certificate, tolerance=min(certificate.tolerance, float(tol)))


def of_inside(model, X, y, sample_weight=None):
    """Verify the model inside a model that adds no numbers of its own: the best of a search."""
    return verify(declaration(model).inside(model), X, y, sample_weight)


def of_mistakes(model, X, y, sample_weight=None):
    """The rows on the wrong side of a perceptron that stopped at none; else the same as :func:`of_problems`."""
    counted = model.certificate_.kind == "mistakes"
    return of_problems(model, X, y, sample_weight, recompute=_mistakes if counted else _recompute)


def of_problems(model, X, y, sample_weight=None, *, recompute=None, **terms):
    """The certificate of the problems that a model states (``_restate``), at its published coefficients.

    `terms` are an exposure or an offset, of a generalised linear model.
    Nothing that a solver found out is used, but for the dual points of the quantile program and of coefficients with
    kinks that were rounded to float32: any dual point gives a true bound, so that a wrong one can only hurt the model.
    """
    started = time.perf_counter()
    problems = model._restate(X, y, sample_weight, **terms)
    solutions = published_solutions(model, problems)
    tolerance = tolerance_of(model)
    proof = worst([(recompute or _recompute)(p, s, tolerance) for p, s in zip(problems, solutions)])
    evidence, seen, notes = evidence_of(model), COEFFICIENTS, []
    if evidence is not None and len(problems) == 1 and not problems[0].design.is_streamed:
        comparison = hold_evidence(model, evidence, problems[0], solutions[0])
        seen, notes = {*seen, "evidence_"}, comparison.notes
        if proof.converged and not comparison.certificate().converged:
            proof = replace(comparison.certificate(), message="evidence_ is not that of the data")
    rest = not_looked_at(model, seen)
    message = f"recomputed from {problems[0].design.n} rows and the published coefficients"
    return replace(timed(proof, started), message="; ".join(filter(None, (proof.message, message, *notes))) + rest)


def of_target_problems(model, X, y, sample_weight=None):
    """The same for a classifier that decides by scores made of the regression of its targets."""
    certificate = of_problems(model, X, y, sample_weight)
    comparison = Comparison(model, len(model.target_coef_))
    wide = model.target_coef_.T.astype(np.longdouble), model.target_intercept_.astype(np.longdouble)
    coefficients, intercepts = model._decision(*wide)
    allowed = half_unit(model.target_coef_)  # a difference of published numbers is right to half a unit of each
    comparison.number("coef_", coefficients.T, np.abs(wide[0]).sum(axis=1), tolerance=allowed)
    comparison.number("intercept_", intercepts, 1.0 + np.abs(wide[1]).sum(), tolerance=allowed)
    return worst([certificate, replace(comparison.certificate(), message=certificate.message)])


def _mistakes(problem, solution, tolerance):
    eta = problem.design.matvec(solution.beta) + solution.intercept
    right = (problem.target.y * eta > 0.0) & np.isfinite(eta)  # a score that is no number is on no side
    return mistakes((~right & (problem.target.weights > 0.0)).sum())


def _recompute(problem, solution, tolerance):
    if linear_program.is_pinball(problem.loss):
        solution.theta = linear_program.solve(problem).theta
    elif solution.beta.dtype != np.float64 and problem.parts.kink.any():
        start = solution.beta.astype(np.float64), solution.intercept
        finer = solve_separable(problem, tol=tolerance, start=start)
        solution.theta = finer.beta, finer.intercept
    proof = certify(problem, solution, tolerance)
    separation = unpenalised_separation(problem, solution)
    if separation is None:
        return proof
    return no_optimum(f"{separation.verdict} separation", tolerance, iterations=0, passes=0, started=None)
