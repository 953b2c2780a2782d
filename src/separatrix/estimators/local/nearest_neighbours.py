r"""k nearest neighbours: :math:`\hat y(x) = \frac1k \sum_{x_i \in N_k(x)} y_i`, and a vote for classes."""

from collections.abc import Callable
from numbers import Integral
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import csr_matrix
from sklearn.base import ClassifierMixin, RegressorMixin

from separatrix.core.declaration import ROWS, declares
from separatrix.core.errors import WrongType, cannot
from separatrix.core.family import Family, declare, needs
from separatrix.core.types import Array, Matrix, MatrixLike
from separatrix.estimators import verification
from separatrix.estimators.local.neighbour_count import NeighbourCountSearch
from separatrix.estimators.local.neighbourhood import Neighbourhood, edges, refuse_if_nothing_counts
from separatrix.estimators.validation import check_choice, check_number, enter, validate_labels
from separatrix.prediction import forms
from separatrix.prediction.neighbours import average_of, inverse_distances, shares_of


class KNearest(Neighbourhood):
    """A model that answers from a fixed number of neighbours."""

    def kneighbors(self, X: MatrixLike = None, n_neighbors: int | None = None, return_distance: bool = True) -> Any:
        """The nearest training rows of each row of X, nearest first; of equally near ones the first in training.

        Parameters
        ----------
        X : (m, p) array or None.  None: the training rows, none of which is its own neighbour.
        n_neighbors : int or None.  None: as many as the model uses.
        return_distance : bool.  Whether to return the distances as well.

        Returns
        -------
        distances : (m, n_neighbors) array, if asked for.
        indices : (m, n_neighbors) array.
        """
        rows = self._queries(X)
        k = self._how_many(n_neighbors, others=X is None)
        distance, index = self._index.nearest(rows, k + (X is None))
        if X is None:
            distance, index = _without_itself(distance, index)
        return (distance, index) if return_distance else index

    def kneighbors_graph(
        self, X: MatrixLike = None, n_neighbors: int | None = None, mode: str = "connectivity"
    ) -> Matrix:
        """Who is whose neighbour, as a sparse matrix (m, n): ones, or distances with ``mode="distance"``."""
        distance, index = self.kneighbors(X, n_neighbors)
        m, k = index.shape
        data = edges(mode, distance.ravel())
        return csr_matrix((data, index.ravel(), np.arange(0, m * k + 1, k)), shape=(m, self.n_samples_fit_))

    def _how_many(self, asked, others):
        if asked is None:
            k = check_number(self, "n_neighbors", 1, integer=True)
        elif not isinstance(asked, Integral) or isinstance(asked, bool) or asked < 1:
            raise cannot(
                f"find n_neighbors={asked!r}",
                because="their number must be an integer in [1, inf)",
                instead="n_neighbors in [1, inf)",
                kind=ValueError if isinstance(asked, Integral) else WrongType,
            )
        else:
            k = int(asked)
        most = self.n_samples_fit_ - others
        if k > most:
            raise cannot(
                f"find n_neighbors={k} neighbours",
                because=f"the model was fitted to n_samples={self.n_samples_fit_} rows"
                + (", and a row is not its own neighbour" if others else ""),
                instead=f"n_neighbors <= {most}" if most else "more rows",
            )
        return k

    def _neighbours(self, X):
        """Positions (m, k) of the neighbours, and their weights (m, k) or None."""
        distance, index = self.kneighbors(X)
        if callable(self.weights):
            weights = np.asarray(self.weights(distance), dtype=np.float64)
            if weights.shape != distance.shape:
                raise cannot(
                    f"use weights of shape {weights.shape}",
                    because=f"the distances are of shape {distance.shape}",
                    instead="a function that returns one weight for each distance",
                )
            refuse_if_nothing_counts(weights.sum(axis=1))
            return index, weights
        if self.weights != "distance":
            return index, None
        m, k = distance.shape
        return index, inverse_distances(distance.ravel(), np.repeat(np.arange(m), k), m).reshape(m, k)


def _without_itself(distance, index):
    """Of the k + 1 nearest of each training row, those that are not the row itself."""
    other = index != np.arange(len(index))[:, None]
    # among many equal rows that come before it, a row may not be found: then the last is one too many
    other[other.all(axis=1), -1] = False
    shape = (len(index), index.shape[1] - 1)
    return distance[other].reshape(shape), index[other].reshape(shape)


