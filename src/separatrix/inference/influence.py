r"""Which rows decide: leverage, residuals, Cook's distance, and what leaving a row out would do to each coefficient.

With w_i the information of row i (``s μ (1 - μ)``; least squares: ``s``), V the inverse information and u_i the slope
of its log-likelihood,

    leverage       h_i = w_i x_i'V x_i                        Pearson residual      u_i sqrt(s_i) / sqrt(μ_i (1 - μ_i))
    standardised   residual / sqrt(φ (1 - h_i))               Cook's distance       pearson² h_i / (φ k (1 - h_i)²)
    dfbeta         V x_i s_i u_i / (1 - h_i)                  one Newton step towards the fit without the row
    dfbetas        dfbeta / sqrt(φ_(i) V_jj)                  dffits             pearson sqrt(h_i / φ_(i)) / (1 - h_i)

φ is 1 for a logistic fit and σ² for least squares, where all of this is exact; φ_(i) is 1, or σ² of the fit without the
row. The studentised residual is the standardised one with φ_(i) in least squares, and
``sign(u) sqrt(deviance² + h pearson² / (1 - h))`` of a logistic fit, as R's ``rstudent`` has it. The covariance ratio
is that of the determinants of the covariance matrices without and with the row. A weight of least squares is an inverse
variance here, as in R: its row is left out whole, and σ² has as many degrees of freedom as rows less coefficients.

References: Pregibon (1981), Annals of Statistics 9(4); Cook and Weisberg (1982), Residuals and Influence in Regression;
Belsley, Kuh and Welsch (1980), Regression Diagnostics, chapter 2; Williams (1987), Applied Statistics 36(2).
"""

from dataclasses import dataclass

import numpy as np
from scipy.special import expit, xlogy
from sklearn.utils.validation import check_is_fitted

from separatrix.core.declaration import evidence_of
from separatrix.core.errors import cannot
from separatrix.core.statistics import LeastSquaresStatistics
from separatrix.estimators.validation import enter
from separatrix.inference.covariance import coordinates, square_root
from separatrix.inference.fitted_likelihood import is_logistic, likelihood_of
from separatrix.inference.least_squares import coefficient_names
from separatrix.inference.table import frame_backend


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
    dfbetas : (n, q) array.  The same in standard errors of the coefficients, of least squares with σ of the fit without
        the row.
    studentised : (n,) array.  Residuals over their standard deviation, with σ of the fit without the row (rstudent).
    dffits : (n,) array.  Change of the row's own fitted value, in its standard errors, when the row is left out.
    covariance_ratio : (n,) array.  Below 1 where the row makes the estimates less precise; NaN for a logistic fit.
    names : tuple of str.  Of the coefficients.
    """

    leverage: np.ndarray
    pearson: np.ndarray
    deviance: np.ndarray
    standardised_pearson: np.ndarray
    standardised_deviance: np.ndarray
    cooks_distance: np.ndarray
    dfbeta: np.ndarray
    dfbetas: np.ndarray
    studentised: np.ndarray
    dffits: np.ndarray
    covariance_ratio: np.ndarray
    names: tuple[str, ...]

    def to_frame(self, backend=None):
        """One row for each row of the data; dfbetas in columns "dfbetas: name".

        Parameters
        ----------
        backend : {"pandas", "polars", "pyarrow"} or None.  None takes the first of these that is installed.
        """
        import narwhals as nw

        data = {name: vars(self)[name] for name in ("leverage", "studentised", "cooks_distance", "dffits")}
        data |= {f"dfbetas: {name}": self.dfbetas[:, j].copy() for j, name in enumerate(self.names)}
        return nw.from_dict(data, backend=frame_backend(backend)).to_native()


def influence(model, X, y, sample_weight=None):
    """Leverage, residuals and influence of each row on a logistic or a least-squares fit.

    Parameters
    ----------
    model : fitted LogisticRegression of two classes with ``C=np.inf``, or LinearRegression.
    X, y, sample_weight : the data of the fit.  Weights of least squares are read as inverse variances, as in R.

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
    plain = isinstance(evidence, LeastSquaresStatistics) and not evidence.penalised
    if not plain or evidence.unscaled is None or evidence.coefficients.shape[1] > 1:
        raise _no_influence(model)
    design, target = enter(model, X, y, sample_weight, reset=False)
    first = int(evidence.intercept)
    r = target.y.reshape(-1) - design.matvec(evidence.coefficients[first:, 0])
    r = r - evidence.coefficients[0, 0] if first else r
    s = target.weights
    k = evidence.rank + first
    df = np.count_nonzero(s) - k
    pearson, rss = np.sqrt(s) * r, float(evidence.rss[0])
    leverage, dfbeta = _leverage(evidence.unscaled, evidence.intercept, design, s, s * r)
    with np.errstate(divide="ignore", invalid="ignore"):
        left = np.where(leverage < 1.0, np.maximum(rss - pearson**2 / (1.0 - leverage), 0.0) / (df - 1.0), np.nan)
        studentised = pearson / np.sqrt(left * (1.0 - leverage))
        ratio = (left * df / rss) ** k / (1.0 - leverage)
    measures = _measures(evidence.unscaled, leverage, dfbeta, pearson, pearson, k, rss / df, left)
    return Influence(*measures, studentised, _dffits(pearson, leverage, left), ratio, _names(model, evidence))


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
    leverage, dfbeta = _leverage(V, evidence.intercept, fit.design, s * spread, s * u)
    with np.errstate(divide="ignore", invalid="ignore"):
        studentised = np.sign(deviance) * np.sqrt(deviance**2 + leverage * pearson**2 / (1.0 - leverage))
    measures = _measures(V, leverage, dfbeta, pearson, deviance, k, 1.0, np.ones(len(s)))
    unknown = np.full(len(s), np.nan)
    return Influence(*measures, studentised, _dffits(pearson, leverage, 1.0), unknown, _names(model, evidence))


