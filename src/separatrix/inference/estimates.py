"""Estimates of a fit with their covariance matrix: what contrasts and linear hypotheses are made of."""

from dataclasses import dataclass

import numpy as np
from sklearn.utils.validation import check_is_fitted

from separatrix.core.declaration import evidence_of, unwrap
from separatrix.core.errors import cannot
from separatrix.core.statistics import LeastSquaresStatistics, LikelihoodStatistics
from separatrix.inference.clusters import few_clusters, words_of_covariance
from separatrix.inference.fitted_likelihood import (
    default_covariance,
    exposure_or_offset,
    is_generalized,
    is_logistic,
    likelihood_of,
    robust_covariance,
)
from separatrix.inference.least_squares import Fit, coefficient_names
from separatrix.inference.reading import Reading
from separatrix.inference.summary import data_of_the_fit
from separatrix.inference.table import frame_backend

KINDS = ("classical", "HC0", "HC1", "HC2", "HC3")


@dataclass(frozen=True)
class Estimates:
    """Coefficients of one output, or of all classes but the reference, with their covariance.

    Attributes
    ----------
    names : tuple of str.  Of the coefficients, that of the intercept first.
    values : (q,) array.
    covariance : (q, q) array.  NaN for aliased coefficients.
    df : float.  Residual degrees of freedom; inf where tests use the normal distribution.
    kind : str.  What the covariance assumes, in words.
    notes : tuple of str.  What a reader of tests must know of the covariance.
    """

    names: tuple[str, ...]
    values: np.ndarray
    covariance: np.ndarray
    df: float
    kind: str
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, repr=False)
class CovarianceMatrix:
    """A covariance matrix of coefficients with their names.

    Attributes
    ----------
    names : tuple of str.
    values : (q, q) array.  NaN for aliased coefficients.
    kind : str.  What it assumes.

    >>> V = CovarianceMatrix(("a", "b"), np.array([[4.0, 1.0], [1.0, 9.0]]), "classical")
    >>> V["a", "b"], V.standard_errors
    (1.0, array([2., 3.]))
    """

    names: tuple[str, ...]
    values: np.ndarray
    kind: str

    def __getitem__(self, pair):
        """The covariance of two coefficients, by their names."""
        row, column = (self.names.index(name) for name in pair)
        return float(self.values[row, column])

    def __array__(self, dtype=None, copy=None):
        return np.array(self.values, dtype=dtype)

    @property
    def standard_errors(self):
        """Square roots of the diagonal."""
        return np.sqrt(np.diag(self.values))

    def to_frame(self, backend=None):
        """The matrix as a data frame, the names in the column "term".

        Parameters
        ----------
        backend : {"pandas", "polars", "pyarrow"} or None.  None takes the first of these that is installed.
        """
        import narwhals as nw

        data = {
            "term": list(self.names),
            **{name: list(map(float, self.values[:, j])) for j, name in enumerate(self.names)},
        }
        return nw.from_dict(data, backend=frame_backend(backend)).to_native()

    def __str__(self):
        from separatrix.inference.listing import Listing

        columns = {name: tuple(f"{v:.5g}" for v in self.values[:, j]) for j, name in enumerate(self.names)}
        return str(Listing(f"Covariance of the coefficients: {self.kind}", {"term": self.names, **columns}))

    __repr__ = __str__


def covariance_matrix(
    model,
    X=None,
    y=None,
    *,
    sample_weight=None,
    covariance=None,
    cluster=None,
    weights="frequency",
    exposure=None,
    offset=None,
):
    """The covariance matrix of the coefficients: R's ``vcov``, ``sandwich::vcovHC`` and ``sandwich::vcovCL``.

    Parameters
    ----------
    model : fitted LinearRegression of one output, LogisticRegression with ``C=np.inf``, or generalised linear model
        with ``alpha=0``.
    X, y, sample_weight, exposure, offset : the data of the fit, checked to be so.  Needed for all but the classical
        matrix.
    covariance : {"classical", "HC0", "HC1", "HC2", "HC3"} or None, default None.  None is "classical"; with clusters
        "HC1" for least squares and "HC0" for a likelihood, as in ``sandwich``. HC2 and HC3 are of least squares
        without clusters.
    cluster : (n,) array of labels or None, default None.  Rows of one label may depend on each other. The matrix is
        multiplied by G/(G - 1), and for HC1 by (N - 1)/(N - k).
    weights : {"frequency", "precision", "sampling"}, default "frequency".  As in :func:`summary`.

    Returns
    -------
    CovarianceMatrix.

    >>> import numpy as np
    >>> from separatrix.linear_model import LinearRegression
    >>> X, y = np.arange(6.0)[:, None], np.array([0.1, 1.2, 1.9, 3.3, 3.8, 5.1])
    >>> model = LinearRegression().fit(X, y)
    >>> covariance_matrix(model).standard_errors.round(4)
    array([0.1466, 0.0484])
    >>> covariance_matrix(model, X, y, cluster=[0, 0, 1, 1, 2, 2]).standard_errors.round(4)
    array([0.0442, 0.0203])
    """
    estimates = estimates_of(model, X, y, sample_weight, covariance, cluster, weights, exposure, offset)
    return CovarianceMatrix(estimates.names, estimates.covariance, estimates.kind)


