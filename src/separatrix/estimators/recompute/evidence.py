"""What summaries are made of (``evidence_``): covariance, likelihood or squares, degrees of freedom."""

from dataclasses import asdict

import numpy as np

from separatrix.core.objective import informations_at, slopes_at
from separatrix.core.statistics import GeneralizedLinearStatistics, LikelihoodStatistics
from separatrix.core.target import Target
from separatrix.designs import moments
from separatrix.designs.factor import factor_of
from separatrix.estimators.generative.within import RESIDUAL
from separatrix.estimators.recompute.comparison import BESIDE, EPS, Comparison, half_unit
from separatrix.solvers.information import likelihood_evidence, without_aliased


def hold_evidence(model, evidence, problem, solution):
    """Hold the evidence of a fit to the same recomputed at its published coefficients; return the comparison."""
    n, comparison = problem.design.n, Comparison(model, problem.design.n)
    of = _likelihood if isinstance(evidence, LikelihoodStatistics) else _squares
    moved = _moved(problem, solution, model.coef_)
    again, published = of(problem, solution, moved), asdict(evidence)
    unseen = ["condition", "digits", "sure rows"]
    if isinstance(evidence, GeneralizedLinearStatistics):
        again["pearson"] = _pearson(problem, solution), 1.0, (1.0 + np.sqrt(again["total"][0])) * moved
        unseen += ["observations", "density"]
    # an inverse is right to the rounding of its condition, a coefficient to that of its type
    tolerance = (
        RESIDUAL + half_unit(np.asarray(model.coef_)) + (n + BESIDE) * EPS * min(evidence.condition**2, 1.0 / EPS)
    )
    matrix = "covariance" if "covariance" in again else "unscaled"
    lost, said = (np.isnan(np.asarray(M, dtype=np.float64)) for M in (again[matrix][0], published[matrix]))
    if lost.shape != said.shape or lost.sum() != said.sum():
        comparison.residual(np.inf, 0.0, "evidence_")
    elif not np.array_equal(lost, said):  # which of dependent columns are left out is a matter of rounding
        comparison.notes.append(f"{matrix} of evidence_ leaves out other dependent columns and was not compared")
        again = {name: number for name, number in again.items() if name not in (matrix, "coefficients")}
    for name, (value, size, moved) in again.items():
        if value is None or published[name] is None:
            continue
        value, stated = np.asarray(value, dtype=np.float64), np.asarray(published[name], dtype=np.float64)
        size = np.maximum(np.abs(value), np.nan_to_num(size))
        gap = np.abs(
            np.subtract(stated, value, out=np.zeros(value.shape), where=stated != value)
        )  # two infinities agree
        off = np.divide(gap, size, out=np.zeros(value.shape), where=(size > 0.0) & (gap < np.inf))
        off = np.where((np.isnan(stated) == np.isnan(value)) & (gap != np.inf), np.nan_to_num(off), np.inf)
        comparison.residual(np.max(off, initial=0.0), tolerance + np.max(moved), "evidence_")
    comparison.notes.append(f"{', '.join(unseen[:-1])} and {unseen[-1]} of evidence_ were not compared")
    return comparison


def _pearson(problem, solution):
    """Pearson's chi-squared: ``(y - mu)² / V(mu)`` is the square of a slope over the information of its row."""
    y, s = problem.target.y, problem.target.weights
    eta = problem.design.matvec(np.asarray(solution.beta, dtype=np.float64)) + float(solution.intercept)
    slopes, information = slopes_at(problem.loss, y, eta), informations_at(problem.loss, y, eta)
    return float(s @ np.divide(slopes**2, information, out=np.zeros_like(slopes), where=information > 0.0))


def _moved(problem, solution, coefficients):
    """How far the rounding of published coefficients, and of products with them, may move all scores together."""
    design, target = problem.design, problem.target
    lengths = np.sqrt(moments(design, Target(np.zeros(design.n), target.s), about_mean=False, gram=False).squares)
    beta = np.abs(np.asarray(solution.beta, dtype=np.float64)).reshape(design.p, -1)
    reach = lengths @ beta + np.sqrt(target.total) * np.abs(np.asarray(solution.intercept))
    return (half_unit(np.asarray(coefficients)) + (design.p + 2.0) * EPS) * float(np.max(reach))


def _likelihood(problem, solution, moved):
    """Numbers, their sizes, and what moved scores make of them: curvatures change by as much, relative."""
    again = likelihood_evidence(problem, solution.beta, solution.intercept)
    C, b = again.covariance, again.coefficients
    total = np.sqrt(again.total)
    numbers = {
        name: (getattr(again, name), 1.0, total * moved)
        for name in ("log_likelihood", "null_log_likelihood", "saturated_log_likelihood")
    }
    numbers |= {name: (getattr(again, name), 1.0, 0.0) for name in ("n", "total", "p", "rank")}
    numbers |= {"edf": (again.edf, 1.0, moved), "covariance": (C, 1.0, moved)}
    if C is not None:
        errors = np.sqrt(np.diagonal(C))
        numbers["covariance"] = C, np.multiply.outer(errors, errors), moved
        numbers["coefficients"] = (
            b,
            errors.reshape(b.T.shape).T,
            moved,
        )
    return numbers


def _squares(problem, solution, moved):
    """The same of least squares: ``(X'SX + lam I)^-1``, or what ridge makes of it, and sums of squares."""
    design, target = problem.design, problem.target
    lam = problem.parts.ridge * target.total
    factor = factor_of(design, target, lam, problem.intercept)
    unscaled, edf = factor.variance(factor.inverse(), lam)
    beta = np.asarray(solution.beta, dtype=np.float64).reshape(design.p, -1)
    offset = np.broadcast_to(np.asarray(solution.intercept, dtype=np.float64), beta.shape[1])
    y, s = target.y.reshape(target.n, -1).astype(np.longdouble), target.weights[:, None].astype(np.longdouble)
    rss = (s * (y - design.matvec(beta) - offset) ** 2).sum(axis=0)
    tss = (s * (y - (s * y).sum(axis=0) / s.sum() if problem.intercept else y) ** 2).sum(axis=0)
    kept, shift = without_aliased(factor, beta, offset)
    squares = np.sqrt(EPS) * (s * y * y).sum(axis=0).astype(np.float64)  # below, all is rounding of y
    errors = np.sqrt(np.diagonal(unscaled).clip(min=0.0))  # a difference: rounding may leave less than 0 of a variance
    b = np.vstack([shift, kept]) if problem.intercept else kept
    size = (np.sqrt(rss.astype(np.float64)) + np.sqrt(squares)).clip(min=np.finfo(float).tiny)
    return {
        "unscaled": (unscaled, np.multiply.outer(errors, errors), 0.0),
        "coefficients": (b, np.multiply.outer(errors, size), moved / size),
        "rss": (rss, squares, (2.0 * moved + moved**2 / size) / size),
        "tss": (tss, squares, 0.0),
        "edf": (edf, 1.0, 0.0),
        "n": (target.rows_of_positive_weight, 1.0, 0.0),
        "total": (target.total, 1.0, 0.0),
        "p": (design.p, 1.0, 0.0),
        "rank": (len(factor.kept), 1.0, 0.0),
    }
