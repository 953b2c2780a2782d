"""What both decision trees share: columns, options, the fit, pruning, and what is read off the nodes."""

import time
from math import ceil, log2, sqrt
from numbers import Integral
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import MultiOutputMixin, clone
from sklearn.utils import Bunch, check_random_state
from sklearn.utils.validation import check_is_fitted

from separatrix.core.certificate import closed_form
from separatrix.core.errors import cannot
from separatrix.core.types import Array, Matrix, MatrixLike
from separatrix.designs import as_design
from separatrix.designs.ranked import rank_columns
from separatrix.estimators.saving import Estimator
from separatrix.estimators.tree import columns as coding
from separatrix.estimators.tree.arrays import TreeArrays
from separatrix.estimators.tree.counts import count_residual
from separatrix.estimators.validation import (
    check_choice,
    check_number,
    validate_columns,
    validate_rows,
    validate_weights,
)
from separatrix.prediction.trees import coded
from separatrix.solvers.trees.grow import GrowOptions, grow
from separatrix.solvers.trees.nodes import NodeTable
from separatrix.solvers.trees.pruning import cost_complexity, prune_by_cost

COUNTED = (
    "weights, counts, values and impurities of the nodes are those of the training rows; a greedy search chose the "
    "splits, and neither they nor the tree as a whole are proved to be the best"
)
EPS = float(np.finfo(np.float64).eps)


