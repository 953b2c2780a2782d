r"""Which rows decide: leverage, residuals, Cook's distance, and what leaving a row out would do to each coefficient.

With w_i the information of row i (``s μ (1 - μ)`` of a logistic fit; least squares: ``s``), V the inverse information
and u_i the slope of its log-likelihood,

    leverage       h_i = w_i x_i'V x_i                        Pearson residual      ± s_i |u_i| / sqrt(w_i)
    standardised   residual / sqrt(φ (1 - h_i))               Cook's distance       pearson² h_i / (φ k (1 - h_i)²)
    dfbeta         V x_i s_i u_i / (1 - h_i)                  one Newton step towards the fit without the row
    dfbetas        dfbeta / sqrt(φ_(i) V_jj)                  dffits            deviance sqrt(h_i) / (σ_(i) (1 - h_i))

φ is the dispersion: 1 for a logistic fit, counts and shares, σ² for least squares, where all of this is exact, else
Pearson's estimate. σ²_(i) is (Σ deviance² - deviance_i² / (1 - h_i)) / (N - k - 1), of least squares the variance of
the fit without the row; φ_(i) is 1 where φ is known, else σ²_(i). The studentised residual is
``sign(y - μ) sqrt(deviance² + h pearson² / (1 - h))``, over σ_(i) where φ is not known. The covariance ratio is
(σ²_(i) / σ²)^k / (1 - h_i), of least squares that of the determinants of the covariance matrices without and with the
row. Studentised residuals, Cook's distance, dffits and the covariance ratio are R's, of ``lm`` and ``glm``; R's dfbeta
of a ``glm`` takes deviance residuals, which is no Newton step. A weight of least squares or of a generalised linear
model is an inverse variance here, as in R: its row is left out whole, and there are as many degrees of freedom as rows
less coefficients.

References: Pregibon (1981), Annals of Statistics 9(4); Cook and Weisberg (1982), Residuals and Influence in Regression;
Belsley, Kuh and Welsch (1980), Regression Diagnostics, chapter 2; Williams (1987), Applied Statistics 36(2).
"""

from dataclasses import dataclass

import numpy as np
from sklearn.utils.validation import check_is_fitted

from separatrix.core.declaration import evidence_of
from separatrix.core.errors import cannot
from separatrix.core.objective import deviances_at
from separatrix.core.statistics import LeastSquaresStatistics
from separatrix.estimators.validation import enter
from separatrix.inference.covariance import coordinates, square_root
from separatrix.inference.fitted_likelihood import exposure_or_offset, is_generalized, is_logistic, likelihood_of
from separatrix.inference.least_squares import coefficient_names
from separatrix.inference.reading import Reading
from separatrix.inference.table import frame_backend
from separatrix.prediction.links import LINKS


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
    covariance_ratio : (n,) array.  Below 1 where the row makes the estimates less precise.
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


def influence(model, X, y, sample_weight=None, *, exposure=None, offset=None):
    """Leverage, residuals and influence of each row on a fit by least squares or likelihood.

    Parameters
    ----------
    model : fitted LinearRegression, LogisticRegression of two classes with ``C=np.inf``, or generalised linear model
        with ``alpha=0``.
    X, y, sample_weight, exposure, offset : the data of the fit.  Weights are read as inverse variances, as in R; of
        classes as repetitions.

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
    known = exposure_or_offset(model, exposure, offset)
    if is_logistic(model) or (is_generalized(model) and evidence_of(model) is not None):
        return _of_likelihood(model, likelihood_of(model, X, y, sample_weight, **known))
    evidence = evidence_of(model)
    plain = isinstance(evidence, LeastSquaresStatistics) and not evidence.penalised
    if not plain or evidence.unscaled is None or evidence.coefficients.shape[1] > 1:
        raise _no_influence(model)
    design, target = enter(model, X, y, sample_weight, reset=False)
    first = int(evidence.intercept)
    r = target.y.reshape(-1) - design.matvec(evidence.coefficients[first:, 0])
    r = r - evidence.coefficients[0, 0] if first else r
    s, pearson = target.weights, np.sqrt(target.weights) * r
    df = np.count_nonzero(s) - evidence.rank - first
    rows = _leverage(evidence.unscaled, evidence.intercept, design, s, s * r)
    dispersion = float(evidence.rss[0]) / df if df > 0 else np.nan
    return _measures(model, evidence, evidence.unscaled, *rows, pearson, pearson, df, dispersion, estimated=True)


def _of_likelihood(model, fit):
    evidence, target = fit.evidence, fit.problem.target
    if evidence.held:
        raise cannot(
            f"tell the influence of rows on {type(model).__name__}",
            because="some of its coefficients are at their bounds, which they may leave without a row",
            instead="bounds=None",
        )
    if evidence.penalised or evidence.covariance is None or target.y.ndim > 1:
        raise _no_influence(model)
    s, u, w = target.weights, fit.residuals(), fit.information()
    # a link that falls turns the sign: slopes in the score and in the mean differ by it
    sign = np.sign(u) * (-1.0 if is_generalized(model) and LINKS[evidence.link].falls else 1.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        pearson = np.where(w > 0.0, sign * s * np.abs(u) / np.sqrt(w), 0.0)
    deviance = sign * np.sqrt(s * deviances_at(fit.problem.loss, target.y, fit.scores()))
    rows = _leverage(evidence.covariance, evidence.intercept, fit.design, w, s * u)
    df = np.count_nonzero(s) - evidence.rank - int(evidence.intercept)
    dispersion, estimated = 1.0, False
    if is_generalized(model):
        reading = Reading(evidence, "precision")
        dispersion = np.nan if reading.dispersion is None else reading.dispersion
        estimated = reading.estimated
    return _measures(
        model, evidence, evidence.covariance, *rows, pearson, deviance, df, dispersion, estimated=estimated
    )


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


def _measures(model, evidence, V, leverage, dfbeta, pearson, deviance, df, dispersion, *, estimated):
    """Everything that follows from leverage, residuals and dispersion: see the head of this file."""
    k, total = evidence.rank + int(evidence.intercept), float(deviance @ deviance)
    with np.errstate(divide="ignore", invalid="ignore"):
        room, lift = 1.0 - leverage, leverage / (1.0 - leverage)
        left = np.where(leverage < 1.0, np.maximum(total - deviance**2 / room, 0.0) / (df - 1.0), np.nan)
        without = left if estimated else np.ones(len(left))  # the dispersion of the fit without each row
        spread = np.sqrt(dispersion * room)
        return Influence(
            leverage,
            pearson,
            deviance,
            pearson / spread,
            deviance / spread,
            pearson**2 * lift / (dispersion * k * room),
            dfbeta,
            dfbeta / np.sqrt(np.multiply.outer(without, np.diag(V))),
            np.sign(deviance) * np.sqrt((deviance**2 + lift * pearson**2) / without),
            deviance * np.sqrt(leverage / left) / room,
            (left * df / total) ** k / room,
            _names(model, evidence),
        )


def _names(model, evidence):
    return tuple(coefficient_names(model, evidence.intercept))


def _no_influence(model):
    return cannot(
        f"tell the influence of rows on {type(model).__name__}",
        because="it is told of least squares of one output, of logistic fits of two classes and of generalised linear "
        "models, without a penalty",
        instead="LinearRegression, LogisticRegression(C=np.inf) of two classes, or GeneralizedLinearRegressor",
    )
