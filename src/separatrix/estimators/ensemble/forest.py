"""What random forests and extremely randomised trees share: samples, trees, and what is read off them."""

import time
import warnings
from dataclasses import replace
from typing import Any, Self

import numpy as np
from numpy.random import RandomState
from numpy.typing import ArrayLike
from scipy import sparse
from sklearn.base import clone
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from separatrix.core.certificate import closed_form, warn_if_not_certified
from separatrix.core.errors import cannot
from separatrix.core.packed_tree import PackedTree
from separatrix.core.threads import parallel_map
from separatrix.core.tree_sum import WalkedTree, mean_of_trees
from separatrix.core.types import Array, Matrix, MatrixLike
from separatrix.designs import as_dense, as_design
from separatrix.designs.ranked import rank_columns
from separatrix.estimators.all_or_nothing import all_or_nothing
from separatrix.estimators.ensemble.bootstrap import LARGEST_SEED, Bags, bags_of
from separatrix.estimators.ensemble.warm_start import count_kept, facts_of, facts_of_samples, refuse_other_data
from separatrix.estimators.tree.arrays import TreeArrays
from separatrix.estimators.tree.counts import class_impurity, count_residual
from separatrix.estimators.tree.growth import GreedyGrowth
from separatrix.estimators.validation import check_choice, check_number
from separatrix.solvers.trees.criterion import ABSOLUTE, OF_CLASSES, OF_NUMBERS, POISSON
from separatrix.solvers.trees.grow import TreeTarget, grow, prepare
from separatrix.solvers.trees.nodes import NodeTable
from separatrix.solvers.trees.packed import ends_of, pack, sum_values, unpack
from separatrix.solvers.trees.pruning import prune_by_cost, sums_below

EPS = float(np.finfo(np.float64).eps)
RECOUNTED = 3  # trees whose nodes are counted anew by the fit; verify counts those of all
# Parameters that the trees have as well.
OF_TREES = (
    "criterion",
    "max_depth",
    "min_samples_split",
    "min_samples_leaf",
    "min_weight_fraction_leaf",
    "max_features",
    "max_leaf_nodes",
    "min_impurity_decrease",
    "ccp_alpha",
    "monotonic_cst",
    "categorical_features",
)
# What a tree of the forest must know to code its columns and to name its classes.
_SHARED = (
    "n_features_in_",
    "n_outputs_",
    "max_features_",
    "categories_",
    "_edges",
    "_is_category",
    "_is_ordinal",
    "_clipped",
    "outputs_2d_",
    "n_classes_",
)


def forest_sum(model, X):
    """The mean of the trees as a sum over trees; None for several outputs."""
    if model.n_outputs_ > 1:
        return None
    trees, share = [], 1.0 / len(model._trees)
    for t in range(len(model._trees)):
        nodes = model._table(t)
        value = share * nodes.value
        trees.append(WalkedTree(nodes._asdict(), 0, value, value, rows=nodes.n_samples))
    base = np.zeros(model._trees[0].value.shape[1])
    medians = OF_NUMBERS.get(model.criterion) == ABSOLUTE
    return mean_of_trees(model._rows(X), base, trees, shares="classes_" in vars(model), medians=medians)