class DecisionTree(MultiOutputMixin, Estimator):
    """A tree grown greedily on ranked columns."""

    nodes_: NodeTable
    n_outputs_: int

    def fit(
        self, X: MatrixLike, y: ArrayLike, sample_weight: ArrayLike | None = None, check_input: bool = True
    ) -> Self:
        """Fit to X (n, p) and y (n,) or (n, k). A row of weight w counts as w rows, one of weight 0 as none.

        `check_input` is accepted for scikit-learn's sake: rows are always checked.
        """
        started = time.perf_counter()
        self._check()
        encoded, target, s = self._enter(X, y, sample_weight)
        random = check_random_state(self.random_state)
        options = self._options(encoded.shape, target, s)
        multiway = self._multiway()
        ranked = rank_columns(as_design(encoded), self._coded())
        nodes = self._grown(ranked, target, s, options, multiway, random)
        if self.ccp_alpha > 0.0:
            nodes = prune_by_cost(nodes, self.ccp_alpha)
        self.nodes_ = nodes
        self._clipped = options.monotonic is not None
        value = count_residual(nodes, encoded, target, s, options.criterion, clipped=self._clipped)
        self.certificate_ = closed_form(value, 1e3 * EPS, started=started, message=COUNTED)
        return self

    def _grown(self, ranked, target, s, options, multiway, random):
        return grow(ranked, target, s, options, random)

    def _enter(self, X, y, sample_weight):
        """Check the data; return X with codes for categories, the target, and the weights or None."""
        words = coding.has_words(X)
        names = list(X.columns) if words and coding.is_frame(X) else None
        if words:
            p = X.shape[1]
            asked = coding.asked_columns(self, names, p)
            if self.categorical_features is not None:
                asked = asked | np.array([not numeric for _, numeric in coding.columns_of(X)])
            self.categories_: list[Any] = [None] * p
            numbers = coding.numbers_from_words(X, asked, self.categories_)
            design, target, s = self._validate(numbers, y, sample_weight)
            validate_columns(self, X, reset=True)
            self._is_category, encoded = asked, coding.dense_rows(design.matrix())
        else:
            design, target, s = self._validate(X, y, sample_weight)
            p = design.p
            names = vars(self).get("feature_names_in_")
            self._is_category = coding.asked_columns(self, None if names is None else list(names), p)
            self.categories_ = [None] * p
            encoded = design.matrix()
            if self._is_category.any():
                encoded = coding.dense_rows(encoded)
                for j in np.flatnonzero(self._is_category):
                    self.categories_[j] = coding.learn_categories(encoded[:, j].tolist())
        self._edges = self._learn_edges(encoded)
        return self._code(encoded, coded_words=words), target, s

    def _learn_edges(self, X):
        """Edges of the bins of each column of numbers; None for those without."""
        p = X.shape[1]
        if self.split != "multiway" or self.n_bins is None:
            return [None] * p
        dense = np.asarray(coding.dense_rows(X), dtype=np.float64)
        return [None if self._is_category[j] else coding.learn_edges(dense[:, j], self.n_bins) for j in range(p)]

    def _code(self, X, coded_words=False):
        """X with codes in the place of categories and bins."""
        categories = [None] * len(self.categories_) if coded_words else self.categories_
        if all(each is None for each in (*self._edges, *categories)):
            return X
        return coded({"categories_": categories, "_edges": self._edges}, coding.dense_rows(X))

    def _coded(self):
        """Which columns hold codes."""
        return self._is_category | np.array([edges is not None for edges in self._edges])

    def _multiway(self):
        return self._coded() if self.split == "multiway" else None

    def _rows(self, X):
        """Rows to predict, checked and coded, as a dense array."""
        check_is_fitted(self)
        if coding.has_words(X):
            validate_columns(self, X, reset=False)
            X = coding.numbers_from_words(X, self._is_category, self.categories_)
            return self._code(X, coded_words=True)
        words = any(isinstance(c, str) for each in self.categories_ if each for c in each)
        if words:
            validate_columns(self, X, reset=False)
            return self._code(coding.numbers_from_words(X, self._is_category, self.categories_), coded_words=True)
        return coding.dense_rows(self._code(validate_rows(self, X, missing=True)))

    def _again(self, X, y, sample_weight):
        """Rows, target and weights of data that a fitted tree is held against."""
        rows = self._rows(X)
        target, s = self._target_again(np.asarray(y), checked_weights(sample_weight, len(rows)), len(rows))
        return rows, target, s

    def _check(self):
        """Check the parameters that can be checked without data."""
        check_choice(self, "criterion", tuple(self._criteria))
        check_choice(self, "splitter", ("best", "random"))
        check_choice(self, "split", ("binary", "multiway"))
        check_number(self, "max_depth", 1, integer=True, none=True)
        check_number(self, "max_leaf_nodes", 2, integer=True, none=True)
        check_number(self, "min_weight_fraction_leaf", 0.0, 0.5)
        check_number(self, "min_impurity_decrease", 0.0)
        check_number(self, "ccp_alpha", 0.0)
        check_number(self, "n_bins", 2, integer=True, none=True)
        self._count_of("min_samples_split", 2, 100)
        self._count_of("min_samples_leaf", 1, 100)

    def _count_of(self, name, least, n):
        """A number of rows: as it is, or a share of n."""
        value = getattr(self, name)
        if isinstance(value, Integral) and not isinstance(value, bool):
            return check_number(self, name, least, integer=True)
        return max(least, ceil(check_number(self, name, 0.0, 1.0, open_low=True) * n))

    def _options(self, shape, target, s):
        n, p = shape
        self.max_features_ = self._number_of_columns(p)
        min_leaf = self._count_of("min_samples_leaf", 1, n)
        total = float(n) if s is None else float(s.sum())
        return GrowOptions(
            criterion=self.criterion,
            max_depth=self.max_depth,
            min_samples_split=self._count_of("min_samples_split", 2, n),
            min_samples_leaf=min_leaf,
            min_weight_leaf=self.min_weight_fraction_leaf * total,
            min_impurity_decrease=self.min_impurity_decrease,
            max_features=None if self.max_features_ >= p else self.max_features_,
            max_leaf_nodes=self.max_leaf_nodes,
            random_cuts=self.splitter == "random",
            multiway=self._multiway(),
            monotonic=self._monotonic(p, target),
        )

    def _number_of_columns(self, p):
        """`max_features` as a number of columns."""
        value = self.max_features
        if value is None:
            return p
        if isinstance(value, str):
            check_choice(self, "max_features", ("sqrt", "log2"))
            return max(1, int(sqrt(p) if value == "sqrt" else log2(p)))
        if isinstance(value, Integral) and not isinstance(value, bool):
            return check_number(self, "max_features", 1, integer=True)
        return max(1, int(check_number(self, "max_features", 0.0, 1.0, open_low=True) * p))

    def _monotonic(self, p, target):
        """Signs of the columns, checked; None where none is asked."""
        if self.monotonic_cst is None:
            return None
        signs = np.asarray(self.monotonic_cst)
        why = ""
        if signs.shape != (p,):
            why = f"it has shape {signs.shape} and X has {p} features"
        elif not np.isin(signs, (-1, 0, 1)).all():
            why = "a constraint is -1, 0 or 1"
        elif target.y.shape[1] > 1 or target.n_classes > 2:
            why = "only one output, or two classes, can be monotone"
        elif np.any((signs != 0) & self._coded()):
            why = "categories have no order"
        if why:
            raise cannot(f"use monotonic_cst={self.monotonic_cst!r}", because=why, instead="-1, 0 or 1 for each column")
        return signs.astype(np.int64)

    @property
    def tree_(self) -> TreeArrays:
        """The nodes under scikit-learn's names."""
        check_is_fitted(self)
        return TreeArrays(self.nodes_, self.n_features_in_, self._class_counts())

    @property
    def feature_importances_(self) -> Array:
        """The share of each column in the impurity that all splits take away."""
        return self.tree_.compute_feature_importances()

    def apply(self, X: MatrixLike, check_input: bool = True) -> Array:
        """The node in which each row ends: a leaf, or the node that asks for a category without a route."""
        return self.tree_.apply(self._rows(X))

    def decision_path(self, X: MatrixLike, check_input: bool = True) -> Matrix:
        """The nodes that each row passes, as a sparse matrix of ones (n, n_nodes)."""
        return self.tree_.decision_path(self._rows(X))

    def get_depth(self) -> int:
        """The largest number of splits on the way to a leaf."""
        return self.tree_.max_depth

    def get_n_leaves(self) -> int:
        """The number of leaves."""
        return self.tree_.n_leaves

    @property
    def n_parameters_(self) -> int:
        """Thresholds, routes and the values of the leaves."""
        check_is_fitted(self)
        leaves = int(np.count_nonzero(self.nodes_.column < 0))
        return self.nodes_.column.size - leaves + self.nodes_.routes.size + leaves * self.nodes_.value.shape[1]

    def cost_complexity_pruning_path(
        self, X: MatrixLike, y: ArrayLike, sample_weight: ArrayLike | None = None
    ) -> Bunch:
        """Prices of a leaf at which the tree loses a subtree, and the impurity of the leaves that remain."""
        whole = clone(self).set_params(ccp_alpha=0.0).fit(X, y, sample_weight=sample_weight)
        alphas, impurities, _ = cost_complexity(whole.nodes_)
        return Bunch(ccp_alphas=alphas, impurities=impurities)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = True
        return tags


def checked_weights(sample_weight, n):
    """Weights, or None where all rows count once."""
    return None if sample_weight is None else validate_weights(sample_weight, n)