@declares(
    task="classification",
    solvers=("solvers.neighbours.nearest", "solvers.neighbours.metrics", "solvers.neighbours.screen"),
    prediction=forms.NEIGHBOUR_CLASSES,
    verification=verification.OF_STORED_ROWS,
    description=ROWS,
)
class KNeighborsClassifier(ClassifierMixin, KNearest):
    r"""The class that most of the k nearest training rows carry.

    .. math:: \hat p_c(x) = \frac1k \sum_{x_i \in N_k(x)} 1[y_i = c], \qquad \hat y(x) = \arg\max_c \hat p_c(x)

    Nothing is assumed of the classes, and nothing is fitted: the training rows are the model, so ``n_parameters_``
    grows with them. k = 1 repeats every training label (unless equal rows carry different ones); a large k is stiff.

    Ties are settled, not drawn. Of training rows at equal distance the one that comes first counts. Of classes with
    equal votes the first of ``classes_`` wins: for two classes the second one needs more than half.

    The neighbours are exact: equal in every digit to comparing all float64 distances, whatever the algorithm.

    Parameters
    ----------
    n_neighbors : int, [1, n], default 5.  k.
    weights : {"uniform", "distance"}, function or None, default "uniform".  How votes count: equally, by 1/distance
        (a query that coincides with training rows takes those only), or by a function of the distances (m, k).
    algorithm : {"auto", "brute", "kd_tree", "ball_tree"}, default "auto".  How neighbours are searched; the answer is
        the same. "ball_tree" is accepted and means "auto". Sparse rows are always compared one by one.
    leaf_size : int, [1, inf), default 30.  Rows of a leaf of the k-d tree.
    p : float, (0, inf], default 2.  Power of the Minkowski distance: 1 Manhattan, 2 Euclidean, inf Chebyshev.
    metric : str or function, default "minkowski".  Distance: "minkowski", "euclidean", "manhattan", "chebyshev",
        "cosine", another name of ``scipy.spatial.distance.cdist``, "haversine" (latitude and longitude in radians),
        "nan_euclidean" (missing numbers are left out), a function of two rows, a DistanceMetric of scikit-learn, or
        "precomputed": X then holds distances, (n, n) in a fit and (m, n) later, dense or a sparse graph of neighbours.
    metric_params : dict or None, default None.  Further arguments of the metric, such as ``{"w": weights}``.
    n_jobs : int or None, default None.  Accepted for scikit-learn's sake; ``$SEPARATRIX_THREADS`` says how many
        threads there are.

    Attributes
    ----------
    classes_ : (c,) array, or a list of them for y of several columns.
    effective_metric_ : str or function.  effective_metric_params_ : dict.  What the distance came down to.
    n_samples_fit_ : int.  Training rows.
    n_parameters_ : int.  Numbers that the model keeps, rows and labels: it grows with the training set.
    outputs_2d_ : bool.  Whether y had several columns.
    n_features_in_, feature_names_in_ : as in scikit-learn.

    References: Fix and Hodges (1951), USAF School of Aviation Medicine, report 4; Cover and Hart (1967), IEEE Trans.
    Inf. Theory 13(1).

    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1]
    >>> model = KNeighborsClassifier(n_neighbors=3).fit(X, y)
    >>> model.predict([[1.1]]), model.predict_proba([[0.9]]).round(3)
    (array([0]), array([[0.667, 0.333]]))
    """

    def __init__(
        self,
        n_neighbors: int = 5,
        *,
        weights: str | Callable[..., Any] | None = "uniform",
        algorithm: str = "auto",
        leaf_size: int = 30,
        p: float = 2,
        metric: str | Callable[..., Any] = "minkowski",
        metric_params: dict[str, Any] | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.weights = weights
        self.algorithm = algorithm
        self.leaf_size = leaf_size
        self.p = p
        self.metric = metric
        self.metric_params = metric_params
        self.n_jobs = n_jobs

    def fit(self, X: MatrixLike, y: ArrayLike) -> Self:
        """Keep X (n, p), dense or sparse, and labels y (n,) or (n, outputs)."""
        check_number(self, "n_neighbors", 1, integer=True)
        design, target = validate_labels(self, self._readable(X), y, missing=self._takes_missing)
        return self._keep(design, target.y)

    def predict(self, X: MatrixLike) -> Array:
        """The class of each row of X; with X=None of each training row, by the others."""
        shares = self.predict_proba(X)
        if not self.outputs_2d_:
            return self.classes_[shares.argmax(axis=1)]
        return np.stack([classes[one.argmax(axis=1)] for classes, one in zip(self.classes_, shares)], axis=1)

    def predict_proba(self, X: MatrixLike) -> Any:
        """Shares of the classes in each neighbourhood: (m, c), or a list of such for y of several columns."""
        index, weights = self._neighbours(X)
        if self.outputs_2d_:
            columns = zip(self.classes_, self._y.T)
            return [shares_of(codes[index], weights, len(classes)) for classes, codes in columns]
        return shares_of(self._y[index], weights, len(self.classes_))

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_label = True
        return tags


@declares(
    task="regression",
    solvers=("solvers.neighbours.nearest", "solvers.neighbours.metrics", "solvers.neighbours.screen"),
    prediction=forms.NEIGHBOUR_AVERAGES,
    verification=verification.OF_STORED_ROWS,
    description=ROWS,
)
class KNeighborsRegressor(RegressorMixin, KNearest):
    r"""The average of y over the k nearest training rows.

    .. math:: \hat y(x) = \frac{\sum_{x_i \in N_k(x)} w_i y_i}{\sum_{x_i \in N_k(x)} w_i}

    Locally constant where least squares is globally linear: it can follow any function (as k and n grow and k/n falls,
    it tends to E(y|x)), and it pays for that in variance, and in dimension.

    Parameters
    ----------
    n_neighbors : int, [1, n], default 5.  k.
    average : {"mean", "median"}, default "mean".  Mean of y, or median: one wild target moves it little.
    weights : {"uniform", "distance"}, function or None, default "uniform".  How neighbours count: equally, by
        1/distance (a query that coincides with training rows takes those only), or by a function of the distances.
    algorithm : {"auto", "brute", "kd_tree", "ball_tree"}, default "auto".  How neighbours are searched; the answer is
        the same. "ball_tree" is accepted and means "auto". Sparse rows are always compared one by one.
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

    References: Hastie, Tibshirani and Friedman (2009), The Elements of Statistical Learning, section 2.3.2.

    >>> X, y = [[0.0], [1.0], [2.0], [30.0]], [0.0, 1.0, 5.0, 90.0]
    >>> KNeighborsRegressor(n_neighbors=3).fit(X, y).predict([[1.0]])
    array([2.])
    >>> KNeighborsRegressor(n_neighbors=3, average="median").fit(X, y).predict([[1.0]])
    array([1.])
    """

    def __init__(
        self,
        n_neighbors: int = 5,
        *,
        average: str = "mean",
        weights: str | Callable[..., Any] | None = "uniform",
        algorithm: str = "auto",
        leaf_size: int = 30,
        p: float = 2,
        metric: str | Callable[..., Any] = "minkowski",
        metric_params: dict[str, Any] | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.average = average
        self.weights = weights
        self.algorithm = algorithm
        self.leaf_size = leaf_size
        self.p = p
        self.metric = metric
        self.metric_params = metric_params
        self.n_jobs = n_jobs

    def fit(self, X: MatrixLike, y: ArrayLike) -> Self:
        """Keep X (n, p), dense or sparse, and y (n,) or (n, outputs)."""
        check_number(self, "n_neighbors", 1, integer=True)
        check_choice(self, "average", ("mean", "median"))
        design, target = enter(self, self._readable(X), y, missing=self._takes_missing)
        return self._keep(design, target.y)

    def predict(self, X: MatrixLike) -> Array:
        """The average of y near each row of X; with X=None near each training row, without itself."""
        index, weights = self._neighbours(X)
        fitted = average_of(self._y.reshape(self.n_samples_fit_, -1)[index], weights, self.average)
        return fitted.reshape(len(index), *self._y.shape[1:])


def _search(model):
    """A search for k: from one neighbour to a sixth of the rows."""

    def make(facts):
        counts = tuple(k for k in (1, 3, 5, 9, 15, 25, 51, 101) if k == 1 or k <= facts.rows // 6)
        return NeighbourCountSearch(model(), counts)

    return make


declare(
    Family(
        name="nearest neighbours",
        task="classification",
        model=KNeighborsClassifier,
        make=_search(KNeighborsClassifier),
        complexity=60,
        description="Asks the most similar training rows, as many as are best for training rows that are left out; "
        "assumes nothing, keeps every row.",
        why_excluded=needs(columns=2_000),
        most_rows=50_000,
    ),
    Family(
        name="nearest neighbours",
        task="regression",
        model=KNeighborsRegressor,
        make=_search(KNeighborsRegressor),
        complexity=60,
        description="Averages the most similar training rows, as many as are best for training rows that are left out; "
        "assumes nothing, keeps every row.",
        why_excluded=needs(columns=2_000),
        most_rows=50_000,
    ),
)