def _leverage(V, intercept, design, information, pull):
    """Leverage and dfbeta, from the inverse information V, the information of each row and its pull ``s_i u_i``."""
    A = square_root(V, intercept, design, information)
    leverage, dfbeta = np.empty(design.n), np.empty((design.n, len(A)))

    def task(block, w, force, h_out, out):
        Z = coordinates(A, block.X)
        h_out[:] = (w * (Z * Z).sum(axis=1)).clip(max=1.0)
        with np.errstate(divide="ignore", invalid="ignore"):
            out[:] = (Z * (force / (1.0 - h_out))[:, None]) @ A.T
        return 0

    design.reduce(task, lambda a, b: 0, None, information, pull, leverage, dfbeta)
    dfbeta[:, np.isnan(np.diag(V))] = np.nan
    return leverage, dfbeta


def _measures(V, leverage, dfbeta, pearson, deviance, k, dispersion, without):
    """The fields of an Influence up to dfbetas; `without` is the dispersion of the fit without each row."""
    with np.errstate(divide="ignore", invalid="ignore"):
        room = np.sqrt(dispersion * (1.0 - leverage))
        cooks = pearson**2 * leverage / (dispersion * k * (1.0 - leverage) ** 2)
        errors = np.sqrt(np.multiply.outer(without, np.diag(V)))
        return leverage, pearson, deviance, pearson / room, deviance / room, cooks, dfbeta, dfbeta / errors


def _dffits(pearson, leverage, without):
    with np.errstate(divide="ignore", invalid="ignore"):
        return pearson * np.sqrt(leverage / without) / (1.0 - leverage)


def _names(model, evidence):
    return tuple(coefficient_names(model, evidence.intercept))


def _no_influence(model):
    return cannot(
        f"tell the influence of rows on {type(model).__name__}",
        because="it is told of least squares of one output and of logistic fits of two classes, without a penalty",
        instead="LinearRegression, or LogisticRegression(C=np.inf) of two classes",
    )
