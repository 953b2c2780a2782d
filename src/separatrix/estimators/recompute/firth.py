"""Firth's logistic regression: its modified score at the published coefficients, and its information."""

import numpy as np
from scipy.special import expit

from separatrix.designs import as_dense
from separatrix.estimators.linear.firth import modified_score
from separatrix.estimators.recompute.comparison import BESIDE, EPS, Comparison, tolerance_of
from separatrix.estimators.validation import validate_rows


def modified_likelihood(model, X, y, sample_weight=None):
    r"""The modified score; ``I covariance_ = 1`` of the information ``I = Z'SZ``; and the penalised likelihood.

    .. math:: \sum_i s_i \log P(y_i \mid x_i) + \tfrac12 \log \det I
    """
    problem = model._problem_of(X, y, sample_weight, reset=False)
    design, labels, s = problem.design, problem.target.y, problem.target.weights
    comparison = Comparison(model, design.n)
    beta, intercept = model.coef_[0].astype(np.float64), float(model.intercept_[0])
    score = modified_score(problem, beta, intercept)
    comparison.residual(score, tolerance_of(model), "coef_", "intercept_")
    Z = as_dense(validate_rows(model, X)).astype(np.float64)
    eta = Z @ beta + intercept
    Z = np.hstack([np.ones((len(Z), 1)), Z]) if problem.intercept else Z
    size = np.abs(Z).max(axis=0, initial=0.0)  # taken off first: squares of columns may overflow
    G = Z / np.where(size > 0.0, size, 1.0)
    scaled = G.T @ ((s * expit(eta) * expit(-eta))[:, None] * G)
    roots = np.sqrt(np.diagonal(scaled))
    C = scaled / np.multiply.outer(np.where(roots > 0.0, roots, 1.0), np.where(roots > 0.0, roots, 1.0))
    units = np.divide(1.0, roots * size, out=np.zeros_like(roots), where=roots * size > 0.0)
    rounding = (design.n + BESIDE) * EPS * len(units)
    smallest = np.linalg.eigvalsh(C).min() if np.isfinite(C).all() else 0.0
    if np.isfinite(model.covariance_).all() and smallest > rounding:
        condition = 1.0 / smallest
        # coefficients are right to `tolerance` standard errors, and an inverse to the rounding of its condition
        tolerance = 4.0 * np.sqrt(len(units)) * tolerance_of(model) + rounding * condition
        off = C @ (model.covariance_ / units[:, None] / units) - np.eye(len(units))
        comparison.residual(np.abs(off).max() / condition, tolerance, "covariance_")
        signed = np.where(labels > 0.5, eta, -eta)
        likelihood = -(s * np.logaddexp(0.0, -signed)).sum() + 0.5 * (
            np.linalg.slogdet(C)[1] - 2.0 * np.log(units).sum()
        )
        comparison.number("log_likelihood_", likelihood, 1.0 + abs(likelihood), tolerance=tolerance)
        comparison.number("standard_errors_", np.sqrt(np.diagonal(model.covariance_)))
    return comparison.certificate()
