"""Numbers of closed forms recomputed from the data by a slow path of their own, in extended precision.

The value of a certificate is the largest relative difference between a published number and the recomputed one. It is
held to what any order of summation may cost, ``n eps``, and to the precision in which the numbers are published.
"""

import time
from dataclasses import replace
from itertools import combinations

import numpy as np

from separatrix.core.certificate import closed_form
from separatrix.core.declaration import declaration
from separatrix.designs import as_dense
from separatrix.estimators.linear.firth import modified_score
from separatrix.estimators.validation import enter, validate_classes, validate_rows
from separatrix.estimators.verify import verify

EPS = np.finfo(np.float64).eps


def _certificate(differences, n, started, what, precision=EPS):
    value = max((float(np.max(each, initial=0.0)) for each in differences), default=0.0)
    tolerance = max(n * EPS, 4.0 * float(precision))
    return closed_form(value, tolerance, started=started, message=f"{what} recomputed from {n} rows")


def _relative(published, recomputed, size):
    """Differences over `size`, which is not 0 where anything was summed."""
    size = np.maximum(np.asarray(size, dtype=np.longdouble), np.finfo(np.float64).tiny)
    return np.abs(np.asarray(published, dtype=np.longdouble) - recomputed) / size


def _of_classes(model, X, y, sample_weight):
    """Rows in extended precision, codes of their classes, and weights."""
    _, codes, s = validate_classes(model, X, y, sample_weight, reset=False)
    rows = as_dense(validate_rows(model, X)).astype(np.longdouble)
    return rows, codes, np.ones(len(rows)) if s is None else s


def _totals(codes, s, k):
    return np.array([s[codes == c].astype(np.longdouble).sum() for c in range(k)])


def of_mean(model, X, y, sample_weight=None):
    """The mean of the targets of the baseline."""
    started = time.perf_counter()
    _, target = enter(model, X, y, sample_weight, multi_output=False, reset=False)
    s, t = target.weights.astype(np.longdouble), target.y.astype(np.longdouble)
    mean, size = (s * t).sum() / s.sum(), (s * np.abs(t)).sum() / s.sum()
    return _certificate([_relative(model.constant_, mean, size)], target.n, started, "the mean")


def of_shares(model, X, y, sample_weight=None):
    """The shares of the classes of the baseline."""
    started = time.perf_counter()
    _, codes, s = validate_classes(model, X, y, sample_weight, reset=False)
    totals = _totals(codes, np.ones(len(codes)) if s is None else s, len(model.classes_))
    shares = totals / totals.sum()
    return _certificate([_relative(model.class_prior_, shares, 1.0)], len(codes), started, "the shares")


def of_class_means(model, X, y, sample_weight=None):
    """Means of the classes, their shares where none were given, and variances where these are published."""
    started = time.perf_counter()
    rows, codes, s = _of_classes(model, X, y, sample_weight)
    fitted, k = vars(model), len(model.classes_)
    published = fitted["theta_"] if "theta_" in fitted else fitted["means_"]
    totals, differences, squares = _totals(codes, s, k), [], []
    for c in np.flatnonzero(totals > 0.0):
        mine, w = rows[codes == c], s[codes == c].astype(np.longdouble)[:, None]
        mean = (w * mine).sum(axis=0) / totals[c]
        differences.append(_relative(published[c], mean, (w * np.abs(mine)).sum(axis=0) / totals[c]))
        squares.append((w * (mine - mean) ** 2).sum(axis=0))
        if "var_" in fitted:
            variance = squares[-1] / totals[c] + np.longdouble(model.epsilon_)
            rounding = (4.0 * EPS * mean) ** 2  # a variance of the size of the rounding of the mean is published as 0
            differences.append(_relative(model.var_[c], variance, variance + rounding / EPS))
    given = model.get_params(deep=False).get("priors")
    for name in ("priors_", "class_prior_"):
        if name in fitted and given is None:
            differences.append(_relative(fitted[name], totals / totals.sum(), 1.0))
    what = "class means, shares and variances" if "var_" in fitted else "class means and shares"
    return _certificate(differences, len(rows), started, what, np.finfo(published.dtype).eps)


