r"""Which rows decide: leverage, residuals, Cook's distance, and what leaving a row out would do to each coefficient.

With w_i the information of row i (``s μ (1 - μ)``; least squares: ``s``), V the inverse information and u_i the slope
of its log-likelihood,

    leverage       h_i = w_i x_i'V x_i                        Pearson residual      u_i sqrt(s_i) / sqrt(μ_i (1 - μ_i))
    standardised   residual / sqrt(φ (1 - h_i))               Cook's distance       pearson² h_i / (φ k (1 - h_i)²)
    dfbeta         V x_i s_i u_i / (1 - h_i)                  one Newton step towards the fit without the row

φ is 1 for a logistic fit and σ² for least squares, where all of this is exact. A row of weight s counts as one row with
all its copies.

References: Pregibon (1981), Annals of Statistics 9(4); Cook and Weisberg (1982), Residuals and Influence in Regression.
"""

from dataclasses import dataclass

import numpy as np
from scipy.special import expit, xlogy
from sklearn.utils.validation import check_is_fitted

from separatrix.core.declaration import evidence_of
from separatrix.core.errors import cannot
from separatrix.estimators.validation import enter
from separatrix.inference.covariance import coordinates, square_root
from separatrix.inference.fitted_likelihood import is_logistic, likelihood_of


@dataclass(frozen=True)
class Influence:
    """Diagnostics of each row.

    Attributes
    ----------
    leverage : (n,) array, [0, 1].
    pearson, deviance : (n,) arrays.  Residuals; their squares sum to Pearson's X² and to the deviance.
    standardised_pearson, standardised_deviance : (n,) arrays.  Divided by their standard deviation.
    cooks_distance : (n,) array.
    dfbeta : (n, q) array.  Coefficients less those of the fit without the row; intercept first, NaN for aliased ones.
    dfbetas : (n, q) array.  The same in standard errors of the coefficients.
    """

    leverage: np.ndarray
    pearson: np.ndarray
    deviance: np.ndarray
    standardised_pearson: np.ndarray
    standardised_deviance: np.ndarray
    cooks_distance: np.ndarray
    dfbeta: np.ndarray
    dfbetas: np.ndarray


def influence(model, X, y, sample_weight=None):
    """Leverage, residuals and influence of each row on a logistic or a least-squares fit.

    Parameters
    ----------
    model : fitted LogisticRegression of two classes with ``C=np.inf``, or LinearRegression.
    X, y, sample_weight : the data of the fit.

    Returns
    -------
    Influence.

    >>> import numpy as np
    >>> from separatrix.linear_model import LinearRegression
    >>> X, y = np.array([[0.0], [1.0], [2.0], [9.0]]), np.array([0.1, 0.9, 2.1, 5.0])
    >>> measures = influence(LinearRegression().fit(X, y), X, y)
    >>> measures.leverage.round(2), int(measures.cooks_distance.argmax())
    (array([0.43, 0.33, 0.27, 0.97]), 3)
    """
    check_is_fitted(model)
    if is_logistic(model):
        return _of_logistic(model, X, y, sample_weight)
    evidence = evidence_of(model)
    if evidence is None or evidence.penalised or evidence.unscaled is None or evidence.coefficients.shape[1] > 1:
        raise _no_influence(model)
    design, target = enter(model, X, y, sample_weight, reset=False)
    first = int(evidence.intercept)
    r = target.y.reshape(-1) - design.matvec(evidence.coefficients[first:, 0])
    r = r - evidence.coefficients[0, 0] if first else r
    s = target.weights
    k = evidence.rank + first
    sigma2 = float(evidence.rss[0]) / (np.count_nonzero(s) - k)
    V = evidence.unscaled
    return _influence(V, evidence.intercept, design, s, s * r, np.sqrt(s) * r, np.sqrt(s) * r, k, sigma2)


def _of_logistic(model, X, y, sample_weight):
    fit = likelihood_of(model, X, y, sample_weight)
    evidence, target = fit.evidence, fit.problem.target
    if evidence.held:
        raise cannot(
            f"tell the influence of rows on {type(model).__name__}",
            because="some of its coefficients are at their bounds, which they may leave without a row",
            instead="bounds=None",
        )
    if evidence.penalised or evidence.covariance is None or target.y.ndim > 1:
        raise _no_influence(model)
    eta, s, labels = fit.scores(), target.weights, target.y
    z = np.exp(-np.abs(eta))
    u = np.where(eta >= 0.0, (labels - 1.0) + labels * z, labels - (1.0 - labels) * z) / (1.0 + z)
    spread = z / (1.0 + z) ** 2
    with np.errstate(divide="ignore", invalid="ignore"):
        pearson = np.where(spread > 0.0, u * np.sqrt(s) / np.sqrt(spread), 0.0)
    loss = (1.0 - labels) * np.maximum(eta, 0.0) + labels * np.maximum(-eta, 0.0) + np.log1p(z)
    entropy = xlogy(labels, labels) + xlogy(1.0 - labels, 1.0 - labels)  # 0 unless labels are soft
    deviance = np.sign(labels - expit(eta)) * np.sqrt(s * 2.0 * (loss + entropy).clip(min=0.0))
    k = evidence.rank + int(evidence.intercept)
    V = evidence.covariance
    return _influence(V, evidence.intercept, fit.design, s * spread, s * u, pearson, deviance, k, 1.0)


def _influence(V, intercept, design, information, pull, pearson, deviance, k, dispersion):
    """From the inverse information V, the information of each row and its pull ``s_i u_i`` on the score."""
    A = square_root(V, intercept, design, information)
    leverage, dfbeta = np.empty(design.n), np.empty((design.n, len(A)))

    def task(block, w, force, h_out, out):
        Z = coordinates(A, block.X)
        h_out[:] = (w * (Z * Z).sum(axis=1)).clip(max=1.0)
        with np.errstate(divide="ignore", invalid="ignore"):
            out[:] = (Z * (force / (1.0 - h_out))[:, None]) @ A.T
        return 0

    design.reduce(task, lambda a, b: 0, None, information, pull, leverage, dfbeta)
    aliased = np.isnan(np.diag(V))
    dfbeta[:, aliased] = np.nan
    with np.errstate(divide="ignore", invalid="ignore"):
        room = np.sqrt(dispersion * (1.0 - leverage))
        cooks = pearson**2 * leverage / (dispersion * k * (1.0 - leverage) ** 2)
        errors = np.sqrt(dispersion * np.diag(V))
        return Influence(leverage, pearson, deviance, pearson / room, deviance / room, cooks, dfbeta, dfbeta / errors)


def _no_influence(model):
    return cannot(
        f"tell the influence of rows on {type(model).__name__}",
        because="it needs one output or two classes, and a covariance without a penalty",
        instead="LinearRegression, or LogisticRegression(C=np.inf) of two classes",
    )
