"""What the classifier and the regressor of histogram gradient boosting share: parameters, the loop, early stopping."""

import copy
import time
from itertools import combinations
from numbers import Integral

import numpy as np
from sklearn.base import clone
from sklearn.metrics import check_scoring
from sklearn.utils import check_random_state, resample

from separatrix.core.errors import cannot
from separatrix.core.protocol import column_names
from separatrix.core.tree_sum import SCORE, TreeSum, walked_rounds
from separatrix.designs.binned import bin_rows, find_bins
from separatrix.estimators.ensemble.boosting import BoostedTrees
from separatrix.estimators.ensemble.categories import apply_categories, find_categories, learn_categories
from separatrix.estimators.ensemble.warm_start import refuse_other_data
from separatrix.estimators.validation import check_choice, check_number, validate_rows
from separatrix.solvers.trees.boosting import Boosting, baseline, mean_loss
from separatrix.solvers.trees.committee import Trees, add_trees
from separatrix.solvers.trees.histogram import TreeLimits

MANY_ROWS = 10_000  # above which early_stopping="auto" stops early, and of which scorers see a sample


def tree_sum(model, X):
    """Raw scores as the baseline and the values of the trees, tree t for output t modulo k."""
    trees = walked_rounds(vars(model._trees), model.n_trees_per_iteration_, model._trees.count)
    return TreeSum(model._numbers(X), model._baseline, trees, SCORE)


