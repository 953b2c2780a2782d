"""AdaBoost: weights of rows, errors and weights of learners recomputed round by round, and the search for each stump.

Nothing of the solver is used. A fit has its rounds recomputed in double precision; ``verify`` sorts and sums columns
again, in extended precision.
"""

import numpy as np

from separatrix.estimators.recompute.comparison import Comparison
from separatrix.estimators.recompute.trees import check_trees
from separatrix.estimators.validation import validate_classes

ROUNDING = 1e-9  # weights of rows are products of up to M rounded factors, and differ by less from exact ones


def boosted(model, X, y, sample_weight=None):
    """Errors and weights of all learners; of stumps also that none has a smaller weighted error."""
    design, codes, s = validate_classes(model, X, y, sample_weight, reset=False)
    k, weights = len(model.classes_), model.estimator_weights_
    s = np.ones(len(codes), dtype=np.longdouble) if s is None else s.astype(np.longdouble)
    comparison = Comparison(model, len(codes))
    stumps = "members_" not in vars(model)
    if stumps and not _are_places(model, design.p, k):
        comparison.residual(np.inf, 0.0, "features_", "below_", "above_")
        return comparison.certificate()
    check_trees(vars(model).get("members_", ()))
    answers = list(model._answers(design.matrix()))
    sorted_columns = _Sorted(design, codes, s, k) if stumps else None
    if not len(answers) == len(weights) == len(model.estimator_errors_) > 0:
        comparison.residual(np.inf, 0.0, "estimator_weights_")
        return comparison.certificate()
    errors, alphas = [], []
    for m, (w, error, alpha) in enumerate(_rounds(model, answers, codes, s)):
        errors.append(error)
        alphas.append(alpha)
        if stumps:
            comparison.residual(max(float(error - sorted_columns.smallest_error(w)), 0.0), ROUNDING, "features_")
            right = sorted_columns.is_halfway(model.features_[m], model.thresholds_[m])
            comparison.residual(0.0 if right else np.inf, 0.0, "thresholds_")
    comparison.number("estimator_errors_", np.array(errors), 1.0, tolerance=ROUNDING)
    comparison.number("estimator_weights_", np.array(alphas), 1.0, tolerance=ROUNDING)
    comparison.residual(0.0 if vars(model)["n_classes_"] == k else np.inf, 0.0, "n_classes_")
    if stumps:
        comparison.residual(0.0, 0.0, "below_", "above_")  # the errors are those of their answers
        comparison.notes.append("every stump has the smallest weighted error of all")
    return comparison.certificate()


def _rounds(model, answers, codes, s):
    """Weights of the rows, error and weight of the learner of each round, up to a learner without mistakes."""
    w, k, alphas = s / s.sum(), len(model.classes_), []
    for answer in answers:
        missed = answer != codes
        error = (w * missed).sum()
        perfect = error == 0.0
        odds = np.inf if perfect else np.log1p(-error) - np.log(error) + np.log1p(k - 2)
        alphas.append(1.0 + sum(alphas) if perfect else model.learning_rate * odds)
        yield w, error, alphas[-1]
        if perfect:
            return
        factor = np.exp(alphas[-1])
        total = 1.0 - error + factor * error
        w = w * np.where(missed, factor / total, 1.0 / total)


def residual_of_rounds(model, answers, codes, s):
    """How far the published errors and weights of learners are from those of their answers, (n,) codes each."""
    return _apart(model, _rounds(model, answers, codes, s))


def rounds_of_numbers(model, X, y, s):
    """Weights of the rows, mean loss and weight of the learner of each round of AdaBoost.R2, up to the last of all."""
    w, weights = s / s.sum(), []
    for member in model.estimators_:
        distances = np.abs(np.asarray(member.predict(X)) - y)
        losses = distances / max(float(distances[s > 0.0].max()), np.finfo(float).tiny)
        losses = np.minimum(losses, 1.0)
        losses = {"linear": losses, "square": losses**2, "exponential": 1.0 - np.exp(-losses)}[model.loss]
        error = float((w * losses).sum() / w.sum())
        last = not 0.0 < error < 0.5
        odds = np.inf if last else np.log1p(-error) - np.log(error)
        weights.append(1.0 + sum(weights) if last else model.learning_rate * float(odds))
        yield w, error, weights[-1]
        if last:
            return
        w = w * (error / (1.0 - error)) ** ((1.0 - losses) * model.learning_rate)
        w /= w.sum()


def residual_of_rounds_of_numbers(model, X, y, s):
    """How far the published mean losses and weights of learners are from those of their predictions."""
    return _apart(model, rounds_of_numbers(model, X, y, s))


def _apart(model, rounds):
    """The largest difference of a published error, or of a weight relative to its size where that is above 1."""
    recomputed = np.array([(float(error), float(weight)) for _, error, weight in rounds])
    published = np.stack([model.estimator_errors_, model.estimator_weights_], axis=1)
    if recomputed.shape != published.shape:
        return np.inf
    size = np.maximum(1.0, np.abs(recomputed) * [0.0, 1.0])
    return float((np.abs(published - recomputed) / size).max())


def _are_places(model, p, k):
    """Whether the stumps name columns and classes that there are."""
    limits = ((model.features_, p), (model.below_, k), (model.above_, k))
    return all(((part >= 0) & (part < limit)).all() for part, limit in limits)


class _Sorted:
    """Columns in order, to search all thresholds."""

    def __init__(self, design, codes, s, k):
        self.rows = np.flatnonzero(s)
        self.indicators = (codes[self.rows, None] == np.arange(k)).astype(np.longdouble)
        self.columns = design.columns(np.arange(design.p))[self.rows]
        self.order = np.argsort(self.columns, axis=0, kind="stable")
        self.values = np.take_along_axis(self.columns, self.order, axis=0)
        self.ends = [np.flatnonzero(np.diff(column)) for column in self.values.T]

    def smallest_error(self, w):
        """The smallest weighted error of any stump, constant answers among them."""
        weighted = w[self.rows, None] * self.indicators
        totals = weighted.sum(axis=0)
        right = totals.max()
        for order, ends in zip(self.order.T, self.ends):
            if len(ends):
                below = np.cumsum(weighted[order], axis=0)[ends]
                right = max(right, (below.max(axis=1) + (totals - below).max(axis=1)).max())
        return totals.sum() - right

    def is_halfway(self, j, threshold):
        """Whether a threshold is minus infinity, or halfway between two neighbouring values of its column."""
        if threshold == -np.inf:
            return True
        ends = self.ends[j]
        low, high = self.values[ends, j], self.values[ends + 1, j]
        middle = 0.5 * low + 0.5 * high
        return bool((threshold == np.where((low <= middle) & (middle < high), middle, low)).any())