def estimates_of(model, X, y, sample_weight, covariance, cluster, weights, exposure=None, offset=None):
    """The estimates of a fit; the parameters are those of :func:`covariance_matrix`."""
    model = unwrap(model)
    check_is_fitted(model)
    known = exposure_or_offset(model, exposure, offset)
    likelihood = is_logistic(model) or is_generalized(model)
    if covariance is None:
        covariance = default_covariance(model, cluster)
    _check(covariance, cluster, weights, likelihood, is_generalized(model), X)
    of = _of_likelihood if likelihood else _of_least_squares
    return of(model, (X, y, sample_weight), known, covariance, cluster, weights)


def _of_least_squares(model, data, known, covariance, cluster, weights):
    evidence = evidence_of(model)
    if not isinstance(evidence, LeastSquaresStatistics) or evidence.penalised or len(evidence.rss) > 1:
        raise _no_covariance(model, "it is no plain least squares of one output")
    rows = None if data[0] is None else data_of_the_fit(model, evidence, *data)
    fit = Fit(evidence, covariance, weights, 0.95, rows, cluster)
    if fit.covariances is None:
        raise _no_covariance(
            model, "there are no more rows than coefficients, or dependent columns share their effects"
        )
    kind, notes = words_of_covariance(covariance, cluster), few_clusters(cluster)
    names = tuple(coefficient_names(model, evidence.intercept))
    return Estimates(names, evidence.coefficients[:, 0], fit.covariances[0], fit.df, kind, notes)


def _of_likelihood(model, data, known, covariance, cluster, weights):
    fit, evidence = None, evidence_of(model)
    if data[0] is not None:
        fit = likelihood_of(model, *data, **known)
        evidence = fit.evidence
    if not isinstance(evidence, LikelihoodStatistics) or evidence.penalised or evidence.covariance is None:
        raise _no_covariance(model, "it is penalised, or keeps no evidence of its fit")
    V, n, df, classes = evidence.covariance, evidence.total, np.inf, evidence.coefficients.shape[1]
    if is_generalized(model):
        reading = Reading(evidence, weights)
        V, n, df = reading.covariance, reading.n, reading.df if reading.estimated else np.inf
        if V is None:
            raise _no_covariance(model, "no residual degrees of freedom are left to estimate the dispersion")
    if covariance != "classical":
        V = robust_covariance(fit, covariance, n, cluster=cluster, repetitions=weights == "frequency")
    names = coefficient_names(model, evidence.intercept)
    if classes > 1:
        names = [f"{label}: {name}" for label in evidence.classes[1:] for name in names]
    kind, notes = words_of_covariance(covariance, cluster), few_clusters(cluster)
    return Estimates(tuple(names), evidence.coefficients.T.ravel(), V, df, kind, notes)


def _check(covariance, cluster, weights, likelihood, generalized, X):
    legal = ("HC0", "HC1") if cluster is not None else KINDS[:3] if likelihood else KINDS
    meanings = ("frequency", "precision", "sampling")
    meanings = ("frequency", "sampling") if likelihood and not generalized else meanings
    for name, value, choices in (("covariance", covariance, legal), ("weights", weights, meanings)):
        if value not in choices:
            raise cannot(
                f"form a covariance matrix with {name}={value!r}",
                because=f"{name} is not one of {', '.join(map(repr, choices))}"
                + (" with clusters" if cluster is not None and name == "covariance" else ""),
                instead=f"{name}={choices[0]!r}",
            )
    if covariance == "classical" and weights == "sampling":
        raise cannot(
            "form a classical covariance matrix for sampling weights",
            because="weighting by the inverse of a probability makes variances unequal",
            instead="covariance='HC1'",
        )
    if covariance != "classical" and X is None:
        raise cannot(
            f"form a covariance matrix with covariance={covariance!r} from the model alone",
            because="it needs the residual of each row, and a model does not keep its data",
            instead="X=X, y=y",
        )


def _no_covariance(model, because):
    return cannot(
        f"form a covariance matrix of the coefficients of {type(model).__name__}",
        because=because,
        instead="LinearRegression of one output with more rows than columns, LogisticRegression(C=np.inf), or a "
        "generalised linear model with alpha=0",
    )
