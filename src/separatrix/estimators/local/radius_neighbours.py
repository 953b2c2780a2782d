r"""The average in a range: :math:`\hat y(x) = \mathrm{mean}\{y_i : d(x_i, x) \le h\}`."""

import warnings
from collections.abc import Callable
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import csr_matrix
from sklearn.base import RegressorMixin

from separatrix.core.declaration import ROWS, declares
from separatrix.core.errors import EmptyWindow, cannot
from separatrix.core.types import Array, Matrix, MatrixLike
from separatrix.estimators import verification
from separatrix.estimators.local.neighbourhood import Neighbourhood, edges, refuse_if_nothing_counts
from separatrix.estimators.validation import check_choice, check_number, enter
from separatrix.prediction.neighbours import average_of, inverse_distances


@declares(
    task="regression",
    solvers=("solvers.neighbours.nearest", "solvers.neighbours.metrics"),
    verification=verification.OF_STORED_ROWS,
    description=ROWS,
)
class RadiusNeighborsRegressor(RegressorMixin, Neighbourhood):
    r"""The average of y over all training rows within a radius: the bin smoother.

    .. math:: \hat y(x) = \frac{\sum_{d(x_i, x) \le h} w_i y_i}{\sum_{d(x_i, x) \le h} w_i}

    A narrow window rests on few rows, and may hold none: then there is nothing to average, and `empty` says what
    happens. A row at exactly the radius is inside.

    Parameters
    ----------
    radius : float, (0, inf), default 1.0.  h, half the width of the window.
    average : {"mean", "median"}, default "mean".  Mean of y, or median.
    empty : {"warn", "nan", "raise"}, default "warn".  A window without rows: NaN with the warning
        :class:`~separatrix.core.errors.EmptyWindow`, NaN in silence, or an error.
    weights : {"uniform", "distance"}, function or None, default "uniform".  How rows count: equally, by 1/distance (a
        query that coincides with training rows takes those only), or by a function of the distances of one window.
    algorithm : {"auto", "brute", "kd_tree", "ball_tree"}, default "auto".  How rows are searched; the answer is the
        same. "ball_tree" is accepted and means "auto". Sparse rows are always compared one by one.
    leaf_size : int, [1, inf), default 30.  Rows of a leaf of the k-d tree.
    p : float, (0, inf], default 2.  Power of the Minkowski distance: 1 Manhattan, 2 Euclidean, inf Chebyshev.
    metric : str or function, default "minkowski".  As in :class:`KNeighborsClassifier`.
    metric_params : dict or None, default None.  Further arguments of the metric.
    n_jobs : int or None, default None.  Accepted for scikit-learn's sake; ``$SEPARATRIX_THREADS`` says how many
        threads there are.

    Attributes
    ----------
    effective_metric_ : str or function.  effective_metric_params_ : dict.  What the distance came down to.
    n_samples_fit_ : int.  Training rows.
    n_parameters_ : int.  Numbers that the model keeps, rows and targets: it grows with the training set.
    n_features_in_, feature_names_in_ : as in scikit-learn.

    >>> model = RadiusNeighborsRegressor(radius=6.0).fit([[140.0], [145.0], [155.0]], [300.0, 310.0, 330.0])
    >>> model.predict([[150.0]])
    array([320.])
    """

    def __init__(
        self,
        radius: float = 1.0,
        *,
        average: str = "mean",
        empty: str = "warn",
        weights: str | Callable[..., Any] | None = "uniform",
        algorithm: str = "auto",
        leaf_size: int = 30,
        p: float = 2,
        metric: str | Callable[..., Any] = "minkowski",
        metric_params: dict[str, Any] | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.radius = radius
        self.average = average
        self.empty = empty
        self.weights = weights
        self.algorithm = algorithm
        self.leaf_size = leaf_size
        self.p = p
        self.metric = metric
        self.metric_params = metric_params
        self.n_jobs = n_jobs

    def fit(self, X: MatrixLike, y: ArrayLike) -> Self:
        """Keep X (n, p), dense or sparse, and y (n,) or (n, outputs)."""
        check_number(self, "radius", 0.0, open_low=True)
        check_choice(self, "average", ("mean", "median"))
        check_choice(self, "empty", ("warn", "nan", "raise"))
        design, target = enter(self, self._readable(X), y, missing=self._takes_missing)
        return self._keep(design, target.y)

    def predict(self, X: MatrixLike) -> Array:
        """The average of y around each row of X; with X=None around each training row, without itself."""
        counts, distance, index = self._within(X, None)
        self._tell_of_empty(counts)
        m = len(counts)
        i = np.repeat(np.arange(m), counts)
        weights = self._weights(counts, distance, i)
        Y = self._y.reshape(self.n_samples_fit_, -1)
        fitted = np.full((m, Y.shape[1]), np.nan)
        if self.average == "median":
            ends = np.cumsum(counts)
            for row in np.flatnonzero(counts):
                own = slice(ends[row] - counts[row], ends[row])
                one = None if weights is None else weights[None, own]
                fitted[row] = average_of(Y[index[own]][None], one, "median")[0]
        else:
            total = counts if weights is None else np.bincount(i, weights, minlength=m)
            for o in range(Y.shape[1]):
                y = Y[index, o] if weights is None else weights * Y[index, o]
                np.divide(np.bincount(i, y, minlength=m), total, out=fitted[:, o], where=counts > 0)
        return fitted.reshape(m, *self._y.shape[1:])

    def radius_neighbors(
        self,
        X: MatrixLike = None,
        radius: float | None = None,
        return_distance: bool = True,
        sort_results: bool = False,
    ) -> Any:
        """All training rows within a radius of each row of X.

        Parameters
        ----------
        X : (m, p) array or None.  None: the training rows, none of which is its own neighbour.
        radius : float or None.  None: the one of the model.
        return_distance : bool.  Whether to return the distances as well.
        sort_results : bool.  Whether the nearest come first, rather than in the order of training.

        Returns
        -------
        distances : (m,) array of arrays, if asked for.
        indices : (m,) array of arrays.
        """
        if sort_results and not return_distance:
            raise cannot(
                "sort neighbours with return_distance=False",
                because="they are sorted by distances, which are not asked for",
                instead="return_distance=True",
            )
        counts, distance, index = self._within(X, radius)
        if sort_results:
            order = np.lexsort((index, distance, np.repeat(np.arange(len(counts)), counts)))
            distance, index = distance[order], index[order]
        return (_cut(distance, counts), _cut(index, counts)) if return_distance else _cut(index, counts)

    def radius_neighbors_graph(
        self, X: MatrixLike = None, radius: float | None = None, mode: str = "connectivity", sort_results: bool = False
    ) -> Matrix:
        """Who is within reach of whom, as a sparse matrix (m, n): ones, or distances with ``mode="distance"``."""
        distances, indices = self.radius_neighbors(X, radius, sort_results=sort_results)
        index = np.concatenate(indices)
        data = edges(mode, np.concatenate(distances))
        ends = np.append(0, np.cumsum([len(one) for one in indices]))
        return csr_matrix((data, index, ends), shape=(len(indices), self.n_samples_fit_))

    def _within(self, X, radius):
        """How many rows are near each query, and distances and positions of all of them."""
        rows = self._queries(X)
        if radius is None:
            radius = check_number(self, "radius", 0.0, open_low=True)
        elif not 0.0 < radius < np.inf:
            raise cannot(f"look within radius={radius!r}", because="it must be positive", instead="radius in (0, inf)")
        counts, distance, index = self._index.within(rows, radius)
        if X is None:
            i = np.repeat(np.arange(len(counts)), counts)
            other = index != i
            counts, distance, index = np.bincount(i[other], minlength=len(counts)), distance[other], index[other]
        return counts, distance, index

    def _weights(self, counts, distance, i):
        if callable(self.weights):
            windows = [np.asarray(self.weights(one), dtype=np.float64) for one in _cut(distance, counts) if len(one)]
            weights = np.concatenate(windows) if windows else np.zeros(0)
            refuse_if_nothing_counts(np.bincount(i, weights, minlength=len(counts))[counts > 0])
            return weights
        return inverse_distances(distance, i, len(counts)) if self.weights == "distance" else None

    def _tell_of_empty(self, counts):
        empty = np.flatnonzero(counts == 0)
        if not len(empty) or self.empty == "nan":
            return
        if self.empty == "raise":
            raise cannot(
                f"average the window around row {empty[0]} of X",
                because=f"no training row lies within radius={self.radius:g} of it, nor of {len(empty) - 1} others",
                instead="a larger radius, KNeighborsRegressor, or empty='nan'",
            )
        warnings.warn(EmptyWindow(len(empty), len(counts), self.radius), stacklevel=3)


def _cut(flat, counts):
    """A flat array as an array of arrays, one for each query."""
    out = np.empty(len(counts), dtype=object)
    out[:] = np.split(flat, np.cumsum(counts)[:-1])
    return out
