"""Estimates of a fit with their covariance matrix: what contrasts and linear hypotheses are made of."""

from dataclasses import dataclass

import numpy as np
from sklearn.utils.validation import check_is_fitted

from separatrix.core.declaration import evidence_of, unwrap
from separatrix.core.errors import cannot
from separatrix.core.statistics import LeastSquaresStatistics, LikelihoodStatistics
from separatrix.inference.clusters import cluster_sandwich
from separatrix.inference.covariance import EPS, classical, sandwich
from separatrix.inference.fitted_likelihood import is_logistic, likelihood_of, robust_covariance
from separatrix.inference.least_squares import coefficient_names
from separatrix.inference.summary import data_of_the_fit
from separatrix.inference.table import frame_backend

KINDS = ("classical", "HC0", "HC1", "HC2", "HC3")
MANY_CLUSTERS = 40
FEW_CLUSTERS = (
    "With few clusters ({}) standard errors are too small, and tests reject too often. In contrasts, df of one less "
    "than the number of clusters helps in part."
)


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
    clusters : int or None.  Their number, where the covariance is robust to them.
    """

    names: tuple[str, ...]
    values: np.ndarray
    covariance: np.ndarray
    df: float
    kind: str
    clusters: int | None = None

    @property
    def notes(self):
        """What a reader of tests must know of the covariance."""
        few = self.clusters is not None and self.clusters < MANY_CLUSTERS
        return (FEW_CLUSTERS.format(self.clusters),) if few else ()


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


def covariance_matrix(model, X=None, y=None, *, sample_weight=None, covariance=None, cluster=None, weights="frequency"):
    """The covariance matrix of the coefficients: R's ``vcov``, ``sandwich::vcovHC`` and ``sandwich::vcovCL``.

    Parameters
    ----------
    model : fitted LinearRegression of one output, or LogisticRegression with ``C=np.inf``.
    X, y, sample_weight : the data of the fit, checked to be so.  Needed for all but the classical matrix.
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
    estimates = estimates_of(model, X, y, sample_weight, covariance, cluster, weights)
    return CovarianceMatrix(estimates.names, estimates.covariance, estimates.kind)


def estimates_of(model, X, y, sample_weight, covariance, cluster, weights):
    """The estimates of a fit; the parameters are those of :func:`covariance_matrix`."""
    model = unwrap(model)
    check_is_fitted(model)
    likelihood = is_logistic(model)
    if covariance is None:
        covariance = "classical" if cluster is None else "HC0" if likelihood else "HC1"
    _check(covariance, cluster, weights, likelihood, X)
    if likelihood:
        return _of_likelihood(model, (X, y, sample_weight), covariance, cluster, weights)
    return _of_least_squares(model, (X, y, sample_weight), covariance, cluster, weights)


def _of_least_squares(model, data, covariance, cluster, weights):
    evidence = evidence_of(model)
    if not isinstance(evidence, LeastSquaresStatistics) or evidence.penalised or len(evidence.rss) > 1:
        raise _no_covariance(model, "it is no plain least squares of one output")
    n, k = evidence.total if weights == "frequency" else float(evidence.n), evidence.rank + int(evidence.intercept)
    if evidence.unscaled is None or n <= k:
        raise _no_covariance(model, "there are no more rows than coefficients")
    exact = evidence.rss <= EPS**2 * evidence.tss  # rounding of y, not noise
    if covariance == "classical" or exact.all():
        V = classical(evidence, np.where(exact, 0.0, evidence.rss / (n - k)))[0]
    else:
        rows = data_of_the_fit(model, evidence, *data)
        if cluster is None:
            V = sandwich(evidence, rows.design, rows.residuals, rows.s, covariance, repetitions=weights == "frequency")[
                0
            ]
        else:
            pull = rows.residuals[:, 0] * (1.0 if rows.s is None else rows.s)
            factor = (n - 1.0) / (n - k) if covariance == "HC1" else 1.0
            args = evidence.unscaled, evidence.intercept, rows.design, rows.s, pull, cluster
            V = cluster_sandwich(*args, factor=factor)
    names = tuple(coefficient_names(model, evidence.intercept))
    count = _count(cluster)
    return Estimates(names, evidence.coefficients[:, 0], V, n - k, _words(covariance, count), count)


def _of_likelihood(model, data, covariance, cluster, weights):
    fit, evidence = None, evidence_of(model)
    if data[0] is not None:
        fit = likelihood_of(model, *data)
        evidence = fit.evidence
    if not isinstance(evidence, LikelihoodStatistics) or evidence.penalised or evidence.covariance is None:
        raise _no_covariance(model, "it is penalised, or keeps no evidence of its fit")
    V, classes = evidence.covariance, evidence.coefficients.shape[1]
    n, k = evidence.total, classes * (evidence.rank + int(evidence.intercept))
    if cluster is not None:
        if classes > 1:
            raise _no_covariance(model, "clusters are known for two classes only")
        pull = fit.residuals() * fit.problem.target.weights
        args = V, evidence.intercept, fit.design, fit.information(), pull, cluster
        V = cluster_sandwich(*args, factor=(n - 1.0) / (n - k) if covariance == "HC1" else 1.0)
    elif covariance != "classical":
        V = robust_covariance(fit, repetitions=weights == "frequency") * (n / (n - k) if covariance == "HC1" else 1.0)
    names = coefficient_names(model, evidence.intercept)
    if classes > 1:
        names = [f"{label}: {name}" for label in evidence.classes[1:] for name in names]
    count = _count(cluster)
    return Estimates(tuple(names), evidence.coefficients.T.ravel(), V, np.inf, _words(covariance, count), count)


def _count(cluster):
    return None if cluster is None else len(set(np.asarray(cluster).tolist()))


def _words(covariance, clusters):
    return covariance if clusters is None else f"{covariance} by {clusters} clusters"


def _check(covariance, cluster, weights, likelihood, X):
    legal = ("HC0", "HC1") if cluster is not None else KINDS[:3] if likelihood else KINDS
    meanings = ("frequency", "sampling") if likelihood else ("frequency", "precision", "sampling")
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
        instead="LinearRegression of one output with more rows than columns, or LogisticRegression(C=np.inf)",
    )
