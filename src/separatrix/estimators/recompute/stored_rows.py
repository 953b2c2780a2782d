"""Models whose rows are the model, and baselines that keep a mean or shares."""

import time

import numpy as np

from separatrix.core.certificate import closed_form
from separatrix.core.declaration import declaration
from separatrix.designs import as_dense
from separatrix.estimators.recompute.comparison import Comparison, not_looked_at
from separatrix.estimators.validation import enter, validate_classes, validate_rows


def rows_and_labels(model, X, y, sample_weight=None):
    """The share of cells and targets that are not those of the data: the rows themselves are the model."""
    started = time.perf_counter()
    given, kept = as_dense(validate_rows(model, X)), as_dense(model._fit_X)
    targets, labels = np.asarray(y).reshape(len(given), -1), model._y.reshape(len(model._y), -1)
    if declaration(model).task == "classification":
        classes = model.classes_ if model.outputs_2d_ else [model.classes_]
        labels = np.stack([_labels(of, codes) for of, codes in zip(classes, labels.T, strict=True)], axis=1)
    wrong = 1.0
    if given.shape == kept.shape and targets.shape == labels.shape:
        wrong = max(float(np.mean(given != kept)), float(np.mean(targets != labels)))
    message = f"the share of stored cells and targets that differ from {len(given)} rows{not_looked_at(model, ())}"
    return closed_form(wrong, 0.0, started=started, message=message)


def _labels(classes, codes):
    """The labels of codes; a code that stands for no class gives None, which is no label of any data."""
    known = (codes >= 0) & (codes < len(classes))
    labels = np.asarray(classes)[np.where(known, codes, 0)]
    return labels if known.all() else np.where(known, labels.astype(object), None)


def mean(model, X, y, sample_weight=None):
    """The mean, or the median, of the targets of the baseline."""
    _, target = enter(model, X, y, sample_weight, multi_output=False, reset=False)
    comparison = Comparison(model, target.n)
    s, t = target.weights.astype(np.longdouble), target.y.astype(np.longdouble)
    if model.statistic == "median":
        comparison.number("constant_", middle_of(t, s), np.abs(t).max())
    else:
        comparison.number("constant_", (s * t).sum() / s.sum(), (s * np.abs(t)).sum() / s.sum())
    return comparison.certificate()


def middle_of(t, s):
    """The middle of the targets at which the absolute error, s weighted, is smallest: evaluated at each of them."""
    order = np.argsort(t)
    t, s = t[order], s[order]
    below, above = np.cumsum(s), np.cumsum(s[::-1])[::-1]
    least = t[(below >= 0.5 * s.sum()) & (above >= 0.5 * s.sum()) & (s > 0.0)]
    return (least[0] + least[-1]) / 2


def shares(model, X, y, sample_weight=None):
    """The shares of the classes of the baseline."""
    _, codes, s = validate_classes(model, X, y, sample_weight, reset=False)
    comparison = Comparison(model, len(codes))
    totals = np.zeros(len(model.classes_), dtype=np.longdouble)
    np.add.at(totals, codes, np.ones(len(codes)) if s is None else s)
    comparison.number("class_prior_", totals / totals.sum())
    return comparison.certificate()