def of_counts(model, X, y, sample_weight=None):
    """Weights of the classes and of what their columns hold: the counts that probabilities are made of."""
    started = time.perf_counter()
    rows, codes, s = _of_classes(model, X, y, sample_weight)
    fitted, k = vars(model), len(model.classes_)
    totals = _totals(codes, s, k)
    differences = [_relative(model.class_count_, totals, totals.sum())]
    threshold = model.get_params(deep=False).get("binarize")
    cells = rows if threshold is None else (rows > threshold).astype(np.longdouble)
    for c in range(k):
        mine, w = cells[codes == c], s[codes == c].astype(np.longdouble)
        if "feature_count_" in fitted:
            counts = (w[:, None] * mine).sum(axis=0)
            differences.append(_relative(model.feature_count_[c], counts, np.maximum(np.abs(counts), 1.0)))
            continue
        for j, table in enumerate(model.category_count_):
            levels = mine[:, j].astype(np.int64)
            counts = np.array([w[levels == v].sum() for v in range(table.shape[1])])
            differences.append(_relative(table[c], counts, np.maximum(totals[c], 1.0)))
    return _certificate(differences, len(rows), started, "counts")


def of_column_models(model, X, y, sample_weight=None):
    """The worst of the models of single kinds of columns."""
    table = model._enter(X)
    columns = {d: model._columns_of(table, d, model.categories_) for d in model.parts_}
    return _worst(verify(part, columns[d], y, sample_weight) for d, part in model.parts_.items())


def of_stored_rows(model, X, y, sample_weight=None):
    """The share of cells that are not those of the data: the rows themselves are the model."""
    started = time.perf_counter()
    given, kept = as_dense(validate_rows(model, X)), as_dense(model._fit_X)
    if given.shape != kept.shape:
        wrong = np.ones(1)
    else:
        wrong = np.array([np.mean(given != kept)])
        if declaration(model).task == "regression":
            wrong = np.append(wrong, np.mean(np.ravel(y) != np.ravel(model._y)))
    message = f"the share of stored cells that differ from {len(given)} rows"
    return closed_form(float(wrong.max()), 0.0, started=started, message=message)


def of_modified_score(model, X, y, sample_weight=None):
    """The modified score of Firth's logistic regression at the published coefficients."""
    started = time.perf_counter()
    design, labels, s = model._enter(X, y, sample_weight, reset=False)
    first = bool(model.fit_intercept)
    w = np.concatenate([model.intercept_, model.coef_[0]]) if first else model.coef_[0]
    value, seconds = modified_score(design, labels, s, first, w), time.perf_counter() - started
    return replace(model.certificate_, value=value, iterations=0, passes=1, seconds=seconds)


def of_one_vs_rest(model, X, y, sample_weight=None):
    """The worst machine, each on its class against the rest."""
    y = np.asarray(y)
    labels = [y == c for c in model.classes_[-len(model.estimators_) :]]
    if len(model.estimators_) > 1:
        labels = [y == c for c in model.classes_]
    machines = zip(model.estimators_, labels)
    return _worst(verify(machine, X, mine.astype(int), sample_weight) for machine, mine in machines)


def of_one_vs_one(model, X, y, sample_weight=None):
    """The worst machine, each on the rows of its two classes."""
    X, y = validate_rows(model, X), np.asarray(y)
    graded = []
    for machine, (a, b) in zip(model.estimators_, combinations(model.classes_, 2)):
        rows = (y == a) | (y == b)
        weights = None if sample_weight is None else np.asarray(sample_weight)[rows]
        graded.append(verify(machine, X[rows], (y[rows] == b).astype(int), weights))
    return _worst(graded)


def _worst(certificates):
    return max(certificates, key=lambda each: each.value - each.tolerance)
