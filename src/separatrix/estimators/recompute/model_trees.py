"""Trees of models: the numbers of every node counted anew, and its model held against its equations on its rows."""

import numpy as np

from separatrix.core.declaration import predicts_classes
from separatrix.estimators.published import worst
from separatrix.estimators.recompute.comparison import BESIDE, EPS, Comparison
from separatrix.estimators.tree.counts import count_tolerance, threshold_residual
from separatrix.estimators.tree.model_classifier import absent_scores, of_each_class
from separatrix.estimators.tree.model_tree import spread_of
from separatrix.estimators.verify import verify
from separatrix.prediction.linear import in_one_dimension, log_probabilities
from separatrix.solvers.trees.nodes import apply, check_nodes

SUMS = 1e-12  # of means of logarithms and of squares of what a model leaves
PARTS = ("nodes_", "node_coef_", "node_intercept_", "node_mean_", "node_spread_", "n_outputs_")


def model_tree(model, X, y, sample_weight=None):
    """How far the nodes are from their rows; of numbers the normal equations, of classes the gap, of every node."""
    nodes = model.nodes_
    check_nodes(nodes, model.n_features_in_)
    rows, target, s = model._again(X, y, sample_weight)
    rows, s = np.asarray(rows, dtype=np.float64), np.ones(len(rows)) if s is None else s
    comparison, at, proofs = Comparison(model, len(rows)), apply(nodes, rows).astype(np.int64), []
    comparison.residual(threshold_residual(nodes, rows, s), count_tolerance(len(rows)), *PARTS)
    comparison.residual(0.0 if model.n_outputs_ == 1 else np.inf, 0.0)
    if np.any(nodes.column[at[s > 0.0]] >= 0):
        comparison.residual(np.inf, 0.0)
    reached = [at == node for node in range(nodes.column.size)]
    for node in range(nodes.column.size - 1, 0, -1):  # children stand behind their parents
        reached[nodes.parent[node]] = reached[nodes.parent[node]] | reached[node]
    for node, here in enumerate(reached):
        here = here & (s > 0.0)
        if here.sum() != nodes.n_samples[node]:
            comparison.residual(np.inf, 0.0)
            continue
        Z, mean = model.filled(rows[here], s[here])
        comparison.hold("nodes_", nodes.weight[node], s[here].sum())
        comparison.hold("node_mean_", model.node_mean_[node], mean, np.abs(Z).max(axis=0))
        comparison.hold("node_spread_", model.node_spread_[node], spread_of(Z, mean, s[here]), np.abs(Z).max(axis=0))
        examine = _classes if predicts_classes(model) else _numbers
        proofs += examine(model, comparison, node, Z, target[here], s[here])
    comparison.notes.append(f"{nodes.column.size} nodes, the model of each on its rows; not that a split is the best")
    return worst([*proofs, comparison.certificate()])


def _numbers(model, comparison, node, Z, y, s):
    """The normal equations of a node, relative to the sizes of their terms."""
    nodes, w, b = model.nodes_, model.node_coef_[node], model.node_intercept_[node]
    above = model.node_coef_[nodes.parent[node]] if node else np.zeros_like(w)
    left = y - Z @ w - b
    size = np.abs(y) + np.abs(Z) @ np.abs(w) + abs(b)
    slopes = np.append(s @ left, (s * left) @ Z - model.alpha * (w - above))
    scale = np.append(s @ size, (s * size) @ np.abs(Z) + model.alpha * (np.abs(w) + np.abs(above)))
    value = np.max(np.divide(np.abs(slopes), scale, out=np.where(slopes == 0.0, 0.0, np.inf), where=scale > 0.0))
    comparison.residual(value, 8.0 * (len(y) + len(w) + BESIDE) * EPS, "node_coef_", "node_intercept_")
    comparison.hold("nodes_", nodes.value[node], [s @ y / s.sum()], np.abs(y).max())
    comparison.hold("nodes_", nodes.impurity[node], s @ left**2 / s.sum(), np.max(size) ** 2)
    return []


def _classes(model, comparison, node, Z, codes, s):
    """The gap of the logistic regression of the classes that the rows of a node have; scores of the others."""
    nodes, k = model.nodes_, len(model.classes_)
    w, b = model.node_coef_[node], model.node_intercept_[node]
    logs = log_probabilities(in_one_dimension(Z @ w.T + b))[np.arange(len(codes)), codes]
    comparison.hold("nodes_", nodes.value[node], np.bincount(codes, s, k) / s.sum(), 1.0)
    comparison.hold("nodes_", nodes.impurity[node], -2.0 * (s @ logs) / s.sum(), 1.0, tolerance=SUMS)
    present = np.unique(codes)
    coef, intercept = np.zeros((k, Z.shape[1])), absent_scores(k, float(s.sum()))
    intercept[present] = 0.0
    proofs = []
    if len(present) > 1:
        fitted = model.leaf_regression()
        fitted.classes_, fitted.n_features_in_, fitted.certificate_ = present, Z.shape[1], model.certificate_
        if k == 2:
            fitted.coef_, fitted.intercept_ = w[None], np.atleast_1d(b)
        elif len(present) == 2:
            fitted.coef_, fitted.intercept_ = w[present][1:] - w[present][:1], b[present][1:] - b[present][:1]
        else:
            fitted.coef_, fitted.intercept_ = w[present], b[present]
        proofs.append(verify(fitted, Z, codes, s))
        coef[present], intercept[present] = of_each_class(fitted.coef_, fitted.intercept_)
    if k == 2:
        coef, intercept = coef[1] - coef[0], intercept[1] - intercept[0]
    comparison.hold("node_coef_", w, coef, np.abs(coef).max())
    comparison.hold("node_intercept_", b, intercept, 1.0)
    return proofs
