r"""The number of neighbours chosen by leaving each training row out:
:math:`\hat k = \arg\min_k \sum_i \|y_i - \hat y_k^{(-i)}(x_i)\|^2`."""

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, MetaEstimatorMixin, clone, is_classifier

from separatrix.core.declaration import Declaration, best_found, declare_class
from separatrix.core.types import Array, MatrixLike


class NeighbourCountSearch(MetaEstimatorMixin, BaseEstimator):
    """A search for k in which the neighbours of every row are found once, for the largest k, and serve all others.

    The first k of the K nearest rows are the k nearest: L values of k cost one search of n rows among n, where
    cross-validation on f folds takes L f searches of n / f rows.

    Parameters
    ----------
    estimator : KNeighborsClassifier or KNeighborsRegressor.  Unfitted, with uniform weights.
    counts : sequence of int, [1, n - 1].  Values of k to choose from, increasing; of equally good ones the smallest.

    Attributes
    ----------
    scores_ : array.  Minus the mean squared error of each k: of the shares of the classes, or of the mean of y.
    best_params_ : dict.  The chosen ``n_neighbors``.
    best_estimator_ : the estimator with it, fitted to all rows.

    >>> from separatrix.neighbors import KNeighborsRegressor
    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], [0.0, 1.0, 2.0, 3.0]
    >>> search = NeighbourCountSearch(KNeighborsRegressor(), (1, 2, 3)).fit(X, y)
    >>> search.best_params_, search.scores_
    ({'n_neighbors': 1}, array([-1.        , -1.125     , -2.22222222]))
    """

    def __init__(self, estimator: Any, counts: Sequence[int]) -> None:
        self.estimator = estimator
        self.counts = counts

    def fit(self, X: MatrixLike, y: ArrayLike) -> Self:
        """Choose k, and fit to X (n, p) and y (n,)."""
        model = clone(self.estimator).set_params(n_neighbors=int(self.counts[-1])).fit(X, y)
        index = model.kneighbors(return_distance=False)
        y = np.asarray(y)
        truth = (y[:, None] == model.classes_).astype(np.float64) if is_classifier(model) else y[:, None].astype(float)
        self.scores_ = np.array([-error for error in _errors(truth, index, self.counts)])
        k = int(self.counts[int(self.scores_.argmax())])
        self.best_params_ = {"n_neighbors": k}
        self.best_estimator_ = model.set_params(n_neighbors=k)
        return self

    def predict(self, X: MatrixLike) -> Array:
        """The prediction of the best estimator."""
        return self.best_estimator_.predict(X)


def _errors(truth, index, counts):
    """Mean squared error of the mean over the first k neighbours, for each k."""
    total, before = np.zeros_like(truth), 0
    for k in counts:
        for j in range(before, k):
            total += truth[index[:, j]]
        yield float(((total / k - truth) ** 2).sum(axis=1).mean())
        before = k


declare_class(NeighbourCountSearch, Declaration("transformation", inside=best_found))
