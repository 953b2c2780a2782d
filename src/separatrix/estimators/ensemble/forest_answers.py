"""Forests of classes and forests of numbers: the mean of the trees' shares, or of their means."""

from typing import Any

import numpy as np
from sklearn.metrics import accuracy_score, r2_score

from separatrix.core.types import Array, MatrixLike
from separatrix.estimators.class_weights import weights_by_class
from separatrix.estimators.ensemble.forest import Forest
from separatrix.estimators.tree.classifier import DecisionTreeClassifier
from separatrix.estimators.tree.regressor import DecisionTreeRegressor
from separatrix.estimators.tree.targets import ClassTarget, NumberTarget
from separatrix.estimators.validation import check_choice
from separatrix.prediction.trees import largest_of, logarithms_of, means_of, shares_of


class ForestOfClasses(ClassTarget, Forest):
    """The mean of the trees' shares of the classes."""

    _out_of_bag = "oob_decision_function_"

    def _tree_class(self):
        return DecisionTreeClassifier

    def _check_forest(self):
        super()._check_forest()
        if isinstance(self.class_weight, str):
            check_choice(self, "class_weight", ("balanced", "balanced_subsample"))

    def _weighted(self, classes, codes, s):
        """The weights of the rows alone: rows are drawn by these, and class weights multiply the counts drawn."""
        return s

    def _factors(self, target, weights, s):
        if self.class_weight is None:
            return None
        codes, classes = target.y, self.classes_ if self.outputs_2d_ else [self.classes_]
        if self.class_weight != "balanced_subsample":
            return super()._weighted(classes, codes, s) / (1.0 if s is None else np.where(s > 0.0, s, 1.0))
        factors = np.ones(len(codes))
        counted = np.ones(len(codes)) if weights is None else weights
        for k, each in enumerate(classes):
            balanced = weights_by_class("balanced", each, codes[:, k], counted)
            factors *= balanced / np.where(counted > 0.0, counted, 1.0)
        return factors

    def _score_out_of_bag(self, rows, target, s):
        shares, known = self._out_of_bag_values(rows, target, s)
        codes = np.stack([np.argmax(shares[:, k], axis=1) for k in range(self.n_outputs_)], axis=1)
        several = self.n_outputs_ > 1
        self.oob_decision_function_ = np.moveaxis(shares, 1, 2) if several else shares[:, 0]
        truth, answers = (target.y, codes) if several else (target.y[:, 0], codes[:, 0])
        self.oob_score_ = self._scored(_share_right, truth, answers, known, s)

    def predict_proba(self, X: MatrixLike) -> Any:
        """The mean shares of the classes, (n, k); a list of them for y of several columns."""
        return shares_of(vars(self), self._mean_values(self._rows(X)))

    def predict_log_proba(self, X: MatrixLike) -> Any:
        """Logarithms of :meth:`predict_proba`."""
        return logarithms_of(vars(self), self.predict_proba(X))

    def predict(self, X: MatrixLike) -> Array:
        """The class of the largest mean share; the first of equals."""
        return largest_of(vars(self), self.predict_proba(X))


def _share_right(truth, answers, sample_weight=None):
    """The share of right classes, over all outputs."""
    if truth.ndim == 1:
        return accuracy_score(truth, answers, sample_weight=sample_weight)
    return np.average((truth == answers).mean(axis=1), weights=sample_weight)


class ForestOfNumbers(NumberTarget, Forest):
    """The mean of the trees' means."""

    _out_of_bag = "oob_prediction_"

    def _tree_class(self):
        return DecisionTreeRegressor

    def _score_out_of_bag(self, rows, target, s):
        means, known = self._out_of_bag_values(rows, target, s)
        one = self.n_outputs_ == 1
        self.oob_prediction_ = means[:, 0, 0] if one else means[:, :, 0]
        self.oob_score_ = self._scored(r2_score, target.y[:, 0] if one else target.y, self.oob_prediction_, known, s)

    def predict(self, X: MatrixLike) -> Array:
        """The mean of the trees' predictions, (n,), or (n, k) for y of several columns."""
        return means_of(vars(self), self._mean_values(self._rows(X)))
