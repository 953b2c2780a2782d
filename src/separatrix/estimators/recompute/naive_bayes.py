"""Sums that naive Bayes models publish, and the probabilities that are made of them."""

import operator

import numpy as np

from separatrix.designs import as_dense
from separatrix.estimators.naive_bayes.base import SMALLEST_ALPHA
from separatrix.estimators.published import worst
from separatrix.estimators.recompute.class_sums import ClassSums
from separatrix.estimators.recompute.comparison import BESIDE, EPS, Comparison
from separatrix.estimators.validation import validate_class_target
from separatrix.estimators.verify import verify


def gaussian(model, X, y, sample_weight=None):
    """Counts, shares, means, variances and their smoothing."""
    sums = ClassSums(model, X, y, sample_weight)
    comparison = Comparison(model, sums.n)
    comparison.number("class_count_", sums.totals)
    comparison.number("class_prior_", model._shares(sums.totals), means=2)
    comparison.number("theta_", sums.means, sums.sizes)
    weights = np.where(sums.totals > 0.0, sums.totals, 1.0)[:, None]
    within = sums.squares / weights
    apart, shares = np.abs(sums.means - sums.mean), sums.totals / sums.total
    spread = shares @ (within + apart**2)
    # a mean is right to n eps of its size: squares of that are published as those of a constant column
    rounding = ((sums.n + BESIDE) * EPS * sums.sizes) ** 2
    size = (spread + 2.0 * shares @ (apart * sums.sizes) + (shares @ rounding) / EPS).max()
    comparison.number("epsilon_", model.var_smoothing * spread.max(), model.var_smoothing * size, means=4)
    variances = within + np.longdouble(model.epsilon_)
    comparison.number("var_", variances, variances + rounding / EPS, means=2)
    return comparison.certificate()


def bernoulli(model, X, y, sample_weight=None):
    """Counts of what is on, and ``log (c + α)/(N + 2α)``."""
    threshold = model.binarize
    cells = None if threshold is None else lambda rows: (rows > threshold).astype(np.longdouble)
    sums = ClassSums(model, X, y, sample_weight, cells)
    comparison = _counts(model, sums)
    alpha, counts, n = _alpha(model), sums.sums, sums.totals[:, None]
    rest = np.where(n - counts <= 8.0 * EPS * n, 0.0, n - counts)
    for name, count in (("feature_log_prob_", counts), ("_log_absent", rest)):
        _hold_logarithms(comparison, name, count + alpha, n + 2.0 * alpha, 2)
    return comparison.certificate()


def multinomial(model, X, y, sample_weight=None):
    """Counts of things, and ``log (c + α)/Σ(c + α)``."""
    sums = ClassSums(model, X, y, sample_weight)
    comparison = _counts(model, sums)
    smoothed = sums.sums + _alpha(model)
    _hold_logarithms(comparison, "feature_log_prob_", smoothed, smoothed.sum(axis=1, keepdims=True), sums.p)
    return comparison.certificate()


def _counts(model, sums):
    comparison = Comparison(model, sums.n)
    comparison.number("feature_count_", sums.sums, np.maximum(np.abs(sums.sums), 1.0))
    _hold_shares(model, comparison, sums.totals)
    return comparison


def categorical(model, X, y, sample_weight=None):
    """Counts of categories by column, and ``log (c + α)/Σ(c + α)``."""
    design, target = validate_class_target(model, X, y, sample_weight, reset=False)
    k, sizes = len(model.classes_), [table.shape[1] for table in model.category_count_]

    def task(block):
        levels = as_dense(block.X).astype(np.int64)
        s = np.ones(len(levels)) if block.s is None else block.s
        tables = [np.zeros((k, size), dtype=np.longdouble) for size in sizes]
        for table, codes in zip(tables, levels.T, strict=True):
            known = codes < table.shape[1]
            np.add.at(table, (block.y[known], codes[known]), s[known])
        totals = np.zeros(k, dtype=np.longdouble)
        np.add.at(totals, block.y, s)
        return np.hstack([totals[:, None], *tables])

    totals, *tables = np.split(design.reduce(task, operator.add, target), np.cumsum([1, *sizes[:-1]]), axis=1)
    comparison = Comparison(model, design.n)
    _hold_shares(model, comparison, totals[:, 0])
    missing = max(float(np.max(totals[:, 0] - table.sum(axis=1))) for table in tables)
    comparison.residual(missing / float(totals.sum()), (design.n + BESIDE) * EPS, "n_categories_")
    comparison.number("n_categories_", sizes)
    each = zip(tables, model.category_count_, model.feature_log_prob_, model._log_unseen, _alpha(model), strict=True)
    for table, count, logs, unseen, alpha in each:
        smoothed = table + alpha
        whole = smoothed.sum(axis=1, keepdims=True)
        comparison.hold("category_count_", count, table, np.maximum(table, 1.0))
        wide = _logarithms(smoothed, whole, table.shape[1])
        comparison.hold("feature_log_prob_", logs, wide, 1.0 + np.abs(wide), means=2)
        wide = np.where(whole > 0.0, _logarithms(alpha, whole, 1), -np.inf)[:, 0]
        comparison.hold("feature_log_prob_", unseen, wide, 1.0 + np.abs(wide), means=2)
    return comparison.certificate()


def mixed(model, X, y, sample_weight=None):
    """Shares of the classes, and the worst of the models of single kinds of columns."""
    table = model._enter(X)
    columns = {d: model._columns_of(table, d, model.categories_) for d in model.parts_}
    parts = [verify(part, columns[d], y, sample_weight) for d, part in model.parts_.items()]
    some = next(iter(model.parts_.values()))
    comparison = Comparison(model, table.n)
    comparison.number("class_count_", some.class_count_)  # which its own verification has recomputed
    comparison.number("class_prior_", model._shares(some.class_count_))
    comparison.residual(0.0 if np.array_equal(model.classes_, some.classes_) else np.inf, 0.0, "classes_")
    return worst([*parts, comparison.certificate()])


def _alpha(model):
    alpha = np.broadcast_to(np.asarray(model.alpha, dtype=np.longdouble), model.n_features_in_)
    return alpha if model.force_alpha else np.maximum(alpha, SMALLEST_ALPHA)


def _hold_shares(model, comparison, totals):
    comparison.number("class_count_", totals)
    if model.class_prior is None and not model.fit_prior:
        shares = np.full(len(totals), 1.0 / len(totals), dtype=np.longdouble)
    else:
        shares = model._shares(totals, "class_prior")
    with np.errstate(divide="ignore"):
        wide = np.log(shares)
    comparison.number("class_log_prior_", wide, 1.0 + np.abs(wide), means=2)


def _hold_logarithms(comparison, name, parts, whole, levels):
    wide = _logarithms(parts, whole, levels)
    comparison.number(name, wide, 1.0 + np.abs(wide), means=2)


def _logarithms(parts, whole, levels):
    """``log parts/whole``; equal shares of the `levels` where nothing was counted."""
    with np.errstate(divide="ignore", invalid="ignore"):
        logs = np.log(parts) - np.log(whole)
    return np.where(whole > 0.0, logs, -np.log(np.longdouble(levels)))
