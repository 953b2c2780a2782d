"""What all linear estimators share: prediction, and the summary of a fit."""

import numpy as np
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.utils.validation import check_is_fitted

from separatrix.core.registry import late
from separatrix.core.target import Target
from separatrix.estimators.doors import enter_rows

_summary = late("separatrix.inference.summary:summary")


class LinearModel(BaseEstimator):
    """A model whose raw score is ``X coef_ + intercept_``."""

    def _raw_score(self, X):
        """``X beta + intercept``, of shape (n,) or (n, k)."""
        check_is_fitted(self)
        X = enter_rows(self, X)
        return X @ np.asarray(self.coef_).T + self.intercept_

    def _publish(self, beta, intercept, dtype=np.float64):
        """Set ``coef_`` (scikit-learn's shape: (p,) or (k, p)) and ``intercept_`` from beta of shape (p,) or (p, k)."""
        beta = np.asarray(beta)
        self.coef_ = np.ascontiguousarray(beta.T, dtype=dtype)
        if not self.fit_intercept:
            self.intercept_ = 0.0
        elif beta.ndim == 1:
            self.intercept_ = float(intercept)
        else:
            self.intercept_ = np.asarray(intercept, dtype=dtype)
        return self

    def summary(self, X=None, y=None, **options):
        """What the fit says: estimates, standard errors, tests, and how far to trust each digit.

        See :func:`separatrix.inference.summary` for the options.
        """
        check_is_fitted(self)
        return _summary(self, X, y, **options)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


class LinearRegressor(RegressorMixin, LinearModel):
    """A linear model of a number."""

    def predict(self, X):
        """Predict y for each row of X."""
        return self._raw_score(X)

    def _problems(self, design, target):
        """The problem this estimator states for each output (``_problem`` states that of one)."""
        outputs = target.y.reshape(target.n, -1)
        return [self._problem(design, Target(np.ascontiguousarray(y), target.s)) for y in outputs.T]
