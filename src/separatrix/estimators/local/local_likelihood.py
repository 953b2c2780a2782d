"""What local models share: windows, the rows that they remember, and a fit at each query."""

import time
import warnings
from dataclasses import dataclass

import numpy as np
from sklearn.utils.validation import check_is_fitted

from separatrix.core.certificate import local_gradient, warn_if_not_certified
from separatrix.core.errors import LocallyUndetermined, NoLocalMaximum, cannot
from separatrix.core.types import MatrixLike
from separatrix.estimators.saving import Estimator
from separatrix.estimators.validation import check_choice, check_number, validate_rows
from separatrix.solvers.neighbours.local_likelihood import LocalData, fit_locally, n_columns
from separatrix.solvers.neighbours.windows import KERNELS, Window

TOLERANCE = 1e-10
WIDER = "Widen the windows or raise alpha."
PROBES = 16
DEFAULT_SPAN = 0.7
# A joint Newton step factors a matrix of this many rows at each query.
MOST_COEFFICIENTS = 128


@dataclass(frozen=True)
class LocalCoefficients:
    """The local model at each of m queries.

    Attributes
    ----------
    intercept : array of shape (m,), or (m, k) for k > 2 classes.  The score at the query.
    slopes : array of shape (m, p), or (m, k, p).  Its gradient there, in the units of X.
    certificate : array of shape (m,).  Relative gradient of the local likelihood: the largest cosine between the
        residuals and a local column, the penalty included.
    bandwidth : array of shape (m,).  The width of the window.
    rows : array of shape (m,).  Rows of positive weight in it.
    separated : array of bool.  Where the likelihood has no maximum.
    undetermined : array of bool.  Where the rows do not determine all coefficients.
    """

    intercept: np.ndarray
    slopes: np.ndarray
    certificate: np.ndarray
    bandwidth: np.ndarray
    rows: np.ndarray
    separated: np.ndarray
    undetermined: np.ndarray