class HistogramBoosting(BoostedTrees):
    """Trees on binned columns, each a step down the slope of the loss."""

    @property
    def n_iter_(self) -> int:
        """Iterations of boosting that were kept."""
        return self._n_rounds()

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags

    # ------------------------------------------------------------------ rows

    def _learn_rows(self, X, y, sample_weight):
        """Checked rows, without those of weight zero."""
        mask = find_categories(self, X)
        checker = self
        if mask is None:
            self._categories = None
        else:
            self._categories, X = learn_categories(self, X, mask, self.max_bins)
            checker = clone(self)  # names of columns are those of the frame, not of its numbers
        self.is_categorical_ = mask
        return self._checked_rows(checker, X, y, sample_weight, reset=True, weighted=True).with_weight()

    def _later_rows(self, X, y, sample_weight, *, weighted):
        """Checked rows of a fitted model; whether weights of classes are `weighted` in."""
        checker = self
        if self._categories is not None:
            checker, X = copy.copy(self), apply_categories(self, X, self._categories)
            vars(checker).pop("feature_names_in_", None)
        return self._checked_rows(checker, X, y, sample_weight, reset=False, weighted=weighted)

    def _numbers(self, X):
        """Rows of a prediction, float64 or float32."""
        if self._categories is not None:
            return apply_categories(self, X, self._categories)
        return np.ascontiguousarray(validate_rows(self, X, sparse=False, missing=True))

    def _baseline_of(self, rows):
        """The best constant scores, (k,)."""
        return baseline(self._stated_loss(), rows.y, rows.s, self.n_trees_per_iteration_)

    # ------------------------------------------------------------------ the fit

    def _fit(self, X, y, sample_weight, X_val, y_val, sample_weight_val):
        started = time.perf_counter()
        self._check_parameters()
        goes_on = self.warm_start and "_trees" in vars(self)
        known = self._facts() if goes_on else {}
        seeds = check_random_state(self.random_state)
        rows = self._learn_rows(X, y, sample_weight)
        self._grown_by = self._loss_in_words()
        refuse_other_data(known, self._facts() if goes_on else {}, "trees")
        if not goes_on:
            self._random_seed, self._column_seed = (int(seeds.randint(2**32 - 1, dtype="u8")) for _ in range(2))
        elif self.max_iter < self.n_iter_:
            raise cannot(
                f"go on with max_iter={self.max_iter}",
                because=f"max_iter must be larger than or equal to n_iter_={self.n_iter_}, the iterations made before",
                instead=f"max_iter >= {self.n_iter_}",
            )
        held = self._given_validation(X_val, y_val, sample_weight_val)
        self.do_early_stopping_ = len(rows.y) > MANY_ROWS if self.early_stopping == "auto" else self.early_stopping
        self._divided = self.do_early_stopping_ and held is None and self.validation_fraction is not None
        if self._divided:
            train, kept = self._split_rows(rows.y)
            rows, held = rows.take(train), rows.take(kept)
        eta = self._boost(rows, held, goes_on)
        self._note_training_loss(self._stated_loss(), rows, eta)
        self._certify(rows, eta, started, stacklevel=3)
        return self

    def _boost(self, rows, held, goes_on):
        """Make the iterations; return the raw scores of the rows after the last."""
        loss, p = self._stated_loss(), rows.numbers.shape[1]
        codes = None if self._categories is None else [0 if c is None else len(c) for c in self._categories]
        bins = find_bins(rows.numbers, self.max_bins, rows.s, codes, self._random_seed)
        design = bin_rows(rows.numbers, bins)
        if not goes_on:
            self._baseline = self._baseline_of(rows)
            self._trees = Trees.of([], p)
            self.train_score_, self.validation_score_ = [], []
        else:
            self.train_score_, self.validation_score_ = list(self.train_score_), list(self.validation_score_)
        eta = self._score_numbers(rows.numbers)
        limits, seed = self._tree_limits(p), self._column_seed
        boosting = Boosting(loss, design, rows.y, rows.s, eta, limits, None)
        watch = Watch(self, loss, rows, held, eta) if self.do_early_stopping_ else None
        if not goes_on and watch is not None:
            watch.stops(eta, [])
        tables = []
        for iteration in range(self.n_iter_, self.max_iter):
            boosting.grower.rng = np.random.default_rng([seed, iteration])  # going on draws what one fit would draw
            new = boosting.step()
            tables += new
            if watch is not None and watch.stops(eta, new):
                break
        self._trees = Trees.of(tables, p, self._trees)
        self.train_score_, self.validation_score_ = np.array(self.train_score_), np.array(self.validation_score_)
        return eta

    # ------------------------------------------------------------------ parameters

    def _check_parameters(self):
        check_number(self, "learning_rate", 0, open_low=True)
        check_number(self, "max_iter", 1, integer=True)
        check_number(self, "max_leaf_nodes", 2, integer=True, none=True)
        check_number(self, "max_depth", 1, integer=True, none=True)
        check_number(self, "min_samples_leaf", 1, integer=True)
        check_number(self, "l2_regularization", 0)
        check_number(self, "max_features", 0, 1, open_low=True)
        check_number(self, "max_bins", 2, 255, integer=True)
        check_number(self, "n_iter_no_change", 1, integer=True)
        check_number(self, "tol", 0)
        check_choice(self, "early_stopping", ("auto", True, False))
        check_number(self, "validation_fraction", 0, open_low=True, none=True)

    def _given_validation(self, X_val, y_val, sample_weight_val):
        """Rows that the caller holds out, or None."""
        if X_val is None and y_val is None:
            return None
        if X_val is None or y_val is None or self.early_stopping is False:
            raise cannot(
                "use X_val and y_val",
                because="one of them is missing" if X_val is None or y_val is None else "early_stopping is False",
                instead="both X_val and y_val, with early_stopping=True or 'auto'",
            )
        return self._later_rows(X_val, y_val, sample_weight_val, weighted=False)

    def _tree_limits(self, p):
        return TreeLimits(
            learning_rate=float(self.learning_rate),
            max_leaf_nodes=self.max_leaf_nodes,
            max_depth=self.max_depth,
            min_samples_leaf=int(self.min_samples_leaf),
            regularization=float(self.l2_regularization),
            max_features=float(self.max_features),
            monotone=self._monotone(p),
            groups=self._groups(p),
        )

    def _monotone(self, p):
        """Directions of the columns, (p,) int8."""
        asked = self.monotonic_cst
        directions = np.zeros(p, np.int8)
        if asked is None:
            return directions
        if isinstance(asked, dict):
            names = column_names(self, p)
            for name, direction in asked.items():
                if name not in names:
                    raise _unconstrained(asked, f"no column is named {name!r}")
                directions[names.index(name)] = direction
        elif np.shape(asked) != (p,):
            raise _unconstrained(asked, f"it has shape {np.shape(asked)} but the input data X has {p} features")
        else:
            directions[:] = asked
        if not np.isin(directions, (-1, 0, 1)).all() or not np.isin(list(_values(asked)), (-1, 0, 1)).all():
            raise _unconstrained(asked, "an entry must be an array-like of -1, 0 or 1")
        if self.n_trees_per_iteration_ > 1 and directions.any():
            raise _unconstrained(asked, "they are not supported for multiclass classification")
        if self.is_categorical_ is not None and directions[self.is_categorical_].any():
            raise _unconstrained(asked, "categorical features have no order")
        return directions

    def _groups(self, p):
        """Sets of columns that may meet on a path; columns in none of them make one more."""
        asked = self.interaction_cst
        if asked is None:
            return None
        if isinstance(asked, str):
            check_choice(self, "interaction_cst", (None, "pairwise", "no_interactions"))
            return [set(pair) for pair in combinations(range(p), 2 if asked == "pairwise" else 1)]
        try:
            groups = [set(group) for group in asked]
        except TypeError:
            raise _unmet(asked, "it is no sequence of tuples or lists") from None
        for j in set().union(*groups):
            if not isinstance(j, Integral) or not 0 <= j < p:
                raise _unmet(asked, f"{j!r} is no integer index in [0, {p - 1}]")
        rest = set(range(p)) - set().union(*groups)
        return [*groups, rest] if rest else groups


