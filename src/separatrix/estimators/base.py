"""What all linear estimators share: prediction, the summary of a fit, and the geometry of a decision."""

from functools import partial
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike
from sklearn import get_config
from sklearn.base import ClassifierMixin, RegressorMixin
from sklearn.utils.validation import check_is_fitted

from separatrix.core.declaration import COEFFICIENTS, Declaration, declare_class
from separatrix.core.registry import late
from separatrix.core.solution import Certificate
from separatrix.core.types import Array, Matrix, MatrixLike
from separatrix.designs import as_dense
from separatrix.estimators.geometry import Geometry
from separatrix.estimators.saving import Estimator
from separatrix.estimators.streams import values_of
from separatrix.estimators.validation import enter, score_rows
from separatrix.prediction import forms
from separatrix.prediction.linear import (
    decide,
    decide_labels,
    in_one_dimension,
    log_probabilities,
    probabilities,
    raw_scores,
)

_summary = late("separatrix.inference.summary:summary")


class LinearModel(Estimator):
    """A model whose raw score is ``X coef_ + intercept_``."""

    coef_: Array
    intercept_: Any  # a number, or an array with one for each output or class
    certificate_: Certificate
    _flat = False  # whether y of shape (n, 1) gives coef_ of shape (p,), as in scikit-learn's Ridge and Lasso

    def _raw_score(self, X):
        """``X beta + intercept``, of shape (n,) or (n, k)."""
        check_is_fitted(self)
        return score_rows(self, X, partial(raw_scores, {**vars(self), "coef_": self._coefficients()}))

    def _coefficients(self):
        """``coef_`` as a numpy array, which a sparse one has two axes for."""
        dense = as_dense(self.coef_)
        return dense[0] if self._flat and dense.ndim == 2 and len(dense) == 1 else dense

    def _publish(self, beta, intercept, dtype=np.float64):
        """Set ``coef_`` (scikit-learn's shape: (p,) or (k, p)) and ``intercept_`` from beta of shape (p,) or (p, k)."""
        beta = np.asarray(beta)
        self.coef_ = np.ascontiguousarray(beta.T, dtype=dtype)
        if self._flat and self.coef_.shape[0] == 1 and beta.ndim == 2:
            self.coef_ = self.coef_[0]
        if not self.fit_intercept:
            self.intercept_ = 0.0
        elif beta.ndim == 1:
            self.intercept_ = np.dtype(dtype).type(intercept)
        else:
            self.intercept_ = np.asarray(intercept, dtype=dtype)
        return self

    def summary(self, X: MatrixLike = None, y: ArrayLike | None = None, **options: Any) -> Any:
        """What the fit says: estimates, standard errors, tests, and how far to trust each digit.

        See :func:`separatrix.inference.summary` for the options.
        """
        check_is_fitted(self)
        return _summary(self, X, y, **options)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


def sparse_rows(coefficients: Array) -> Matrix:
    """Coefficients as rows of a sparse matrix; of a sparse array where scikit-learn's ``sparse_interface`` says so."""
    rows = np.atleast_2d(as_dense(coefficients))
    arrays = get_config().get("sparse_interface") == "sparray"  # since scikit-learn 1.9
    return sp.csr_array(rows) if arrays else sp.csr_matrix(rows)


class SparseCoefficients(LinearModel):
    """Coefficients that may be held as a sparse matrix, for models most of whose coefficients are zero."""

    def sparsify(self) -> Self:
        """Hold ``coef_`` as a scipy.sparse matrix; predictions stay the same. Returns the model."""
        check_is_fitted(self)
        self.coef_ = sparse_rows(self.coef_)
        return self

    def densify(self) -> Self:
        """Hold ``coef_`` as a numpy array again. Returns the model."""
        check_is_fitted(self)
        self.coef_ = self._coefficients()
        return self


class LinearRegressor(RegressorMixin, LinearModel):
    """A linear model of a number."""

    def predict(self, X: MatrixLike) -> Array:
        """Predict y for each row of X."""
        return self._raw_score(X)

    def score(self, X: MatrixLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> float:
        """R² of the predictions; of a stream, y and the weights may be names of its columns."""
        return super().score(X, *values_of(X, y, sample_weight))

    def _restate(self, X, y, sample_weight):
        """The problem that the fitted model claims to solve, for each output, on data that are handed in again."""
        return self._problems(*enter(self, X, y, sample_weight, reset=False))

    def _problems(self, design, target):
        """The problem this estimator states for each output (``_problem`` states that of one)."""
        if target.outputs == ():
            return [self._problem(design, target)]
        return [self._problem(design, target.output(c)) for c in range(target.outputs[0])]


class LinearClassifier(ClassifierMixin, Geometry, LinearModel):
    """A linear model of a class: the sign of one score, or the largest of k.

    ``coef_`` is (1, p) for two classes and (k, p) for more, ``intercept_`` (1,) or (k,), as in scikit-learn.
    A score of exactly 0 counts for the second class; of equal scores the first class wins.
    """

    classes_: Array

    def decision_function(self, X: MatrixLike) -> Array:
        """Raw scores: (n,) for two classes (positive for ``classes_[1]``), else (n, k)."""
        return in_one_dimension(self._raw_score(X))

    def predict(self, X: MatrixLike) -> Array:
        """The class of each row of X, or zeros and ones (n, k) of a model of several labels."""
        scores = self.decision_function(X)
        return decide_labels(scores) if vars(self).get("multilabel_") else decide(scores, self.classes_)

    def score(self, X: MatrixLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> float:
        """The share of rows whose class is predicted; of a stream, y and the weights may be names of its columns."""
        return super().score(X, *values_of(X, y, sample_weight))

    def _publish(self, beta, intercept, dtype=np.float64):
        """Set ``coef_`` and ``intercept_`` from beta of shape (p,) or (p, k)."""
        beta = np.asarray(beta)
        beta = beta.reshape(beta.shape[0], -1)
        self.coef_ = np.ascontiguousarray(beta.T, dtype=dtype)
        self.intercept_ = np.broadcast_to(np.asarray(intercept, dtype=dtype), beta.shape[1]).copy()
        return self


class LogOddsClassifier(LinearClassifier):
    """A linear classifier whose scores are log-odds, or logarithms of probabilities up to a common shift."""

    def predict_proba(self, X: MatrixLike) -> Array:
        """Probability of each class, in the order of ``classes_``: (n, k)."""
        return probabilities(self.decision_function(X))

    def predict_log_proba(self, X: MatrixLike) -> Array:
        """Logarithms of :meth:`predict_proba`, right also where a probability is too small for a number."""
        return log_probabilities(self.decision_function(X))


def with_probabilities(make):
    """What makes a classifier, made to give one whose probabilities are a logistic curve of the scores of `make`'s."""

    def calibrated(facts):
        from separatrix.estimators.calibration import CalibratedLinearClassifier  # which imports this module

        return CalibratedLinearClassifier(make(facts), cv=facts.inner_folds())

    return calibrated


declare_class(LinearRegressor, Declaration("regression", prediction=forms.LINEAR, description=COEFFICIENTS))
declare_class(
    LinearClassifier, Declaration("classification", prediction=forms.LINEAR_CLASSES, description=COEFFICIENTS)
)
declare_class(LogOddsClassifier, Declaration("classification", prediction=forms.LOG_ODDS, description=COEFFICIENTS))
