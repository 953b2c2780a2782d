"""Rule lists: the rows that each rule decides or holds for, counted anew; and the tree that the rules came from."""

import time

import numpy as np

from separatrix.core.certificate import closed_form
from separatrix.core.rule_table import accepts, conditions_of, fault_of_rules
from separatrix.estimators.published import timed, worst
from separatrix.estimators.recompute.comparison import not_looked_at
from separatrix.estimators.recompute.trees import tree
from separatrix.estimators.tree.counts import count_tolerance
from separatrix.estimators.tree.rule_list import ACCURACIES, decided_residual
from separatrix.estimators.tree.rules import tree_cells
from separatrix.prediction.rules import places
from separatrix.solvers.trees.nodes import check_nodes

PROVED = "supports, class shares and estimated accuracies of the rules, and their tree; not that other rules were worse"


def rules(model, X, y, sample_weight=None):
    """How far supports, shares and estimates of the rules, and the nodes of the tree, are from the rows."""
    started = time.perf_counter()
    inside = model.estimator_
    check_nodes(inside.nodes_, inside.n_features_in_)
    columns = tree_cells(inside)
    rows, target, s = inside._again(X, y, sample_weight)
    s = np.ones(len(rows)) if s is None else s
    estimating = model._estimating(target, s)
    value = np.inf
    # the list answers in its own names of the classes, and rows are counted by those of the tree
    is_named = np.array_equal(model.classes_, inside.classes_)
    if is_named and not fault_of_rules(model.rules_, [each.n_known + 1 for each in columns]):
        some = rows[estimating], target.y[estimating, 0], s[estimating]
        value = max(decided_residual(model, rows, target, s), _estimate_residual(model, columns, *some))
    n = len(rows)
    message = f"recomputed from {n} rows: {PROVED}{not_looked_at(model, ('rules_', 'estimator_'))}"
    proof = closed_form(value, count_tolerance(n), started=started, message=message)
    growing = model._growing(sample_weight, estimating, n)
    return timed(worst([proof, tree(inside, X, y, growing)]), started)


def _estimate_residual(model, columns, rows, codes, s):
    """How far the estimates of the rules are from those of the rows for which their conditions hold.

    An estimate is that of one class, of the leaf that the rule came from; where more rows of another class are left
    for the rule to decide, it predicts the other.
    """
    table, n = model.rules_, len(model.rules_.value) - 1
    if not model.is_pruned_ or table.estimate[n] != 0.0:
        return float(np.abs(table.estimate).max())
    known = {j: places(rows, columns, j) for j in np.unique(table.column).tolist()}
    residual = 0.0
    for r in range(n):
        holds = np.ones(len(rows), dtype=bool)
        for j, bounds in conditions_of(table, r):
            holds &= accepts(bounds, known[j])
        right = np.bincount(codes[holds], s[holds], len(model.classes_))
        estimates = ACCURACIES[model.estimate](right, right.sum())
        residual = max(residual, float(np.abs(estimates - table.estimate[r]).min()))
    return residual
