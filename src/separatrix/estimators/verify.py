"""Certificates recomputed from data and a fitted model alone, whoever fitted it and however.

A model declares what there is to recompute (:mod:`separatrix.core.declaration`): the gap of the problem that it states,
the sums that its closed form is made of, the rows that it stores; or nothing, and says why.
"""

import time
from dataclasses import replace

import numpy as np
from sklearn.utils.validation import check_is_fitted

from separatrix.core.certificate import certify, mistakes
from separatrix.core.declaration import declaration, steps_of
from separatrix.core.errors import cannot
from separatrix.core.objective import parts_of
from separatrix.estimators.published import dual_point, published_solutions, timed, worst
from separatrix.losses import Quantile
from separatrix.solvers import linear_program
from separatrix.solvers.proximal_newton import proximal_newton

# A model's own tolerance counts up to here: a file may say that it was held to 1e300.
LOOSEST = 1e-3


class NothingToVerify(TypeError):
    """A model that solves no problem and keeps no sums that could be recomputed."""


def verify(model, X, y=None, sample_weight=None):
    r"""Recompute the certificate of a fitted model from the data it claims to fit.

    .. math:: \frac{P(\hat\beta, \hat b) - \min P}{P(\text{null model})} \le \text{value}

    for a model that minimises something. Of a closed form the counts, means and covariances are recomputed by a slow
    path in extended precision, and the value is the largest relative difference; of a model that keeps its rows, the
    share of cells that are not those of the data; of a model of several parts, the worst part.

    Parameters
    ----------
    model : a fitted model of this library, or a Pipeline or search of scikit-learn that ends in one.
    X : (n, p) array, sparse array or frame.  y : (n,) or (n, k) array, or None for a transformer.
    sample_weight : (n,) array or None, default None.

    Returns
    -------
    Certificate, for the worst output, held to the model's tolerance, but to 1e-3 at the most; or, where that is larger,
    to what the rounding of the published numbers explains (they are float32 if X was). :class:`NothingToVerify` is
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
    check_is_fitted(model)
    *before, last = steps_of(model)
    for step in before:
        X = step.transform(X)
    known = declaration(last)
    if isinstance(known.verification, str) and known.inside is not None:
        return of_inside(last, X, y, sample_weight)
    if isinstance(known.verification, str):
        raise cannot(
            f"verify {type(last).__name__}",
            because=known.verification,
            instead="a model that minimises something, counts, or keeps its rows",
            kind=NothingToVerify,
        )
    return known.verification(last, X, y, sample_weight)


def of_inside(model, X, y, sample_weight=None):
    """Verify the model inside a model that adds no numbers of its own: the best of a search."""
    return verify(declaration(model).inside(model), X, y, sample_weight)


def of_problems(model, X, y, sample_weight=None):
    """The certificate of the problems that a model states (``_restate``), at its published coefficients.

    Nothing that a solver found out is used, but for the dual points of the quantile program and of coefficients with
    kinks that were rounded to float32: any dual point gives a true bound, so that a wrong one can only hurt the model.
    """
    started = time.perf_counter()
    problems = model._restate(X, y, sample_weight)
    solutions = published_solutions(model, problems)
    tolerance = min(model.certificate_.tolerance, LOOSEST)
    kind = model.certificate_.kind
    proof = worst([_recompute(kind, p, s, tolerance) for p, s in zip(problems, solutions)])
    message = f"recomputed from {problems[0].design.n} rows and the published coefficients"
    return replace(timed(proof, started), message=message)


def _recompute(kind, problem, solution, tolerance):
    if kind == "mistakes":
        eta = problem.design.matvec(solution.beta) + solution.intercept
        return mistakes(((problem.target.y * eta <= 0.0) & (problem.target.weights > 0.0)).sum())
    if isinstance(problem.loss, Quantile):
        solution.theta = linear_program.solve(problem).theta
    elif solution.beta.dtype != np.float64 and parts_of(problem.penalty, problem.design.p).kink.any():
        start = solution.beta.astype(np.float64), solution.intercept
        solution.theta = dual_point(problem, proximal_newton(problem, tol=tolerance, start=start))
    return certify(problem, solution, tolerance)
