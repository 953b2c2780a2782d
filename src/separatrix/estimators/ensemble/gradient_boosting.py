"""What classifier and regressor of gradient boosting by exact splits share: parameters, rounds, early stopping."""

import time
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import clone
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from separatrix.core.errors import cannot
from separatrix.core.protocol import fitted_attribute
from separatrix.core.tree_sum import SCORE, TreeSum, walked_rounds
from separatrix.core.types import Array, MatrixLike
from separatrix.designs import as_dense, as_design
from separatrix.designs.ranked import rank_columns
from separatrix.estimators.all_or_nothing import all_or_nothing
from separatrix.estimators.ensemble.boosting import BoostedTrees
from separatrix.estimators.ensemble.warm_start import refuse_other_data
from separatrix.estimators.tree.regressor import DecisionTreeRegressor
from separatrix.estimators.validation import check_choice, check_number, validate_rows
from separatrix.solvers.trees.boosting import mean_loss
from separatrix.solvers.trees.committee import Trees, add_trees
from separatrix.solvers.trees.gradient_boosting import ExactBoosting, gains_of
from separatrix.solvers.trees.grow import TreeTarget
from separatrix.solvers.trees.nodes import apply

OF_TREES = (
    "min_samples_split",
    "min_samples_leaf",
    "min_weight_fraction_leaf",
    "max_depth",
    "max_leaf_nodes",
    "max_features",
    "min_impurity_decrease",
    "ccp_alpha",
)


def tree_sum(model, X):
    """Raw scores as the baseline and the values of the trees; None where rows start from the scores of a model."""
    if fitted_attribute(model, "init_") is not None:
        return None
    trees = walked_rounds(vars(model._trees), model.n_trees_per_iteration_, model._node_numbers[1])
    return TreeSum(
        model._numbers(X), model._baseline, trees, SCORE, "the mean of the rows that the trees were grown on"
    )


