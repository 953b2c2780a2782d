"""What trees with a table of nodes share: columns with codes for categories, and what is read off the nodes."""

from math import ceil
from numbers import Integral
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from separatrix.core.types import Array, Matrix, MatrixLike
from separatrix.designs import as_dense
from separatrix.estimators.saving import Estimator
from separatrix.estimators.tree import columns as coding
from separatrix.estimators.tree.arrays import TreeArrays
from separatrix.estimators.validation import check_number, validate_columns, validate_rows, validate_weights
from separatrix.prediction.trees import coded
from separatrix.solvers.trees.nodes import NodeTable


class CodedColumns(Estimator):
    """A model of trees whose nodes ask for numbers, and for codes of categories.

    A subclass has the parameter `categorical_features`, and says in `_validate` and `_target_again` what its target is.
    """

    n_outputs_: int
    split: str = "binary"
    n_bins: int | None = None

    def _enter(self, X, y, sample_weight):
        """Check the data; return X with codes for categories, the target, and the weights or None."""
        words = coding.has_words(X)
        if words:
            p = X.shape[1]
            asked = coding.asked_columns(self, coding.names_of(X), p)
            coding.refuse_dates(X, asked)
            self.categories_: list[Any] = [None] * p
            self._is_ordinal = np.zeros(p, dtype=bool)
            if self.categorical_features is not None:
                orders = coding.orders_of(X)
                self._is_ordinal = np.array([order is not None for order in orders]) & ~asked
                for j in np.flatnonzero(self._is_ordinal):
                    self.categories_[j] = orders[j]
                asked = asked | (coding.worded_columns(X) & ~self._is_ordinal)
            numbers = coding.numbers_from_words(X, asked, self._is_ordinal, self.categories_)
            design, target, s = self._validate(numbers, y, sample_weight)
            validate_columns(self, X, reset=True)
            self._is_category, encoded = asked, as_dense(design.matrix())
        else:
            given, (design, target, s) = X, self._validate(X, y, sample_weight)
            p = design.p
            names = vars(self).get("feature_names_in_")
            self._is_category = coding.asked_columns(self, None if names is None else list(names), p)
            self.categories_, self._is_ordinal = [None] * p, np.zeros(p, dtype=bool)
            coding.refuse_merged(given, self._is_category)
            encoded = design.matrix()
            if self._is_category.any():
                encoded = as_dense(encoded)
                for j in np.flatnonzero(self._is_category):
                    self.categories_[j] = coding.learn_categories(encoded[:, j].tolist())
        self._edges = self._learn_edges(encoded, s)
        return self._code(encoded, coded_words=words), target, s

    def _learn_edges(self, X, s):
        """Edges of the bins of each column of numbers; None for those without."""
        p = X.shape[1]
        if self.split != "multiway" or self.n_bins is None:
            return [None] * p
        dense = np.asarray(as_dense(X), dtype=np.float64)
        named = self._is_category | self._is_ordinal
        return [None if named[j] else coding.learn_edges(dense[:, j], self.n_bins, s) for j in range(p)]

    def _code(self, X, coded_words=False):
        """X with codes in the place of categories and bins."""
        categories = [None] * len(self.categories_) if coded_words else self.categories_
        if all(each is None for each in (*self._edges, *categories)):
            return X
        state = {"categories_": categories, "_edges": self._edges, "_is_ordinal": self._is_ordinal}
        return coded(state, as_dense(X))

    def _coded(self):
        """Which columns hold codes whose order means nothing to a split."""
        by_level = self._is_ordinal & (self.split == "multiway")
        return self._is_category | by_level | np.array([edges is not None for edges in self._edges])

    def _rows(self, X):
        """Rows to predict, checked and coded, as a dense array."""
        numbers, coded_words = self._numbers(X)
        return as_dense(self._code(numbers, coded_words=coded_words))

    def _numbers(self, X):
        """Rows to predict, checked, as numbers that are not in bins yet; and whether categories have their codes."""
        check_is_fitted(self)
        words = any(isinstance(c, str) for each in self.categories_ if each for c in each)
        if words or coding.has_words(X):
            validate_columns(self, X, reset=False)
            return coding.numbers_from_words(X, self._is_category, self._is_ordinal, self.categories_), True
        given, X = X, validate_rows(self, X, missing=True)
        coding.refuse_merged(given, self._is_category)
        return X, False

    def _are_its_edges(self, X, s):
        """Whether the edges of its bins are those of rows of a fit, of weights s."""
        if all(each is None for each in self._edges):
            return True
        again = self._learn_edges(self._numbers(X)[0], s)
        return all(map(np.array_equal, self._edges, again))

    def _again(self, X, y, sample_weight):
        """Rows, target and weights of data that a fitted tree is held against."""
        rows = self._rows(X)
        target, s = self._target_again(np.asarray(y), checked_weights(sample_weight, len(rows)), len(rows))
        return rows, target, s

    def _count_of(self, name, least, n):
        """A number of rows: as it is, or a share of n."""
        value = getattr(self, name)
        if isinstance(value, Integral) and not isinstance(value, bool):
            return check_number(self, name, least, integer=True)
        return max(least, ceil(check_number(self, name, 0.0, 1.0, open_low=True) * n))

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = True
        return tags


class CodedTree(CodedColumns):
    """A single such tree."""

    nodes_: NodeTable

    @property
    def tree_(self) -> TreeArrays:
        """The nodes under scikit-learn's names."""
        check_is_fitted(self)
        return TreeArrays(self.nodes_, self.n_features_in_, self._class_counts())

    def apply(self, X: MatrixLike, check_input: bool = True) -> Array:
        """The node in which each row ends: a leaf, or the node that asks for a category without a route.

        `check_input` is accepted for compatibility with scikit-learn: rows are always checked.
        """
        return self.tree_.apply(self._rows(X))

    def decision_path(self, X: MatrixLike, check_input: bool = True) -> Matrix:
        """The nodes that each row passes, as a sparse matrix of ones (n, n_nodes).

        `check_input` is accepted for compatibility with scikit-learn: rows are always checked.
        """
        return self.tree_.decision_path(self._rows(X))

    def get_depth(self) -> int:
        """The largest number of splits on the way to a leaf."""
        return self.tree_.max_depth

    def get_n_leaves(self) -> int:
        """The number of leaves."""
        return self.tree_.n_leaves


def checked_weights(sample_weight, n):
    """Weights, or None where all rows count once."""
    return None if sample_weight is None else validate_weights(sample_weight, n)
