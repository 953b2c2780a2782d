"""What all models of boosted trees share: raw scores as sums of trees, after all and after each iteration."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from sklearn.model_selection import train_test_split
from sklearn.utils.validation import check_is_fitted

from separatrix.core.certificate import closed_form, warn_if_not_certified
from separatrix.core.solution import Certificate
from separatrix.core.types import Array, MatrixLike
from separatrix.estimators.ensemble.warm_start import facts_of
from separatrix.estimators.saving import Estimator
from separatrix.prediction.boosted_trees import scores_of_log_odds
from separatrix.prediction.linear import in_one_dimension, log_probabilities, probabilities
from separatrix.solvers.trees.boosting import mean_loss
from separatrix.solvers.trees.committee import Trees, add_trees

EPS = float(np.finfo(np.float64).eps)
WALKED = 1000  # rows that the fit sends through its trees once more; verify sends all
GREEDY = "trees are added greedily, one after another, so that there is no optimum to prove"
ADVICE = "A smaller learning_rate, or y in other units."


class Rows(NamedTuple):
    """Rows of numbers (n, p) with their targets or codes of classes (n,) and weights (n,) or None."""

    numbers: Array
    y: Array
    s: Array | None

    def take(self, rows: Any) -> "Rows":
        """Some of the rows."""
        return Rows(self.numbers[rows], self.y[rows], None if self.s is None else self.s[rows])

    def with_weight(self) -> "Rows":
        """The rows of positive weight; the others have no part in the fit."""
        return self if self.s is None or self.s.all() else self.take(self.s > 0.0)


class BoostedTrees(Estimator):
    """A baseline and trees, each a step down the slope of the loss."""

    n_trees_per_iteration_: int
    certificate_: Certificate
    _trees: Trees
    _baseline: Array
    _grown_by: str  # the loss, in words

    @property
    def feature_importances_(self) -> Array:
        """The share of each column in the sum of the gains of all splits; zeros where there is no split."""
        check_is_fitted(self)
        gains = self._trees.gain_by_column(self.n_features_in_)
        total = gains.sum()
        return gains / total if total > 0.0 else gains

    @property
    def n_parameters_(self) -> int:
        """Thresholds, routes and the values of the leaves, of all trees."""
        check_is_fitted(self)
        return len(self._trees.column) + len(self._trees.routes) + self._trees.n_trees

    def __sklearn_is_fitted__(self):
        return "_trees" in vars(self)

    def _n_rounds(self):
        """Iterations of boosting that were kept."""
        check_is_fitted(self)
        return self._trees.n_trees // self.n_trees_per_iteration_

    def _raw(self, X):
        """Raw scores (n, k)."""
        check_is_fitted(self)
        known = vars(self).get("_known_scores")
        return self._score_numbers(self._numbers(X)) if known is None else known

    def _first_scores(self, X):
        """Raw scores of rows of numbers before the first iteration, (n, k)."""
        return np.tile(self._baseline, (len(X), 1))

    def _score_numbers(self, X):
        scores = self._first_scores(X)
        add_trees(self._trees, X, scores)
        return scores

    def _note_training_loss(self, loss, rows, eta):
        """Publish the mean loss of the rows before the first iteration and after the last, whose scores are `eta`.

        A warm start keeps the constants of the first fit: note whether the constants of these rows are different.
        """
        scores = (self._first_scores(rows.numbers), eta)
        self.training_loss_ = np.array([mean_loss(loss, rows.y, rows.s, each) for each in scores])
        own = self._baseline_of(rows)
        apart = np.abs(own - self._baseline).max()
        self._from_other_rows = bool(apart > len(rows.y) * EPS * max(1.0, np.abs(own).max()))

    def _certify(self, rows, eta, started, stacklevel):
        """Hold the scores that ``training_loss_`` is computed from against those of the published trees, on some rows.

        Scores were added up leaf by leaf while the trees were grown. A tree that sends a row elsewhere, or another
        value in a leaf, makes them differ.
        """
        some = np.unique(np.linspace(0, len(eta) - 1, WALKED).astype(np.int64))
        numbers, own = rows.numbers[some], eta[some]
        apart = float(np.abs(self._score_numbers(numbers) - own).max())
        size = max(float(np.abs(each).max()) for each in (own, self._first_scores(numbers)))
        value = apart / size if apart > 0.0 else 0.0
        if not np.isfinite(self.training_loss_).all():
            value = np.inf
        rounds = self._n_rounds()
        message = (
            f"the trees give {len(some)} of {len(eta)} rows the scores that training_loss_ is the loss of; {GREEDY}"
        )
        self.certificate_ = closed_form(
            value, (rounds + 8) * EPS, started=started, message=message, iterations=rounds, passes=rounds
        )
        warn_if_not_certified(self.certificate_, ADVICE, stacklevel + 1)

    def _facts(self):
        """What the data of a warm start must have in common with those of the first fit."""
        known = vars(self).get("_categories")
        categories = None if known is None else [None if each is None else list(each) for each in known]
        return facts_of(self, categories=categories, loss=self._grown_by)

    def _loss_in_words(self):
        """The parameters that say which loss is lowered."""
        return repr(self.loss)

    def _staged_raw(self, X) -> Iterator[Array]:
        """Raw scores after each iteration."""
        check_is_fitted(self)
        rows, k = self._numbers(X), self.n_trees_per_iteration_
        scores = self._first_scores(rows)
        for t in range(self._n_rounds()):
            add_trees(self._trees, rows, scores, t * k, (t + 1) * k)
            yield scores.copy()

    def _split_rows(self, y):
        """Rows to learn from, and rows held out; the same for the same seed."""
        strata = y if "classes_" in vars(self) else None
        everyone = np.arange(len(y))
        return train_test_split(
            everyone, test_size=self.validation_fraction, stratify=strata, random_state=self._random_seed
        )


class BoostedClasses(BoostedTrees):
    """The predictions of a class: raw scores are log-odds, or logarithms of probabilities up to a constant."""

    classes_: Array

    def decision_function(self, X: MatrixLike) -> Array:
        """Raw scores: (n,) for two classes (positive for ``classes_[1]``), else (n, k)."""
        return in_one_dimension(self._raw(X))

    def predict_proba(self, X: MatrixLike) -> Array:
        """Probability of each class, in the order of ``classes_``: (n, k)."""
        return self._shares(self.decision_function(X))

    def predict_log_proba(self, X: MatrixLike) -> Array:
        """Logarithms of :meth:`predict_proba`, right also where a probability is too small for a number."""
        return log_probabilities(scores_of_log_odds(self.loss, self.decision_function(X)))

    def predict(self, X: MatrixLike) -> Array:
        """The class of each row of X: of equal probabilities the first."""
        shares = self.predict_proba(X)
        return self.classes_[shares.argmax(axis=1)]

    def staged_decision_function(self, X: MatrixLike) -> Iterator[Array]:
        """Raw scores after each iteration."""
        return map(in_one_dimension, self._staged_raw(X))

    def staged_predict_proba(self, X: MatrixLike) -> Iterator[Array]:
        """Probabilities after each iteration."""
        return map(self._shares, self.staged_decision_function(X))

    def staged_predict(self, X: MatrixLike) -> Iterator[Array]:
        """Classes after each iteration."""
        for shares in self.staged_predict_proba(X):
            yield self.classes_[shares.argmax(axis=1)]

    def _shares(self, scores):
        return probabilities(scores_of_log_odds(self.loss, scores))
