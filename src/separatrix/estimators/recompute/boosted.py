"""AdaBoost: weights of rows, errors and weights of learners recomputed round by round, and the search for each stump.

Nothing of the solver is used: columns are sorted and summed here, in extended precision.
"""

import numpy as np

from separatrix.estimators.recompute.comparison import Comparison
from separatrix.estimators.validation import validate_classes

SEARCH = 1e-9  # how much lower the error of another stump may be: products of up to M rounded factors differ by less


def boosted(model, X, y, sample_weight=None):
    """Errors and weights of all learners; of stumps also that none has a smaller weighted error."""
    design, codes, s = validate_classes(model, X, y, sample_weight, reset=False)
    k, weights = len(model.classes_), model.estimator_weights_
    s = np.ones(len(codes), dtype=np.longdouble) if s is None else s.astype(np.longdouble)
    comparison, w = Comparison(model, len(codes)), s / s.sum()
    stumps = "members_" not in vars(model)
    if stumps and not _are_places(model, design.p, k):
        comparison.residual(np.inf, 0.0, "features_", "below_", "above_")
        return comparison.certificate()
    answers = list(model._answers(design.matrix()))
    sorted_columns = _Sorted(design, codes, s, k) if stumps else None
    if not len(answers) == len(weights) == len(model.estimator_errors_) > 0:
        comparison.residual(np.inf, 0.0, "estimator_weights_")
        return comparison.certificate()
    errors, alphas = [], []
    for m, answer in enumerate(answers):
        missed = answer != codes
        error = w[missed].sum()
        errors.append(error)
        if stumps:
            comparison.residual(max(float(error - sorted_columns.smallest_error(w)), 0.0), SEARCH, "features_")
            right = sorted_columns.is_halfway(model.features_[m], model.thresholds_[m])
            comparison.residual(0.0 if right else np.inf, 0.0, "thresholds_")
        if error == 0.0:
            alphas.append(1.0 + sum(alphas))
            break
        alphas.append(model.learning_rate * (np.log1p(-error) - np.log(error) + np.log1p(k - 2)))
        w = np.where(missed, w * np.exp(alphas[-1]), w)
        w /= w.sum()
    comparison.number("estimator_errors_", np.array(errors), 1.0, tolerance=SEARCH)
    comparison.number("estimator_weights_", np.array(alphas), 1.0, tolerance=SEARCH)
    comparison.residual(0.0 if vars(model)["n_classes_"] == k else np.inf, 0.0, "n_classes_")
    if stumps:
        comparison.residual(0.0, 0.0, "below_", "above_")  # the errors are those of their answers
        comparison.notes.append("every stump has the smallest weighted error of all")
    return comparison.certificate()


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
