"""A logistic fit together with its data: scores, residuals, information of each row, robust covariance."""

from dataclasses import dataclass

import numpy as np
from scipy.special import expit, softmax

from separatrix.core.declaration import LOGISTIC, declaration, evidence_of
from separatrix.core.errors import cannot
from separatrix.core.problem import Problem
from separatrix.core.separable import as_separable
from separatrix.core.statistics import LikelihoodStatistics
from separatrix.core.target import Target
from separatrix.inference.bootstrap import at_choice
from separatrix.inference.covariance import information_sandwich
from separatrix.solvers.information import likelihood_evidence


def is_logistic(model):
    """Whether a model is declared to maximise the likelihood of classes, penalised or not."""
    return declaration(model).likelihood == LOGISTIC


@dataclass(frozen=True)
class Likelihood:
    """A logistic fit with its data: problem and evidence."""

    problem: Problem
    evidence: LikelihoodStatistics

    @property
    def design(self):
        return self.problem.design

    @property
    def s(self):
        return self.problem.target.s

    @property
    def bounded(self):
        """Whether any coefficient has bounds."""
        return not self.problem.parts.unbounded.all()

    def scores(self):
        """Raw scores (n,), or (n, K) with the reference at 0."""
        evidence, first = self.evidence, int(self.evidence.intercept)
        eta = self.design.matvec(evidence.coefficients[first:])
        eta = eta + evidence.coefficients[0] if first else eta
        if self.problem.target.y.ndim == 1:
            return eta[:, 0]
        return np.column_stack([np.zeros(len(eta)), eta])

    def residuals(self):
        """``y - μ``, of shape (n,) or (n, K)."""
        eta, y = self.scores(), self.problem.target.y
        return y - (expit(eta) if eta.ndim == 1 else softmax(eta, axis=1))

    def information(self):
        """``s μ (1 - μ)`` of each row (two classes)."""
        z = np.exp(-np.abs(self.scores()))
        return self.problem.target.weights * z / (1.0 + z) ** 2


def likelihood_of(model, X, y, sample_weight=None):
    """The likelihood of a fitted logistic model on the data of the fit; raises where they are other data."""
    (problem,) = _stating(model)._restate(X, y, sample_weight)
    beta = model.coef_[0] if len(model.classes_) == 2 else model.coef_.T
    fit = Likelihood(problem, likelihood_evidence(problem, beta, model.intercept_, model.classes_))
    _refuse_other_data(model, fit)
    return fit


def is_free(model):
    """Whether a logistic model penalises and bounds nothing, which no data need be known for."""
    p = model.n_features_in_
    return bool(as_separable(_stating(model)._penalty(1.0, p), p).free.all())


def _stating(model):
    """The model itself, or of scikit-learn's our model of the same problem: whoever states the problem solved."""
    if declaration(model).equivalent is None:
        return model
    ours, fitted = at_choice(model), vars(model)
    for name in ("classes_", "n_features_in_", "feature_names_in_"):
        if name in fitted:
            setattr(ours, name, fitted[name])
    return ours


def _refuse_other_data(model, fit):
    """Raise if the fit was to other data: its evidence differs, or its score is not zero where it should be."""
    evidence, stored = fit.evidence, evidence_of(model)
    because = None
    if isinstance(stored, LikelihoodStatistics):
        if stored.n != evidence.n or abs(stored.total - evidence.total) > 1e-9 * stored.total:
            because = (
                f"they have {evidence.n} rows of total weight {evidence.total:g}, the fit had {stored.n} of "
                f"{stored.total:g}"
            )
        elif abs(stored.log_likelihood - evidence.log_likelihood) > 1e-6 * (1.0 + abs(stored.null_log_likelihood)):
            because = (
                f"their log-likelihood is {evidence.log_likelihood:.6g}, that of the fit {stored.log_likelihood:.6g}"
            )
    elif not evidence.penalised and not evidence.sure and evidence.covariance is not None:
        certificate = vars(model).get("certificate_")
        slack = evidence.total * certificate.tolerance**2 if certificate is not None else 0.0
        distance = _distance_from_optimum(fit)
        if (certificate is None or certificate.converged) and distance > 1e-3 * evidence.covariance.shape[0] + slack:
            because = f"at the fitted coefficients their score is not zero (score statistic {distance:.3g})"
    if because:
        raise cannot("read the fit with these data", because=because, instead="the X, y and sample_weight of the fit")


def _distance_from_optimum(fit):
    """The score statistic ``g'Vg``: twice what a Newton step would add to the log-likelihood."""
    evidence = fit.evidence
    residuals = fit.problem.target.weights[:, None] * fit.residuals().reshape(fit.design.n, -1)
    residuals = residuals[:, residuals.shape[1] - evidence.coefficients.shape[1] :]
    g = fit.design.rmatvec(residuals)
    g = np.vstack([residuals.sum(axis=0), g]).T.ravel() if evidence.intercept else g.T.ravel()
    kept = ~np.isnan(np.diag(evidence.covariance))
    return float(g[kept] @ evidence.covariance[np.ix_(kept, kept)] @ g[kept])


def robust_covariance(fit, *, repetitions):
    """The sandwich of the scores, HC0; `repetitions` says whether a weight counts how often its row was seen."""
    evidence = fit.evidence
    if fit.problem.target.y.ndim == 1:
        V = evidence.covariance
        args = V, evidence.intercept, fit.design, fit.information(), fit.residuals(), fit.s
        return information_sandwich(*args, repetitions=repetitions)
    V, U, first = evidence.covariance, fit.residuals()[:, 1:], int(evidence.intercept)
    kept = np.flatnonzero(~np.isnan(np.diag(V)))
    size = np.sqrt(np.diag(V)[kept])

    def task(block):
        weights = block.weights
        ones = np.ones((len(weights), first))
        Z = np.hstack([ones, block.X @ np.eye(block.X.shape[1])])
        G = (block.y[:, :, None] * Z[:, None, :]).reshape(len(Z), -1)[:, kept] * size
        return (G * (weights if repetitions else weights**2)[:, None]).T @ G

    meat = fit.design.reduce(task, np.add, Target(U, fit.s))
    bread = V[np.ix_(kept, kept)] / size
    robust = np.full_like(V, np.nan)
    robust[np.ix_(kept, kept)] = bread @ meat @ bread.T
    return robust
