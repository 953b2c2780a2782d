r"""Confidence and prediction intervals of least squares, and confidence intervals of means by likelihood.

    confidence   ŷ ± t σ sqrt(h(x)),           h(x) = 1/N + (x - x̄)'U(x - x̄)        for the mean of y at x
    prediction   ŷ ± t σ sqrt(1/w + h(x))                                            for one new y of weight w at x
    likelihood   g⁻¹(η ± q sqrt(φ x'Vx)),      η = x'beta + offset                    for the mean of y at x

t is a quantile of Student's t with the residual degrees of freedom, U = (X_c'S X_c)^-1 of the centred columns. The
first needs residuals of equal variance, the second residuals that are normal too, however many rows there are. V is
the inverse information; q is a quantile of the normal distribution where the dispersion φ is known, else of Student's
t. The ends are those of the raw score η, cut where the range of the mean ends; NaN where η itself is outside of it.

References: Seber and Lee (2003), Linear Regression Analysis, section 5.3; McCullagh and Nelder (1989), Generalized
Linear Models, section 2.5.
"""

from dataclasses import dataclass

import numpy as np
from scipy.special import ndtri, stdtrit
from sklearn.utils.validation import check_is_fitted

from separatrix.core.declaration import evidence_of, steps_of
from separatrix.core.errors import cannot
from separatrix.core.statistics import LeastSquaresStatistics, LikelihoodStatistics
from separatrix.estimators.linear.exposure import known_terms
from separatrix.estimators.validation import validate_rows, validate_weights
from separatrix.inference.covariance import EPS, coordinates
from separatrix.inference.fitted_likelihood import exposure_or_offset, is_generalized
from separatrix.inference.reading import Reading
from separatrix.inference.table import frame_backend
from separatrix.prediction.links import LINKS, inverse_link, mean_slope

KINDS = ("confidence", "prediction")


@dataclass(frozen=True)
class Intervals:
    """Predictions with their intervals.

    Attributes
    ----------
    fit : (n,) array.  What the model predicts.
    error : (n,) array.  Standard error of the mean of y at x (not of one new y).
    low, high : (n,) arrays.  The interval.
    kind : {"confidence", "prediction"}.
    level : float.
    sigma : float.  Residual standard deviation; of a likelihood the root of the dispersion.
    df : float.  Residual degrees of freedom; inf where quantiles are normal.
    raw_score, raw_score_error : (n,) arrays or None.  Of a likelihood, the score on the scale of the link and its
        standard error: R's ``predict(type = "link", se.fit = TRUE)``. `error` is that of ``type = "response"``.
    """

    fit: np.ndarray
    error: np.ndarray
    low: np.ndarray
    high: np.ndarray
    kind: str
    level: float
    sigma: float
    df: float
    raw_score: np.ndarray | None = None
    raw_score_error: np.ndarray | None = None

    def to_frame(self, backend=None):
        """Fit, error, low and high of each row as a data frame.

        Parameters
        ----------
        backend : {"pandas", "polars", "pyarrow"} or None.  None takes the first of these that is installed.
        """
        import narwhals as nw

        data = {"fit": self.fit, "error": self.error, "low": self.low, "high": self.high}
        return nw.from_dict(data, backend=frame_backend(backend)).to_native()


def predict_interval(
    model,
    X,
    *,
    interval=None,
    level=0.95,
    sample_weight=None,
    weights="frequency",
    exposure=None,
    offset=None,
):
    """Predict y for new rows, with confidence or prediction intervals: R's ``predict(fit, newdata, interval=)``.

    Parameters
    ----------
    model : fitted LinearRegression of one output, LogisticRegression of two classes with ``C=np.inf`` (the mean is the
        probability of the second), generalised linear model with ``alpha=0``, or a Pipeline that ends in one.
    X : new rows.  Of a fit with aliased columns they must obey the same linear dependencies.
    interval : {"prediction", "confidence"} or None, default None.  For one new y at x, or for the mean of y there. None
        is "prediction" for least squares, else "confidence", which is the only one of a likelihood.
    level : float, (0, 1), default 0.95.
    sample_weight : (n,) array of (0, inf) or None, default None.  Of the new rows, whose variances are σ² over it; None
        is 1. Only for prediction intervals of a fit with precision weights.
    weights : {"frequency", "precision"}, default "frequency".  What the weights of the fit meant.
    exposure, offset : (n,) arrays or None, default None.  Known terms of the scores of the new rows, of a generalised
        linear model.

    Returns
    -------
    Intervals.

    >>> import numpy as np
    >>> from separatrix.linear_model import LinearRegression
    >>> model = LinearRegression().fit(np.arange(6.0)[:, None], [0.1, 1.2, 1.9, 3.3, 3.8, 5.1])
    >>> band = predict_interval(model, [[10.0]])
    >>> band.fit.round(3), band.low.round(3), band.high.round(3)
    (array([9.895]), array([8.718]), array([11.073]))
    """
    *before, model = steps_of(model)
    for step in before:
        X = step.transform(X)
    check_is_fitted(model)
    known = exposure_or_offset(model, exposure, offset)
    evidence = evidence_of(model)
    likelihood = isinstance(evidence, LikelihoodStatistics)
    if interval is None:
        interval = "confidence" if likelihood else "prediction"
    _check(model, evidence, likelihood, interval, level, sample_weight, weights)
    if likelihood:
        return _of_mean(model, evidence, X, known, level, weights)
    n = evidence.total if weights == "frequency" else float(evidence.n)
    df = n - evidence.rank - int(evidence.intercept)
    if not df > 0.0:
        raise cannot(
            f"give {interval} intervals",
            because="no residual degrees of freedom are left to estimate the variance",
            instead="more rows, or fewer columns",
        )
    rss = float(evidence.rss[0])
    sigma2 = 0.0 if rss <= EPS**2 * float(evidence.tss[0]) else rss / df
    fit = np.asarray(model.predict(X), dtype=np.float64)
    error = np.sqrt(sigma2 * _leverage(evidence, evidence.unscaled, validate_rows(model, X), evidence.total))
    if interval == "confidence":
        spread = error
    else:
        spread = np.sqrt(sigma2 / validate_weights(sample_weight, len(fit)) + error**2)
    reach = float(stdtrit(df, 0.5 + 0.5 * level)) * spread
    return Intervals(fit, error, fit - reach, fit + reach, interval, level, float(np.sqrt(sigma2)), df)


