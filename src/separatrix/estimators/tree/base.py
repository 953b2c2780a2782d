"""What both decision trees share: options, the fit, pruning, and properties of the fitted nodes."""

import time
from typing import Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import clone, is_classifier
from sklearn.utils import Bunch, check_random_state
from sklearn.utils.validation import check_is_fitted

from separatrix.core.certificate import closed_form, warn_if_not_certified
from separatrix.core.declaration import predicts_classes
from separatrix.core.errors import cannot
from separatrix.core.tree_sum import MEAN, MEDIAN, SHARE, TreeSum, WalkedTree
from separatrix.core.types import Array, MatrixLike
from separatrix.designs import as_dense, as_design
from separatrix.designs.ranked import rank_columns
from separatrix.estimators.all_or_nothing import all_or_nothing
from separatrix.estimators.tree import held_out
from separatrix.estimators.tree.coded_tree import CodedTree
from separatrix.estimators.tree.counts import ADVICE, count_residual, count_tolerance
from separatrix.estimators.tree.growth import GreedyGrowth
from separatrix.estimators.validation import (
    check_choice,
    check_number,
)
from separatrix.solvers.trees.criterion import ABSOLUTE, OF_NUMBERS
from separatrix.solvers.trees.grow import grow
from separatrix.solvers.trees.pruning import cost_complexity, prune_by_cost, prune_by_errors

COUNTED = (
    "weights, counts, values and impurities of the nodes are those of the training rows; a greedy search chose the "
    "splits, and neither they nor the tree as a whole are proved to be the best"
)
HELD_OUT = "; training rows are those that were not held out for pruning"


def tree_sum(model, X):
    """Shares of the classes, or the mean or median, as the value of one tree; None for several outputs."""
    if model.n_outputs_ > 1:
        return None
    nodes = model.nodes_
    tree = WalkedTree(nodes._asdict(), 0, nodes.value, nodes.value, rows=nodes.n_samples)
    rows, base = model._rows(X), np.zeros(nodes.value.shape[1])
    if predicts_classes(model):
        return TreeSum(rows, base, [tree], SHARE)
    if answers_medians(model):
        return TreeSum(rows, base, [tree], MEDIAN, "the median of the training rows")
    return TreeSum(rows, base, [tree], MEAN)


def answers_medians(tree):
    """Whether the values of a tree, or of the trees of a forest, are medians of their rows."""
    return OF_NUMBERS.get(tree.criterion) == ABSOLUTE