class Forest(GreedyGrowth):
    """Trees with splits among columns drawn at random, most on rows drawn at random; the mean of their answers."""

    _trees: list[PackedTree]
    _seeds: Array
    _importances: Array
    _out_of_bag: str  # the attribute with the answers of trees that have not seen a row

    def fit(self, X: MatrixLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Fit to X (n, p) and y (n,) or (n, k). A row of weight w is drawn, and counts, as w rows would."""
        with all_or_nothing(self):
            started = time.perf_counter()
            self._check_forest()
            before = self._trees if count_kept(self, "_trees", "forest", "tree") else []
            known = self._facts() if before else {}
            encoded, target, s = self._enter(X, y, sample_weight)
            self._n_rows, self._grown_by = len(target.y), self.criterion
            self._bags = bags_of(self, self._n_rows, s) if self.bootstrap else None
            refuse_other_data(known, self._facts() if before else {}, "trees")
            # all seeds come from one stream, so that a warm start goes on as if it had never stopped
            seeds = check_random_state(self.random_state).randint(LARGEST_SEED, size=self.n_estimators)
            self._seeds = np.concatenate([self._seeds, seeds[len(before) :]]) if before else seeds
            ranked = rank_columns(as_design(encoded), self._coded(), s)
            options = self._options(encoded.shape, target, s)
            self._clipped = options.monotonic is not None
            prepare(ranked, target, options)

            def task(m: int) -> tuple[PackedTree, Array]:
                weights, random = self._weights_of(m, target, s)
                nodes = grow(ranked, target, weights, self._options_of(options, weights), random)
                nodes = prune_by_cost(nodes, self.ccp_alpha) if self.ccp_alpha > 0.0 else nodes
                importances = TreeArrays(nodes, ranked.p, self._class_counts()).compute_feature_importances()
                return pack(nodes, keep_inner=self._keeps_inner()), importances

            new = parallel_map(task, range(len(before), self.n_estimators), numbers=ranked.codes.size)
            old = self._importances if before else np.empty((0, ranked.p))
            self._trees = [*before, *(tree for tree, _ in new)]
            self._importances = np.vstack([old, *(importances for _, importances in new)])
            self._certify(encoded, target, s, started)
            for name in ("oob_score_", self._out_of_bag):
                self.__dict__.pop(name, None)
            if self.oob_score:
                self._score_out_of_bag(as_dense(encoded), target, s)
            return self

    def _check_forest(self):
        self._check_growth()
        check_number(self, "n_estimators", 1, integer=True)
        check_number(self, "ccp_alpha", 0.0)
        check_choice(self, "bootstrap", (False, True))
        check_choice(self, "warm_start", (False, True))
        if not callable(self.oob_score):
            check_choice(self, "oob_score", (False, True))
        if not self.bootstrap and (self.oob_score or self.max_samples is not None):
            raise cannot(
                f"use oob_score={self.oob_score!r} and max_samples={self.max_samples!r}",
                because="with bootstrap=False every tree is grown on all rows; out of bag estimation only available if "
                "bootstrap=True",
                instead="bootstrap=True",
            )

    def _facts(self):
        """What the data of a warm start must have in common with those of the first fit."""
        others = {
            "rows": self._n_rows,
            "outputs": self.n_outputs_,
            "categories": self.categories_,
            "criterion": self._grown_by,
        }
        return facts_of(self, **others, **facts_of_samples(self._bags))

    def _keeps_inner(self):
        """Whether values and impurities of inner nodes are no functions of those of their leaves."""
        return self._clipped or self._criteria[self.criterion] in (ABSOLUTE, POISSON)

    # ------------------------------------------------------------------ samples

    def _weights_of(self, m: int, target: TreeTarget, s: Array | None) -> tuple[Array | None, RandomState]:
        """Weights of the rows in tree m, None where all count once, and the random numbers that are left for it."""
        random = RandomState(self._seeds[m])
        weights = s if self._bags is None else self._bags_again(s).counts(random).astype(np.float64)
        factors = self._factors(target, weights, s)
        if factors is None:
            return weights, random
        return (factors if weights is None else weights * factors), random

    def _bags_again(self, s):
        """The samples that were drawn, of other weights if these differ."""
        return Bags(self._n_rows, s, self._bags.draws, self._bags.replace)

    def _factors(self, target, weights, s):
        """Factors of the weights of rows, by their classes; None where there are none."""
        return None

    @property
    def estimators_samples_(self) -> list[Array]:
        """The places of the rows of each tree, in the order of drawing; drawn again when they are asked for."""
        check_is_fitted(self)
        if self._bags is None:
            return [np.arange(self._n_rows) for _ in self._trees]
        return [self._bags.rows(RandomState(seed)) for seed in self._seeds]

    def _options_of(self, options, weights):
        """Options of one tree: columns in any order, and a share of the weight is one of the weight drawn."""
        total = float(self._n_rows if weights is None else weights.sum())
        return replace(options, shuffled=True, min_weight_leaf=self.min_weight_fraction_leaf * total)

    def _certify(self, encoded, target, s, started):
        """Count the nodes of a few trees anew."""
        some = np.unique(np.linspace(0, len(self._trees) - 1, RECOUNTED).astype(int)).tolist()
        value = max(self._residual(t, encoded, target, s) for t in some)
        message = (
            f"weights, counts, values and impurities of the nodes of {len(some)} of {len(self._trees)} trees are those "
            "of their rows (verify counts all trees); a greedy search among columns drawn at random chose the splits"
        )
        self.certificate_ = closed_form(value, (self._n_rows + 1e3) * EPS, started=started, message=message)
        warn_if_not_certified(self.certificate_, "warm_start=False, where the rows are not those of the first fit", 3)

    def _residual(self, t, encoded, target, s):
        """How far the numbers of tree t are from those of the rows drawn for it."""
        weights, _ = self._weights_of(t, target, s)
        return count_residual(self._table(t), encoded, target, weights, self.criterion, signs=self._signs(target))

    # ------------------------------------------------------------------ answers

    def _mean_values(self, rows):
        """The mean over trees of the values of the ends, (n, outputs, classes)."""
        total = sum_values(self._trees, rows, self._trees[0].value.shape[1])
        return (total / len(self._trees)).reshape(len(rows), self.n_outputs_, -1)

    def _out_of_bag_values(self, rows, target, s):
        """The mean of the trees that have not seen a row, (n, outputs, classes), NaN where all have; and which have."""
        total, counts = np.zeros((len(rows), self._trees[0].value.shape[1])), np.zeros(len(rows))
        for m, tree in enumerate(self._trees):
            weights, _ = self._weights_of(m, target, s)
            out = np.flatnonzero(weights == 0.0)
            total[out] += tree.value[ends_of(tree, rows[out])]
            counts[out] += 1.0
        seen = counts == 0.0
        if seen.any():
            warnings.warn(
                f"{np.count_nonzero(seen)} rows are in the samples of all trees and have no out-of-bag answer; more "
                "trees (n_estimators) leave fewer such rows.",
                stacklevel=4,
            )
        with np.errstate(invalid="ignore"):
            return (total / counts[:, None]).reshape(len(rows), self.n_outputs_, -1), ~seen

    def _scored(self, measure, truth, answers, known, s):
        """The out-of-bag score of the rows that have an answer and a weight; NaN where there are none."""
        counted = known if s is None else known & (s > 0.0)
        if not counted.any():
            return np.nan
        if callable(self.oob_score):
            return float(self.oob_score(truth[counted], answers[counted]))
        return float(measure(truth[counted], answers[counted], sample_weight=None if s is None else s[counted]))

    # ------------------------------------------------------------------ what is read off the trees

    def _table(self, t: int) -> NodeTable:
        """All nodes of tree t."""
        tree = self._trees[t]
        nodes = unpack(tree)
        if len(tree.inner):
            return nodes
        if "classes_" in vars(self):
            parts = nodes.value.reshape(len(nodes.value), self.n_outputs_, -1)
            code = OF_CLASSES[self.criterion]
            impurity = np.mean([class_impurity(code, parts[:, k]) for k in range(self.n_outputs_)], axis=0)
        else:
            centre = nodes.value[0]
            squares = ((nodes.value - centre) ** 2).mean(axis=1)
            leaves = np.where(nodes.column < 0, nodes.weight * (nodes.impurity + squares), 0.0)
            impurity = np.maximum(sums_below(nodes, leaves) / nodes.weight - squares, 0.0)
        inner = nodes.column >= 0
        return nodes._replace(impurity=np.where(inner, impurity, nodes.impurity))

    @property
    def estimator_(self) -> Any:
        """A tree with the parameters of those of the forest, not fitted."""
        check_is_fitted(self)
        return self._tree_class()(**{name: getattr(self, name) for name in OF_TREES}, splitter=self.splitter)

    @property
    def estimators_(self) -> list[Any]:
        """The trees, made when they are asked for; those of classes predict the codes 0, 1, ... of the classes."""
        check_is_fitted(self)
        return [self._tree(t) for t in range(len(self._trees))]

    def _tree(self, t):
        tree = clone(self.estimator_).set_params(random_state=int(self._seeds[t]))
        vars(tree).update({name: value for name, value in vars(self).items() if name in _SHARED})
        if "classes_" in vars(self):
            several = self.outputs_2d_
            counts = self.n_classes_ if several else [self.n_classes_]
            codes = [np.arange(count, dtype=np.float64) for count in counts]
            tree.classes_ = codes if several else codes[0]
        tree.nodes_ = self._table(t)
        return tree

    @property
    def feature_importances_(self) -> Array:
        """The mean over trees of the share of each column in the impurity that all splits take away."""
        check_is_fitted(self)
        grown = np.array([tree.column.size > 1 for tree in self._trees])
        if not grown.any():
            return np.zeros(self.n_features_in_)
        mean = self._importances[grown].mean(axis=0)
        total = mean.sum()
        return mean / total if total > 0.0 else mean

    @property
    def n_parameters_(self) -> int:
        """Thresholds, routes and the values of the leaves, of all trees."""
        check_is_fitted(self)
        return sum(int((t.column >= 0).sum()) + t.routes.size + t.value.size for t in self._trees)

    def apply(self, X: MatrixLike) -> Array:
        """The node of each tree in which each row ends, (n, n_estimators)."""
        rows = self._rows(X)
        ends = [np.flatnonzero(tree.column < 0)[ends_of(tree, rows)] for tree in self._trees]
        return np.stack(ends, axis=1).astype(np.int64)

    def decision_path(self, X: MatrixLike) -> tuple[Matrix, Array]:
        """The nodes that each row passes, ones in a sparse (n, nodes of all trees), and where each tree begins."""
        rows = self._rows(X)
        counts = self._class_counts()
        paths = [
            TreeArrays(self._table(t), self.n_features_in_, counts).decision_path(rows) for t in range(len(self._trees))
        ]
        starts = np.concatenate([[0], np.cumsum([path.shape[1] for path in paths])])
        return sparse.hstack(paths).tocsr(), starts

    def proximity(self, X: MatrixLike, Y: MatrixLike | None = None) -> Array:
        """The share of the trees in which a row of X and a row of Y end in the same leaf, (n, m); Y is X where None.

        References: Breiman (2001), Machine Learning 45(1).
        """
        rows = self._rows(X)
        others = rows if Y is None else self._rows(Y)
        together = np.zeros((len(rows), len(others)))
        for tree in self._trees:
            together += ends_of(tree, rows)[:, None] == ends_of(tree, others)
        return together / len(self._trees)

    def __len__(self) -> int:
        return len(self._trees)

    def __getitem__(self, t: int) -> Any:
        check_is_fitted(self)
        return self._tree(range(len(self._trees))[t])
