r"""Confidence and prediction intervals of least squares.

    confidence   ŷ ± t σ sqrt(h(x)),           h(x) = 1/N + (x - x̄)'U(x - x̄)        for the mean of y at x
    prediction   ŷ ± t σ sqrt(1/w + h(x))                                            for one new y of weight w at x

t is a quantile of Student's t with the residual degrees of freedom, U = (X_c'S X_c)^-1 of the centred columns. The
first needs residuals of equal variance, the second residuals that are normal too, however many rows there are.

References: Seber and Lee (2003), Linear Regression Analysis, section 5.3.
"""

from dataclasses import dataclass

import numpy as np
from scipy.special import stdtrit
from sklearn.utils.validation import check_is_fitted

from separatrix.core.declaration import evidence_of, steps_of
from separatrix.core.errors import cannot
from separatrix.core.statistics import LeastSquaresStatistics
from separatrix.estimators.validation import validate_rows, validate_weights
from separatrix.inference.covariance import EPS, coordinates
from separatrix.inference.table import frame_backend

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
    sigma : float.  Residual standard deviation.
    df : float.  Residual degrees of freedom.
    """

    fit: np.ndarray
    error: np.ndarray
    low: np.ndarray
    high: np.ndarray
    kind: str
    level: float
    sigma: float
    df: float

    def to_frame(self, backend=None):
        """Fit, error, low and high of each row as a data frame.

        Parameters
        ----------
        backend : {"pandas", "polars", "pyarrow"} or None.  None takes the first of these that is installed.
        """
        import narwhals as nw

        data = {"fit": self.fit, "error": self.error, "low": self.low, "high": self.high}
        return nw.from_dict(data, backend=frame_backend(backend)).to_native()


def predict_interval(model, X, *, interval="prediction", level=0.95, sample_weight=None, weights="frequency"):
    """Predict y for new rows, with confidence or prediction intervals: R's ``predict(fit, newdata, interval=)``.

    Parameters
    ----------
    model : fitted LinearRegression of one output, or a Pipeline that ends in one.
    X : new rows.  Of a fit with aliased columns they must obey the same linear dependencies.
    interval : {"prediction", "confidence"}, default "prediction".  For one new y at x, or for the mean of y there.
    level : float, (0, 1), default 0.95.
    sample_weight : (n,) array of (0, inf) or None, default None.  Of the new rows, whose variances are σ² over it; None
        is 1. Only for prediction intervals of a fit with precision weights.
    weights : {"frequency", "precision"}, default "frequency".  What the weights of the fit meant.

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
    evidence = evidence_of(model)
    _check(model, evidence, interval, level, sample_weight, weights)
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
    error = np.sqrt(sigma2 * _leverage(evidence, validate_rows(model, X)))
    if interval == "confidence":
        spread = error
    else:
        spread = np.sqrt(sigma2 / validate_weights(sample_weight, len(fit)) + error**2)
    reach = float(stdtrit(df, 0.5 + 0.5 * level)) * spread
    return Intervals(fit, error, fit - reach, fit + reach, interval, level, float(np.sqrt(sigma2)), df)


def _leverage(evidence, X):
    """``h(x)`` of new rows: from the covariance about the means, so that means far from zero cost no digits."""
    first, U = int(evidence.intercept), evidence.unscaled
    kept = np.flatnonzero(~np.isnan(np.diag(U)[first:]))
    slopes = U[np.ix_(first + kept, first + kept)]
    size = np.sqrt(np.diag(slopes))
    values, vectors = np.linalg.eigh(slopes / np.multiply.outer(size, size))
    root = np.zeros((evidence.p, len(kept)))
    root[kept] = size[:, None] * vectors * np.sqrt(np.maximum(values, 0.0))
    if not first:
        return (coordinates(root, X) ** 2).sum(axis=1)
    # U = [[1/N + x̄'Sx̄, -x̄'S], [-Sx̄, S]]: the means are in its first row
    mean = -np.linalg.solve(slopes / np.multiply.outer(size, size), U[first + kept, 0] / size) / size
    Z = coordinates(np.vstack([-mean @ root[kept], root]), X)
    return 1.0 / evidence.total + (Z * Z).sum(axis=1)


def _check(model, evidence, interval, level, sample_weight, weights):
    plain = isinstance(evidence, LeastSquaresStatistics) and not evidence.penalised and len(evidence.rss) == 1
    if not plain or evidence.unscaled is None:
        raise cannot(
            f"give intervals of predictions of {type(model).__name__}",
            because="they hold for plain least squares of one output with more rows than columns",
            instead="LinearRegression",
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
