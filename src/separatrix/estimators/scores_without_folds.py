"""A user's score of predictions that were made elsewhere, such as those of rows that were left out one at a time."""

from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, RegressorMixin

from separatrix.core.types import Array


class Told(RegressorMixin, BaseEstimator):
    """An estimator that predicts what it is told: scorers then work on predictions made elsewhere."""

    def fit(self, X: Any, y: Any) -> Self:
        """There is nothing to learn."""
        return self

    def predict(self, X: Array) -> Array:
        """What it is told."""
        return X


def scorer_of(scoring: Any, model: Any = None) -> Any:
    """The scorer that a parameter `scoring` names."""
    from sklearn.metrics import check_scoring  # imported late, as model_selection is: 0.2 s

    return check_scoring(Told() if model is None else model, scoring=scoring)


def score_all(scoring: Any, y: Array, predictions: Array, options: dict[str, Any]) -> Array:
    """The score of each prediction of all outputs together: (L,), of predictions (n, k, L).

    >>> y = np.array([0.0, 2.0])
    >>> score_all("neg_mean_absolute_error", y, np.array([[[0.0, 1.0]], [[2.0, 1.0]]]), {}).tolist()
    [-0.0, -1.0]
    """
    scorer, told = scorer_of(scoring), predictions[:, 0] if y.ndim == 1 else predictions
    return np.array([scorer(Told(), told[..., place], y, **options) for place in range(told.shape[-1])], dtype=float)
