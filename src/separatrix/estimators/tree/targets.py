"""What trees predict: classes as codes, with weights by class, or numbers; one output or several."""

from typing import Any

import numpy as np
from sklearn.base import ClassifierMixin, RegressorMixin
from sklearn.utils.class_weight import compute_sample_weight

from separatrix.core.errors import cannot
from separatrix.estimators.class_weights import checked_product, weights_by_class
from separatrix.estimators.labels import codes_among
from separatrix.estimators.tree.coded_tree import CodedColumns
from separatrix.estimators.validation import enter, validate_labels
from separatrix.solvers.trees.criterion import OF_CLASSES, OF_NUMBERS
from separatrix.solvers.trees.grow import TreeTarget


class ClassTarget(ClassifierMixin, CodedColumns):
    """Trees of classes."""

    _criteria = OF_CLASSES
    classes_: Any
    n_classes_: Any

    def _validate(self, X, y, sample_weight):
        design, target = validate_labels(self, X, y, sample_weight, missing=True)
        codes, s = target.y.reshape(design.n, -1), target.s
        classes = self.classes_ if self.outputs_2d_ else [self.classes_]
        if self.class_weight is not None:
            s = self._weighted(classes, codes, s)
        self.n_outputs_ = len(classes)
        counts = [len(each) for each in classes]
        self.n_classes_ = counts if self.outputs_2d_ else counts[0]
        return design, TreeTarget(codes.astype(np.int32), max(counts)), s

    def _target_again(self, y, s, n):
        classes, y = self.classes_ if self.outputs_2d_ else [self.classes_], y.reshape(n, -1)
        if y.shape[1] != len(classes):
            raise cannot(
                f"use y of {y.shape[1]} columns",
                because=f"{type(self).__name__} was fitted to {len(classes)}",
                instead="the y that it was fitted to",
            )
        seen = None if s is None else s > 0.0
        codes = np.stack([codes_among(self, each, y[:, k], seen) for k, each in enumerate(classes)], axis=1)
        if self.class_weight is not None:
            s = self._weighted(classes, codes, s)
        return TreeTarget(codes.astype(np.int32), max(map(len, classes))), s

    def _weighted(self, classes, codes, s):
        """Weights of the rows times those of their classes, of all outputs."""
        if codes.shape[1] == 1:
            return weights_by_class(self.class_weight, classes[0], codes[:, 0], s)
        labels = np.stack([each[codes[:, k]] for k, each in enumerate(classes)], axis=1)
        factors = compute_sample_weight(self.class_weight, labels)
        return checked_product(factors if s is None else s * factors)

    def _class_counts(self):
        return self.n_classes_ if self.outputs_2d_ else [self.n_classes_]

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_label = True
        return tags


class NumberTarget(RegressorMixin, CodedColumns):
    """Trees of numbers."""

    _criteria = OF_NUMBERS

    def _validate(self, X, y, sample_weight):
        design, target = enter(self, X, y, sample_weight, missing=True)
        y = target.y.reshape(design.n, -1)
        if self.criterion == "poisson" and (y.min() < 0.0 or not y.any(axis=0).all()):
            raise cannot(
                f"fit {type(self).__name__} with criterion='poisson'",
                because="Some value(s) of y are negative" if y.min() < 0.0 else "Sum of y is not positive",
                instead="y >= 0 with a positive value in every output",
            )
        self.n_outputs_ = y.shape[1]
        return design, TreeTarget(y), target.s

    def _target_again(self, y, s, n):
        return TreeTarget(np.asarray(y, dtype=np.float64).reshape(n, -1)), s

    def _class_counts(self):
        return [1] * self.n_outputs_