class Watch:
    """Early stopping: scores of a model after each iteration, on rows held out where there are any.

    It stops where none of the last `n_iter_no_change` scores is better, by more than `tol`, than the one before them.
    """

    def __init__(self, model, loss, rows, held, eta):
        self.model, self.loss, self.rows, self.held = model, loss, rows, held
        self.held_scores = None if held is None else model._score_numbers(held.numbers)
        self.by_loss = isinstance(model.scoring, str) and model.scoring == "loss"
        self.seen = slice(None)
        if not self.by_loss:
            self.scorer = check_scoring(model, model.scoring)
            if len(rows.y) > MANY_ROWS:
                strata = rows.y if "classes_" in vars(model) else None
                options = {"n_samples": MANY_ROWS, "replace": False, "random_state": model._random_seed}
                self.seen = resample(np.arange(len(rows.y)), stratify=strata, **options)

    def stops(self, eta, tables):
        """Note the scores after another iteration, whose trees these are; whether to stop."""
        model = self.model
        if self.held is not None and tables:
            add_trees(Trees.of(tables, self.held.numbers.shape[1]), self.held.numbers, self.held_scores)
        model.train_score_.append(self._score(self.rows.take(self.seen), eta[self.seen]))
        scores = model.train_score_
        if self.held is not None:
            model.validation_score_.append(self._score(self.held, self.held_scores))
            scores = model.validation_score_
        before = model.n_iter_no_change + 1
        return len(scores) >= before and not any(score > scores[-before] + model.tol for score in scores[1 - before :])

    def _score(self, rows, eta):
        if self.by_loss:
            return -self.model._loss_factor() * mean_loss(self.loss, rows.y, rows.s, eta)
        known = copy.copy(self.model)
        known._known_scores = eta
        classes = vars(known).get("classes_")
        y = rows.y if classes is None else classes[rows.y.astype(int)]
        return self.scorer(known, rows.numbers, y, **({} if rows.s is None else {"sample_weight": rows.s}))


def _values(asked):
    return asked.values() if isinstance(asked, dict) else np.asarray(asked).ravel()


def _unconstrained(asked, why):
    return cannot(
        f"hold columns to monotonic_cst={asked!r}",
        because=why,
        instead="1, -1 or 0 for each column of numbers, or a dict of names",
    )


def _unmet(asked, why):
    return cannot(
        f"use interaction_cst={asked!r}",
        because=why,
        instead="'pairwise', 'no_interactions' or lists of column indices",
    )