def _of_mean(model, evidence, X, known, level, weights):
    """The interval of a mean, from that of its raw score."""
    family, link, dispersion, df = None, "logit", 1.0, np.inf
    if is_generalized(model):
        reading = Reading(evidence, weights)
        family, link, dispersion = evidence.family, evidence.link, reading.dispersion
        df = reading.df if reading.estimated else np.inf
    if dispersion is None:
        raise _no_intervals(model, "no residual degrees of freedom are left to estimate the dispersion")
    rows, first = validate_rows(model, X), int(evidence.intercept)
    eta = np.asarray(rows @ evidence.coefficients[first:, 0]) + (evidence.coefficients[0, 0] if first else 0.0)
    terms = known_terms(model, len(eta), known.get("exposure"), known.get("offset")) if known else None
    eta = eta if terms is None else eta + terms
    error = np.sqrt(dispersion * _leverage(evidence, evidence.covariance, rows))
    reach = float(ndtri(0.5 + 0.5 * level) if np.isinf(df) else stdtrit(df, 0.5 + 0.5 * level)) * error
    low, high = eta - reach, eta + reach
    least, most = _range_of_scores(link, family)
    low, high = (np.where((eta < least) | (eta > most), np.nan, np.clip(end, least, most)) for end in (low, high))
    ends = inverse_link(link, low), inverse_link(link, high)
    sigma = float(np.sqrt(dispersion))
    ends = inverse_link(link, eta), error * np.abs(mean_slope(link, eta)), np.minimum(*ends), np.maximum(*ends)
    return Intervals(*ends, "confidence", level, sigma, df, eta, error)


def _range_of_scores(link, family):
    """The raw scores whose means are in the range of the family."""
    if LINKS[link].positive or (link == "identity" and family != "gaussian"):
        return 0.0, np.inf
    return -np.inf, 0.0 if link == "log" and family in ("binomial", "quasibinomial") else np.inf


def _leverage(evidence, U, X, total=None):
    """``x'Ux`` of new rows: from the covariance about the means, so that means far from zero cost no digits.

    `total` is N of the formula, where it is known.
    """
    first = int(evidence.intercept)
    kept = np.flatnonzero(~np.isnan(np.diag(U)[first:]))
    slopes = U[np.ix_(first + kept, first + kept)]
    size = np.sqrt(np.diag(slopes))
    values, vectors = np.linalg.eigh(slopes / np.multiply.outer(size, size))
    root = np.zeros((evidence.p, len(kept)))
    root[kept] = size[:, None] * vectors * np.sqrt(np.maximum(values, 0.0))
    if not first:
        return (coordinates(root, X) ** 2).sum(axis=1)
    # U = [[1/N + x̄'Sx̄, -x̄'S], [-Sx̄, S]]: the means, weighted by their information, and its total N are in it
    mean = -np.linalg.solve(slopes / np.multiply.outer(size, size), U[first + kept, 0] / size) / size
    at_zero = mean @ root[kept]
    share = 1.0 / total if total is not None else max(U[0, 0] - at_zero @ at_zero, 0.0)
    Z = coordinates(np.vstack([-at_zero, root]), X)
    return share + (Z * Z).sum(axis=1)


def _no_intervals(model, because):
    return cannot(
        f"give intervals of predictions of {type(model).__name__}",
        because=because,
        instead="LinearRegression, LogisticRegression(C=np.inf) of two classes, or a generalised linear model with "
        "alpha=0",
    )


def _check(model, evidence, likelihood, interval, level, sample_weight, weights):
    known = isinstance(evidence, LeastSquaresStatistics) and len(evidence.rss) == 1 and evidence.unscaled is not None
    if likelihood:
        known = evidence.coefficients.shape[1] == 1 and evidence.covariance is not None and not evidence.held
    if not known or evidence.penalised:
        raise _no_intervals(model, "they hold for one output or two classes, with a covariance and without a penalty")
    if likelihood and interval == "prediction":
        raise cannot(
            f"give prediction intervals of {type(model).__name__}",
            because="a new y is not normal about its mean",
            instead="interval='confidence', for the mean of y",
        )
    for name, value, legal in (("interval", interval, KINDS), ("weights", weights, ("frequency", "precision"))):
        if value not in legal:
            raise cannot(
                f"give intervals of predictions with {name}={value!r}",
                because=f"{name} is not one of {', '.join(map(repr, legal))}",
                instead=f"{name}={legal[0]!r}",
            )
    if sample_weight is not None and (interval, weights) != ("prediction", "precision"):
        raise cannot(
            f"weight new rows with interval={interval!r}, weights={weights!r}",
            because="weights of new rows are inverses of their variances",
            instead="interval='prediction', weights='precision'; or sample_weight=None",
        )
    if not 0.0 < level < 1.0:
        raise cannot(f"give intervals with level={level!r}", because="it is not in (0, 1)", instead="level=0.95")