class DecisionTree(GreedyGrowth, CodedTree):
    """A tree grown greedily on ranked columns."""

    def fit(
        self, X: MatrixLike, y: ArrayLike, sample_weight: ArrayLike | None = None, check_input: bool = True
    ) -> Self:
        """Fit to X (n, p) and y (n,) or (n, k). A row of weight w counts as w rows, one of weight 0 as none.

        `check_input` is accepted for compatibility with scikit-learn: rows are always checked.
        """
        with all_or_nothing(self):
            started = time.perf_counter()
            self._check()
            encoded, target, s = self._enter(X, y, sample_weight)
            random = check_random_state(self.random_state)
            if self.pruning == "reduced_error":
                self._validation_seed = int(random.randint(2**31 - 1))
            learnt = self._training_weights(target, s)
            options = self._options(encoded.shape, target, learnt)
            ranked = rank_columns(as_design(encoded), self._coded(), learnt)
            nodes = self._pruned(grow(ranked, target, learnt, options, random), ranked, encoded, target, s, random)
            self.nodes_ = nodes
            self._clipped = options.monotonic is not None
            value = count_residual(nodes, encoded, target, learnt, options.criterion, signs=options.monotonic)
            message = COUNTED + (HELD_OUT if self.pruning == "reduced_error" else "")
            self.certificate_ = closed_form(value, count_tolerance(ranked.n), started=started, message=message)
            warn_if_not_certified(self.certificate_, ADVICE, stacklevel=2)
            return self

    def _held_out(self, target, s):
        """Places of the rows that subtrees are pruned on: the same in `fit` and whenever the model is verified."""
        return held_out.divide(target, s, self.validation_fraction, self._validation_seed)

    def _training_weights(self, target, s):
        """Weights of the rows that the nodes are made of: 0 for those held out."""
        if self.pruning != "reduced_error":
            return s
        learnt = np.ones(len(target.y)) if s is None else s.copy()
        learnt[self._held_out(target, s)] = 0.0
        return learnt

    def _pruned(self, nodes, ranked, encoded, target, s, random):
        """The grown tree without the subtrees that its parameters ask to cut off."""
        if self.pruning == "reduced_error":
            held = self._held_out(target, s)
            apart = type(target)(target.y[held], target.n_classes)
            rows, weights = as_dense(encoded)[held], None if s is None else s[held]
            return prune_by_errors(nodes, held_out.errors_of_nodes(nodes, rows, apart, weights, self.criterion))
        price = self.ccp_alpha
        if isinstance(price, str):
            prices = self._cross_validated(nodes, ranked, encoded, target, s, random)
            self.ccp_alphas_, self.cv_errors_, self.cv_standard_errors_ = prices
            price = self.ccp_alpha_ = held_out.chosen_price(prices, price)
        return prune_by_cost(nodes, price) if price > 0.0 else nodes

    def _cross_validated(self, nodes, ranked, encoded, target, s, random):
        """Errors of each price of a leaf on rows left out."""
        folds = held_out.folds_of(self, target, s, is_classifier(self))
        seeds = random.randint(2**31 - 1, size=len(folds))

        def again(weights, number):
            options = self._options(encoded.shape, target, weights)
            return grow(ranked, target, weights, options, np.random.RandomState(seeds[number]))

        rows, alphas = as_dense(encoded), held_out.prices_of(nodes)
        return held_out.cross_validate(again, folds, rows, target, s, self.criterion, alphas)

    def _check(self):
        self._check_growth()
        self._check_pruning()

    def _check_pruning(self):
        check_choice(self, "pruning", (None, "reduced_error"))
        check_number(self, "validation_fraction", 0.0, 1.0, open_low=True, open_high=True)
        if isinstance(self.ccp_alpha, str):
            check_choice(self, "ccp_alpha", ("best", "1se"))
        else:
            check_number(self, "ccp_alpha", 0.0)
        if self.pruning is not None and self.ccp_alpha != 0.0:
            raise cannot(
                f"prune with pruning={self.pruning!r} and ccp_alpha={self.ccp_alpha!r}",
                because="a tree is pruned in one way",
                instead="pruning=None, or ccp_alpha=0.0",
            )
        for name in ("_validation_seed", "ccp_alpha_", "ccp_alphas_", "cv_errors_", "cv_standard_errors_"):
            vars(self).pop(name, None)

    def _around(self, nodes, p):
        """This tree, fitted by others, on p columns of numbers."""
        self.nodes_, self.n_features_in_, self.n_outputs_, self._clipped = nodes, p, 1, False
        self.categories_, self._edges = [None] * p, [None] * p
        self._is_category = self._is_ordinal = np.zeros(p, dtype=bool)
        self.max_features_ = self._number_of_columns(p)
        return self

    def _is_plain(self):
        """Whether it has one output, and asks for the numbers of X, not for codes of categories or bins."""
        return self.n_outputs_ == 1 and all(each is None for each in (*self.categories_, *self._edges))

    @property
    def feature_importances_(self) -> Array:
        """The share of each column in the impurity that all splits take away."""
        return self.tree_.compute_feature_importances()

    @property
    def n_parameters_(self) -> int:
        """Thresholds, routes and the values of the leaves."""
        check_is_fitted(self)
        leaves = int(np.count_nonzero(self.nodes_.column < 0))
        return self.nodes_.column.size - leaves + self.nodes_.routes.size + leaves * self.nodes_.value.shape[1]

    def cost_complexity_pruning_path(
        self, X: MatrixLike, y: ArrayLike, sample_weight: ArrayLike | None = None
    ) -> Bunch:
        """The values of alpha at which a subtree of the whole tree becomes a leaf, and the impurities that remain.

        The tree is grown on all rows, with the parameters of this one but for `ccp_alpha` and `pruning`.
        """
        whole = clone(self).set_params(ccp_alpha=0.0, pruning=None).fit(X, y, sample_weight=sample_weight)
        alphas, impurities, _ = cost_complexity(whole.nodes_)
        return Bunch(ccp_alphas=alphas, impurities=impurities)
