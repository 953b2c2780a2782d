"""Decision trees: the numbers of every node, counted anew from the rows."""

import time

import numpy as np

from separatrix.core.certificate import closed_form
from separatrix.core.declaration import unwrap
from separatrix.estimators.recompute.comparison import not_looked_at
from separatrix.estimators.tree.counts import count_residual, count_tolerance, threshold_residual
from separatrix.estimators.tree.held_out import Prices, chosen_price
from separatrix.solvers.trees.nodes import check_nodes

PROVED = (
    "weights, counts, values, impurities, thresholds and bins of the nodes; not that a split is the best of its node"
)


def check_trees(learners):
    """Refuse trees among the learners of a committee whose nodes do not fit together, before rows walk through them.

    Compiled loops follow the children of a node without asking whether they exist.
    """
    for learner in map(unwrap, learners):
        if "nodes_" in vars(learner):
            check_nodes(learner.nodes_, learner.n_features_in_)


def tree(model, X, y, sample_weight=None):
    """How far the nodes of a tree are from the rows that end in them."""
    started = time.perf_counter()
    check_nodes(model.nodes_, model.n_features_in_)
    encoded, target, s = model._again(X, y, sample_weight)
    has_its_edges = model._are_its_edges(X, s)
    s = model._training_weights(target, s)
    value = count_residual(model.nodes_, encoded, target, s, model.criterion, signs=model._signs(target))
    value = max(value, threshold_residual(model.nodes_, encoded, s, drawn=model.splitter == "random"))
    n, classes = len(target.y), vars(model).get("n_classes_")
    stated = (model.n_outputs_, model.max_features_, 0 if classes is None else np.max(classes))
    known = (target.y.shape[1], model._number_of_columns(encoded.shape[1]), target.n_classes)
    if stated != known or not has_its_edges:
        value = np.inf
    if isinstance(model.ccp_alpha, str):
        prices = Prices(model.ccp_alphas_, model.cv_errors_, model.cv_standard_errors_)
        if model.ccp_alpha_ != chosen_price(prices, model.ccp_alpha):
            value = np.inf
    looked_at = ("ccp_alpha_", "nodes_", "n_outputs_", "max_features_", "n_classes_")
    message = f"recomputed from {n} rows: {PROVED}{not_looked_at(model, looked_at)}"
    return closed_form(value if np.isfinite(value) else np.inf, count_tolerance(n), started=started, message=message)
