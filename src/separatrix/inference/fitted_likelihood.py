"""A fit by likelihood together with its data: scores, slopes, information of each row, robust covariance."""

from dataclasses import dataclass

import numpy as np
from scipy.special import softmax

from separatrix.core.declaration import GENERALIZED, LOGISTIC, declaration, evidence_of
from separatrix.core.errors import cannot
from separatrix.core.objective import informations_at, slopes_at, total_value
from separatrix.core.problem import Problem
from separatrix.core.separable import as_separable
from separatrix.core.statistics import LikelihoodStatistics
from separatrix.core.target import Target
from separatrix.estimators.validation import validate_weights
from separatrix.inference.bootstrap import at_choice
from separatrix.inference.clusters import cluster_sandwich
from separatrix.inference.covariance import information_sandwich
from separatrix.solvers.information import likelihood_evidence


def is_logistic(model):
    """Whether a model is declared to maximise the likelihood of classes, penalised or not."""
    return declaration(model).likelihood == LOGISTIC


def is_generalized(model):
    """Whether a model is declared to be a generalised linear model, penalised or not."""
    return declaration(model).likelihood == GENERALIZED


def default_covariance(model, cluster):
    """The covariance where none is asked for, as in R's sandwich: with clusters HC0 of a likelihood, else HC1."""
    if cluster is None:
        return "classical"
    return "HC0" if is_logistic(model) or is_generalized(model) else "HC1"


def exposure_or_offset(model, exposure, offset):
    """Which of the two were given, by name; raise if the model takes neither."""
    known = {name: v for name, v in (("exposure", exposure), ("offset", offset)) if v is not None}
    if known and not is_generalized(model):
        raise cannot(
            f"use {next(iter(known))} with {type(model).__name__}",
            because="it is fitted without known terms of the scores",
            instead="GeneralizedLinearRegressor, with family='binomial' for classes and 'gaussian' for least squares",
        )
    return known


@dataclass(frozen=True)
class Likelihood:
    """A fit by likelihood with its data: problem, evidence, and weights as given where those of the problem differ."""

    problem: Problem
    evidence: LikelihoodStatistics
    given: np.ndarray | None = None

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
            return np.ascontiguousarray(eta[:, 0])
        return np.column_stack([np.zeros(len(eta)), eta])

    def residuals(self):
        """Slopes of the log-likelihood of each row in its score; of a logistic fit ``y - μ``: (n,) or (n, K)."""
        eta, y = self.scores(), self.problem.target.y
        return -slopes_at(self.problem.loss, y, eta) if eta.ndim == 1 else y - softmax(eta, axis=1)

    def pull(self):
        """``s_i u_i``: weights of the problem times slopes."""
        return self.problem.target.weights * self.residuals()

    def information(self):
        """The expected information of each row of one score, weight included; of a logistic fit ``s μ (1 - μ)``."""
        target = self.problem.target
        return target.weights * informations_at(self.problem.loss, target.y, self.scores())


def likelihood_of(model, X, y, sample_weight=None, **known):
    """The likelihood of a fitted model on the data of the fit; raises where they are other data.

    `known` are an exposure or an offset of a generalised linear model.
    """
    if is_generalized(model):
        return _likelihood_of_means(model, X, y, sample_weight, known)
    (problem,) = _stating(model)._restate(X, y, sample_weight)
    beta = model.coef_[0] if len(model.classes_) == 2 else model.coef_.T
    fit = Likelihood(problem, likelihood_evidence(problem, beta, model.intercept_, model.classes_))
    _refuse_other_data(model, fit)
    return fit


def _likelihood_of_means(model, X, y, sample_weight, known):
    """The same of a generalised linear model, whose evidence knows more than the problem."""
    evidence = evidence_of(model)
    if evidence is None:
        raise cannot(
            f"read the likelihood of {type(model).__name__}",
            because="the fit is penalised, or was made from a stream",
            instead="alpha=0, and data in memory",
        )
    problem = model._restate(X, y, sample_weight, **known)[0]
    target = problem.target
    eta = problem.design.matvec(model.coef_) + model.intercept_
    here = -total_value(problem.loss, target.y, eta, target.weights)
    # per unit of an exposure, weights of the problem are others
    if target.rows_of_positive_weight != evidence.n or abs(here - evidence.log_likelihood) > 1e-6 * (1.0 + abs(here)):
        raise cannot(
            "read the fit with these data",
            because=f"their log-likelihood is {here:.6g}, that of the fit {evidence.log_likelihood:.6g}",
            instead="the X, y and sample_weight of the fit, and its exposure or offset; summary() needs no data",
        )
    return Likelihood(problem, evidence, validate_weights(sample_weight, problem.design.n) if known else None)


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


def robust_covariance(fit, kind, n, *, cluster=None, repetitions):
    """The sandwich of the scores: HC0 or HC1, robust to dependence within clusters where they are given.

    Parameters
    ----------
    fit : Likelihood.
    kind : "HC0" or "HC1".
    n : float.  How many observations HC1 counts: its factor is n / (n - k), with clusters (n - 1) / (n - k).
    cluster : (n,) array of labels or None.
    repetitions : bool.  Whether a weight counts how often its row was seen.
    """
    evidence = fit.evidence
    k = evidence.coefficients.shape[1] * (evidence.rank + int(evidence.intercept))
    factor = 1.0 if kind == "HC0" else (n - (cluster is not None)) / (n - k)
    if cluster is None:
        return factor * _sandwich(fit, repetitions)
    if evidence.coefficients.shape[1] > 1:
        raise cannot(
            "give cluster-robust standard errors of a model of three classes or more",
            because="they are formed for one score a row",
            instead="two classes, or covariance='HC0' without clusters",
        )
    args = evidence.covariance, evidence.intercept, fit.design, fit.information(), fit.pull(), cluster
    return cluster_sandwich(*args, factor=factor)


def _sandwich(fit, repetitions):
    """HC0 of one score a row, or of several."""
    evidence = fit.evidence
    if fit.problem.target.y.ndim == 1:
        s, slopes = fit.s, fit.residuals()
        if fit.given is not None:  # an exposure is part of the weights of the problem, but no repetition
            s, pull = fit.given, fit.pull()
            slopes = np.divide(pull, s, out=np.zeros_like(pull), where=s > 0.0)
        args = evidence.covariance, evidence.intercept, fit.design, fit.information(), slopes, s
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