class GradientBoosting(BoostedTrees):
    """Trees by exact splits, each fitted to the slopes of the loss at the sum of those before it."""

    def fit(self, X: MatrixLike, y: ArrayLike, sample_weight: ArrayLike | None = None, monitor: Any = None) -> Self:
        """Fit to X (n, p) and y (n,). A row of weight w counts as w rows, one of weight 0 as none.

        `monitor` is called after each round as ``monitor(i, model, {"raw_predictions": scores})``; the fit ends where
        it returns True.
        """
        with all_or_nothing(self):
            started = time.perf_counter()
            self._check_parameters()
            goes_on = self.warm_start and "_trees" in vars(self)
            known = self._facts() if goes_on else {}
            rows = self._checked_rows(X, y, sample_weight, reset=True).with_weight()
            self._grown_by = self._loss_in_words()
            refuse_other_data(known, self._facts() if goes_on else {}, "trees")
            if not goes_on:
                self._forget()
                self._random_seed = _seed(self.random_state)
            elif self.n_estimators < self.n_estimators_:
                raise cannot(
                    f"go on with n_estimators={self.n_estimators}",
                    because=f"{self.n_estimators_} rounds were made before",
                    instead=f"n_estimators >= {self.n_estimators_}",
                )
            held = None
            self._divided = self.n_iter_no_change is not None
            if self._divided:
                train, kept = self._split_rows(rows.y)
                rows, held = rows.take(train), rows.take(kept)
                self._refuse_lost_classes(rows.y)
            if not goes_on:
                self._start(rows, weighted=sample_weight is not None)
            eta = self._boost(rows, held, monitor)
            self._note_training_loss(self._stated_loss(), rows, eta)
            self._certify(rows, eta, started, stacklevel=2)
            return self

    def _forget(self):
        for name in ("_trees", "_node_numbers", "init_", "oob_improvement_", "oob_scores_", "oob_score_"):
            vars(self).pop(name, None)

    def _refuse_lost_classes(self, y):
        if "classes_" in vars(self) and len(np.unique(y)) < len(self.classes_):
            raise cannot(
                "hold rows out for early stopping",
                because="the training data after the early stopping split is missing some classes",
                instead="another random_state, or a smaller validation_fraction",
            )

    # ------------------------------------------------------------------ raw scores

    def _baseline_of(self, rows):
        """Scores before the first round, (k,): the best constants, or zeros where `init` gives others."""
        if self.init is not None:
            return np.zeros(self.n_trees_per_iteration_)
        return self._best_constants(rows)

    def _start(self, rows, weighted):
        """Fit what the rounds start from."""
        p = rows.numbers.shape[1]
        if self.init is not None and not isinstance(self.init, str):
            labels = self.classes_[rows.y.astype(int)] if "classes_" in vars(self) else rows.y
            options = {"sample_weight": np.ones(len(rows.y)) if rows.s is None else rows.s} if weighted else {}
            self.init_ = clone(self.init)
            try:
                self.init_.fit(rows.numbers, labels, **options)
            except TypeError as error:
                if "sample_weight" not in str(error):
                    raise
                raise cannot(
                    f"start from {type(self.init).__name__}",
                    because="the initial estimator does not support sample weights",
                    instead="another init, or no sample_weight",
                ) from error
        self._baseline = self._baseline_of(rows)
        self._trees, self._node_numbers = Trees.of([], p), np.empty((3, 0))
        self.train_score_ = np.empty(0)

    def _first_scores(self, X):
        scores = super()._first_scores(X)
        return scores + self._init_scores(X) if "init_" in vars(self) else scores

    def _numbers(self, X):
        """Rows of a prediction, float64 or float32."""
        return np.ascontiguousarray(as_dense(validate_rows(self, X)))

    def _later_rows(self, X, y, sample_weight, *, weighted):
        """Checked rows of a fitted model."""
        return self._checked_rows(X, y, sample_weight, reset=False)

    # ------------------------------------------------------------------ rounds

    def _boost(self, rows, held, monitor):
        """Make the rounds; return the raw scores of the rows after the last."""
        first, (n, p) = self._n_rounds(), rows.numbers.shape
        options = self._tree()._options((n, p), TreeTarget(rows.y[:, None]), rows.s)
        eta = self._score_numbers(rows.numbers)
        ranked = rank_columns(as_design(rows.numbers))
        rate = float(self.learning_rate)
        boosting = ExactBoosting(ranked, rows.numbers, rows.y, rows.s, eta, options, rate, self.ccp_alpha)
        watch = None if held is None else _Watch(self, held)
        scores, grown = Scores(self, first), []
        for i in range(first, self.n_estimators):
            drawn = self._draw(i, n)
            loss = self._loss_at(rows, eta)
            scores.before(loss, rows, eta, drawn)
            seeds = [np.random.default_rng([self._random_seed, i, c]) for c in range(eta.shape[1])]
            tables = boosting.round(loss, self._steps(loss), drawn, seeds, **self._slope_options())
            scores.after(loss, rows, eta, drawn)
            grown += tables
            if monitor is not None:
                self._keep(grown, rate)
                grown = []
                if monitor(i, self, {"raw_predictions": eta}):
                    break
            if watch is not None and watch.stops(loss, [_added(table, rate) for table in tables]):
                break
        self._keep(grown, rate)
        scores.publish()
        return eta

    def _draw(self, i, n):
        """The rows of round i: a share without repetition, the same for the same seed; None for all."""
        if self.subsample >= 1.0:
            return None
        drawn = np.zeros(n, dtype=bool)
        chosen = np.random.default_rng([self._random_seed, i]).permutation(n)[: max(1, int(self.subsample * n))]
        drawn[chosen] = True
        return drawn

    def _keep(self, tables, rate):
        """Append trees, and the values, weights and impurities of their nodes that ``estimators_`` shows."""
        self._trees = Trees.of([_added(table, rate) for table in tables], self.n_features_in_, self._trees)
        shown = [np.stack([table.value[:, 0], table.weight, table.impurity]) for table in tables]
        self._node_numbers = np.concatenate([self._node_numbers, *shown], axis=1)

    def _slope_options(self):
        return {"below": False, "factor": 1.0}

    # ------------------------------------------------------------------ what is read off the trees

    @property
    def n_estimators_(self) -> int:
        """Rounds that were made."""
        return self._n_rounds()

    @property
    def max_features_(self) -> int:
        """The number of columns that each node chooses from."""
        check_is_fitted(self)
        return self._tree()._number_of_columns(self.n_features_in_)

    @property
    def estimators_(self) -> Array:
        """The trees, ``(n_estimators_, 1 or k)``, as :class:`DecisionTreeRegressor` objects, made when asked for.

        A leaf has the step of the scores before the learning rate; other nodes have the mean of the negative slopes.
        """
        check_is_fitted(self)
        trees = np.empty(self._trees.n_trees, dtype=object)
        for t in range(len(trees)):
            first, table = int(self._trees.roots[t]), self._trees.table(t)
            values, weights, impurities = self._node_numbers[:, first : first + len(table.column)]
            nodes = table._replace(value=values[:, None].copy(), weight=weights.copy(), impurity=impurities.copy())
            trees[t] = self._tree()._around(nodes, self.n_features_in_)
        return trees.reshape(-1, self.n_trees_per_iteration_)

    def _leaves(self, X):
        """The leaf of each row in each tree, ``(n, n_estimators_, 1 or k)``."""
        check_is_fitted(self)
        rows = self._numbers(X)
        ends = [apply(self._trees.table(t), rows) for t in range(self._trees.n_trees)]
        return np.stack(ends, axis=1).reshape(len(rows), -1, self.n_trees_per_iteration_).astype(np.float64)

    def _tree(self):
        return DecisionTreeRegressor(**{name: getattr(self, name) for name in OF_TREES})

    def _check_parameters(self):
        check_number(self, "learning_rate", 0)
        check_number(self, "n_estimators", 1, integer=True)
        check_number(self, "subsample", 0, 1, open_low=True)
        check_choice(self, "criterion", ("deprecated", "squared_error", "friedman_mse"))
        check_number(self, "validation_fraction", 0, 1, open_low=True)
        check_number(self, "n_iter_no_change", 1, integer=True, none=True)
        check_number(self, "tol", 0)
        if isinstance(self.init, str):
            check_choice(self, "init", ("zero",))
        self._tree()._check()

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