class LocalModel(Estimator):
    """A model that maximises, at each query x0, the likelihood of the rows weighted by their nearness to x0."""

    def __init__(
        self,
        bandwidth: float | None = None,
        *,
        n_neighbors: int | None = None,
        span: float | None = None,
        kernel: str = "tricube",
        degree: int = 1,
        alpha: float = 0.0,
        standardize: bool = False,
        empty: str = "raise",
    ) -> None:
        self.bandwidth = bandwidth
        self.n_neighbors = n_neighbors
        self.span = span
        self.kernel = kernel
        self.degree = degree
        self.alpha = alpha
        self.standardize = standardize
        self.empty = empty

    def local_coefficients(self, X: MatrixLike) -> LocalCoefficients:
        """The local model at each row of X: :class:`LocalCoefficients`."""
        fits = self._fit_at(X)
        intercept, slopes = self._in_units(fits)
        return LocalCoefficients(
            intercept, slopes, fits.gradient, fits.widths, fits.rows, fits.separated, fits.undetermined
        )

    def _check_parameters(self):
        """Check what needs no data; a wrong parameter is told before X is looked at."""
        check_choice(self, "kernel", KERNELS)
        check_choice(self, "standardize", (False, True))
        check_choice(self, "empty", ("raise", "nan"))
        check_number(self, "degree", 0, 2, integer=True)
        check_number(self, "alpha", 0)
        check_number(self, "bandwidth", 0, open_low=True, none=True)
        check_number(self, "n_neighbors", 1, integer=True, none=True)
        check_number(self, "span", 0, 1, open_low=True, none=True)
        given = [name for name in ("bandwidth", "n_neighbors", "span") if getattr(self, name) is not None]
        if len(given) > 1:
            raise cannot(
                f"fit {type(self).__name__} with {' and '.join(given)}",
                because="each of them is a width of the windows",
                instead=f"one of them, or none for span={DEFAULT_SPAN}",
            )

    def _remember(self, X, y, s, loss, mix, floor):
        """Keep the rows of positive weight, centred and in units of the largest coordinate; set ``certificate_``."""
        started = time.perf_counter()
        s = np.ones(len(X)) if s is None else s
        X, y, s = X[s > 0.0], np.ascontiguousarray(y[s > 0.0], dtype=np.float64), s[s > 0.0]
        total = s.sum()
        self._refuse_if_too_many(X.shape[1], len(mix))
        with np.errstate(over="ignore"):  # columns whose squares overflow keep their own units
            self._centre = s @ X / total
            deviation = np.sqrt(s @ (X - self._centre) ** 2 / total)
        usable = np.isfinite(deviation) & (deviation > 0.0)
        self.scale_ = np.where(usable, deviation, 1.0) if self.standardize else np.ones(X.shape[1])
        X = (X - self._centre) / self.scale_
        unit = float(np.abs(X).max()) or 1.0
        rows = np.ascontiguousarray((X / unit).T)
        self._data = LocalData(loss, rows, y, s, bool((s == 1.0).all()), unit, mix, floor)
        self._window = self._make_window(total, unit)
        probes = np.unique(np.linspace(0, len(y) - 1, PROBES).round().astype(int))
        fits = fit_locally(self._data, self._window, self._data.X.T[probes], degree=self.degree, alpha=self.alpha)
        self.certificate_ = local_gradient(float(fits.gradient.max()), TOLERANCE, len(probes), started)
        warn_if_not_certified(self.certificate_, WIDER, stacklevel=3)
        return self

    def _make_window(self, total, unit):
        if self.bandwidth is not None:
            return Window(self.kernel, float(self.bandwidth) / unit, None)
        if self.n_neighbors is None:
            return Window(self.kernel, None, (DEFAULT_SPAN if self.span is None else self.span) * total)
        if self.n_neighbors > total * (1.0 + 1e-12):
            raise cannot(
                f"fit {type(self).__name__} with n_neighbors={self.n_neighbors}",
                because=f"there are {total:g} rows, repetitions by weight included",
                instead=f"n_neighbors <= {int(total)}, or span=1.0",
            )
        return Window(self.kernel, None, float(self.n_neighbors))

    def _refuse_if_too_many(self, p, k1):
        count = k1 * n_columns(p, self.degree)
        if count > MOST_COEFFICIENTS:
            raise cannot(
                f"fit {type(self).__name__} with {count} coefficients at each query",
                because=f"windows hold too few rows for more than {MOST_COEFFICIENTS}",
                instead="a lower degree, fewer columns, or a global model",
            )

    def _fit_at(self, X, errors=False):
        """Fit at each row of X, and say what was met there."""
        check_is_fitted(self)
        X = np.asarray(validate_rows(self, X, sparse=False), dtype=np.float64)
        queries = (X - self._centre) / self.scale_ / self._data.unit
        fits = fit_locally(self._data, self._window, queries, degree=self.degree, alpha=self.alpha, errors=errors)
        if fits.empty.any() and self.empty == "raise":
            self._refuse_the_empty(X, queries, fits)
        for met, warning in ((fits.separated, NoLocalMaximum), (fits.undetermined, LocallyUndetermined)):
            if met.any():
                warnings.warn(warning(int(met.sum()), len(X)), stacklevel=3)
        certificate = local_gradient(float(fits.gradient.max()), TOLERANCE, len(X))
        warn_if_not_certified(certificate, WIDER, stacklevel=3)
        return fits

    def _refuse_the_empty(self, X, queries, fits):
        row = int(np.argmax(fits.empty))
        with np.errstate(over="ignore"):
            nearest = np.linalg.norm(self._data.X.T - queries[row], axis=1).min() * self._data.unit
        place = np.array2string(X[row], precision=4, threshold=6, separator=", ")
        raise cannot(
            f"fit at row {row} of X, {place}",
            because=f"no training row lies inside its window of width {fits.widths[row]:.4g}; the nearest is at a "
            f"distance of {nearest:.4g} ({int(fits.empty.sum())} of {len(X)} windows are empty)",
            instead="a wider bandwidth, more n_neighbors, kernel='gaussian', or empty='nan' to get NaN there",
        )

    def _in_units(self, fits):
        """Scores and slopes of all fits, in the units of X."""
        raise NotImplementedError


def check_level(level):
    """The level of a confidence interval."""
    if isinstance(level, bool) or not isinstance(level, int | float | np.number) or not 0.0 < level < 1.0:
        raise cannot(
            f"give intervals at level={level!r}", because="it is not in (0, 1)", instead="level=0.95 (default)"
        )
    return float(level)
