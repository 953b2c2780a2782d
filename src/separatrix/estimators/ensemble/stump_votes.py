"""AdaBoost with stumps as a sum over trees of one split each: a stump adds its vote, times its weight."""

import numpy as np

from separatrix.core.tree_sum import SCORE, TreeSum, WalkedTree
from separatrix.designs import as_dense
from separatrix.estimators.validation import validate_rows

UNDECIDED = "an undecided vote"


def tree_sum(model, X):
    """The votes of a fitted AdaBoostClassifier; None where its learners are not stumps.

    A stump is three nodes. The value of its root is 0: no vote yet. The mean of the votes is taken off once, in the
    base. A stump without a threshold votes for one class whatever the row, and is a leaf.
    """
    if "members_" in vars(model):
        return None
    k, count = model.n_classes_, len(model.thresholds_)
    asks = np.isfinite(model.thresholds_)
    first = 3 * np.arange(count)
    nodes = {name: np.full(3 * count, -1, np.int64) for name in ("column", "left", "right", "missing", "offset")}
    nodes["threshold"], nodes["width"] = np.full(3 * count, np.nan), np.zeros(3 * count, np.int64)
    nodes["routes"] = np.empty(0, np.int64)
    nodes["column"][first[asks]] = model.features_[asks]
    nodes["threshold"][first] = model.thresholds_
    nodes["left"][first], nodes["right"][first] = first + 1, first + 2
    answers = np.stack([model.above_, model.below_, model.above_], axis=1).ravel()
    value = _votes(answers, np.repeat(model.estimator_weights_, 3), k)
    value[first[asks]] = 0.0
    trees = [WalkedTree(nodes, int(root), value, value) for root in first]
    rows = np.asarray(as_dense(validate_rows(model, X)))
    return TreeSum(rows, np.full(value.shape[1], -_mean_vote(model, k)), trees, SCORE, UNDECIDED)


def _votes(codes, weights, k):
    """Of two classes plus or minus the weight, (n, 1); of more the weight for the class, (n, k)."""
    if k == 2:
        return np.where(codes == 1, weights, -weights)[:, None]
    return np.where(codes[:, None] == np.arange(k), weights[:, None], 0.0)


def _mean_vote(model, k):
    """What the scores of more than two classes are less than the votes: their mean."""
    return 0.0 if k == 2 else float(model.estimator_weights_.sum()) / k