class Scores:
    """Losses of the rows that each round was grown on, and of the others where rows are drawn."""

    def __init__(self, model, first):
        self.model, self.factor = model, model._loss_factor()
        self.train = list(model.train_score_)
        drawn_before = vars(model).get("oob_scores_", np.zeros(first))
        self.out, self.gains = list(drawn_before), list(vars(model).get("oob_improvement_", np.zeros(first)))

    def before(self, loss, rows, eta, drawn):
        """Note the loss of the rows that are left out before the first round."""
        if drawn is not None and not self.out:
            self.start = self._of(loss, rows, eta, ~drawn)

    def after(self, loss, rows, eta, drawn):
        """Note the losses after a round."""
        everyone = slice(None)
        self.train.append(self._of(loss, rows, eta, everyone if drawn is None else drawn))
        if drawn is not None:
            last = self.out[-1] if self.out else self.start
            self.out.append(self._of(loss, rows, eta, ~drawn))
            self.gains.append(last - self.out[-1])

    def _of(self, loss, rows, eta, some):
        part = rows.take(some)
        return self.factor * mean_loss(loss, part.y, part.s, eta[some])

    def publish(self):
        """Set the attributes of the model."""
        model = self.model
        model.train_score_ = np.array(self.train)
        if model.subsample < 1.0:
            model.oob_scores_, model.oob_improvement_ = np.array(self.out), np.array(self.gains)
            model.oob_score_ = float(self.out[-1])


class _Watch:
    """Early stopping: when the loss of rows held out is not lower, by more than `tol`, than any of its last values."""

    def __init__(self, model, held):
        self.model, self.held = model, held
        self.scores = model._score_numbers(held.numbers)
        patience = min(model.n_iter_no_change, model.n_estimators + 1)  # more could never run out
        self.history, self.round = np.full(patience, np.inf), model._n_rounds()

    def stops(self, loss, tables):
        """Whether to stop after a round, whose trees these are."""
        add_trees(Trees.of(tables, self.held.numbers.shape[1]), self.held.numbers, self.scores)
        value = self.model._loss_factor() * mean_loss(loss, self.held.y, self.held.s, self.scores)
        if not np.any(value + self.model.tol < self.history):
            return True
        self.history[self.round % len(self.history)] = value
        self.round += 1
        return False


def _added(table, rate):
    """A tree as :class:`Trees` holds it: leaves have the numbers that they add to scores, inner nodes their gains."""
    return table._replace(value=rate * table.value, impurity=gains_of(table))


def _seed(random_state):
    """A whole number: the given one, or one that is drawn."""
    if isinstance(random_state, int | np.integer):
        return int(random_state)
    return int(check_random_state(random_state).randint(np.iinfo(np.int32).max))
