"""Forests: the nodes of every tree, counted anew from the rows that were drawn for it."""

import time
import warnings

import numpy as np
from sklearn.base import clone

from separatrix.core.certificate import closed_form
from separatrix.core.packed_tree import fault_of_packed
from separatrix.core.threads import parallel_map
from separatrix.estimators.recompute.comparison import BESIDE, EPS, not_looked_at, without_gaps
from separatrix.estimators.tree.arrays import TreeArrays
from separatrix.estimators.tree.counts import squared_errors, threshold_residual

PROVED = (
    "weights, counts, values, impurities and thresholds of the nodes of all trees, on samples that were drawn again"
)


def forest(model, X, y, sample_weight=None):
    """How far the nodes of all trees are from the rows that end in them."""
    started = time.perf_counter()
    encoded, target, s = model._again(X, y, sample_weight)
    n, p, width = len(target.y), model.n_features_in_, model._trees[0].value.shape[1]
    alike = n == model._n_rows and len(model._seeds) == len(model._trees)
    alike = alike and (model._bags is None or model._bags.draws_from(s))
    value = np.inf
    if alike and not any(fault_of_packed(tree, p, width) for tree in model._trees):
        value = max(parallel_map(lambda t: _of_tree(model, t, encoded, target, s), range(len(model._trees)), numbers=n))
    classes = vars(model).get("n_classes_")
    stated = (model.n_outputs_, model.max_features_, 0 if classes is None else np.max(classes))
    if stated != (target.y.shape[1], model._number_of_columns(p), target.n_classes):
        value = np.inf
    if "oob_score_" in vars(model) and np.isfinite(value):
        value = max(value, _out_of_bag(model, encoded, target, s))
    looked_at = ("n_outputs_", "max_features_", "n_classes_", "oob_score_", model._out_of_bag)
    message = f"recomputed from {n} rows: {PROVED}{not_looked_at(model, looked_at)}"
    return closed_form(value if np.isfinite(value) else np.inf, (n + BESIDE) * EPS, started=started, message=message)


def _of_tree(model, t, encoded, target, s):
    weights, _ = model._weights_of(t, target, s)
    nodes = model._table(t)
    value = max(
        model._residual(t, encoded, target, s),
        threshold_residual(nodes, encoded, weights, drawn=model.splitter == "random"),
    )
    if not (target.n_classes or model._keeps_inner()):  # packed means are rounded on the scale of y, not of its spread
        nodes = nodes._replace(impurity=squared_errors(nodes, encoded, target, weights))
    gains = TreeArrays(nodes, model.n_features_in_, model._class_counts()).compute_feature_importances(normalize=False)
    total = gains.sum()
    apart = float(np.abs((gains / total if total > 0.0 else gains) - model._importances[t]).max())
    return max(value, apart if apart > 1e-6 + _rounding_of(nodes, total, target) else 0.0)


def _rounding_of(nodes, total, target):
    """How far shares of gains may be off since the means of the nodes are rounded.

    A mean m of numbers is rounded by ``eps |m|``, which adds the square of that to the impurity of its node; a node is
    in the gains of two splits, and the total is off by as much.
    """
    if target.n_classes or not total > 0.0:
        return 0.0
    off = (EPS * np.abs(target.y).max()) ** 2
    return 4.0 * off * nodes.weight.sum() / nodes.weight[0] / total


def _out_of_bag(model, encoded, target, s):
    """How far the out-of-bag answers are from those of the trees that have not seen a row."""
    again = clone(model)
    vars(again).update({name: value for name, value in vars(model).items() if not name.startswith("oob_")})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the fit has said which rows are in all samples
        again._score_out_of_bag(encoded, target, s)
    apart = 0.0
    for name in ("oob_score_", model._out_of_bag):
        published, recomputed = without_gaps(*(vars(each)[name] for each in (model, again)))
        alike = published.shape == recomputed.shape and np.isfinite(published - recomputed).all()
        size = max(1.0, float(np.abs(recomputed).max()))
        apart = max(apart, float(np.abs(published - recomputed).max()) / size if alike else np.inf)
    return apart
